/* drop_run.h: one run of droplets, for the files that share it: droplets.c prepares it and closes
 * its ledger, drop_lanes.c lets the drops run, drop_ground.h is what they do to the ground; with
 * order=batch wear/drop_batch.c does all that, and drop_move.h is a move of a drop.
 */
#ifndef RVI_STEPS_DROPLETS_DROP_RUN_H
#define RVI_STEPS_DROPLETS_DROP_RUN_H

#include "steps/droplets/drop_move.h"
#include "terrain/smooth.h"
#include "wear/brush.h"
#include "wear/drop_batch.h"
#include "wear/drop_ends.h"
#include "wear/drop_rounds.h"
#include "wear/erosion_factor.h"

/* What drops leave on a cell, beside each other because a step of a drop needs both. */
typedef struct trace {
    float flow;      /* water that ran over it */
    float deposited; /* metres of sediment */
} trace;

/* A drop between two rounds; 0 sediment where there is none. */
typedef struct drop {
    float dx, dy, speed, water;
    float came; /* height of the place before */
    double sediment;
    double own; /* of the sediment, what is of the map: only counted by an apron */
    int step;
} drop;

typedef struct tile_result {
    double eroded, deposited, left_map, suspended, raised; /* metres on one cell */
    uint64_t drop_steps;
    rvi_drop_ends ends;
} tile_result;

/* One run of the step. The grids are the map with the apron around it, and a border that no drop
 * enters, into which lanes may reach: cell (x, y) of the map is at (y + off_y) * stride + x +
 * off_x. */
typedef struct rvi_drop_run {
    const rv_droplets_params *p;
    rvi_job *job;
    int width, height; /* of map and apron */
    int margin;
    int border;
    size_t stride, count;
    float *h;
    trace *traces;
    float *before; /* the surface of the terrain when the step began */
    rvi_erosion_factor factor;
    const float *mask; /* of the terrain, or NULL */
    bool layered;
    float relief, floor;
    float steer, pull, min_fall; /* (1 - inertia) / R, gravity / R, min_slope R */
    float radius;                /* in cells */
    float move;                  /* of a drop at a time, in cells */
    float near;                  /* half the width of what it feels and fills: a move, or a cell */
    float apart;                 /* side of the square that a drop stands for, in cells: a move */
    float share;                 /* apart^2: a metre on that square, on one cell */
    int near_reach;              /* cells it may touch beside its own */
    int most_moves;
    rvi_brush brush;
    rvi_rounds rounds;
    bool whole;    /* all drops have run: there was no stop */
    float *change; /* both only for blend > 0 */
    rvi_smoother smoother;
    int leg;              /* steps a drop makes in a round, at most */
    drop *drops;          /* one a slot of the rounds */
    tile_result *results; /* one a tile */
    /* Only with give=same, one for each layer: */
    float *loads;         /* of each slot: what its drop carries of it */
    double *deposited_on; /* of each tile: what was deposited on it, metres on one cell */
    float *fields[3];     /* of the land: flow, eroded, deposited */
    rvi_batch batch;      /* only with order=batch */
    rvi_drop_law law;
} rvi_drop_run;

static RVI_HOT size_t at(const rvi_drop_run *f, int x, int y) {
    return (size_t)(y + f->border) * f->stride + (size_t)(x + f->border);
}

/* The cell of the terrain below a cell of the grid, or SIZE_MAX in the apron. */
static inline size_t land_cell(const rvi_drop_run *f, int x, int y) {
    const rv_terrain *land = f->job->land;
    int lx = x - f->margin, ly = y - f->margin;
    if (lx < 0 || ly < 0 || lx >= land->width || ly >= land->height)
        return SIZE_MAX;
    return (size_t)ly * (size_t)land->width + (size_t)lx;
}

/* Drops of two tiles that may run side by side cannot meet, so it is the same whether they run one
 * after the other or step by step together: each lane runs the drops of a tile of its own. (More
 * lanes than four were slower: their land did not fit into the nearest cache.) */
enum { RVI_DROP_LANES = 4 };

/* Runs the drops of the tiles that it takes as far as they get in a round; the argument is the
 * rvi_drop_run (drop_rounds.h). */
void rvi_drops_run(void *run, rvi_taker *tiles);

#endif
