/* laying_map.cl: how much of a layer is laid on each cell. */
#include "device/prelude.cl"
#include "steps/layer/laying_cell.h"

__kernel void laying_amounts(__global const float *restrict surface, __global const float *restrict image,
                             __global const float *restrict mask, __global const float *restrict noise,
                             __global float *restrict made, rvi_laying_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < law.width)
        made[(size_t)y * (size_t)law.width + (size_t)x] =
            rvi_laying_amount(&law, surface, image, mask, noise, x, y);
}
