/* brush.h: the disc of cells a drop takes from, laid out for vector units.
 *
 * A drop at (x + u, y + v), u and v in [0, 1), takes from every cell i within `radius` with weight
 *     w_i = max(0, radius - |P_i - pos|) / sum_k max(0, radius - |P_k - pos|)        (Beyer, 5.9)
 * All cells that may be that near for any (u, v) are listed once, row by row, so that the square
 * roots run over a plain array. The sums have eight fixed lanes, whatever the machine has: the
 * same bits come from any vector width.
 */
#ifndef RVI_WEAR_BRUSH_H
#define RVI_WEAR_BRUSH_H

#include "base/lanes.h"

enum {
    RVI_LANES = 8,
    RVI_BRUSH_RADIUS = 64, /* the largest there may be */
    RVI_BRUSH_SIDE = 2 * RVI_BRUSH_RADIUS,
    RVI_BRUSH_RUNS = RVI_BRUSH_SIDE * (RVI_BRUSH_SIDE / RVI_LANES),
};

/* Up to eight neighbouring cells of one row. */
typedef struct rvi_run {
    int dx, dy; /* of its first cell from the drop's */
} rvi_run;

typedef struct rvi_brush {
    float radius;
    int reach; /* cells beyond the drop's own that it may touch in any direction, unused lanes too
                */
    int run_count;
    rvi_run runs[RVI_BRUSH_RUNS];
    float dx[RVI_BRUSH_RUNS * RVI_LANES], dy[RVI_BRUSH_RUNS * RVI_LANES]; /* of every cell */
} rvi_brush;

static inline void rvi_brush_make(rvi_brush *brush, float radius) {
    int reach = (int)ceilf(radius);
    brush->radius = radius;
    brush->run_count = 0;
    for (int dy = 1 - reach; dy <= reach; dy++) {
        int lanes = RVI_LANES; /* used up in the last run */
        for (int dx = 1 - reach; dx <= reach; dx++) {
            /* Distance to the nearest place (u, v) the drop may have in its cell. */
            float ax = (float)(dx > 0 ? dx - 1 : -dx), ay = (float)(dy > 0 ? dy - 1 : -dy);
            if (!(ax * ax + ay * ay < radius * radius))
                continue;
            if (lanes == RVI_LANES) {
                brush->runs[brush->run_count++] = (rvi_run){dx, dy};
                lanes = 0;
                for (int k = 0; k < RVI_LANES; k++) { /* what stays unused is too far to weigh */
                    brush->dx[(brush->run_count - 1) * RVI_LANES + k] = 4.0f * RVI_BRUSH_RADIUS;
                    brush->dy[(brush->run_count - 1) * RVI_LANES + k] = 0.0f;
                }
            }
            int cell = (brush->run_count - 1) * RVI_LANES + lanes++;
            brush->dx[cell] = (float)dx;
            brush->dy[cell] = (float)dy;
        }
    }
    brush->reach = reach;
    for (int r = 0; r < brush->run_count; r++) {
        int last = brush->runs[r].dx + RVI_LANES - 1;
        brush->reach = last > brush->reach ? last : brush->reach;
    }
}

static RVI_HOT rvi_v4 rvi_brush_four(const rvi_brush *brush, int i, float u, float v) {
    rvi_v4 dx = rvi_v4_load(brush->dx + i) - u, dy = rvi_v4_load(brush->dy + i) - v;
    return rvi_v4_max(brush->radius - rvi_v4_sqrt(dx * dx + dy * dy), rvi_v4_all(0.0f));
}

/* Fills in the weights before they are divided by their sum; returns the sum. */
static RVI_HOT float rvi_brush_weigh(const rvi_brush *brush, float u, float v, float *w) {
    int cells = brush->run_count * RVI_LANES;
    rvi_v4 sum[2] = {{0}, {0}};
    for (int i = 0; i < cells; i += RVI_LANES)
        for (int half = 0; half < 2; half++) {
            rvi_v4 d = rvi_brush_four(brush, i + 4 * half, u, v);
            sum[half] += d;
            rvi_v4_store(w + i + 4 * half, d);
        }
    return rvi_lane_sum(sum[0], sum[1]);
}

/* The same, where `here` is the drop's cell in a grid of heights: cells that are not above `level`
 * weigh nothing, and only those by `fall` above it their whole weight, so that a share of up to
 * `fall` takes none of them below the level. */
static RVI_HOT float rvi_brush_weigh_above(const rvi_brush *brush, float u, float v,
                                           const float *here, size_t stride, float level,
                                           float fall, float *w) {
    rvi_v4 sum[2] = {{0}, {0}};
    float steep = 1.0f / fall;
    for (int r = 0; r < brush->run_count; r++) {
        const float *h =
            here + (ptrdiff_t)brush->runs[r].dy * (ptrdiff_t)stride + brush->runs[r].dx;
        for (int half = 0; half < 2; half++) {
            int i = r * RVI_LANES + 4 * half;
            rvi_v4 above = (rvi_v4_load(h + 4 * half) - level) * steep;
            above = rvi_v4_min(rvi_v4_max(above, rvi_v4_all(0.0f)), rvi_v4_all(1.0f));
            rvi_v4 d = rvi_brush_four(brush, i, u, v) * above;
            sum[half] += d;
            rvi_v4_store(w + i, d);
        }
    }
    return rvi_lane_sum(sum[0], sum[1]);
}

#endif
