/* select_map.cl: select.c on a device, a cell an item. */
#include "device/prelude.cl"
#include "steps/select/select_cell.h"

/* grid: of the value, or the surface that is measured; NULL: 0 everywhere. Of noise: (v - low) / span. */
__kernel void select_part(__global const float *grid, __global float *to, rvi_select_land land, rvi_select_test test,
                          int origin, float low, float span) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= land.width)
        return;
    size_t i = (size_t)y * (size_t)land.width + (size_t)x;
    bool measured = origin == RVI_SELECT_SLOPE || origin == RVI_SELECT_ASPECT || origin == RVI_SELECT_CURVATURE;
    float v = measured ? rvi_select_measure(origin, land, grid, x, y) : grid ? grid[i] : 0;
    v = origin == RVI_SELECT_NOISE ? (v - low) / span : v;
    to[i] = rvi_select_pass(&test, v);
}

/* `to` becomes 1 minus it, the smaller or the larger of both. */
__kernel void select_join(__global float *to, __global const float *other, int width, int larger) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x >= width)
        return;
    to[i] = !other ? 1 - to[i] : larger ? rvi_maxf(to[i], other[i]) : rvi_minf(to[i], other[i]);
}
