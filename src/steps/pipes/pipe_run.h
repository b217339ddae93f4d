/* pipe_run.h: what the parts of the step pipes share. pipes.c runs the step, pipe_water.c moves
 * the water of one round and what it takes and lays down, pipe_wear.c takes ground over the width
 * of a channel, pipe_carry.c moves the sediment that goes along
 * the velocity or leaves the map.
 */
#ifndef RVI_STEPS_PIPES_PIPE_RUN_H
#define RVI_STEPS_PIPES_PIPE_RUN_H

#include "steps/pipes/virtual_cell.h"
#include "steps/step.h"
#include "wear/channel.h"
#include "wear/column_sums.h"
#include "wear/erosion_factor.h"

enum { RVI_PIPE_BLOCK_ROWS = 20 }; /* of numbers a block keeps while it is worked on */
/* Column 1, the first of the map, lies on a cache line; loops over pipes, which begin at column 0,
 * begin at the line before. */
enum { RVI_PIPE_START = 15, RVI_PIPE_PAD = 3 };
typedef struct rvi_pipe_block {
    float depth, speed; /* in this round */
} rvi_pipe_block;

/* Of the land: what the water leaves behind. */
typedef struct rvi_pipe_fields {
    float *water, *sediment, *x, *y, *flow, *eroded, *deposited;
} rvi_pipe_fields;

/* Of a run on a device. */
typedef struct rvi_pipe_device {
    uint32_t *most; /* bits of the deepest and of the fastest water of this round */
    double *lanes;  /* for sums */
    float *grids;   /* room for those below */
    float *q[RVI_PIPE_WAYS], *limit; /* to come */
    float *stack;                    /* all layers, each as large as the map; NULL: there is one */
    float *yields;                   /* the erodibility of each layer */
    float *carries, *part;           /* give=same: what cells carry; the part of one layer */
} rvi_pipe_device;

typedef struct rvi_pipes {
    const rv_pipes_params *p;
    int transport; /* p->transport; virtual pipes have no flux of sediment, and look back instead */
    rvi_job *job;
    int width, height;
    size_t stride, count; /* of a grid with its ghosts */
    bool eight, layered;
    rvi_pipe_shape shape;                      /* the same for pipe_grid.h */
    float *bed;                                /* when the step began */
    float *change[2], *depth[2], *sediment[2]; /* [0] is now, [1] is for what comes */
    float *rest;                               /* of the depth, lost to rounding */
    float *q[RVI_PIPE_WAYS];                   /* flux per metre of width, before the limit */
    float *out[RVI_PIPE_WAYS]; /* model=virtual: m3/s to east, south, west and north */
    float *limit;              /* K */
    float *deposited, *flow;   /* since the step began, metres */
    float *mask;               /* share of what is laid that stays; NULL: 1 */
    rvi_erosion_factor factor;
    float *source;               /* rain and spring in m/s, NULL: rain alone */
    rvi_channel channel;         /* of what is taken, over the width of a channel */
    float *want, *asked, *spare; /* what water would take and ask of the ground; NULL: no width */
    float wear_time;             /* s: since ground was taken last, with this round */
    bool wears;                  /* is ground taken in this round? */
    float *move_x, *move_y;      /* v dt in cells, for backward and forward */
    float **parts[2];            /* of each layer, what of the sediment is of it; NULL: give=top */
    float *loads;                /* of each block, room for the parts of one cell */
    double *deposited_on; /* of each column of a block, and layer, what was deposited on it: metres
                             on one cell */
    float *grids;         /* room for all of the above */
    float *rows;          /* room for the rows of each block */
    rvi_pipe_rules rules;
    float rain; /* m/s */
    double source_sum;
    rvi_pipe_block *blocks;
    int block_count;
    rvi_pipe_column *columns; /* of each block, `stride` of them */
    rvi_pipe_off *off;        /* of each place of the border */
    rvi_pipe_device on;       /* what only a device needs */
    float deepest, fastest;
    double seconds;
    int rounds;
    double left_map; /* what backward transport has lost, metres on one cell */
    double carried;  /* what it finds in this round, the same */
    double won;      /* what it has made out of nothing, the same */
    double held;     /* won - left_map, of all rounds added up */
    bool rounding;   /* a round has begun that is not at its end */
    int part;        /* of the round, that runs now */
    bool *done;      /* of each block: has run in this part */
    rvi_pipe_fields fields;
} rvi_pipes;

/* ---- pipe_water.c: blocks of a round ---- */

/* The flux of all pipes; then depth, ground and sediment of all cells. `arg` is the rvi_pipes. */
void rvi_pipe_push_block(void *arg, int64_t block);
void rvi_pipe_cell_block(void *arg, int64_t block);

/* Takes from or lays on the layers of one cell; returns by how much the ground rose. */
float rvi_pipe_move_layers(const rvi_pipes *f, size_t i, size_t cell, float take, float lay,
                           float sediment);

/* ---- pipe_wear.c ---- */

/* Takes what the water would take from all ground within the width of its channel. RV_CANCELLED:
 * nothing was taken. */
rv_status rvi_pipe_wear(rvi_pipes *f);

/* ---- virtual_pipes.c: the same blocks of model=virtual ---- */

float rvi_virtual_dt(const rvi_pipes *f); /* the longest round */
rvi_virtual_law rvi_virtual_law_of(const rvi_pipes *f);
void rvi_virtual_begin(rvi_pipes *f); /* before the first round */
void rvi_virtual_push_block(void *arg, int64_t block);
void rvi_virtual_cell_block(void *arg, int64_t block);

/* Sums of the columns of a block since the step began; index 1 is the map's first column. */
static inline rvi_pipe_column *rvi_pipe_columns(const rvi_pipes *f, int64_t block) {
    return f->columns + (size_t)block * f->stride;
}
static inline rvi_column_sums rvi_pipe_column_sums(const rvi_pipes *f) {
    return (rvi_column_sums){.columns = f->columns,
                             .entries = (int)(sizeof *f->columns / sizeof(double)),
                             .width = f->width,
                             .first = 1,
                             .stride = f->stride,
                             .blocks = (size_t)f->block_count};
}

/* The grids as pipe_grid.h sees them. */
rvi_pipe_net rvi_pipe_net_of(const rvi_pipes *f);

static inline bool rvi_pipe_gives_same(const rvi_pipes *f) {
    return f->layered && f->p->give == RV_pipes_give_same;
}

/* Grids lie one after the other, each begun elsewhere in a page: processors take a write for a read
 * of the same place in another page, and wait. So do parts[0][l], and parts[1][l]. */
static inline size_t rvi_pipe_grid_spacing(const rvi_pipes *f) {
    return (f->count + 1023) / 1024 * 1024 + 48;
}

/* ---- pipe_carry.c ---- */

/* How far sediment moves in this round; then moves it. */
void rvi_pipe_move_block(void *arg, int64_t block);
void rvi_pipe_transport_block(void *arg, int64_t block);
/* Counts what leaves an open map in this round. */
void rvi_pipe_count_off(rvi_pipes *f);

/* ---- pipe_device.c: the same on the device of the job, queued ---- */

bool rvi_pipe_device_can(const rvi_pipes *f); /* all of the run? */
void rvi_pipe_device_list(rvi_pipes *f);
/* *wrong: there is water or sediment below 0. */
rv_status rvi_pipe_device_fill(rvi_pipes *f, bool *wrong);
rv_status rvi_pipe_device_round(rvi_pipes *f); /* the flux of all pipes, then all cells */
rv_status rvi_pipe_device_move(rvi_pipes *f);
rv_status rvi_pipe_device_count_off(rvi_pipes *f);
rv_status rvi_pipe_device_transport(rvi_pipes *f);
rv_status rvi_pipe_device_wear(rvi_pipes *f);
rv_status rvi_pipe_device_most(rvi_pipes *f); /* the deepest and the fastest water */
rv_status rvi_pipe_device_show(rvi_pipes *f, bool settle);
rv_status rvi_pipe_device_leave(rvi_pipes *f);
/* What find_sums() of pipes.c finds; the places of the border come back. */
rv_status rvi_pipe_device_sums(rvi_pipes *f, rvi_pipe_column *sum);

#endif
