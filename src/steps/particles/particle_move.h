/* particle_move.h: a step of a particle with order=batch, for the processor and for devices. The
 * equations stand in particles.c, and what a particle does to the ground in batch_cell.h. */
#ifndef RVI_STEPS_PARTICLES_PARTICLE_MOVE_H
#define RVI_STEPS_PARTICLES_PARTICLE_MOVE_H

#include "wear/batch_cell.h"

typedef struct rvi_particle_law {
    float acceleration, keeps; /* keeps: 1 - friction */
    float capacity;            /* metres of sediment of the particle's square, on one cell */
    float deposition, softness, evaporation;
    float per_cell; /* 1 / cell */
} rvi_particle_law;

/* Speeds up and rubs; the first step begins with the first speed, straight down. On level ground
 * there is no such way. The speed is kept for the capacity. */
static inline void rvi_particle_push(const rvi_batch_rules *r, const rvi_particle_law *law,
                                     rvi_batch_drop *d, float gx, float gy) {
    float slope = sqrtf(gx * gx + gy * gy);
    if (d->step == 0 && r->first_speed > 0.0f && slope > 0.0f) {
        d->dx = -gx / slope * r->first_speed;
        d->dy = -gy / slope * r->first_speed;
    }
    gx = gx * r->by * law->per_cell;
    gy = gy * r->by * law->per_cell;
    float along = law->acceleration / sqrtf(1.0f + gx * gx + gy * gy);
    d->dx = (d->dx - gx * along) * law->keeps;
    d->dy = (d->dy - gy * along) * law->keeps;
    d->speed = sqrtf(d->dx * d->dx + d->dy * d->dy);
}

/* Where it moves to, at most by one move. RVI_BATCH_OVER_EDGE: it leaves the map. At a wall it
 * loses the part of its velocity that runs into it. */
static inline int rvi_particle_go(const rvi_batch_rules *r, rvi_batch_drop *d, float *x, float *y) {
    float scale = (d->speed > 1.0f ? 1.0f / d->speed : 1.0f) * r->move;
    *x = d->x + d->dx * scale;
    *y = d->y + d->dy * scale;
    if (rvi_batch_inside(r, *x, *y))
        return RVI_BATCH_GOES_ON;
    if (!r->wall)
        return RVI_BATCH_OVER_EDGE;
    d->dx = rvi_batch_inside(r, *x, 0.0f) ? d->dx : 0.0f;
    d->dy = rvi_batch_inside(r, 0.0f, *y) ? d->dy : 0.0f;
    rvi_batch_keep_inside(r, x, y);
    return RVI_BATCH_GOES_ON;
}

/* What the particle's capacity asks for, where it falls by so much. */
static inline rvi_batch_deal rvi_particle_decide(const rvi_batch_rules *r,
                                                 const rvi_particle_law *law,
                                                 const rvi_batch_drop *d, const rvi_batch_place *p,
                                                 float fall) {
    float sediment = (float)d->sediment, carries = law->capacity * d->speed * d->water * r->per;
    carries = rvi_minf(carries, 0x1p100f); /* land that is all but flat has the smallest units */
    rvi_batch_deal deal = {RVI_BATCH_NOTHING, 0.0f, 0.0f, 0.0f, 0.0f};
    if (sediment > carries) {
        deal.kind = RVI_BATCH_FILL;
        deal.amount = (sediment - carries) * law->deposition;
        return deal;
    }
    deal.amount = rvi_minf((carries - sediment) * law->softness, fall * r->share);
    if (deal.amount > 0.0f) {
        deal.kind = RVI_BATCH_TAKE;
        deal.level = p->height - fall;
        deal.steep = 1.0f / fall;
    }
    return deal;
}

/* Lays nothing above what is left of a fall, and ever less towards that height. */
static inline void rvi_particle_bound(rvi_batch_deal *deal, float level, float fall) {
    if (deal->kind != RVI_BATCH_FILL && deal->kind != RVI_BATCH_LAY_ALL)
        return;
    if (!(fall > 0.0f))
        deal->amount = 0.0f;
    deal->level = fall > 0.0f ? level : -0x1p40f;
    deal->steep = fall > 0.0f ? 0.5f / fall : 0.0f;
    deal->weighed = 0x1p40f; /* all of the disc */
    deal->kind = deal->kind == RVI_BATCH_FILL ? RVI_BATCH_LAY : deal->kind;
}

/* Is no cell around the nearest one lower? */
static inline int rvi_particle_rests(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                     const rvi_batch_drop *d) {
    int x = (int)(d->x + 0.5f), y = (int)(d->y + 0.5f), lower = 0;
    int32_t here = g->ground[rvi_batch_at(r, x, y)];
    for (int j = rvi_maxi(y - 1, 0); j <= rvi_mini(y + 1, r->height - 1); j++)
        for (int i = rvi_maxi(x - 1, 0); i <= rvi_mini(x + 1, r->width - 1); i++)
            lower += g->ground[rvi_batch_at(r, i, j)] < here;
    return lower > 0 ? RVI_BATCH_AT_END : RVI_BATCH_IN_PIT;
}

/* One step of a particle on its way, or, when it is dry or after the last one, its end, where it
 * lays down what it carries: on the disc that it erodes, and what has no room there on a wider one.
 * Returns why it ends, if it does not go on. */
static inline int rvi_particle_step(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                    const rvi_particle_law *law, const rvi_batch_round *t,
                                    RVI_GRID rvi_batch_slot *slot, rvi_batch_drop *d) {
    rvi_batch_place p = rvi_batch_place_of(g, r, t, d);
    const rvi_batch_felt old = rvi_batch_feel(g, r, d->x, d->y, p.ref, 0);
    const int64_t trifle = d->sediment / RVI_BATCH_TRIFLE;
    p.height = old.height;
    p.gx = old.gx;
    p.gy = old.gy;
    const bool ends = !(d->step < r->most_moves && d->water > 0.0f);
    int why = RVI_BATCH_AT_END;
    float x = d->x, y = d->y;
    if (!ends) {
        rvi_particle_push(r, law, d, old.gx, old.gy);
        rvi_batch_leave_flow(g, r, d);
        why = rvi_particle_go(r, d, &x, &y);
        if (rvi_batch_leads(g))
            slot->steps++;
    }
    const bool moves = why == RVI_BATCH_GOES_ON;
    x = moves ? x : d->x;
    y = moves ? y : d->y;
    const float next = rvi_batch_feel(g, r, x, y, p.ref, 1).height;
    rvi_batch_deal deal = {RVI_BATCH_NOTHING, 0.0f, 0.0f, 0.0f, 0.0f}, rest;
    if (moves)
        deal = rvi_particle_decide(r, law, d, &p, old.height - next);
    else if (ends)
        deal = rvi_batch_lay_all(d, &p, trifle, d->came);
    float came = (float)d->came - (float)p.ref;
    came = moves ? rvi_maxf(came, next) : came;
    float level = rvi_batch_fill_level(
        g, r, &p, came, deal.kind == RVI_BATCH_FILL || deal.kind == RVI_BATCH_LAY_ALL);
    rvi_particle_bound(&deal, level, came - old.height);
    rvi_batch_trade(g, r, d, &p, &deal, 0);
    rest = rvi_batch_lay_all(d, &p, trifle, RVI_BATCH_RANGE);
    if (deal.kind != RVI_BATCH_LAY_ALL)
        rest.kind = RVI_BATCH_NOTHING;
    rvi_batch_widen(g, r, t, d, &p);
    rvi_batch_trade(g, r, d, &p, &rest, 8);
    if (moves) {
        d->water -= law->evaporation;
        d->came = p.ref + (int)old.height;
        d->step++;
        d->x = x;
        d->y = y;
    }
    return ends ? rvi_particle_rests(g, r, d) : why;
}

/* What the particle of a slot does in a round. */
static inline void rvi_particle_move(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                     const rvi_particle_law *law, const rvi_batch_round *t,
                                     RVI_GRID rvi_batch_slot *slot, bool there) {
    rvi_batch_drop d;
    const bool busy = rvi_batch_read(g, r, slot, there, &d);
    const int why = rvi_particle_step(g, r, law, t, slot, &d);
    if (busy)
        rvi_batch_write(g, r, t, slot, &d, why);
}

#endif
