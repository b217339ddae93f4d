/* test_texture.c: textures of surfaces whose normals, slopes and sky are known. */
#include "support.h"

#include "picture/maps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 37, HEIGHT = 30, CELLS = WIDTH * HEIGHT };

static unsigned char bytes[4 * CELLS];

static rvi_map make_map(void) {
    return (rvi_map){.z = 1, .reach = NAN, .limit = NAN, .snow = NAN};
}

/* Rises by `east` and `south` for each metre. */
static rv_terrain *make_plane(rv_context *ctx, float east, float south) {
    rv_terrain *land = support_land(ctx, WIDTH, HEIGHT, 8);
    for (int i = 0; i < CELLS; i++)
        land->layers[0].thickness[i] =
            8 * (east * (float)(i % WIDTH) + south * (float)(i / WIDTH)) + 100;
    return land;
}

static void expect_all(int channels, const unsigned char *pixel) {
    for (int i = 0; i < CELLS; i++)
        if (memcmp(bytes + channels * i, pixel, (size_t)channels) != 0)
            fail_msg("cell %d: %d %d %d", i, bytes[channels * i], bytes[channels * i + 1],
                     bytes[channels * i + 2]);
}

static void test_normals_of_a_plane_are_exact(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rvi_map up = make_map(), down = make_map(), high = make_map();
    down.down = true;
    high.z = 2;
    rv_terrain *flat = make_plane(ctx, 0, 0);
    support_ok(ctx, rvi_map_normal(flat, &up, bytes));
    expect_all(3, (const unsigned char[]){128, 128, 255});
    rv_terrain_destroy(flat);
    /* Rises to the east and to the south: the normal leans west and north. */
    rv_terrain *land = make_plane(ctx, 0.75f, 1.5f);
    double length = sqrt(1 + 0.75 * 0.75 + 1.5 * 1.5);
    unsigned char expected[3] = {(unsigned char)lround(127.5 - 127.5 * 0.75 / length),
                                 (unsigned char)lround(127.5 + 127.5 * 1.5 / length),
                                 (unsigned char)lround(127.5 + 127.5 / length)};
    support_ok(ctx, rvi_map_normal(land, &up, bytes));
    expect_all(3, expected);
    expected[1] = (unsigned char)lround(127.5 - 127.5 * 1.5 / length);
    support_ok(ctx, rvi_map_normal(land, &down, bytes));
    expect_all(3, expected);
    length = sqrt(1 + 1.5 * 1.5 + 3 * 3);
    support_ok(ctx, rvi_map_normal(land, &high, bytes));
    assert_int_equal(bytes[2], lround(127.5 + 127.5 / length));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_slope_is_an_angle(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rvi_map map = make_map();
    for (int degrees = 0; degrees < 90; degrees += 15) {
        rv_terrain *land = make_plane(ctx, 0, (float)tan(degrees * 3.14159265 / 180));
        support_ok(ctx, rvi_map_slope(land, &map, bytes));
        for (int i = 0; i < CELLS; i++)
            assert_less_equal(fabs(bytes[i] - degrees * 255.0 / 90), 0.51);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void test_a_plane_sees_all_of_its_sky_and_a_pit_less(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rvi_map map = make_map();
    map.reach = 200;
    const float planes[][2] = {{0, 0}, {0.5f, 0}, {-0.3f, 0.8f}};
    for (int k = 0; k < 3; k++) {
        rv_terrain *land = make_plane(ctx, planes[k][0], planes[k][1]);
        support_ok(ctx, rvi_map_occlusion(land, &map, bytes));
        expect_all(1, (const unsigned char[]){255});
        rv_terrain_destroy(land);
    }
    rv_terrain *land = make_plane(ctx, 0, 0);
    int middle = HEIGHT / 2 * WIDTH + WIDTH / 2;
    for (int i = 0; i < CELLS; i++) { /* a pit like a cone */
        float dx = (float)(i % WIDTH - WIDTH / 2), dy = (float)(i / WIDTH - HEIGHT / 2);
        land->layers[0].thickness[i] = fminf(0, 10 * (sqrtf(dx * dx + dy * dy) - 8));
    }
    support_ok(ctx, rvi_map_occlusion(land, &map, bytes));
    /* Around its lowest point land rises at 10 in 8: 1 - sin atan 1.25 of the light is left. */
    assert_less(abs(bytes[middle] - 56), 12);
    assert_less(bytes[middle], bytes[middle + 4]);
    assert_less(bytes[middle + 4], bytes[middle + 14]);
    assert_int_equal(bytes[0], 255);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_curvature_tells_ridges_from_valleys(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rvi_map map = make_map();
    rv_terrain *land = make_plane(ctx, 0.4f, -0.2f);
    map.limit = 0.01f;
    support_ok(ctx, rvi_map_curvature(land, &map, bytes));
    expect_all(1, (const unsigned char[]){128});
    for (int i = 0; i < CELLS; i++) /* x^2 / 2 over 100 m: 1/100 along x, 1/200 as a mean */
        land->layers[0].thickness[i] = 0.005f * 64 * (float)((i % WIDTH - 18) * (i % WIDTH - 18));
    support_ok(ctx, rvi_map_curvature(land, &map, bytes));
    assert_less_equal(abs(bytes[5 * WIDTH + 9] - (128 - 64)), 1);
    map.limit = NAN;
    support_ok(ctx, rvi_map_curvature(land, &map, bytes));
    assert_less_equal(bytes[5 * WIDTH + 9], 2);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_ground_adds_up(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land =
        support_run(ctx, "terrain width=37 height=30 cell=20 noise frequency=3 relief=900 "
                         "layer name=sand below=300 droplets drops=800 flood level=100");
    rvi_map map = make_map();
    map.snow = 500;
    support_ok(ctx, rvi_map_splat(land, &map, bytes));
    const float *z = rv_terrain_field(land, "height");
    int seen[4] = {0};
    for (int i = 0; i < CELLS; i++) {
        int sum = 0;
        for (int c = 0; c < 4; c++) {
            sum += bytes[4 * i + c];
            seen[c] += bytes[4 * i + c] > 100;
        }
        assert_int_equal(sum, 255);
        if (z[i] < 500 - 0.1f * 950)
            assert_int_equal(bytes[4 * i + 3], 0);
    }
    assert_greater(seen[0], 0);
    assert_greater(seen[1], 0);
    assert_greater(seen[2], 0);
    assert_greater(seen[3], 0);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A desert has sand instead of grass, and snow only where it is told; each layer has its file. */
static void test_looks_and_layers(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char land[] = "terrain width=37 height=30 cell=20 noise frequency=3 relief=900 ";
    char text[300];
    static unsigned char whole[4 * CELLS];
    rv_terrain *hills = support_run(ctx, land);
    rvi_map map = make_map();
    map.dry = true;
    support_ok(ctx, rvi_map_splat(hills, &map, whole));
    int sand = 0;
    for (int i = 0; i < CELLS; i++) {
        assert_int_equal(whole[4 * i + 1], 0);
        assert_int_equal(whole[4 * i + 3], 0);
        sand += whole[4 * i + 2] > 100;
    }
    assert_greater(sand, 0);
    rv_terrain_destroy(hills);
    snprintf(text, sizeof text, "%stexture dry.png kind=splat look=desert split=yes", land);
    support_ok(ctx, rv_recipe_run_text(ctx, text, NULL, NULL));
    static const char *const layers[] = {"rock", "grass", "sediment", "snow"};
    for (int c = 0; c < 4; c++) {
        snprintf(text, sizeof text, "open dry-%s.png low=0 high=255 cell=20", layers[c]);
        rv_terrain *grey = support_run(ctx, text);
        for (int i = 0; i < CELLS; i++)
            assert_int_equal(lroundf(rv_terrain_field(grey, "height")[i]), whole[4 * i + c]);
        rv_terrain_destroy(grey);
    }
    rv_context_destroy(ctx);
}

static void test_a_layer_is_a_texture(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_run(ctx, "terrain width=37 height=30 cell=20 noise relief=90 "
                                        "layer name=sand thickness=4 noise=1 frequency=9 "
                                        "texture sand.png kind=field field=sand limit=2 "
                                        "texture auto.png kind=field field=sand");
    rv_terrain *grey = support_run(ctx, "open sand.png low=0 high=255 cell=20");
    rv_terrain *whole = support_run(ctx, "open auto.png low=0 high=255 cell=20");
    const float *sand = rv_terrain_field(land, "sand");
    int thick = 0, brighter = 0;
    for (int i = 0; i < CELLS; i++) {
        float want = 255 * fminf(sand[i] / 2, 1), got = rv_terrain_field(grey, "height")[i];
        assert_near(got, want, 0.51);
        thick += sand[i] >= 2;
        brighter += rv_terrain_field(whole, "height")[i] > 254.5f;
    }
    assert_true(thick > 0 && thick < CELLS);
    assert_true(brighter > 0 && brighter <= CELLS / 40); /* white: one cell in fifty */
    rv_terrain_destroy(land);
    rv_terrain_destroy(grey);
    rv_terrain_destroy(whole);
    assert_int_equal(rv_recipe_run_text(ctx, "texture t.png kind=field field=snow", NULL, NULL),
                     RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(ctx), "There is no field \"snow\" for a texture"));
    rv_context_destroy(ctx);
}

static void test_narrow_land_and_files(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const kinds[] = {"normal", "occlusion", "slope", "curvature", "splat"};
    static const int colours[] = {2, 0, 0, 0, 6}; /* of a PNG: RGB, grey, RGB with alpha */
    for (int k = 0; k < 5; k++) {
        char text[160];
        snprintf(text, sizeof text, "terrain width=%d height=%d noise texture t.png kind=%s",
                 k % 2 ? 1 : 9, k % 2 ? 7 : 1, kinds[k]);
        support_ok(ctx, rv_recipe_run_text(ctx, text, NULL, NULL));
        unsigned char head[26];
        FILE *in = fopen("t.png", "rb");
        assert_non_null(in);
        assert_int_equal(fread(head, 1, sizeof head, in), sizeof head);
        fclose(in);
        assert_int_equal(head[19], k % 2 ? 1 : 9);
        assert_int_equal(head[23], k % 2 ? 7 : 1);
        assert_int_equal(head[25], colours[k]);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normals_of_a_plane_are_exact),
        cmocka_unit_test(test_slope_is_an_angle),
        cmocka_unit_test(test_a_plane_sees_all_of_its_sky_and_a_pit_less),
        cmocka_unit_test(test_curvature_tells_ridges_from_valleys),
        cmocka_unit_test(test_ground_adds_up),
        cmocka_unit_test(test_looks_and_layers),
        cmocka_unit_test(test_a_layer_is_a_texture),
        cmocka_unit_test(test_narrow_land_and_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
