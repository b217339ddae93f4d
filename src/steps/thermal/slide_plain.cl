/* slide_plain.cl: rounds of thermal.c on a device, where there is one layer and nothing that holds
 * it back. Grids have a ring of one cell around the map. */
#include "device/prelude.cl"
#include "device/device_group.h"
#include "steps/thermal/slide_cell.h"
#include "wear/border.h"

/* A cell, y, and those west and east of it, x and z: a struct of its own is not for arrays, for one compiler
 * (NVIDIA 580) loses what is copied from one to another. */
typedef float3 trio;

/* What a cell of the edge loses to its neighbours one after the other. What leaves the map is added to its place
 * in `off`, if that is not NULL. */
static float edge_loss(trio n, trio c, trio s, int x, int y, int width, int height, const rvi_slide_law *k,
                       __global double *off) {
    const float near[RVI_DIRECTIONS] = {c.z, c.x, s.y, n.y, s.z, n.x, s.x, n.z};
    uint inside = k->directions & rvi_slide_on_map(x, y, width, height);
    int place = y == 0 ? x : y == height - 1 ? width + x : 2 * width + (x ? height : 0) + y;
    float lost = 0.0f;
    double left = 0.0;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
        float rate = dir >= RVI_SE ? k->rate_across : k->rate;
        float limit = dir >= RVI_SE ? k->limit_across : k->limit;
        float fall = c.y - near[dir];
        if (inside & 1u << dir) {
            lost += rvi_slide_net(fall, rate, limit, k->magic);
        } else if (k->off_directions & 1u << dir) {
            float out = rvi_slide_round(rate * rvi_slide_excess(fall, limit), k->magic);
            lost += out;
            left += (double)out;
        }
    }
    if (off)
        off[place] += left;
    return lost;
}

static float inner_loss(trio n, trio c, trio s, const rvi_slide_law *k) {
    float lost = rvi_slide_net4(c.y, c.x, c.z, n.y, s.y, k->rate, k->limit, k->magic);
    if (k->directions == RVI_ALL_DIRECTIONS)
        lost += rvi_slide_net4(c.y, n.x, s.z, n.z, s.x, k->rate_across,
                               k->limit_across, k->magic);
    return lost;
}

static float height_at(__global const float *h, int x, int y, int width, int height) {
    bool there = x >= -1 && x <= width && y >= -1 && y <= height;
    return there ? h[(size_t)(y + 1) * (size_t)(width + 2) + (size_t)(x + 1)] : 0.0f;
}

/* Up to RVI_SLIDE_AT_ONCE rounds, in one reading of the map. A group goes down its columns of some rows: with
 * each row that it reads, round t goes on by one row, two rows behind round t - 1. Those of its columns that lie
 * next to others' are theirs, too, and only they write them. Each cell of the edge has its own place in `off`. */
__kernel __attribute__((reqd_work_group_size(RVI_DEVICE_GROUP, 1, 1))) void
slide_rounds(__global const float *restrict h, __global float *restrict next, __global double *restrict off,
             __local float *shared, int width, int height, rvi_slide_law k, int rounds, int rows) {
    enum { T = RVI_SLIDE_AT_ONCE, G = RVI_DEVICE_GROUP };
    const int lane = (int)get_local_id(0), stride = width + 2;
    const int x = (int)get_group_id(0) * (G - 2 * T) + lane - T;
    const int first = (int)get_global_id(1) * rows, end = rvi_mini(first + rows, height);
    const bool own = lane >= T && lane < G - T && x < width;
    const bool inner = x > 0 && x < width - 1;
    const int west = rvi_maxi(lane - 1, 0), east = rvi_mini(lane + 1, G - 1);
    const trio none = (trio)(0.0f, 0.0f, 0.0f);
    trio north[T], middle[T];
    float value[T];
    for (int t = 0; t < T; t++) {
        north[t] = middle[t] = none;
        value[t] = 0.0f;
    }
    float ahead = height_at(h, x, first - T, width, height);
    for (int y = first - T; y < end + 2 * T - 1; y++) {
        __local float *row = shared + (y & 1) * T * G;
        value[0] = ahead;
        ahead = height_at(h, x, y + 1, width, height);
        for (int t = 0; t < T; t++)
            row[t * G + lane] = value[t];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int t = T - 1; t >= 0; t--) {
            const int at = y - 2 * t - 1;
            trio south = (trio)(row[t * G + west], value[t], row[t * G + east]);
            float now = middle[t].y;
            if (t >= rounds)
                ;
            else if (inner && (uint)(at - 1) < (uint)(height - 2))
                now -= inner_loss(north[t], middle[t], south, &k);
            else if (x >= 0 && x < width && at >= 0 && at < height)
                now -= edge_loss(north[t], middle[t], south, x, at, width, height, &k,
                                 own && at >= first && at < end ? off : NULL);
            north[t] = middle[t];
            middle[t] = south;
            if (t < T - 1)
                value[t + 1] = now;
            else if (own && at >= first && at < end)
                next[(size_t)(at + 1) * (size_t)stride + (size_t)(x + 1)] = now;
        }
    }
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
