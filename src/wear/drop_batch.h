/* drop_batch.h: a run of drops or particles with order=batch: they make their moves together, a
 * round at a time (batch_cell.h), on the processor or on a device. */
#ifndef RVI_WEAR_DROP_BATCH_H
#define RVI_WEAR_DROP_BATCH_H

#include "wear/batch_trace.h"
#include "wear/drop_apron.h"
#include "wear/erosion_factor.h"
#include "wear/rain.h"

/* What the drop of a slot does in a round; the law is that of the step. */
typedef void rvi_batch_mover(const rvi_batch_grids *g, const rvi_batch_rules *r, const void *law,
                             const rvi_batch_round *t, rvi_batch_slot *slot);

/* All lengths are cells. */
typedef struct rvi_batch_desc {
    rvi_batch_mover *move;
    const char *kernels; /* the file that has the same for devices (batch_crew.h) */
    const void *law;
    size_t law_size;
    const char *rain;     /* an image, or "" */
    int margin, border;   /* around the map; around that: what lanes may read, at least 4 */
    int turn;             /* of the apron (drop_apron.h) */
    uint64_t drops, seed; /* drops: on map and margin */
    float radius, last;   /* of the disc, and of the one at the end of a way */
    float move_length;    /* at most */
    float near, apart;    /* half the width of what a drop feels; of the square it stands for */
    float bank;           /* what a high cell weighs, as a multiple of the bed */
    float floor;          /* NAN: the lowest point of the map */
    float first_water, first_speed;
    int most_moves;
    bool wall;
    bool on_flat;   /* do drops run on level land, too? */
    bool on_device; /* can all of the run be done on a device? */
} rvi_batch_desc;

typedef struct rvi_batch {
    rvi_job *job;
    rvi_batch_desc d;
    rvi_batch_rules rules;
    int width, height; /* of map and margin */
    int near_reach;    /* cells that a drop may feel beside its own */
    size_t count;      /* cells of a grid: map, margin and border */
    rvi_batch_slot *slots;
    int32_t *ground, *change; /* grids */
    uint32_t *laid, *flow;    /* the same, two numbers a cell */
    uint32_t *crowd;          /* of this round and of the next */
    size_t blocks;            /* in each */
    bool *marked;             /* of every RVI_ROWS rows: drops of this round may change them */
    uint32_t *ended, counted; /* counted: what it was when it was looked at last */
    uint64_t done;            /* drops that have ended or missed the land */
    uint64_t round;
    rvi_rain rain;
    rvi_erosion_factor factor;
    const float *mask; /* of the terrain, or NULL */
    float relief;
    double by;     /* metres a unit */
    float *before; /* the surface when the step began */
    float *rest;   /* of the land: what its heights won by becoming floats */
    float *parts;  /* for a range on a device */
    /* Only where there are layers: */
    float *under;   /* each of them when the step began, from bedrock on */
    int32_t *depth; /* those on bedrock now, in units */
    float *soft;    /* erodibility of each */
    rvi_batch_sums *sums;
    rvi_device_pace pace;
    bool whole;       /* all drops have run: there was no stop */
    float *fields[3]; /* of the land: flow, eroded, deposited */
} rvi_batch;

/* Lists memory and fields, and says of the job what a device must have. The law must stay. */
rv_status rvi_batch_prepare(rvi_batch *b, rvi_job *job, const rvi_batch_desc *desc);
/* The run and its close; what belongs to a step alone comes after that. */
rv_status rvi_batch_run(rvi_batch *b);
rv_status rvi_batch_close(rvi_batch *b);

/* ---- for batch_device.c ---- */

static inline size_t rvi_batch_grid_at(const rvi_batch *b, int x, int y) {
    return rvi_batch_at(&b->rules, x, y);
}
rvi_drop_apron rvi_batch_apron(const rvi_batch *b);
rvi_batch_round rvi_batch_round_of(const rvi_batch *b, uint64_t round);

/* The same on the device of the job, queued. */
rv_status rvi_batch_device_fill(rvi_batch *b);
rv_status rvi_batch_device_begin(rvi_batch *b);
rv_status rvi_batch_device_round(rvi_batch *b);
rv_status rvi_batch_device_show(rvi_batch *b);
/* won: the sum of `rest`; fills `sums`. */
rv_status rvi_batch_device_leave(rvi_batch *b, double *won);

#endif
