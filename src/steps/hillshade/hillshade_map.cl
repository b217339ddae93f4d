/* hillshade_map.cl: hillshade.c on a device, a cell an item. */
#include "device/prelude.cl"
#include "picture/shade_cell.h"

__kernel void shade_grey(__global const float *restrict land, __global uchar *restrict out, rvi_shade_rules k) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < k.width)
        out[(size_t)y * (size_t)k.width + (size_t)x] = rvi_shade_grey_of(rvi_shade_light_at(&k, land, x, y));
}

__kernel void shade_land(__global const float *restrict land, __global uchar *restrict out, rvi_shade_rules k) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= k.width)
        return;
    size_t i = (size_t)y * (size_t)k.width + (size_t)x;
    float light = rvi_shade_light_at(&k, land, x, y), height = (land[i] - k.low) / k.span;
    for (int c = 0; c < 3; c++)
        out[3 * i + (size_t)c] = rvi_shade_lit(&k, rvi_shade_part(height, c), light);
}
