/* runoff_strip.h: what the parts of the step runoff share. runoff.c runs the step, runoff_same.c
 * keeps what sediment is made of where each material is laid on its own layer (give=same).
 * Equations: runoff.c.
 */
#ifndef RVI_STEPS_RUNOFF_STRIP_H
#define RVI_STEPS_RUNOFF_STRIP_H

#include "base/math.h"
#include "steps/step.h"
#include "terrain/bands.h"

#if defined(__GNUC__)
#define HOT inline __attribute__((always_inline))
#else
#define HOT inline
#endif

enum {
    STRIP = 240, /* columns that are worked on together: their rows fit in the nearest cache */
    EDGE = 4,    /* room on both sides of a row of a strip */
    ROOM = STRIP + 2 * EDGE,
};
#define DRY 1e-12f  /* metres: less water than this is none, less ground is not taken */
#define NEVER 1e30f /* level of a wall */
#define NO_DROP 1e-30f

/* All that changes from round to round. */
typedef struct state {
    float *ground; /* what the top layer gained since the step began */
    float *cut;    /* what the layers below it lost; NULL: there are none */
    float *water, *sediment;
    float *laid, *flow; /* sums since the step began */
    /* Only with give=same, of each layer: */
    float **gain;  /* what it gained; `ground` is the sum and `cut` is 0 */
    float **parts; /* what of the sediment is of it */
} state;

typedef struct block_sums {
    double rained, evaporated, water_off, sediment_off; /* metres on one cell */
} block_sums;

typedef struct runoff {
    const rv_runoff_params *p;
    rvi_job *job;
    int width, height;
    bool layered, raining; /* does it rain after this round? */
    state now, next;
    float *base;   /* the surface when the step began */
    float **stack; /* thickness of each layer when the step began */
    float *soft;   /* what can be taken, as a factor; NULL: 1 everywhere */
    const float *mask;
    float *bands; /* of the bedrock (bands.h), NULL: there are none */
    float *rain;  /* image, NULL: the same everywhere */
    float share;  /* 1 / (neighbours + 1) */
    float still;  /* metres: a smaller drop is none */
    float floor;
    block_sums *sums;
    bool same;                      /* each material is laid on its own layer */
    float *scratch;                 /* of each block, with give=same */
    double *laid_blocks;            /* of each block and layer: what was laid on it in this round */
    double *laid_on;                /* of each layer, since the step began: metres on one cell */
    double before, sediment_before; /* water and sediment, metres on one cell */
    double rained, evaporated, water_off, sediment_off;
} runoff;

/* ---- one cell ---- */

/* What a cell does in a round before anything comes in. */
typedef struct plan {
    float out, carries; /* water that leaves, sediment that it can carry */
    float lay, take;    /* what should be laid down and taken; one of them is 0 */
} plan;

static HOT plan plan_cell(float drops, float w, float s, float spare, float share, float kc,
                          float kd, float ks) {
    float most = drops * share;
    float out = rvi_minf(w, most);
    float c = kc * out;
    float room = rvi_minf(most, rvi_maxf(spare, 0.0f));
    float take = rvi_minf(ks * rvi_maxf(c - s, 0.0f), room);
    take = take < DRY ? 0.0f : take;
    return (plan){out, c, kd * rvi_maxf(s - c, 0.0f), take};
}

/* What may be taken above the floor. It is kept so much smaller that no rounding breaks through. */
static HOT float above_floor(float base, float change, float floor) {
    return (base - floor) * (1.0f - 0x1p-21f) + change;
}

/* Levels that differ by no more than rounding are level: a lake at rest stays at rest. */
static HOT float drop(float from, float to, float still) {
    float d = from - to;
    return d > still ? d : 0.0f;
}

/* Sums over the neighbours of column x; up, mid and down are the rows around it. */
static HOT float sum_drops(const float *up, const float *mid, const float *down, int x, float still,
                           bool eight) {
    float t = mid[x];
    float sum = (drop(t, mid[x - 1], still) + drop(t, mid[x + 1], still)) +
                (drop(t, up[x], still) + drop(t, down[x], still));
    if (!eight)
        return sum;
    return sum + ((drop(t, up[x - 1], still) + drop(t, down[x + 1], still)) +
                  (drop(t, up[x + 1], still) + drop(t, down[x - 1], still)));
}

/* ---- rows of a strip: index EDGE is the strip's first column ---- */

typedef struct giving {
    float water[ROOM], sediment[ROOM];           /* per metre of drop */
    float water_left[ROOM], sediment_left[ROOM]; /* in the cell */
    float out[ROOM];
    float ground[ROOM], cut[ROOM], laid[ROOM]; /* the ground after it */
} giving;

typedef struct strip {
    const runoff *r;
    int x0, count;        /* first column and how many */
    float level[5][ROOM]; /* of row y in [(y + 5) % 5] */
    giving give[3];       /* of row y in [(y + 3) % 3] */
    float *scratch;       /* rows of parts: runoff_same.c */
    double *laid_on;      /* of each layer */
} strip;

static inline size_t cell_at(const runoff *r, int x, int y) {
    return (size_t)y * (size_t)r->width + (size_t)x;
}

/* What is left and what is sent, once it is known what the ground really gained (or lost, below
 * 0). */
static HOT void settle(giving *g, int x, const plan *p, float w, float s, float gained,
                       float drops) {
    float load = s - gained;
    float sent = rvi_minf(load, p->carries);
    float per = 1.0f / rvi_maxf(drops, NO_DROP);
    g->water[x] = p->out * per;
    g->sediment[x] = sent * per;
    g->water_left[x] = w - p->out;
    g->sediment_left[x] = load - sent;
    g->out[x] = p->out;
    g->laid[x] = rvi_maxf(gained, 0.0f);
}

/* ---- what comes in ---- */

/* What one neighbour gives; it is 0 outside the map. */
static HOT float part(const float *give, const float *level, int from, float here, float still) {
    return give[from] * drop(level[from], here, still);
}

/* What comes to column x from the neighbours. */
static HOT float gather(const float *const give[3], const float *const level[3], int x, float still,
                        bool eight) {
    float t = level[1][x];
    float sum =
        (part(give[1], level[1], x - 1, t, still) + part(give[1], level[1], x + 1, t, still)) +
        (part(give[0], level[0], x, t, still) + part(give[2], level[2], x, t, still));
    if (!eight)
        return sum;
    return sum +
           ((part(give[0], level[0], x - 1, t, still) + part(give[2], level[2], x + 1, t, still)) +
            (part(give[0], level[0], x + 1, t, still) + part(give[2], level[2], x - 1, t, still)));
}

/* ---- runoff_same.c ---- */

size_t rvi_runoff_same_memory(const runoff *r); /* bytes beside the grids of `state` */
rv_status rvi_runoff_same_allocate(runoff *r);
/* Gives a strip the rows and sums of its block. */
void rvi_runoff_same_begin(strip *s, int block);
/* What the cells of a row take, lay and send; a row outside the map sends nothing. */
void rvi_runoff_same_give(strip *s, int y, int first, int end);
void rvi_runoff_same_outside(strip *s, int y);
/* What comes in of each layer; the sediment is the sum. What each layer gained is kept. */
void rvi_runoff_same_gather(strip *s, int y);
/* Adds up what was laid in a round. */
void rvi_runoff_same_count(runoff *r);

#endif
