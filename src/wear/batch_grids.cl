/* batch_grids.cl: what rounds of drop_batch.c do on a device beside moving drops. */
#include "device/prelude.cl"
#include "wear/batch_trace.h"
#include "wear/drop_apron.h"

/* The land as it is becomes the ground under the drops. */
__kernel void batch_fill(__global const float *restrict surface, __global int *restrict ground, rvi_drop_apron a,
                         rvi_batch_rules r) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < r.width)
        ground[rvi_batch_at(&r, x, y)] =
            rvi_batch_fixed(&r, rvi_drop_apron_height(&a, surface, x, y));
}

__kernel void batch_fill_layer(__global const float *restrict thickness, __global float *restrict before,
                               __global int *restrict depth, int layer, rvi_batch_rules r) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= r.land_width)
        return;
    size_t i = (size_t)y * (size_t)r.land_width + (size_t)x, cells = rvi_batch_map(&r);
    before[(size_t)layer * cells + i] = thickness[i];
    if (layer > 0)
        depth[(size_t)(layer - 1) * cells + i] = rvi_batch_deep(&r, thickness[i]);
}

/* The first drop of each slot. */
__kernel void batch_begin(__global rvi_batch_slot *slots, __global uint *crowd, ulong next,
                          __global uint *ended, __global const uint *rain_cells,
                          __global const ulong *rain_rows, rvi_batch_round t, rvi_batch_rules r) {
    size_t k = get_global_id(0);
    rvi_batch_grids g;
    g.crowd_next = crowd + next;
    g.ended = ended;
    g.rain_cells = rain_cells;
    g.rain_rows = rain_rows;
    if (k < r.slots)
        rvi_batch_begin(&g, &r, &t, slots + k, k);
}

/* What the drops of a round have done to layers. */
__kernel void batch_settle_layers(__global const int *restrict change, __global int *restrict depth,
                                  rvi_batch_rules r) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= r.land_width)
        return;
    int by = change[rvi_batch_at(&r, x + r.margin, y + r.margin)];
    if (by != 0)
        rvi_batch_settle(&r, depth, rvi_batch_cell(&r, x + r.margin, y + r.margin), by);
}

/* What the drops of a round have done becomes part of the ground; the blocks are empty again. Four cells an item,
 * and both grids are read at once: memory would wait for items that read one number after the other. */
__kernel void batch_settle(__global int *restrict ground, __global int *restrict change, ulong count,
                           __global uint *restrict crowd, ulong now, ulong blocks) {
    const size_t item = get_global_id(0), i = RVI_BATCH_SETTLED * item;
    if (i + RVI_BATCH_SETTLED <= count) {
        __global int4 *four = (__global int4 *)change + item, *under = (__global int4 *)ground + item;
        const int4 by = *four, was = *under;
        if ((by.x | by.y | by.z | by.w) != 0) {
            *under = was + by;
            *four = (int4)(0, 0, 0, 0);
        }
    } else {
        for (size_t k = i; k < count; k++) {
            ground[k] += change[k];
            change[k] = 0;
        }
    }
    if (item < blocks)
        crowd[now + item] = 0;
}

__kernel void batch_show(__global const float *restrict before, __global const int *restrict ground,
                         __global float *restrict surface, rvi_batch_rules r) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)r.land_width + (size_t)x;
    if (x < r.land_width)
        surface[i] =
            rvi_batch_shown(&r, before[i], ground[rvi_batch_at(&r, x + r.margin, y + r.margin)]);
}

__kernel void batch_show_layer(__global const float *restrict before, __global const int *restrict ground,
                               __global const float *restrict under, __global const int *restrict depth,
                               __global float *restrict thickness, int layer, rvi_batch_rules r) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= r.land_width)
        return;
    size_t i = (size_t)y * (size_t)r.land_width + (size_t)x;
    const rvi_batch_stack stack = {under, depth};
    int change = ground[rvi_batch_at(&r, x + r.margin, y + r.margin)] - rvi_batch_fixed(&r, before[i]);
    thickness[i] = rvi_batch_layer_shown(&r, &stack, i, layer, change);
}

__kernel void batch_leave(__global const float *restrict before, __global const int *restrict ground,
                          __global const uint *restrict laid, __global const uint *restrict flow,
                          __global float *restrict flow_to, __global float *restrict eroded,
                          __global float *restrict deposited, __global float *restrict rest,
                          __global const float *restrict under, __global const int *restrict depth,
                          rvi_batch_rules r, double by) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= r.land_width)
        return;
    size_t i = (size_t)y * (size_t)r.land_width + (size_t)x;
    size_t g = rvi_batch_at(&r, x + r.margin, y + r.margin);
    const rvi_batch_trace t =
        rvi_batch_trace_of(&r, before[i], ground[g], rvi_batch_long(laid, g),
                           rvi_batch_long(flow, g), rvi_batch_flow_unit(&r), by);
    flow_to[i] += t.flow;
    eroded[i] += t.eroded;
    deposited[i] += t.deposited;
    rest[i] = t.rest;
    if (r.layers > 1) {
        const rvi_batch_stack stack = {under, depth};
        int change = ground[g] - rvi_batch_fixed(&r, before[i]);
        rest[i] = rvi_batch_layers_rest(&r, &stack, i, change, by);
    }
}

/* Some of the slots an item. */
__kernel void batch_sums(__global const rvi_batch_slot *slots, __global rvi_batch_sums *sums,
                         rvi_batch_rules r) {
    size_t item = get_global_id(0);
    for (size_t k = item; item < RVI_BATCH_SUMS && k < r.slots; k += RVI_BATCH_SUMS)
        rvi_batch_sum(&r, slots + k, sums + item);
}
