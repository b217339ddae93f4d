/* test_render.c: what a person would check in a picture whose scene is known: a cone on a plain.
 * That no pixel is NaN is an assert in the code that makes it. */
#include "support.h"

#include "picture/land_cover.h"
#include "picture/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 65, WIDTH = 150, HEIGHT = 100 };
#define CELL 20.0f
#define PEAK 300.0f

static unsigned char first[WIDTH * HEIGHT * 3], second[WIDTH * HEIGHT * 3];

/* A cone of 300 m and radius 260 m in the middle of a plain. */
static rv_terrain *make_cone(rv_context *ctx) {
    rv_terrain *land = support_land(ctx, SIDE, SIDE, CELL);
    for (int i = 0; i < SIDE * SIDE; i++) {
        float dx = (float)(i % SIDE - SIDE / 2) * CELL, dy = (float)(i / SIDE - SIDE / 2) * CELL;
        float away = sqrtf(dx * dx + dy * dy);
        land->layers[0].thickness[i] = away < 260 ? PEAK * (1 - away / 260) : 0;
    }
    return land;
}

static rvi_view make_view(int look) {
    return (rvi_view){.look = (rvi_look)look,
                      .shot = {.width = WIDTH,
                               .height = HEIGHT,
                               .azimuth = 180,
                               .elevation = 30,
                               .distance = 1,
                               .fov = 40,
                               .z = 1},
                      .sun_azimuth = 270,
                      .sun_altitude = 20,
                      .snow = NAN,
                      .haze = 1};
}

static float luminance(const unsigned char *rgb) {
    return 0.3f * (float)rgb[0] + 0.6f * (float)rgb[1] + 0.1f * (float)rgb[2];
}

/* The pixel that shows a place, metres from the north-west corner. */
static const unsigned char *pixel_of(const rv_terrain *land, const rvi_view *view, float x, float y,
                                     float z) {
    rvi_relief r = {0};
    support_ok(land->ctx, rvi_relief_create(land, rvi_view_depth(land, view->shot.z), true, &r));
    rvi_camera c = rvi_camera_frame(&r, &view->shot);
    rvi_relief_destroy(&r);
    double p[3] = {(double)x, (double)y, (double)z}, a = 0, b = 0, d = 0;
    for (int k = 0; k < 3; k++) {
        a += (p[k] - c.from[k]) * c.right[k];
        b += (p[k] - c.from[k]) * c.up[k];
        d += (p[k] - c.from[k]) * c.forward[k];
    }
    int column = (int)((1 + a / d / (c.tangent * WIDTH / HEIGHT)) * WIDTH / 2);
    int row = (int)((1 - b / d / c.tangent) * HEIGHT / 2);
    assert_greater_equal(column, 0);
    assert_greater_equal(row, 0);
    assert_less(column, WIDTH);
    assert_less(row, HEIGHT);
    return first + 3 * (row * WIDTH + column);
}

/* The sky is brightest where it ends, at the row that the angles say. */
static void test_horizon_is_where_it_must_be(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_land(ctx, 9, 9, 10);
    for (int degrees = 0; degrees <= 16; degrees += 8) {
        rvi_view view = make_view(RV_render_look_alpine);
        view.shot.elevation = (float)degrees;
        view.shot.width = 12;
        view.shot.height = 480;
        support_ok(ctx, rvi_view_draw(land, &view, first));
        double expected = 240 * (1 - tan(degrees * 3.14159265 / 180) / tan(20 * 3.14159265 / 180));
        float most = 0;
        for (int row = 0; row < 480; row++)
            most = fmaxf(most, luminance(first + 3 * 12 * row));
        int row = 0;
        while (luminance(first + 3 * 12 * row) < most - 1.5f)
            row++;
        if (fabs(row - expected) > 8)
            fail_msg("looking down by %d degrees: horizon in row %d, not %.1f", degrees, row,
                     expected);
        for (int k = 1; k < row; k++) /* above it, the sky only gets darker */
            assert_greater_equal(luminance(first + 36 * k), luminance(first + 36 * (k - 1)) - 1.5f);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_shadow_falls_away_from_the_sun(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_cone(ctx);
    float middle = (float)(SIDE / 2) * CELL;
    for (int west = 0; west < 2; west++) {
        rvi_view view = make_view(RV_render_look_clay);
        view.sun_azimuth = west ? 270 : 90;
        support_ok(ctx, rvi_view_draw(land, &view, first));
        float away = west ? 1.0f : -1.0f, face = PEAK * (1 - sqrtf(130 * 130 + 60 * 60) / 260);
        float slope = luminance(pixel_of(land, &view, middle + away * 130, middle + 60, face));
        float sunny = luminance(pixel_of(land, &view, middle - away * 130, middle + 60, face));
        float plain = luminance(pixel_of(land, &view, middle + away * 420, middle, 0));
        float bright = luminance(pixel_of(land, &view, middle - away * 420, middle, 0));
        float aside = luminance(pixel_of(land, &view, middle + away * 420, middle + 450, 0));
        assert_less(slope, 0.75f * sunny);
        assert_less(plain, 0.8f * bright);
        assert_less(plain, 0.8f * aside); /* beside the shadow there is none */
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* The plain east of the cone, `z` metres high, is bluer than that in the west. */
static void assert_blue_in_the_east(const rv_terrain *land, rvi_look look, float z) {
    float middle = (float)(SIDE / 2) * CELL;
    rvi_view view = make_view((int)look);
    view.sun_azimuth = 180; /* it lights both sides alike */
    view.sun_altitude = 50;
    support_ok(land->ctx, rvi_view_draw(land, &view, first));
    const unsigned char *wet = pixel_of(land, &view, middle + 450, middle + 200, z);
    const unsigned char *dry = pixel_of(land, &view, middle - 450, middle + 200, 0);
    assert_greater(wet[2], wet[0]);
    assert_greater((float)wet[2] / (float)wet[0], 1.2f * (float)dry[2] / (float)dry[0]);
}

/* The cone with a field that is `value` in the east, and 0 elsewhere. */
static rv_terrain *make_cone_with(rv_context *ctx, const char *field, float value) {
    static float values[SIDE * SIDE];
    rv_terrain *land = make_cone(ctx);
    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = i % SIDE > SIDE / 2 + 14 ? value : 0;
    support_ok(ctx, rv_terrain_field_set(land, field, values));
    return land;
}

static void test_water_is_blue(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_cone_with(ctx, "water", 10);
    for (int look = 0; look < RV_render_look_COUNT; look++)
        assert_blue_in_the_east(land, (rvi_look)look, 10);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Where much water flows there is a stream; a desert's are dry. */
static void test_streams_are_blue(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_cone_with(ctx, "flow", 1000), *still = make_cone(ctx);
    assert_blue_in_the_east(land, RVI_LOOK_ALPINE, 0);
    rvi_view desert = make_view(RV_render_look_desert);
    support_ok(ctx, rvi_view_draw(land, &desert, first));
    support_ok(ctx, rvi_view_draw(still, &desert, second));
    assert_memory_equal(first, second, sizeof first);
    rv_terrain_destroy(land);
    rv_terrain_destroy(still);
    rv_context_destroy(ctx);
}

/* Of terraces, the slopes carry woods and the floors between them few trees. */
static void test_floors_have_few_trees(void **state) {
    (void)state;
    enum { STEP = 16, LONG = 160 };
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_land(ctx, LONG, LONG, CELL);
    for (int i = 0; i < LONG * LONG; i++) {
        int x = i % LONG, rise = x % STEP < STEP / 2 ? 0 : x % STEP - STEP / 2;
        land->layers[0].thickness[i] = CELL * 0.3f * (float)(x / STEP * STEP / 2 + rise);
    }
    rvi_relief r = {0};
    rvi_cover_rules rules = {0};
    static rvi_detail_noise detail;
    rvi_detail_noise_make(&detail, RVI_DETAIL_NOISE_SEED);
    support_ok(ctx, rvi_relief_create(land, rvi_view_depth(land, 1), true, &r));
    support_ok(ctx, rvi_cover_prepare(&r, &detail, 1e6f, false, NULL, &rules));
    double woods[2] = {0, 0};
    for (int y = 2; y < LONG - 2; y++)
        for (int x = 0; x < LONG; x++)
            if (x % (STEP / 2) > 1 && x % (STEP / 2) < STEP / 2 - 2) { /* not at an edge */
                bool slope = x % STEP >= STEP / 2;
                float along[2] = {slope ? 0.3f : 0, 0};
                float z = land->layers[0].thickness[y * LONG + x];
                woods[slope] += (double)rvi_cover_at(&rules, x, y, z, along, 1).wood;
            }
    assert_greater(woods[1], 100);
    assert_less(woods[0], 0.4 * woods[1]);
    rvi_cover_release(&rules);
    rvi_relief_destroy(&r);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_snow_lies_only_above_its_line(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_cone(ctx);
    for (int i = 0; i < SIDE * SIDE; i++) /* flat enough for snow to lie */
        land->layers[0].thickness[i] *= 0.3f;
    rvi_view view = make_view(RV_render_look_alpine);
    view.snow = 50;
    view.sun_altitude = 60;
    support_ok(ctx, rvi_view_draw(land, &view, first));
    view.snow = 1e6f;
    support_ok(ctx, rvi_view_draw(land, &view, second));
    rvi_relief r = {0};
    support_ok(ctx, rvi_relief_create(land, rvi_view_depth(land, 1), true, &r));
    rvi_camera c = rvi_camera_frame(&r, &view.shot);
    int above = 0, whiter = 0;
    for (int row = 2; row < HEIGHT - 2; row++)
        for (int column = 2; column < WIDTH - 2; column++) {
            float highest = -1;
            for (int k = 0; k < 9; k++) {
                rvi_ray ray = {{c.from[0] / (double)r.cell, c.from[1] / (double)r.cell, c.from[2]},
                               {0, 0, 0}};
                rvi_camera_look(&c, column + k % 3 - 0.5, row + k / 3 - 0.5, ray.along);
                ray.along[0] /= (double)r.cell;
                ray.along[1] /= (double)r.cell;
                rvi_hit hit = rvi_relief_trace(&r, &ray);
                highest = hit.kind == RVI_HIT_LAND ? fmaxf(highest, (float)hit.z) : highest;
            }
            const unsigned char *a = first + 3 * (row * WIDTH + column);
            const unsigned char *b = second + 3 * (row * WIDTH + column);
            if (highest < 50 - RVI_SNOW_SHIFT * 90)
                assert_memory_equal(a, b, 3);
            above += highest > 50 + 1.5f * RVI_SNOW_SHIFT * 90;
            whiter += highest > 50 + 1.5f * RVI_SNOW_SHIFT * 90 && luminance(a) > luminance(b) + 30;
        }
    assert_greater(above, 10);
    assert_greater(whiter, above * 4 / 5);
    rvi_relief_destroy(&r);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Lake, hole and layers, all in one. */
static const char *const SCENE =
    "terrain width=25 height=20 cell=40 noise seed=3 frequency=2 relief=400 "
    "layer name=sand noise=0.7 strata thickness=30 droplets drops=800 flood level=120";

static void test_same_bytes_with_any_threads(void **state) {
    (void)state;
    for (int look = 0; look < RV_render_look_COUNT; look++) {
        for (int k = 0; k < 2; k++) {
            rv_context *ctx = support_context(k ? 3 : 1);
            rv_terrain *land = support_run(ctx, SCENE);
            rvi_view view = make_view(look);
            view.shot.width = 101; /* tiles that are not whole */
            view.shot.height = 49;
            support_ok(ctx, rvi_view_draw(land, &view, k ? second : first));
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
        }
        assert_memory_equal(first, second, 101 * 49 * 3);
    }
}

/* All looks, and angles of every kind; the asserts look for NaN. */
static void draw_all(rv_context *ctx, const rv_terrain *land) {
    static const float angles[][4] = {
        {0, 0, 10, 40}, {89, 90, 120, 1}, {20, 0, 30, 0.05f}, {89, 33, 1, 100}, {0, 90, 40, 0.05f}};
    for (int k = 0; k < 5; k++) {
        rvi_view view = make_view(k % RV_render_look_COUNT);
        view.shot.azimuth = k == 1 ? 45 : NAN;
        view.shot.elevation = angles[k][0];
        view.sun_altitude = angles[k][1];
        view.sun_azimuth = k == 2 ? 360 : NAN;
        view.shot.fov = angles[k][2];
        view.shot.distance = angles[k][3];
        view.shot.z = k == 3 ? 1000 : k == 4 ? 0.01f : 1;
        view.shot.width = 17;
        view.shot.height = 13;
        support_ok(ctx, rvi_view_draw(land, &view, first));
    }
}

static void test_odd_lands_are_drawn(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const int sizes[][2] = {{1, 2}, {2, 1}, {2, 2}, {1, 30}, {3, 2}, {17, 12}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int peak = 0; peak < 3; peak++) {
            rv_terrain *land =
                support_land(ctx, sizes[k][0], sizes[k][1], peak == 1 ? 1e4f : 0.01f);
            size_t cells = rvi_cells(land);
            land->layers[0].thickness[cells / 2] = peak == 0 ? 0 : peak == 1 ? 1e5f : -1e5f;
            draw_all(ctx, land);
            float *field = calloc(cells, sizeof *field); /* all water, all hole */
            for (size_t i = 0; i < cells; i++)
                field[i] = 1;
            support_ok(ctx, rv_terrain_field_set(land, peak == 1 ? "water" : "hole", field));
            draw_all(ctx, land);
            free(field);
            rv_terrain_destroy(land);
        }
    rv_terrain *land = support_run(ctx, SCENE);
    draw_all(ctx, land);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* The pixels of the block are one piece: between the first and the last of a row that the block
 * covers there is no floor and no sky. */
static void test_the_block_has_no_gaps(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_run(ctx, "terrain size=48 noise shape=ridged relief=150");
    rvi_relief r = {0};
    support_ok(ctx, rvi_relief_create(land, rvi_view_depth(land, 1), true, &r));
    rvi_view view = make_view(RV_render_look_clay);
    view.shot.elevation = 50; /* no summit stands out against the floor */
    rvi_camera c = rvi_camera_frame(&r, &view.shot);
    for (int row = 0; row < HEIGHT; row++) {
        int changes = 0;
        bool was = false;
        for (int column = 0; column < WIDTH; column++) {
            rvi_ray ray = {{c.from[0] / (double)r.cell, c.from[1] / (double)r.cell, c.from[2]},
                           {0, 0, 0}};
            rvi_camera_look(&c, column + 0.5, row + 0.5, ray.along);
            ray.along[0] /= (double)r.cell;
            ray.along[1] /= (double)r.cell;
            bool is = rvi_relief_trace(&r, &ray).kind != RVI_HIT_NONE;
            changes += is != was;
            was = is;
        }
        assert_true(changes <= 2 || row < HEIGHT / 4);
    }
    rvi_relief_destroy(&r);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_the_step_says_what_is_wrong(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    assert_int_equal(rv_recipe_run_text(ctx, "terrain size=8 render land.jpg", NULL, NULL),
                     RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(ctx), "land.jpg"));
    assert_int_equal(rv_recipe_run_text(ctx, "terrain size=8 texture land.bmp", NULL, NULL),
                     RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(ctx), "land.bmp"));
    support_ok(ctx, rv_recipe_run_text(ctx,
                                       "terrain size=8 noise render r.png width=20 height=9 "
                                       "look=map mask r.png",
                                       NULL, NULL));
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_horizon_is_where_it_must_be),
        cmocka_unit_test(test_shadow_falls_away_from_the_sun),
        cmocka_unit_test(test_water_is_blue),
        cmocka_unit_test(test_streams_are_blue),
        cmocka_unit_test(test_floors_have_few_trees),
        cmocka_unit_test(test_snow_lies_only_above_its_line),
        cmocka_unit_test(test_same_bytes_with_any_threads),
        cmocka_unit_test(test_odd_lands_are_drawn),
        cmocka_unit_test(test_the_block_has_no_gaps),
        cmocka_unit_test(test_the_step_says_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
