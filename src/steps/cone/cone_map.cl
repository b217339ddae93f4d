/* cone_map.cl: cone.c on a device, a cell an item. */
#include "device/prelude.cl"
#include "steps/cone/cone_cell.h"

__kernel void heap_cells(__global float *made, int width, rvi_cone c) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < width)
        made[(size_t)y * (size_t)width + (size_t)x] = rvi_cone_height(&c, x, y);
}
