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

/* `to` becomes what of `from` lies between 0 and 1, or 1 minus that; they may be one grid. */
__kernel void share(__global const float *from, __global float *to, int width, int invert) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x >= width)
        return;
    float value = rvi_clampf(from[i], 0, 1);
    to[i] = invert ? 1 - value : value;
}

/* `after` is held to the mask. */
__kernel void hold(__global const float *restrict mask, __global const float *restrict before,
                   __global float *restrict after, int width) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x < width)
        after[i] = rvi_made_masked(mask[i], before[i], after[i]);
}
