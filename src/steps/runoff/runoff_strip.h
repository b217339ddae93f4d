/* runoff_strip.h: the rows of a strip of cells of runoff.c that are worked on together. */
#ifndef RVI_STEPS_RUNOFF_RUNOFF_STRIP_H
#define RVI_STEPS_RUNOFF_RUNOFF_STRIP_H

#include "steps/runoff/runoff_run.h"

enum {
    RVI_RUNOFF_STRIP = 240, /* columns of a strip: their rows fit in the nearest cache */
    RVI_RUNOFF_EDGE = 4,    /* room on both sides of a row of a strip */
    RVI_RUNOFF_ROOM = RVI_RUNOFF_STRIP + 2 * RVI_RUNOFF_EDGE,
};
/* Over the neighbours of column x; up, mid and down are the rows around it. */
static RVI_RUNOFF_HOT rvi_runoff_drops rvi_runoff_sum(const float *up, const float *mid,
                                                      const float *down, int x, float still,
                                                      bool eight) {
    float t = mid[x];
    rvi_runoff_drops sides = rvi_runoff_sum_sides(t, mid[x - 1], mid[x + 1], up[x], down[x], still);
    if (!eight)
        return sides;
    return rvi_runoff_add_corners(sides, t, up[x - 1], down[x + 1], up[x + 1], down[x - 1], still);
}

/* ---- rows of a strip: index RVI_RUNOFF_EDGE is the strip's first column ---- */

typedef struct rvi_runoff_giving {
    float water[RVI_RUNOFF_ROOM], sediment[RVI_RUNOFF_ROOM];           /* per metre of drop */
    float water_left[RVI_RUNOFF_ROOM], sediment_left[RVI_RUNOFF_ROOM]; /* in the cell */
    float out[RVI_RUNOFF_ROOM];
    /* The ground after it: */
    float ground[RVI_RUNOFF_ROOM], cut[RVI_RUNOFF_ROOM], deposited[RVI_RUNOFF_ROOM];
} rvi_runoff_giving;

typedef struct rvi_runoff_strip {
    const rvi_runoff *r;
    int x0, count;                   /* first column and how many */
    float level[5][RVI_RUNOFF_ROOM]; /* of row y in [(y + 5) % 5] */
    rvi_runoff_giving give[3];       /* of row y in [(y + 3) % 3] */
    float *scratch;                  /* rows of parts, see rvi_runoff_part() */
    double *deposited_on;            /* of each layer */
    /* Of each column, in the rows that were done: */
    float rained[RVI_RUNOFF_STRIP], evaporated[RVI_RUNOFF_STRIP], absorbed[RVI_RUNOFF_STRIP];
    float taken[RVI_RUNOFF_STRIP], laid[RVI_RUNOFF_STRIP];
} rvi_runoff_strip;

/* What a row keeps of each layer. */
enum { RVI_RUNOFF_SENT, RVI_RUNOFF_LEFT, RVI_RUNOFF_GAIN, RVI_RUNOFF_PART_ROWS };

static inline float *rvi_runoff_part(const rvi_runoff_strip *s, int what, int y, int layer) {
    int layers = s->r->job->land->layer_count;
    return s->scratch + (size_t)((what * 3 + (y + 3) % 3) * layers + layer) * RVI_RUNOFF_ROOM +
           RVI_RUNOFF_EDGE;
}

/* The levels of row y, with two columns more on both sides. */
void rvi_runoff_fill_levels(rvi_runoff_strip *s, int y);

/* What is left and what is sent, once it is known what the ground really gained (or lost, below
 * 0). */
static RVI_RUNOFF_HOT void rvi_runoff_settle(rvi_runoff_giving *g, int x, const rvi_runoff_plan *p,
                                             float w, float s, float gained, float drops) {
    rvi_runoff_sent sent = rvi_runoff_send(*p, w, s, gained, drops);
    g->water[x] = sent.water;
    g->sediment[x] = sent.sediment;
    g->water_left[x] = sent.water_left;
    g->sediment_left[x] = sent.sediment_left;
    g->out[x] = p->out;
    g->deposited[x] = sent.deposited;
}

/* ---- runoff_layers.c ---- */

/* The first half of a round for a row of cells with layers; the second is for give=same. */
void rvi_runoff_give_layered(rvi_runoff_strip *s, int y, int first, int end);
void rvi_runoff_give_same(rvi_runoff_strip *s, int y, int first, int end);

/* Takes from the top layer first, as rvi_layers_take() does. *top is what the top layer gained,
 * *cut what those below lost; returns what came. */
float rvi_runoff_take_layers(const rvi_runoff *r, size_t i, float want, float *top, float *cut);
/* The same with give=same: layer l gained gain[l * apart], and what comes is added to
 * load[l * apart]. */
void rvi_runoff_take_same(const rvi_runoff *r, size_t i, float want, float *gain, float *load,
                          size_t apart);

#endif
