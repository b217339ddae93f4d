/* test_paint.c: fields in colours over the shaded land. What a colour must say: where there is
 * nothing the land itself, where there is more the stronger colour, and the right hue for a
 * direction. */
#include "support.h"

#include "picture/overlay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 48, CELLS = SIZE * SIZE };

static const rvi_overlay plain = {{315, 45, 1}, NAN, 0.8f};

/* Hills; `flat` for colours without their shade. */
static rv_terrain *make_land(rv_context *ctx, bool flat) {
    rv_terrain *land = support_land(ctx, SIZE, SIZE, 10);
    if (!flat)
        support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    return land;
}

/* A field whose value grows with the index from 0 to `most`. */
static void set_rising(rv_context *ctx, rv_terrain *land, const char *name, float most) {
    static float values[CELLS];
    for (int i = 0; i < CELLS; i++)
        values[i] = most * (float)i / (CELLS - 1);
    support_ok(ctx, rv_terrain_field_set(land, name, values));
}

static void set_all(rv_context *ctx, rv_terrain *land, const char *name, float value) {
    size_t cells = rvi_cells(land);
    float *values = malloc(cells * sizeof *values);
    for (size_t i = 0; i < cells; i++)
        values[i] = value;
    support_ok(ctx, rv_terrain_field_set(land, name, values));
    free(values);
}

static bool is_shade(const unsigned char *rgb, const unsigned char *grey, size_t cell) {
    const unsigned char *p = rgb + 3 * cell;
    return p[0] == grey[cell] && p[1] == grey[cell] && p[2] == grey[cell];
}

/* ---- layers ---- */

/* Bare rock is the shaded land; thick sand is sand, thin sand lets through what lies below. */
static void test_layers(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_land(ctx, true);
    static float clay[CELLS], sand[CELLS], plain_cover[CELLS];
    static unsigned char rgb[3 * CELLS], grey[CELLS];
    for (int i = 0; i < CELLS; i++) { /* bare, clay, clay below a little sand, sand, no colour */
        clay[i] = (const float[]){0, 3, 3, 3, 3}[i % 5];
        sand[i] = (const float[]){0, 0, 0.5f, 1, 3}[i % 5];
        plain_cover[i] = (const float[]){0, 0, 0, 0, 1}[i % 5];
    }
    rv_layer_desc d = {.name = "clay", .erodibility = 1, .talus = 30, .colour = 0xff804020};
    support_ok(ctx, rv_terrain_layer_add(land, &d, clay));
    d = (rv_layer_desc){.name = "sand", .erodibility = 1, .talus = 30, .colour = 0xffffe0a0};
    support_ok(ctx, rv_terrain_layer_add(land, &d, sand));
    d = (rv_layer_desc){.name = "cover", .erodibility = 1, .talus = 30};
    support_ok(ctx, rv_terrain_layer_add(land, &d, plain_cover));
    rvi_overlay how = plain;
    how.limit = 1;
    how.opacity = 1;
    support_ok(ctx, rvi_shade_grey(land, &how.light, grey));
    support_ok(ctx, rvi_overlay_paint(land, "layers", &how, rgb));
    static const unsigned colours[] = {0, 0x804020, 0xc09060, 0xffe0a0, 0};
    for (size_t i = 0; i < CELLS; i++) {
        unsigned colour = colours[i % 5];
        double light = 0.4 + 0.6 * grey[i] / 255.0;
        for (int c = 0; c < 3 && colour; c++) {
            double expected = (colour >> (16 - 8 * c) & 0xff) * light;
            assert_less_equal(fabs(rgb[3 * i + (size_t)c] - expected), 1.5);
        }
        assert_true(colour || is_shade(rgb, grey, i));
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- water, sediment, flow ---- */

static void test_water(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_land(ctx, false);
    static float depth[CELLS];
    static unsigned char rgb[3 * CELLS], grey[CELLS];
    for (int i = 0; i < CELLS; i++) /* dry, shallow, deep, deeper than the limit */
        depth[i] = (const float[]){0, 0.05f, 2, 40}[i % 4];
    support_ok(ctx, rv_terrain_field_set(land, "water", depth));
    rvi_overlay how = plain;
    how.limit = 2;
    how.opacity = 1;
    support_ok(ctx, rvi_shade_grey(land, &how.light, grey));
    support_ok(ctx, rvi_overlay_paint(land, "water", &how, rgb));
    for (size_t i = 0; i < CELLS; i += 4) {
        assert_true(is_shade(rgb, grey, i));
        const unsigned char *deep = rgb + 3 * (i + 2);
        assert_greater(deep[2], 2 * deep[1]);
        assert_greater(deep[2], 4 * deep[0]);
    }
    rv_terrain_destroy(land);

    /* On even ground: the limit is the end, and the shallow shows the ground. */
    land = make_land(ctx, true);
    support_ok(ctx, rv_terrain_field_set(land, "water", depth));
    support_ok(ctx, rvi_shade_grey(land, &how.light, grey));
    support_ok(ctx, rvi_overlay_paint(land, "water", &how, rgb));
    assert_memory_equal(rgb + 3 * 2, rgb + 3 * 3, 3);
    assert_less(abs(rgb[3] - grey[1]), 40);
    assert_less(abs(rgb[5] - grey[1]), 40);
    assert_less(rgb[3], rgb[5]);
    how.opacity = 0;
    support_ok(ctx, rvi_overlay_paint(land, "water", &how, rgb));
    for (size_t i = 0; i < CELLS; i++)
        assert_true(is_shade(rgb, grey, i));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* How much stronger a channel is than the other two. */
static double excess(const unsigned char *rgb, size_t cell, int channel) {
    const unsigned char *p = rgb + 3 * cell;
    return 1.5 * p[channel] - 0.5 * (p[0] + p[1] + p[2]);
}

/* The more there is, the further the pixel stands from grey in its colour, on hills and flats. */
static void test_more_is_stronger(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const struct {
        const char *field;
        int channel;
    } cases[] = {{"sediment", 0}, {"water", 2}, {"flow", 2}};
    static unsigned char rgb[3 * CELLS];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        rv_terrain *land = make_land(ctx, true);
        set_rising(ctx, land, cases[k].field, 5);
        rvi_overlay how = plain;
        how.limit = 5;
        support_ok(ctx, rvi_overlay_paint(land, cases[k].field, &how, rgb));
        double least = 0;
        for (size_t i = 0; i < CELLS; i++) {
            double now = excess(rgb, i, cases[k].channel);
            if (k == 0 || i < CELLS / 4) /* blues get darker towards the deep end */
                assert_greater_equal(now, least - 3);
            least = now > least ? now : least;
        }
        assert_greater(least, 60);
        assert_greater(excess(rgb, CELLS - 1, cases[k].channel), 60);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* Flow spans decades: a tenth of the limit is far more than a tenth of the way. */
static void test_flow_is_logarithmic(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 4, 1, 10);
    support_ok(ctx, rv_terrain_field_set(land, "flow", (const float[]){0, 1, 10, 100}));
    rvi_overlay how = plain;
    how.limit = 100;
    unsigned char rgb[12];
    support_ok(ctx, rvi_overlay_paint(land, "flow", &how, rgb));
    assert_int_equal(rgb[0], rgb[2]); /* none */
    assert_less(rgb[3], rgb[0]);
    assert_less(rgb[6], rgb[3]);
    assert_less(rgb[9], rgb[6]);
    assert_greater(rgb[3] - rgb[6], (rgb[0] - rgb[9]) / 5);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Of 100 wet cells two may be beyond the automatic limit, not more; dry ones do not count. */
static void test_automatic_limit(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_land(ctx, 500, 1, 10);
    float depth[500] = {0};
    for (int i = 0; i < 200; i++) /* 195 shallow, and a few pits of a kilometre */
        depth[i] = i < 195 ? 0.01f * (float)(i + 1) : 1000;
    support_ok(ctx, rv_terrain_field_set(land, "water", depth));
    unsigned char automatic[1500], fixed[1500];
    rvi_overlay how = plain;
    support_ok(ctx, rvi_overlay_paint(land, "water", &how, automatic));
    assert_memory_not_equal(automatic + 3 * 100, automatic + 3 * 190, 3);
    depth[195] = depth[196] = depth[197] = depth[198] = depth[199] = 0.5f;
    support_ok(ctx, rv_terrain_field_set(land, "water", depth));
    how.limit = 1.91f; /* 196 of 200 do not pass it */
    support_ok(ctx, rvi_overlay_paint(land, "water", &how, fixed));
    how.limit = NAN;
    support_ok(ctx, rvi_overlay_paint(land, "water", &how, automatic));
    for (int i = 0; i < 1500; i++)
        assert_less_equal(abs(automatic[i] - fixed[i]), 2);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- velocity ---- */

/* Hue in degrees of a pixel, by the definition of HSV. */
static double hue_of(const unsigned char *p) {
    double r = p[0], g = p[1], b = p[2];
    double most = fmax(r, fmax(g, b)), span = most - fmin(r, fmin(g, b));
    assert_greater(span, 0);
    double h = most == r ? (g - b) / span : most == g ? 2 + (b - r) / span : 4 + (r - g) / span;
    return 60 * (h < 0 ? h + 6 : h);
}

/* To the eight winds: the hue is the bearing of where the water goes, clockwise from north. */
static void test_hue_is_the_direction(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_land(ctx, 8, 1, 10);
    const float east[] = {0, 1, 1, 1, 0, -1, -1, -1}, south[] = {-1, -1, 0, 1, 1, 1, 0, -1};
    support_ok(ctx, rv_terrain_field_set(land, "velocity_x", east));
    support_ok(ctx, rv_terrain_field_set(land, "velocity_y", south));
    const float opacities[] = {0.5f, 1};
    for (int k = 0; k < 2; k++) {
        rvi_overlay how = plain;
        how.opacity = opacities[k];
        how.limit = 1.4142136f;
        unsigned char rgb[24];
        support_ok(ctx, rvi_overlay_paint(land, "velocity", &how, rgb));
        for (int i = 0; i < 8; i++)
            assert_near(hue_of(rgb + 3 * i), 45 * i, 1);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* The value is the speed, up to the limit; what does not move is the shaded land. */
static void test_value_is_the_speed(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_land(ctx, true);
    static unsigned char rgb[3 * CELLS];
    set_rising(ctx, land, "velocity_x", 3);
    set_all(ctx, land, "velocity_y", 0);
    rvi_overlay how = plain;
    how.opacity = 1;
    how.limit = 2;
    support_ok(ctx, rvi_overlay_paint(land, "velocity", &how, rgb));
    assert_equal(rgb[0], 181);
    assert_equal(rgb[1], 181);
    assert_equal(rgb[2], 181);
    for (int i = CELLS / 10; i < CELLS; i++) { /* slower ones let the land through */
        double value = fmin(1, 1.5 * i / (CELLS - 1));
        assert_near(rgb[3 * i + 1], 255 * value, 1.1); /* east: green is the highest */
        assert_int_equal(rgb[3 * i + 2], 0);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- every other field ---- */

/* CIE lightness of a pixel, 0 to 100. */
static double lightness(const unsigned char *p) {
    double linear[3];
    for (int c = 0; c < 3; c++) {
        double v = p[c] / 255.0;
        linear[c] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
    double y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

/* Equal steps of the field are equal steps of lightness, to the eye. */
static void test_even_ramp(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_land(ctx, true);
    static unsigned char rgb[3 * CELLS];
    set_rising(ctx, land, "anything", -70);
    rvi_overlay how = plain;
    how.light.altitude = 90; /* full light, so that the colours are the ramp's own */
    how.opacity = 1;
    support_ok(ctx, rvi_overlay_paint(land, "anything", &how, rgb));
    double dark = lightness(rgb + 3 * (CELLS - 1)), bright = lightness(rgb);
    assert_less(dark, 15);
    assert_greater(bright, 85);
    for (int k = 0; k < 10; k++) {
        double a = lightness(rgb + 3 * (k * (CELLS - 1) / 10));
        double b = lightness(rgb + 3 * ((k + 1) * (CELLS - 1) / 10));
        assert_near((a - b) / (bright - dark), 0.1, 0.04);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Nothing to see is no failure: one value everywhere, whatever it is. */
static void test_constant_and_empty(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const names[] = {"water",  "flow",      "sediment",
                                        "eroded", "deposited", "anything"};
    const float values[] = {0, 3, -2, 1e-42f, 3e38f, -3e38f};
    static unsigned char rgb[3 * CELLS], grey[CELLS];
    rv_terrain *land = make_land(ctx, true);
    support_ok(ctx, rvi_shade_grey(land, &plain.light, grey));
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            set_all(ctx, land, names[k], values[v]);
            support_ok(ctx, rvi_overlay_paint(land, names[k], &plain, rgb));
            for (int i = 0; i < CELLS; i++)
                assert_memory_equal(rgb, rgb + 3 * i, 3);
            if (k < 5 && !(values[v] > 0))
                assert_true(is_shade(rgb, grey, 0));
        }
        set_all(ctx, land, "velocity_x", values[v]);
        set_all(ctx, land, "velocity_y", values[v]);
        support_ok(ctx, rvi_overlay_paint(land, "velocity", &plain, rgb));
        for (int i = 0; i < CELLS; i++)
            assert_memory_equal(rgb, rgb + 3 * i, 3);
        if (values[v] == 0)
            assert_true(is_shade(rgb, grey, 0));
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- the step ---- */

static size_t read_whole(const char *file, unsigned char *out, size_t room) {
    FILE *in = fopen(file, "rb");
    assert_non_null(in);
    size_t size = fread(out, 1, room, in);
    fclose(in);
    return size;
}

static void test_same_bytes_with_any_threads(void **state) {
    (void)state;
    static const char *const fields[] = {"flow", "eroded", "velocity", "anything", "height"};
    static unsigned char one[1 << 20], many[1 << 20];
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        size_t sizes[2];
        for (int t = 0; t < 2; t++) {
            rv_context *ctx = support_context(t == 0 ? 1 : 3);
            rv_terrain *land =
                support_run(ctx, "terrain width=97 height=130 noise droplets 2000 max_path=30");
            float *values = malloc(rvi_cells(land) * sizeof *values);
            static const char *const names[] = {"velocity_x", "velocity_y", "anything"};
            for (int n = 0; n < 3; n++) {
                for (size_t i = 0; i < rvi_cells(land); i++)
                    values[i] = (float)((int)(i * (size_t)(31 + n) % 101) - 50);
                support_ok(ctx, rv_terrain_field_set(land, names[n], values));
            }
            free(values);
            rv_paint_params p = rv_paint_params_default();
            p.file = "threads.png";
            p.field = fields[k];
            uint64_t hash = rv_terrain_hash(land);
            support_ok(ctx, rv_step_run(land, RV_STEP_paint, &p, NULL));
            assert_equal(rv_terrain_hash(land), hash);
            sizes[t] = read_whole(p.file, t ? many : one, sizeof one);
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
        }
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(one, many, sizes[0]);
    }
}

static void test_missing_fields(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = make_land(ctx, true);
    set_all(ctx, land, "flow", 1);
    set_all(ctx, land, "velocity_x", 1);
    static const char *const lacks[][2] = {
        {"water", "\"water\""}, {"velocity", "\"velocity_y\""}, {"", "\"\""}, {"Flow", "\"Flow\""}};
    for (size_t k = 0; k < sizeof lacks / sizeof lacks[0]; k++) {
        rv_paint_params p = rv_paint_params_default();
        p.file = "missing.png";
        p.field = lacks[k][0];
        assert_int_equal(rv_step_run(land, RV_STEP_paint, &p, NULL), RV_ERROR_USAGE);
        assert_non_null(strstr(rv_context_error(ctx), lacks[k][1]));
        assert_non_null(strstr(rv_context_error(ctx), "there is height, flow, velocity_x."));
        rv_save_params s = rv_save_params_default();
        s.file = "missing.npy";
        s.field = lacks[k][0];
        assert_int_equal(rv_step_run(land, RV_STEP_save, &s, NULL), RV_ERROR_USAGE);
        assert_non_null(strstr(rv_context_error(ctx), "there is height, flow, velocity_x."));
    }
    rv_paint_params p = rv_paint_params_default();
    p.file = "picture.jpg";
    assert_int_equal(rv_step_run(land, RV_STEP_paint, &p, NULL), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(ctx), "picture.jpg"));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Whatever a step leaves behind can be saved and reads back as it is. */
static void test_every_field_can_be_saved(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_land(ctx, false);
    static const char *const names[] = {"flow",     "eroded",     "deposited",  "water",
                                        "sediment", "velocity_x", "velocity_y", "mask"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        set_rising(ctx, land, names[k], k % 2 ? -3.5f : 0.001f);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        static const char *const files[] = {"field.npy", "field.r32", "field.png", "field.r16"};
        for (int f = 0; f < 4; f++) {
            rv_save_params s = rv_save_params_default();
            s.file = files[f];
            s.field = names[k];
            support_ok(ctx, rv_step_run(land, RV_STEP_save, &s, NULL));
            rv_open_params o = rv_open_params_default();
            o.file = files[f];
            rv_terrain *back = support_land(ctx, 2, 2, 1);
            support_ok(ctx, rv_step_run(back, RV_STEP_open, &o, NULL));
            const float *saved = rv_terrain_field(back, "height");
            const float *there = rv_terrain_field(land, names[k]);
            float level = f < 2 ? 0 : 3.5f / 65535;
            for (int i = 0; i < CELLS; i++)
                assert_less_equal(fabsf(saved[i] - there[i]), level);
            rv_terrain_destroy(back);
        }
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_narrow_maps(void **state) {
    (void)state;
    rv_context *ctx = support_context(3);
    static const int sizes[][2] = {{1, 2}, {2, 1}, {1, 40}, {40, 1}, {3, 2}};
    static const char *const views[] = {"water", "flow", "velocity", "anything", "height"};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        rv_terrain *land = support_land(ctx, sizes[k][0], sizes[k][1], 10);
        support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
        static const char *const names[] = {"water", "flow", "velocity_x", "velocity_y",
                                            "anything"};
        for (int n = 0; n < 5; n++)
            set_all(ctx, land, names[n], 0.5f);
        for (int v = 0; v < 5; v++) {
            rv_paint_params p = rv_paint_params_default();
            p.file = "narrow.png";
            p.field = views[v];
            support_ok(ctx, rv_step_run(land, RV_STEP_paint, &p, NULL));
        }
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* With each allocation failing in turn, nothing leaks and no picture is left. */
static void test_memory_runs_out(void **state) {
    (void)state;
    bool done = false;
    for (long n = 0; !done; n++) {
        support_memory memory = {-1, 0};
        rv_context_desc desc = rv_context_desc_default();
        desc.threads = 1;
        desc.allocator = support_allocator(&memory);
        rv_context *ctx;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        rv_terrain *land = make_land(ctx, false);
        set_rising(ctx, land, "velocity_x", 1);
        set_rising(ctx, land, "velocity_y", 2);
        rv_paint_params p = rv_paint_params_default();
        p.file = "memory.png";
        p.field = "velocity";
        remove(p.file);
        atomic_store(&memory.left, n);
        rv_status status = rv_step_run(land, RV_STEP_paint, &p, NULL);
        atomic_store(&memory.left, -1);
        done = status == RV_OK;
        FILE *file = fopen(p.file, "rb");
        assert_equal(done, file != NULL);
        if (file)
            fclose(file);
        if (!done)
            assert_int_equal(status, RV_ERROR_MEMORY);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
        assert_int_equal(atomic_load(&memory.held), 0);
        assert_less(n, 100);
    }
}

/* Sediment is painted by how much of the water it is, not by how much there is. */
static void test_sediment_by_concentration(void **state) {
    (void)state;
    enum { SIDE = 8, ALL = SIDE * SIDE };
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, SIDE, SIDE, 10);
    static float water[ALL], sediment[ALL];
    static unsigned char rgb[3 * ALL];
    for (int i = 0; i < ALL;
         i++) { /* the same sediment in ever more water; a film in the last row */
        water[i] = i / SIDE == SIDE - 1 ? 1e-3f : (float)(1 + i % SIDE);
        sediment[i] = 0.1f;
    }
    support_ok(ctx, rv_terrain_field_set(land, "sediment", sediment));
    rvi_overlay how = {{315, 45, 1}, 0.1f, 1};
    support_ok(ctx, rvi_overlay_paint(land, "sediment", &how, rgb));
    assert_memory_equal(rgb, rgb + 3 * (SIDE - 1), 3); /* without water: its thickness */
    support_ok(ctx, rv_terrain_field_set(land, "water", water));
    support_ok(ctx, rvi_overlay_paint(land, "sediment", &how, rgb));
    for (int x = 1; x < SIDE; x++) /* less red, more of the grey land */
        assert_greater(rgb[3 * x + 1], rgb[3 * (x - 1) + 1]);
    const unsigned char *film = rgb + 3 * (ALL - 1);
    assert_int_equal(film[0], film[1]);
    assert_int_equal(film[1], film[2]);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_water),
        cmocka_unit_test(test_more_is_stronger),
        cmocka_unit_test(test_flow_is_logarithmic),
        cmocka_unit_test(test_automatic_limit),
        cmocka_unit_test(test_hue_is_the_direction),
        cmocka_unit_test(test_value_is_the_speed),
        cmocka_unit_test(test_even_ramp),
        cmocka_unit_test(test_constant_and_empty),
        cmocka_unit_test(test_same_bytes_with_any_threads),
        cmocka_unit_test(test_missing_fields),
        cmocka_unit_test(test_every_field_can_be_saved),
        cmocka_unit_test(test_narrow_maps),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_sediment_by_concentration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
