/* The terrain: sizes, fields, volume, hash, snapshots. What is refused leaves it as it was. */
#include "support.h"

#include "base/random.h"
#include "terrain/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void assert_says(const rv_context *ctx, const char *part) {
    if (strstr(rv_context_error(ctx), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", rv_context_error(ctx), part);
}

static float rough(size_t i, uint64_t seed) {
    return rvi_unit(rvi_random(seed, i, 0)) * 100.0f;
}

static void fill(float *values, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++)
        values[i] = rough(i, seed);
}

/* Land with two layers and two fields, all different everywhere. */
static rv_terrain *rich_land(rv_context *ctx, int width, int height) {
    rv_terrain *land = support_land(ctx, width, height, 3.0f);
    size_t cells = rvi_cells(land);
    float *values = malloc(cells * sizeof *values);
    assert_non_null(values);
    fill(values, cells, 1);
    support_ok(ctx, rv_terrain_field_set(land, "height", values));
    fill(values, cells, 2);
    support_ok(ctx, rv_terrain_layer_add(
                        land, &(rv_layer_desc){.name = "soil", .erodibility = 0.5f, .talus = 30.0f},
                        values));
    fill(values, cells, 3);
    support_ok(ctx, rv_terrain_field_set(land, "flow", values));
    fill(values, cells, 4);
    support_ok(ctx, rv_terrain_field_set(land, "eroded", values));
    free(values);
    return land;
}

/* ---- sizes ---- */

static rv_status try_size(rv_context *ctx, int width, int height, float cell) {
    rv_terrain *land = (rv_terrain *)ctx;
    rv_status status = rv_terrain_create(ctx, &(rv_terrain_desc){width, height, cell}, &land);
    if (status == RV_OK) {
        assert_int_equal(rv_terrain_width(land), width);
        assert_int_equal(rv_terrain_height(land), height);
        assert_equal(rv_terrain_cell(land), cell);
        for (size_t i = 0; i < rvi_cells(land); i++)
            assert_equal(rv_terrain_field(land, "height")[i], 0.0f);
        rv_terrain_destroy(land);
    } else {
        assert_null(land);
        assert_not_equal(rv_context_error(ctx)[0], '\0');
    }
    return status;
}

static void sizes_that_can_be(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const int sizes[][2] = {{1, 2}, {2, 1}, {1, 65536}, {65536, 1}, {2, 2}, {100, 7}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        support_ok(ctx, try_size(ctx, sizes[i][0], sizes[i][1], 10.0f));
    support_ok(ctx, try_size(ctx, 2, 2, 0.001f));
    support_ok(ctx, try_size(ctx, 2, 2, 100000.0f));
    rv_terrain *land;
    support_ok(ctx, rv_terrain_create(ctx, NULL, &land)); /* the defaults */
    assert_int_equal(rv_terrain_width(land), rv_terrain_desc_default().width);
    assert_int_equal(rv_terrain_layer_count(land), 1);
    assert_int_equal(rv_terrain_field_count(land), 0);
    assert_equal(rv_terrain_volume(land), 0.0);
    rv_terrain_destroy(land);
    rv_terrain_destroy(NULL);
    rv_context_destroy(ctx);
}

static void sizes_that_cannot_be(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const int sizes[][2] = {
        {1, 1},        {0, 5}, {5, 0}, {-1, 5}, {65537, 5}, {5, 65537}, {INT32_MAX, INT32_MAX},
        {INT32_MIN, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_int_equal(try_size(ctx, sizes[i][0], sizes[i][1], 10.0f), RV_ERROR_USAGE);
    static const float cells[] = {0.0f, -0.0f, -1.0f, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        assert_int_equal(try_size(ctx, 4, 4, cells[i]), RV_ERROR_USAGE);
    rv_context_destroy(ctx);
}

static void sizes_beyond_the_memory_limit(void **state) {
    (void)state;
    rv_context_desc desc = {.threads = 1, .memory_limit = 1 << 20};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    assert_int_equal(try_size(ctx, 65536, 65536, 1.0f), RV_ERROR_MEMORY);
    assert_says(ctx, "limit");
    rv_terrain *land = support_land(ctx, 100, 100, 1.0f);
    uint64_t hash = rv_terrain_hash(land);
    assert_int_equal(rvi_terrain_reset(land, 600, 600, 1.0f), RV_ERROR_MEMORY);
    assert_int_equal(rvi_terrain_reset(land, 1, 1, 1.0f), RV_ERROR_USAGE);
    assert_int_equal(rvi_terrain_reset(land, 10, 10, NAN), RV_ERROR_USAGE);
    assert_equal(rv_terrain_hash(land), hash);
    assert_less_equal(rv_context_memory_peak(ctx), 1 << 20);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void land_starts_over(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rich_land(ctx, 8, 6), *bare = support_land(ctx, 5, 4, 2.0f);
    support_ok(ctx, rvi_terrain_reset(land, 5, 4, 2.0f));
    assert_int_equal(rv_terrain_layer_count(land), 1);
    assert_int_equal(rv_terrain_field_count(land), 0);
    assert_equal(rv_terrain_hash(land), rv_terrain_hash(bare));
    rv_terrain_destroy(bare);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- fields ---- */

static void fields_are_named_and_ordered(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 3, 2, 1.0f);
    static const char *const names[] = {"mask", "flow", "water", "eroded", "a", "zz", "flo"};
    static const char *const sorted[] = {"a", "eroded", "flo", "flow", "mask", "water", "zz"};
    for (int i = 0; i < 7; i++) {
        float values[6];
        assert_null(rv_terrain_field(land, names[i]));
        fill(values, 6, (uint64_t)i);
        support_ok(ctx, rv_terrain_field_set(land, names[i], values));
        assert_memory_equal(rv_terrain_field(land, names[i]), values, sizeof values);
    }
    assert_int_equal(rv_terrain_field_count(land), 7);
    for (int i = 0; i < 7; i++)
        assert_string_equal(rv_terrain_field_name(land, i), sorted[i]);
    for (int i = 0; i < 7; i++) { /* none was lost or mixed up by those after it */
        float values[6];
        fill(values, 6, (uint64_t)i);
        assert_memory_equal(rv_terrain_field(land, names[i]), values, sizeof values);
    }
    rvi_field_drop(land, "flow");
    rvi_field_drop(land, "never was");
    assert_null(rv_terrain_field(land, "flow"));
    assert_int_equal(rv_terrain_field_count(land), 6);
    assert_non_null(rv_terrain_field(land, "flo"));
    assert_ptr_equal(rvi_field_make(land, "mask"), rv_terrain_field(land, "mask"));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void height_is_the_surface(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 3, 2, 2.0f);
    float values[6] = {1, 2, 3, 4, -5, 6};
    support_ok(ctx, rv_terrain_field_set(land, "height", values));
    assert_memory_equal(rv_terrain_field(land, "height"), values, sizeof values);
    assert_memory_equal(rv_terrain_layer_thickness(land, 0), values, sizeof values);
    assert_int_equal(rv_terrain_field_count(land), 0);
    assert_equal(rv_terrain_volume(land), 11.0 * 4.0);
    /* Its own surface may be handed in. */
    support_ok(ctx, rv_terrain_field_set(land, "height", rv_terrain_field(land, "height")));
    assert_memory_equal(rv_terrain_field(land, "height"), values, sizeof values);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void no_field_holds_what_is_no_number(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rich_land(ctx, 7, 5);
    uint64_t hash = rv_terrain_hash(land);
    static const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    static const char *const names[] = {"height", "flow", "mask"};
    for (int n = 0; n < 3; n++)
        for (int b = 0; b < 4; b++)
            for (int i = 0; i < 35; i++) {
                float values[35] = {0};
                char place[64];
                values[i] = bad[b];
                assert_int_equal(rv_terrain_field_set(land, names[n], values), RV_ERROR_INPUT);
                snprintf(place, sizeof place, "%s in row %d, column %d", names[n], i / 7, i % 7);
                assert_says(ctx, place);
            }
    assert_equal(rv_terrain_hash(land), hash);
    /* The largest floats are numbers. */
    float values[35] = {3.4e38f, -3.4e38f, 1e-45f};
    support_ok(ctx, rv_terrain_field_set(land, "flow", values));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void bad_names_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    float values[4] = {0};
    static const char *const names[] = {"", "two words", " ",
                                        "a name that is far too long to be kept",
                                        "exactly_thirty_two_letters_long_"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(rv_terrain_field_set(land, names[i], values), RV_ERROR_USAGE);
    support_ok(ctx, rv_terrain_field_set(land, "exactly_thirty_one_letters_long", values));
    assert_int_equal(rv_terrain_field_count(land), 1);
    assert_string_equal(rv_terrain_field_name(land, 0), "exactly_thirty_one_letters_long");
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- volume ---- */

static void volume_is_height_times_area(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { W = 301, H = 257 };
    rv_terrain *land = rich_land(ctx, W, H);
    long double want = 0;
    for (size_t i = 0; i < W * H; i++)
        want +=
            (long double)land->layers[0].thickness[i] + (long double)land->layers[1].thickness[i];
    want *= 9.0L;
    assert_less(fabsl((long double)rv_terrain_volume(land) - want), 1e-12L * want);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- hash ---- */

/* Turns every bit of some memory over, one at a time: the hash sees each. */
static void assert_sees_bits(const rv_terrain *land, void *memory, size_t size) {
    unsigned char *bytes = memory;
    uint64_t hash = rv_terrain_hash(land);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_not_equal(rv_terrain_hash(land), hash);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_equal(rv_terrain_hash(land), hash);
}

static void the_hash_sees_every_bit(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rich_land(ctx, 5, 3);
    size_t size = rvi_cells(land) * sizeof(float);
    for (int i = 0; i < land->layer_count; i++) {
        assert_sees_bits(land, land->layers[i].thickness, size);
        assert_sees_bits(land, &land->layers[i].erodibility, sizeof(float));
        assert_sees_bits(land, &land->layers[i].talus, sizeof(float));
        assert_sees_bits(land, land->layers[i].name, 1);
    }
    for (int i = 0; i < land->field_count; i++) {
        assert_sees_bits(land, land->fields[i].values, size);
        assert_sees_bits(land, land->fields[i].name, 4);
    }
    assert_sees_bits(land, &land->cell, sizeof land->cell);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static int order(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Flat lands of 64 cells, with and without a layer or a field of zeros. */
static void the_hash_sees_what_there_is(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    uint64_t hashes[64];
    size_t count = 0;
    for (int width = 1; width <= 64; width *= 2) {
        rv_terrain *land = support_land(ctx, width, 64 / width, 1.0f);
        const float zeros[64] = {0};
        hashes[count++] = rv_terrain_hash(land);
        support_ok(ctx, rv_terrain_field_set(land, "b", zeros));
        hashes[count++] = rv_terrain_hash(land);
        support_ok(ctx, rv_terrain_field_set(land, "a", zeros));
        hashes[count++] = rv_terrain_hash(land);
        rvi_field_drop(land, "b");
        hashes[count++] = rv_terrain_hash(land);
        rvi_field_drop(land, "a");
        assert_equal(rv_terrain_hash(land), hashes[count - 4]);
        support_ok(
            ctx,
            rv_terrain_layer_add(
                land, &(rv_layer_desc){.name = "a", .erodibility = 1.0f, .talus = 45.0f}, NULL));
        hashes[count++] = rv_terrain_hash(land);
        support_ok(
            ctx,
            rv_terrain_layer_add(
                land, &(rv_layer_desc){.name = "b", .erodibility = 1.0f, .talus = 45.0f}, NULL));
        hashes[count++] = rv_terrain_hash(land);
        rv_terrain_destroy(land);
    }
    qsort(hashes, count, sizeof *hashes, order);
    for (size_t i = 1; i < count; i++)
        assert_not_equal(hashes[i], hashes[i - 1]);
    rv_context_destroy(ctx);
}

/* Rows are hashed side by side, in parts of 1024: cells that change places are seen everywhere. */
static void the_hash_sees_places(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { W = 3, H = 2500 };
    rv_terrain *land = support_land(ctx, W, H, 1.0f);
    static uint64_t hashes[W * H + 1];
    float *surface = land->surface;
    size_t count = 0;
    for (size_t i = 0; i < W * H; i += i < 3072 || i > 7400 ? 1 : 7) {
        surface[i] = 1.0f;
        hashes[count++] = rv_terrain_hash(land);
        surface[i] = 0.0f;
    }
    qsort(hashes, count, sizeof *hashes, order);
    for (size_t i = 1; i < count; i++)
        assert_not_equal(hashes[i], hashes[i - 1]);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void the_hash_does_not_see_threads(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 7, 64};
    static const int sizes[][2] = {{64, 64}, {1, 3000}, {3000, 1}, {37, 1100}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint64_t hash = 0;
        for (int k = 0; k < 5; k++) {
            rv_context *ctx = support_context(threads[k]);
            rv_terrain *land = rich_land(ctx, sizes[s][0], sizes[s][1]);
            hash = k == 0 ? rv_terrain_hash(land) : hash;
            assert_equal(rv_terrain_hash(land), hash);
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
        }
    }
}

/* ---- snapshots ---- */

static void assert_same(const rv_terrain *a, const rv_terrain *b) {
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_memory_equal(&a->cell, &b->cell, sizeof a->cell);
    assert_memory_equal(&a->ledger, &b->ledger, sizeof a->ledger);
    assert_int_equal(a->layer_count, b->layer_count);
    assert_int_equal(a->field_count, b->field_count);
    size_t size = rvi_cells(a) * sizeof(float);
    assert_memory_equal(a->surface, b->surface, size);
    for (int i = 0; i < a->layer_count; i++) {
        assert_string_equal(a->layers[i].name, b->layers[i].name);
        assert_equal(a->layers[i].erodibility, b->layers[i].erodibility);
        assert_equal(a->layers[i].talus, b->layers[i].talus);
        rv_ledger mine = rv_terrain_layer_ledger(a, i), yours = rv_terrain_layer_ledger(b, i);
        assert_memory_equal(&mine, &yours, sizeof mine);
        assert_memory_equal(a->layers[i].thickness, b->layers[i].thickness, size);
    }
    for (int i = 0; i < a->field_count; i++) {
        assert_string_equal(a->fields[i].name, b->fields[i].name);
        assert_memory_equal(a->fields[i].values, b->fields[i].values, size);
    }
    assert_equal(rv_terrain_hash(a), rv_terrain_hash(b));
}

static void a_snapshot_brings_everything_back(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = rich_land(ctx, 40, 30), *same = rich_land(ctx, 40, 30);
    rv_droplets_params rain = rv_droplets_params_default();
    rain.drops = 300;
    rain.max_path = 16;
    support_ok(ctx, rv_step_run(land, RV_STEP_droplets, &rain, NULL));
    support_ok(ctx, rv_step_run(same, RV_STEP_droplets, &rain, NULL));
    assert_greater(rv_terrain_ledger(land).eroded, 0.0);
    assert_greater(rv_terrain_layer_ledger(land, 1).eroded, 0.0);
    assert_same(land, same);
    rv_snapshot *snapshot;
    support_ok(ctx, rv_terrain_snapshot(land, &snapshot));
    for (int round = 0; round < 3; round++) {
        /* Everything changes: heights, ledger, fields, layers, and then the size. */
        support_ok(ctx, rv_step_run(land, RV_STEP_droplets, &rain, NULL));
        rvi_field_drop(land, "flow");
        if (round > 0)
            support_ok(
                ctx,
                rv_terrain_layer_add(
                    land, &(rv_layer_desc){.name = "snow", .erodibility = 1, .talus = 40}, NULL));
        if (round > 1)
            support_ok(ctx, rv_step_run(land, RV_STEP_terrain, NULL, NULL));
        assert_not_equal(rv_terrain_hash(land), rv_terrain_hash(same));
        support_ok(ctx, rv_terrain_restore(land, snapshot));
        assert_same(land, same);
    }
    /* And what follows is the same, too. */
    support_ok(ctx, rv_step_run(land, RV_STEP_droplets, &rain, NULL));
    support_ok(ctx, rv_step_run(same, RV_STEP_droplets, &rain, NULL));
    assert_same(land, same);
    rv_terrain_destroy(land); /* a snapshot stands alone */
    support_ok(ctx, rv_terrain_restore(same, snapshot));
    rv_snapshot_destroy(snapshot);
    rv_snapshot_destroy(NULL);
    rv_terrain_destroy(same);
    rv_context_destroy(ctx);
}

static void a_copy_lives_alone_in_another_context(void **state) {
    (void)state;
    rv_context *ctx = support_context(2), *elsewhere = support_context(1);
    rv_terrain *land = rich_land(ctx, 40, 30), *copy, *again;
    support_ok(ctx, rv_step_run(land, RV_STEP_strata, NULL, NULL));
    rv_droplets_params rain = rv_droplets_params_default();
    rain.drops = 300;
    rain.max_path = 16;
    support_ok(ctx, rv_step_run(land, RV_STEP_droplets, &rain, NULL));
    support_ok(elsewhere, rv_terrain_copy(land, elsewhere, &copy));
    support_ok(ctx, rv_terrain_copy(land, ctx, &again));
    assert_same(land, copy);
    assert_same(land, again);
    /* The same follows from both, in whatever order, and neither needs the other. */
    support_ok(elsewhere, rv_step_run(copy, RV_STEP_droplets, &rain, NULL));
    assert_same(land, again);
    rv_terrain_destroy(again);
    support_ok(ctx, rv_step_run(land, RV_STEP_droplets, &rain, NULL));
    assert_same(land, copy);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    support_ok(elsewhere, rv_step_run(copy, RV_STEP_droplets, &rain, NULL));
    rv_terrain_destroy(copy);
    rv_context_destroy(elsewhere);

    /* The memory is the other context's: where it has too little, that is where the sentence is. */
    ctx = support_context(1);
    rv_context_desc small = {.threads = 1, .memory_limit = 20000};
    assert_int_equal(rv_context_create(&small, &elsewhere), RV_OK);
    land = rich_land(ctx, 100, 100);
    assert_int_equal(rv_terrain_copy(land, elsewhere, &copy), RV_ERROR_MEMORY);
    assert_null(copy);
    assert_non_null(strstr(rv_context_error(elsewhere), "memory"));
    rv_terrain_destroy(land);
    rv_context_destroy(elsewhere);
    rv_context_destroy(ctx);
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    support_memory memory = {.left = -1};
    rv_context_desc desc = {.threads = 1, .allocator = support_allocator(&memory)};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_terrain *land = rich_land(ctx, 6, 5), *other = support_land(ctx, 3, 3, 1.0f);
    uint64_t hash = rv_terrain_hash(land), other_hash = rv_terrain_hash(other);
    long held = memory.held;
    rv_snapshot *snapshot = NULL;
    for (long n = 0; snapshot == NULL; n++) {
        memory.left = n;
        rv_status status = rv_terrain_snapshot(land, &snapshot);
        memory.left = -1;
        if (status == RV_OK)
            break;
        assert_int_equal(status, RV_ERROR_MEMORY);
        assert_null(snapshot);
        assert_int_equal(memory.held, held);
    }
    assert_non_null(snapshot);
    held = memory.held;
    rv_status status = RV_ERROR_MEMORY;
    for (long n = 0; status != RV_OK; n++) {
        memory.left = n;
        status = rv_terrain_restore(other, snapshot);
        memory.left = -1;
        if (status != RV_OK) {
            assert_int_equal(status, RV_ERROR_MEMORY);
            assert_equal(rv_terrain_hash(other), other_hash);
            assert_int_equal(memory.held, held);
        }
    }
    assert_equal(rv_terrain_hash(other), hash);
    assert_equal(rv_terrain_hash(land), hash);
    rv_snapshot_destroy(snapshot);
    rv_terrain_destroy(other);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    assert_int_equal(memory.held, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_can_be),
        cmocka_unit_test(sizes_that_cannot_be),
        cmocka_unit_test(sizes_beyond_the_memory_limit),
        cmocka_unit_test(land_starts_over),
        cmocka_unit_test(fields_are_named_and_ordered),
        cmocka_unit_test(height_is_the_surface),
        cmocka_unit_test(no_field_holds_what_is_no_number),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(volume_is_height_times_area),
        cmocka_unit_test(the_hash_sees_every_bit),
        cmocka_unit_test(the_hash_sees_what_there_is),
        cmocka_unit_test(the_hash_sees_places),
        cmocka_unit_test(the_hash_does_not_see_threads),
        cmocka_unit_test(a_snapshot_brings_everything_back),
        cmocka_unit_test(a_copy_lives_alone_in_another_context),
        cmocka_unit_test(no_allocation_is_taken_for_granted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
