/* resample.h: sampling of a grid at another size. */
#ifndef RVI_TERRAIN_RESAMPLE_H
#define RVI_TERRAIN_RESAMPLE_H

#include "base/buffers.h"
#include "terrain/resample_tap.h"

typedef enum rvi_filter {
    RVI_FILTER_CUBIC,  /* smooth, keeps edges; may overshoot a little */
    RVI_FILTER_LINEAR, /* never higher or lower than the neighbours */
    RVI_FILTER_NEAREST /* values are only picked, never mixed */
} rvi_filter;

/* Samples `from` at another size, corner on corner; kernels widen when cells get larger. */
rv_status rvi_resample(rv_context *ctx, const float *from, int width, int height, float *to,
                       int to_width, int to_height, rvi_filter filter);
/* What that takes from the memory limit while it runs. */
size_t rvi_resample_bytes(int width, int height, int to_width, int to_height, rvi_filter filter);

/* The same for many grids of one size, and for devices. */

/* Which cells of the old axis make each of the new, and how much of each. */
typedef struct rvi_sampled_axis {
    int from, to;
    rvi_filter filter;
    size_t room;   /* taps kept for each new cell */
    rvi_tap *taps; /* [to][room] */
    int *counts;   /* [to] */
} rvi_sampled_axis;

typedef struct rvi_resampling {
    rvi_sampled_axis across, down;
    float *half; /* the grid after its rows were sampled */
} rvi_resampling;

/* The first lists the memory; when it is there, the second fills the taps. Then any number of grids
 * can be sampled. */
void rvi_resampling_prepare(rvi_resampling *r, int width, int height, int to_width, int to_height,
                            rvi_filter filter, rvi_buffers *buffers);
void rvi_resampling_weigh(const rvi_resampling *r);
rv_status rvi_resampling_run(rv_context *ctx, const rvi_resampling *r, const float *from,
                             float *to);

#endif
