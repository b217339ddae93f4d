/* smooth.h: a Gaussian blur that keeps the sum. */
#ifndef RVI_TERRAIN_SMOOTH_H
#define RVI_TERRAIN_SMOOTH_H

#include "base/buffers.h"
#include "terrain/smooth_cell.h"

/* A separable Gaussian of `sigma` cells; 0: none. The land is mirrored at its edges, so that the
 * sum stays. However wide it is, it takes no longer. */
typedef struct rvi_smoother {
    rv_context *ctx;
    int width, height;
    float sigma;
    float *half;    /* the grid after its columns were blurred, transposed */
    float *weights; /* of the kernel, of narrow ones alone */
    double *bessel; /* room to compute them */
} rvi_smoother;
/* The first lists the memory, which must be there when the second blurs `values` in place. */
void rvi_smoother_prepare(rvi_smoother *smoother, rv_context *ctx, int width, int height,
                          float sigma, rvi_buffers *buffers);
rv_status rvi_smoother_run(const rvi_smoother *smoother, float *values);

/* What a device needs to do the same. Of narrow blurs the first fills `weights` for an axis of n
 * cells, 1 to what it returns; wide ones have the filters, and heights times the scale become whole
 * numbers. */
int rvi_smoother_weigh(const rvi_smoother *smoother, int n);
bool rvi_smoother_wide(const rvi_smoother *smoother);
rvi_smooth_boxes rvi_smoother_boxes(const rvi_smoother *smoother, int n);
double rvi_smoother_scale(float low, float high);

#endif
