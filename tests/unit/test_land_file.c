/* test_land_file.c: a whole land as a file. What is saved comes back to the bit; what is cut off,
 * changed or made up is refused with a sentence, or is the same land. */
#include "support.h"

#include "base/context.h"
#include "formats/land_file.h"
#include "formats/npy.h"

#include <stdio.h>
#include <string.h>

typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static bytes read_whole(const char *path) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    bytes b = {malloc(1 << 20), 0};
    b.size = fread(b.data, 1, 1 << 20, f);
    assert_less(b.size, 1 << 20);
    fclose(f);
    return b;
}

static void write_whole(const char *path, const void *data, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static bool same_ledger(rv_ledger a, rv_ledger b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Layers, fields, properties, bands, ledgers and the place on a map. */
static void assert_same_land(const rv_terrain *a, const rv_terrain *b) {
    assert_equal(rv_terrain_hash(a), rv_terrain_hash(b));
    assert_int_equal(rv_terrain_layer_count(a), rv_terrain_layer_count(b));
    assert_int_equal(rv_terrain_field_count(a), rv_terrain_field_count(b));
    assert_true(same_ledger(rv_terrain_ledger(a), rv_terrain_ledger(b)));
    for (int l = 0; l < rv_terrain_layer_count(a); l++) {
        assert_string_equal(rv_terrain_layer(a, l).name, rv_terrain_layer(b, l).name);
        assert_equal(rv_terrain_layer(a, l).colour, rv_terrain_layer(b, l).colour);
        assert_true(same_ledger(rv_terrain_layer_ledger(a, l), rv_terrain_layer_ledger(b, l)));
    }
    size_t size = (size_t)rv_terrain_width(a) * (size_t)rv_terrain_height(a) * sizeof(float);
    assert_memory_equal(rv_terrain_field(a, "height"), rv_terrain_field(b, "height"), size);
    assert_memory_equal(&a->strata, &b->strata, sizeof a->strata);
    assert_memory_equal(&a->geo, &b->geo, sizeof a->geo);
}

static const char *const LANDS[] = {
    "terrain width=7 height=5 cell=0.3",
    "terrain width=1 height=2 noise",
    "terrain width=31 height=23 noise layer name=sand thickness=3 noise=1",
    "terrain width=31 height=23 noise strata tilt=20 fold=80 crop x=3 y=2 droplets drops=200",
    "terrain width=24 height=40 noise layer name=soil layer name=snow below=500 colour=aabbcc "
    "strata hardness=0.7 seed=18446744073709551615 pipes rounds=10 flood thermal rounds=5 "
    "select name=s where=\"slope > 20\" mask field=s hardness field=s",
    "terrain width=24 height=40 noise layer name=Ger\xc3\xb6ll talus=31.5 rivers steps=2",
    "open map.asc resize size=30 hardness noise=0.7 layer",
};
enum { COUNT = sizeof LANDS / sizeof LANDS[0] };

/* A map with a projection. */
static int write_map(void **state) {
    (void)state;
    static const char map[] = "ncols 3\nnrows 3\nxllcorner 500000.5\nyllcorner 4000000.25\n"
                              "cellsize 30\nNODATA_value -32768\n1 2 3\n4 5 6\n7 9 8\n";
    static const char projection[] = "PROJCS[\"a plane, m\"]";
    write_whole("map.asc", map, sizeof map - 1);
    write_whole("map.prj", projection, sizeof projection - 1);
    return 0;
}

static void lands_come_back_to_the_bit(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int i = 0; i < COUNT; i++) {
        rv_terrain *land = support_run(ctx, LANDS[i]), *again;
        support_ok(ctx, rvi_land_file_write(land, "land.npz"));
        support_ok(ctx, rvi_land_file_read(ctx, "land.npz", &again));
        assert_same_land(land, again);
        bytes first = read_whole("land.npz");
        support_ok(ctx, rvi_land_file_write(again, "again.npz"));
        bytes second = read_whole("again.npz");
        assert_equal(first.size, second.size);
        assert_memory_equal(first.data, second.data, first.size);
        free(first.data);
        free(second.data);
        rv_terrain_destroy(again);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* A run that is cut in two by a land file ends as one that is not. */
static void steps_go_on_from_a_file(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const after[] = {"droplets drops=300 seed=4 give=same",
                                        "pipes rounds=8",
                                        "crop x=3 y=4 width=9",
                                        "resize size=51",
                                        "thermal rounds=9",
                                        "runoff rounds=6",
                                        "rivers steps=2",
                                        "repeat 2 droplets 40 blur amount=0.1 end"};
    for (int i = 3; i < COUNT; i++)
        for (size_t k = 0; k < sizeof after / sizeof after[0]; k++) {
            char whole[700], parted[700];
            snprintf(whole, sizeof whole, "%s %s", LANDS[i], after[k]);
            snprintf(parted, sizeof parted, "%s save part.npz terrain size=9 open part.npz %s",
                     LANDS[i], after[k]);
            rv_terrain *a = support_run(ctx, whole), *b = support_run(ctx, parted);
            assert_same_land(a, b);
            rv_terrain_destroy(a);
            rv_terrain_destroy(b);
        }
    rv_context_destroy(ctx);
}

static rv_status decode(rv_context *ctx, const char *name, const void *data, size_t size,
                        rv_terrain **out) {
    rvi_zip zip;
    *out = NULL;
    rv_status status = rvi_zip_open(ctx, name, data, size, &zip);
    if (status == RV_OK)
        status = rvi_land_file_decode(&zip, out);
    rvi_zip_close(&zip);
    return status;
}

/* data NULL: of a file. */
static void assert_refused(rv_context *ctx, const char *path, const void *data, size_t size) {
    rv_terrain *land;
    rv_status status = decode(ctx, path, data, size, &land);
    if (status != RV_ERROR_INPUT)
        fail_msg("%s: status %d", path, (int)status);
    assert_null(land);
    assert_non_null(strstr(rv_context_error(ctx), path));
    const char *end = strchr(rv_context_error(ctx), '.');
    assert_non_null(end);
}

static void cut_files_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_run(ctx, "terrain width=3 height=2 noise layer flood");
    support_ok(ctx, rvi_land_file_write(land, "land.npz"));
    bytes b = read_whole("land.npz");
    for (size_t size = 0; size < b.size; size += support_short() ? 13 : 1) {
        assert_refused(ctx, "cut.npz", b.data, size);
    }
    free(b.data);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* One bit is wrong: the file is refused, or what it holds is the same. */
static void changed_files_are_noticed(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_run(ctx, "open map.asc layer strata hardness noise=1 flood"), *other;
    support_ok(ctx, rvi_land_file_write(land, "land.npz"));
    bytes b = read_whole("land.npz");
    size_t refused = 0;
    for (size_t i = 0; i < b.size; i += support_short() ? 11 : 1) {
        b.data[i] ^= (unsigned char)(1 << i % 8);
        if (decode(ctx, "bit.npz", b.data, b.size, &other) == RV_OK) {
            assert_same_land(land, other);
            rv_terrain_destroy(other);
        } else {
            refused++;
        }
        b.data[i] ^= (unsigned char)(1 << i % 8);
    }
    assert_greater(refused * (support_short() ? 11 : 1), b.size * 3 / 4);
    free(b.data);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- archives made by hand ---- */

typedef struct piece {
    const char *name, *type;
    int dimensions;
    uint64_t shape[3];
    const void *values;
    size_t size;
} piece;

static void write_archive(rv_context *ctx, const char *path, const piece *pieces, int count,
                          uint64_t wide) {
    rvi_writer *to;
    rvi_crc_table table;
    rvi_crc_begin(&table);
    support_ok(ctx, rvi_writer_open(ctx, path, &to));
    rvi_zip_writer zip = rvi_zip_begin(to);
    zip.wide = wide;
    for (int i = 0; i < count; i++) {
        char header[RVI_NPY_HEADER], name[RVI_ZIP_NAME];
        rvi_npy_print(pieces[i].type, pieces[i].dimensions, pieces[i].shape, header);
        uint32_t crc = rvi_crc(&table, 0, header, sizeof header);
        crc = rvi_crc(&table, crc, pieces[i].values, pieces[i].size);
        snprintf(name, sizeof name, "%s.npy", pieces[i].name);
        support_ok(ctx, rvi_zip_add(ctx, &zip, name, sizeof header + pieces[i].size, crc));
        support_ok(ctx, rvi_zip_put(&zip, header, sizeof header));
        support_ok(ctx, rvi_zip_put(&zip, pieces[i].values, pieces[i].size));
    }
    support_ok(ctx, rvi_zip_end(ctx, &zip, RV_OK));
    support_ok(ctx, rvi_writer_commit(to));
}

static const float cell = 10, grid[6] = {1, 2, 3, 4, 5, 6}, below[6] = {0, 0, -1};
static const float nan_grid[6] = {0, NAN}, share = 2;
static const double wide_grid[6] = {1, 2, 3, 4, 5, 6};
static const uint64_t wrong_hash = 7;
static const uint32_t version = 9;
static const char names[64] = "bedrock", sand[3][8] = {"rock", "sand", "rock"};

#define CELL                                                                                       \
    { "cell", "<f4", 0, {0}, &cell, 4 }
#define HEIGHT                                                                                     \
    { "height", "<f4", 2, {2, 3}, grid, 24 }

/* A cell size and heights are a land, in any order and type; sizes of 64 bits are read, too. */
static void little_is_enough(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    const piece plain[] = {HEIGHT, CELL},
                doubles[] = {CELL, {"height", "<f8", 2, {2, 3}, wide_grid, 48}};
    for (int way = 0; way < 3; way++) {
        rv_terrain *land;
        write_archive(ctx, "small.npz", way == 1 ? doubles : plain, 2, way == 2 ? 0 : UINT32_MAX);
        support_ok(ctx, rvi_land_file_read(ctx, "small.npz", &land));
        assert_int_equal(rv_terrain_width(land), 3);
        assert_int_equal(rv_terrain_height(land), 2);
        assert_equal(rv_terrain_cell(land), 10);
        assert_memory_equal(rv_terrain_field(land, "height"), grid, sizeof grid);
        assert_string_equal(rv_terrain_layer(land, 0).name, "bedrock");
        assert_equal(rv_terrain_layer(land, 0).talus, 45);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void made_up_files_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const struct {
        piece pieces[5];
        int count;
        const char *words;
    } wrong[] = {
        {{HEIGHT}, 1, "has no cell"},
        {{CELL}, 1, "has no height"},
        {{CELL, {"height", "<f4", 1, {6}, grid, 24}}, 2, "rows and columns"},
        {{CELL, {"height", "<f4", 2, {1, 1}, grid, 4}}, 2, "single cell"},
        {{CELL, {"height", "<f4", 2, {2, 4}, grid, 24}}, 2, "damaged"},
        {{CELL, {"height", "<f4", 2, {4294967296, 4294967296}, grid, 24}}, 2, "damaged"},
        {{CELL, {"height", "<f4", 2, {2, 3}, nan_grid, 24}}, 2, "row 0, column 1"},
        {{CELL, HEIGHT, {"field/x", "<f4", 2, {3, 2}, grid, 24}}, 3, "2 x 3 cells, others 3 x 2"},
        {{CELL, HEIGHT, {"feild/x", "<f4", 2, {2, 3}, grid, 24}}, 3, "holds feild/x.npy"},
        {{CELL, HEIGHT, {"field/a/b", "<f4", 2, {2, 3}, grid, 24}}, 3, "holds field/a/b.npy"},
        {{CELL, HEIGHT, {"field/height", "<f4", 2, {2, 3}, grid, 24}}, 3, "holds field/height"},
        {{CELL, HEIGHT, {"field/bedrock", "<f4", 2, {2, 3}, grid, 24}}, 3, "both a layer and"},
        {{CELL, HEIGHT, {"height", "<f4", 2, {2, 3}, grid, 24}}, 3, "height.npy twice"},
        {{CELL, HEIGHT, {"hash", "<u8", 0, {0}, &wrong_hash, 8}}, 3, "hash"},
        {{CELL, HEIGHT, {"hash", "<f4", 0, {0}, &cell, 4}}, 3, "uint64"},
        {{CELL, HEIGHT, {"ravine", "<u4", 0, {0}, &version, 4}}, 3, "version 9"},
        {{CELL, HEIGHT, {"talus", "<f4", 2, {2, 3}, grid, 24}}, 3, "one number"},
        {{CELL, HEIGHT, {"erodibility", "<f4", 0, {0}, &share, 4}}, 3, "out of range"},
        {{HEIGHT, {"cell", "<f4", 0, {0}, &below[2], 4}}, 2, "cell is -1"},
        {{CELL, {"layers", "|S32", 1, {2}, names, 64}, HEIGHT}, 3, "array of names"},
        {{CELL, {"layers", "<f4", 1, {2}, grid, 8}, HEIGHT}, 3, "array of names"},
        {{CELL, {"layers", "|S8", 1, {3}, sand, 24}}, 2, "layer rock twice"},
        {{CELL, {"layers", "|S8", 1, {2}, sand, 16}, {"layer/rock", "<f4", 2, {2, 3}, grid, 24}},
         3,
         "has no layer/sand"},
        {{CELL,
          {"layers", "|S8", 1, {2}, sand, 16},
          {"layer/rock", "<f4", 2, {2, 3}, grid, 24},
          {"layer/sand", "<f4", 2, {2, 3}, below, 24}},
         4,
         "layer/sand holds -1"},
        {{CELL,
          HEIGHT,
          {"ledger", "<f8", 1, {6}, wide_grid, 48},
          {"strata", "<f4", 1, {6}, grid, 24}},
         4,
         "strata is not an array of 138"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_archive(ctx, "wrong.npz", wrong[i].pieces, wrong[i].count, UINT32_MAX);
        assert_refused(ctx, "wrong.npz", NULL, 0);
        if (strstr(rv_context_error(ctx), wrong[i].words) == NULL)
            fail_msg("%zu: %s", i, rv_context_error(ctx));
    }
    write_whole("wrong.npz", "II*\0 a picture", 14);
    assert_refused(ctx, "wrong.npz", NULL, 0);
    rv_context_destroy(ctx);
}

/* A declared size is checked against the memory limit before anything is allocated. */
static void memory_has_a_limit(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    desc.memory_limit = 3 << 20;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    support_ok(ctx, rv_recipe_run_text(ctx, "terrain size=400 save wide.npz", NULL, NULL));
    assert_int_equal(
        rv_recipe_run_text(ctx, "open wide.npz layer layer name=a layer name=b", NULL, NULL),
        RV_ERROR_MEMORY);
    rv_context_destroy(ctx);
}

/* The plan knows what a land file holds, whether it is there or will be. */
static void plans_know_land_files(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    support_ok(ctx, rv_recipe_run_text(ctx,
                                       "terrain width=9 height=8 noise layer name=sand flood "
                                       "save there.npz",
                                       NULL, NULL));
    static const char *const right[] = {
        "open there.npz save x.npy field=sand save y.npy field=water crop x=8",
        "terrain size=5 layer name=mud save a.npz terrain open a.npz save x.npy field=mud crop x=4",
        "terrain size=5 repeat 3 layer name=mud save later.npz open later.npz end",
    };
    static const char *const wrong[][2] = {
        {"open there.npz save x.npy field=mud", "no field \"mud\""},
        {"open there.npz crop x=9", "crop"},
        {"open missing.npz", "missing.npz"},
        {"open there.npz cell=3", "says its scale itself"},
        {"terrain size=5 save x.npz field=mask", "as they are"},
        {"terrain size=5 layer name=mud save new.npz terrain size=3 open new.npz save x.npy "
         "field=sand",
         "no field \"sand\""},
        {"open there.npz noise save there.npz", "was not changed"},
    };
    rv_recipe *recipe;
    rv_plan plans[12];
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        support_ok(ctx, rv_recipe_parse(ctx, right[i], "right", &recipe));
        support_ok(ctx, rv_recipe_plan(recipe, plans));
        support_ok(ctx, rv_recipe_run(recipe, NULL, NULL));
        rv_recipe_destroy(recipe);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        support_ok(ctx, rv_recipe_parse(ctx, wrong[i][0], "wrong", &recipe));
        assert_int_not_equal(rv_recipe_plan(recipe, plans), RV_OK);
        if (strstr(rv_context_error(ctx), wrong[i][1]) == NULL)
            fail_msg("%s: %s", wrong[i][0], rv_context_error(ctx));
        rv_recipe_destroy(recipe);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lands_come_back_to_the_bit), cmocka_unit_test(steps_go_on_from_a_file),
        cmocka_unit_test(cut_files_are_refused),      cmocka_unit_test(changed_files_are_noticed),
        cmocka_unit_test(little_is_enough),           cmocka_unit_test(made_up_files_are_refused),
        cmocka_unit_test(memory_has_a_limit),         cmocka_unit_test(plans_know_land_files),
    };
    return cmocka_run_group_tests(tests, write_map, NULL);
}
