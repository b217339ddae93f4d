/* concavity.c: slope over area, S = ks A^-theta.
 *
 * J. J. Flint, Stream gradient as a function of order, magnitude, and discharge, 1974. For each
 * channel cell i the slope is that of the channel below it,
 *
 *     S(i) = (z(i) - z(e)) / L(i, e)      metres a metre, z not filled, L along the receivers
 *
 * and theta is minus the slope of the line nearest to log S over log A by least squares, over all
 * channel cells with S > 0. Two choices of the end e:
 *
 *     eight     eight cells further down; A is that of cell i. What joins on the way makes the far
 *               end flatter, so it comes out low (0.39 for 0.45), but it holds for rough data.
 *     limited   as far as the area stays within GROWTH times A(i), at least one and at most REACH
 *               cells; A is the geometric mean of the areas on the way.
 */
#include "measure/concavity.h"
#include "base/context.h"
#include "base/math.h"
#include "measure/length.h"

#include <math.h>

enum { EIGHT = 8, REACH = 32, BINS_AN_OCTAVE = 4, LEAST = 20, TOP_OCTAVE = 4 };
static const double GROWTH = 1.25;

static const double OCTAVE = 0.693147180559945309; /* log 2 */

double rvi_cloud_area(int column) {
    return rvi_exp_double(column * OCTAVE / BINS_AN_OCTAVE);
}

double rvi_cloud_slope(int row) {
    return rvi_exp_double((TOP_OCTAVE * BINS_AN_OCTAVE + row - RVI_SLOPE_ROWS) * OCTAVE /
                          BINS_AN_OCTAVE);
}

static double log_area(double area) {
    return (double)rvi_logf((float)area);
}

static void add_eight(const rvi_ground *g, const rvi_drainage *d, size_t cell,
                      rvi_line_sums *sums) {
    size_t at = cell;
    double length = 0.0;
    for (int k = 0; k < EIGHT; k++) {
        if (d->receiver[at] == at)
            return;
        length += rvi_length_down(d, at);
        at = d->receiver[at];
    }
    double slope = ((double)g->z[cell] - (double)g->z[at]) / (length * g->cell);
    if (slope > 0.0)
        rvi_line_add(sums, log_area(d->area[cell]), (double)rvi_logf((float)slope), 1.0);
}

static void add_limited(const rvi_ground *g, const rvi_drainage *d, size_t cell,
                        rvi_line_sums *sums, rvi_concavity *out) {
    size_t at = cell;
    double length = 0.0, product = 1.0, most = GROWTH * d->area[cell];
    int links = 0;
    for (; links < REACH && d->receiver[at] != at; links++) {
        if (links > 0 && d->area[d->receiver[at]] > most)
            break;
        /* Ratios of areas are near 1, so their product neither ends nor grows without limit. */
        product *= (double)d->area[at] / (double)d->area[cell];
        length += rvi_length_down(d, at);
        at = d->receiver[at];
    }
    double slope = ((double)g->z[cell] - (double)g->z[at]) / (length * g->cell);
    if (links == 0 || !(slope > 0.0))
        return;
    double x = log_area(d->area[cell]) + log_area(product) / links;
    double y = (double)rvi_logf((float)slope);
    rvi_line_add(sums, x, y, 1.0);
    int bin = (int)(x * (BINS_AN_OCTAVE / OCTAVE));
    double height = y * (BINS_AN_OCTAVE / OCTAVE) + (RVI_SLOPE_ROWS - TOP_OCTAVE * BINS_AN_OCTAVE);
    int row = (int)(height > 0.0 ? height : 0.0);
    if (bin >= RVI_SLOPE_BINS)
        return;
    out->bins[bin].slope += y;
    out->bins[bin].count += 1.0;
    out->cloud[rvi_mini(row, RVI_SLOPE_ROWS - 1)][bin]++;
}

rv_status rvi_concavity_measure(const rvi_ground *g, const rvi_drainage *d, uint32_t channel,
                                rvi_concavity *out) {
    rvi_line_sums eight = {0}, limited = {0};
    *out = (rvi_concavity){0};
    for (size_t i = 0; i < (size_t)g->width * (size_t)g->height; i++) {
        if (rvi_poll_at(g->ctx, i) != RV_OK)
            return RV_CANCELLED;
        if (!g->counts[i] || d->area[i] < channel)
            continue;
        add_eight(g, d, i, &eight);
        add_limited(g, d, i, &limited, out);
    }
    out->eight = rvi_line_fit(&eight, LEAST);
    out->limited = rvi_line_fit(&limited, LEAST);
    for (int k = 0; k < RVI_SLOPE_BINS; k++) {
        rvi_slope_bin *bin = &out->bins[k];
        bin->area = rvi_exp_double((k + 0.5) * OCTAVE / BINS_AN_OCTAVE);
        bin->slope = bin->count > 0.0 ? rvi_exp_double(bin->slope / bin->count) : NAN;
    }
    return RV_OK;
}
