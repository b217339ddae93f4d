/* Land that was drained: water finds a way down from everywhere, and only what must changes. */
#include "measure/drainage.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { SIDE = 96, CELLS = SIDE * SIDE };

static float was[CELLS], surface[CELLS];

static rv_terrain *drained(rv_context *ctx, const rv_drain_params *p, rv_ledger *ledger) {
    rv_terrain *land = support_land(ctx, SIDE, SIDE, 20);
    rv_noise_params noise = rv_noise_params_default();
    noise.frequency = 2;
    noise.relief = 300;
    support_ok(ctx, rv_step_run(land, RV_STEP_noise, &noise, NULL));
    memcpy(was, rv_terrain_field(land, "height"), sizeof was);
    rv_report report;
    double before = rv_terrain_volume(land);
    support_ok(ctx, rv_step_run(land, RV_STEP_drain, p, &report));
    *ledger = report.ledger;
    double change = rv_terrain_volume(land) - before;
    assert_near(change, ledger->raised - ledger->eroded, 1e-6 * (ledger->raised + ledger->eroded));
    const float *water = rv_terrain_field(land, "water");
    memcpy(surface, rv_terrain_field(land, "height"), sizeof surface);
    for (int i = 0; water && i < CELLS; i++)
        surface[i] += water[i];
    return land;
}

/* No cell lacks a way that never rises; with a least slope, none lacks a lower neighbour. */
static void check_drains(rv_context *ctx, bool falls) {
    rvi_drainage d;
    support_ok(ctx, rvi_drainage_make(ctx, SIDE, SIDE, surface, NULL, &d));
    for (size_t i = 0; i < CELLS; i++) {
        if (d.filled[i] > surface[i] + 1e-3f)
            fail_msg("a pit of %g m is left at %zu", (double)(d.filled[i] - surface[i]), i);
        if (falls && d.receiver[i] != i)
            assert_less(surface[d.receiver[i]], surface[i]);
    }
    rvi_drainage_free(ctx, &d);
}

static void test_no_pit_is_left(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int method = 0; method < RV_drain_method_COUNT; method++)
        for (int k = 0; k < 3; k++) {
            rv_drain_params p = rv_drain_params_default();
            p.method = method;
            p.slope = k == 0 ? 0.0f : k == 1 ? 0.0001f : 0.02f;
            rv_ledger l;
            rv_terrain *land = drained(ctx, &p, &l);
            check_drains(ctx, k > 0);
            rv_terrain_destroy(land);
        }
    rv_context_destroy(ctx);
}

/* Filling is the flood and nothing else; it never takes, and breaching hardly fills. */
static void test_methods_do_what_they_say(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_drain_params p = rv_drain_params_default();
    rv_ledger fill, breach, both;
    p.method = RV_drain_method_fill;
    p.slope = 0;
    rv_terrain *land = drained(ctx, &p, &fill);
    rvi_drainage d;
    support_ok(ctx, rvi_drainage_make(ctx, SIDE, SIDE, was, NULL, &d));
    assert_memory_equal(d.filled, surface, sizeof surface);
    rvi_drainage_free(ctx, &d);
    rv_terrain_destroy(land);
    p.method = RV_drain_method_breach;
    land = drained(ctx, &p, &breach);
    for (int i = 0; i < CELLS; i++)
        assert_less_equal(surface[i], was[i]);
    rv_terrain_destroy(land);
    p.method = RV_drain_method_both;
    p.cut = 4;
    land = drained(ctx, &p, &both);
    for (int i = 0; i < CELLS; i++)
        assert_greater_equal(surface[i], was[i] - 4.001f);
    rv_terrain_destroy(land);
    assert_equal(fill.eroded, 0);
    assert_greater(fill.raised, 0);
    assert_equal(breach.raised, 0);
    assert_greater(breach.eroded, 0);
    assert_less(breach.eroded, fill.raised);
    assert_less(both.eroded, breach.eroded);
    assert_less(both.raised, fill.raised);
    rv_context_destroy(ctx);
}

static void test_deep_pits_stay_as_lakes(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int method = 0; method < RV_drain_method_COUNT; method++) {
        rv_drain_params p = rv_drain_params_default();
        p.method = method;
        p.lakes = RV_drain_lakes_keep;
        p.deep = 15;
        rv_ledger l;
        rv_terrain *land = drained(ctx, &p, &l);
        const float *water = rv_terrain_field(land, "water");
        const float *now = rv_terrain_field(land, "height");
        float deepest = 0;
        int wet = 0;
        for (int i = 0; i < CELLS; i++) {
            deepest = fmaxf(deepest, water[i]);
            wet += water[i] > 0;
            assert_greater_equal(water[i], 0);
            if (water[i] > 0)
                assert_equal(now[i], was[i]);
        }
        assert_greater_equal(deepest, 15);
        assert_greater(wet, 20);
        check_drains(ctx, false);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* What drains already stays as it is, to the bit. */
static void test_drained_land_stays(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_drain_params p = rv_drain_params_default();
    rv_ledger l;
    rv_terrain *land = drained(ctx, &p, &l);
    p.slope = 0;
    rv_report report;
    support_ok(ctx, rv_step_run(land, RV_STEP_drain, &p, &report));
    assert_equal(report.ledger.eroded, 0);
    assert_equal(report.ledger.raised, 0);
    assert_memory_equal(surface, rv_terrain_field(land, "height"), sizeof surface);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_pit_is_left),
        cmocka_unit_test(test_methods_do_what_they_say),
        cmocka_unit_test(test_deep_pits_stay_as_lakes),
        cmocka_unit_test(test_drained_land_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
