/* device_sum.cl: sums of values in the order of base/reduce.c: a group takes a block of them, its
 * items bring a part into memory of the group, and one item a lane adds up. */
#include "device/prelude.cl"
#include "base/sum_order.h"
#include "device/device_group.h"

static void add_part(__local const double *part, size_t count, double *sum) {
    for (size_t k = get_local_id(0); get_local_id(0) < RVI_SUM_LANES && k < count; k += RVI_SUM_LANES)
        *sum += part[k];
}

#define ADD_UP(VALUE)                                                                              \
    size_t i = get_group_id(0) * RVI_SUM_BLOCK, end = i + RVI_SUM_BLOCK, item = get_local_id(0);   \
    end = end < count ? end : count;                                                               \
    double sum = 0.0;                                                                              \
    for (; i < end; i += RVI_SUM_PART) {                                                           \
        size_t some = end - i < RVI_SUM_PART ? end - i : RVI_SUM_PART;                             \
        for (size_t k = item; k < some; k += RVI_SUM_GROUP)                                        \
            part[k] = VALUE(i + k);                                                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        add_part(part, some, &sum);                                                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    }                                                                                              \
    if (item < RVI_SUM_LANES)                                                                      \
    sums[get_group_id(0) * RVI_SUM_LANES + item] = sum

#define FLOAT_AT(at) (double)values[at]
#define DIFFERENCE_AT(at) (first[at] - (second ? second[at] : 0.0))

__kernel __attribute__((reqd_work_group_size(RVI_SUM_GROUP, 1, 1))) void
sum_lanes(ulong count, __global double *restrict sums, __local double *part,
          __global const float *restrict values) {
    ADD_UP(FLOAT_AT);
}

__kernel __attribute__((reqd_work_group_size(RVI_SUM_GROUP, 1, 1))) void
difference_lanes(ulong count, __global double *restrict sums, __local double *part,
                 __global const double *restrict first, __global const double *restrict second) {
    ADD_UP(DIFFERENCE_AT);
}
