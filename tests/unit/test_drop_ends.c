/* test_drop_ends.c: what drops and particles start with, and where they end. */
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct ends {
    double left, pits, whole;
} ends;

static double figure(const rv_terrain *land, const char *name) {
    for (int i = 0; i < rv_terrain_figure_count(land); i++)
        if (strcmp(rv_terrain_figure(land, i)->name, name) == 0)
            return rv_terrain_figure(land, i)->value;
    fail_msg("there is no figure %s", name);
    return 0;
}

static bool batch; /* with order=batch? */

/* Runs the last step of a recipe and looks where its 500 drops have ended. */
static ends ends_of(rv_context *ctx, const char *text) {
    char words[256];
    snprintf(words, sizeof words, "%s%s", text, batch ? " order=batch" : "");
    rv_terrain *land = support_run(ctx, words);
    ends e = {figure(land, "drops_left_map"), figure(land, "drops_in_pits"),
              figure(land, "drops_at_end")};
    assert_equal(e.left + e.pits + e.whole, 500);
    rv_terrain_destroy(land);
    return e;
}

#define PLANE "terrain size=40 cone radius=4000 x=-2000 y=200 power=1 relief=900 "
#define BOWL "terrain size=41 cone relief=-200 radius=300 power=1 "

static void every_drop_ends_somewhere(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    /* Down a slope all leave; in a bowl nearly all end at its bottom; few steps take none far. */
    ends e = ends_of(ctx, PLANE "droplets 500 erosion=0 max_path=400cells inertia=0");
    assert_equal(e.left, 500);
    e = ends_of(ctx, PLANE "particles 500 softness=0 max_path=4000 evaporation=0");
    assert_equal(e.left, 500);
    e = ends_of(ctx,
                BOWL "droplets 500 erosion=0 max_path=400cells inertia=0 gravity=0 first_speed=0");
    assert_greater(e.pits, 450);
    e = ends_of(ctx, BOWL "particles 500 softness=0 max_path=2000 friction=0.5 evaporation=0");
    assert_greater(e.pits, 450);
    assert_equal(e.left, 0);
    e = ends_of(ctx, PLANE "droplets 500 max_path=1cell border=wall");
    assert_equal(e.left, 0);
    assert_greater(e.whole, 450);
    e = ends_of(ctx, PLANE "particles 500 max_path=1 border=wall");
    assert_greater(e.whole, 450);
    rv_context_destroy(ctx);
}

static void the_same_on_any_threads(void **state) {
    (void)state;
    static const char *const texts[] = {
        "terrain size=90 noise relief=400 frequency=2 droplets 500 border=apron drops=300",
        "terrain size=90 noise relief=400 frequency=2 droplets 500",
        "terrain size=90 noise relief=400 frequency=2 particles 500",
        "terrain size=90 noise relief=400 frequency=2 particles 500 order=batch"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        double first[3] = {0};
        for (int threads = 1; threads <= 4; threads += 3) {
            rv_context *ctx = support_context(threads);
            rv_terrain *land = support_run(ctx, texts[k]);
            for (int i = 0; i < 3; i++) {
                double value = rv_terrain_figure(land, i)->value;
                assert_true(threads == 1 || value == first[i]);
                first[i] = value;
            }
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
        }
    }
}

static rv_report report_of(rv_context *ctx, const char *land_text, rv_step_id step, float water,
                           float speed) {
    rv_terrain *land = support_run(ctx, land_text);
    rv_report report;
    rv_droplets_params d = rv_droplets_params_default();
    d.drops = 200;
    d.max_path = 1;
    d.capacity = 0.001f;
    d.first_water = water;
    d.first_speed = speed;
    rv_particles_params p = rv_particles_params_default();
    p.drops = 200;
    p.evaporation = 0.25f;
    p.acceleration = p.friction = 0;
    p.softness = 0.2f;
    p.first_water = water;
    p.first_speed = speed;
    d.order = batch ? RV_droplets_order_batch : RV_droplets_order_tiles;
    p.order = batch ? RV_particles_order_batch : RV_particles_order_tiles;
    const void *params = step == RV_STEP_droplets ? (const void *)&d : &p;
    support_ok(ctx, rv_step_run(land, step, params, &report));
    rv_terrain_destroy(land);
    return report;
}

/* What drops can carry grows with their first water and speed. */
static void drops_start_as_told(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    double one = report_of(ctx, PLANE, RV_STEP_droplets, 1, 1).ledger.eroded;
    assert_greater(one, 0);
    double two = report_of(ctx, PLANE, RV_STEP_droplets, 2, 1).ledger.eroded;
    assert_near(two / one, 2, 0.02);
    double fast = report_of(ctx, PLANE, RV_STEP_droplets, 1, 3).ledger.eroded;
    assert_near(fast / one, 3, 0.03);
    assert_equal(report_of(ctx, PLANE, RV_STEP_droplets, 0, 1).ledger.eroded, 0);
    assert_equal(report_of(ctx, PLANE, RV_STEP_droplets, 1, 0).ledger.eroded, 0);
    rv_context_destroy(ctx);
}

/* A particle lives for water / evaporation steps, and without a push or a first speed stays. */
static void particles_start_as_told(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    const char *flat = "terrain size=40";
    assert_equal(report_of(ctx, flat, RV_STEP_particles, 1, 0).drop_steps, 4 * 200);
    assert_equal(report_of(ctx, flat, RV_STEP_particles, 2.5f, 0).drop_steps, 10 * 200);
    assert_equal(report_of(ctx, flat, RV_STEP_particles, 0, 0).drop_steps, 0);
    assert_equal(report_of(ctx, PLANE, RV_STEP_particles, 1, 0).ledger.eroded, 0);
    double slow = report_of(ctx, PLANE, RV_STEP_particles, 0.2f, 0.1f).ledger.eroded;
    double fast = report_of(ctx, PLANE, RV_STEP_particles, 0.2f, 0.2f).ledger.eroded;
    assert_greater(slow, 0);
    assert_near(fast / slow, 2, 0.05);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_drop_ends_somewhere),
        cmocka_unit_test(the_same_on_any_threads),
        cmocka_unit_test(drops_start_as_told),
        cmocka_unit_test(particles_start_as_told),
    };
    const struct CMUnitTest of_batch[] = {
        cmocka_unit_test(every_drop_ends_somewhere),
        cmocka_unit_test(particles_start_as_told),
    };
    int failed = cmocka_run_group_tests_name("drop_ends", tests, NULL, NULL);
    batch = true;
    return failed + cmocka_run_group_tests_name("drop_ends order=batch", of_batch, NULL, NULL);
}
