/* What a cone must be: round, as high as was asked for, with sides of the form that was asked for.
 */
#include "support.h"

#include <math.h>

enum { N = 101 };
static const float CELL = 20;

static rv_terrain *cone_land(rv_context *ctx, const rv_cone_params *p) {
    rv_terrain *land = support_land(ctx, N, N, CELL);
    support_ok(ctx, rv_step_run(land, RV_STEP_cone, p, NULL));
    return land;
}

static double at(const rv_terrain *land, int x, int y) {
    return (double)rv_terrain_field(land, "height")[y * N + x];
}

/* Straight sides fall by relief / radius, and the foot is flat. */
static void test_straight_sides(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_cone_params p = rv_cone_params_default();
    p.power = 1;
    p.radius = 800;
    p.relief = 400;
    rv_terrain *land = cone_land(ctx, &p);
    assert_equal(at(land, 50, 50), 400);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            double d = 20 * hypot(x - 50, y - 50);
            assert_near(at(land, x, y), fmax(0, 400 - d / 2), 1e-3);
        }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Halfway down it stands at 2^-power of its height: hollow above a power of 1, round below. */
static void test_power(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const float powers[] = {0.5f, 1.5f, 3};
    for (int i = 0; i < 3; i++) {
        rv_cone_params p = rv_cone_params_default();
        p.power = powers[i];
        p.radius = 800;
        rv_terrain *land = cone_land(ctx, &p);
        assert_near(at(land, 70, 50) / 1000, pow(2, (double)-powers[i]), 1e-5);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* It stands where it is told to, and reaches to the edge by itself. */
static void test_place_and_radius(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_cone_params p = rv_cone_params_default();
    rv_terrain *land = cone_land(ctx, &p);
    assert_equal(at(land, 50, 50), 1000);
    assert_greater(at(land, 1, 50), 0);
    assert_equal(at(land, 0, 0), 0);
    rv_terrain_destroy(land);
    p.x = 200;
    p.y = 1600;
    land = cone_land(ctx, &p);
    assert_equal(at(land, 10, 80), 1000);
    assert_less(at(land, 10, 79), 1000);
    assert_less(at(land, 11, 80), 1000);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A cone and the same cone upside down leave what was there. */
static void test_hollow_is_the_opposite(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_land(ctx, N, N, CELL), *before = support_land(ctx, N, N, CELL);
    rv_terrain *both[] = {land, before};
    for (int i = 0; i < 2; i++)
        support_ok(ctx, rv_step_run(both[i], RV_STEP_noise, NULL, NULL));
    rv_cone_params p = rv_cone_params_default();
    p.mode = RV_cone_mode_add;
    support_ok(ctx, rv_step_run(land, RV_STEP_cone, &p, NULL));
    assert_near(at(land, 50, 50) - at(before, 50, 50), 1000, 1e-3);
    p.relief = -1000;
    support_ok(ctx, rv_step_run(land, RV_STEP_cone, &p, NULL));
    for (int i = 0; i < N * N; i++)
        assert_near(at(land, i % N, i / N), at(before, i % N, i / N), 1e-3);
    rv_terrain_destroy(land);
    rv_terrain_destroy(before);
    rv_context_destroy(ctx);
}

/* A cone that stands wholly off the map is nowhere, not a division by zero. */
static void test_off_the_map(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_cone_params p = rv_cone_params_default();
    p.x = -100000;
    rv_terrain *land = cone_land(ctx, &p);
    for (int i = 0; i < N * N; i++)
        assert_equal(at(land, i % N, i / N), 0);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight_sides),   cmocka_unit_test(test_power),
        cmocka_unit_test(test_place_and_radius), cmocka_unit_test(test_hollow_is_the_opposite),
        cmocka_unit_test(test_off_the_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
