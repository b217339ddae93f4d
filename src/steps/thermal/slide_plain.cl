/* slide_plain.cl: a round of thermal.c on a device, where there is one layer and nothing that holds
 * it back. A cell an item; grids have a ring of one cell around the map. */
#include "device/prelude.cl"
#include "steps/thermal/slide_cell.h"
#include "wear/border.h"

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
__kernel void slide_round(__global const float *restrict h, __global float *restrict next, __global double *restrict off,
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

/* Before the rounds, on the map and its ring: the land as it was, in whole quanta. On the ring it
 * goes on at the slope of its edge, but not beyond twice the relief. */
__kernel void slide_fill(__global const float *restrict land, __global float *restrict before, __global float *restrict h,
                         __global float *restrict next, int width, int height, float lowest, float highest,
                         double quantum) {
    int x = (int)get_global_id(0) - 1, y = (int)get_global_id(1) - 1;
    if (x > width)
        return;
    size_t i = (size_t)(y + 1) * (size_t)(width + 2) + (size_t)(x + 1);
    size_t cell = (size_t)y * (size_t)width + (size_t)x;
    bool outside = x < 0 || y < 0 || x == width || y == height;
    float value;
    if (outside) {
        size_t edge = (size_t)rvi_border_nearest(y, height) * (size_t)width +
                      (size_t)rvi_border_nearest(x, width);
        size_t inside = (size_t)rvi_border_mirrored(y, height) * (size_t)width +
                        (size_t)rvi_border_mirrored(x, width);
        float relief = highest - lowest;
        value = rvi_clampf(rvi_border_beyond(rvi_slide_snapped(land[edge], quantum),
                                             rvi_slide_snapped(land[inside], quantum)),
                           lowest - relief, highest + relief);
    } else {
        value = land[cell];
        before[cell] = value;
    }
    value = rvi_slide_snapped(value, quantum);
    h[i] = value;
    next[i] = value;
}

__kernel void slide_show(__global const float *restrict before, __global const float *restrict h,
                         __global float *restrict land, int width, double quantum) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width)
        return;
    size_t cell = (size_t)y * (size_t)width + (size_t)x;
    size_t i = (size_t)(y + 1) * (size_t)(width + 2) + (size_t)(x + 1);
    land[cell] = rvi_slide_bedrock((double)h[i], before[cell], quantum);
}

/* What the cells won and lost; a lane of a row an item. */
__kernel void slide_count(__global const float *restrict land, __global const float *restrict before,
                          __global const float *restrict h, __global float *restrict eroded,
                          __global float *restrict deposited, __global rvi_slide_tally *restrict tallies, int width,
                          int height, double quantum) {
    int lane = (int)get_global_id(0), y = (int)get_global_id(1);
    if (lane >= RVI_SLIDE_LANES)
        return;
    rvi_slide_tally sum = {0.0, 0.0, 0.0};
    for (int x = lane; x < width; x += RVI_SLIDE_LANES) {
        size_t cell = (size_t)y * (size_t)width + (size_t)x;
        size_t i = (size_t)(y + 1) * (size_t)(width + 2) + (size_t)(x + 1);
        double moved = (double)h[i] - (double)rvi_slide_snapped(before[cell], quantum);
        rvi_slide_tally t = rvi_slide_count(before[cell], land[cell], moved);
        sum.eroded += t.eroded;
        sum.deposited += t.deposited;
        sum.rounded += t.rounded;
        eroded[cell] += (float)t.eroded;
        deposited[cell] += (float)t.deposited;
    }
    tallies[(size_t)y * RVI_SLIDE_LANES + (size_t)lane] = sum;
}
