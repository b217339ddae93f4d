/* batch_crew.h: the kernels that move the drops of a step with order=batch (batch_device.c). The
 * .cl file of the step has, after prelude.cl and this, BATCH_KERNELS(law, move): the type of its
 * law, and its function, which is that of the processor. */
#ifndef RVI_WEAR_BATCH_CREW_H
#define RVI_WEAR_BATCH_CREW_H

#include "wear/batch_cell.h"

#ifdef __OPENCL_VERSION__

#define BATCH_ARGS                                                                                 \
    __global rvi_batch_slot *slots, __global const int *ground, __global int *change,              \
        __global uint *laid, __global uint *flow, __global uint *crowd, ulong now, ulong next,     \
        __global uint *ended, __global const float *factor, __global const float *mask,            \
        __global const uint *rain_cells, __global const ulong *rain_rows, BEDROCK_ARGS,            \
        __global const int *depth, __global const float *soft, rvi_batch_round t,                  \
        rvi_batch_rules r
#define BATCH_LOCALS __local uint *sums, __local float *felt, int felt_rows

/* A slot a crew, of which there may be several in a group; those that are too many do nothing. What
 * is known of the ground by its height alone takes so many registers that bare ground has kernels
 * of its own. */
#define BATCH_CREW(law_type, move)                                                                 \
    static inline void move_crew(BATCH_ARGS, law_type law, BATCH_LOCALS, const int group,          \
                                 const int columns, const int rows, const bool bare) {             \
        rvi_batch_grids g;                                                                         \
        g.ground = ground;                                                                         \
        g.change = change;                                                                         \
        g.laid = laid;                                                                             \
        g.flow = flow;                                                                             \
        g.crowd = crowd + now;                                                                     \
        g.crowd_next = crowd + next;                                                               \
        g.ended = ended;                                                                           \
        g.factor = factor;                                                                         \
        g.mask = mask;                                                                             \
        g.rain_cells = rain_cells;                                                                 \
        g.rain_rows = rain_rows;                                                                   \
        g.depth = depth;                                                                           \
        g.soft = soft;                                                                             \
        const bedrock_grids rock = BEDROCK;                                                        \
        g.bedrock = rock;                                                                          \
        g.bare = bare;                                                                             \
        const int count = columns * rows, crew = (int)get_local_id(0) / count;                     \
        ulong slot = (ulong)get_group_id(0) * (ulong)(group / count) + (ulong)crew;                \
        g.crew.count = count;                                                                      \
        g.crew.item = (int)get_local_id(0) % count;                                                \
        g.crew.x = g.crew.item % columns;                                                          \
        g.crew.y = g.crew.item / columns;                                                          \
        g.crew.columns = columns;                                                                  \
        g.crew.rows = rows;                                                                        \
        g.crew.sums = sums + crew * RVI_BATCH_MEETINGS;                                            \
        g.crew.felt = felt + crew * 16 * felt_rows;                                                \
        g.crew.felt_rows = felt_rows;                                                              \
        move(&g, &r, &law, &t, slots + (slot < r.slots ? slot : 0), slot < r.slots);               \
    }

#define BATCH_KERNEL(name, law_type, group, columns, rows, bare)                                   \
    __kernel __attribute__((reqd_work_group_size(group, 1, 1))) void name(                         \
        BATCH_ARGS, law_type law, BATCH_LOCALS) {                                                  \
        move_crew(slots, ground, change, laid, flow, crowd, now, next, ended, factor, mask,        \
                  rain_cells, rain_rows, bands, bedrock, samples, depth, soft, t, r, law, sums,    \
                  felt, felt_rows, group, columns, rows, bare);                                    \
    }

#define BATCH_KERNELS(law_type, move)                                                              \
    BATCH_CREW(law_type, move)                                                                     \
    BATCH_KERNEL(batch_bare_narrow, law_type, RVI_BATCH_NARROW, RVI_BATCH_NARROW_COLUMNS, 1, true) \
    BATCH_KERNEL(batch_bare_wide, law_type, RVI_BATCH_WIDE, RVI_BATCH_WIDE_COLUMNS,                \
                 RVI_BATCH_WIDE_COLUMNS, true)                                                     \
    BATCH_KERNEL(batch_rock_narrow, law_type, RVI_BATCH_NARROW, RVI_BATCH_NARROW_COLUMNS, 1,       \
                 false)                                                                            \
    BATCH_KERNEL(batch_rock_wide, law_type, RVI_BATCH_WIDE, RVI_BATCH_WIDE_COLUMNS,                \
                 RVI_BATCH_WIDE_COLUMNS, false)

#endif
#endif
