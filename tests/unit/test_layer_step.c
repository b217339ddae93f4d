/* test_layer_step.c: where the step `layer` lays a material, how much, and what it is like. */
#include "support.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 40 };

static rv_terrain *slope_land(rv_context *ctx, float rise) { /* rises to the east */
    rv_terrain *land = support_land(ctx, SIDE, SIDE, 10.0f);
    static float h[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        h[i] = rise * 10.0f * (float)(i % SIDE);
    support_ok(ctx, rv_terrain_field_set(land, "height", h));
    return land;
}

static void lay(rv_context *ctx, rv_terrain *land, const rv_layer_params *p) {
    support_ok(ctx, rv_step_run(land, RV_STEP_layer, p, NULL));
}

static void the_same_everywhere_by_default(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = slope_land(ctx, 0.25f);
    lay(ctx, land, NULL);
    assert_int_equal(rv_terrain_layer_count(land), 2);
    assert_string_equal(rv_terrain_layer(land, 1).name, "soil");
    const float *soil = rv_terrain_layer_thickness(land, 1);
    const float *height = rv_terrain_field(land, "height");
    const float *rock = rv_terrain_layer_thickness(land, 0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        assert_equal(soil[i], 2.0f);
        assert_equal(rock[i], 2.5f * (float)(i % SIDE));
        assert_equal(height[i], rock[i] + 2.0f);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void materials_bring_their_values(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const names[] = {"rock", "gravel", "sand", "soil", "clay", "ash", "snow"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        rv_terrain *land = support_land(ctx, 3, 3, 1.0f);
        rv_layer_params p = rv_layer_params_default();
        p.name = names[i];
        lay(ctx, land, &p);
        rv_layer_desc d = rv_terrain_layer(land, 1);
        assert_greater(d.erodibility, 0);
        assert_less_equal(d.erodibility, 1);
        assert_greater_equal(d.talus, 25);
        assert_less_equal(d.talus, 60);
        assert_equal(d.colour >> 24, 0xff);
        if (strcmp(names[i], "rock") == 0) {
            assert_less(d.erodibility, 0.3f);
            assert_greater(d.talus, 45);
        }
        rv_terrain_destroy(land);
    }
    rv_terrain *land = support_land(ctx, 3, 3, 1.0f);
    rv_layer_params p = rv_layer_params_default();
    p.name = "chocolate";
    lay(ctx, land, &p);
    rv_layer_desc d = rv_terrain_layer(land, 1);
    assert_equal(d.erodibility, 1);
    assert_equal(d.talus, 35);
    assert_equal(d.colour, 0);
    p.name = "sand";
    p.erodibility = 0.25f;
    p.talus = 12;
    p.colour = "0a1Bff";
    lay(ctx, land, &p);
    d = rv_terrain_layer(land, 2);
    assert_equal(d.erodibility, 0.25f);
    assert_equal(d.talus, 12);
    assert_equal(d.colour, 0xff0a1bff);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A second layer of the name is more of the first, wherever that lies; what is given changes it. */
static void more_of_the_same(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 4, 4, 1.0f);
    rv_layer_params soil = rv_layer_params_default(), snow = soil;
    soil.thickness = 3;
    snow.name = "snow";
    snow.thickness = 1;
    lay(ctx, land, &soil);
    lay(ctx, land, &snow);
    float talus = rv_terrain_layer(land, 1).talus;
    uint32_t colour = rv_terrain_layer(land, 1).colour;
    soil.thickness = 0.5f;
    soil.erodibility = 0.125f;
    lay(ctx, land, &soil);
    assert_int_equal(rv_terrain_layer_count(land), 3);
    assert_equal(rv_terrain_layer(land, 1).erodibility, 0.125f);
    assert_equal(rv_terrain_layer(land, 1).talus, talus);
    assert_equal(rv_terrain_layer(land, 1).colour, colour);
    for (int i = 0; i < 16; i++) {
        assert_equal(rv_terrain_layer_thickness(land, 1)[i], 3.5f);
        assert_equal(rv_terrain_layer_thickness(land, 2)[i], 1.0f);
        assert_equal(rv_terrain_field(land, "height")[i], 4.5f);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void below_a_height(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = slope_land(ctx, 1.0f); /* 10 m a cell */
    rv_layer_params p = rv_layer_params_default();
    p.below = 200;
    p.fade = 100;
    lay(ctx, land, &p);
    p.name = "sharp";
    p.below = 250;
    p.fade = 0;
    const float *first = rv_terrain_layer_thickness(land, 1);
    for (int x = 0; x < SIDE; x++) {
        float h = 10.0f * (float)x;
        float want = h <= 100 ? 2 : h >= 200 ? 0 : 2 * (200 - h) / 100;
        assert_float_equal(first[x], want, 1e-5f);
    }
    float surface[SIDE];
    memcpy(surface, rv_terrain_field(land, "height"), sizeof surface);
    lay(ctx, land, &p);
    const float *second = rv_terrain_layer_thickness(land, 2);
    for (int x = 0; x < SIDE; x++) /* the surface counts, not the rock below */
        assert_equal(second[x], surface[x] < 250 ? 2.0f : 0.0f);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void on_gentle_slopes(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const float angles[] = {0, 10, 20, 23, 25, 29.9f, 30.1f, 45, 80};
    for (size_t k = 0; k < sizeof angles / sizeof angles[0]; k++) {
        rv_terrain *land = slope_land(ctx, tanf(angles[k] * 0.01745329f));
        rv_layer_params p = rv_layer_params_default();
        p.slope = 30;
        p.thickness = 1;
        lay(ctx, land, &p);
        float share = (30 - angles[k]) / 6;
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_float_equal(rv_terrain_layer_thickness(land, 1)[i], share, 1e-3f);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void by_noise_and_image_and_mask(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    support_ok(ctx, rv_recipe_run_text(
                        ctx, "terrain size=40 noise seed=3 frequency=5 level high=1 save where.npy",
                        NULL, NULL));
    rv_terrain *image = support_run(ctx, "open where.npy");
    const float *white = rv_terrain_field(image, "height");
    rv_terrain *land = slope_land(ctx, 0.5f);
    static float mask[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        mask[i] = (float)(i / SIDE % 3) * 0.5f;
    support_ok(ctx, rv_terrain_field_set(land, "mask", mask));
    rv_layer_params p = rv_layer_params_default();
    p.image = "where.npy";
    lay(ctx, land, &p);
    p.image = "";
    p.name = "sand";
    p.noise = 0.75f;
    p.thickness = 4;
    lay(ctx, land, &p);
    float low = 9, high = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        assert_float_equal(rv_terrain_layer_thickness(land, 1)[i], 2 * white[i] * mask[i], 1e-5f);
        assert_equal(rv_terrain_layer_thickness(land, 0)[i], 5.0f * (float)(i % SIDE));
        float sand = rv_terrain_layer_thickness(land, 2)[i];
        assert_greater_equal(sand, 0.999f * mask[i]);
        assert_less_equal(sand, 4 * mask[i]);
        low = mask[i] == 1 && sand < low ? sand : low;
        high = mask[i] == 1 && sand > high ? sand : high;
    }
    assert_less(low, 1.6f);
    assert_greater(high, 3.4f); /* a third of the map, so not quite 1 and 4 */
    rv_terrain_destroy(land);
    rv_terrain_destroy(image);
    rv_context_destroy(ctx);
}

/* Any number of threads gives the same; twice as many cells show the same material. */
static void threads_and_cells(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads < 8; threads += 2) {
        rv_context *ctx = support_context(threads);
        rv_terrain *land = support_run(ctx, "terrain width=97 height=61 noise layer noise=0.5 "
                                            "below=700 slope=40 layer name=snow");
        first = first ? first : rv_terrain_hash(land);
        assert_equal(rv_terrain_hash(land), first);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
    rv_context *ctx = support_context(2);
    double volumes[2];
    for (int k = 0; k < 2; k++) {
        rv_terrain *land = support_run(
            ctx, k ? "terrain size=201 cell=10 noise octaves=3 layer noise=0.5 below=600 slope=30"
                   : "terrain size=101 cell=20 noise octaves=3 layer noise=0.5 below=600 slope=30");
        volumes[k] = 0;
        int cells = k ? 201 * 201 : 101 * 101;
        for (int i = 0; i < cells; i++)
            volumes[k] += (double)rv_terrain_layer_thickness(land, 1)[i] / cells;
        rv_terrain_destroy(land);
    }
    assert_near(volumes[0], volumes[1], 0.03 * volumes[0]);
    rv_context_destroy(ctx);
}

/* Bedrock gets properties, and no thickness unless it is told one. */
static void bedrock_can_be_set(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = slope_land(ctx, 0.25f);
    lay(ctx, land, NULL);
    rv_layer_params p = rv_layer_params_default();
    p.name = "bedrock";
    p.talus = 61;
    p.erodibility = 0.125f;
    p.colour = "102030";
    lay(ctx, land, &p);
    assert_int_equal(rv_terrain_layer_count(land), 2);
    rv_layer_desc d = rv_terrain_layer(land, 0);
    assert_equal(d.talus, 61);
    assert_equal(d.erodibility, 0.125f);
    assert_equal(d.colour, 0xff102030);
    for (int i = 0; i < SIDE * SIDE; i++)
        assert_equal(rv_terrain_field(land, "bedrock")[i], 2.5f * (float)(i % SIDE));
    p.thickness = 3;
    lay(ctx, land, &p);
    for (int i = 0; i < SIDE * SIDE; i++) {
        assert_equal(rv_terrain_field(land, "bedrock")[i], 2.5f * (float)(i % SIDE) + 3);
        assert_equal(rv_terrain_field(land, "soil")[i], 2);
    }
    /* An angle that nothing exceeds: nothing slides. */
    rv_terrain *steep = support_run(ctx, "terrain size=30 cone radius=80 power=1 relief=100 "
                                         "layer name=bedrock talus=70 thermal rounds=20");
    assert_equal(rv_terrain_ledger(steep).eroded, 0);
    rv_terrain_destroy(steep);
    steep = support_run(ctx, "terrain size=30 cone radius=80 power=1 relief=100 thermal rounds=20");
    assert_greater(rv_terrain_ledger(steep).eroded, 1);
    rv_terrain_destroy(steep);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Noise, faults and cones make one layer, and leave all others alone. */
static void generators_make_a_layer(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const makers[] = {"noise", "faults count=9", "cone"};
    for (size_t k = 0; k < 3; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "terrain width=20 height=30 noise layer name=rock thickness=1 "
                 "layer name=sand thickness=2 %s relief=40 layer=rock save rock.npy field=rock "
                 "%s relief=50 layer=bedrock mode=add",
                 makers[k], makers[k]);
        rv_terrain *land = support_run(ctx, text), *plain, *before;
        snprintf(text, sizeof text, "terrain width=20 height=30 %s relief=40", makers[k]);
        plain = support_run(ctx, text);
        snprintf(text, sizeof text, "terrain width=20 height=30 noise %s relief=50 mode=add",
                 makers[k]);
        before = support_run(ctx, text);
        const float *rock = rv_terrain_field(land, "rock"), *sand = rv_terrain_field(land, "sand");
        for (int i = 0; i < 600; i++) {
            assert_equal(rock[i], rv_terrain_field(plain, "height")[i]);
            assert_equal(sand[i], 2);
            assert_equal(rv_terrain_field(land, "bedrock")[i],
                         rv_terrain_field(before, "height")[i]);
            assert_equal(rv_terrain_field(land, "height")[i],
                         rv_terrain_field(land, "bedrock")[i] + rock[i] + sand[i]);
        }
        rv_terrain_destroy(before);
        rv_terrain_destroy(plain);
        rv_terrain_destroy(land);
    }
    /* No layer gets thinner than 0, and the mask holds for it. */
    rv_terrain *land =
        support_run(ctx, "terrain width=20 height=30 cone radius=100 layer name=sand "
                         "thickness=5 select name=mask where=\"height > 400\" "
                         "cone layer=sand relief=-30 mode=add radius=150");
    const float *sand = rv_terrain_field(land, "sand"), *mask = rv_terrain_field(land, "mask");
    int gone = 0, kept = 0;
    for (int i = 0; i < 600; i++) {
        assert_true(sand[i] >= 0 && sand[i] <= 5);
        assert_true(mask[i] > 0 || sand[i] == 5);
        gone += sand[i] == 0;
        kept += sand[i] == 5;
    }
    assert_greater(gone, 10);
    assert_greater(kept, 300);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void wrong_words_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 4, 4, 1.0f);
    uint64_t hash = rv_terrain_hash(land);
    static const struct {
        const char *name, *colour, *image, *why;
        rv_status status;
    } cases[] = {
        {"flow", "", "", "name of a field", RV_ERROR_USAGE},
        {"", "", "", "name", RV_ERROR_USAGE},
        {"two words", "", "", "two words", RV_ERROR_USAGE},
        {"a_name_that_is_far_too_long_to_be_kept", "", "", "name", RV_ERROR_USAGE},
        {"soil", "12345", "", "RRGGBB", RV_ERROR_USAGE},
        {"soil", "1234567", "", "RRGGBB", RV_ERROR_USAGE},
        {"soil", "red", "", "RRGGBB", RV_ERROR_USAGE},
        {"soil", "12345g", "", "RRGGBB", RV_ERROR_USAGE},
        {"soil", "", "missing.png", "missing.png", RV_ERROR_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rv_layer_params p = rv_layer_params_default();
        p.name = cases[i].name;
        p.colour = cases[i].colour;
        p.image = cases[i].image;
        assert_int_equal(rv_step_run(land, RV_STEP_layer, &p, NULL), cases[i].status);
        assert_non_null(strstr(rv_context_error(ctx), cases[i].why));
        assert_equal(rv_terrain_hash(land), hash);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void colour_is_kept(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 4, 4, 1.0f);
    lay(ctx, land, NULL);
    rv_snapshot *snapshot;
    uint64_t hash = rv_terrain_hash(land);
    uint32_t colour = rv_terrain_layer(land, 1).colour;
    support_ok(ctx, rv_terrain_snapshot(land, &snapshot));
    rv_layer_params p = rv_layer_params_default();
    p.thickness = 0;
    p.colour = "000000";
    lay(ctx, land, &p);
    assert_equal(rv_terrain_layer(land, 1).colour, 0xff000000);
    assert_not_equal(rv_terrain_hash(land), hash);
    support_ok(ctx, rv_terrain_restore(land, snapshot));
    assert_equal(rv_terrain_layer(land, 1).colour, colour);
    assert_equal(rv_terrain_hash(land), hash);
    rv_snapshot_destroy(snapshot);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A plan counts layers in the steps after them, once for each name. */
static void plans_count_layers(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char text[] = "terrain size=700 noise octaves=2 layer layer layer name=sand "
                               "noise=0.5 blur radius=10 droplets drops=10";
    rv_recipe *recipe;
    rv_plan plans[7];
    support_ok(ctx, rv_recipe_parse(ctx, text, "plan", &recipe));
    support_ok(ctx, rv_recipe_plan(recipe, plans));
    size_t most = 0, grid = rvi_alloc_size(700 * 700, sizeof(float));
    for (int i = 0; i < 7; i++)
        most = plans[i].memory > most ? plans[i].memory : most;
    assert_equal(plans[2].memory, plans[3].memory);
    assert_equal(plans[4].memory, plans[3].memory + 2 * grid);
    size_t before = rv_context_memory_peak(ctx);
    assert_less(before, 1 << 20);
    support_ok(ctx, rv_recipe_run(recipe, NULL, NULL));
    assert_less_equal(rv_context_memory_peak(ctx), most);
    assert_less_equal(most, 2 * rv_context_memory_peak(ctx));
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
}

/* Whichever allocation fails, the land is as before and nothing leaks. */
static void without_memory_the_land_stays(void **state) {
    (void)state;
    rv_context *files = support_context(1);
    support_ok(files, rv_recipe_run_text(files, "terrain size=9 noise level high=1 save small.npy",
                                         NULL, NULL));
    rv_context_destroy(files);
    for (int again = 0; again < 3; again++) {
        rv_status status = RV_ERROR_MEMORY;
        for (long n = 0; status != RV_OK; n++) {
            assert_less(n, 200);
            support_memory memory = {.left = -1};
            rv_context_desc desc = {.threads = 1, .allocator = support_allocator(&memory)};
            rv_context *ctx;
            assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
            rv_terrain *land = slope_land(ctx, 1);
            rv_layer_params p = rv_layer_params_default();
            if (again)
                lay(ctx, land, &p);
            p.name = again < 2 ? "soil" : "sand";
            p.image = "small.npy";
            p.noise = 0.5f;
            p.slope = 50;
            uint64_t hash = rv_terrain_hash(land);
            atomic_store(&memory.left, n);
            status = rv_step_run(land, RV_STEP_layer, &p, NULL);
            atomic_store(&memory.left, -1);
            if (status != RV_OK) {
                assert_int_equal(status, RV_ERROR_MEMORY);
                assert_equal(rv_terrain_hash(land), hash);
            }
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
            assert_equal(atomic_load(&memory.held), 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_everywhere_by_default),
        cmocka_unit_test(materials_bring_their_values),
        cmocka_unit_test(more_of_the_same),
        cmocka_unit_test(below_a_height),
        cmocka_unit_test(on_gentle_slopes),
        cmocka_unit_test(by_noise_and_image_and_mask),
        cmocka_unit_test(threads_and_cells),
        cmocka_unit_test(bedrock_can_be_set),
        cmocka_unit_test(generators_make_a_layer),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(colour_is_kept),
        cmocka_unit_test(plans_count_layers),
        cmocka_unit_test(without_memory_the_land_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
