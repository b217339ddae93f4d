/* land_grids.cl: grids of the land on a device, a cell an item. */
#include "device/prelude.cl"
#include "base/math.h"
#include "wear/made_height.h"

__kernel void add(__global float *restrict to, __global const float *restrict more,
                  __global const float *restrict less, int width) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x < width)
        to[i] += less ? more[i] - less[i] : more[i];
}

/* `after` is held to the mask. */
__kernel void hold(__global const float *restrict mask, __global const float *restrict before,
                   __global float *restrict after, int width) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x < width)
        after[i] = rvi_made_masked(mask[i], before[i], after[i]);
}
