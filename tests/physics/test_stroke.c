/* What a stroke must do: act fully on its path, less and less up to its radius, and nowhere else;
 * the same on cells of any size; and what it paints must count for the steps that follow. */
#include "support.h"

#include <stdio.h>
#include <string.h>

enum { N = 81 };
static const float CELL = 10;
#define PATH "200/400 500/400 600/600"

static rv_terrain *run(rv_context *ctx, const char *recipe) {
    rv_terrain *land = NULL;
    support_ok(ctx, rv_recipe_run_text(ctx, recipe, NULL, &land));
    return land;
}

static double at(const rv_terrain *land, const char *field, int x, int y) {
    const float *values = rv_terrain_field(land, field);
    assert_non_null(values);
    return (double)values[y * rv_terrain_width(land) + x];
}

/* Metres from a cell to the line from a to b. */
static double away(int x, int y, const double a[2], const double b[2]) {
    double px = x * (double)CELL - a[0], py = y * (double)CELL - a[1], dx = b[0] - a[0],
           dy = b[1] - a[1];
    double t = fmin(fmax((px * dx + py * dy) / (dx * dx + dy * dy), 0), 1);
    return hypot(px - t * dx, py - t * dy);
}

static double weight(int x, int y) {
    static const double a[] = {200, 400}, b[] = {500, 400}, c[] = {600, 600};
    double d = fmin(away(x, y, a, b), away(x, y, b, c)) / 120;
    return d < 1 ? (1 - d * d) * (1 - d * d) : 0;
}

static void test_raises_along_its_path(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const char *words[] = {"height=50", "height=-50"};
    for (int k = 0; k < 2; k++) {
        char recipe[200];
        snprintf(recipe, sizeof recipe,
                 "terrain size=81 cell=10 stroke path=\"" PATH "\" radius=120 %s", words[k]);
        rv_terrain *land = run(ctx, recipe);
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                double wanted = (k ? -50 : 50) * weight(x, y);
                assert_near(at(land, "height", x, y), wanted, 1e-3);
                if (wanted == 0)
                    assert_equal(at(land, "height", x, y), 0);
            }
        assert_equal(at(land, "height", 35, 40), k ? -50 : 50);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* A place gets the same on cells of half the size; one point is a disc, none the centre. */
static void test_is_in_metres(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *coarse = run(ctx, "terrain size=41 cell=20 stroke path=300/444 radius=133");
    rv_terrain *fine = run(ctx, "terrain size=81 cell=10 stroke path=300/444 radius=133");
    for (int y = 0; y < 41; y++)
        for (int x = 0; x < 41; x++)
            assert_equal(at(coarse, "height", x, y), at(fine, "height", 2 * x, 2 * y));
    rv_terrain_destroy(coarse);
    rv_terrain_destroy(fine);
    rv_terrain *middle = run(ctx, "terrain size=81 cell=10 stroke height=7");
    assert_equal(at(middle, "height", 40, 40), 7);
    assert_equal(at(middle, "height", 40, 31), 0);
    rv_terrain_destroy(middle);
    rv_terrain *outside = run(ctx, "terrain size=81 cell=10 stroke path=\"-900/-900\" radius=300");
    assert_equal(at(outside, "height", 0, 0), 0);
    rv_terrain_destroy(outside);
    rv_context_destroy(ctx);
}

static double roughness(const rv_terrain *land, int x, int y) {
    return fabs(4 * at(land, "height", x, y) - at(land, "height", x - 1, y) -
                at(land, "height", x + 1, y) - at(land, "height", x, y - 1) -
                at(land, "height", x, y + 1));
}

static void test_smooths(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *rough = run(ctx, "terrain size=81 cell=10 noise frequency=9 relief=200");
    rv_terrain *land = run(ctx, "terrain size=81 cell=10 noise frequency=9 relief=200 "
                                "stroke act=smooth path=\"" PATH "\" radius=120");
    double before = 0, after = 0;
    for (int y = 1; y < N - 1; y++)
        for (int x = 1; x < N - 1; x++) {
            if (weight(x, y) == 0)
                assert_equal(at(land, "height", x, y), at(rough, "height", x, y));
            if (weight(x, y) > 0.8) {
                before += roughness(rough, x, y);
                after += roughness(land, x, y);
            }
        }
    assert_less(after, 0.2 * before);
    rv_terrain_destroy(rough);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* What is painted is told by fields; strokes over each other count one after the other. */
static void test_paints_fields(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = run(ctx, "terrain size=81 cell=10 "
                                "stroke act=mask path=\"" PATH "\" radius=120 "
                                "stroke act=hardness path=\"" PATH "\" radius=120 value=0.6 "
                                "stroke act=rain path=\"" PATH "\" radius=120 "
                                "stroke act=rain path=200/400 radius=60 value=0.25");
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            assert_near(at(land, "mask", x, y), 1 - weight(x, y), 1e-5);
            assert_near(at(land, "hardness", x, y), 0.6 * weight(x, y), 1e-5);
        }
    assert_equal(at(land, "rain", 0, 0), 0);
    assert_equal(at(land, "rain", 20, 40), 0.25);
    assert_equal(at(land, "rain", 35, 40), 1);
    assert_equal(at(land, "height", 35, 40), 0);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

#define HILLS "terrain size=64 cell=20 noise seed=3 relief=500 "

/* The mask holds later strokes, too; ground that is hard everywhere stays. */
static void test_limits_what_follows(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *before = run(ctx, HILLS);
    rv_terrain *masked = run(ctx, HILLS "stroke act=mask path=600/600 radius=400 "
                                        "stroke path=600/600 radius=200 droplets");
    assert_equal(at(masked, "height", 30, 30), at(before, "height", 30, 30));
    assert_not_equal(at(masked, "height", 2, 2), at(before, "height", 2, 2));
    rv_terrain *hard = run(ctx, HILLS "stroke act=hardness path=600/600 radius=1M thermal "
                                      "talus=5 droplets");
    assert_near(at(hard, "eroded", 30, 30), 0, 1e-3);
    rv_terrain_destroy(before);
    rv_terrain_destroy(masked);
    rv_terrain_destroy(hard);
    rv_context_destroy(ctx);
}

/* Painted rain is the same rain as an image of it. */
static void test_rain_is_that_of_an_image(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const steps[][2] = {{"droplets drops=3k", "rain"},
                                           {"droplets drops=3k border=apron", "rain"},
                                           {"particles drops=2k", "rain"},
                                           {"particles drops=2k order=batch", "rain"},
                                           {"runoff rounds=30", "rain"},
                                           {"pipes time=60", "rain_image"},
                                           {"pipes time=60 springs=100/100/5", "rain_image"},
                                           {"rivers steps=3", "rain_image"}};
    rv_terrain *none =
        run(ctx, HILLS "stroke act=rain path=\"300/300 900/900\" save field=rain rain.npy");
    rv_terrain_destroy(none);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        char recipe[300];
        snprintf(recipe, sizeof recipe, HILLS "stroke act=rain path=\"300/300 900/900\" %s",
                 steps[i][0]);
        rv_terrain *painted = run(ctx, recipe);
        snprintf(recipe, sizeof recipe, HILLS "%s %s=rain.npy", steps[i][0], steps[i][1]);
        rv_terrain *image = run(ctx, recipe);
        snprintf(recipe, sizeof recipe, HILLS "%s", steps[i][0]);
        rv_terrain *even = run(ctx, recipe);
        size_t size = 64 * 64 * sizeof(float);
        const float *heights = rv_terrain_field(painted, "height");
        assert_memory_equal(heights, rv_terrain_field(image, "height"), size);
        assert_true(memcmp(heights, rv_terrain_field(even, "height"), size) != 0);
        rv_terrain_destroy(painted);
        rv_terrain_destroy(image);
        rv_terrain_destroy(even);
    }
    rv_context_destroy(ctx);
}

static void test_refuses_what_is_no_path(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const wrong[] = {"1", "1/2/3", "a/b", "1/2 3", "1/", "/2", "1e9/0", "1/nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char recipe[100];
        rv_terrain *land = NULL;
        snprintf(recipe, sizeof recipe, "terrain size=8 stroke path=\"%s\"", wrong[i]);
        assert_int_equal(rv_recipe_run_text(ctx, recipe, NULL, &land), RV_ERROR_USAGE);
        assert_non_null(strstr(rv_context_error(ctx), "is not a list of places"));
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_raises_along_its_path),
        cmocka_unit_test(test_is_in_metres),
        cmocka_unit_test(test_smooths),
        cmocka_unit_test(test_paints_fields),
        cmocka_unit_test(test_limits_what_follows),
        cmocka_unit_test(test_rain_is_that_of_an_image),
        cmocka_unit_test(test_refuses_what_is_no_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
