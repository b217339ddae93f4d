/* virtual_round.cl: a round of virtual_pipes.c on a device. */
#include "device/prelude.cl"
#include "steps/pipes/pipe_ground.h"
#include "steps/pipes/virtual_cell.h"

#define NET_ARGS                                                                                   \
    __global const float *restrict bed, __global const float *restrict change,                    \
        __global const float *restrict depth, __global const float *restrict source,              \
        __global float *to_east, __global float *to_south, __global float *to_west,               \
        __global float *to_north, rvi_pipe_shape shape, rvi_pipe_rules r, rvi_virtual_law law
#define NET                                                                                        \
    { &law, &r, bed, change, depth, source, {to_east, to_south, to_west, to_north}, shape.width,   \
      shape.height, shape.stride }

/* The pipes take up the flux of the other model, which pipe_begin has found in the velocity. */
__kernel void virtual_begin(NET_ARGS, __global const float *restrict east, __global const float *restrict south) {
    const rvi_virtual_net f = NET;
    int x = (int)get_global_id(0) + 1, y = (int)get_global_id(1) + 1;
    size_t i = (size_t)y * (size_t)shape.stride + (size_t)x;
    if (x > shape.width)
        return;
    f.out[RVI_TO_EAST][i] = r.cell * rvi_pipe_positive(east[i]);
    f.out[RVI_TO_SOUTH][i] = r.cell * rvi_pipe_positive(south[i]);
    f.out[RVI_TO_WEST][i] = r.cell * rvi_pipe_positive(-east[i - 1]);
    f.out[RVI_TO_NORTH][i] = r.cell * rvi_pipe_positive(-south[i - (size_t)shape.stride]);
}

__kernel void virtual_push(NET_ARGS) {
    const rvi_virtual_net f = NET;
    int x = (int)get_global_id(0) + 1, y = (int)get_global_id(1) + 1;
    if (x <= shape.width)
        rvi_virtual_push(&f, x, y);
}

/* A column of a block an item. */
__kernel void virtual_cells(NET_ARGS, __global const float *restrict sediment,
                            __global float *restrict change_to, __global float *restrict depth_to,
                            __global float *restrict sediment_to, __global float *restrict rest,
                            __global float *restrict deposited, __global float *restrict flow,
                            __global float *restrict east, __global float *restrict south,
                            __global const float *restrict mask, __global const float *restrict factor,
                            __global rvi_pipe_column *restrict columns, __global uint *restrict most,
                            __local uint *group_most, int same, GROUND_ARGS) {
    const rvi_virtual_net f = NET;
    const pipe_ground ground = GROUND;
    const int x = (int)get_global_id(0) + 1, block = (int)get_global_id(1);
    const int first = block * RVI_PIPE_ROWS + 1;
    const int end = x > shape.width ? first : rvi_mini(first + RVI_PIPE_ROWS, shape.height + 1);
    float deepest = 0.0f, fastest = 0.0f;
    for (int y = first; y < end; y++) {
        size_t i = (size_t)y * (size_t)shape.stride + (size_t)x;
        size_t cell = (size_t)(y - 1) * (size_t)shape.width + (size_t)(x - 1);
        rvi_pipe_state now = rvi_virtual_cell(&f, i, rest[i], sediment[i]);
        float take = now.take * (factor ? factor[i] : 1.0f), lay = now.lay * (mask ? mask[i] : 1.0f);
        float before = change[i], moved = 0.0f;
        if (stack && !same) { /* with `same` pipe_parts takes and lays it */
            moved = move_layers(&ground, i, cell, take, lay, now.sediment);
        } else if (!same) {
            take *= rock_at(&ground, i, bed[i] + before);
            moved = rvi_pipe_ground(before, lay - take, now.sediment) - before;
        }
        depth_to[i] = now.depth;
        rest[i] = now.rest;
        change_to[i] = !same ? before + moved : take > 0.0f ? -take : lay;
        sediment_to[i] = now.sediment - moved;
        deposited[i] += rvi_pipe_positive(moved);
        __global rvi_pipe_column *column = &columns[(size_t)block * (size_t)shape.stride + (size_t)x];
        column->laid += (double)rvi_pipe_positive(moved); /* 0 with `same` */
        column->taken += (double)rvi_pipe_positive(-moved);
        column->evaporated += (double)now.evaporated;
        deepest = rvi_maxf(deepest, now.depth);
        if (now.depth > 0.001f)
            fastest = rvi_maxf(fastest, now.speed);
        flow[i] += r.share * rvi_virtual_out_of(&f, i) * r.per_cell;
        east[i] = rvi_virtual_east(&f, i, x);
        south[i] = rvi_virtual_to(&f, i, RVI_TO_SOUTH);
        if (x == 1)
            east[i - 1] = -rvi_virtual_to(&f, i, RVI_TO_WEST);
        if (y == 1)
            south[i - (size_t)shape.stride] = -rvi_virtual_to(&f, i, RVI_TO_NORTH);
        if (y + 1 == end && !same)
            column->held += column->taken - column->laid;
    }
    find_most(group_most, most, deepest);
    barrier(CLK_LOCAL_MEM_FENCE);
    find_most(group_most, most + 1, fastest);
}
