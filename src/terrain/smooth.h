/* smooth.h: a Gaussian blur that keeps the sum. */
#ifndef RVI_TERRAIN_SMOOTH_H
#define RVI_TERRAIN_SMOOTH_H

#include "base/buffers.h"

/* Blurs `values` in place with a separable Gaussian of `sigma` cells, cut off at 3 sigma. The land
 * is mirrored at its edges, so that the sum stays. Uses one more grid of memory. sigma 0: nothing.
 */
rv_status rvi_smooth(rv_context *ctx, float *values, int width, int height, float sigma);

/* The same in two parts: the first lists the memory, which must be there for the second. */
typedef struct rvi_smoother {
    rv_context *ctx;
    int width, height;
    float sigma;
    float *half;    /* the grid after its columns were blurred, transposed */
    float *weights; /* of the kernel */
    double *bessel; /* room to compute them */
} rvi_smoother;
void rvi_smoother_prepare(rvi_smoother *smoother, rv_context *ctx, int width, int height,
                          float sigma, rvi_buffers *buffers);
rv_status rvi_smoother_run(const rvi_smoother *smoother, float *values);

#endif
