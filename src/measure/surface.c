/* surface.c: heights, slopes and curvatures.
 *
 * A. N. Strahler, Hypsometric (area-altitude) analysis of erosional topography, 1952. Slope and
 * curvature are those of the quadratic surface nearest to nine heights by least squares (I. S.
 * Evans, 1980). In the window
 *
 *     a b c
 *     d e f    of heights in metres, cells of s metres,
 *     g h i
 *
 *     p = ((c + f + i) - (a + d + g)) / (6 s)             slope towards east
 *     q = ((a + b + c) - (g + h + i)) / (6 s)             slope towards north
 *     r = ((a + c + d + f + g + i) - 2 (b + e + h)) / (3 s^2)     second derivatives
 *     t = ((a + b + c + g + h + i) - 2 (d + e + f)) / (3 s^2)
 *     slope = sqrt(p^2 + q^2), curvature = r + t
 *
 * Only cells with eight known neighbours have them.
 */
#include "measure/surface.h"
#include "base/context.h"
#include "base/sort.h"
#include "base/threads.h"

#include <math.h>

enum { SLICE = 1 << 20 }; /* cells between two looks whether to stop */

typedef struct shaping {
    const rvi_ground *ground;
    float *slope, *curvature; /* of each cell; NaN where it has none */
} shaping;

static void shape_cell(const shaping *s, size_t i) {
    double z[9];
    for (int k = 0; k < 9; k++)
        z[k] = (double)s->ground->z[(ptrdiff_t)i + (k / 3 - 1) * s->ground->width + k % 3 - 1];
    rvi_shape shape = rvi_shape_of(z, s->ground->cell);
    s->slope[i] = shape.slope;
    s->curvature[i] = shape.curvature;
}

static void shape_rows(void *arg, int first, int end) {
    const shaping *s = arg;
    const rvi_ground *g = s->ground;
    for (int y = first; y < end; y++)
        for (int x = 0; x < g->width; x++) {
            size_t i = (size_t)y * (size_t)g->width + (size_t)x;
            s->slope[i] = s->curvature[i] = NAN;
            if (g->counts[i] && rvi_ground_whole(g, x, y))
                shape_cell(s, i);
        }
}

/* Moves what is no NaN to the front. */
static rv_status gather(rv_context *ctx, float *values, size_t count, size_t *kept) {
    *kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % SLICE == 0 && rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
        if (!isnan(values[i]))
            values[(*kept)++] = values[i];
    }
    return RV_OK;
}

static rv_status measure_shapes(const rvi_ground *g, float *room, rvi_surface *out) {
    size_t cells = (size_t)g->width * (size_t)g->height;
    shaping s = {g, room, room + cells};
    size_t count = 0;
    rv_status status = rvi_parallel_rows(g->ctx, g->height, shape_rows, &s);
    if (status == RV_OK)
        status = gather(g->ctx, s.slope, cells, &count);
    if (status == RV_OK)
        status = gather(g->ctx, s.curvature, cells, &count);
    if (status == RV_OK)
        status = rvi_distribution_of(g->ctx, s.slope, count, &out->slope);
    if (status == RV_OK)
        status = rvi_distribution_of(g->ctx, s.curvature, count, &out->curvature);
    return status;
}

static rv_status measure_heights(const rvi_ground *g, float *room, rvi_surface *out) {
    size_t cells = (size_t)g->width * (size_t)g->height, count = 0;
    double sum = 0.0, relief = g->high - g->low;
    for (size_t i = 0; i < cells; i++) {
        if (i % SLICE == 0 && rvi_poll(g->ctx) != RV_OK)
            return RV_CANCELLED;
        if (g->counts[i]) {
            room[count++] = g->z[i];
            sum += (double)g->z[i];
        }
    }
    out->mean = sum / (double)count;
    if (!(relief > 0.0))
        return RV_OK;
    rv_status status = rvi_sort_floats(g->ctx, room, count);
    out->integral = (out->mean - g->low) / relief;
    for (int k = 0; k < RVI_CURVE && status == RV_OK; k++) {
        size_t above = (size_t)((double)(count - 1) * k / (RVI_CURVE - 1) + 0.5);
        out->curve[k] = ((double)room[count - 1 - above] - g->low) / relief;
    }
    return status;
}

rv_status rvi_surface_measure(const rvi_ground *g, rvi_surface *out) {
    out->mean = out->integral = NAN;
    for (int k = 0; k < RVI_CURVE; k++)
        out->curve[k] = NAN;
    size_t cells = (size_t)g->width * (size_t)g->height;
    float *room = rvi_alloc(g->ctx, 2 * cells, sizeof *room, "slopes");
    rv_status status = room ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = measure_shapes(g, room, out);
    if (status == RV_OK && g->count > 0)
        status = measure_heights(g, room, out);
    rvi_free(g->ctx, room);
    return status;
}
