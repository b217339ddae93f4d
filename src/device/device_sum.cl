/* device_sum.cl: sums of values, a lane of a block of them an item, in the order of base/reduce.c.
 */
#include "device/prelude.cl"
#include "base/sum_order.h"

__kernel void sum_lanes(ulong count, __global double *restrict sums, __global const float *restrict values) {
    size_t item = get_global_id(0), block = item / RVI_SUM_LANES;
    size_t i = block * RVI_SUM_BLOCK, end = i + RVI_SUM_BLOCK;
    if (i >= count)
        return;
    end = end < count ? end : count;
    double sum = 0.0;
    for (i += item % RVI_SUM_LANES; i < end; i += RVI_SUM_LANES)
        sum += (double)values[i];
    sums[item] = sum;
}

__kernel void difference_lanes(ulong count, __global double *restrict sums,
                               __global const double *restrict first,
                               __global const double *restrict second) {
    size_t item = get_global_id(0), block = item / RVI_SUM_LANES;
    size_t i = block * RVI_SUM_BLOCK, end = i + RVI_SUM_BLOCK;
    if (i >= count)
        return;
    end = end < count ? end : count;
    double sum = 0.0;
    for (i += item % RVI_SUM_LANES; i < end; i += RVI_SUM_LANES)
        sum += first[i] - (second ? second[i] : 0.0);
    sums[item] = sum;
}
