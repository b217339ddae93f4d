/* factor_grids.cl: the grids of erosion_factor.c on a device, a cell of the map or its margin an item. */
#include "device/prelude.cl"
#include "terrain/band_cell.h"
#include "wear/factor_cell.h"

/* Cell (x, y) of the map is at first + y * stride + x. */
__kernel void factor_cells(__global float *cells, __global const float *mask, __global const float *hardness,
                           rvi_factor_place p, float bare) {
    int x = (int)get_global_id(0) - p.margin, y = (int)get_global_id(1) - p.margin;
    if (x >= p.width + p.margin)
        return;
    bool inside = x >= 0 && y >= 0 && x < p.width && y < p.height;
    size_t i = inside ? (size_t)y * (size_t)p.width + (size_t)x : 0;
    cells[rvi_factor_at(&p, x, y)] =
        inside ? rvi_factor_of(bare, mask ? mask[i] : 1.0f, hardness ? 1.0f - hardness[i] : 1.0f) : bare;
}

__kernel void factor_bands(__global float *bands, __constant rvi_band_edge *edge, rvi_factor_place p, double cell) {
    int column = (int)get_global_id(0), y = (int)get_global_id(1) - p.margin;
    if (column >= p.width + 2 * p.margin)
        return;
    const rvi_band_edge e = *edge;
    bands[rvi_factor_at(&p, column - p.margin, y)] =
        rvi_band_edge_at(&e, -cell * (double)p.margin, cell * (double)y, cell, column);
}
