/* batch_trace.h: what the drops of batch_cell.h leave behind after the last round, for the
 * processor and for devices. */
#ifndef RVI_STEPS_DROPLETS_BATCH_TRACE_H
#define RVI_STEPS_DROPLETS_BATCH_TRACE_H

#include "steps/droplets/batch_cell.h"

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

#endif
