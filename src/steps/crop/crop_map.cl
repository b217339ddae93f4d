/* crop_map.cl: crop.c on a device, a cell of the piece an item. */
#include "device/prelude.cl"

__kernel void cut(__global const float *restrict from, __global float *restrict to, int from_width, int width,
                  int left, int top) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < width)
        to[(size_t)y * (size_t)width + (size_t)x] =
            from[(size_t)(top + y) * (size_t)from_width + (size_t)(left + x)];
}
