/* level_map.cl: level.c on a device, a cell an item. */
#include "device/prelude.cl"
#include "steps/level/level_cell.h"

__kernel void level_heights(__global const float *restrict from, __global float *restrict to, int width,
                            rvi_level_range range) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x < width)
        to[i] = rvi_level_cell(range, from[i]);
}
