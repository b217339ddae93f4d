/* smooth.h: a Gaussian blur that keeps the sum. */
#ifndef RVI_TERRAIN_SMOOTH_H
#define RVI_TERRAIN_SMOOTH_H

#include <ravine/ravine.h>

/* Blurs `values` in place with a separable Gaussian of `sigma` cells, cut off at 3 sigma. The land
 * is mirrored at its edges, so that the sum stays. Uses one more grid of memory. sigma 0: nothing.
 */
rv_status rvi_smooth(rv_context *ctx, float *values, int width, int height, float sigma);

/* The same in two parts, for those who must know before they begin that the memory is there. */
typedef struct rvi_smoother rvi_smoother;
rv_status rvi_smoother_create(rv_context *ctx, int width, int height, float sigma,
                              rvi_smoother **out);
rv_status rvi_smoother_run(rvi_smoother *smoother, float *values);
void rvi_smoother_destroy(rvi_smoother *smoother); /* NULL is fine */

#endif
