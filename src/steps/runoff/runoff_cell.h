/* runoff_cell.h: the arithmetic of one cell of runoff.c, and what is counted, for the processor and
 * for devices. */
#ifndef RVI_STEPS_RUNOFF_RUNOFF_CELL_H
#define RVI_STEPS_RUNOFF_RUNOFF_CELL_H

#include "base/math.h"

#include <math.h>

#if defined(__GNUC__)
#define RVI_RUNOFF_HOT inline __attribute__((always_inline))
#else
#define RVI_RUNOFF_HOT inline
#endif

#define RVI_RUNOFF_DRY 1e-12f /* metres: less water than this is none, less ground is not taken */
#define RVI_RUNOFF_WALL 1e30f /* level of a wall */
#define RVI_RUNOFF_NO_DROP 1e-30f
#define RVI_RUNOFF_CORNER 0.70710678f /* 1 / distance of a corner, in cells */

/* What is the same for all cells in one round of the grid, in which water moves by a cell. */
typedef struct rvi_runoff_rules {
    float share;     /* 1 / (neighbours + 1) */
    float still;     /* metres: a smaller drop is none */
    float floor;     /* metres */
    float capacity;  /* where the slope is `full_slope` or more */
    float per_slope; /* 1 / (cell full_slope), in 1/m: times a drop, the share of it */
    float per_flow;  /* 1 / full_flow, in 1/m */
    int wide; /* 1: what counts for that is the flow over the width of the channel; 0: the cell's */
    float deposition, softness;
    float room; /* how much more than its share of the drop may be taken from a cell */
    float keep, absorb, rain;
} rvi_runoff_rules;

/* ---- one cell ---- */

/* The drops to the lower neighbours: their sum, and the sum of each times its slope in metres per
 * cell, so that falls / sum is the mean slope of the water that leaves. */
typedef struct rvi_runoff_drops {
    float sum, falls;
} rvi_runoff_drops;

/* What a cell does in a round before anything comes in. */
typedef struct rvi_runoff_plan {
    float out;       /* water that leaves */
    float carries;   /* sediment that it can carry, */
    float most;      /* on slopes of full_slope or more, */
    float steeper;   /* and more for each metre by which the cell is raised, up to that */
    float lay, take; /* what should be laid down and taken; one of them is 0 */
} rvi_runoff_plan;

/* The water that leaves. */
static RVI_RUNOFF_HOT float rvi_runoff_out(const rvi_runoff_rules *k, rvi_runoff_drops drops,
                                           float w) {
    return rvi_minf(w, drops.sum * k->share);
}

/* `spare` is what may be taken above the floor, `mean` the flow over the width of the channel; what
 * it is counts only where channels have one. */
static RVI_RUNOFF_HOT rvi_runoff_plan rvi_runoff_decide(const rvi_runoff_rules *k,
                                                        rvi_runoff_drops drops, float w, float s,
                                                        float spare, float mean) {
    float out = rvi_runoff_out(k, drops, w), flow = k->wide ? mean : out;
    float per = 1.0f / rvi_maxf(drops.sum, RVI_RUNOFF_NO_DROP);
    float steep = rvi_minf(1.0f, drops.falls * per * k->per_slope);
    float most = k->capacity * out * sqrtf(rvi_minf(1.0f, flow * k->per_flow)), c = most * steep;
    float room = rvi_minf(drops.sum * k->share * k->room, rvi_maxf(spare, 0.0f));
    float take = rvi_minf(k->softness * rvi_maxf(c - s, 0.0f), room);
    take = take < RVI_RUNOFF_DRY ? 0.0f : take;
    float lay = k->deposition * rvi_maxf(s - c, 0.0f);
    rvi_runoff_plan p = {out, c, most, most * k->per_slope, lay, take};
    return p;
}

/* What it can carry once so much has been laid down: the cell is steeper by that. Where the slope
 * stays as it was, the next cell gets too little and the one after it too much, and bars grow
 * across the flow. */
static RVI_RUNOFF_HOT float rvi_runoff_carries(rvi_runoff_plan p, float laid) {
    return rvi_minf(p.most, p.carries + laid * p.steeper);
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

/* Over the neighbours of a cell whose level is t. */
static RVI_RUNOFF_HOT rvi_runoff_drops rvi_runoff_sum_sides(float t, float w, float e, float n,
                                                            float s, float still) {
    w = rvi_runoff_drop(t, w, still);
    e = rvi_runoff_drop(t, e, still);
    n = rvi_runoff_drop(t, n, still);
    s = rvi_runoff_drop(t, s, still);
    rvi_runoff_drops d = {(w + e) + (n + s), (w * w + e * e) + (n * n + s * s)};
    return d;
}

static RVI_RUNOFF_HOT rvi_runoff_drops rvi_runoff_add_corners(rvi_runoff_drops sides, float t,
                                                              float nw, float se, float ne,
                                                              float sw, float still) {
    rvi_runoff_drops corners = rvi_runoff_sum_sides(t, nw, se, ne, sw, still), d;
    d.sum = sides.sum + corners.sum;
    d.falls = sides.falls + RVI_RUNOFF_CORNER * corners.falls;
    return d;
}

/* What is left in a cell and what it sends. */
typedef struct rvi_runoff_sent {
    float water, sediment; /* per metre of drop */
    float water_left, sediment_left;
    float deposited;
} rvi_runoff_sent;

/* Once it is known what the ground really gained (or lost, below 0). */
static RVI_RUNOFF_HOT rvi_runoff_sent rvi_runoff_send(rvi_runoff_plan p, float w, float s,
                                                      float gained, float drops) {
    float load = s - gained, laid = rvi_maxf(gained, 0.0f);
    float sent = rvi_minf(load, rvi_runoff_carries(p, laid));
    float per = 1.0f / rvi_maxf(drops, RVI_RUNOFF_NO_DROP);
    rvi_runoff_sent g;
    g.water = p.out * per;
    g.sediment = sent * per;
    g.water_left = w - p.out;
    g.sediment_left = load - sent;
    g.deposited = laid;
    return g;
}

/* Bare ground after a round. Where rounding would lay down more sediment than there is, nothing is
 * laid. */
static RVI_RUNOFF_HOT float rvi_runoff_ground(float old, float lay, float take, float sediment) {
    float after = old + (lay - take);
    return after - old > sediment ? old : after;
}

/* What one neighbour gives; it is 0 outside the map. */
static RVI_RUNOFF_HOT float rvi_runoff_gift(float give, float level, float here, float still) {
    return give * rvi_runoff_drop(level, here, still);
}

/* What is left of water after a share has gone, or an amount. */
static RVI_RUNOFF_HOT float rvi_runoff_wet(float left) {
    return left < RVI_RUNOFF_DRY ? 0.0f : left;
}

/* ---- ground that is taken over the width of a channel: runoff_wear.c ---- */

/* How much of what is asked a cell gives: less the lower it lies below the mean of its neighbours.
 * `sides` and `corners` are by how much these lie above it. */
static RVI_RUNOFF_HOT float rvi_runoff_bank(float sides, float corners, float per) {
    return rvi_clampf(1.0f - (sides + corners) * per, 0.0f, 1.0f);
}

/* What bare ground without limits loses of what is asked. */
static RVI_RUNOFF_HOT float rvi_runoff_taken(float asked, float bank, float base, float change,
                                             float floor) {
    float spare = rvi_maxf(rvi_runoff_spare(base, change, floor), 0.0f);
    return rvi_runoff_wet(rvi_minf(asked * bank, spare));
}

/* ---- after ---- */

static inline float rvi_runoff_next_below(float h) {
    if (h == 0.0f)
        return -0x1p-149f;
    return rvi_float_from_bits(rvi_bits_of_float(h) + (h > 0.0f ? 0xffffffffu : 1u));
}

/* The largest height that is not above `was + by`; *rest is what it leaves over. */
static inline float rvi_runoff_height(float was, float by, float *rest) {
    double exact = (double)was + (double)by;
    float h = by == 0.0f ? was : (float)exact;
    if ((double)h > exact)
        h = rvi_runoff_next_below(h);
    *rest += (float)(exact - (double)h);
    return h;
}

/* ---- what is counted ---- */

/* Of a column of RVI_RUNOFF_ROWS rows since the step began, metres on one cell. */
enum { RVI_RUNOFF_ROWS = 16 };
typedef struct rvi_runoff_column {
    double rained, evaporated, absorbed;
    double taken, laid; /* ground */
    double held;        /* taken - laid, of all rounds added up */
    double rest;        /* of the ground, what heights cannot hold */
} rvi_runoff_column;

/* What the cells of such a column did in one round. A float adds up so few numbers well enough. */
typedef struct rvi_runoff_tally {
    float rained, evaporated, absorbed, taken, laid;
} rvi_runoff_tally;

static inline void rvi_runoff_count(RVI_GRID rvi_runoff_column *c, rvi_runoff_tally t) {
    c->rained += (double)t.rained;
    c->evaporated += (double)t.evaporated;
    c->absorbed += (double)t.absorbed;
    c->taken += (double)t.taken;
    c->laid += (double)t.laid;
    c->held += c->taken - c->laid;
}

/* What left the map from a cell of its border since the step began, metres on one cell. */
typedef struct rvi_runoff_off {
    double water, sediment;
    double held; /* sediment, of all rounds added up */
} rvi_runoff_off;

/* The cells of the border: the first row, the last one, then both columns. */
static inline size_t rvi_runoff_place(int x, int y, int width, int height) {
    if (y == 0)
        return (size_t)x;
    if (y == height - 1)
        return (size_t)width + (size_t)x;
    return 2 * (size_t)width + (x == 0 ? 0 : (size_t)height) + (size_t)y;
}

#endif
