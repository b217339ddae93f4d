/* test_hardness_volume.c: hardness in three dimensions lies where its file says, whatever the size
 * of the map; every step that erodes meets it as it digs; and it belongs to the land, through crop,
 * resize, files and checkpoints. */
#include "support.h"

#include "base/context.h"
#include "formats/checkpoint.h"
#include "formats/npy.h"
#include "formats/volume_file.h"
#include "terrain/hardness_volume.h"

#include <stdio.h>
#include <string.h>

static const char *const wears[] = {
    "droplets drops=2k",
    "droplets drops=2k border=apron margin=12 blend=0.5 blur=1",
    "particles drops=3k",
    "particles drops=3k order=batch",
    "runoff rounds=80",
    "runoff rounds=80 border=wall neighbours=4",
    "pipes time=60",
    "pipes time=60 border=wall neighbours=4",
    "thermal rounds=40 talus=20",
    "thermal rounds=40 talus=20 border=open method=slope",
    "rivers steps=8 time=200k uplift=0 border=open diffusion=0 talus=90", /* which no rock holds */
};
enum { WEARS = sizeof wears / sizeof wears[0] };
#define HILLS "terrain width=40 height=36 noise frequency=10 relief=200 "

/* A file of slices x rows x columns floats. */
static void write_volume(const char *path, uint64_t slices, uint64_t rows, uint64_t columns,
                         const float *values) {
    char head[RVI_NPY_HEADER];
    const uint64_t shape[] = {slices, rows, columns};
    size_t count = (size_t)(slices * rows * columns);
    rvi_npy_print("<f4", 3, shape, head);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_equal(fwrite(head, 1, sizeof head, f), sizeof head);
    assert_equal(fwrite(values, sizeof *values, count, f), count);
    assert_int_equal(fclose(f), 0);
}

static void write_even(const char *path, float value) {
    float values[8];
    for (int i = 0; i < 8; i++)
        values[i] = value;
    write_volume(path, 2, 2, 2, values);
}

static rv_terrain *run(rv_context *ctx, const char *before, const char *after) {
    char text[700];
    snprintf(text, sizeof text, HILLS "%s %s", before, after);
    return support_run(ctx, text);
}

static const float *heights(const rv_terrain *land) {
    return rv_terrain_field(land, "height");
}

/* Samples at the corners of the map and at low and high, straight between them, and as at the end
 * beyond. */
static void samples_lie_where_the_file_says(void **state) {
    (void)state;
    enum { SLICES = 3, ROWS = 2, COLUMNS = 5 };
    float values[SLICES * ROWS * COLUMNS];
    for (int i = 0; i < SLICES * ROWS * COLUMNS; i++)
        values[i] = (float)(i * 7 % 30) / 32.0f;
    write_volume("v.npy", SLICES, ROWS, COLUMNS, values);
    rv_context *ctx = support_context(1);
    rv_terrain *land =
        support_run(ctx, "terrain width=41 height=21 cell=2 hardness v.npy low=100 high=300");
    const rvi_hardness_volume *v = &land->volume;
    for (int k = 0; k < SLICES; k++)
        for (int j = 0; j < ROWS; j++)
            for (int i = 0; i < COLUMNS; i++) {
                double x = 20.0 * i, y = 40.0 * j;
                float z = 100.0f + 100.0f * (float)k;
                float want = values[(k * ROWS + j) * COLUMNS + i];
                assert_near(rvi_volume_hardness(v, x, y, z), want, 1e-6);
                if (i > 0) {
                    float middle = 0.5f * (want + values[(k * ROWS + j) * COLUMNS + i - 1]);
                    assert_near(rvi_volume_hardness(v, x - 10.0, y, z), middle, 1e-6);
                }
                if (k > 0) {
                    float lower = values[((k - 1) * ROWS + j) * COLUMNS + i];
                    assert_near(rvi_volume_hardness(v, x, y, z - 25.0f),
                                0.75f * want + 0.25f * lower, 1e-6);
                }
            }
    assert_near(rvi_volume_hardness(v, -50, -50, -1e30f), values[0], 1e-6);
    assert_near(rvi_volume_hardness(v, 500, 500, INFINITY), values[SLICES * ROWS * COLUMNS - 1],
                1e-6);
    rv_terrain_destroy(land);
    /* Turned over, and between the ends of the land where no heights are given. */
    land = support_run(ctx, "terrain width=41 height=21 cell=2 noise level low=50 high=650 "
                            "hardness v.npy invert=yes");
    v = &land->volume;
    assert_near(rvi_volume_hardness(v, 0, 0, 50), 1.0f - values[0], 1e-6);
    assert_near(rvi_volume_hardness(v, 80, 40, 650), 1.0f - values[SLICES * ROWS * COLUMNS - 1],
                1e-6);
    assert_near(rvi_volume_hardness(v, 40, 0, 350), 1.0f - values[ROWS * COLUMNS + 2], 1e-6);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A hardness of 0 changes no height, one of 1 leaves bedrock as it is, whatever erodes. */
static void soft_is_plain_and_hardest_stays(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    write_even("soft.npy", 0.0f);
    write_even("hard.npy", 1.0f);
    for (int k = 0; k < WEARS; k++) {
        rv_terrain *bare = run(ctx, "", ""), *plain = run(ctx, "", wears[k]);
        rv_terrain *soft = run(ctx, "hardness soft.npy", wears[k]);
        rv_terrain *hard = run(ctx, "hardness hard.npy", wears[k]);
        size_t cells = rvi_cells(plain);
        double moved = 0;
        for (size_t i = 0; i < cells; i++) {
            moved += fabs((double)heights(plain)[i] - (double)heights(bare)[i]);
            if (fabs((double)heights(soft)[i] - (double)heights(plain)[i]) > 1e-3)
                fail_msg("%s: hardness 0 changes cell %zu", wears[k], i);
            if (heights(hard)[i] < heights(bare)[i])
                fail_msg("%s: the hardest rock is eroded in cell %zu", wears[k], i);
        }
        assert_greater(moved, 1.0); /* it does erode */
        rv_terrain_destroy(bare);
        rv_terrain_destroy(plain);
        rv_terrain_destroy(soft);
        rv_terrain_destroy(hard);
    }
    rv_context_destroy(ctx);
}

/* Rock that is hard up to 100 m and soft above: what digs from above stops there. */
static void steps_meet_it_as_they_dig(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const float values[] = {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    write_volume("deep.npy", 11, 1, 1, values); /* 1 up to 100 m, 0 from 200 m on */
    for (int k = 0; k < WEARS; k++) {
        rv_terrain *bare = run(ctx, "level high=1000", "");
        rv_terrain *worn = run(ctx, "level high=1000 hardness deep.npy low=0 high=1000", wears[k]);
        double low = 0, high = 0;
        for (size_t i = 0; i < rvi_cells(bare); i++) {
            double lost = (double)heights(bare)[i] - (double)heights(worn)[i];
            if (heights(bare)[i] < 100)
                low += lost > 0 ? lost : 0;
            else
                high += lost > 0 ? lost : 0;
        }
        if (low > 1e-3 * high || high < 1)
            fail_msg("%s: %g m of hard and %g m of soft rock", wears[k], low, high);
        rv_terrain_destroy(bare);
        rv_terrain_destroy(worn);
    }
    rv_context_destroy(ctx);
}

/* It is that of the bedrock: soil on it comes off as ever. */
static void layers_keep_their_own(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    write_even("hard.npy", 1.0f);
    for (int k = 0; k < WEARS; k++) {
        rv_terrain *worn = run(ctx, "layer name=soil thickness=3 hardness hard.npy", wears[k]);
        rv_ledger rock = rv_terrain_layer_ledger(worn, 0), soil = rv_terrain_layer_ledger(worn, 1);
        if (rock.eroded > 1e-9 * soil.eroded || !(soil.eroded > 0))
            fail_msg("%s: %g m3 of rock, %g m3 of soil", wears[k], rock.eroded, soil.eroded);
        rv_terrain_destroy(worn);
    }
    rv_context_destroy(ctx);
}

/* Half of it hard, half soft, lumps of the size that was asked for, other lumps at other heights
 * and for another seed, and the same ones at the same place of a map cut out or of other cells. */
static void noise_is_a_function_of_the_place(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_run(ctx, "terrain size=201 hardness noise=0.8 octaves=1");
    rv_terrain *other = support_run(ctx, "terrain size=201 hardness noise=0.8 octaves=1 seed=2");
    rv_terrain *cut = support_run(ctx, "terrain size=201 hardness noise=0.8 octaves=1 "
                                       "crop x=30 y=50 width=60 resize width=177");
    double sum = 0, squares = 0, across = 0, up = 0, apart = 0;
    int count = 0;
    for (int z = 0; z < 10; z++)
        for (int y = 0; y < 40; y++)
            for (int x = 0; x < 40; x++, count++) {
                double px = 97.0 * x, py = 83.0 * y;
                float pz = 61.0f * (float)z;
                float h = rvi_volume_hardness(&land->volume, px, py, pz);
                assert_true(h >= 0.0f && h <= 0.8f);
                sum += (double)h;
                squares += (double)h * (double)h;
                across += fabs((double)(h - rvi_volume_hardness(&land->volume, px + 100, py, pz)));
                up += fabs((double)(h - rvi_volume_hardness(&land->volume, px, py, pz + 25)));
                apart += fabs((double)(h - rvi_volume_hardness(&other->volume, px, py, pz)));
                assert_equal(h, rvi_volume_hardness(&cut->volume, px - 300, py - 500, pz));
            }
    double mean = sum / count, spread = sqrt(squares / count - mean * mean);
    assert_near(mean, 0.4, 0.05);
    assert_greater(spread, 0.25);        /* hard or soft rather than in between */
    assert_near(across / up, 1.0, 0.15); /* features of 500 m, 125 m high: a fifth of each */
    assert_greater(apart / count, 0.2);
    rv_terrain_destroy(land);
    rv_terrain_destroy(other);
    rv_terrain_destroy(cut);
    rv_context_destroy(ctx);
}

static void assert_same_volume(const rv_terrain *a, const rv_terrain *b) {
    assert_memory_equal(&a->volume, &b->volume, offsetof(rvi_hardness_volume, values));
    assert_equal(a->volume.values != NULL, b->volume.values != NULL);
    if (a->volume.values)
        assert_memory_equal(a->volume.values, b->volume.values,
                            rvi_volume_samples(&a->volume) * sizeof(float));
    assert_equal(rv_terrain_hash(a), rv_terrain_hash(b));
}

static void it_belongs_to_the_land(void **state) {
    (void)state;
    static const char *const makes[] = {"hardness v.npy low=20 high=180 crop x=3 y=2 width=30",
                                        "hardness noise=0.9 frequency=9 seed=18446744073709551615"};
    float values[60];
    for (int i = 0; i < 60; i++)
        values[i] = (float)(i * 37 % 60) / 60.0f;
    write_volume("v.npy", 5, 4, 3, values);
    rv_context *ctx = support_context(2);
    for (int k = 0; k < 2; k++) {
        const char *wear = "resize size=37 droplets drops=500 thermal rounds=3";
        char parted[300];
        rv_terrain *land = run(ctx, makes[k], ""),
                   *bare = run(ctx, k ? "" : "crop x=3 y=2 width=30", "");
        rv_terrain *whole = run(ctx, makes[k], wear);
        snprintf(parted, sizeof parted, "%s save p.npz terrain size=9 open p.npz", makes[k]);
        rv_terrain *again = run(ctx, parted, wear);
        assert_same_volume(whole, again);
        assert_not_equal(rv_terrain_hash(land), rv_terrain_hash(bare));
        support_ok(ctx, rvi_checkpoint_write(
                            ctx, "v.ck", &(rvi_checkpoint){.land = land, .text = (char[]){"x"}}));
        rvi_checkpoint got;
        support_ok(ctx, rvi_checkpoint_read(ctx, "v.ck", &got));
        assert_same_volume(land, got.land);
        remove("v.ck");
        rv_snapshot *snapshot;
        support_ok(ctx, rv_terrain_snapshot(land, &snapshot));
        support_ok(ctx, rv_step_run(land, RV_STEP_hardness, NULL, NULL)); /* ends all of it */
        assert_equal(rv_terrain_hash(land), rv_terrain_hash(bare));
        support_ok(ctx, rv_terrain_restore(land, snapshot));
        assert_same_volume(land, got.land);
        support_ok(ctx, rv_step_run(land, RV_STEP_terrain, NULL, NULL));
        assert_false(rvi_volume_there(land));
        rv_snapshot_destroy(snapshot);
        rvi_free(ctx, got.text);
        rv_terrain_destroy(got.land);
        rv_terrain_destroy(land);
        rv_terrain_destroy(bare);
        rv_terrain_destroy(whole);
        rv_terrain_destroy(again);
    }
    rv_context_destroy(ctx);
}

/* As a field it is that of the bedrock where it ends, under soil as well; one of the same name goes
 * before it. */
static void it_is_seen_as_a_field(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const float values[] = {0.1f, 0.3f, 0.5f, 0.7f, 0.9f};
    write_volume("up.npy", 5, 1, 1, values); /* 0.1 at 0 m, 0.9 at 400 m */
    const char *const made = "terrain size=33 noise frequency=10 level high=400 layer thickness=7 "
                             "hardness up.npy low=0 high=400 ";
    char text[300];
    snprintf(text, sizeof text,
             "%s save seen.npy field=hardness select name=hard where=\"hardness > 0.5\" "
             "select name=some where=hardness",
             made);
    rv_terrain *land = support_run(ctx, text), *seen = support_run(ctx, "open seen.npy cell=10");
    const float *rock = rv_terrain_field(land, "bedrock"), *hard = rv_terrain_field(land, "hard"),
                *some = rv_terrain_field(land, "some");
    assert_null(rv_terrain_field(land, "hardness")); /* which would act a second time */
    for (size_t i = 0; i < rvi_cells(land); i++) {
        float wanted = 0.1f + 0.8f * rock[i] / 400.0f;
        assert_near(heights(seen)[i], wanted, 1e-5);
        assert_equal(hard[i], heights(seen)[i] > 0.5f);
        assert_equal(some[i], heights(seen)[i]);
    }
    rv_terrain_destroy(land);
    rv_terrain_destroy(seen);
    snprintf(text, sizeof text, "%s select name=hardness where=\"height > 200\"", made);
    land = support_run(ctx, text);
    snprintf(text, sizeof text,
             "%s select name=hardness where=\"height > 200\" select where=hardness", made);
    seen = support_run(ctx, text);
    for (size_t i = 0; i < rvi_cells(land); i++)
        assert_equal(rv_terrain_field(seen, "selection")[i], heights(land)[i] > 200.0f);
    rv_terrain_destroy(land);
    rv_terrain_destroy(seen);
    rv_context_destroy(ctx);
}

static float as_function(void *user, float x, float y, float z) {
    return 1.0f - rvi_volume_hardness(user, (double)x, (double)y, z);
}

/* The coarse cells on which rivers begin have their centres elsewhere than those of the map: the
 * rock is as hard there as a function of the same place says. */
static void coarse_rivers_find_it_in_its_place(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    float stripes[64]; /* as wide as two cells; rock of hardness 1 would stop other things, too */
    for (int i = 0; i < 64; i++)
        stripes[i] = 0.95f * (float)(i % 2);
    write_volume("stripes.npy", 1, 1, 64, stripes);
    const char *const hills = "terrain size=127 cell=10 noise frequency=4 relief=100 ";
    rv_terrain *by_file = support_run(ctx, hills);
    rv_terrain *by_function = support_run(ctx, hills);
    rv_hardness_params hard = rv_hardness_params_default();
    hard.file = "stripes.npy";
    support_ok(ctx, rv_step_run(by_file, RV_STEP_hardness, &hard, NULL));
    rv_terrain_hardness(by_function, as_function, &by_file->volume);
    rv_rivers_params p = rv_rivers_params_default();
    p.steps = 20;
    p.time = 100e3f;
    p.uplift = p.diffusion = 0.0f;
    p.talus = 90.0f;
    p.source = 0.01f; /* of cells of 100 m */
    support_ok(ctx, rv_step_run(by_file, RV_STEP_rivers, &p, NULL));
    support_ok(ctx, rv_step_run(by_function, RV_STEP_rivers, &p, NULL));
    assert_greater(rv_terrain_ledger(by_file).eroded, 1e6);
    assert_memory_equal(heights(by_file), heights(by_function), sizeof(float) * rvi_cells(by_file));
    rv_terrain_destroy(by_file);
    rv_terrain_destroy(by_function);
    rv_context_destroy(ctx);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    rv_context *one = support_context(1), *some = support_context(3);
    for (int k = 0; k < WEARS; k++) {
        rv_terrain *a = run(one, "hardness noise=0.9 frequency=9", wears[k]);
        rv_terrain *b = run(some, "hardness noise=0.9 frequency=9", wears[k]);
        assert_equal(rv_terrain_hash(a), rv_terrain_hash(b));
        rv_terrain_destroy(a);
        rv_terrain_destroy(b);
    }
    rv_context_destroy(one);
    rv_context_destroy(some);
}

static void refused(rv_context *ctx, const char *words, const char *sentence) {
    char text[300];
    snprintf(text, sizeof text, "terrain size=9 save done.npy hardness %s", words);
    assert_not_equal(rv_recipe_run_text(ctx, text, NULL, NULL), RV_OK);
    if (!strstr(rv_context_error(ctx), sentence))
        fail_msg("hardness %s: %s", words, rv_context_error(ctx));
    FILE *f = fopen("done.npy", "rb");
    if (f)
        fail_msg("hardness %s: found only after steps have run", words);
}

/* A sentence before the first step runs. */
static void bad_files_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    const float values[] = {0, 0.5f, 1, 0.5f, 0, 2, 1, 0};
    write_volume("v.npy", 2, 2, 2, values);
    write_volume("empty.npy", 0, 2, 2, values);
    char bytes[1024];
    FILE *f = fopen("v.npy", "rb");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    f = fopen("cut.npy", "wb");
    fwrite(bytes, 1, size - 3, f);
    fclose(f);
    refused(ctx, "cut.npy", "its header says 2 x 2 x 2 samples");
    refused(ctx, "empty.npy", "empty");
    refused(ctx, "v.npy low=9 high=9", "low=9 is not below high=9");
    refused(ctx, "v.npy noise=1", "but not both");
    refused(ctx, "field=height noise=1", "but not both");
    refused(ctx, "v.npy field=height", "but not both");
    refused(ctx, "none.npy", "none.npy");
    /* A value is seen when it is read; the land stays as it was. */
    rv_terrain *land = support_run(ctx, "terrain size=9 noise");
    uint64_t hash = rv_terrain_hash(land);
    rv_hardness_params p = rv_hardness_params_default();
    p.file = "v.npy";
    assert_int_equal(rv_step_run(land, RV_STEP_hardness, &p, NULL), RV_ERROR_INPUT);
    assert_non_null(strstr(rv_context_error(ctx), "holds 2 at (1, 0, 1)"));
    assert_equal(rv_terrain_hash(land), hash);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_lie_where_the_file_says),
        cmocka_unit_test(soft_is_plain_and_hardest_stays),
        cmocka_unit_test(steps_meet_it_as_they_dig),
        cmocka_unit_test(layers_keep_their_own),
        cmocka_unit_test(noise_is_a_function_of_the_place),
        cmocka_unit_test(it_belongs_to_the_land),
        cmocka_unit_test(it_is_seen_as_a_field),
        cmocka_unit_test(coarse_rivers_find_it_in_its_place),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(bad_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
