/* slide_plain.cl: a round of thermal.c on a device, where there is one layer and nothing that holds
 * it back. A cell an item; grids have a ring of one cell around the map. */
#include "device/prelude.cl"
#include "steps/thermal/slide_cell.h"

/* Loses to its neighbours one after the other; what leaves the map is added to *off. */
static float edge_loss(__global const float *c, int stride, int x, int y, int width, int height,
                       rvi_slide_law k, __global double *off) {
    const int step[RVI_DIRECTIONS] = {1,          -1,          stride,     -stride,
                                      stride + 1, -stride - 1, stride - 1, 1 - stride};
    uint inside = k.directions & rvi_slide_on_map(x, y, width, height);
    float lost = 0.0f;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
        float rate = dir >= RVI_SE ? k.rate_across : k.rate;
        float limit = dir >= RVI_SE ? k.limit_across : k.limit;
        float fall = c[0] - c[step[dir]];
        if (inside & 1u << dir) {
            lost += rvi_slide_net(fall, rate, limit, k.magic);
        } else if (k.off_directions & 1u << dir) {
            float out = rvi_slide_round(rate * rvi_slide_excess(fall, limit), k.magic);
            lost += out;
            *off += (double)out;
        }
    }
    return lost;
}

/* Each cell of the edge has its own place in `off`. */
__kernel void slide_round(__global const float *h, __global float *next, __global double *off,
                          int width, int height, rvi_slide_law k) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width)
        return;
    int stride = width + 2;
    size_t i = (size_t)(y + 1) * (size_t)stride + (size_t)(x + 1);
    __global const float *c = h + i, *n = c - stride, *d = c + stride;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        int place = y == 0 ? x : y == height - 1 ? width + x : 2 * width + (x ? height : 0) + y;
        next[i] = c[0] - edge_loss(c, stride, x, y, width, height, k, off + place);
        return;
    }
    float lost = rvi_slide_net4(c[0], c[-1], c[1], n[0], d[0], k.rate, k.limit, k.magic);
    if (k.directions == RVI_ALL_DIRECTIONS)
        lost += rvi_slide_net4(c[0], n[-1], d[1], n[1], d[-1], k.rate_across, k.limit_across,
                               k.magic);
    next[i] = c[0] - lost;
}
