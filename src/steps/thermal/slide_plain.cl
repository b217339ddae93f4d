/* slide_plain.cl: a round of thermal.c on a device, where there is one layer and nothing that holds
 * it back. Grids have a ring of one cell around the map. */
#include "device/prelude.cl"
#include "steps/thermal/slide_cell.h"
#include "wear/border.h"

/* A cell and those west and east of it. */
typedef struct trio {
    float west, mid, east;
} trio;

static trio three_at(__global const float *h, size_t i) {
    trio t = {h[i - 1], h[i], h[i + 1]};
    return t;
}

/* What a cell of the edge loses to its neighbours one after the other. What leaves the map is added to its place
 * in `off`. */
static float edge_loss(trio n, trio c, trio s, int x, int y, int width, int height, const rvi_slide_law *k,
                       __global double *off) {
    const float near[RVI_DIRECTIONS] = {c.east, c.west, s.mid, n.mid, s.east, n.west, s.west, n.east};
    uint inside = k->directions & rvi_slide_on_map(x, y, width, height);
    int place = y == 0 ? x : y == height - 1 ? width + x : 2 * width + (x ? height : 0) + y;
    float lost = 0.0f;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
        float rate = dir >= RVI_SE ? k->rate_across : k->rate;
        float limit = dir >= RVI_SE ? k->limit_across : k->limit;
        float fall = c.mid - near[dir];
        if (inside & 1u << dir) {
            lost += rvi_slide_net(fall, rate, limit, k->magic);
        } else if (k->off_directions & 1u << dir) {
            float out = rvi_slide_round(rate * rvi_slide_excess(fall, limit), k->magic);
            lost += out;
            off[place] += (double)out;
        }
    }
    return lost;
}

static float loss_between(float from, float to, const rvi_slide_law *k) {
    return rvi_slide_net(from - to, k->rate, k->limit, k->magic);
}

/* rvi_slide_net4(), where `south` is what the cell loses to the south, and `north` what it gains from the north: to
 * the bit minus what it would lose to there. */
static float inner_loss(trio n, trio c, trio s, float north, float south, const rvi_slide_law *k) {
    float lost = (loss_between(c.mid, c.west, k) + loss_between(c.mid, c.east, k)) + (south - north);
    if (k->directions == RVI_ALL_DIRECTIONS)
        lost += rvi_slide_net4(c.mid, n.west, s.east, n.east, s.west, k->rate_across,
                               k->limit_across, k->magic);
    return lost;
}

/* The rows south of those that an item works on: so many are read before it works on any of them. Where the item
 * waits for one after the other, memory waits, too. */
enum { AHEAD = 4 };

/* Some rows of a column an item. Each cell of the edge has its own place in `off`. */
__kernel void slide_round(__global const float *restrict h, __global float *restrict next, __global double *restrict off,
                          int width, int height, rvi_slide_law k, int rows) {
    const int x = (int)get_global_id(0), first = (int)get_global_id(1) * rows;
    const int end = rvi_mini(first + rows, height);
    if (x >= width)
        return;
    const bool inner = x > 0 && x < width - 1;
    const size_t stride = (size_t)width + 2, column = (size_t)(x + 1);
#define ROW(y) ((size_t)((y) + 1) * stride + column)
    trio north = three_at(h, ROW(first - 1)), middle = three_at(h, ROW(first));
    float into = loss_between(north.mid, middle.mid, &k); /* from the row before: found once for both of its cells */
    for (int top = first; top < end; top += AHEAD) {
        float west[AHEAD], mid[AHEAD], east[AHEAD]; /* not structs: a compiler lost copies from arrays of these */
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            const size_t i = ROW(rvi_mini(top + j + 1, end));
            west[j] = h[i - 1];
            mid[j] = h[i];
            east[j] = h[i + 1];
        }
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            const int y = top + j;
            const bool edge = !inner || y == 0 || y == height - 1;
            const trio south = {west[j], mid[j], east[j]};
            const float out = loss_between(middle.mid, south.mid, &k);
            if (y < end)
                next[ROW(y)] = middle.mid - (edge ? edge_loss(north, middle, south, x, y, width, height, &k, off)
                                                  : inner_loss(north, middle, south, into, out, &k));
            into = out;
            north = middle;
            middle = south;
        }
    }
#undef ROW
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
        value = rvi_slide_outside(rvi_border_beyond(rvi_slide_snapped(land[edge], quantum),
                                                    rvi_slide_snapped(land[inside], quantum)),
                                  lowest, highest, quantum);
    } else {
        before[cell] = land[cell];
        value = rvi_slide_snapped(land[cell], quantum);
    }
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
