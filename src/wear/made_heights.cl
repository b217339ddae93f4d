/* made_heights.cl: made_heights.c on a device, a cell an item. */
#include "device/prelude.cl"
#include "wear/made_height.h"

__kernel void set_heights(__global float *made, __global const float *ground, int width, float low,
                          float span, float relief, int mode) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x < width)
        made[i] = rvi_made_height(made[i], ground[i], low, span, relief, mode);
}

__kernel void limit_heights(__global float *made, __global const float *ground,
                            __global const float *mask, int width, int thickness, int share) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x < width)
        made[i] = rvi_made_limited(rvi_made_masked(mask ? mask[i] : 1.0f, ground[i], made[i]),
                                   thickness, share);
}
