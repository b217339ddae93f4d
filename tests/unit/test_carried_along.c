/* test_carried_along.c: layers, their properties and fields go through crop, resize, repeat,
 * checkpoints, land files and masks to the bit, on lands and ways at random. */
#include "support.h"

#include "base/context.h"
#include "base/random.h"
#include "formats/checkpoint.h"
#include "terrain/state.h"

#include <stdio.h>
#include <string.h>

static uint64_t draw(uint64_t seed, uint64_t what, uint64_t below) {
    return rvi_random(seed, what, 99) % below;
}

static bool one_in(uint64_t seed, uint64_t what, uint64_t count) {
    return draw(seed, what, count) == 0;
}

/* A land with some layers and fields. */
static void land_text(uint64_t seed, char *out, size_t size) {
    int w = 9 + (int)draw(seed, 1, 30), h = 9 + (int)draw(seed, 2, 30);
    snprintf(out, size,
             "terrain width=%d height=%d cell=%d noise seed=%d frequency=3 %s%s%s%s%s"
             "select name=a_field where=\"slope > 20~15\" ",
             w, h, 1 + (int)draw(seed, 3, 20), (int)draw(seed, 4, 1000),
             one_in(seed, 5, 2) ? "layer name=clay noise=0.8 noise layer=clay relief=7 " : "",
             one_in(seed, 6, 2) ? "layer name=sand below=500 colour=aabb11 " : "",
             one_in(seed, 7, 2) ? "layer name=bedrock talus=51 erodibility=0.5 " : "",
             one_in(seed, 8, 2) ? "flood " : "", one_in(seed, 9, 2) ? "strata tilt=9 " : "");
}

static void assert_same(const rv_terrain *a, const rv_terrain *b) {
    assert_equal(rv_terrain_hash(a), rv_terrain_hash(b));
    for (int l = 0; l < rv_terrain_layer_count(a); l++)
        assert_string_equal(rv_terrain_layer(a, l).name, rv_terrain_layer(b, l).name);
}

static rv_terrain *run_both(rv_context *ctx, const char *first, const char *then) {
    char text[1200];
    snprintf(text, sizeof text, "%s%s", first, then);
    return support_run(ctx, text);
}

/* Every cell of every layer and field of a piece is that of the whole. */
static void crops_are_pieces(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (uint64_t seed = 1; seed <= support_cases(40); seed++) {
        char text[600], crop[80];
        land_text(seed, text, sizeof text);
        int x = (int)draw(seed, 20, 4), y = (int)draw(seed, 21, 4);
        int w = 2 + (int)draw(seed, 22, 4), h = 2 + (int)draw(seed, 23, 4);
        snprintf(crop, sizeof crop, "crop x=%d y=%d width=%d height=%d", x, y, w, h);
        rv_terrain *whole = support_run(ctx, text), *piece = run_both(ctx, text, crop);
        assert_int_equal(rv_terrain_layer_count(whole), rv_terrain_layer_count(piece));
        assert_int_equal(rv_terrain_field_count(whole), rv_terrain_field_count(piece));
        int layers = rv_terrain_layer_count(whole);
        for (int f = 0; f < layers + rv_terrain_field_count(whole); f++) {
            const char *name = f < layers ? rv_terrain_layer(whole, f).name
                                          : rv_terrain_field_name(whole, f - layers);
            const float *from = rv_terrain_field(whole, name), *to = rv_terrain_field(piece, name);
            for (int i = 0; i < w * h; i++)
                assert_equal(to[i], from[(y + i / w) * rv_terrain_width(whole) + x + i % w]);
        }
        for (int l = 0; l < layers; l++) {
            assert_equal(rv_terrain_layer(whole, l).talus, rv_terrain_layer(piece, l).talus);
            assert_equal(rv_terrain_layer(whole, l).erodibility,
                         rv_terrain_layer(piece, l).erodibility);
            assert_equal(rv_terrain_layer(whole, l).colour, rv_terrain_layer(piece, l).colour);
        }
        rv_terrain_destroy(whole);
        rv_terrain_destroy(piece);
    }
    rv_context_destroy(ctx);
}

/* To the size it has, and to (n - 1) k + 1 cells and back with the nearest: nothing changes. */
static void sizes_there_and_back(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const filters[] = {"cubic", "linear", "nearest"};
    for (uint64_t seed = 1; seed <= support_cases(40); seed++) {
        char text[600], resize[160];
        land_text(seed, text, sizeof text);
        rv_terrain *land = support_run(ctx, text);
        int w = rv_terrain_width(land);
        for (int k = 0; k < 3; k++) {
            snprintf(resize, sizeof resize, "resize width=%d filter=%s", w, filters[k]);
            rv_terrain *same = run_both(ctx, text, resize);
            assert_same(land, same);
            rv_terrain_destroy(same);
        }
        snprintf(resize, sizeof resize,
                 "resize width=%d filter=nearest resize width=%d filter=nearest", 3 * (w - 1) + 1,
                 w);
        rv_terrain *back = run_both(ctx, text, resize);
        assert_int_equal(rv_terrain_height(back), rv_terrain_height(land));
        for (int f = 0; f < rv_terrain_field_count(land); f++)
            assert_memory_equal(land->fields[f].values, back->fields[f].values,
                                rvi_cells(land) * sizeof(float));
        for (int l = 0; l < rv_terrain_layer_count(land); l++)
            assert_memory_equal(land->layers[l].thickness, back->layers[l].thickness,
                                rvi_cells(land) * sizeof(float));
        rv_terrain_destroy(back);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* One turn of a repeat is the steps themselves, and none is nothing. */
static void repeats_carry_all(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const steps =
        "select name=s where=\"a_field > 0.2 and height > 300\" mask field=s droplets 30 "
        "noise mode=add relief=3 mask ";
    for (uint64_t seed = 1; seed <= support_cases(24); seed++) {
        char text[600], once[400], never[400];
        land_text(seed, text, sizeof text);
        snprintf(once, sizeof once, "repeat 1 %s end", steps);
        snprintf(never, sizeof never, "repeat 0 %s end", steps);
        rv_terrain *plain = run_both(ctx, text, steps), *turn = run_both(ctx, text, once);
        rv_terrain *none = run_both(ctx, text, never), *land = support_run(ctx, text);
        assert_same(plain, turn);
        assert_same(none, land);
        rv_terrain_destroy(plain);
        rv_terrain_destroy(turn);
        rv_terrain_destroy(none);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void checkpoints_and_files_keep_all(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (uint64_t seed = 1; seed <= support_cases(16); seed++) {
        char text[600];
        land_text(seed, text, sizeof text);
        rv_terrain *land = support_run(ctx, text);
        char recipe[] = "noise";
        rvi_checkpoint saved = {.run = 7, .land = land, .text = recipe}, read;
        remove("run.ck");
        support_ok(ctx, rvi_checkpoint_write(ctx, "run.ck", &saved));
        support_ok(ctx, rvi_checkpoint_read(ctx, "run.ck", &read));
        assert_same(land, read.land);
        rv_terrain *again = run_both(ctx, text, "save kept.npz terrain size=3 open kept.npz");
        assert_same(land, again);
        rv_terrain_destroy(again);
        rv_terrain_destroy(read.land);
        rvi_free(ctx, read.text);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* Where the mask is 0 no layer changes; where it is 1 all do as without one. */
static void masks_hold_for_layers(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const makers[] = {"noise layer=clay relief=9 seed=5",
                                         "faults layer=clay mode=add count=7 relief=4",
                                         "layer name=clay thickness=3 noise=0.5"};
    for (uint64_t seed = 1; seed <= support_cases(24); seed++) {
        char text[700], masked[300];
        const char *maker = makers[seed % 3];
        land_text(seed, text, sizeof text);
        strcat(text, "layer name=clay thickness=1 select name=s where=\"noise > 0.5\" ");
        snprintf(masked, sizeof masked, "mask field=s %s", maker);
        rv_terrain *before = support_run(ctx, text), *all = run_both(ctx, text, maker);
        rv_terrain *some = run_both(ctx, text, masked);
        const float *s = rv_terrain_field(before, "s");
        int layers = rv_terrain_layer_count(before);
        for (int l = 0; l < layers; l++)
            for (size_t i = 0; i < rvi_cells(before); i++)
                assert_equal(some->layers[l].thickness[i],
                             (s[i] > 0 ? all : before)->layers[l].thickness[i]);
        rv_terrain_destroy(before);
        rv_terrain_destroy(all);
        rv_terrain_destroy(some);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crops_are_pieces),      cmocka_unit_test(sizes_there_and_back),
        cmocka_unit_test(repeats_carry_all),     cmocka_unit_test(checkpoints_and_files_keep_all),
        cmocka_unit_test(masks_hold_for_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
