/* device_check.cl: computes what device_check.c compares, and copies. */
#include "device/prelude.cl"
#include "device/compared_cell.h"

__kernel void compare(__global float *out, int width, int round) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < width)
        out[y * width + x] = rvi_compared_cell(y * width + x, round);
}

__kernel void copy(__global const float4 *from, __global float4 *to) {
    size_t i = get_global_id(0);
    to[i] = from[i];
}
