/* test_own_images.c: a user's own sky and normal map in a picture: where their pixels lie, what
 * they do to the picture, and which files are refused. */
#include "support.h"

#include "base/context.h"
#include "base/math.h"
#include "formats/format.h"
#include "picture/own_images.h"

#include <stdio.h>
#include <string.h>

static rvi_picture read_picture(rv_context *ctx, const char *path) {
    rvi_picture p;
    support_ok(ctx, rvi_png_read_picture(ctx, path, &p));
    return p;
}

/* Grey is repeated, alpha dropped, 16 bits become 8, colours stay as they are. */
static void colours_come_back(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    unsigned char bytes[4 * 35];
    for (int i = 0; i < 4 * 35; i++)
        bytes[i] = (unsigned char)(i * 37);
    for (int channels = 1; channels <= 4; channels += channels == 1 ? 2 : 1) {
        support_ok(ctx, rvi_png_write_picture(ctx, "p.png", 7, 5, channels, bytes));
        rvi_picture p = read_picture(ctx, "p.png");
        assert_int_equal(p.width, 7);
        assert_int_equal(p.height, 5);
        for (int i = 0; i < 35; i++)
            for (int c = 0; c < 3; c++)
                assert_int_equal(p.rgb[3 * i + c], bytes[channels * i + (channels == 1 ? 0 : c)]);
        rvi_free(ctx, p.rgb);
    }
    support_ok(ctx,
               rv_recipe_run_text(ctx, "terrain width=3 height=2 save deep.png low=-65535 high=0",
                                  NULL, NULL));
    rvi_picture p = read_picture(ctx, "deep.png");
    assert_int_equal(p.rgb[0], 255);
    rvi_free(ctx, p.rgb);
    rv_context_destroy(ctx);
}

/* Slopes are those of the land that texture made the map of; one copy is mirrored beyond the edges,
 * a tile begins again. */
static void normals_are_slopes(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    enum { SIDE = 33 };
    float h[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) /* 0.5 down to the east, 0.25 up to the south */
        h[i] = 10.0f * (-0.5f * (float)(i % SIDE) + 0.25f * (float)(i / SIDE));
    rv_terrain *land = support_land(ctx, SIDE, SIDE, 10);
    support_ok(ctx, rv_terrain_field_set(land, "height", h));
    rv_texture_params t = rv_texture_params_default();
    t.file = "plane.png";
    support_ok(ctx, rv_step_run(land, RV_STEP_texture, &t, NULL));
    rvi_picture p = read_picture(ctx, "plane.png");
    rvi_normal_map map = {.image = {p.width, p.height, p.rgb}, .tile = NAN};
    float slope[2];
    for (int k = 0; k < 50; k++) {
        rvi_normal_map_slope(&map, 320 * k / 49.0, 310, 320, 320, slope);
        assert_near(slope[0], -0.5, 0.01);
        assert_near(slope[1], 0.25, 0.01);
    }
    rvi_normal_map_slope(&map, -40, 100, 320, 320, slope);
    assert_near(slope[0], 0.5, 0.01);
    assert_near(slope[1], 0.25, 0.01);
    rvi_normal_map_slope(&map, 900, 500, 320, 320, slope);
    assert_near(slope[0], -0.5, 0.01); /* mirrored twice */
    assert_near(slope[1], -0.25, 0.01);
    rvi_free(ctx, p.rgb);
    /* Half of it level, half steep. */
    unsigned char two[] = {128, 128, 255, 128, 128, 255, 0, 128, 128, 0, 128, 128};
    rvi_normal_map tiles = {.image = {4, 1, two}, .tile = 8};
    for (int k = -3; k < 3; k++) {
        rvi_normal_map_slope(&tiles, 8 * k + 0.5, 3 * k, 320, 320, slope);
        assert_near(slope[0], 0, 0.01);
        rvi_normal_map_slope(&tiles, 8 * k + 4.5, 3 * k, 320, 320, slope);
        assert_greater(slope[0], 10);
    }
    assert_near(rvi_normal_map_pixel(&tiles, 320), 2, 1e-6);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void look(const rvi_sky_image *sky, float azimuth, float elevation, float out[3]) {
    float a = azimuth * 0.0174532925f, e = elevation * 0.0174532925f;
    float along[3] = {cosf(e) * sinf(a), -cosf(e) * cosf(a), sinf(e)};
    rvi_sky_image_at(sky, along, out);
}

/* The left edge is north, then comes east; a sphere has its horizon in the middle, a strip below;
 * and what the picture shows is what the image has. */
static void the_sky_is_where_it_should_be(void **state) {
    (void)state;
    rvi_tone_map tones;
    rvi_tone_map_make(&tones, 0.6f);
    unsigned char rgb[3 * 72 * 36];
    for (int y = 0; y < 36; y++)
        for (int x = 0; x < 72; x++) {
            unsigned char *to = rgb + 3 * (72 * y + x);
            to[0] = (unsigned char)(x * 3);
            to[1] = (unsigned char)(y * 7);
            to[2] = 200;
        }
    for (int strip = 0; strip < 2; strip++) {
        rvi_sky_image sky;
        int height = strip ? 18 : 36; /* a strip: up to 90 degrees */
        float lights[256];
        rvi_sky_image_light(&tones, lights);
        sky = (rvi_sky_image){{72, height, rgb}, lights};
        for (int turn = 1; turn < 36; turn++)
            for (int up = 1; up < 8; up++) {
                rvi_colour light;
                unsigned char shown[3];
                look(&sky, (float)(10 * turn), (float)(10 * up), light.v);
                rvi_colour c = rvi_tone_map_apply(&tones, light);
                rvi_tone_map_put(&tones, 0, 0, &c, shown);
                double column = 2 * turn - 0.5, row = 18 - 2 * up - 0.5;
                assert_near(shown[0], 3 * column, 2.5);
                assert_near(shown[1], 7 * rvi_maxf((float)row, 0), 2.5);
                assert_near(shown[2], 200, 2);
            }
    }
}

static double mean_difference(rv_context *ctx, const char *a, const char *b) {
    rvi_picture p = read_picture(ctx, a), q = read_picture(ctx, b);
    double sum = 0;
    for (int i = 0; i < 3 * p.width * p.height; i++)
        sum += abs(p.rgb[i] - q.rgb[i]);
    sum /= 3.0 * p.width * p.height;
    rvi_free(ctx, p.rgb);
    rvi_free(ctx, q.rgb);
    return sum;
}

#define PICTURE "look=clay width=160 height=100 haze=0 "

static void pictures_use_them(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    unsigned char blue[3 * 8 * 4], level[12];
    for (int i = 0; i < 3 * 8 * 4; i++)
        blue[i] = (unsigned char[]){40, 90, 200}[i % 3];
    for (int i = 0; i < 12; i++)
        level[i] = i % 3 < 2 ? 128 : 255;
    support_ok(ctx, rvi_png_write_picture(ctx, "blue.png", 8, 4, 3, blue));
    support_ok(ctx, rvi_png_write_picture(ctx, "level.png", 2, 2, 3, level));
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx,
                                    "terrain size=129 cell=20 noise seed=3 relief=500 "
                                    "texture own.png render plain.png " PICTURE
                                    "render same.png normals=own.png " PICTURE
                                    "render flat.png normals=level.png " PICTURE
                                    "render tiled.png normals=level.png tile=50 " PICTURE
                                    "render blue-sky.png sky=blue.png " PICTURE
                                    "elevation=0 eye=1200/1200/900 target=1200/0/2000",
                                    "test", &recipe));
    support_ok(ctx, rv_recipe_run(recipe, NULL, NULL));
    /* The map of its own slopes changes little, level ones much; level tiles add nothing. */
    double same = mean_difference(ctx, "plain.png", "same.png");
    assert_less(same, 1.0);
    assert_greater(mean_difference(ctx, "plain.png", "flat.png"), 4 * same + 1);
    assert_less(mean_difference(ctx, "plain.png", "tiled.png"), 1.0);
    rvi_picture p = read_picture(ctx, "blue-sky.png");
    assert_near(p.rgb[0], 40, 3);
    assert_near(p.rgb[1], 90, 3);
    assert_near(p.rgb[2], 200, 3);
    rvi_free(ctx, p.rgb);
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
}

/* A sentence before the first step runs. */
static void wrong_images_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    unsigned char grey[30 * 20] = {0};
    support_ok(ctx, rvi_png_write_picture(ctx, "wide.png", 30, 20, 1, grey));
    static const char *const cases[][2] = {
        {"sky=wide.png", "wide.png is 30 x 20 pixels; a sky is twice as wide as high"},
        {"normals=wide.png", "but the land has 9 x 9 cells"},
        {"sky=none.png", "none.png"},
        {"sky=sky.npy", "must end in .png"},
        {"normals=cut.png", "cut"},
    };
    FILE *in = fopen("wide.png", "rb"), *out = fopen("cut.png", "wb");
    char start[60];
    assert_equal(fread(start, 1, sizeof start, in), sizeof start);
    assert_equal(fwrite(start, 1, sizeof start, out), sizeof start);
    fclose(in);
    fclose(out);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[200];
        snprintf(text, sizeof text, "terrain size=9 noise save done.npy render o.png %s",
                 cases[k][0]);
        assert_not_equal(rv_recipe_run_text(ctx, text, NULL, NULL), RV_OK);
        if (!strstr(rv_context_error(ctx), cases[k][1]))
            fail_msg("%s: %s", cases[k][0], rv_context_error(ctx));
        assert_null(fopen("done.npy", "rb"));
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_come_back),
        cmocka_unit_test(normals_are_slopes),
        cmocka_unit_test(the_sky_is_where_it_should_be),
        cmocka_unit_test(pictures_use_them),
        cmocka_unit_test(wrong_images_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
