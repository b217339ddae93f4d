/* reduce.h: one number from many, the same for any number of threads: over fixed blocks in a fixed
 * order, sums in doubles. Always ends (threads.h): keep it short. */
#ifndef RVI_BASE_REDUCE_H
#define RVI_BASE_REDUCE_H

#include <ravine/ravine.h>

double rvi_sum(rv_context *ctx, const float *values, size_t count);
/* Of first - second; NULL: less nothing. */
double rvi_sum_difference(rv_context *ctx, const double *first, const double *second, size_t count);
void rvi_range(rv_context *ctx, const float *values, size_t count, float *low,
               float *high); /* count is at least 1 */

#endif
