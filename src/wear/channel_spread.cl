/* channel_spread.cl: a level of channel.c on a device, a cell an item. */
#include "device/prelude.cl"
#include "wear/channel_cell.h"

__kernel void spread(__global const float *restrict from, __global float *restrict to, int width, int height,
                     ulong first, ulong stride, rvi_channel_level k) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width)
        return;
    int l = rvi_channel_mirrored(x - k.apart, width), r = rvi_channel_mirrored(x + k.apart, width);
    __global const float *mid = from + first + (size_t)y * stride;
    __global const float *up =
        from + first + (size_t)rvi_channel_mirrored(y - k.apart, height) * stride;
    __global const float *down =
        from + first + (size_t)rvi_channel_mirrored(y + k.apart, height) * stride;
    to[first + (size_t)y * stride + (size_t)x] =
        rvi_channel_cell(k.centre, k.side, k.corner, mid[x], mid[l], mid[r], up[x], down[x], up[l],
                         down[r], up[r], down[l]);
}
