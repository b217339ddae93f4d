/* flood_cells.cl: flood.c on a device. */
#include "device/prelude.cl"
#include "steps/flood/flood_cell.h"

__kernel void flood_start(__global const float *restrict surface, __global double *restrict heights,
                          __global uchar *restrict fixed, int width, int height) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x >= width)
        return;
    heights[i] = (double)surface[i];
    fixed[i] = (uchar)rvi_flood_edge(x, y, width, height);
}

/* Without `spill` the water stands at `level` everywhere. */
__kernel void flood_deepen(__global const float *restrict surface, __global const uint *restrict basin,
                           __global const double *restrict spill, __global float *restrict water,
                           int width, float level) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x >= width)
        return;
    float h = surface[i];
    if (spill)
        level = (float)rvi_max(spill[basin[i]], (double)h);
    water[i] = rvi_flood_depth(level, h, water[i]);
}
