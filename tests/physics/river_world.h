/* river_world.h: land for tests of rivers, and a run of the step that looks at its ledger. */
#ifndef TESTS_RIVER_WORLD_H
#define TESTS_RIVER_WORLD_H

#include "support.h"

typedef struct world {
    rv_context *ctx;
    rv_terrain *land;
    int side;
    size_t cells;
    double cell;
} world;

static inline world make_from(uint64_t seed, int side, float cell, float relief) {
    world w = {.ctx = support_context(2), .side = side, .cell = (double)cell};
    w.land = support_land(w.ctx, side, side, cell);
    w.cells = (size_t)side * (size_t)side;
    rv_noise_params noise = rv_noise_params_default();
    noise.frequency = 0.4f;
    noise.gain = 0.45f;
    noise.relief = relief;
    noise.seed = seed;
    support_ok(w.ctx, rv_step_run(w.land, RV_STEP_noise, &noise, NULL));
    return w;
}

static inline world make(int side, float cell, float relief) {
    return make_from(1, side, cell, relief);
}

static inline void end(world *w) {
    rv_terrain_destroy(w->land);
    rv_context_destroy(w->ctx);
}

static inline rv_ledger run(world *w, const rv_rivers_params *p) {
    rv_report report;
    double before = rv_terrain_volume(w->land);
    support_ok(w->ctx, rv_step_run(w->land, RV_STEP_rivers, p, &report));
    rv_ledger l = report.ledger;
    double change = rv_terrain_volume(w->land) - before, bound = 1e-6 * (l.eroded + l.raised);
    assert_less_equal(fabs(change - (l.raised + l.deposited - l.eroded)), bound);
    assert_less_equal(fabs(l.eroded - l.deposited - l.left_map), bound);
    assert_greater_equal(fmin(fmin(l.eroded, l.deposited), fmin(l.left_map, l.raised)), 0.0);
    return l;
}

static inline const float *height(const world *w) {
    return rv_terrain_field(w->land, "height");
}

/* No creep, no slides, no chance: the bare law. */
static inline rv_rivers_params bare(void) {
    rv_rivers_params p = rv_rivers_params_default();
    p.border = RV_rivers_border_open;
    p.diffusion = 0;
    p.talus = 90;
    p.wander = 0;
    p.source = 0;
    p.vary = 0;
    p.uplift = 0.5f;
    p.time = 3e7f;
    p.steps = 250;
    return p;
}

#endif
