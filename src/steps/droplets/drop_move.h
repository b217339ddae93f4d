/* drop_move.h: a move of a drop with order=batch, for the processor and for devices. The equations
 * stand in droplets.c, and what a drop does to the ground in batch_cell.h. */
#ifndef RVI_STEPS_DROPLETS_DROP_MOVE_H
#define RVI_STEPS_DROPLETS_DROP_MOVE_H

#include "wear/batch_cell.h"

typedef struct rvi_drop_law {
    float inertia, steer;     /* steer: (1 - inertia) / R */
    float capacity, min_fall; /* of a drop's square; min_slope R */
    float deposition, erosion;
    float dry, pull; /* 1 - evaporation; gravity / R */
} rvi_drop_law;

static inline void rvi_drop_turn(const rvi_batch_rules *r, const rvi_drop_law *law,
                                 rvi_batch_drop *d, float gx, float gy) {
    float dx = d->dx * law->inertia - gx * law->steer, dy = d->dy * law->inertia - gy * law->steer;
    float length = sqrtf(dx * dx + dy * dy);
    if (length > 0.0f) {
        d->dx = dx / length;
        d->dy = dy / length;
        return;
    }
    uint64_t bits = rvi_random(r->squares.seed, d->bits, (uint64_t)d->step);
    float angle = rvi_unit(bits) * (float)(2.0 * RVI_PI);
    d->dx = rvi_cosf(angle);
    d->dy = rvi_sinf(angle);
}

/* What the drop's capacity asks for. */
static inline rvi_batch_deal rvi_drop_decide(const rvi_batch_rules *r, const rvi_drop_law *law,
                                             const rvi_batch_drop *d, const rvi_batch_place *p,
                                             float dh) {
    float rise = dh * r->share, sediment = (float)d->sediment;
    float capacity = rvi_maxf(-dh, law->min_fall) * d->speed * d->water * law->capacity;
    rvi_batch_deal deal = {RVI_BATCH_NOTHING, 0.0f, 0.0f, 0.0f, 0.0f};
    if (dh > 0.0f) {
        deal.kind = RVI_BATCH_LAY;
        deal.amount = rvi_minf(sediment, rise);
        deal.level = p->height + dh;
    } else if (sediment > capacity) {
        deal.kind = RVI_BATCH_FILL;
        deal.amount = (sediment - capacity) * law->deposition;
    } else {
        deal.amount = rvi_minf((capacity - sediment) * law->erosion, -rise);
        deal.kind = deal.amount > 0.0f ? RVI_BATCH_TAKE : RVI_BATCH_NOTHING;
        deal.level = p->height + dh;
        deal.steep = deal.kind == RVI_BATCH_TAKE ? 1.0f / -dh : 0.0f;
    }
    return deal;
}

/* Where the drop goes. Closed borders hold it inside: it slides along the wall. RVI_BATCH_OVER_EDGE
 * or RVI_BATCH_IN_PIT: it ends at the border; RVI_BATCH_GOES_ON: it does not. */
static inline int rvi_drop_go(const rvi_batch_rules *r, const rvi_batch_drop *d, float *x,
                              float *y) {
    *x = d->x + d->dx * r->move;
    *y = d->y + d->dy * r->move;
    if (rvi_batch_inside(r, *x, *y))
        return RVI_BATCH_GOES_ON;
    if (!r->wall)
        return RVI_BATCH_OVER_EDGE;
    rvi_batch_keep_inside(r, x, y);
    return *x != d->x || *y != d->y ? RVI_BATCH_GOES_ON : RVI_BATCH_IN_PIT;
}

/* One move of a drop on its way, or, after the last one, its end, where it lays down what it
 * carries. Returns why it ends, if it does not go on. */
static inline int rvi_drop_step(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                const rvi_drop_law *law, const rvi_batch_round *t,
                                RVI_GRID rvi_batch_slot *slot, rvi_batch_drop *d) {
    rvi_batch_place p = rvi_batch_place_of(g, r, t, d);
    const rvi_batch_felt old = rvi_batch_feel(g, r, d->x, d->y, p.ref, 0);
    const int64_t trifle = d->sediment / RVI_BATCH_TRIFLE;
    p.height = old.height;
    p.gx = old.gx;
    p.gy = old.gy;
    int why = RVI_BATCH_AT_END;
    float x, y;
    if (d->step < r->most_moves) {
        rvi_drop_turn(r, law, d, old.gx, old.gy);
        why = rvi_drop_go(r, d, &x, &y);
        rvi_batch_leave_flow(g, r, d);
        if (rvi_batch_leads(g))
            slot->steps++;
    }
    const bool moves = why == RVI_BATCH_GOES_ON;
    x = moves ? x : d->x;
    y = moves ? y : d->y;
    float dh = rvi_batch_feel(g, r, x, y, p.ref, 1).height - old.height;
    float energy = d->speed * d->speed - dh * law->pull;
    rvi_batch_deal deal = moves ? rvi_drop_decide(r, law, d, &p, dh)
                                : rvi_batch_lay_all(d, &p, trifle, d->came),
                   rest;
    if (!moves && why == RVI_BATCH_OVER_EDGE)
        deal.kind = RVI_BATCH_NOTHING;
    bool stuck = moves && dh * r->share > (float)d->sediment && !(energy > 0.0f);
    float level =
        rvi_batch_fill_level(g, r, &p, (float)d->came - (float)p.ref, deal.kind == RVI_BATCH_FILL);
    if (deal.kind == RVI_BATCH_FILL) {
        deal.kind = RVI_BATCH_LAY;
        deal.level = level;
    }
    rvi_batch_trade(g, r, d, &p, &deal, 0);
    rest = rvi_batch_lay_all(d, &p, trifle, RVI_BATCH_RANGE);
    if (deal.kind != RVI_BATCH_LAY_ALL)
        rest.kind = RVI_BATCH_NOTHING;
    rvi_batch_trade(g, r, d, &p, &rest, 8);
    if (moves) {
        d->speed = sqrtf(rvi_maxf(energy, 0.0f));
        d->water *= law->dry;
        d->came = p.ref + (int)old.height;
        d->step++;
        d->x = x;
        d->y = y;
        why = stuck ? RVI_BATCH_IN_PIT : why;
    }
    return why;
}

/* What the drop of a slot does in a round. */
static inline void rvi_drop_move(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                 const rvi_drop_law *law, const rvi_batch_round *t,
                                 RVI_GRID rvi_batch_slot *slot, bool there) {
    rvi_batch_drop d;
    const bool busy = rvi_batch_read(g, r, slot, there, &d);
    const int why = rvi_drop_step(g, r, law, t, slot, &d);
    if (busy)
        rvi_batch_write(g, r, t, slot, &d, why);
}

#endif
