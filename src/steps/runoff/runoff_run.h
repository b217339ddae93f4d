/* runoff_run.h: what the parts of the step runoff share. runoff.c runs the step, runoff_round.c
 * moves the water of one round and what it carries, runoff_layers.c does that for a cell of several
 * layers, runoff_wear.c takes ground over the width of a channel. */
#ifndef RVI_STEPS_RUNOFF_RUNOFF_RUN_H
#define RVI_STEPS_RUNOFF_RUNOFF_RUN_H

#include "steps/runoff/runoff_cell.h"
#include "steps/step.h"
#include "wear/channel.h"
#include "wear/column_sums.h"
#include "wear/erosion_factor.h"

/* A grid for each layer. */
typedef struct rvi_runoff_layers {
    float **at; /* NULL: there are none */
    float *room;
} rvi_runoff_layers;

/* All that changes from round to round. */
typedef struct rvi_runoff_state {
    float *ground; /* what the top layer gained since the step began */
    float *cut;    /* what the layers below it lost; NULL: there are none */
    float *water, *sediment;
    float *deposited, *flow; /* sums since the step began */
    /* Only with give=same, of each layer: */
    rvi_runoff_layers gain;  /* what it gained; `ground` is the sum and `cut` is 0 */
    rvi_runoff_layers parts; /* what of the sediment is of it */
} rvi_runoff_state;

typedef struct rvi_runoff {
    const rv_runoff_params *p;
    rvi_job *job;
    int width, height;
    bool layered, eight;
    int rounds;      /* of the grid */
    float per_round; /* how many of the user's rounds one of them is */
    rvi_runoff_rules rules;
    rvi_runoff_state now, next;
    const float *base;       /* the surface when the step began */
    float *surface;          /* its grid where there are layers */
    rvi_runoff_layers stack; /* thickness of each layer when the step began */
    const float *mask;       /* NULL: 1 everywhere */
    rvi_erosion_factor factor;
    float *rain; /* image, NULL: the same everywhere */
    rvi_channel channel;
    float *want, *asked, *spare; /* what water would take and ask of the ground; NULL: no width */
    float *mean;                 /* flow over the width of the channel; NULL: no width */
    int waited;                  /* rounds of the grid since ground was taken last */
    rvi_runoff_column *columns;  /* of each block of rows, `width` of them */
    rvi_runoff_off *off;         /* of each cell of the border: rvi_runoff_place() */
    double *lanes;               /* for sums on a device */
    float *parts;                /* for a range on a device */
    bool stacked;                /* layers or bands: runoff_stack.c does it on a device, with */
    float *yields;               /* the erodibility of each layer */
    float *sends[2];             /* what cells send for each metre of drop: water, sediment */
    bool same;                   /* each material is laid on its own layer */
    float *scratch;              /* of each block, with give=same */
    double *deposited_blocks; /* of each block and layer: what was deposited on it in this round */
    double *deposited_on;     /* of each layer, since the step began: metres on one cell */
    double before, sediment_before; /* water and sediment, metres on one cell */
    int done;                       /* rounds of the grid */
    bool rounding;                  /* a round has begun that is not at its end */
    bool *ready;                    /* of each block of rows: has run in this round */
    rvi_device_pace pace;
    double rained;    /* before the first round, metres on one cell */
    float *fields[5]; /* of the land: water, sediment, flow, eroded, deposited */
} rvi_runoff;

static inline size_t rvi_runoff_at(const rvi_runoff *r, int x, int y) {
    return (size_t)y * (size_t)r->width + (size_t)x;
}

/* Cells of the border, those of the corners counted twice. */
static inline size_t rvi_runoff_border(const rvi_runoff *r) {
    return 2 * ((size_t)r->width + (size_t)r->height);
}
static inline size_t rvi_runoff_blocks(const rvi_runoff *r) {
    return (size_t)(r->height + RVI_RUNOFF_ROWS - 1) / RVI_RUNOFF_ROWS;
}
static inline rvi_column_sums rvi_runoff_column_sums(const rvi_runoff *r) {
    return (rvi_column_sums){.columns = r->columns,
                             .entries = (int)(sizeof *r->columns / sizeof(double)),
                             .width = r->width,
                             .stride = (size_t)r->width,
                             .blocks = rvi_runoff_blocks(r)};
}

/* The share in so many of the user's rounds of what has this share in each of them. */
float rvi_runoff_share(float share, float rounds);

/* Rows of one round: from `now` to `next`. `arg` is the rvi_runoff. */
void rvi_runoff_rows(void *arg, int first, int end);

/* Takes what the water would take from all ground within the width of its channel, for all rounds
 * since it was taken last. RV_CANCELLED: nothing was. */
rv_status rvi_runoff_wear(rvi_runoff *r);

/* Finds the flow over the width of the channel, as it is in the next round of the grid. It holds
 * until ground is taken. RV_CANCELLED: it is lost. */
rv_status rvi_runoff_find_mean(rvi_runoff *r);
static inline float rvi_runoff_mean(const rvi_runoff *r, size_t i) {
    return r->mean ? r->mean[i] : 0.0f;
}

/* Of how much neighbours lie above a cell, the part that counts: rvi_runoff_bank(). */
float rvi_runoff_per_bank(const rvi_runoff *r);

/* ---- runoff_device.c: the same on the device of the job, queued ---- */

bool rvi_runoff_device_can(const rvi_runoff *r); /* all of the run? */
void rvi_runoff_device_list(rvi_runoff *r);
rv_status rvi_runoff_device_fill(rvi_runoff *r);
rv_status rvi_runoff_device_rain(rvi_runoff *r); /* before the first round */
rv_status rvi_runoff_device_round(rvi_runoff *r);
rv_status rvi_runoff_device_wear(rvi_runoff *r);
rv_status rvi_runoff_device_find_mean(rvi_runoff *r);
rv_status rvi_runoff_device_show(rvi_runoff *r);
rv_status rvi_runoff_device_leave(rvi_runoff *r);
rv_status rvi_runoff_device_sums(rvi_runoff *r, rvi_runoff_column *sum);

/* ---- runoff_stack.c: the parts of that where there are layers or bands ---- */

struct rvi_runoff_shape;
void rvi_runoff_stack_list(rvi_runoff *r);
rv_status rvi_runoff_stack_fill(rvi_runoff *r);
rv_status rvi_runoff_stack_round(rvi_runoff *r, const struct rvi_runoff_shape *f);
rv_status rvi_runoff_stack_flow(rvi_runoff *r, const struct rvi_runoff_shape *shape);
rv_status rvi_runoff_stack_want(rvi_runoff *r, const struct rvi_runoff_shape *shape);
rv_status rvi_runoff_stack_banks(rvi_runoff *r, const struct rvi_runoff_shape *shape);
rv_status rvi_runoff_stack_take(rvi_runoff *r, const struct rvi_runoff_shape *shape);
/* Of layers. */
rv_status rvi_runoff_stack_show(rvi_runoff *r, const struct rvi_runoff_shape *shape);
rv_status rvi_runoff_stack_leave(rvi_runoff *r, const struct rvi_runoff_shape *shape);

#endif
