/* noise_map.cl: noise_map.c on a device, a cell an item. */
#include "device/prelude.cl"
#include "wear/noise_cell.h"

static float look_sparse(__constant rvi_noise *n, ulong key, rvi_lattice_place at) {
    const float shrink = 1 / (RVI_SPARSE_REACH * RVI_SPARSE_REACH);
    float sum[4] = {0, 0, 0, 0};
    for (int row = -1; row <= 1; row++)
        for (int column = -1; column <= 1; column++) {
            rvi_sparse_point p = rvi_noise_point(key, at.left, at.top, column, row);
            float dx = at.x - p.x, dy = at.y - p.y;
            float near = rvi_maxf(1 - (dx * dx + dy * dy) * shrink, 0);
            near *= near;
            sum[column + 1] += near * near * (n->gradients[p.gradient][0] * dx +
                                              n->gradients[p.gradient][1] * dy);
        }
    return RVI_SPARSE_SCALE * ((sum[0] + sum[2]) + (sum[1] + sum[3]));
}

static float look(__constant rvi_noise *n, __constant rvi_octave *o, int basis, double px,
                  double py) {
    rvi_lattice_place at = rvi_noise_place(o->turn_x, o->turn_y, o->shift_x, o->shift_y, px, py);
    if (basis == RVI_NOISE_SPARSE)
        return look_sparse(n, o->key, at);
    float v[4];
    for (int k = 0; k < 4; k++) {
        ulong bits = rvi_noise_corner(o->key, at.left, at.top, k);
        if (basis == RVI_NOISE_PERLIN)
            v[k] = rvi_noise_slope(n->gradients[bits >> 58][0], n->gradients[bits >> 58][1], at.x,
                                   at.y, k);
        else
            v[k] = 2 * rvi_unit(bits) - 1;
    }
    float value = rvi_noise_between(v[0], v[1], v[2], v[3], at.x, at.y);
    return basis == RVI_NOISE_PERLIN ? value * RVI_GRADIENT_SCALE : value;
}

static float bend(__constant rvi_noise *n, int axis, double px, double py) {
    float by = 0;
    for (int o = 0; o < RVI_WARP_OCTAVES; o++)
        by += n->warps[axis][o].height * look(n, &n->warps[axis][o], n->warp_basis, px, py);
    return n->warp * by;
}

__kernel void noise_cells(__constant rvi_noise *n, __global float *restrict made, int first) {
    int x = (int)get_global_id(0), y = first + (int)get_global_id(1);
    if (x >= n->width)
        return;
    double px = (double)x * n->step_x, py = (double)y * n->step_y, bx = 0, by = 0;
    if (n->warp > 0) {
        bx = (double)bend(n, 0, px, py);
        by = (double)bend(n, 1, px, py);
    }
    float weight = 1, sum = 0;
    for (int i = 0; i < n->count; i++) {
        __constant rvi_octave *o = &n->octaves[i];
        float value = look(n, o, n->basis, px + o->bent * bx, py + o->bent * by);
        sum += rvi_noise_add(n->shape, o->height, o->crease, value, &weight);
    }
    made[(size_t)y * (size_t)n->width + (size_t)x] = sum;
}
