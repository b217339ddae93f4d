/* test_view_parts.c: where a camera that is placed looks, the sun by the time of day, land that is
 * mirrored, own colours, and trees that rays hit. */
#include "format_files.h"

#include "picture/camera.h"
#include "picture/mirrored_land.h"
#include "picture/palette.h"
#include "picture/trees.h"

#include <string.h>

/* The middle of the picture looks at the target, the horizon is level, and z is above the ground.
 */
static void test_eye_and_target(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 41, 31, 10);
    for (int i = 0; i < 41 * 31; i++)
        land->layers[0].thickness[i] = 100 + 2 * (float)(i % 41);
    rvi_relief relief;
    support_ok(ctx, rvi_relief_create(land, 10, false, &relief));
    rvi_shot shot = {.width = 80,
                     .height = 60,
                     .fov = 40,
                     .z = 2,
                     .placed = true,
                     .eye = {50, 250, 30},
                     .target = {350, 40, 5}};
    rvi_camera camera = rvi_camera_place(&relief, &shot, 0);
    const double from[3] = {50, 250, 2 * 110 + 30}, to[3] = {350, 40, 2 * 170 + 5};
    double along[3], way = 0;
    rvi_camera_look(&camera, 40, 30, along);
    for (int k = 0; k < 3; k++) {
        assert_near(camera.from[k], from[k], 1e-3);
        way += (to[k] - from[k]) * (to[k] - from[k]);
    }
    for (int k = 0; k < 3; k++)
        assert_near(along[k], (to[k] - from[k]) / sqrt(way), 1e-6);
    assert_equal(camera.right[2], 0);
    assert_greater(camera.up[2], 0);
    /* Straight down is a direction, too. */
    memcpy(shot.target, shot.eye, sizeof shot.target);
    shot.target[2] = 0;
    camera = rvi_camera_place(&relief, &shot, 0);
    rvi_camera_look(&camera, 40, 30, along);
    assert_near(along[2], -1, 1e-6);
    rvi_relief_destroy(&relief);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_time_of_day(void **state) {
    (void)state;
    static const float known[3][3] = {{6, 90, 0}, {12, 180, 45}, {18, 270, 0}};
    for (int k = 0; k < 3; k++) {
        float azimuth, altitude;
        rvi_sky_time(known[k][0], &azimuth, &altitude);
        assert_near(azimuth, known[k][1], 1e-2);
        assert_near(altitude, known[k][2], 1e-2);
    }
    float last = -1;
    for (float hour = 6; hour <= 12; hour += 0.5f) {
        float azimuth, altitude;
        rvi_sky_time(hour, &azimuth, &altitude);
        assert_greater(altitude, last);
        last = altitude;
    }
}

static void test_mirrored_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land =
        support_run(ctx, "terrain width=9 height=6 noise layer name=sand noise=1 flood");
    rv_terrain *wide;
    support_ok(ctx, rvi_mirrored_land(land, &wide));
    int m = rvi_mirrored_margin(land), across = rv_terrain_width(wide);
    assert_int_equal(across, 9 + 2 * m);
    static const char *const fields[] = {"height", "water"};
    for (int f = 0; f < 2; f++) {
        const float *a = rv_terrain_field(land, fields[f]), *b = rv_terrain_field(wide, fields[f]);
        for (int y = 0; y < 6; y++)
            for (int x = 0; x < 9; x++) {
                assert_equal(b[(y + m) * across + x + m], a[y * 9 + x]);
                if (x <= m) /* to the west */
                    assert_equal(b[(y + m) * across + m - x], a[y * 9 + x]);
                if (y <= m) /* to the north */
                    assert_equal(b[(m - y) * across + x + m], a[y * 9 + x]);
            }
    }
    rv_terrain_destroy(wide);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A ray at half the height of a tree meets its cone where the formula says. */
static void test_a_ray_meets_a_tree(void **state) {
    (void)state;
    static rvi_conifer squares[5 * 4];
    rvi_trees trees = {
        .width = 5, .height = 4, .square = 2, .tallest = 20, .cell = 10, .z = 1, .tree = squares};
    squares[1 * 5 + 3] = (rvi_conifer){7, 3, 100, 20, 0}; /* at 70 m and 30 m */
    rvi_ray ray = {{0, 3, 110}, {0.1, 0, 0}};             /* eastwards, a metre each */
    rvi_conifer_hit hit;
    assert_true(rvi_trees_trace(&trees, &ray, 0, 1000, &hit));
    /* 10 m below the top, of a cone 17.6 m long and 3.6 m wide there. */
    assert_near(hit.t, 70 - 3.6 * 10 / 17.6, 1e-4);
    assert_less(hit.normal[0], -0.9);
    assert_greater(hit.normal[2], 0);
    assert_near(hit.up, 0.5, 1e-5);
    assert_false(rvi_trees_trace(&trees, &ray, 0, 60, &hit));   /* the ground comes before it */
    assert_false(rvi_trees_trace(&trees, &ray, 90, 900, &hit)); /* it was passed */
    ray.from[2] = 121;                                          /* over its top */
    assert_false(rvi_trees_trace(&trees, &ray, 0, 1000, &hit));
    rvi_ray down = {{7, 3, 500}, {0, 0, -1}};
    assert_true(rvi_trees_trace(&trees, &down, 0, 1000, &hit));
    assert_near(hit.t, 380, 1e-3);
}

/* ---- own colours ---- */

static void refuse(rv_context *ctx, const char *words, const char *says) {
    char text[300];
    remove("before.npy");
    snprintf(text, sizeof text,
             "terrain size=8 noise save before.npy render v.png width=9 height=9 %s", words);
    assert_int_not_equal(rv_recipe_run_text(ctx, text, NULL, NULL), RV_OK);
    if (!strstr(rv_context_error(ctx), says))
        fail_msg("\"%s\" does not say \"%s\"", rv_context_error(ctx), says);
    assert_false(exists("before.npy"));
}

static void test_palettes(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_palette palette = *rvi_palette_of(RVI_LOOK_ALPINE);
    assert_true(rvi_palette_set(&palette, "grass", 0xff0000));
    assert_near(palette.grass[1][0], 1, 1e-6);
    assert_equal(palette.grass[1][1], 0.0f);
    assert_false(rvi_palette_set(&palette, "lawn", 0));
    /* Every name that is told is one. */
    char names[300];
    snprintf(names, sizeof names, "%s", rvi_palette_names);
    for (char *save, *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save))
        assert_true(rvi_palette_set(&palette, name, 0x808080));
#ifdef RAVINE_PNG
    write_text("blue.txt", "# all blue\ngrass 0000FF\ngrass_dark 0000ff # dark\n\nrock = 0000ff\n"
                           "rock_dark 0000ff\ndry_grass 0000ff\nwood 0000ff\n");
    support_ok(
        ctx, rv_recipe_run_text(ctx,
                                "terrain size=24 cell=10 noise relief=90 render blue.png width=64 "
                                "height=48 elevation=80 palette=blue.txt haze=0 mask blue.png",
                                NULL, NULL));
    write_text("bad1.txt", "grass 00ff00\nlawn 00ff00\n");
    refuse(ctx, "palette=bad1.txt", "bad1.txt, line 2: there is no colour \"lawn\"");
    write_text("bad2.txt", "grass green\n");
    refuse(ctx, "palette=bad2.txt", "bad2.txt, line 1: after \"grass\" a colour as RRGGBB");
    refuse(ctx, "palette=none.txt", "none.txt");
    refuse(ctx, "eye=1/2", "eye=1/2 is no place");
    refuse(ctx, "eye=1/2/-3", "lies below the ground");
    refuse(ctx, "target=1/2/3", "needs eye=");
#endif
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eye_and_target), cmocka_unit_test(test_time_of_day),
        cmocka_unit_test(test_mirrored_land),  cmocka_unit_test(test_a_ray_meets_a_tree),
        cmocka_unit_test(test_palettes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
