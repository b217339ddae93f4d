/* resample.h: sampling of a grid at another size. */
#ifndef RVI_TERRAIN_RESAMPLE_H
#define RVI_TERRAIN_RESAMPLE_H

#include "base/buffers.h"

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

#endif
