/* hillslope.c: hillslope diffusion: soil that creeps down every slope, dz/dt = div(D grad z).
 *
 * All rows and then all columns, or columns first, each as if there were only it, with
 * the slopes at the end of the time step (backward Euler; N. N. Yanenko, The method of fractional
 * steps, 1971). With r = D dt / cell^2 and a, b the looseness between a cell and its two
 * neighbours:
 *
 *     (1 + r a + r b) z'(i) - r a z'(i - 1) - r b z'(i + 1) = z(i)
 *
 * No step is too long, nothing overshoots, and what one cell gives its neighbour gets. Rows and
 * columns are solved as L. H. Thomas did (1949): from one end on z'(i) = c(i) + q(i) z'(i + 1),
 * with q kept in `scratch`, then back. 1 - q is computed by itself: it is very small where much
 * creeps, and a difference would lose ground. Nothing crosses the edge of the map, but cells that
 * are fixed have what lies outside behind them: they give and take without end, and how much is
 * counted.
 */
#include "steps/rivers/hillslope.h"
#include "base/lanes.h"
#include "base/math.h"
#include "base/threads.h"

#include <math.h>

/* STRIP: columns that are solved side by side. ABREAST: rows that are. */
enum { STRIP = 64, ABREAST = 8 };

/* `loose`: is it known for each cell? */
static RVI_HOT double between(const rvi_hillslope *s, size_t i, size_t j, bool loose) {
    return loose ? s->number * (double)rvi_minf(s->loose[i], s->loose[j]) : s->number;
}

/* Counts what crept between two neighbours of which one is fixed. */
static void cross(const rvi_hillslope *s, size_t i, size_t j, rvi_side_flux *flux) {
    size_t side = s->fixed[i] ? i : j, land = s->fixed[i] ? j : i;
    rvi_creep_cross(between(s, i, j, s->loose != NULL), s->to[side], s->to[land], flux);
}

/* Rows from `row` on, cell by cell together: each has to wait for its own cell before. */
static RVI_HOT void rows_abreast(const rvi_hillslope *s, size_t row, size_t count, bool loose) {
    size_t width = (size_t)s->width;
    double a[ABREAST] = {0}, last[ABREAST] = {0}, kept[ABREAST] = {0};
    for (size_t x = 0; x < width; x++)
        for (size_t k = 0; k < count; k++) {
            size_t i = (row + k) * width + x;
            double b = x + 1 < width ? between(s, i, i + 1, loose) : 0.0;
            double free = s->fixed[i] ? 0.0 : 1.0, down = free * a[k], up = free * b;
            double rest = 1.0 + down * kept[k], whole = 1.0 / (rest + up);
            last[k] = s->to[i] = (s->from[i] + down * last[k]) * whole;
            s->scratch[i] = up * whole;
            kept[k] = rest * whole;
            a[k] = b;
        }
    for (size_t x = width - 1; x-- > 0;)
        for (size_t k = 0; k < count; k++) {
            size_t i = (row + k) * width + x;
            last[k] = s->to[i] += s->scratch[i] * last[k];
        }
}

static void solve_rows(void *arg, int first, int end) {
    const rvi_hillslope *s = arg;
    size_t width = (size_t)s->width, y = (size_t)first;
    for (; y + ABREAST <= (size_t)end; y += ABREAST)
        if (s->loose)
            rows_abreast(s, y, ABREAST, true);
        else
            rows_abreast(s, y, ABREAST, false);
    for (; y < (size_t)end; y++)
        rows_abreast(s, y, 1, s->loose != NULL);
    for (y = (size_t)first; s->flux && y < (size_t)end; y++) {
        s->flux[y] = (rvi_side_flux){0};
        for (size_t i = y * width; i + 1 < (y + 1) * width; i++)
            if (!s->fixed[i] != !s->fixed[i + 1])
                cross(s, i, i + 1, &s->flux[y]);
    }
}

/* The same downwards. */
static RVI_HOT void strip_down(const rvi_hillslope *s, size_t from, size_t to, bool loose) {
    size_t width = (size_t)s->width, height = (size_t)s->height;
    double a[STRIP] = {0}, last[STRIP] = {0}, kept[STRIP] = {0};
    for (size_t y = 0; y < height; y++) {
        double *h = s->to + y * width + from, *q = s->scratch + y * width + from;
        const double *was = s->from + y * width + from;
        const unsigned char *fixed = s->fixed + y * width + from;
        for (size_t k = 0; k < to - from; k++) {
            size_t i = y * width + from + k;
            double b = y + 1 < height ? between(s, i, i + width, loose) : 0.0;
            double free = fixed[k] ? 0.0 : 1.0, down = free * a[k], up = free * b;
            double rest = 1.0 + down * kept[k], whole = 1.0 / (rest + up);
            last[k] = h[k] = (was[k] + down * last[k]) * whole;
            q[k] = up * whole;
            kept[k] = rest * whole;
            a[k] = b;
        }
    }
}

static void solve_strip(void *arg, int64_t strip) {
    const rvi_hillslope *s = arg;
    size_t width = (size_t)s->width, from = (size_t)strip * STRIP;
    size_t to = from + STRIP < width ? from + STRIP : width;
    rvi_side_flux flux = {0};
    if (s->loose)
        strip_down(s, from, to, true);
    else
        strip_down(s, from, to, false);
    for (size_t y = (size_t)s->height - 1; y-- > 0;) {
        double *h = s->to + y * width;
        const double *q = s->scratch + y * width, *below = h + width;
        for (size_t x = from; x < to; x++)
            h[x] += q[x] * below[x];
        for (size_t i = y * width + from; s->flux && i < y * width + to; i++)
            if (!s->fixed[i] != !s->fixed[i + width])
                cross(s, i, i + width, &flux);
    }
    if (s->flux)
        s->flux[(int64_t)s->height + strip] = flux;
}

size_t rvi_hillslope_parts(int width, int height) {
    return (size_t)height + ((size_t)width + STRIP - 1) / STRIP;
}

static rv_status solve(rvi_hillslope *s, bool columns) {
    return columns ? rvi_parallel(s->ctx, (s->width + STRIP - 1) / STRIP, solve_strip, s)
                   : rvi_parallel_rows(s->ctx, s->height, solve_rows, s);
}

rv_status rvi_hillslope_run(const rvi_hillslope *s) {
    rvi_hillslope work = *s;
    rv_status status = solve(&work, s->columns_first);
    work.from = work.to;
    return status == RV_OK ? solve(&work, !s->columns_first) : status;
}
