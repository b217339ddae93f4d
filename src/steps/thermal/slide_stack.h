/* slide_stack.h: what a cell of layers gives and gets in a round of thermal.c, for the processor
 * and for devices. Two passes, both gather: first every cell finds what it can give, then every
 * cell takes what its neighbours give it. Layers above bedrock are counted in finer quanta than
 * heights, so that a thin one can slide away to the last of it. Equations: thermal.c. */
#ifndef RVI_STEPS_THERMAL_SLIDE_STACK_H
#define RVI_STEPS_THERMAL_SLIDE_STACK_H

#include "steps/thermal/slide_cell.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#include <stdbool.h>
#endif

enum { RVI_SLIDE_TO_ALL, RVI_SLIDE_TO_LOWEST, RVI_SLIDE_TO_GRADIENT };
enum { RVI_SLIDE_CENTRAL, RVI_SLIDE_FORWARD, RVI_SLIDE_BACKWARD };

/* What is the same for all cells. */
typedef struct rvi_slide_rules {
    double quantum, fine;    /* of bedrock, of the layers above it */
    double film, fine_magic; /* as in slide.h */
    float magic;
    float rate[2], slope_rate;
    float lowest, cell;
    int width, height, layers;
    int height_layers; /* the lowest layers whose factor changes with the height */
    unsigned directions, off_directions;
    int pairs;              /* method=pairs; else: */
    int receiver, gradient; /* RVI_SLIDE_TO_..., RVI_SLIDE_CENTRAL ... */
    int top;                /* what slides lies on top; else on its own layer */
    int sliding;            /* `east` and `south` say how much slides, and not the slopes */
    int settles;            /* until=settled: ground that gives anything gives all of it */
    int step[RVI_DIRECTIONS];
} rvi_slide_rules;

/* The grids, with a ring of one cell around the map. */
typedef struct rvi_slide_stack {
    rvi_slide_rules k;
    RVI_GRID const float *h;
    RVI_GRID const float *limit, *yields; /* of layer l at 2 l, at l */
    RVI_GRID const float *takes, *cells;  /* mask, factor of the cell; NULL: 1 everywhere */
    RVI_GRID const float *height_part;    /* of layer l at l * count */
    RVI_GRID const float *east, *south;   /* what slides there; NULL: slopes decide */
    RVI_GRID double *thick, *give;        /* of layer l at l * count */
    RVI_GRID uint16_t *exposed, *giving;  /* as in slide.h */
    RVI_GRID uint8_t *to;                 /* directions that receive */
} rvi_slide_stack;

/* Of `giving`: which layer, and whether the flows could take all of it. */
enum { RVI_SLIDE_LAYER = 0x7fff, RVI_SLIDE_SCARCE = 0x8000 };

static inline size_t rvi_slide_count_of(const rvi_slide_rules *k) {
    return ((size_t)k->width + 2) * ((size_t)k->height + 2);
}

/* Where layer l of the cell at i is. */
static inline size_t rvi_slide_of(const rvi_slide_stack *s, int layer, size_t i) {
    return (size_t)layer * rvi_slide_count_of(&s->k) + i;
}

static inline size_t rvi_slide_beside(const rvi_slide_stack *s, size_t i, int dir) {
    return (size_t)((int64_t)i + (int64_t)s->k.step[dir]);
}

/* Directions in which a neighbour is on the map. */
static inline unsigned rvi_slide_ways(const rvi_slide_rules *k, int x, int y) {
    return k->directions & rvi_slide_on_map(x, y, k->width, k->height);
}

/* The place of a cell of the edge among what left the map. */
static inline size_t rvi_slide_place(const rvi_slide_rules *k, int x, int y) {
    size_t w = (size_t)k->width, h = (size_t)k->height;
    return y == 0               ? (size_t)x
           : y == k->height - 1 ? w + (size_t)x
                                : 2 * w + (x ? h : 0) + (size_t)y;
}

/* The layer that lies open at a cell: the highest that is there. */
static inline int rvi_slide_top(const rvi_slide_stack *s, size_t i) {
    int l = s->k.layers - 1;
    while (l > 0 && !(s->thick[rvi_slide_of(s, l, i)] > s->k.film))
        l--;
    return l;
}

/* ---- what a cell gives ---- */

/* Metres that slide from i in a direction as slide_settle.c wants it, whatever the slopes. */
static inline float rvi_slide_planned(const rvi_slide_stack *s, size_t i, int dir) {
    switch (dir) {
    case RVI_EAST:
        return rvi_maxf(s->east[i], 0.0f);
    case RVI_WEST:
        return rvi_maxf(-s->east[i - 1], 0.0f);
    case RVI_SOUTH:
        return rvi_maxf(s->south[i], 0.0f);
    case RVI_NORTH:
        return rvi_maxf(-s->south[i - ((size_t)s->k.width + 2)], 0.0f);
    default:
        return 0.0f;
    }
}

/* Metres that would slide from i in a direction, were there enough. */
static inline float rvi_slide_pair_flow(const rvi_slide_stack *s, size_t i, int dir, int layer) {
    if (s->k.sliding)
        return rvi_slide_planned(s, i, dir);
    size_t j = rvi_slide_beside(s, i, dir);
    int kind = dir >= RVI_SE;
    float excess = rvi_slide_excess(s->h[i] - s->h[j], s->limit[2 * layer + kind]);
    float flow = s->k.rate[kind] * s->yields[layer] * excess;
    flow *= s->cells ? s->cells[i] : 1.0f;
    flow *= layer < s->k.height_layers ? s->height_part[rvi_slide_of(s, layer, i)] : 1.0f;
    return flow * (s->takes ? s->takes[j] : 1.0f);
}

static inline double rvi_slide_slope_flow(const rvi_slide_stack *s, size_t i, int dir) {
    size_t j = rvi_slide_beside(s, i, dir);
    double part = s->k.receiver == RVI_SLIDE_TO_ALL ? (double)(s->h[i] - s->h[j]) : 1.0;
    return part * (s->takes ? (double)s->takes[j] : 1.0);
}

/* What slides of a layer from i in a direction: the same, to the bit, for the cell that gives and
 * the one that gets. A layer that has plenty is counted in quanta of heights, so that no float of
 * it is rounded; one that slides away goes in fine ones, to the last of it. */
static inline double rvi_slide_flow(const rvi_slide_stack *s, size_t i, int dir, int layer) {
    double want = s->k.pairs ? (double)rvi_slide_pair_flow(s, i, dir, layer)
                             : rvi_slide_slope_flow(s, i, dir);
    want *= s->give[rvi_slide_of(s, layer, i)];
    if (s->giving[i] == layer)
        return (double)rvi_slide_round((float)want, s->k.magic);
    return rvi_slide_floor(want, s->k.fine, s->k.fine_magic);
}

/* Opposite neighbours first: the same for flipped and turned land. */
static inline double rvi_slide_sum_ways(const double *v) {
    return ((v[RVI_EAST] + v[RVI_WEST]) + (v[RVI_SOUTH] + v[RVI_NORTH])) +
           ((v[RVI_SE] + v[RVI_NW]) + (v[RVI_SW] + v[RVI_NE]));
}

/* K of the paper: 1, or less where the flows would take more than the layer has. A hair less than
 * that, so that rounding cannot take it below nothing. What it cannot give, the next layer may
 * (returns which share that is): else a trickle over steep rock would hold the rock. */
static inline double rvi_slide_feed(const rvi_slide_stack *s, size_t i, int layer, double share,
                                    double wanted) {
    RVI_GRID double *give = &s->give[rvi_slide_of(s, layer, i)];
    double has = s->thick[rvi_slide_of(s, layer, i)];
    *give = share;
    s->giving[i] = (uint16_t)layer;
    if (layer == 0 || share * wanted + RVI_DIRECTIONS * s->k.quantum <= has)
        return 0.0;
    s->giving[i] |= RVI_SLIDE_SCARCE;
    if (share * wanted <= has)
        return 0.0;
    *give = has / wanted * (1.0 - 0x1p-48);
    return share - *give;
}

static inline void rvi_slide_plan_pairs(const rvi_slide_stack *s, size_t i, unsigned directions) {
    double share = 1.0;
    for (int layer = s->exposed[i]; layer >= 0 && share > 0.0; layer--) {
        s->give[rvi_slide_of(s, layer, i)] = 0.0;
        if (layer > 0 && !(s->thick[rvi_slide_of(s, layer, i)] > s->k.film))
            continue;
        double want[RVI_DIRECTIONS] = {0, 0, 0, 0, 0, 0, 0, 0};
        float stands = s->limit[2 * layer];
        for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
            bool steep = s->k.sliding || s->h[i] - s->h[rvi_slide_beside(s, i, dir)] > stands;
            if (!(directions & 1u << dir) || !steep)
                continue;
            want[dir] = (double)rvi_slide_pair_flow(s, i, dir, layer);
            s->to[i] |= (uint8_t)(want[dir] > 0.0 ? 1u << dir : 0);
        }
        share = rvi_slide_feed(s, i, layer, share, rvi_slide_sum_ways(want));
    }
}

/* ---- strategy A: the gradient says how much slides, and where to ---- */

/* Height of a neighbour; beyond a wall the land is level. */
static inline float rvi_slide_near(const rvi_slide_stack *s, size_t i, unsigned directions,
                                   int dir) {
    return s->h[directions & 1u << dir ? rvi_slide_beside(s, i, dir) : i];
}

static inline float rvi_slide_along(const rvi_slide_stack *s, size_t i, unsigned directions, int up,
                                    int down) {
    float before = rvi_slide_near(s, i, directions, down);
    float after = rvi_slide_near(s, i, directions, up);
    switch (s->k.gradient) {
    case RVI_SLIDE_FORWARD:
        return (after - s->h[i]) / s->k.cell;
    case RVI_SLIDE_BACKWARD:
        return (s->h[i] - before) / s->k.cell;
    default:
        return (after - before) / (2.0f * s->k.cell);
    }
}

static inline unsigned rvi_slide_lower(const rvi_slide_stack *s, size_t i, unsigned directions) {
    unsigned lower = 0;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++)
        if (directions & 1u << dir && s->h[rvi_slide_beside(s, i, dir)] < s->h[i])
            lower |= 1u << dir;
    return lower;
}

/* The lowest of the lower neighbours; several when they are equal. */
static inline unsigned rvi_slide_lowest(const rvi_slide_stack *s, size_t i, unsigned directions) {
    unsigned lower = rvi_slide_lower(s, i, directions), lowest = 0;
    float low = s->h[i];
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++)
        if (lower & 1u << dir)
            low = rvi_minf(low, s->h[rvi_slide_beside(s, i, dir)]);
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++)
        if (lower & 1u << dir && s->h[rvi_slide_beside(s, i, dir)] == low)
            lowest |= 1u << dir;
    return lowest;
}

/* The neighbour that lies against the gradient, be it higher or lower; with four neighbours both
 * when the gradient points between them. */
static inline unsigned rvi_slide_against(const rvi_slide_stack *s, unsigned directions, float gx,
                                         float gy) {
    const int dir_x[RVI_DIRECTIONS] = {1, -1, 0, 0, 1, -1, -1, 1};
    const int dir_y[RVI_DIRECTIONS] = {0, 0, 1, -1, 1, -1, 1, -1};
    const float half_step = 0.41421356f; /* tan of half the angle between eight directions */
    float ax = gx < 0.0f ? -gx : gx, ay = gy < 0.0f ? -gy : gy;
    bool eight = s->k.directions == RVI_ALL_DIRECTIONS;
    bool along_x = eight ? ax >= half_step * ay : ax >= ay;
    bool along_y = eight ? ay >= half_step * ax : ay >= ax;
    int x = along_x ? (gx > 0.0f ? -1 : 1) : 0, y = along_y ? (gy > 0.0f ? -1 : 1) : 0;
    unsigned to = 0;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
        bool hit = eight ? dir_x[dir] == x && dir_y[dir] == y
                         : (dir_x[dir] == x && dir_y[dir] == 0 && x != 0) ||
                               (dir_y[dir] == y && dir_x[dir] == 0 && y != 0);
        to |= hit ? 1u << dir : 0;
    }
    return to & directions;
}

static inline void rvi_slide_plan_slope(const rvi_slide_stack *s, size_t i, unsigned directions) {
    float gx = rvi_slide_along(s, i, directions, RVI_EAST, RVI_WEST);
    float gy = rvi_slide_along(s, i, directions, RVI_SOUTH, RVI_NORTH);
    float slope = sqrtf(gx * gx + gy * gy);
    unsigned to = s->k.receiver == RVI_SLIDE_TO_ALL      ? rvi_slide_lower(s, i, directions)
                  : s->k.receiver == RVI_SLIDE_TO_LOWEST ? rvi_slide_lowest(s, i, directions)
                                                         : rvi_slide_against(s, directions, gx, gy);
    double parts[RVI_DIRECTIONS] = {0, 0, 0, 0, 0, 0, 0, 0}, share = 1.0;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++)
        if (to & 1u << dir)
            parts[dir] = rvi_slide_slope_flow(s, i, dir);
    double sum = rvi_slide_sum_ways(parts);
    s->to[i] = (uint8_t)(sum > 0.0 ? to : 0);
    for (int layer = s->exposed[i]; layer >= 0 && share > 0.0 && s->to[i]; layer--) {
        s->give[rvi_slide_of(s, layer, i)] = 0.0;
        if (layer > 0 && !(s->thick[rvi_slide_of(s, layer, i)] > s->k.film))
            continue;
        float stands = s->limit[2 * layer] / s->k.cell;
        float amount = s->k.slope_rate * s->yields[layer] * rvi_slide_excess(slope, stands);
        amount *= s->cells ? s->cells[i] : 1.0f;
        amount *= layer < s->k.height_layers ? s->height_part[rvi_slide_of(s, layer, i)] : 1.0f;
        /* Ditches would be dug without bound. */
        amount = rvi_minf(amount, rvi_maxf(s->h[i] - s->k.lowest, 0.0f));
        share = rvi_slide_feed(s, i, layer, share, (double)amount);
        s->give[rvi_slide_of(s, layer, i)] *= (double)amount / sum;
    }
}

/* The parts of the factor that change with the height are known. */
static inline void rvi_slide_plan(const rvi_slide_stack *s, int x, int y) {
    size_t i = (size_t)(y + 1) * ((size_t)s->k.width + 2) + (size_t)(x + 1);
    unsigned directions = rvi_slide_ways(&s->k, x, y) | s->k.off_directions;
    s->exposed[i] = (uint16_t)rvi_slide_top(s, i);
    s->giving[i] = s->exposed[i];
    s->to[i] = 0;
    if (s->k.pairs)
        rvi_slide_plan_pairs(s, i, directions);
    else
        rvi_slide_plan_slope(s, i, directions);
}

/* ---- and what it gets ---- */

/* Moves what slides from i in a direction out of, or into, the layers of cell `at`; returns how
 * much. */
static inline double rvi_slide_move_flows(const rvi_slide_stack *s, size_t i, int dir, size_t at) {
    double sum = 0.0;
    for (int l = s->exposed[i]; l >= (s->giving[i] & RVI_SLIDE_LAYER); l--) {
        double moves = rvi_slide_flow(s, i, dir, l);
        int onto = at != i && s->k.top ? s->k.layers - 1 : l;
        s->thick[rvi_slide_of(s, onto, at)] += at == i ? -moves : moves;
        sum += moves;
    }
    return sum;
}

/* Returns the height after the round; what leaves the map is added to *off. */
static inline float rvi_slide_move(const rvi_slide_stack *s, int x, int y, double *off) {
    size_t i = (size_t)(y + 1) * ((size_t)s->k.width + 2) + (size_t)(x + 1);
    unsigned inside = rvi_slide_ways(&s->k, x, y);
    bool moved = false;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
        unsigned way = 1u << dir;
        size_t j = rvi_slide_beside(s, i, dir);
        if (s->to[i] & way) {
            double out = rvi_slide_move_flows(s, i, dir, i);
            *off += inside & way ? 0.0 : out;
            moved = true;
        }
        if (inside & way && s->to[j] & 1u << (dir ^ 1)) {
            rvi_slide_move_flows(s, j, dir ^ 1, i);
            moved = true;
        }
    }
    if (!moved)
        return s->h[i];
    double sum = 0.0;
    for (int l = 0; l < s->k.layers; l++)
        sum += s->thick[rvi_slide_of(s, l, i)];
    return (float)sum;
}

/* ---- is it settled? ---- */

/* Does the cell stand too steep, with a layer that lies open and `soft` of its bedrock?
 * margin: by how much more than `limit` it may stand. */
static inline bool rvi_slide_steep(const rvi_slide_stack *s, RVI_GRID const float *margin, int x,
                                   int y, int layer, float soft) {
    size_t i = (size_t)(y + 1) * ((size_t)s->k.width + 2) + (size_t)(x + 1);
    unsigned directions = rvi_slide_ways(&s->k, x, y) | s->k.off_directions;
    if (!(s->yields[layer] > 0.0f) || !((s->cells ? s->cells[i] : 1.0f) > 0.0f) || !(soft > 0.0f))
        return false;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
        int at = 2 * layer + (dir >= RVI_SE);
        size_t j = rvi_slide_beside(s, i, dir);
        if (directions & 1u << dir && s->h[i] - s->h[j] > s->limit[at] + margin[at] &&
            (!s->takes || s->takes[j] > 0.0f))
            return true;
    }
    return false;
}

/* ---- before and after ---- */

/* A layer that was so thick, in whole quanta. */
static inline double rvi_slide_begins(const rvi_slide_rules *k, int layer, float before) {
    return layer == 0 ? (double)rvi_slide_snapped(before, k->quantum)
                      : rvi_slide_floor((double)before, k->fine, k->fine_magic);
}

/* Thickness of a layer now: what did not move is as it was, to the bit. */
static inline float rvi_slide_ends(const rvi_slide_rules *k, int layer, double now, float before) {
    if (layer == 0)
        return rvi_slide_bedrock(now, before, k->quantum);
    if (now == rvi_slide_begins(k, layer, before))
        return before;
    return now > k->film ? (float)now : 0.0f;
}

#endif
