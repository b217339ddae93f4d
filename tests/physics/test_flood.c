/* test_flood.c: water fills hollows up to where it spills, and nothing else. */
#include "base/random.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 61 };
static float h[SIDE * SIDE];

static rv_terrain *land_of(rv_context *ctx, int side) {
    rv_terrain *land = support_land(ctx, side, side, 5.0f);
    support_ok(ctx, rv_terrain_field_set(land, "height", h));
    return land;
}

static const float *flood(rv_context *ctx, rv_terrain *land, float level, rv_report *report) {
    rv_flood_params p = rv_flood_params_default();
    p.level = level;
    support_ok(ctx, rv_step_run(land, RV_STEP_flood, &p, report));
    return rv_terrain_field(land, "water");
}

static float ring(int x, int y, int cx, int cy, float radius, float rim) { /* a crater's wall */
    float d = sqrtf((float)((x - cx) * (x - cx) + (y - cy) * (y - cy)));
    return d > radius + 1 ? 0 : d > radius - 1 ? rim : rim * (d / radius) * (d / radius) - 20;
}

static void a_bowl_fills_to_its_rim(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int i = 0; i < SIDE * SIDE; i++)
        h[i] = ring(i % SIDE, i / SIDE, 30, 30, 20, 50);
    h[30 * SIDE + 10] = 43; /* a notch */
    h[30 * SIDE + 11] = 41;
    h[30 * SIDE + 9] = 42;
    rv_terrain *land = land_of(ctx, SIDE);
    rv_report report = {0};
    const float *water = flood(ctx, land, NAN, &report);
    double volume = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        float d = hypotf((float)(i % SIDE - 30), (float)(i / SIDE - 30));
        float depth = d < 19 && h[i] < 43 ? 43 - h[i] : 0;
        if (d < 18.5f || d > 21.5f)
            assert_float_equal(water[i], depth, 1e-4f);
        volume += 25 * (double)water[i];
    }
    assert_near(report.water.rained, volume, 1e-6 * volume);
    assert_equal(report.water.before, 0);
    assert_equal(report.water.standing, report.water.rained);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A bowl in a bowl: the inner wall drowns when it is lower, and stands out when it is higher. */
static void nested_bowls(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int high = 0; high < 2; high++) {
        for (int i = 0; i < SIDE * SIDE; i++) {
            int x = i % SIDE, y = i / SIDE;
            int ax = abs(x - 30), ay = abs(y - 30), out = ax > ay ? ax : ay;
            h[i] = out > 25 ? 0.0f : out == 25 ? 60.0f : out == 8 ? (high ? 90.0f : 40.0f) : 10.0f;
        }
        rv_terrain *land = land_of(ctx, SIDE);
        const float *water = flood(ctx, land, NAN, NULL);
        for (int i = 0; i < SIDE * SIDE; i++) {
            int ax = abs(i % SIDE - 30), ay = abs(i / SIDE - 30), out = ax > ay ? ax : ay;
            float level = out >= 25 ? h[i] : out <= 8 && high ? 90.0f : 60.0f;
            assert_equal(h[i] + water[i], level);
        }
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void what_drains_stays_dry(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < SIDE * SIDE; i++) {
            int x = i % SIDE, y = i / SIDE;
            float cone = 100 - hypotf((float)(x - 30), (float)(y - 30));
            float plane = 3.0f * (float)x - 0.5f * (float)y - 200;
            h[i] = k == 0 ? 0 : k == 1 ? plane : k == 2 ? cone : -fabsf((float)(x - y));
        }
        rv_terrain *land = land_of(ctx, SIDE);
        rv_report report = {0};
        const float *water = flood(ctx, land, NAN, &report);
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_equal(water[i], 0);
        assert_equal(report.water.rained, 0);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* Planchon's rule, over and over until nothing moves: W = max(h, least W around). */
static void relax(int side, float *w) {
    for (int i = 0; i < side * side; i++) {
        int x = i % side, y = i / side;
        w[i] = x == 0 || y == 0 || x == side - 1 || y == side - 1 ? h[i] : 1e30f;
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (int y = 1; y < side - 1; y++)
            for (int x = 1; x < side - 1; x++) {
                float least = 1e30f;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        if ((dx || dy) && w[(y + dy) * side + x + dx] < least)
                            least = w[(y + dy) * side + x + dx];
                float now = least > h[y * side + x] ? least : h[y * side + x];
                if (now < w[y * side + x]) {
                    w[y * side + x] = now;
                    moved = true;
                }
            }
    }
}

static void as_relaxation_finds_it(void **state) {
    (void)state;
    enum { SMALL = 24 };
    rv_context *ctx = support_context(1);
    static float w[SMALL * SMALL];
    for (int map = 0; map < 300; map++) {
        float coarse = map % 3 == 0 ? 4.0f : map % 3 == 1 ? 1000.0f : 1e6f; /* few levels: ties */
        for (int i = 0; i < SMALL * SMALL; i++)
            h[i] = floorf(coarse * rvi_unit(rvi_random(7, (uint64_t)map, (uint64_t)i))) - 2.0f;
        rv_terrain *land = land_of(ctx, SMALL);
        const float *water = flood(ctx, land, NAN, NULL);
        relax(SMALL, w);
        for (int i = 0; i < SMALL * SMALL; i++)
            assert_equal(water[i], w[i] - h[i]);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* On real hills: wet neighbours share a level to rounding, a wet cell's dry neighbour is higher,
 * and a second flood adds nothing. Lines and small maps are no trouble. */
static void lakes_are_flat(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 7; threads += 2) {
        rv_context *ctx = support_context(threads);
        rv_terrain *land =
            support_run(ctx, "terrain width=203 height=150 noise frequency=3 level low=-300 flood");
        const float *g = rv_terrain_field(land, "height"), *water = rv_terrain_field(land, "water");
        int wet = 0;
        for (int y = 1; y < 149; y++)
            for (int x = 1; x < 202; x++)
                for (int k = 0; k < 8; k++) {
                    static const int dx[] = {-1, 0, 1, -1, 1, -1, 0, 1};
                    static const int dy[] = {-1, -1, -1, 0, 0, 1, 1, 1};
                    int i = y * 203 + x, n = i + dy[k] * 203 + dx[k];
                    if (!(water[i] > 0))
                        continue;
                    wet++;
                    if (water[n] > 0)
                        assert_float_equal(g[i] + water[i], g[n] + water[n], 2e-4f);
                    else
                        assert_greater_equal(g[n], g[i] + water[i] - 1e-4f);
                }
        assert_greater(wet, 1000);
        uint64_t hash = rv_terrain_hash(land);
        first = first ? first : hash;
        assert_equal(hash, first);
        rv_report report = {0};
        flood(ctx, land, NAN, &report);
        assert_equal(rv_terrain_hash(land), hash);
        assert_equal(report.water.rained, 0);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
}

static void a_level_is_everywhere(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int i = 0; i < SIDE * SIDE; i++)
        h[i] = (float)(i % 17) - 8;
    rv_terrain *land = land_of(ctx, SIDE);
    rv_report report = {0};
    const float *water = flood(ctx, land, -2.5f, &report);
    for (int i = 0; i < SIDE * SIDE; i++)
        assert_equal(water[i], h[i] < -2.5f ? -2.5f - h[i] : 0);
    double before = report.water.standing;
    flood(ctx, land, -5, &report); /* what stands stays */
    assert_equal(report.water.before, before);
    assert_equal(report.water.rained, 0);
    flood(ctx, land, 3, &report);
    for (int i = 0; i < SIDE * SIDE; i++)
        assert_equal(water[i], h[i] < 3 ? 3 - h[i] : 0);
    assert_equal(report.water.before + report.water.rained, report.water.standing);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static bool no(void *user, const rv_progress *now) {
    (void)user;
    (void)now;
    return false;
}

/* A stop leaves no field behind. */
static void a_stop_leaves_the_land(void **state) {
    (void)state;
    rv_context *ctx;
    rv_context_desc desc = rv_context_desc_default();
    desc.progress = no;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_terrain *land = support_land(ctx, 700, 700, 1.0f);
    uint64_t hash = rv_terrain_hash(land);
    rv_status status = rv_step_run(land, RV_STEP_flood, NULL, NULL);
    assert_true(status == RV_CANCELLED || status == RV_OK);
    if (status == RV_CANCELLED)
        assert_equal(rv_terrain_hash(land), hash);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bowl_fills_to_its_rim), cmocka_unit_test(nested_bowls),
        cmocka_unit_test(what_drains_stays_dry),   cmocka_unit_test(as_relaxation_finds_it),
        cmocka_unit_test(lakes_are_flat),          cmocka_unit_test(a_level_is_everywhere),
        cmocka_unit_test(a_stop_leaves_the_land),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
