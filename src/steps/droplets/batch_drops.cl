/* batch_drops.cl: rounds of drop_batch.c on a device. */
#include "device/prelude.cl"
#include "steps/droplets/batch_trace.h"
#include "steps/droplets/drop_apron.h"

/* The land as it is becomes the ground under the drops. */
__kernel void batch_fill(__global const float *restrict surface, __global int *restrict ground, rvi_drop_apron a,
                         rvi_batch_rules r) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < r.width)
        ground[rvi_batch_at(&r, x, y)] =
            rvi_batch_fixed(&r, rvi_drop_apron_height(&a, surface, x, y));
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

/* What makes a move: a crew, of which there may be several in a group. */
#define MOVE_ARGS                                                                                  \
        __global rvi_batch_slot *slots, __global const int *ground, __global int *change, __global uint *laid,\
        __global uint *flow, __global uint *crowd, ulong now, ulong next, __global uint *ended,    \
        __global const float *factor, __global const float *mask, __global const uint *rain_cells, \
        __global const ulong *rain_rows, BEDROCK_ARGS, rvi_batch_round t, rvi_batch_rules r, __local uint *sums,                 \
        __local float *felt, int felt_rows

/* A slot a crew; those that are too many do nothing. What is known of the ground by its height alone
 * takes so many registers that bare ground has kernels of its own. */
static inline void move(MOVE_ARGS, const int group, const int columns, const int rows, const bool bare) {
    rvi_batch_grids g;
    g.ground = ground;
    g.change = change;
    g.laid = laid;
    g.flow = flow;
    g.crowd = crowd + now;
    g.crowd_next = crowd + next;
    g.ended = ended;
    g.factor = factor;
    g.mask = mask;
    g.rain_cells = rain_cells;
    g.rain_rows = rain_rows;
    const bedrock_grids rock = BEDROCK;
    g.bedrock = rock;
    g.bare = bare;
    const int count = columns * rows, crew = (int)get_local_id(0) / count;
    ulong slot = (ulong)get_group_id(0) * (ulong)(group / count) + (ulong)crew;
    g.crew.count = count;
    g.crew.item = (int)get_local_id(0) % count;
    g.crew.x = g.crew.item % columns;
    g.crew.y = g.crew.item / columns;
    g.crew.columns = columns;
    g.crew.rows = rows;
    g.crew.sums = sums + crew * RVI_BATCH_MEETINGS;
    g.crew.felt = felt + crew * 16 * felt_rows;
    g.crew.felt_rows = felt_rows;
    rvi_batch_move(&g, &r, &t, slots + (slot < r.slots ? slot : 0), slot < r.slots);
}

#define MOVE(name, group, columns, rows, bare)                                                         \
    __kernel __attribute__((reqd_work_group_size(group, 1, 1))) void name(MOVE_ARGS) {             \
        move(slots, ground, change, laid, flow, crowd, now, next, ended, factor, mask,             \
             rain_cells, rain_rows, bands, bedrock, samples, t, r, sums, felt, felt_rows, group, columns,\
             rows, bare);                                                                          \
    }
MOVE(batch_bare_narrow, RVI_BATCH_NARROW, RVI_BATCH_NARROW_COLUMNS, 1, true)
MOVE(batch_bare_wide, RVI_BATCH_WIDE, RVI_BATCH_WIDE_COLUMNS, RVI_BATCH_WIDE_COLUMNS, true)
MOVE(batch_rock_narrow, RVI_BATCH_NARROW, RVI_BATCH_NARROW_COLUMNS, 1, false)
MOVE(batch_rock_wide, RVI_BATCH_WIDE, RVI_BATCH_WIDE_COLUMNS, RVI_BATCH_WIDE_COLUMNS, false)

/* What the drops of a round have done becomes part of the ground; the blocks are empty again. */
__kernel void batch_settle(__global int *restrict ground, __global int *restrict change, ulong count,
                           __global uint *restrict crowd, ulong now, ulong blocks) {
    size_t i = get_global_id(0);
    int by = i < count ? change[i] : 0;
    if (by != 0) {
        ground[i] += by;
        change[i] = 0;
    }
    if (i < blocks)
        crowd[now + i] = 0;
}

__kernel void batch_show(__global const float *restrict before, __global const int *restrict ground,
                         __global float *restrict surface, rvi_batch_rules r) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)r.land_width + (size_t)x;
    if (x < r.land_width)
        surface[i] =
            rvi_batch_shown(&r, before[i], ground[rvi_batch_at(&r, x + r.margin, y + r.margin)]);
}

__kernel void batch_leave(__global const float *restrict before, __global const int *restrict ground,
                          __global const uint *restrict laid, __global const uint *restrict flow,
                          __global float *restrict flow_to, __global float *restrict eroded,
                          __global float *restrict deposited, __global float *restrict rest, rvi_batch_rules r,
                          double by) {
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
}

/* Some of the slots an item. */
__kernel void batch_sums(__global const rvi_batch_slot *slots, __global rvi_batch_sums *sums,
                         rvi_batch_rules r) {
    size_t item = get_global_id(0);
    for (size_t k = item; item < RVI_BATCH_SUMS && k < r.slots; k += RVI_BATCH_SUMS)
        rvi_batch_sum(&r, slots + k, sums + item);
}
