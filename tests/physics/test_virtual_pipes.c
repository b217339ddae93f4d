/* test_virtual_pipes.c: what the virtual pipes of the papers must do: known answers of one pipe,
 * ledgers of water and ground, the tilt of the ground, and the same on a map that is flipped. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static rv_pipes_params quiet(void) {
    rv_pipes_params p = rv_pipes_params_default();
    p.model = RV_pipes_model_virtual;
    p.transport = RV_pipes_transport_backward;
    p.rain = 0;
    p.evaporation = 0;
    p.capacity = 0;
    p.border = RV_pipes_border_wall;
    return p;
}

static rv_report run(rv_context *ctx, rv_terrain *land, const rv_pipes_params *p) {
    rv_report report;
    support_ok(ctx, rv_step_run(land, RV_STEP_pipes, p, &report));
    return report;
}

static void check_water(const rv_report *r) {
    rv_water w = r->water;
    double in = w.before + w.rained, out = w.evaporated + w.absorbed + w.left_map + w.standing;
    assert_near(in, out, 1e-6 * in + 1e-9);
}

/* Two cells, one pipe each way: the numbers of the paper, round by round, while the water swings
 * from one cell to the other. The section of the pipe is all that counts, not the depth. */
static void one_pipe_has_the_numbers_of_the_paper(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int deep = 0; deep < 2; deep++) {
        const double cell = 4, section = 3, dt = 0.05, g = 9.81;
        rv_terrain *land = support_land(ctx, 2, 1, (float)cell);
        double depth[2] = {deep ? 50.5 : 2.5, deep ? 50 : 2}, flux[2] = {0, 0}; /* east, west */
        float water[2] = {(float)depth[0], (float)depth[1]};
        support_ok(ctx, rv_terrain_field_set(land, "water", water));
        rv_pipes_params p = quiet();
        p.section = (float)section;
        p.dt = (float)dt;
        int swings = 0;
        for (int round = 1; round <= 200; round++) {
            double fall = depth[0] - depth[1], pull = dt * g * section / cell;
            flux[0] = fmax(0, flux[0] + pull * fall);
            flux[1] = fmax(0, flux[1] - pull * fall);
            double moved = dt * (flux[0] - flux[1]) / (cell * cell);
            depth[0] -= moved;
            depth[1] += moved;
            swings += moved < 0;
            if (round % 50 != 0)
                continue;
            rv_terrain *copy;
            support_ok(ctx, rv_terrain_copy(land, ctx, &copy));
            p.rounds = round;
            rv_report r = run(ctx, copy, &p);
            check_water(&r);
            assert_near(rv_terrain_field(copy, "water")[0], depth[0], 2e-4);
            assert_near(rv_terrain_field(copy, "water")[1], depth[1], 2e-4);
            rv_terrain_destroy(copy);
        }
        assert_greater(swings, 20); /* it does swing, at any depth */
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

#define HILLS "terrain width=41 height=33 cell=10 noise frequency=4 relief=60 "

static rv_report run_text(rv_context *ctx, const char *words, rv_terrain **out) {
    char text[400];
    rv_recipe *recipe;
    rv_report report;
    *out = support_run(ctx, HILLS);
    snprintf(text, sizeof text, "terrain size=2 pipes model=virtual %s", words);
    support_ok(ctx, rv_recipe_parse(ctx, text, "test", &recipe));
    support_ok(ctx, rv_step_run(*out, RV_STEP_pipes, rv_recipe_params(recipe, 1), &report));
    rv_recipe_destroy(recipe);
    return report;
}

/* Water of rain and springs goes nowhere unseen, also through pipes far too wide for it; nor does
 * ground: rv_step_run holds the ledger, forward transport loses none to anybody. */
static void nothing_vanishes(void **state) {
    (void)state;
    static const char *const words[] = {
        "transport=backward time=120",
        "transport=forward time=120 border=wall",
        "transport=forward time=120 rain=20k section=5000",
        "transport=backward time=60 rain=0 spring_rate=50 spring_radius=30",
        "transport=forward time=60 evaporation=0.01 capacity=500 dissolve=0.5 deposit=0.5",
    };
    rv_context *ctx = support_context(2);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        rv_terrain *land;
        rv_report r = run_text(ctx, words[k], &land);
        check_water(&r);
        rv_ledger l = r.ledger;
        double moved = l.before + l.eroded;
        assert_greater(l.eroded, 0);
        assert_near(moved, l.deposited + l.left_map + l.suspended, 1e-5 * moved);
        if (strstr(words[k], "forward"))
            assert_equal(l.raised, 0);
        if (strstr(words[k], "wall"))
            assert_near(l.left_map, 0, 1e-9 * moved);
        for (int i = 0; i < 41 * 33; i++)
            assert_true(rv_terrain_field(land, "water")[i] >= 0 &&
                        rv_terrain_field(land, "sediment")[i] >= 0);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* The tilt of the ground counts, not that of the water: below a lake at rest, with a speed added as
 * in the document, an even slope loses capacity (sin tilt + min_tilt) min_speed max_depth, and a
 * share of it in a round. */
static void tilt_is_that_of_the_ground(void **state) {
    (void)state;
    enum { W = 21, H = 9 };
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, W, H, 10);
    float bed[W * H], water[W * H];
    for (int i = 0; i < W * H; i++) {
        bed[i] = 0.5f * (float)(i % W); /* 1 in 20 */
        water[i] = 32.0f - bed[i];
    }
    support_ok(ctx, rv_terrain_field_set(land, "height", bed));
    support_ok(ctx, rv_terrain_field_set(land, "water", water));
    rv_pipes_params p = quiet();
    p.rounds = 1;
    p.dt = 0.1f;
    p.capacity = 2;
    p.dissolve = 1;
    p.min_tilt = 0.01f;
    p.min_speed = 0.5f;
    p.max_depth = 1;
    rv_report r = run(ctx, land, &p);
    check_water(&r);
    double can = 2 * (0.05 / sqrt(1 + 0.05 * 0.05) + 0.01) * 0.5, took = can * (1 - exp(-0.1));
    for (int y = 0; y < H; y++)
        for (int x = 1; x < W - 1; x++) {
            int i = y * W + x;
            assert_near(bed[i] - rv_terrain_field(land, "height")[i], took, 1e-5);
            assert_near(rv_terrain_field(land, "water")[i], water[i], 1e-4); /* it rests */
        }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* From the west or from the east, in rows or columns: the same bits; with any number of threads. */
static void direction_and_threads_do_not_matter(void **state) {
    (void)state;
    enum { SIDE = 40, CELLS = SIDE * SIDE };
    rv_context *one = support_context(1), *some = support_context(3);
    rv_terrain *hills = support_run(one, "terrain size=40 noise frequency=4 relief=60");
    static float turned[CELLS];
    const float *h = rv_terrain_field(hills, "height");
    for (int how = 0; how < 3; how++) {
        for (int i = 0; i < CELLS; i++) {
            int x = i % SIDE, y = i / SIDE;
            int from = how == 0   ? y * SIDE + (SIDE - 1 - x)
                       : how == 1 ? (SIDE - 1 - y) * SIDE + x
                                  : x * SIDE + y;
            turned[i] = h[from];
        }
        rv_terrain *a = NULL, *b = support_land(some, SIDE, SIDE, 10);
        support_ok(one, rv_terrain_copy(hills, one, &a));
        support_ok(some, rv_terrain_field_set(b, "height", turned));
        rv_pipes_params p = rv_pipes_params_default();
        p.model = RV_pipes_model_virtual;
        p.transport = RV_pipes_transport_forward;
        p.rounds = 60;
        run(one, a, &p);
        run(some, b, &p);
        for (int i = 0; i < CELLS; i++) {
            int x = i % SIDE, y = i / SIDE;
            int from = how == 0   ? y * SIDE + (SIDE - 1 - x)
                       : how == 1 ? (SIDE - 1 - y) * SIDE + x
                                  : x * SIDE + y;
            assert_equal(rv_terrain_field(b, "height")[i], rv_terrain_field(a, "height")[from]);
            assert_equal(rv_terrain_field(b, "water")[i], rv_terrain_field(a, "water")[from]);
        }
        rv_terrain_destroy(a);
        rv_terrain_destroy(b);
    }
    rv_terrain_destroy(hills);
    rv_context_destroy(one);
    rv_context_destroy(some);
}

/* Layers, mask and hardness hold as with the other model. */
static void layers_and_limits_hold(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const words[] = {"give=top", "give=same"};
    for (int k = 0; k < 2; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 HILLS "layer name=clay thickness=2 erodibility=0.5 layer name=sand thickness=1 "
                       "pipes model=virtual transport=forward time=60 capacity=300 %s",
                 words[k]);
        rv_terrain *land = support_run(ctx, text); /* which holds the ledger of each layer */
        for (int l = 1; l < 3; l++)
            for (int i = 0; i < 41 * 33; i++)
                assert_true(rv_terrain_field(land, l == 1 ? "clay" : "sand")[i] >= 0);
        assert_greater(rv_terrain_layer_ledger(land, 2).eroded, 0);
        rv_terrain_destroy(land);
    }
    rv_terrain *hard = support_run(ctx, HILLS "select name=hardness pipes model=virtual "
                                              "transport=backward time=60");
    assert_near(rv_terrain_ledger(hard).eroded, 0, 1e-6);
    rv_terrain_destroy(hard);
    /* Virtual pipes know no flux of sediment: they look back. */
    rv_terrain *back = support_run(ctx, HILLS "pipes model=virtual transport=backward rounds=9");
    rv_terrain *flux = support_run(ctx, HILLS "pipes model=virtual width=200 rounds=9");
    assert_equal(rv_terrain_hash(back), rv_terrain_hash(flux));
    rv_terrain_destroy(back);
    rv_terrain_destroy(flux);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pipe_has_the_numbers_of_the_paper),
        cmocka_unit_test(nothing_vanishes),
        cmocka_unit_test(tilt_is_that_of_the_ground),
        cmocka_unit_test(direction_and_threads_do_not_matter),
        cmocka_unit_test(layers_and_limits_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
