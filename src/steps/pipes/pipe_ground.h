/* pipe_ground.h: what the kernels of pipes.c share: the layers and bands of the ground, and the
 * most of all items. OpenCL C. */
#ifndef RVI_STEPS_PIPES_PIPE_GROUND_H
#define RVI_STEPS_PIPES_PIPE_GROUND_H

#include "steps/pipes/pipe_grid.h"
#include "terrain/layer_cell.h"
#include "wear/bedrock_cell.h"

#ifdef __OPENCL_VERSION__

/* The largest of what all items found, as bits: what is not below 0 keeps its order. */
static void find_most(__local uint *most, __global uint *to, float mine) {
    if (get_local_id(0) == 0)
        *most = 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(most, rvi_bits_of_float(mine));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && *most > 0u)
        atomic_max(to, *most);
}

/* ---- layers, and bedrock that has bands ---- */

typedef struct pipe_ground {
    __global float *stack; /* thickness of layer l at l * cells; 0: there is bedrock alone */
    bedrock_grids bedrock;
    __global const float *yields; /* of each layer */
    size_t cells;
    int layers;
} pipe_ground;

#define GROUND_ARGS                                                                                \
    __global float *stack, BEDROCK_ARGS, __global const float *restrict yields, int layers
#define GROUND                                                                                     \
    { stack, BEDROCK, yields, (size_t)shape.width *(size_t)shape.height, layers }

/* Of bedrock that ends at height `top`. */
static float rock_at(const pipe_ground *g, size_t i, float top) {
    return bedrock_soft(&g->bedrock, i, top);
}

/* give=same: what the sediment is made of, layer l at l * spacing. */
typedef struct part_grids {
    __global float *parts; /* 0: nobody asks */
    size_t spacing;
} part_grids;

/* Takes from the layers of a cell from the top, to the parts: rvi_layers_take(). */
static float take_layers(const pipe_ground *g, size_t i, size_t cell, float want,
                         const part_grids *to) {
    float taken = 0.0f;
    for (int l = g->layers - 1; l >= 0 && want > 0.0f; l--) {
        __global float *layer = &g->stack[(size_t)l * g->cells + cell];
        float there = *layer;
        if (l > 0 && there <= 0.0f)
            continue;
        float loss = want * g->yields[l];
        if (l == 0)
            loss *= rock_at(g, i, there);
        float now = rvi_layer_used_up(&want, loss, there, l == 0) ? 0.0f : there - loss;
        taken += there - now;
        *layer = now;
        if (to->parts)
            to->parts[(size_t)l * to->spacing + i] += there - now;
    }
    return taken;
}

/* Takes from or lays on the layers of a cell; returns by how much the ground rose. */
static float move_layers(const pipe_ground *g, size_t i, size_t cell, float take, float lay,
                         float sediment) {
    const part_grids none = {0, 0};
    if (take > 0.0f)
        return -take_layers(g, i, cell, take, &none);
    __global float *top = &g->stack[(size_t)(g->layers - 1) * g->cells + cell];
    float before = *top, after = rvi_pipe_ground(before, lay, sediment);
    *top = after;
    return after - before;
}

#endif
#endif
