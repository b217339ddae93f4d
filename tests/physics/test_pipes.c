/* test_pipes.c: what shallow water and the ground below it must do. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const grids[] = {"height",     "water", "sediment", "velocity_x",
                                    "velocity_y", "flow",  "eroded",   "deposited"};
enum { GRIDS = sizeof grids / sizeof grids[0] };

static rv_pipes_params quiet(void) {
    rv_pipes_params p = rv_pipes_params_default();
    p.rain = 0;
    p.evaporation = 0;
    p.capacity = 0;
    p.border = RV_pipes_border_wall;
    return p;
}

static rv_terrain *hills(rv_context *ctx, int width, int height, float cell) {
    rv_terrain *land = support_land(ctx, width, height, cell);
    rv_noise_params noise = rv_noise_params_default();
    noise.frequency = 2;
    noise.relief = 0.2f * cell * (float)height;
    support_ok(ctx, rv_step_run(land, RV_STEP_noise, &noise, NULL));
    return land;
}

static rv_report run(rv_terrain *land, rv_context *ctx, const rv_pipes_params *p) {
    rv_report report;
    support_ok(ctx, rv_step_run(land, RV_STEP_pipes, p, &report));
    return report;
}

static double sum(const rv_terrain *land, const char *name) {
    const float *v = rv_terrain_field(land, name);
    double total = 0;
    for (int i = 0; i < rv_terrain_width(land) * rv_terrain_height(land); i++)
        total += (double)v[i];
    return total;
}

static void check_water(const rv_report *r) {
    rv_water w = r->water;
    double in = w.before + w.rained, out = w.evaporated + w.absorbed + w.left_map + w.standing;
    if (fabs(in - out) > 1e-6 * in)
        fail_msg("before %.9g, rained %.9g, evaporated %.9g, off %.9g, standing %.9g: %g", w.before,
                 w.rained, w.evaporated, w.left_map, w.standing, in - out);
}

static void check_ledger(const rv_report *r, double before, double after) {
    rv_ledger l = r->ledger;
    double open = l.before + l.eroded - l.deposited - l.left_map - l.suspended;
    if (fabs(open) > 1e-6 * (l.eroded + fabs(l.deposited)) + 1e-9 ||
        fabs(after - before - (l.raised + l.deposited - l.eroded)) > 1e-6 * l.eroded + 1e-9)
        fail_msg("before %.9g, took %.9g, laid %.9g, off %.9g, afloat %.9g: %g is open; the land "
                 "changed by %.9g",
                 l.before, l.eroded, l.deposited, l.left_map, l.suspended, open, after - before);
}

/* ---- water alone ---- */

/* Any bed, any level, near 0 m and high up: not one bit moves. */
static void test_lake_at_rest(void **state) {
    (void)state;
    enum { W = 61, H = 47 };
    rv_context *ctx = support_context(2);
    static const float offsets[] = {0.0f, 1234.567f, -873.21f, 8000.0f};
    for (int neighbours = 0; neighbours < 2; neighbours++)
        for (size_t k = 0; k < sizeof offsets / sizeof offsets[0]; k++) {
            rv_terrain *land = hills(ctx, W, H, 10.0f);
            static float bed[W * H], water[W * H];
            memcpy(bed, rv_terrain_field(land, "height"), sizeof bed);
            float level = 41.3217f + offsets[k];
            for (int i = 0; i < W * H; i++) {
                bed[i] += offsets[k];
                water[i] = level > bed[i] ? level - bed[i] : 0.0f;
            }
            support_ok(ctx, rv_terrain_field_set(land, "height", bed));
            support_ok(ctx, rv_terrain_field_set(land, "water", water));
            rv_pipes_params p = quiet();
            p.capacity = 50;
            p.min_tilt = 0.1f;
            p.neighbours = neighbours;
            p.rounds = 60;
            run(land, ctx, &p);
            assert_memory_equal(rv_terrain_field(land, "water"), water, sizeof water);
            assert_memory_equal(rv_terrain_field(land, "height"), bed, sizeof bed);
            assert_equal(sum(land, "velocity_x"), 0.0);
            assert_equal(sum(land, "flow"), 0.0);
            rv_terrain_destroy(land);
        }
    rv_context_destroy(ctx);
}

static void test_water_is_conserved(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int border = 0; border < 2; border++)
        for (int neighbours = 0; neighbours < 2; neighbours++)
            for (int wet = 0; wet < 2; wet++) {
                rv_terrain *land = hills(ctx, 37, 35, 5.0f);
                rv_pipes_params p = rv_pipes_params_default();
                p.border = border;
                p.neighbours = neighbours;
                p.rain = wet ? 30000.0f : 20.0f; /* deep lakes, thin films */
                p.spring_rate = 3.0f;
                p.evaporation = 0.0007f;
                p.time = 200;
                rv_report first = run(land, ctx, &p), second;
                check_water(&first);
                assert_equal(first.water.before, 0.0);
                assert_greater(first.water.rained, 0.0);
                second = run(land, ctx, &p);
                check_water(&second);
                assert_equal(second.water.before, first.water.standing);
                assert_equal(first.water.left_map > 0.0, border == RV_pipes_border_open);
                rv_terrain_destroy(land);
            }
    rv_context_destroy(ctx);
}

/* Slow rain on a deep lake: each round adds less than the depth can hold. */
static void test_rain_on_deep_water(void **state) {
    (void)state;
    enum { N = 8 };
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, N, N, 10.0f);
    static float water[N * N];
    for (int i = 0; i < N * N; i++)
        water[i] = 200.0f;
    support_ok(ctx, rv_terrain_field_set(land, "water", water));
    rv_pipes_params p = quiet();
    p.rain = 10;
    p.time = 3600;
    run(land, ctx, &p);
    double rose = sum(land, "water") / (N * N) - 200.0;
    assert_near(rose, 0.01, 5e-5);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A wall of water of h = 10 m falls over a dry plain. Pipes leave out that moving water pushes what
 * is before it (as the paper does): a rarefaction q = 2/3 sqrt(g) (h^1.5 - d^1.5) then ends in a
 * front of depth d = 0.617 h that runs at sqrt(g d / 2) = 0.278 of Ritter's 2 sqrt(g h). */
static void test_dam_break(void **state) {
    (void)state;
    enum { W = 400, H = 6 };
    rv_context *ctx = support_context(2);
    for (int neighbours = 0; neighbours < 2; neighbours++) {
        rv_terrain *land = support_land(ctx, W, H, 1.0f);
        static float water[W * H];
        for (int i = 0; i < W * H; i++)
            water[i] = i % W < W / 2 ? 10.0f : 0.0f;
        support_ok(ctx, rv_terrain_field_set(land, "water", water));
        rv_pipes_params p = quiet();
        p.neighbours = neighbours;
        p.friction = 0.001f;
        int front[2];
        for (int turn = 0; turn < 2; turn++) {
            p.time = 4;
            run(land, ctx, &p);
            const float *now = rv_terrain_field(land, "water");
            front[turn] = 0;
            for (int i = 0; i < W * H; i++) {
                assert_greater_equal(now[i], 0.0f);
                assert_less(now[i], 11.0f);
                if (now[i] > 0.01f && i % W > front[turn])
                    front[turn] = i % W;
            }
        }
        double speed = (front[1] - front[0]) / 4.0, ritter = 2.0 * sqrt(9.81 * 10.0);
        print_message("dam break, %d pipes: front %.2f m/s, theory of pipes %.2f, Ritter %.2f\n",
                      neighbours ? 4 : 8, speed, 0.278 * ritter, ritter);
        assert_near(speed, 0.278 * ritter, 0.35 * 0.278 * ritter);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* Rain on a plane, long enough: what runs off is what falls, depth and speed are those of the
 * balance g d S = cf v^2, v d = rain x, and nothing changes any more. */
static void test_steady_flow_down_a_plane(void **state) {
    (void)state;
    enum { W = 60, H = 61 };
    rv_context *ctx = support_context(2);
    for (int neighbours = 0; neighbours < 2; neighbours++) {
        rv_terrain *land = support_land(ctx, W, H, 10.0f);
        static float bed[W * H], water[W * H];
        for (int i = 0; i < W * H; i++)
            bed[i] = (float)(W - i % W); /* slope 0.1 to the east */
        support_ok(ctx, rv_terrain_field_set(land, "height", bed));
        rv_pipes_params p = quiet();
        p.border = RV_pipes_border_open;
        p.neighbours = neighbours;
        p.rain = 1000;
        p.time = 3000;
        run(land, ctx, &p);
        memcpy(water, rv_terrain_field(land, "water"), sizeof water);
        p.time = 300;
        rv_report r = run(land, ctx, &p);
        assert_near(r.water.left_map, r.water.rained, 1e-4 * r.water.rained);
        const float *now = rv_terrain_field(land, "water");
        const float *vx = rv_terrain_field(land, "velocity_x");
        const float *vy = rv_terrain_field(land, "velocity_y");
        for (int x = 10; x < W - 1; x++) {
            int i = H / 2 * W + x;
            double q = 1000 / 3.6e6 * 10.0 * (x + 0.5); /* m2/s */
            double depth = pow(q * sqrt(0.1 / (9.81 * 0.1)), 2.0 / 3.0);
            if (fabsf(now[i] - water[i]) > 1e-3f * now[i])
                fail_msg("at %d: depth %g, then %g", x, (double)water[i], (double)now[i]);
            if (fabs((double)now[i] - depth) > 0.05 * depth)
                fail_msg("at %d: depth %g, expected %g", x, (double)now[i], depth);
            assert_near((double)vx[i], q / depth, 0.05 * q / depth);
            assert_less(fabsf(vy[i]), 0.01f * vx[i]);
        }
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* Velocity is to the east and to the south, as the cells are counted. */
static void test_velocity_points_downhill(void **state) {
    (void)state;
    enum { N = 24 };
    static const int falls[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    rv_context *ctx = support_context(1);
    for (int k = 0; k < 4; k++) {
        rv_terrain *land = support_land(ctx, N, N, 10.0f);
        static float bed[N * N];
        for (int i = 0; i < N * N; i++)
            bed[i] = (float)(-falls[k][0] * (i % N) - falls[k][1] * (i / N));
        support_ok(ctx, rv_terrain_field_set(land, "height", bed));
        rv_pipes_params p = quiet();
        p.border = RV_pipes_border_open;
        p.rain = 1000;
        p.time = 60;
        run(land, ctx, &p);
        int mid = N / 2 * N + N / 2;
        float vx = rv_terrain_field(land, "velocity_x")[mid];
        float vy = rv_terrain_field(land, "velocity_y")[mid];
        float along = vx * (float)falls[k][0] + vy * (float)falls[k][1];
        assert_greater(along, 0.1f);
        assert_less(fabsf(vx) + fabsf(vy), 1.01f * along);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void test_spring(void **state) {
    (void)state;
    enum { N = 41 };
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, N, N, 2.0f);
    rv_pipes_params p = quiet();
    p.spring_rate = 5;
    p.spring_radius = 6;
    p.time = 20;
    rv_report r = run(land, ctx, &p);
    assert_near(r.water.rained, 100.0, 1e-4);
    assert_near(r.water.standing, 100.0, 1e-3);
    const float *water = rv_terrain_field(land, "water");
    assert_greater(water[20 * N + 20], 0.01f);
    assert_equal(water[0], 0.0f);
    p.spring_x = 1000;
    assert_int_equal(rv_step_run(land, RV_STEP_pipes, &p, NULL), RV_ERROR_USAGE);
    rv_terrain_destroy(land);
    /* Several: each gives its water where it is. */
    land = support_land(ctx, N, N, 2.0f);
    p = quiet();
    p.time = 4;
    p.spring_radius = 0;
    p.springs = "10/10/3, 70/10/1 10/70/0.5";
    r = run(land, ctx, &p);
    assert_near(r.water.rained, 18.0, 1e-4);
    water = rv_terrain_field(land, "water");
    assert_greater(water[5 * N + 5], water[5 * N + 35]);
    assert_greater(water[5 * N + 35], water[35 * N + 5]);
    assert_greater(water[35 * N + 5], 0.01f);
    assert_equal(water[35 * N + 35], 0.0f);
    static const char *const wrong[][2] = {
        {"10/10", "is not a list of x/y/rate"},
        {"10/10/x", "is not a list of x/y/rate"},
        {"a", "is not a list of x/y/rate"},
        {"10/10/-1", "the spring at 10 m, 10 m brings -1 m3/s, expected 0 to 1e+07 m3/s"},
        {"1000/10/1", "the spring at 1000 m, 10 m lies outside the map of 80 m x 80 m"},
        {"9e9/0/1", "the spring at 9e+09 m, 0 m lies outside the map"},
        {"10/-2/1", "the spring at 10 m, -2 m lies outside the map"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        p.springs = wrong[i][0];
        assert_int_equal(rv_step_run(land, RV_STEP_pipes, &p, NULL), RV_ERROR_USAGE);
        if (!strstr(rv_context_error(ctx), wrong[i][1]))
            fail_msg("springs=%s: %s", wrong[i][0], rv_context_error(ctx));
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- water and ground ---- */

static void test_sediment_is_conserved(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int transport = 0; transport < 3; transport++)
        for (int border = 0; border < 2; border++)
            for (int neighbours = 0; neighbours < 2; neighbours++) {
                rv_terrain *land = hills(ctx, 30, 40, 10.0f);
                rv_pipes_params p = rv_pipes_params_default();
                p.transport = transport;
                p.border = border;
                p.neighbours = neighbours;
                p.time = 120;
                for (int turn = 0; turn < 2; turn++) {
                    double before = rv_terrain_volume(land),
                           afloat = 100.0 * (turn ? sum(land, "sediment") : 0);
                    rv_report r = run(land, ctx, &p);
                    check_ledger(&r, before, rv_terrain_volume(land));
                    check_water(&r);
                    double left = 100.0 * sum(land, "sediment");
                    assert_greater(r.ledger.eroded, 0.0);
                    assert_greater(r.ledger.deposited, 0.0);
                    assert_near(r.ledger.before, afloat, 1e-6 * r.ledger.eroded);
                    assert_near(r.ledger.suspended, left, 1e-6 * r.ledger.eroded);
                    if (border == RV_pipes_border_wall && transport != RV_pipes_transport_backward)
                        assert_equal(r.ledger.left_map, 0.0);
                }
                rv_terrain_destroy(land);
            }
    rv_context_destroy(ctx);
}

/* Water that takes and lays down at once carries what it can: capacity sin(tilt) speed depth. So
 * little that the plane it runs down stays one. */
static void test_water_carries_what_it_can(void **state) {
    (void)state;
    enum { W = 40, H = 21 };
    static const float slopes[] = {0.03f, 0.3f};
    rv_context *ctx = support_context(2);
    for (int k = 0; k < 2; k++) {
        rv_terrain *land = support_land(ctx, W, H, 10.0f);
        static float bed[W * H];
        for (int i = 0; i < W * H; i++)
            bed[i] = 10 * slopes[k] * (float)(W - i % W);
        support_ok(ctx, rv_terrain_field_set(land, "height", bed));
        rv_pipes_params p = quiet();
        p.border = RV_pipes_border_open;
        p.neighbours = RV_pipes_neighbours_4; /* all pipes that carry water run down the slope */
        p.rain = 1000;
        p.time = 2000;
        p.capacity = 0.1f;
        p.dissolve = p.deposit = 100;
        run(land, ctx, &p);
        const float *depth = rv_terrain_field(land, "water");
        const float *speed = rv_terrain_field(land, "velocity_x");
        const float *carried = rv_terrain_field(land, "sediment");
        double sine = (double)slopes[k] / sqrt(1 + (double)(slopes[k] * slopes[k]));
        for (int x = 10; x < W - 1; x++) {
            int i = H / 2 * W + x;
            double can = 0.1 * sine * (double)speed[i] * (double)depth[i];
            assert_near(carried[i], can, 0.1 * can);
        }
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* When the water has gone, no sediment is left in the air. */
static void test_dry_land_holds_no_sediment(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = hills(ctx, 60, 60, 10.0f);
    rv_pipes_params p = rv_pipes_params_default();
    p.time = 100;
    rv_report wet = run(land, ctx, &p);
    p.rain = 0;
    p.evaporation = 0.5f;
    rv_report dry = run(land, ctx, &p);
    assert_greater(wet.ledger.suspended, 0.0);
    assert_near(dry.ledger.before, wet.ledger.suspended, 1e-6 * wet.ledger.suspended);
    assert_greater_equal(dry.ledger.suspended, 0.0);
    assert_less(dry.ledger.suspended, 1e-4 * wet.ledger.suspended);
    assert_equal(dry.water.standing, 0.0);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

enum { SIDE = 35 }; /* rows of more than one block */

/* The cell that comes to (x, y) when the map is changed in one of seven ways. */
static int source(int way, int x, int y) {
    int e = SIDE - 1, at[8][2] = {{x, y},     {e - x, y}, {x, e - y},     {e - x, e - y},
                                  {y, e - x}, {e - y, x}, {e - y, e - x}, {y, x}};
    return at[way][1] * SIDE + at[way][0];
}

/* A map that is flipped or turned wears to the flipped or turned result, to the bit. */
static void test_flipped_and_turned(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int transport = 0; transport < 3; transport++)
        for (int mode = 0; mode < 4; mode++) {
            rv_pipes_params p = rv_pipes_params_default();
            p.transport = transport;
            p.neighbours = mode & 1;
            p.border = mode >> 1;
            p.rounds = 25;
            static float kept[GRIDS][SIDE * SIDE], bed[SIDE * SIDE], turned[SIDE * SIDE];
            for (int way = 0; way < 8; way++) {
                rv_terrain *land = hills(ctx, SIDE, SIDE, 10.0f);
                memcpy(bed, rv_terrain_field(land, "height"), sizeof bed);
                for (int i = 0; i < SIDE * SIDE; i++)
                    turned[i] = bed[source(way, i % SIDE, i / SIDE)];
                support_ok(ctx, rv_terrain_field_set(land, "height", turned));
                run(land, ctx, &p);
                run(land, ctx, &p); /* starts from the fields the first left */
                for (int g = 0; g < GRIDS; g++) {
                    const float *now = rv_terrain_field(land, grids[g]);
                    if (way == 0)
                        memcpy(kept[g], now, sizeof kept[g]);
                    bool vector = strncmp(grids[g], "velocity", 8) == 0;
                    for (int i = 0; !vector && i < SIDE * SIDE; i++)
                        if (now[i] != kept[g][source(way, i % SIDE, i / SIDE)])
                            fail_msg("%s, way %d, mode %d, transport %d: cell %d differs", grids[g],
                                     way, mode, transport, i);
                }
                rv_terrain_destroy(land);
            }
        }
    rv_context_destroy(ctx);
}

/* Plain land, and land with layers and hardness, with each transport. */
static void test_any_number_of_threads(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    for (int mode = 0; mode < 6; mode++) {
        uint64_t first = 0;
        for (int t = 0; t < 4; t++) {
            rv_context *ctx = support_context(threads[t]);
            rv_terrain *land = hills(ctx, 40, 70, 10.0f);
            static float soil[40 * 70];
            for (int i = 0; i < 40 * 70; i++)
                soil[i] = (float)(i % 10) * 0.1f;
            const rv_layer_desc desc = {.name = "soil", .erodibility = 0.7f, .talus = 30.0f};
            if (mode >= 3) {
                support_ok(ctx, rv_terrain_field_set(land, "hardness", soil));
                support_ok(ctx, rv_terrain_layer_add(land, &desc, soil));
            }
            rv_pipes_params p = rv_pipes_params_default();
            p.transport = mode % 3;
            p.rounds = 50;
            run(land, ctx, &p);
            uint64_t hash = rv_terrain_hash(land);
            first = t == 0 ? hash : first;
            assert_equal(hash, first);
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
        }
    }
}

/* Root of the mean square of the difference, over that of what changed. */
static double difference(const rv_terrain *a, const rv_terrain *b, const float *before) {
    const float *ha = rv_terrain_field(a, "height"), *hb = rv_terrain_field(b, "height");
    double apart = 0, moved = 0;
    for (int i = 0; i < rv_terrain_width(a) * rv_terrain_height(a); i++) {
        apart += (double)(ha[i] - hb[i]) * (double)(ha[i] - hb[i]);
        moved += (double)(ha[i] - before[i]) * (double)(ha[i] - before[i]);
    }
    return sqrt(apart / moved);
}

/* Half as long rounds, or the run in two parts, give nearly the same land. */
static void test_rounds_and_parts(void **state) {
    (void)state;
    enum { N = 40 };
    rv_context *ctx = support_context(2);
    rv_terrain *whole = hills(ctx, N, N, 10.0f), *fine = hills(ctx, N, N, 10.0f);
    rv_terrain *parts = hills(ctx, N, N, 10.0f);
    static float before[N * N];
    memcpy(before, rv_terrain_field(whole, "height"), sizeof before);
    rv_pipes_params p = rv_pipes_params_default();
    p.time = 120;
    p.dt = 0.4f;
    run(whole, ctx, &p);
    p.dt = 0.2f;
    run(fine, ctx, &p);
    p.dt = 0.4f;
    p.time = 60;
    run(parts, ctx, &p);
    run(parts, ctx, &p);
    double finer = difference(whole, fine, before), parted = difference(whole, parts, before);
    print_message("half the dt: %.3f of the change, in two parts: %.3f\n", finer, parted);
    assert_less(finer, 0.1);
    assert_less(parted, 0.05);
    rv_terrain_destroy(whole);
    rv_terrain_destroy(fine);
    rv_terrain_destroy(parts);
    rv_context_destroy(ctx);
}

/* ---- where it acts ---- */

static void test_mask_and_hardness(void **state) {
    (void)state;
    enum { N = 48 };
    rv_context *ctx = support_context(2);
    static float before[N * N], half[N * N];
    for (int i = 0; i < N * N; i++)
        half[i] = i % N < N / 2 ? 0.0f : 1.0f;
    for (int hard = 0; hard < 2; hard++) {
        rv_terrain *land = hills(ctx, N, N, 10.0f);
        memcpy(before, rv_terrain_field(land, "height"), sizeof before);
        support_ok(ctx, rv_terrain_field_set(land, hard ? "hardness" : "mask", half));
        rv_pipes_params p = rv_pipes_params_default();
        p.time = 100;
        double volume = rv_terrain_volume(land);
        rv_report r = run(land, ctx, &p);
        check_ledger(&r, volume, rv_terrain_volume(land));
        const float *now = rv_terrain_field(land, "height");
        const float *eroded = rv_terrain_field(land, "eroded");
        bool moved = false;
        for (int i = 0; i < N * N; i++) {
            if (hard && half[i] == 1.0f && (now[i] < before[i] || eroded[i] > 1e-3f))
                fail_msg("hard rock was worn at %d", i);
            if (!hard && half[i] == 0.0f && now[i] != before[i])
                fail_msg("masked ground moved at %d", i);
            moved = moved || now[i] < before[i];
        }
        assert_true(moved);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void test_layers(void **state) {
    (void)state;
    enum { N = 48 };
    rv_context *ctx = support_context(2);
    rv_terrain *land = hills(ctx, N, N, 10.0f), *hard = hills(ctx, N, N, 10.0f);
    static float soil[N * N], bedrock[N * N];
    for (int i = 0; i < N * N; i++)
        soil[i] = 0.05f;
    memcpy(bedrock, rv_terrain_field(land, "height"), sizeof bedrock);
    rv_layer_desc desc = {.name = "soil", .erodibility = 1.0f, .talus = 30.0f};
    support_ok(ctx, rv_terrain_layer_add(land, &desc, soil));
    desc.erodibility = 0.0f;
    support_ok(ctx, rv_terrain_layer_add(hard, &desc, soil));
    rv_pipes_params p = rv_pipes_params_default();
    p.time = 150;
    double volume = rv_terrain_volume(land);
    rv_report r = run(land, ctx, &p);
    check_ledger(&r, volume, rv_terrain_volume(land));
    const float *rock = rv_terrain_layer_thickness(land, 0);
    const float *top = rv_terrain_layer_thickness(land, 1);
    int cut = 0, thicker = 0;
    for (int i = 0; i < N * N; i++) {
        assert_greater_equal(top[i], 0.0f);
        assert_less_equal(rock[i], bedrock[i]);
        cut += rock[i] < bedrock[i];
        thicker += top[i] > soil[i];
    }
    assert_greater(cut, 10);
    assert_greater(thicker, 10);
    rv_ledger l = rv_terrain_layer_ledger(land, 1), l0 = rv_terrain_layer_ledger(land, 0);
    assert_near(l.eroded + l0.eroded, r.ledger.eroded, 1e-6 * r.ledger.eroded);
    assert_equal(l.deposited, r.ledger.deposited);
    assert_equal(l0.deposited, 0.0);
    r = run(hard, ctx, &p);
    assert_equal(r.ledger.eroded, 0.0);
    assert_memory_equal(rv_terrain_layer_thickness(hard, 0), bedrock, sizeof bedrock);
    rv_terrain_destroy(land);
    rv_terrain_destroy(hard);
    rv_context_destroy(ctx);
}

/* Cells that stand above all eight neighbours by more than 2 m. */
static int spikes(const rv_terrain *land) {
    int width = rv_terrain_width(land), count = 0;
    const float *h = rv_terrain_field(land, "height");
    for (int y = 1; y < rv_terrain_height(land) - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            float most = -1e30f;
            for (int n = 0; n < 9; n++)
                if (n != 4)
                    most = fmaxf(most, h[(y + n / 3 - 1) * width + x + n % 3 - 1]);
            count += h[y * width + x] > most + 2.0f;
        }
    return count;
}

/* Where water erodes only its own cell, as in the paper, forward transport builds spikes on banks;
 * sliding in between takes them down; flux has none. */
static void test_spikes_and_their_cure(void **state) {
    (void)state;
#define WATER "pipes width=0 capacity=200 rain=3000 deposit=0.05 dissolve=0.05 "
    rv_context *ctx = support_context(2);
    static const char *const waters[] = {
        "",
        WATER "transport=flux time=120",
        WATER "transport=forward time=120",
        "repeat 12 " WATER "transport=forward time=10 thermal talus=25 rounds=5 end",
    };
    int found[4];
    for (int k = 0; k < 4; k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "terrain size=48 cell=10 noise basis=perlin seed=11 octaves=3 frequency=2 "
                 "relief=150 %s",
                 waters[k]);
        rv_terrain *land = support_run(ctx, text);
        found[k] = spikes(land);
        rv_terrain_destroy(land);
    }
    print_message("spikes: %d at first, %d with flux, %d with forward, %d with the cure\n",
                  found[0], found[1], found[2], found[3]);
    assert_equal(found[0], 0);
    assert_equal(found[1], 0);
    assert_greater(found[2], 20);
    assert_less(5 * found[3], found[2]);
    rv_context_destroy(ctx);
}

/* A stop leaves whole rounds and closed ledgers. */
static bool stop_early(void *user, const rv_progress *now) {
    (void)user;
    return now->done < 0.01;
}

static void test_stopped(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 2;
    desc.progress = stop_early;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_terrain *land = hills(ctx, 40, 40, 10.0f);
    double before = rv_terrain_volume(land);
    rv_report r;
    rv_pipes_params p = rv_pipes_params_default();
    p.time = 20000;
    assert_int_equal(rv_step_run(land, RV_STEP_pipes, &p, &r), RV_CANCELLED);
    assert_greater(r.ledger.eroded, 0.0);
    check_ledger(&r, before, rv_terrain_volume(land));
    check_water(&r);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lake_at_rest),
        cmocka_unit_test(test_water_is_conserved),
        cmocka_unit_test(test_rain_on_deep_water),
        cmocka_unit_test(test_dam_break),
        cmocka_unit_test(test_steady_flow_down_a_plane),
        cmocka_unit_test(test_velocity_points_downhill),
        cmocka_unit_test(test_spring),
        cmocka_unit_test(test_sediment_is_conserved),
        cmocka_unit_test(test_water_carries_what_it_can),
        cmocka_unit_test(test_dry_land_holds_no_sediment),
        cmocka_unit_test(test_flipped_and_turned),
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_rounds_and_parts),
        cmocka_unit_test(test_mask_and_hardness),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_spikes_and_their_cure),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
