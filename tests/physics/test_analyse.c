/* test_analyse.c: fields of surfaces and networks whose answers are known: planes, a paraboloid, a
 * cone, a network drawn by hand, and noise counted a second time. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 40, HEIGHT = 31, CELLS = WIDTH * HEIGHT };
static const float CELL = 10;

static float z[CELLS];

static rv_terrain *analyse(rv_context *ctx, int width, int height, const float *heights,
                           int channel) {
    rv_terrain *land = support_land(ctx, width, height, CELL);
    support_ok(ctx, rv_terrain_field_set(land, "height", heights));
    rv_analyse_params p = rv_analyse_params_default();
    p.channel = channel;
    support_ok(ctx, rv_step_run(land, RV_STEP_analyse, &p, NULL));
    return land;
}

static const float *field(const rv_terrain *land, const char *name) {
    const float *values = rv_terrain_field(land, name);
    assert_non_null(values);
    return values;
}

static void test_a_plane(void **state) {
    (void)state;
    enum { CHANNEL = 12 };
    rv_context *ctx = support_context(2);
    for (int i = 0; i < CELLS; i++) /* falls to the east by 3 in 4 */
        z[i] = 7.5f * (float)(WIDTH - 1 - i % WIDTH) + 3;
    rv_terrain *land = analyse(ctx, WIDTH, HEIGHT, z, CHANNEL);
    double angle = atan(0.75) * 180 / 3.14159265358979;
    for (int i = 0; i < CELLS; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        bool border = y == 0 || y == HEIGHT - 1 || x == 0;
        int cells = border ? 1 : x; /* water of the columns 1 to x */
        assert_near(field(land, "slope")[i], angle, 1e-5);
        assert_near(field(land, "curvature")[i], 0, 1e-7);
        assert_equal(field(land, "area")[i], 100.0f * (float)cells);
        assert_equal(field(land, "receiver")[i], border || x == WIDTH - 1 ? 0.0f : 3.0f);
        assert_equal(field(land, "stream_order")[i], cells >= CHANNEL ? 1.0f : 0.0f);
        int way = border || x >= CHANNEL ? 0 : CHANNEL - x;
        assert_equal(field(land, "channel_distance")[i], 10.0f * (float)way);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Each of eight directions of a plane that falls there is the receiver's. */
static void test_directions(void **state) {
    (void)state;
    static const int east[8] = {0, 1, 1, 1, 0, -1, -1, -1}, south[8] = {-1, -1, 0, 1, 1, 1, 0, -1};
    rv_context *ctx = support_context(1);
    for (int k = 0; k < 8; k++) {
        for (int i = 0; i < CELLS; i++)
            z[i] = -(float)(east[k] * (i % WIDTH) + south[k] * (i / WIDTH));
        rv_terrain *land = analyse(ctx, WIDTH, HEIGHT, z, 100);
        assert_equal(field(land, "receiver")[HEIGHT / 2 * WIDTH + WIDTH / 2], (float)(k + 1));
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* A quadratic surface has the slope and curvature of its formula, to rounding; a cone nearly. */
static void test_a_bowl_and_a_cone(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int i = 0; i < CELLS; i++) { /* r^2 / 400 m: curvature 1/200 + 1/200 */
        float dx = 10 * (float)(i % WIDTH - 19), dy = 10 * (float)(i / WIDTH - 15);
        z[i] = (dx * dx + dy * dy) / 400;
    }
    rv_terrain *bowl = analyse(ctx, WIDTH, HEIGHT, z, 100);
    for (int i = 0; i < CELLS; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        if (x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1)
            continue; /* there the ground goes on straight */
        double r = 10 * hypot(x - 19, y - 15);
        assert_near(field(bowl, "curvature")[i], 0.01, 1e-5);
        assert_near(field(bowl, "slope")[i], atan(r / 200) * 180 / 3.14159265358979, 1e-3);
    }
    rv_terrain_destroy(bowl);
    double sum = 0;
    for (int i = 0; i < CELLS; i++)
        z[i] = -5 * hypotf((float)(i % WIDTH - 19), (float)(i / WIDTH - 15));
    rv_terrain *cone = analyse(ctx, WIDTH, HEIGHT, z, 100);
    for (int i = 0; i < CELLS; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        double r = 10 * hypot(x - 19, y - 15);
        if (field(cone, "receiver")[i] == 0) /* all water leaves over the edge, and only there */
            sum += (double)field(cone, "area")[i];
        bool inside = x > 0 && y > 0 && x < WIDTH - 1 && y < HEIGHT - 1;
        assert_equal(field(cone, "receiver")[i] == 0, !inside);
        if (inside && r > 50) {
            assert_near(field(cone, "curvature")[i], -0.5 / r, 0.05 * 0.5 / r);
            assert_near(field(cone, "slope")[i], atan(0.5) * 180 / 3.14159265358979,
                        0.27); /* 1 % */
        }
    }
    assert_near(sum, 100.0 * CELLS, 1e-6);
    rv_terrain_destroy(cone);
    rv_context_destroy(ctx);
}

/* Nine springs feed a river; each springs from one cell, and three meet where it begins. */
static void test_a_drawn_network(void **state) {
    (void)state;
    static const float drawn[6 * 5] = {
        99, 99, 99, 99, 99, /* */
        99, 30, 31, 30, 99, /* all three to the 15 */
        99, 20, 15, 20, 99, /* the outer ones to the 5 */
        99, 10, 5,  10, 99, /* to the 2 */
        99, 8,  2,  8,  99, /* to the 2 */
        99, 99, 0,  99, 99,
    };
    static const float orders[6 * 5] = {
        1, 1, 1, 1, 1, /* the edge: water leaves at once */
        1, 1, 1, 1, 1, /* */
        1, 1, 2, 1, 1, /* */
        1, 1, 2, 1, 1, /* */
        1, 1, 2, 1, 1, /* */
        1, 1, 2, 1, 1,
    };
    static const float to[6 * 5] = {
        0, 0, 0, 0, 0, /* */
        0, 4, 5, 6, 0, /* */
        0, 4, 5, 6, 0, /* */
        0, 4, 5, 6, 0, /* */
        0, 3, 5, 7, 0, /* */
        0, 0, 0, 0, 0,
    };
    static const float areas[4] = {4, 7, 12, 13}; /* of the river */
    rv_context *ctx = support_context(1);
    rv_terrain *land = analyse(ctx, 5, 6, drawn, 1);
    for (int i = 0; i < 30; i++) {
        assert_equal(field(land, "stream_order")[i], orders[i]);
        assert_equal(field(land, "receiver")[i], to[i]);
    }
    /* Itself and three springs; two more at the 5, four at the 2. */
    for (int y = 2; y < 6; y++)
        assert_equal(field(land, "area")[y * 5 + 2], 100 * areas[y - 2]);
    /* 9 springs, 17 cells of the edge, one river. */
    assert_equal(rv_terrain_figure(land, 0)->value, 27);
    assert_string_equal(rv_terrain_figure(land, 0)->name, "streams");
    assert_equal(rv_terrain_figure(land, 1)->value, 2);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static int receiver_of(const rv_terrain *land, int i) {
    static const int east[9] = {0, 0, 1, 1, 1, 0, -1, -1, -1},
                     south[9] = {0, -1, -1, 0, 1, 1, 1, 0, -1};
    int k = (int)field(land, "receiver")[i];
    return i + south[k] * rv_terrain_width(land) + east[k];
}

/* Areas and orders follow from receivers: they are counted again, from the divides down. */
static void test_noise_counted_again(void **state) {
    (void)state;
    enum { SIDE = 64, ALL = SIDE * SIDE, CHANNEL = 15 };
    static int area[ALL], donors[ALL], most[ALL], twice[ALL], queue[ALL];
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_run(ctx, "terrain size=64 cell=10 noise seed=3 frequency=4 analyse "
                                        "channel=15");
    for (int i = 0; i < ALL; i++) {
        area[i] = 1;
        if (receiver_of(land, i) != i)
            donors[receiver_of(land, i)]++;
    }
    int end = 0;
    for (int i = 0; i < ALL; i++)
        if (donors[i] == 0)
            queue[end++] = i;
    for (int k = 0; k < end; k++) {
        int i = queue[k], to = receiver_of(land, i);
        int order = area[i] < CHANNEL ? 0 : most[i] == 0 ? 1 : twice[i] ? most[i] + 1 : most[i];
        assert_equal(field(land, "area")[i], 100.0f * (float)area[i]);
        assert_equal(field(land, "stream_order")[i], (float)order);
        if (to == i)
            continue;
        area[to] += area[i];
        twice[to] = order > most[to] ? 0 : order == most[to] && order > 0 ? 1 : twice[to];
        most[to] = order > most[to] ? order : most[to];
        if (--donors[to] == 0)
            queue[end++] = to;
    }
    assert_equal(end, ALL); /* no water goes round in a circle */
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Holes have no fields, and what lies beside them is no slope of theirs. */
static void test_holes(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, WIDTH, HEIGHT, CELL);
    static float hole[CELLS];
    for (int i = 0; i < CELLS; i++) {
        z[i] = 5 * (float)(i % WIDTH);
        hole[i] = i % WIDTH > 20 && i / WIDTH > 10 ? 1 : 0;
        z[i] = hole[i] > 0 ? -1000 : z[i];
    }
    support_ok(ctx, rv_terrain_field_set(land, "height", z));
    support_ok(ctx, rv_terrain_field_set(land, "hole", hole));
    support_ok(ctx, rv_step_run(land, RV_STEP_analyse, NULL, NULL));
    for (int i = 0; i < CELLS; i++) {
        double slope = hole[i] > 0 ? 0 : atan(0.5) * 180 / 3.14159265358979;
        assert_near(field(land, "slope")[i], slope, 1e-4);
        assert_equal(field(land, "area")[i] == 0, hole[i] > 0);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Slopes of steady rivers are those of the K and m that the step tells. */
static void test_law_of_rivers(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land =
        support_run(ctx, "terrain size=48 cell=100 noise seed=2 relief=100 rivers "
                         "erosion=5 area_power=0.4 uplift=0.6 time=40M steps=400 "
                         "wander=0 vary=0 diffusion=0 talus=90 source=0 border=open");
    const rv_figure *k = rv_terrain_figure(land, 0), *m = rv_terrain_figure(land, 1);
    assert_string_equal(k->name, "K");
    assert_string_equal(m->name, "m");
    assert_near(m->value, 0.4, 1e-6);
    double law = k->value, power = m->value; /* the figures live until the next step */
    support_ok(ctx, rv_step_run(land, RV_STEP_analyse, NULL, NULL));
    for (int i = 0; i < 48 * 48; i++) {
        int to = receiver_of(land, i), apart = abs(to - i);
        if (to == i)
            continue;
        double away = apart == 1 || apart == 48 ? 100 : 100 * sqrt(2);
        const float *h = rv_terrain_field(land, "height");
        double slope = (double)(h[i] - h[to]) / away;
        double cut = law * pow((double)field(land, "area")[i], power) * slope; /* m a year */
        assert_near(cut, 0.0006, 0.0006 * 0.01);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* After `track` only what comes later is counted; the heights and the ledger stay. */
static void test_track(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_run(ctx, "terrain size=48 cell=20 noise seed=4 droplets 2k");
    rv_ledger before = rv_terrain_ledger(land);
    float *heights = malloc(48 * 48 * sizeof *heights);
    memcpy(heights, field(land, "height"), 48 * 48 * sizeof *heights);
    support_ok(ctx, rv_step_run(land, RV_STEP_track, NULL, NULL));
    rv_ledger after = rv_terrain_ledger(land);
    assert_memory_equal(&before, &after, sizeof before);
    assert_memory_equal(heights, field(land, "height"), 48 * 48 * sizeof *heights);
    rv_report report;
    rv_thermal_params thermal = rv_thermal_params_default();
    thermal.talus = 20;
    support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &thermal, &report));
    double eroded = 0, deposited = 0;
    for (int i = 0; i < 48 * 48; i++) {
        eroded += 400 * (double)field(land, "eroded")[i];
        deposited += 400 * (double)field(land, "deposited")[i];
    }
    assert_greater(report.ledger.eroded, 0);
    assert_near(eroded, report.ledger.eroded, 1e-4 * report.ledger.eroded);
    assert_near(deposited, report.ledger.deposited, 1e-4 * report.ledger.deposited);
    free(heights);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plane),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_a_bowl_and_a_cone),
        cmocka_unit_test(test_a_drawn_network),
        cmocka_unit_test(test_noise_counted_again),
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_law_of_rivers),
        cmocka_unit_test(test_track),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
