/* batch_trace.h: what the drops of batch_cell.h leave behind, in layers after each round and
 * otherwise after the last one; for the processor and for devices. */
#ifndef RVI_WEAR_BATCH_TRACE_H
#define RVI_WEAR_BATCH_TRACE_H

#include "wear/batch_cell.h"

/* What drops left on a cell. */
typedef struct rvi_batch_trace {
    float flow, eroded, deposited;
    float rest; /* what its height won by becoming a float */
} rvi_batch_trace;

static inline float rvi_batch_flow_unit(const rvi_batch_rules *r) {
    return r->first_water * r->share / (float)RVI_BATCH_FLOW;
}

/* by: metres a unit. */
static inline rvi_batch_trace rvi_batch_trace_of(const rvi_batch_rules *r, float before,
                                                 int32_t ground, uint64_t laid, uint64_t flow,
                                                 float flow_unit, double by) {
    int64_t change = (int64_t)(ground - rvi_batch_fixed(r, before)), lost = (int64_t)laid - change;
    rvi_batch_trace t;
    t.flow = (float)flow * flow_unit;
    t.deposited = (float)laid * r->by;
    t.eroded = lost > 0 ? (float)lost * r->by : 0.0f;
    t.rest = (float)(((double)rvi_batch_shown(r, before, ground) - (double)before) -
                     (double)change * by);
    return t;
}

/* ---- layers ---- */

/* Of the layers of a cell: how thick they were, from bedrock on, and how thick those on it are now,
 * in units. */
typedef struct rvi_batch_stack {
    RVI_GRID const float *before;
    RVI_GRID const int32_t *depth;
} rvi_batch_stack;

static inline size_t rvi_batch_map(const rvi_batch_rules *r) {
    return (size_t)r->land_width * (size_t)r->land_height;
}

static inline int32_t rvi_batch_deep(const rvi_batch_rules *r, float thickness) {
    return (int32_t)rvi_minf(rvi_floorf(thickness * r->per + 0.5f), (float)RVI_BATCH_DEEP);
}

/* What the drops of a round have done to a cell: the layers lose from the top downwards. */
static inline void rvi_batch_settle(const rvi_batch_rules *r, RVI_GRID int32_t *depth, size_t cell,
                                    int32_t change) {
    size_t cells = rvi_batch_map(r);
    for (int l = r->layers - 1; l > 0 && change != 0; l--) {
        RVI_GRID int32_t *there = depth + (size_t)(l - 1) * cells + cell;
        int32_t by = change > -*there ? change : -*there;
        *there += by;
        change -= by;
    }
}

/* How thick a layer is now; `change`: of all layers, in units. */
static inline float rvi_batch_layer_shown(const rvi_batch_rules *r, const rvi_batch_stack *s,
                                          size_t cell, int layer, int32_t change) {
    size_t cells = rvi_batch_map(r);
    int64_t of_bedrock = change, own = 0;
    for (int l = 1; l < r->layers; l++) {
        int32_t depth = s->depth[(size_t)(l - 1) * cells + cell];
        int64_t by = (int64_t)depth - rvi_batch_deep(r, s->before[(size_t)l * cells + cell]);
        own = l == layer ? by : own;
        of_bedrock -= by;
        if (l == layer && depth == 0 && by < 0)
            return 0.0f;
    }
    float before = s->before[(size_t)layer * cells + cell];
    own = layer == 0 ? of_bedrock : own;
    if (own == 0)
        return before;
    float now = before + (float)own * r->by;
    return layer == 0 ? now : rvi_maxf(now, 0.0f);
}

/* What all of them won by becoming floats. */
static inline float rvi_batch_layers_rest(const rvi_batch_rules *r, const rvi_batch_stack *s,
                                          size_t cell, int32_t change, double by) {
    double won = -(double)change * by;
    for (int l = 0; l < r->layers; l++)
        won += (double)rvi_batch_layer_shown(r, s, cell, l, change) -
               (double)s->before[(size_t)l * rvi_batch_map(r) + cell];
    return (float)won;
}

/* ---- the ledger ---- */

/* The ledger, in units, and how drops ended. */
typedef struct rvi_batch_sums {
    int64_t eroded, deposited, left_map, suspended, raised;
    uint64_t steps, ends[3];
} rvi_batch_sums;

/* Adds a slot to a sum, with what its drop carries if that was on its way when the user asked to
 * stop. */
static inline void rvi_batch_sum(const rvi_batch_rules *r, RVI_GRID const rvi_batch_slot *slot,
                                 RVI_GRID rvi_batch_sums *to) {
    bool over_land = rvi_batch_on_map(r, (int)slot->x, (int)slot->y);
    int64_t carried = slot->step < 0 ? 0 : slot->own;
    to->eroded += slot->eroded;
    to->deposited += slot->deposited;
    to->left_map += slot->left_map + (over_land ? 0 : carried);
    to->suspended += slot->suspended + (over_land ? carried : 0);
    to->raised += slot->raised;
    to->steps += slot->steps;
    for (int k = 0; k < 3; k++)
        to->ends[k] += slot->ends[k];
}

enum { RVI_BATCH_SUMS = 1024 }; /* on a device */
enum { RVI_BATCH_SETTLED = 4 }; /* cells that an item there settles */

#endif
