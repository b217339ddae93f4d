/* What must hold for the alluvium of rivers: floors, fans, filled lakes, and no walls. */
#include "river_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GORGE = 96 };

/* How much land has risen by alluvium; its water leaves in the south, by the lowest cell there. */
static void bury(const float heights[GORGE * GORGE], float alluvium, double risen[GORGE * GORGE]) {
    world w = make(GORGE, 10, 0);
    const float *south = heights + GORGE * (GORGE - 1);
    float base = south[0];
    for (int x = 1; x < GORGE; x++)
        base = fminf(base, south[x]);
    support_ok(w.ctx, rv_terrain_field_set(w.land, "height", heights));
    rv_rivers_params p = bare();
    p.uplift = p.erosion = 0;
    p.talus = 90;
    p.border = RV_rivers_border_south;
    p.base = base;
    p.source = 1e-4f;
    p.alluvium = alluvium;
    p.steps = 1;
    run(&w, &p);
    for (size_t i = 0; i < w.cells; i++)
        risen[i] = (double)height(&w)[i] - (double)heights[i];
    end(&w);
}

/* A straight valley that falls southwards by `along`, with sides of 17 degrees. `ravine`: the row
 * of one that comes in from the east; 0: none. */
static void bury_gorge(double along, int ravine, float alluvium, double risen[GORGE * GORGE]) {
    static float heights[GORGE * GORGE];
    for (int i = 0; i < GORGE * GORGE; i++) {
        double x = i % GORGE - GORGE / 2.0, y = GORGE - i / GORGE, high = 0.3 * fabs(x);
        if (ravine && x > 0)
            high = fmin(high, 0.1 * x + 0.3 * fabs(y + ravine - GORGE));
        heights[i] = (float)(10 * (along * y + high));
    }
    bury(heights, alluvium, risen);
}

static double *gorge_row(double *risen, int y) {
    return risen + y * GORGE + GORGE / 2;
}

/* How high the lowest cell of a row has come to lie above the line of the valley: the river. */
static double gorge_bed(double *risen, int y) {
    double bed = 1e9;
    for (int x = 1 - GORGE / 2; x < GORGE / 2; x++)
        bed = fmin(bed, gorge_row(risen, y)[x] + 3 * abs(x));
    return bed;
}

/* Depth of the river in a row, for 1 m on 1 km2. */
static double gorge_depth(int y) {
    return pow(GORGE * (double)y * 1e-4, 0.4);
}

/* Alluvium lies the deeper the more a river drains, almost level from side to side, and nowhere
 * else; the beds of steep brooks stay bare. */
static void test_alluvium_makes_floors(void **state) {
    (void)state;
    static double risen[GORGE * GORGE], none[GORGE * GORGE];
    bury_gorge(0.02, 0, 0, none);
    bury_gorge(0.02, 0, 10, risen);
    double before = 0;
    for (int y = 24; y <= 40; y += 4) { /* south of that it falls to the outlet */
        const double *row = gorge_row(risen, y);
        double deep = 10 * gorge_depth(y);
        assert_near(gorge_row(none, y)[0], 0, 1e-4);
        assert_near(gorge_bed(risen, y), deep, 0.3 * deep);
        assert_greater(gorge_bed(risen, y), before);
        for (int x = -1; x <= 1; x++) /* the floor: its sides have risen by 3 m */
            assert_near(row[x] + 3 * abs(x), gorge_bed(risen, y), 0.15 * deep);
        assert_near(row[12], 0, 1e-4);
        assert_near(row[-12], 0, 1e-4);
        before = gorge_bed(risen, y);
    }
    bury_gorge(0.3, 0, 60, risen);
    for (int y = 40; y < 88; y += 8)
        assert_near(gorge_row(risen, y)[0], 0, 1e-4);
}

/* A river that is gentler than fans keeps its slope: alluvium is as deep as was asked for. */
static void test_alluvium_is_as_deep_as_asked(void **state) {
    (void)state;
    static double risen[GORGE * GORGE];
    for (int k = 0; k < 4; k++) {
        double along = k < 2 ? 0.005 : 0.02, alluvium = k % 2 == 0 ? 0.001 : 10;
        bury_gorge(along, 0, (float)alluvium, risen);
        for (int i = 0; i < GORGE * GORGE; i++)
            assert_less_equal(risen[i], 1.3 * alluvium * gorge_depth(GORGE) + 1e-3);
        for (int y = 8; y < GORGE - 16; y += 8) { /* the bed falls on */
            double fall = 80 * along + gorge_bed(risen, y) - gorge_bed(risen, y + 8);
            assert_greater(fall, 16 * along);
        }
        double deep = alluvium * gorge_depth(40);
        if (k >= 2)
            assert_near(gorge_bed(risen, 40), deep, 0.3 * deep + 1e-4);
    }
}

/* How much the floor beside the river bulges along the valley around a row. `ravine`: does one come
 * in there? */
static double bulge(double *risen, int y, bool ravine) {
    double middle = gorge_row(risen, y)[2] + (ravine ? 2 : 6);
    return middle - 0.5 * (gorge_row(risen, y - 4)[2] + gorge_row(risen, y + 4)[2]) - 6;
}

/* Where a ravine comes in the floor rises to a fan, which falls on both sides along the valley. */
static void test_alluvium_makes_fans(void **state) {
    (void)state;
    static double plain[GORGE * GORGE], risen[GORGE * GORGE];
    bury_gorge(0.01, 0, 10, plain);
    bury_gorge(0.01, 32, 10, risen);
    assert_near(bulge(plain, 32, false), 0, 0.1);
    assert_greater(bulge(risen, 32, true), 0.25);
}

/* A fan ends at the ridge that stands before it: a valley behind that, 20 m lower, lies as it does
 * when no ravine comes into the upper one. */
static void test_fans_end_at_ridges(void **state) {
    (void)state;
    static float heights[GORGE * GORGE];
    static double risen[2][GORGE * GORGE];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < GORGE * GORGE; i++) {
            double x = i % GORGE - GORGE / 2.0, y = GORGE - i / GORGE, high = 0.3 * fabs(x - 6);
            if (k == 1 && x > 6)
                high = fmin(high, 0.1 * (x - 6) + 0.3 * fabs(y - 48));
            heights[i] = (float)(10 * (0.01 * y + fmin(high, 0.3 * fabs(x + 8) - 2)));
        }
        bury(heights, 10, risen[k]);
    }
    for (int y = 8; y < GORGE - 8; y++)
        for (int x = -GORGE / 2 + 1; x < 0; x++)
            assert_near(gorge_row(risen[1], y)[x], gorge_row(risen[0], y)[x], 0.01);
    assert_greater(gorge_row(risen[0], 48)[-8], 1.0); /* there is a floor */
    assert_greater(gorge_row(risen[1], 48)[6], gorge_row(risen[0], 48)[6] + 0.5); /* and a fan */
}

enum { LAKE = 96 };

/* A round lake of LAKE x LAKE cells of 30 m, 600 m deep, as alluvium fills it. */
static rv_terrain *filled_lake(rv_context *ctx, double alluvium) {
    char recipe[256];
    snprintf(recipe, sizeof recipe,
             "terrain size=96 cell=30 cone relief=-600 radius=1200 rivers time=1 steps=1 "
             "uplift=0 erosion=0 diffusion=0 talus=90 alluvium=%g",
             alluvium);
    return support_run(ctx, recipe);
}

/* A lake fills up to its level and what is asked for above it, and becomes no mountain: from there
 * it rises as a plain does, by 6 m in a kilometre on ways that cross the map twice, and a lake that
 * gets next to nothing stays level. */
static void test_alluvium_fills_lakes(void **state) {
    (void)state;
    static const double asked[] = {1e-6, 1, 20};
    for (int k = 0; k < 3; k++) {
        rv_context *ctx = support_context(2);
        rv_terrain *land = filled_lake(ctx, asked[k]);
        const float *h = rv_terrain_field(land, "height");
        double most = asked[k] * pow(LAKE * LAKE * 30 * 30 * 1e-6, 0.4);
        double plain = k == 0 ? 0 : 0.006 * 2 * LAKE * 30;
        double highest = -1e9, lowest = 1e9;
        for (int i = 0; i < LAKE * LAKE; i++) {
            highest = fmax(highest, (double)h[i]);
            lowest = fmin(lowest, (double)h[i]);
        }
        assert_less_equal(highest, most + plain + 1.0); /* the water must fall on its way */
        assert_greater(lowest, -1.0);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
}

/* What has filled a lake rises from where it spills, across the lake to the shore that is farthest
 * off. */
static void test_filled_lakes_are_graded(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = filled_lake(ctx, 20);
    const float *h = rv_terrain_field(land, "height");
    int outlet = 0;
    for (int i = 0; i < LAKE * LAKE; i++)
        outlet = h[i] < h[outlet] ? i : outlet;
    double across[5];
    for (int k = 0; k < 5; k++) {
        int x = outlet % LAKE, y = outlet / LAKE;
        x += k * (LAKE - 1 - 2 * x) / 4;
        y += k * (LAKE - 1 - 2 * y) / 4;
        across[k] = (double)h[y * LAKE + x];
    }
    for (int k = 1; k < 5; k++)
        assert_greater(across[k], across[k - 1]);
    assert_greater(across[4], across[2] + 2);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

enum { WORN = 96 };

/* Land of WORN x WORN cells of 60 m that rivers have cut for a million years. */
static rv_terrain *worn(rv_context *ctx, int seed, const char *border, double alluvium) {
    char recipe[256];
    snprintf(recipe, sizeof recipe,
             "terrain size=96 cell=60 noise basis=perlin seed=%d relief=900 frequency=0.25 "
             "rivers time=1M steps=16 uplift=0.1 erosion=5 source=0.01 border=%s alluvium=%g",
             seed, border, alluvium);
    return support_run(ctx, recipe);
}

/* How steeply a cell falls to one of those around it, at most. */
static double steepest(const float *h, int x, int y) {
    double most = 0;
    for (int k = 0; k < 9; k++) {
        int nx = x + k % 3 - 1, ny = y + k / 3 - 1;
        if (k == 4 || nx < 0 || ny < 0 || nx >= WORN || ny >= WORN)
            continue;
        double fall = (double)h[y * WORN + x] - (double)h[ny * WORN + nx];
        most = fmax(most, fall / (60 * hypot(nx - x, ny - y)));
    }
    return most;
}

/* The most that alluvium has raised land above filled lakes, for a metre of what was asked of its
 * largest river. It ends in a front of 11 degrees. */
static double deepest_of(rv_context *ctx, int seed, const char *border, double alluvium) {
    rv_terrain *rock = worn(ctx, seed, border, 0);
    rv_terrain *lakes = worn(ctx, seed, border, 1e-6); /* alone are filled */
    rv_terrain *land = worn(ctx, seed, border, alluvium);
    const float *bare = rv_terrain_field(rock, "height"), *h = rv_terrain_field(land, "height");
    const float *filled = rv_terrain_field(lakes, "height"), *area = rv_terrain_field(rock, "flow");
    double asked = 0, most = 0;
    for (int i = 0; i < WORN * WORN; i++) {
        asked = fmax(asked, alluvium * pow((double)area[i] * 1e-6, 0.4));
        most = fmax(most, (double)h[i] - (double)filled[i]);
        if (h[i] > bare[i] + 0.01f) /* 0.2, and the banks of channels */
            assert_less(steepest(h, i % WORN, i / WORN), 0.24);
    }
    rv_terrain_destroy(rock);
    rv_terrain_destroy(lakes);
    rv_terrain_destroy(land);
    return most / asked;
}

/* Neither where it has moved sideways, nor beside the edge of a map that stands above it. Fans are
 * higher than the floor that they lie on, by as much whatever is asked. */
static void test_alluvium_builds_no_walls(void **state) {
    (void)state;
    static const char *const borders[] = {"open", "outlets", "sink"};
    rv_context *ctx = support_context(2);
    for (int k = 0; k < 6; k++) {
        double deep = deepest_of(ctx, 4 + k, borders[k % 3], 8);
        assert_less(deep, 1.5);
        assert_greater(deep, 0.5);
        assert_less(deepest_of(ctx, 4 + k, borders[k % 3], 1), 4);
    }
    rv_context_destroy(ctx);
}

/* Nor beside land that a mask keeps, in a lake that fills: it may be bare, or half as deep. */
static void test_alluvium_leans_on_what_a_mask_keeps(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        rv_context *ctx = support_context(2);
        rv_terrain *land = support_run(ctx, "terrain size=96 cell=60 cone relief=-500 radius=2500");
        static float mask[WORN * WORN], bare_land[WORN * WORN];
        memcpy(bare_land, rv_terrain_field(land, "height"), sizeof bare_land);
        for (int i = 0; i < WORN * WORN; i++) {
            int x = i % WORN - 48, y = i / WORN - 48;
            bool kept = k == 0 ? x < 0 : k == 1 ? x * x + y * y < 300 : (x / 9 + y / 7) % 2 == 0;
            mask[i] = kept ? (k == 3 ? 0.5f : 0.0f) : 1.0f;
        }
        support_ok(ctx, rv_terrain_field_set(land, "mask", mask));
        rv_rivers_params p = bare();
        p.border = RV_rivers_border_outlets;
        p.uplift = p.erosion = 0;
        p.time = 1;
        p.steps = 1;
        p.source = 0.01f;
        p.alluvium = 8;
        support_ok(ctx, rv_step_run(land, RV_STEP_rivers, &p, NULL));
        const float *h = rv_terrain_field(land, "height");
        double most = 0;
        for (int i = 0; i < WORN * WORN; i++) {
            most = fmax(most, (double)(h[i] - bare_land[i]));
            if (h[i] > bare_land[i] + 0.01f)
                assert_less(steepest(h, i % WORN, i / WORN), 0.24);
        }
        assert_greater(most, 20);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
}

/* Alluvium raises land and takes nothing from it, and the same is kept by every way of keeping
 * books: with layers, a mask and lakes. */
static void test_alluvium_is_booked(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        world w = make(64, 60, 300), bare_land = make(64, 60, 300);
        float *mask = malloc(w.cells * sizeof *mask);
        for (size_t i = 0; i < w.cells; i++)
            mask[i] = i % 64 < 32 ? 1.0f : 0.0f;
        rv_rivers_params p = rv_rivers_params_default();
        p.deposition = k == 2 ? 1.0f : 0.0f;
        p.source = 0.01f;
        for (int buried = 0; buried < 2; buried++) {
            world *one = buried ? &w : &bare_land;
            if (k == 1)
                support_ok(one->ctx, rv_step_run(one->land, RV_STEP_layer, NULL, NULL));
            if (k == 2)
                support_ok(one->ctx, rv_terrain_field_set(one->land, "mask", mask));
            p.alluvium = buried ? 20.0f : 0.0f;
            run(one, &p);
        }
        double most = 0;
        for (size_t i = 0; i < w.cells; i++) {
            double rise = (double)(height(&w)[i] - height(&bare_land)[i]);
            assert_greater_equal(rise, -1e-3);
            if (k == 2 && mask[i] < 0.5f)
                assert_near(rise, 0, 1e-3);
            most = fmax(most, rise);
        }
        assert_greater(most, 5);
        free(mask);
        end(&w);
        end(&bare_land);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alluvium_makes_floors),
        cmocka_unit_test(test_alluvium_is_as_deep_as_asked),
        cmocka_unit_test(test_alluvium_makes_fans),
        cmocka_unit_test(test_fans_end_at_ridges),
        cmocka_unit_test(test_alluvium_fills_lakes),
        cmocka_unit_test(test_filled_lakes_are_graded),
        cmocka_unit_test(test_alluvium_builds_no_walls),
        cmocka_unit_test(test_alluvium_leans_on_what_a_mask_keeps),
        cmocka_unit_test(test_alluvium_is_booked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
