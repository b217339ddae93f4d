/* Hill shading against land whose shade is known, with the formula that gdaldem documents. */
#include "support.h"

#include "picture/shade.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;

/* The grey of ground that rises by p to the east and q to the north. */
static double grey_of(double p, double q, const rvi_light *light) {
    double az = (double)light->azimuth * DEGREE, alt = (double)light->altitude * DEGREE;
    double z = (double)light->z;
    double lit = sin(alt) - cos(alt) * z * (p * sin(az) + q * cos(az));
    double s = lit / sqrt(1 + z * z * (p * p + q * q));
    return s <= 0 ? 1 : 1 + 254 * s;
}

/* h = p east + q north, in metres. */
static rv_terrain *plane_land(rv_context *ctx, int width, int height, float cell, double p,
                              double q) {
    rv_terrain *land = support_land(ctx, width, height, cell);
    float *values = malloc(rvi_cells(land) * sizeof *values);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            values[y * width + x] = (float)((p * x - q * y) * (double)cell);
    support_ok(ctx, rv_terrain_field_set(land, "height", values));
    free(values);
    return land;
}

/* One shade from edge to edge, corners included, and the right one. */
static void test_planes(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const rvi_light lights[] = {{315, 45, 1}, {0, 45, 1},   {90, 20, 1},
                                {200, 70, 3}, {315, 90, 1}, {45, 0, 1}};
    const double slopes[][2] = {{0, 0},     {1, 0},   {0, 1},       {-0.5, 0.25},
                                {0.3, 0.3}, {-2, -3}, {0.01, -0.02}};
    const int sizes[][2] = {{7, 5}, {2, 2}, {20, 3}};
    unsigned char grey[60];
    for (size_t l = 0; l < sizeof lights / sizeof lights[0]; l++)
        for (size_t k = 0; k < sizeof slopes / sizeof slopes[0]; k++)
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                rv_terrain *land =
                    plane_land(ctx, sizes[s][0], sizes[s][1], 4, slopes[k][0], slopes[k][1]);
                support_ok(ctx, rvi_shade_grey(land, &lights[l], grey));
                double want = grey_of(slopes[k][0], slopes[k][1], &lights[l]);
                for (size_t i = 0; i < rvi_cells(land); i++)
                    assert_near(grey[i], want, 0.52);
                rv_terrain_destroy(land);
            }
    rv_context_destroy(ctx);
}

/* gdaldem's well-known numbers: flat ground is 181, ground straight to the light 255, away from
 * it 1. */
static void test_known_greys(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_light light = {315, 45, 1};
    double half = sqrt(0.5); /* north-west is half east, half north */
    const struct {
        double p, q;
        int grey;
    } cases[] = {{0, 0, 181}, {half, -half, 255}, {-half, half, 1}, {-2, 2, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        rv_terrain *land = plane_land(ctx, 3, 3, 10, cases[k].p, cases[k].q);
        unsigned char grey[9];
        support_ok(ctx, rvi_shade_grey(land, &light, grey));
        for (int i = 0; i < 9; i++)
            assert_int_equal(grey[i], cases[k].grey);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* A cone has one slope in every direction: away from its tip each cell is shaded as a plane is. */
static void test_cone(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { N = 101 };
    static float values[N * N];
    static unsigned char grey[N * N];
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            values[y * N + x] = (float)(1000 - 0.6 * 10 * hypot(x - N / 2, y - N / 2));
    rv_terrain *land = support_land(ctx, N, N, 10);
    support_ok(ctx, rv_terrain_field_set(land, "height", values));
    rvi_light light = {315, 45, 1};
    support_ok(ctx, rvi_shade_grey(land, &light, grey));
    for (int y = 1; y < N - 1; y++)
        for (int x = 1; x < N - 1; x++) {
            double dx = x - N / 2, dy = y - N / 2, r = hypot(dx, dy);
            if (r > 10)
                assert_near(grey[y * N + x], grey_of(-0.6 * dx / r, 0.6 * dy / r, &light), 1.5);
        }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Land and light turned together make the picture turned; heights and cells scaled together the
 * same picture. */
static void test_turned_and_scaled(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { N = 64 };
    static float turned[N * N], doubled[N * N];
    static unsigned char a[N * N], b[N * N], c[N * N];
    rv_terrain *land = support_land(ctx, N, N, 10);
    support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) { /* a quarter turn clockwise */
            turned[x * N + (N - 1 - y)] = land->surface[y * N + x];
            doubled[y * N + x] = 2 * land->surface[y * N + x];
        }
    rv_terrain *quarter = support_land(ctx, N, N, 10), *twice = support_land(ctx, N, N, 20);
    support_ok(ctx, rv_terrain_field_set(quarter, "height", turned));
    support_ok(ctx, rv_terrain_field_set(twice, "height", doubled));
    support_ok(ctx, rvi_shade_grey(land, &(rvi_light){315, 45, 1}, a));
    support_ok(ctx, rvi_shade_grey(quarter, &(rvi_light){45, 45, 1}, b));
    support_ok(ctx, rvi_shade_grey(twice, &(rvi_light){315, 45, 1}, c));
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            assert_less_equal(abs(a[y * N + x] - b[x * N + (N - 1 - y)]), 1);
            assert_less_equal(abs(a[y * N + x] - c[y * N + x]), 1);
        }
    rv_terrain_destroy(twice);
    rv_terrain_destroy(quarter);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* One row or column of cells has no slope across. */
static void test_narrow_maps(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_light light = {315, 45, 1};
    unsigned char grey[9];
    rv_terrain *row = plane_land(ctx, 9, 1, 10, 0.5, 0),
               *column = plane_land(ctx, 1, 9, 10, 0, 0.5);
    support_ok(ctx, rvi_shade_grey(row, &light, grey));
    for (int i = 0; i < 9; i++)
        assert_near(grey[i], grey_of(0.5, 0, &light), 0.52);
    support_ok(ctx, rvi_shade_grey(column, &light, grey));
    for (int i = 0; i < 9; i++)
        assert_near(grey[i], grey_of(0, 0.5, &light), 0.52);
    rv_terrain_destroy(column);
    rv_terrain_destroy(row);
    rv_context_destroy(ctx);
}

/* Green below, white above, and no colour jumps from one height to the next. */
static void test_tint(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { N = 400 };
    unsigned char rgb[N * 3 * 3];
    rv_terrain *land = plane_land(ctx, N, 3, 10, 0.001, 0);
    support_ok(ctx, rvi_shade_land(land, &(rvi_light){315, 45, 1}, rgb));
    const unsigned char *low = rgb, *high = rgb + 3 * (N - 1);
    assert_greater(low[1], low[0]);
    assert_greater(low[1], low[2]);
    assert_greater(high[0], 235);
    assert_greater(high[1], 235);
    assert_greater(high[2], 235);
    for (int i = 3; i < 3 * N; i++)
        assert_less_equal(abs(rgb[i] - rgb[i - 3]), 4);
    rv_terrain_destroy(land);
    /* The same heights, turned away from the light, are darker. */
    land = plane_land(ctx, N, 3, 10, -0.5, 0);
    unsigned char lit[N * 3 * 3];
    support_ok(ctx, rvi_shade_land(land, &(rvi_light){270, 45, 1}, rgb));
    support_ok(ctx, rvi_shade_land(land, &(rvi_light){90, 45, 1}, lit));
    for (int i = 0; i < 3 * N; i++)
        assert_less(rgb[i], lit[i]);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void check_picture(const char *file, int width, int height, int colour_type) {
    unsigned char head[33];
    FILE *in = fopen(file, "rb");
    assert_non_null(in);
    assert_int_equal(fread(head, 1, sizeof head, in), sizeof head);
    fclose(in);
    assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(head[18] * 256 + head[19], width);
    assert_int_equal(head[22] * 256 + head[23], height);
    assert_int_equal(head[24], 8); /* bits */
    assert_int_equal(head[25], colour_type);
}

static void test_step_writes_a_picture(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_land(ctx, 300, 40, 10);
    support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    uint64_t hash = rv_terrain_hash(land);
    rv_hillshade_params p = rv_hillshade_params_default();
    assert_equal(p.azimuth, 315);
    assert_equal(p.altitude, 45);
    assert_equal(p.z, 1); /* gdaldem's */
    p.file = "grey.png";
    support_ok(ctx, rv_step_run(land, RV_STEP_hillshade, &p, NULL));
    check_picture("grey.png", 300, 40, 0);
    p.file = "land.png";
    p.tint = RV_hillshade_tint_land;
    support_ok(ctx, rv_step_run(land, RV_STEP_hillshade, &p, NULL));
    check_picture("land.png", 300, 40, 2);
    assert_equal(rv_terrain_hash(land), hash);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_known_greys),
        cmocka_unit_test(test_cone),
        cmocka_unit_test(test_turned_and_scaled),
        cmocka_unit_test(test_narrow_maps),
        cmocka_unit_test(test_tint),
        cmocka_unit_test(test_step_writes_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
