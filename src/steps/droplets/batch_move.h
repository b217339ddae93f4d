/* batch_move.h: what the kernels of batch_drops.cl and batch_crew.cl that make a move are given.
 * OpenCL C. */
#ifndef RVI_STEPS_DROPLETS_BATCH_MOVE_H
#define RVI_STEPS_DROPLETS_BATCH_MOVE_H

#include "steps/droplets/batch_cell.h"

#ifdef __OPENCL_VERSION__

#define MOVE_ARGS                                                                                  \
    __global rvi_batch_slot *slots, __global const int *ground, __global int *change,              \
        __global uint *laid, __global uint *flow, __global uint *crowd, ulong now, ulong next,     \
        __global uint *ended, __global const float *factor, __global const float *mask,            \
        __global const uint *rain_cells, __global const ulong *rain_rows,                          \
        __global const float *bands, __global const float *table, float thickness,                 \
        rvi_batch_round t, rvi_batch_rules r
#define MOVE_GRIDS(g)                                                                              \
    rvi_batch_grids g;                                                                             \
    g.ground = ground;                                                                             \
    g.change = change;                                                                             \
    g.laid = laid;                                                                                 \
    g.flow = flow;                                                                                 \
    g.crowd = crowd + now;                                                                         \
    g.crowd_next = crowd + next;                                                                   \
    g.ended = ended;                                                                               \
    g.factor = factor;                                                                             \
    g.mask = mask;                                                                                 \
    g.rain_cells = rain_cells;                                                                     \
    g.rain_rows = rain_rows;                                                                       \
    g.bands.at = bands;                                                                            \
    g.bands.table = table;                                                                         \
    g.bands.thickness = thickness

#endif
#endif
