/* runoff_strip.h: the arithmetic of one cell of runoff.c, and the rows of a strip of cells that are
 * worked on together. */
#ifndef RVI_STEPS_RUNOFF_RUNOFF_STRIP_H
#define RVI_STEPS_RUNOFF_RUNOFF_STRIP_H

#include "base/math.h"
#include "steps/runoff/runoff_run.h"

#if defined(__GNUC__)
#define RVI_RUNOFF_HOT inline __attribute__((always_inline))
#else
#define RVI_RUNOFF_HOT inline
#endif

enum {
    RVI_RUNOFF_STRIP = 240, /* columns of a strip: their rows fit in the nearest cache */
    RVI_RUNOFF_EDGE = 4,    /* room on both sides of a row of a strip */
    RVI_RUNOFF_ROOM = RVI_RUNOFF_STRIP + 2 * RVI_RUNOFF_EDGE,
};
#define RVI_RUNOFF_DRY 1e-12f /* metres: less water than this is none, less ground is not taken */
#define RVI_RUNOFF_WALL 1e30f /* level of a wall */
#define RVI_RUNOFF_NO_DROP 1e-30f
#define RVI_RUNOFF_CORNER 0.70710678f /* 1 / distance of a corner, in cells */

/* ---- one cell ---- */

/* The drops to the lower neighbours: their sum, and the sum of each times its slope in metres per
 * cell, so that falls / sum is the mean slope of the water that leaves. */
typedef struct rvi_runoff_drops {
    float sum, falls;
} rvi_runoff_drops;

/* What a cell does in a round before anything comes in. */
typedef struct rvi_runoff_plan {
    float out, carries; /* water that leaves, sediment that it can carry */
    float lay, take;    /* what should be laid down and taken; one of them is 0 */
} rvi_runoff_plan;

/* `spare` is what may be taken above the floor. */
static RVI_RUNOFF_HOT rvi_runoff_plan rvi_runoff_decide(const rvi_runoff_rules *k,
                                                        rvi_runoff_drops drops, float w, float s,
                                                        float spare) {
    float most = drops.sum * k->share;
    float out = rvi_minf(w, most);
    float per = 1.0f / rvi_maxf(drops.sum, RVI_RUNOFF_NO_DROP);
    float c = k->capacity * out * rvi_minf(1.0f, drops.falls * per * k->per_slope);
    float room = rvi_minf(most * k->room, rvi_maxf(spare, 0.0f));
    float take = rvi_minf(k->softness * rvi_maxf(c - s, 0.0f), room);
    take = take < RVI_RUNOFF_DRY ? 0.0f : take;
    return (rvi_runoff_plan){out, c, k->deposition * rvi_maxf(s - c, 0.0f), take};
}

/* What may be taken above the floor. It is kept so much smaller that no rounding breaks through. */
static RVI_RUNOFF_HOT float rvi_runoff_spare(float base, float change, float floor) {
    return (base - floor) * (1.0f - 0x1p-21f) + change;
}

/* Levels that differ by no more than rounding are level: a lake at rest stays at rest. */
static RVI_RUNOFF_HOT float rvi_runoff_drop(float from, float to, float still) {
    float d = from - to;
    return d > still ? d : 0.0f;
}

/* Over the neighbours of column x; up, mid and down are the rows around it. */
static RVI_RUNOFF_HOT rvi_runoff_drops rvi_runoff_sum(const float *up, const float *mid,
                                                      const float *down, int x, float still,
                                                      bool eight) {
    float t = mid[x];
    float w = rvi_runoff_drop(t, mid[x - 1], still), e = rvi_runoff_drop(t, mid[x + 1], still);
    float n = rvi_runoff_drop(t, up[x], still), s = rvi_runoff_drop(t, down[x], still);
    rvi_runoff_drops sides = {(w + e) + (n + s), (w * w + e * e) + (n * n + s * s)};
    if (!eight)
        return sides;
    float nw = rvi_runoff_drop(t, up[x - 1], still), se = rvi_runoff_drop(t, down[x + 1], still);
    float ne = rvi_runoff_drop(t, up[x + 1], still), sw = rvi_runoff_drop(t, down[x - 1], still);
    float falls = (nw * nw + se * se) + (ne * ne + sw * sw);
    return (rvi_runoff_drops){sides.sum + ((nw + se) + (ne + sw)),
                              sides.falls + RVI_RUNOFF_CORNER * falls};
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
    float load = s - gained;
    float sent = rvi_minf(load, p->carries);
    float per = 1.0f / rvi_maxf(drops, RVI_RUNOFF_NO_DROP);
    g->water[x] = p->out * per;
    g->sediment[x] = sent * per;
    g->water_left[x] = w - p->out;
    g->sediment_left[x] = load - sent;
    g->out[x] = p->out;
    g->deposited[x] = rvi_maxf(gained, 0.0f);
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
