/* What the stream-power law, mathematics and bookkeeping say about land that rivers have worn. */
#include "base/random.h"
#include "land_measures.h"
#include "measure/drainage.h"
#include "river_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Every cell but the sides, which keep their height, rises by uplift times time, and the ledger
 * says so: not more and not less. */
static void test_uplift_is_booked_in_full(void **state) {
    (void)state;
    world w = make(40, 100, 300);
    rv_rivers_params p = rv_rivers_params_default();
    p.border = RV_rivers_border_open;
    for (int k = 0; k < 4; k++) {
        p.steps = 1 + 6 * k;
        p.time = 4e5f * (float)(k + 1);
        p.uplift = 0.3f * (float)k;
        p.diffusion = 0; /* nothing creeps in from the sides */
        double metres = (double)p.uplift * 0.001 * (double)p.time;
        rv_ledger l = run(&w, &p);
        assert_near(l.raised, metres * 38 * 38 * 1e4, 1e-6 * (l.raised + l.eroded) + 1e-3);
    }
    end(&w);
}

/* Only where the field says so, with or without rain from one, and by that share. */
static void test_uplift_follows_a_field(void **state) {
    (void)state;
    world w = make(40, 100, 300);
    float *rises = malloc(w.cells * sizeof *rises);
    for (size_t i = 0; i < w.cells; i++)
        rises[i] = i % 40 < 20 ? 0.5f : -3.0f; /* below 0 is 0 */
    support_ok(w.ctx, rv_terrain_field_set(w.land, "rises", rises));
    free(rises);
    rv_rivers_params p = rv_rivers_params_default();
    p.border = RV_rivers_border_open;
    p.uplift_field = "rises";
    p.rain_field = "rises";
    p.diffusion = 0;
    rv_ledger l = run(&w, &p);
    double metres = 0.5 * (double)p.uplift * 0.001 * (double)p.time;
    assert_near(l.raised, metres * 19 * 38 * 1e4, 1e-6 * (l.raised + l.eroded));
    p.uplift_field = "rises";
    p.uplift_image = "rises.png";
    assert_not_equal(rv_step_run(w.land, RV_STEP_rivers, &p, NULL), RV_OK);
    p.uplift_image = "";
    p.uplift_field = "nothing";
    assert_not_equal(rv_step_run(w.land, RV_STEP_rivers, &p, NULL), RV_OK);
    end(&w);
}

/* A crater fills from its rim, which stays: what comes in is told apart, and nothing is below 0. */
static void test_what_creeps_in_is_booked(void **state) {
    (void)state;
    for (int border = RV_rivers_border_outlets; border <= RV_rivers_border_wall; border++)
        for (int layers = 0; layers < 2; layers++) {
            world w = make(48, 10, 0);
            rv_cone_params cone = rv_cone_params_default();
            rv_rivers_params p = rv_rivers_params_default();
            cone.relief = -300;
            support_ok(w.ctx, rv_step_run(w.land, RV_STEP_cone, &cone, NULL));
            if (layers)
                support_ok(w.ctx, rv_step_run(w.land, RV_STEP_layer, NULL, NULL));
            p.uplift = 0;
            p.diffusion = 0.03f;
            p.time = 2e6f;
            p.border = border;
            rv_ledger l = run(&w, &p);
            if (border == RV_rivers_border_open)
                assert_greater(l.raised, 0.9 * l.deposited);
            end(&w);
        }
}

static rvi_drainage drain_map(const world *w) {
    rvi_drainage d;
    support_ok(w->ctx, rvi_drainage_make(w->ctx, w->side, w->side, height(w), NULL, &d));
    return d;
}

static double distance_to(const world *w, size_t a, size_t b) {
    size_t gap = a > b ? a - b : b - a;
    return w->cell * (gap == 1 || gap == (size_t)w->side ? 1.0 : sqrt(2.0));
}

/* dz/dt = 0 is S = ((1 + G) U / (K A^m))^(1/n). In some lands, of seeds 1 and 7, two rivers take an
 * area from each other for ever, when they lay something down. */
static void check_steady(float slope_power, float area_power, float deposition) {
    world w = make_from(2, 64, 100, 100);
    rv_rivers_params p = bare();
    p.slope_power = slope_power;
    p.area_power = area_power;
    p.deposition = deposition;
    p.erosion = slope_power > 1 ? 20.0f : 5.0f;
    run(&w, &p);
    p.time = 1e6f;
    p.steps = 5;
    rv_ledger l = run(&w, &p); /* at rest as much leaves as rises */
    assert_near(l.left_map / l.raised, 1, 2e-3);
    rvi_drainage d = drain_map(&w);
    int bad = 0, seen = 0;
    for (size_t c = 0; c < w.cells; c++) {
        size_t r = d.receiver[c];
        if (r == c)
            continue;
        double slope = (double)(height(&w)[c] - height(&w)[r]) / distance_to(&w, c, r);
        double area = (double)d.area[c] * w.cell * w.cell * 1e-6;
        double rate = (1 + (double)deposition) * (double)p.uplift / (double)p.erosion;
        double want = pow(rate / pow(area, (double)area_power), 1 / (double)slope_power);
        seen++;
        bad += fabs(slope / want - 1) > 0.01;
    }
    if (bad > 0)
        fail_msg("%d of %d cells are off by over 1 %% with n = %g, m = %g, G = %g", bad, seen,
                 (double)slope_power, (double)area_power, (double)deposition);
    rvi_drainage_free(w.ctx, &d);
    end(&w);
}

static void test_slopes_at_rest_follow_the_law(void **state) {
    (void)state;
    check_steady(1.0f, 0.45f, 0.0f);
    check_steady(1.0f, 0.5f, 0.0f);
    check_steady(2.0f, 0.9f, 0.0f);
    check_steady(0.7f, 0.3f, 0.0f);
    check_steady(1.0f, 0.45f, 0.6f);
    check_steady(1.5f, 0.7f, 1.0f);
}

/* Mountains beside a basin that does not rise: a part of what is cut in the mountains fills the
 * basin, the ledger says how much, and without deposition nothing does. Long time steps are stable.
 */
static void test_rivers_fill_a_basin(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        world w = make(64, 100, 0);
        float *heights = malloc(w.cells * sizeof *heights);
        for (size_t i = 0; i < w.cells; i++)
            heights[i] = (i % 64 < 32 ? 0.0f : 1500.0f) + (float)(i % 64 + i / 64) * 0.1f;
        support_ok(w.ctx, rv_terrain_field_set(w.land, "height", heights));
        rv_rivers_params p = bare();
        p.border = RV_rivers_border_west;
        p.uplift = 0;
        p.time = 2e5f;
        p.steps = k < 2 ? 40 : k < 3 ? 4 : 1000;
        p.deposition = k == 0 ? 0 : k == 3 ? 20 : 1;
        rv_ledger l = run(&w, &p);
        double filled = 0;
        for (size_t i = 0; i < w.cells; i++)
            filled += i % 64 < 32 ? fmax(0, (double)(height(&w)[i] - heights[i])) * 1e4 : 0;
        if (k == 0)
            assert_less(filled, 1e-6 * l.eroded);
        else
            assert_greater(filled, 0.02 * l.eroded);
        assert_less_equal(filled, l.deposited * (1 + 1e-6) + 1e-6);
        for (size_t i = 0; i < w.cells; i++)
            assert_less_equal(height(&w)[i], 1520.0f);
        free(heights);
        end(&w);
    }
}

static double drawn(uint64_t seed, uint64_t which, double low, double high) {
    return low + (high - low) * (double)rvi_unit(rvi_random(seed, which, 0));
}

/* What rivers lay down, however much and in however long time steps, stands nowhere higher than
 * what rises can, and leaves no pits where they have carried enough to fill them. */
static void check_no_dams(uint64_t seed) {
    world w = make(24 + (int)drawn(seed, 1, 0, 40), (float)drawn(seed, 2, 5, 200), 400);
    rv_rivers_params p = rv_rivers_params_default();
    p.seed = seed;
    p.deposition = (float)drawn(seed, 3, 0.1, 20);
    p.steps = 1 + (int)drawn(seed, 4, 0, 30);
    p.time = (float)drawn(seed, 5, 1e5, 3e6);
    p.uplift = (float)drawn(seed, 6, 0, 1);
    bool levels = seed % 3 == 0; /* land that is brought from coarse cells may be a little higher */
    p.source = (float)(drawn(seed, 7, 0, levels ? 20e-6 : 3.9e-6) * w.cell * w.cell);
    p.border = seed % 2 ? RV_rivers_border_outlets : RV_rivers_border_open;
    float top = 0;
    for (size_t i = 0; i < w.cells; i++)
        top = fmaxf(top, height(&w)[i]);
    rv_ledger l = run(&w, &p);
    for (size_t i = 0; !levels && i < w.cells; i++)
        assert_less_equal(height(&w)[i], top + 0.001f * p.uplift * p.time + 0.1f);
    int pits = land_pits(height(&w), w.side, w.side, 0.01);
    if (pits > 0 && l.left_map > 1e-3 * l.eroded)
        fail_msg("%d pits with deposition=%g in %d steps, random seed %llu", pits,
                 (double)p.deposition, p.steps, (unsigned long long)seed);
    end(&w);
}

static void test_deposits_are_no_dams(void **state) {
    (void)state;
    const char *more = getenv("RAVINE_RIVER_DEPOSITS");
    int count = more ? atoi(more) : support_short() ? 15 : 100;
    for (int k = 1; k <= count; k++)
        check_no_dams((uint64_t)k);
}

static void test_hard_rock_stands_higher(void **state) {
    (void)state;
    world w = make(64, 100, 50);
    float *hard = calloc(w.cells, sizeof *hard);
    for (size_t i = 0; i < w.cells; i++)
        hard[i] = i % 64 < 32 ? 0.5f : 0.0f;
    support_ok(w.ctx, rv_terrain_field_set(w.land, "hardness", hard));
    free(hard);
    rv_rivers_params p = bare();
    p.erosion = 5;
    run(&w, &p);
    double west = 0, east = 0;
    for (size_t i = 0; i < w.cells; i++)
        *(i % 64 < 32 ? &west : &east) += (double)height(&w)[i];
    assert_greater(west / east, 1.4);
    assert_less(west / east, 2.2);
    end(&w);
}

/* sin(pi x / L) sin(pi y / L) between edges that stay at 0 falls off as exp(-2 D (pi / L)^2 t). */
static void test_creep_flattens_a_wave_at_the_right_rate(void **state) {
    (void)state;
    enum { SIDE = 41 };
    world w = make(SIDE, 10, 0);
    float *wave = calloc(w.cells, sizeof *wave);
    double pi = acos(-1.0), length = (SIDE - 1) * w.cell;
    for (int i = 0; i < SIDE * SIDE; i++) {
        bool edge = i % SIDE == 0 || i / SIDE == 0 || i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1;
        double x = i % SIDE * w.cell, y = i / SIDE * w.cell;
        wave[i] = edge ? 0.0f : (float)(100 * sin(pi * x / length) * sin(pi * y / length));
    }
    support_ok(w.ctx, rv_terrain_field_set(w.land, "height", wave));
    rv_rivers_params p = bare();
    p.uplift = 0;
    p.erosion = 0;
    p.diffusion = 0.1f;
    p.time = 50000;
    p.steps = 100;
    run(&w, &p);
    double rate = 2 * 0.1 * (pi / length) * (pi / length), want = exp(-rate * 50000);
    assert_less(want, 0.6);
    for (size_t i = 0; i < w.cells; i++)
        assert_near((double)height(&w)[i], (double)wave[i] * want, 0.5);
    free(wave);
    end(&w);
}

/* A ramp with waves across it, of which the second half of the map has ten times the height; what
 * is left of the waves after floods, of those that are level and of those that are steep. */
static void level_waves(float cell, float floods, double left[2]) {
    enum { SIDE = 128 };
    world w = make(SIDE, cell, 0);
    float *heights = malloc(w.cells * sizeof *heights);
    double pi = acos(-1.0), scale = (double)cell / 10;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = i % SIDE, y = i / SIDE, high = y < SIDE / 2 ? 0.2 : 20;
        heights[i] = (float)(scale * (0.05 * x + high * sin(2 * pi * x / 16)));
    }
    support_ok(w.ctx, rv_terrain_field_set(w.land, "height", heights));
    rv_rivers_params p = bare();
    p.uplift = p.erosion = 0;
    p.talus = 90;
    p.floods = floods;
    p.time = 100000;
    p.steps = 10;
    rv_ledger l = run(&w, &p);
    if (!(floods > 0))
        assert_less(l.deposited, 1e-6);
    else
        assert_greater(l.deposited, 1);
    for (int k = 0; k < 2; k++) {
        const float *row = height(&w) + (k ? 96 : 32) * SIDE, *was = heights + (k ? 96 : 32) * SIDE;
        left[k] = (double)(row[68] - row[60]) / (double)(was[68] - was[60]);
    }
    free(heights);
    end(&w);
}

/* Floods level what is gentle already, and leave what is steep. */
static void test_floods_level_gentle_ground(void **state) {
    (void)state;
    double left[2];
    level_waves(10, 0, left);
    assert_near(left[0], 1, 1e-6);
    assert_near(left[1], 1, 1e-6);
    level_waves(10, 0.05f, left);
    assert_less(left[0], 0.7);
    assert_near(left[1], 1, 1e-6);
    double before = left[0];
    level_waves(20, 0.2f, left); /* all lengths are twice as large */
    assert_near(left[0], before, 0.02);
}

/* Nothing but creep and no way out but one cell: what one slope gives the other gets. */
static void test_creep_keeps_the_ground(void **state) {
    (void)state;
    world w = make(48, 10, 300);
    rv_rivers_params p = bare();
    p.border = RV_rivers_border_wall;
    p.uplift = 0;
    p.erosion = 0;
    p.diffusion = 1;
    p.time = 200;
    p.steps = 10;
    rv_ledger l = run(&w, &p);
    assert_greater(l.eroded, 0);
    assert_greater(l.deposited, 0.97 * l.eroded);
    end(&w);
}

/* Also on high land, where a mask lets it creep in patches alone, so much that they become level.
 */
static void test_patches_that_creep_keep_their_ground(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        world w = make_from((uint64_t)k, 48, 0.01f, k % 2 ? 100 : 1);
        rv_level_params level = rv_level_params_default();
        level.low = 4000;
        level.high = k % 2 ? 4100 : 4001;
        support_ok(w.ctx, rv_step_run(w.land, RV_STEP_level, &level, NULL));
        float *mask = malloc(w.cells * sizeof *mask);
        for (size_t i = 0; i < w.cells; i++)
            mask[i] = i % 12 > 2 && i % 12 < 11 && i / 48 % 8 > 1 && i / 48 % 8 < 7 ? 1.0f : 0.0f;
        support_ok(w.ctx, rv_terrain_field_set(w.land, "mask", mask));
        rv_rivers_params p = bare();
        p.uplift = p.erosion = 0;
        p.diffusion = 1000;
        p.time = 5e6f;
        p.steps = k < 4 ? 1 : 10;
        assert_greater(run(&w, &p).deposited, 0);
        free(mask);
        end(&w);
    }
}

/* An even slope, 2.2 in 10, on which water is routed on coarser cells first. */
static world even_slope(double kept[160 * 160]) {
    world w = make(160, 10, 0);
    float *heights = malloc(w.cells * sizeof *heights);
    assert_non_null(heights);
    for (size_t i = 0; i < w.cells; i++)
        heights[i] = (float)(kept[i] = 2.0 * (double)(i % 160) + (double)(i / 160));
    support_ok(w.ctx, rv_terrain_field_set(w.land, "height", heights));
    free(heights);
    return w;
}

/* On it water moves nothing; case k of four, with other coarse cells. */
static rv_rivers_params still_water(int k) {
    rv_rivers_params p = rv_rivers_params_default();
    p.seed = (uint64_t)k;
    p.border = RV_rivers_border_open;
    p.erosion = p.uplift = p.diffusion = 0;
    p.source = k < 2 ? 0.002f : 0.02f;
    return p;
}

static void test_an_even_slope_creeps_nowhere(void **state) {
    (void)state;
    static double was[160 * 160];
    for (int k = 0; k < 4; k++) {
        world w = even_slope(was);
        rv_rivers_params p = still_water(k);
        p.diffusion = 0.1f;
        run(&w, &p);
        for (size_t i = 0; i < w.cells; i++)
            assert_near((double)height(&w)[i], was[i], 0.01);
        end(&w);
    }
}

static void test_nothing_gentler_than_talus_slides(void **state) {
    (void)state;
    static double was[160 * 160];
    for (int k = 0; k < 4; k++) {
        world w = even_slope(was);
        rv_rivers_params p = still_water(k);
        p.talus = 13;
        assert_equal(run(&w, &p).eroded, 0);
        end(&w);
    }
}

static double mean_height(const world *w) {
    return rv_terrain_volume(w->land) / ((double)w->cells * w->cell * w->cell);
}

static void test_finer_grids_give_land_as_high(void **state) {
    (void)state;
    double got[2];
    for (int k = 0; k < 2; k++) {
        world w = make(k ? 129 : 65, k ? 50 : 100, 200);
        rv_rivers_params p = rv_rivers_params_default();
        p.source = 0.02f;
        p.steps = 60;
        p.time = 6e6f;
        run(&w, &p);
        got[k] = mean_height(&w);
        end(&w);
    }
    if (!(fabs(got[1] / got[0] - 1) < 0.2))
        fail_msg("%g m on average, on a finer grid %g m", got[0], got[1]);
}

static void test_slopes_stand_no_steeper_than_talus(void **state) {
    (void)state;
    world w = make(64, 30, 300);
    rv_rivers_params p = bare();
    p.time = 2e7f;
    p.steps = 150;
    p.talus = 30;
    p.erosion = 2;
    run(&w, &p);
    rvi_drainage d = drain_map(&w);
    double steepest = 0;
    for (size_t c = 0; c < w.cells; c++) {
        size_t r = d.receiver[c];
        double slope = c == r ? 0 : (double)(height(&w)[c] - height(&w)[r]) / distance_to(&w, c, r);
        steepest = fmax(steepest, slope);
    }
    /* The steepest way may have turned in the last time step. */
    if (!(steepest < 1.02 * tan(acos(-1.0) / 6)))
        fail_msg("a slope of %g", steepest);
    rvi_drainage_free(w.ctx, &d);
    end(&w);
}

/* A plateau around one deep hole slides into a funnel: as steep in every direction. */
static void test_a_funnel_is_round(void **state) {
    (void)state;
    enum { SIDE = 81, MIDDLE = SIDE / 2 };
    world w = make(SIDE, 20, 0);
    float *heights = malloc(w.cells * sizeof *heights);
    for (size_t i = 0; i < w.cells; i++)
        heights[i] = i == MIDDLE * SIDE + MIDDLE ? 0 : 3000;
    support_ok(w.ctx, rv_terrain_field_set(w.land, "height", heights));
    free(heights);
    rv_rivers_params p = bare();
    p.border = RV_rivers_border_wall;
    p.erosion = p.uplift = 0;
    p.talus = 40;
    p.time = 1000;
    p.steps = 3;
    run(&w, &p);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double far = 20 * hypot(x - MIDDLE, y - MIDDLE);
            double cone = far * tan(40 * acos(-1.0) / 180), h = (double)height(&w)[y * SIDE + x];
            if (!(fabs(h - cone) <= 0.04 * cone + 0.01))
                fail_msg("%g m high at %g m, not %g m", h, far, cone);
        }
    end(&w);
}

/* Nothing is dug below the place where all water ends, though the coarse cells do not know how deep
 * and narrow that is. */
static void test_nothing_is_dug_below_the_lowest_point(void **state) {
    (void)state;
    enum { SIDE = 128 };
    static const int borders[] = {RV_rivers_border_wall, RV_rivers_border_sink,
                                  RV_rivers_border_outlets};
    for (int k = 0; k < 12; k++) {
        world w = make_from((uint64_t)k, SIDE, 20, 300);
        float *heights = malloc(w.cells * sizeof *heights);
        memcpy(heights, height(&w), w.cells * sizeof *heights);
        int far = k % 4;
        for (int y = 60; y < 63 + far; y++)
            for (int x = 60; x < 63; x++)
                heights[y * SIDE + x] -= 400 + 30 * (float)(x + y);
        float lowest = heights[(62 + far) * SIDE + 62];
        for (size_t i = 0; i < w.cells; i++)
            lowest = heights[i] < lowest ? heights[i] : lowest;
        support_ok(w.ctx, rv_terrain_field_set(w.land, "height", heights));
        free(heights);
        rv_rivers_params p = rv_rivers_params_default();
        p.border = borders[k / 4];
        p.source = k % 2 ? 0.05f : 0.01f;
        p.diffusion = 0.0001f;
        run(&w, &p);
        for (size_t i = 0; i < w.cells; i++)
            assert_greater_equal(height(&w)[i], lowest);
        end(&w);
    }
}

/* Rivers do not cut below where they leave the map, wherever the last coarse cells lie before its
 * edge: there is no moat along it. */
static void test_no_moat_along_the_edge(void **state) {
    (void)state;
    static const char *const borders[] = {"sink", "open", "east", "south", "outlets"};
    rv_context *ctx = support_context(2);
    for (int k = 0; k < 40; k++) {
        char words[300];
        double cell = 3 + 1.37 * (k % 11), relief = cell * (1.2 + 0.2 * (k % 4));
        snprintf(words, sizeof words,
                 "terrain width=%d height=%d cell=%g noise seed=%d level low=0 high=%g "
                 "rivers steps=80 border=%s source=%g uplift=0.03 erosion=1.1 time=%g diffusion=0",
                 64 + 13 * k % 29, 64 + 17 * k % 31, cell, k, relief, borders[k % 5],
                 1e-6 * pow(cell * (1.3 + 0.4 * (k % 13)), 2), 5e4 * relief);
        rv_terrain *land = support_run(ctx, words);
        const float *h = rv_terrain_field(land, "height");
        int width = rv_terrain_width(land), rows = rv_terrain_height(land);
        float outlets = 0; /* these keep the mean around them */
        for (int i = 0; i < width * rows; i++)
            if (k % 5 == 4 && (i % width == 0 || i < width))
                outlets = fminf(outlets, h[i]);
        for (int i = 0; i < width * rows; i++)
            assert_greater((double)h[i], (double)outlets - 0.03 * cell);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* The slopes of such a funnel, from its middle, every 15 degrees, where the strength of the rock
 * varies; all slopes are within the range that is given for them. */
static void funnel_slopes(int side, uint64_t seed, double slopes[24]) {
    int middle = side / 2;
    world w = make(side, (float)(1620.0 / side), 0);
    float *heights = malloc(w.cells * sizeof *heights);
    for (int i = 0; i < side * side; i++)
        heights[i] = i == middle * side + middle ? 0 : 3000;
    support_ok(w.ctx, rv_terrain_field_set(w.land, "height", heights));
    free(heights);
    rv_rivers_params p = bare();
    p.border = RV_rivers_border_wall;
    p.erosion = p.uplift = 0;
    p.source = 0.001f;
    p.talus = 40;
    p.talus_vary = 0.3f;
    p.seed = seed;
    p.time = 1000;
    p.steps = 16;
    run(&w, &p);
    for (int k = 0; k < 24; k++) {
        double turn = k * acos(-1.0) / 12, far = 500 / w.cell;
        int x = middle + (int)round(far * cos(turn)), y = middle + (int)round(far * sin(turn));
        slopes[k] = (double)height(&w)[y * side + x] / (w.cell * hypot(x - middle, y - middle));
        double talus = tan(40 * acos(-1.0) / 180);
        assert_true(slopes[k] > 0.7 * 0.96 * talus && slopes[k] < 1.3 * 1.04 * talus);
    }
    end(&w);
}

/* With talus_vary a slope is no plane, and the same place is as steep on finer cells. */
static void test_talus_varies_with_the_place(void **state) {
    (void)state;
    double coarse[24], fine[24], other[24], spread = 0, off = 0, changed = 0;
    funnel_slopes(81, 1, coarse);
    funnel_slopes(163, 1, fine);
    funnel_slopes(81, 2, other);
    for (int k = 0; k < 24; k++) {
        spread += fabs(coarse[k] / coarse[(k + 5) % 24] - 1) / 24;
        off += fabs(fine[k] / coarse[k] - 1) / 24;
        changed += fabs(other[k] / coarse[k] - 1) / 24;
    }
    assert_greater(spread, 0.02);
    assert_greater(changed, 0.02);
    assert_less(off, 0.5 * spread);
}

static void test_lakes_run_dry(void **state) {
    (void)state;
    world w = make(64, 50, 600);
    rvi_drainage d = drain_map(&w);
    double before = 0, after = 0;
    for (size_t i = 0; i < w.cells; i++)
        before += (double)(d.filled[i] - height(&w)[i]);
    rvi_drainage_free(w.ctx, &d);
    rv_rivers_params p = rv_rivers_params_default();
    p.time = 2e6f;
    run(&w, &p);
    d = drain_map(&w);
    for (size_t i = 0; i < w.cells; i++)
        after += (double)(d.filled[i] - height(&w)[i]);
    rvi_drainage_free(w.ctx, &d);
    assert_greater(before, 1000);
    assert_less(after, 1e-3 * before);
    end(&w);
}

static void test_the_sea_stays(void **state) {
    (void)state;
    world w = make(64, 50, 600);
    float *was = malloc(w.cells * sizeof *was);
    memcpy(was, height(&w), w.cells * sizeof *was);
    rv_rivers_params p = rv_rivers_params_default();
    p.sea = 250;
    p.border = RV_rivers_border_wall;
    run(&w, &p);
    for (size_t i = 0; i < w.cells; i++) {
        if (was[i] < p.sea)
            assert_equal(height(&w)[i], was[i]);
        else
            assert_greater_equal(height(&w)[i], p.sea);
    }
    free(was);
    end(&w);
}

/* Rivers that begin on coarse cells know the sea as well: land at the coast is as high as on cells
 * that were coarse from the start. */
static void test_coarse_levels_know_the_sea(void **state) {
    (void)state;
    double mean[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        world w = make(k ? 160 : 40, k ? 10 : 40, 600);
        float *was = malloc(w.cells * sizeof *was);
        memcpy(was, height(&w), w.cells * sizeof *was);
        rv_rivers_params p = rv_rivers_params_default();
        p.sea = 250;
        p.border = RV_rivers_border_wall;
        p.uplift = 2;
        run(&w, &p);
        int land = 0;
        for (size_t i = 0; i < w.cells; i++) {
            if (was[i] < p.sea)
                assert_equal(height(&w)[i], was[i]);
            else
                assert_greater_equal(height(&w)[i], p.sea);
            land += was[i] >= p.sea;
            mean[k] += was[i] >= p.sea ? (double)(height(&w)[i] - p.sea) : 0;
        }
        mean[k] /= land;
        free(was);
        end(&w);
    }
    assert_near(mean[1] / mean[0], 1, 0.15);
}

static void add_layer(world *w, const char *name, float thickness, float erodibility) {
    float *values = malloc(w->cells * sizeof *values);
    for (size_t i = 0; i < w->cells; i++)
        values[i] = thickness;
    support_ok(w->ctx,
               rv_terrain_layer_add(w->land, &(rv_layer_desc){name, erodibility, 40, 0}, values));
    free(values);
}

/* Under a cover that gives nothing no rock is taken; a soft one goes first, and where rock was cut
 * none of it is left. */
static void test_layers_are_cut_from_the_top(void **state) {
    (void)state;
    world w = make(48, 50, 300);
    add_layer(&w, "soft", 20, 1);
    rv_rivers_params p = bare();
    p.border = RV_rivers_border_open;
    p.time = 2e5f;
    p.steps = 20;
    p.uplift = 0;
    float *rock = malloc(w.cells * sizeof *rock);
    memcpy(rock, rv_terrain_layer_thickness(w.land, 0), w.cells * sizeof *rock);
    run(&w, &p);
    int cut = 0;
    for (size_t i = 0; i < w.cells; i++)
        if (rv_terrain_layer_thickness(w.land, 0)[i] < rock[i] - 1e-3f) {
            cut++;
            assert_less(rv_terrain_layer_thickness(w.land, 1)[i], 1e-3f);
        }
    assert_greater(cut, 20);
    free(rock);
    end(&w);
    w = make(48, 50, 300);
    add_layer(&w, "armour", 5, 0);
    float *was = malloc(w.cells * sizeof *was);
    memcpy(was, height(&w), w.cells * sizeof *was);
    rv_ledger l = run(&w, &p);
    assert_equal(l.eroded, 0);
    assert_memory_equal(was, height(&w), w.cells * sizeof *was);
    free(was);
    end(&w);
}

/* A layer of nothing changes nothing, in hard rock that slides neither. */
static void test_a_layer_of_nothing_changes_nothing(void **state) {
    (void)state;
    world a = make(48, 20, 900), b = make(48, 20, 900);
    float *hard = malloc(a.cells * sizeof *hard);
    for (size_t i = 0; i < a.cells; i++)
        hard[i] = 0.8f;
    support_ok(a.ctx, rv_terrain_field_set(a.land, "hardness", hard));
    support_ok(b.ctx, rv_terrain_field_set(b.land, "hardness", hard));
    free(hard);
    add_layer(&b, "nothing", 0, 1);
    rv_rivers_params p = bare();
    p.talus = 10;
    p.time = 1e5f;
    p.steps = 10;
    run(&a, &p);
    run(&b, &p);
    for (size_t i = 0; i < a.cells; i++)
        assert_near(height(&a)[i], height(&b)[i], 0.01f);
    end(&a);
    end(&b);
}

/* Twice as soft rock is worn as if twice the time had passed, where nothing rises. */
static void test_erodibility_counts_as_time(void **state) {
    (void)state;
    world a = make(48, 50, 300), b = make(48, 50, 300);
    rv_rivers_params p = bare();
    p.uplift = 0;
    p.time = 1e5f;
    p.steps = 10;
    float *hard = malloc(a.cells * sizeof *hard);
    for (size_t i = 0; i < a.cells; i++)
        hard[i] = 0.5f;
    support_ok(a.ctx, rv_terrain_field_set(a.land, "hardness", hard));
    free(hard);
    run(&a, &p);
    p.time = 5e4f;
    run(&b, &p);
    for (size_t i = 0; i < a.cells; i++)
        assert_near(height(&a)[i], height(&b)[i], 0.01f);
    end(&a);
    end(&b);
}

/* The change agrees to 2 % of the relief, and correlates by 0.97, with that on cells half as large.
 */
static void test_same_land_at_any_size(void **state) {
    (void)state;
    static const char *const shapes[] = {"plain", "ridged", "billow"};
    enum { SIDE = 256 };
    rv_context *ctx = support_context(2);
    for (int k = 0; k < 3; k++) {
        char start[2][100];
        land_pair pair[2];
        for (int fine = 0; fine < 2; fine++) {
            snprintf(start[fine], sizeof start[fine], "terrain size=%d cell=%g noise shape=%s",
                     SIDE << fine, 20.0 / (1 << fine), shapes[k]);
            pair[fine] = land_pair_make(ctx, start[fine], "rivers");
        }
        land_agreement same = land_agreement_at(&pair[0], &pair[1], SIDE / 2, 600);
        assert_less(same.difference, 0.02);
        assert_greater(same.correlation, 0.97);
        land_pair_free(&pair[0]);
        land_pair_free(&pair[1]);
    }
    rv_context_destroy(ctx);
}

/* Nor does it differ on a small extent, where the extent says how wide coarse cells are. */
static void test_same_land_on_a_small_extent(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int seed = 1; seed <= 3; seed++) {
        land_pair pair[2];
        for (int fine = 0; fine < 2; fine++) {
            char start[100];
            snprintf(start, sizeof start, "terrain size=%d cell=%d noise seed=%d", 128 << fine,
                     fine ? 5 : 10, seed);
            pair[fine] = land_pair_make(ctx, start, "rivers");
        }
        land_agreement same = land_agreement_at(&pair[0], &pair[1], 64, 600);
        assert_less(same.difference, 0.02);
        land_pair_free(&pair[0]);
        land_pair_free(&pair[1]);
    }
    rv_context_destroy(ctx);
}

/* Land of one extent agrees as well on numbers of cells that are no multiples of each other. */
static void test_same_land_at_odd_sizes(void **state) {
    (void)state;
    enum { SIZES = 3, SIDE = 120 };
    static const int sides[SIZES] = {190, 255, 323};
    static double land[SIZES][SIDE * SIDE];
    rv_context *ctx = support_context(2);
    for (int k = 0; k < SIZES; k++) {
        char words[200];
        snprintf(words, sizeof words,
                 "terrain size=160 cell=32 noise octaves=5 resize size=%d rivers source=0.006 "
                 "resize size=%d",
                 sides[k], SIDE);
        land_pair size;
        float *heights = land_heights(ctx, words, &size);
        for (int i = 0; i < SIDE * SIDE; i++)
            land[k][i] = (double)heights[i];
        free(heights);
    }
    for (int k = 1; k < SIZES; k++) {
        land_agreement same = land_agreement_of(land[0], land[k], SIDE * SIDE, 600);
        assert_less(same.difference, 0.02);
        assert_greater(same.correlation, 0.97);
    }
    rv_context_destroy(ctx);
}

/* 0 in a wall across the map, elsewhere 1. */
static float wall_between(void *user, float x, float y, float z) {
    const double *wall = user;
    (void)y, (void)z;
    return (double)x >= wall[0] && (double)x <= wall[1] ? 0.0f : 1.0f;
}

/* Rock that nothing wears stays where it is, whatever coarse cells lie over it, and what is beside
 * it is worn up to it. */
static void test_hard_rock_stays_where_it_is(void **state) {
    (void)state;
    enum { WIDTH = 150, HEIGHT = 97 };
    for (int k = 0; k < 4; k++) {
        double wall[2] = {300 + 131 * k, 420 + 151 * k};
        rv_context *ctx = support_context(2);
        rv_terrain *land = support_run(ctx, "terrain width=150 height=97 cell=10 noise relief=300");
        float *was = malloc(WIDTH * HEIGHT * sizeof *was);
        memcpy(was, rv_terrain_field(land, "height"), WIDTH * HEIGHT * sizeof *was);
        rv_terrain_hardness(land, wall_between, wall);
        rv_rivers_params p = rv_rivers_params_default();
        p.source = k % 2 ? 0.0005f : 0.003f;
        p.uplift = 0;
        p.talus = 25;
        support_ok(ctx, rv_step_run(land, RV_STEP_rivers, &p, NULL));
        double beside = 0, sum = 0;
        int near = 0, all = 0;
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            double x = 10.0 * (i % WIDTH), out = fmax(wall[0] - x, x - wall[1]);
            double loss = (double)was[i] - (double)rv_terrain_field(land, "height")[i];
            if (out <= 0)
                assert_less_equal(loss, 0);
            beside += out > 0 && out <= 30 ? loss : 0;
            near += out > 0 && out <= 30;
            sum += out > 30 ? loss : 0;
            all += out > 30;
        }
        assert_greater(beside / near, 0.3 * sum / all);
        free(was);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
}

/* A basin beside the edge drains over it, also where a pit of some centimetres lies before its
 * outlet and the land does not rise: it does not fill as high as the next outlet. */
static void test_a_low_basin_drains_over_the_edge(void **state) {
    (void)state;
    enum { SIDE = 96 };
    for (int k = 0; k < 4; k++) {
        world w = make(SIDE, 20, 0);
        float *heights = malloc(w.cells * sizeof *heights);
        for (int i = 0; i < SIDE * SIDE; i++) {
            int x = i % SIDE, y = i / SIDE;
            heights[i] = (float)(110 + 4 * x + 3 * abs(y - SIDE / 2));
        }
        for (int y = SIDE / 2 - 3; y <= SIDE / 2 + 3; y++)
            for (int x = 1; x < 7; x++)
                heights[y * SIDE + x] = (float)(110 - 0.7 * k);
        support_ok(w.ctx, rv_terrain_field_set(w.land, "height", heights));
        free(heights);
        rv_rivers_params p = rv_rivers_params_default();
        p.uplift = 0;
        run(&w, &p);
        double leaves = 0;
        for (int y = SIDE / 2 - 4; y <= SIDE / 2 + 4; y++)
            leaves = fmax(leaves, (double)rv_terrain_field(w.land, "flow")[y * SIDE]);
        assert_greater(leaves, 0.5 * SIDE * SIDE * 400);
        end(&w);
    }
}

/* A valley that falls to the west and has a way out at both ends. A hollow beside the western one,
 * less deep than the land rises in half of the time, moves no water from one to the other. */
static void test_a_hollow_closes_no_outlet(void **state) {
    (void)state;
    enum { SIDE = 48 };
    double leaves[2];
    for (int k = 0; k < 2; k++) {
        world w = make(SIDE, 50, 0);
        float *heights = malloc(w.cells * sizeof *heights);
        assert_non_null(heights);
        for (int i = 0; i < SIDE * SIDE; i++) {
            int x = i % SIDE, y = i / SIDE;
            heights[i] = (float)(110 + 0.02 * x + 2 * abs(y - SIDE / 2));
        }
        heights[SIDE / 2 * SIDE] = 108;
        heights[SIDE / 2 * SIDE + SIDE - 1] = 109;
        heights[SIDE / 2 * SIDE + 1] -= k ? 30 : 0;
        support_ok(w.ctx, rv_terrain_field_set(w.land, "height", heights));
        free(heights);
        rv_rivers_params p = rv_rivers_params_default();
        run(&w, &p);
        leaves[k] = (double)rv_terrain_field(w.land, "flow")[SIDE / 2 * SIDE];
        end(&w);
    }
    assert_greater(leaves[0], 0.5 * SIDE * SIDE * 2500);
    assert_near(leaves[1], leaves[0], 0.05 * leaves[0]);
}

/* Land goes on up to the edge of the map: its outermost cells lie no more out of line with the next
 * ones than those inside do. */
static void test_the_edge_is_land_like_all_other(void **state) {
    (void)state;
    enum { SIDE = 128 };
    world w = make(SIDE, 20, 500);
    rv_rivers_params p = rv_rivers_params_default();
    run(&w, &p);
    double bend[2] = {0, 0};
    int count[2] = {0, 0};
    for (int y = 1; y + 1 < SIDE; y++)
        for (int x = 0; x + 2 < SIDE; x++) {
            const float *h = height(&w) + y * SIDE + x;
            bool inside = x > 0 && x + 3 < SIDE;
            bend[inside] += fabs((double)h[0] - 2 * (double)h[1] + (double)h[2]);
            count[inside]++;
        }
    assert_less(bend[0] / count[0], 2 * bend[1] / count[1]);
    end(&w);
}

/* With outlets=1 all water leaves at one place, and no pit is left. */
static void test_water_leaves_at_the_outlets(void **state) {
    (void)state;
    world w = make(64, 50, 300);
    rv_rivers_params p = rv_rivers_params_default();
    p.outlets = 1;
    p.time = 2e6f;
    run(&w, &p);
    const float *flow = rv_terrain_field(w.land, "flow");
    double most = 0;
    for (size_t i = 0; i < w.cells; i++)
        most = fmax(most, (double)flow[i]);
    assert_near(most, (double)w.cells * 2500, 1);
    end(&w);
}

/* However far ground creeps in a time step, the ledger adds up: the run itself asks. */
static void test_much_creep(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain_destroy(support_run(ctx,
                                   "terrain size=40 cell=0.001 noise relief=50 rivers steps=20 "
                                   "time=20M diffusion=1000"));
    rv_context_destroy(ctx);
}

/* A lake of which a mask keeps one half is filled in the other, and slopes down to the half that
 * stays. */
static void test_a_filled_lake_leans_on_what_a_mask_keeps(void **state) {
    (void)state;
    enum { SIDE = 96 };
    world w = make(SIDE, 20, 0);
    float *heights = malloc(w.cells * sizeof *heights), *mask = malloc(w.cells * sizeof *mask);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int x = i % SIDE, y = i / SIDE;
        double far = hypot(x - 48, y - 48);
        heights[i] = (float)(200 + 0.3 * x + 0.05 * y - (far < 30 ? 150 - 5 * far : 0));
        mask[i] = x > 48 ? 1 : 0;
    }
    support_ok(w.ctx, rv_terrain_field_set(w.land, "height", heights));
    support_ok(w.ctx, rv_terrain_field_set(w.land, "mask", mask));
    rv_rivers_params p = rv_rivers_params_default();
    p.deposition = 2;
    p.time = 1e5f;
    p.steps = 20;
    rv_ledger l = run(&w, &p);
    double most = 0, steepest = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double won = (double)height(&w)[i] - (double)heights[i];
        most = fmax(most, won);
        if (mask[i] == 0)
            assert_equal(height(&w)[i], heights[i]);
        if (i % SIDE == 49)
            steepest = fmax(steepest, (double)(height(&w)[i] - height(&w)[i - 1]) / 20);
    }
    assert_greater(most, 50);
    assert_less(steepest, 0.73); /* 36 degrees */
    assert_near(l.eroded, l.deposited + l.left_map, 1e-6 * l.eroded);
    free(heights);
    free(mask);
    end(&w);
}

/* Also where heights are large beside all differences. */
static void test_much_creep_on_high_land(void **state) {
    (void)state;
    for (int border = 0; border < 8; border++) {
        world w = make_from(3, 40, 0.01f, 1);
        rv_level_params level = {.low = 9000, .high = 9000.3f};
        support_ok(w.ctx, rv_step_run(w.land, RV_STEP_level, &level, NULL));
        rv_rivers_params p = rv_rivers_params_default();
        p.uplift = 0;
        p.diffusion = 1000;
        p.time = 5e6f;
        p.steps = 8;
        p.border = border;
        rv_ledger l = run(&w, &p);
        assert_near(l.eroded, l.deposited + l.left_map, 1e-6 * l.eroded);
        end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_much_creep),
        cmocka_unit_test(test_much_creep_on_high_land),
        cmocka_unit_test(test_a_filled_lake_leans_on_what_a_mask_keeps),
        cmocka_unit_test(test_uplift_is_booked_in_full),
        cmocka_unit_test(test_uplift_follows_a_field),
        cmocka_unit_test(test_what_creeps_in_is_booked),
        cmocka_unit_test(test_slopes_at_rest_follow_the_law),
        cmocka_unit_test(test_rivers_fill_a_basin),
        cmocka_unit_test(test_deposits_are_no_dams),
        cmocka_unit_test(test_hard_rock_stands_higher),
        cmocka_unit_test(test_creep_flattens_a_wave_at_the_right_rate),
        cmocka_unit_test(test_floods_level_gentle_ground),
        cmocka_unit_test(test_creep_keeps_the_ground),
        cmocka_unit_test(test_an_even_slope_creeps_nowhere),
        cmocka_unit_test(test_nothing_gentler_than_talus_slides),
        cmocka_unit_test(test_patches_that_creep_keep_their_ground),
        cmocka_unit_test(test_finer_grids_give_land_as_high),
        cmocka_unit_test(test_slopes_stand_no_steeper_than_talus),
        cmocka_unit_test(test_a_funnel_is_round),
        cmocka_unit_test(test_nothing_is_dug_below_the_lowest_point),
        cmocka_unit_test(test_no_moat_along_the_edge),
        cmocka_unit_test(test_talus_varies_with_the_place),
        cmocka_unit_test(test_lakes_run_dry),
        cmocka_unit_test(test_the_sea_stays),
        cmocka_unit_test(test_layers_are_cut_from_the_top),
        cmocka_unit_test(test_erodibility_counts_as_time),
        cmocka_unit_test(test_a_layer_of_nothing_changes_nothing),
        cmocka_unit_test(test_coarse_levels_know_the_sea),
        cmocka_unit_test(test_same_land_at_any_size),
        cmocka_unit_test(test_same_land_on_a_small_extent),
        cmocka_unit_test(test_same_land_at_odd_sizes),
        cmocka_unit_test(test_hard_rock_stays_where_it_is),
        cmocka_unit_test(test_a_low_basin_drains_over_the_edge),
        cmocka_unit_test(test_a_hollow_closes_no_outlet),
        cmocka_unit_test(test_the_edge_is_land_like_all_other),
        cmocka_unit_test(test_water_leaves_at_the_outlets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
