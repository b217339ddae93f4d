/* Raw files and .npy: what is written follows their specification, and what is read back, here and
 * in every other format, is the same land. */
#include "format_files.h"

#include "base/context.h"
#include "formats/format.h"

#include <math.h>

/* ---- Round trips ---- */

static void floats_come_back_to_the_bit(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const files[] = {"a.r32", "a.npy", "A.NPY"};
    static const float odd[6] = {-0.0f, 1e-42f, -8848.86f, 0.1f, 16777217.0f, 3.4e-10f};
    for (int i = 0; i < 3; i++) {
        rv_terrain *land = support_land(ctx, 2, 3, 0.7f);
        rv_terrain *again = support_land(ctx, 5, 5, 1.0f);
        support_ok(ctx, rv_terrain_field_set(land, "height", odd));
        support_ok(ctx, save(land, files[i]));
        support_ok(ctx, open_file(again, files[i]));
        assert_int_equal(rv_terrain_width(again), 2);
        assert_int_equal(rv_terrain_height(again), 3);
        assert_memory_equal(rv_terrain_field(again, "height"), odd, sizeof odd);
        assert_equal(rv_terrain_hash(land), rv_terrain_hash(again)); /* the cell too */
        rv_terrain_destroy(land);
        rv_terrain_destroy(again);
        forget(files[i]);
    }
    rv_context_destroy(ctx);
}

static void round_trip_levels(const char *file, int bits, float low, float high) {
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 37, 21, low, high);
    rv_terrain *again = support_land(ctx, 2, 2, 1.0f);
    rv_save_params p = rv_save_params_default();
    p.file = file;
    p.bits = bits == 8 ? RV_save_bits_8 : RV_save_bits_16;
    support_ok(ctx, rv_step_run(land, RV_STEP_save, &p, NULL));
    support_ok(ctx, open_file(again, file));
    assert_equal(rv_terrain_cell(again), 7.3f);
    const float *a = rv_terrain_field(land, "height"), *b = rv_terrain_field(again, "height");
    double half = ((double)high - (double)low) / (bits == 8 ? 255.0 : 65535.0) / 2.0;
    for (int i = 0; i < 37 * 21; i++) {
        double room = half + fabs((double)b[i]) * 6e-8; /* and the rounding to a float */
        if (!(fabs((double)a[i] - (double)b[i]) <= room))
            fail_msg("%s: %.9g came back as %.9g", file, (double)a[i], (double)b[i]);
    }
    blob *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    assert_non_null(first);
    assert_non_null(second);
    read_file(file, first);
    support_ok(ctx, rv_step_run(again, RV_STEP_save, &p, NULL));
    read_file(file, second);
    assert_int_equal(first->size, second->size);
    assert_memory_equal(first->data, second->data, first->size);
    free(first);
    free(second);
    rv_terrain_destroy(land);
    rv_terrain_destroy(again);
    rv_context_destroy(ctx);
    forget(file);
}

static void levels_come_back_within_half_a_level(void **state) {
    (void)state;
    static const float ranges[][2] = {
        {0.0f, 1000.0f}, {-413.7f, 8848.86f}, {1000.0f, 1000.01f}, {-1e-3f, 1e-3f}, {-5e8f, 9e8f}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        round_trip_levels("levels.r16", 16, ranges[i][0], ranges[i][1]);
#ifdef RAVINE_PNG
        round_trip_levels("levels.png", 16, ranges[i][0], ranges[i][1]);
        round_trip_levels("levels8.png", 8, ranges[i][0], ranges[i][1]);
#endif
    }
}

/* Every level survives being opened and saved with the range it was opened with. */
static void all_levels_survive(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    blob *in = malloc(sizeof *in), *out = malloc(sizeof *out);
    assert_non_null(in);
    assert_non_null(out);
    in->size = 0;
    for (unsigned i = 0; i < 65536; i++)
        put_number(in, i, 2, false);
    write_file("all.r16", in->data, in->size);
    rv_open_params open = rv_open_params_default();
    rv_save_params save_again = rv_save_params_default();
    open.file = save_again.file = "all.r16";
    open.low = save_again.low = -271.3f;
    open.high = save_again.high = 5011.7f;
    support_ok(ctx, rv_step_run(land, RV_STEP_open, &open, NULL));
    assert_int_equal(rv_terrain_width(land), 256);
    assert_int_equal(rv_terrain_height(land), 256);
    const float *height = rv_terrain_field(land, "height");
    assert_equal(height[0], -271.3f);
    assert_equal(height[65535], 5011.7f);
    support_ok(ctx, rv_step_run(land, RV_STEP_save, &save_again, NULL));
    read_file("all.r16", out);
    assert_int_equal(in->size, out->size);
    assert_memory_equal(in->data, out->data, in->size);
    free(in);
    free(out);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("all.r16");
}

static void flat_land_comes_back(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const files[] = {"flat.r16", "flat.r32", "flat.npy",
#ifdef RAVINE_PNG
                                        "flat.png"
#endif
    };
    float values[6];
    for (int i = 0; i < 6; i++)
        values[i] = 123.456f;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        rv_terrain *land = support_land(ctx, 3, 2, 2.5f);
        support_ok(ctx, rv_terrain_field_set(land, "height", values));
        rv_terrain *again = support_land(ctx, 2, 2, 1.0f);
        support_ok(ctx, save(land, files[i]));
        support_ok(ctx, open_file(again, files[i]));
        assert_equal(rv_terrain_hash(land), rv_terrain_hash(again));
        rv_terrain_destroy(land);
        rv_terrain_destroy(again);
        forget(files[i]);
    }
    rv_context_destroy(ctx);
}

/* ---- Byte by byte ---- */

static void raw_files_are_little_endian_rows_from_the_north(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 3, 2, 1.0f);
    static const float values[6] = {0.0f, 1.0f, 258.0f, 65535.0f, 4660.4f, 4660.6f};
    static const unsigned char levels[12] = {0, 0, 1, 0, 2, 1, 255, 255, 0x34, 0x12, 0x35, 0x12};
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    support_ok(ctx, rv_terrain_field_set(land, "height", values));
    support_ok(ctx, save(land, "bytes.r16"));
    read_file("bytes.r16", b);
    assert_int_equal(b->size, 12);
    assert_memory_equal(b->data, levels, 12);
    support_ok(ctx, save(land, "bytes.r32"));
    read_file("bytes.r32", b);
    assert_int_equal(b->size, 24);
    static const unsigned char one_and_258[8] = {0, 0, 0x80, 0x3f, 0, 0, 0x81, 0x43};
    assert_memory_equal(b->data + 4, one_and_258, 8);
    free(b);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("bytes.r16");
    forget("bytes.r32");
}

static void npy_header_follows_the_specification(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 3, 2, -1.0f, 2.0f);
    support_ok(ctx, save(land, "spec.npy"));
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    read_file("spec.npy", b);
    assert_memory_equal(b->data, "\x93NUMPY\x01\x00", 8);
    size_t length = b->data[8] | (size_t)b->data[9] << 8;
    assert_int_equal((10 + length) % 64, 0);
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    assert_memory_equal(b->data + 10, text, sizeof text - 1);
    for (size_t i = 10 + sizeof text - 1; i < 10 + length - 1; i++)
        assert_int_equal(b->data[i], ' ');
    assert_int_equal(b->data[10 + length - 1], '\n');
    assert_int_equal(b->size, 10 + length + 6 * 4);
    blob *expected = malloc(sizeof *expected);
    assert_non_null(expected);
    expected->size = 0;
    for (int i = 0; i < 6; i++)
        put_float(expected, rv_terrain_field(land, "height")[i], false);
    assert_memory_equal(b->data + 10 + length, expected->data, 24);
    free(b);
    free(expected);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("spec.npy");
}

/* One cell of the array as its type stores it; the numbers are small enough for all types. */
static void put_value(blob *b, const char *type, int value) {
    bool big = type[0] == '>';
    int bytes = type[2] - '0';
    double wide = value;
    uint64_t bits = (uint64_t)(int64_t)value;
    if (type[1] == 'f' && bytes == 8)
        memcpy(&bits, &wide, sizeof bits);
    if (type[1] == 'f' && bytes == 4)
        put_float(b, (float)value, big);
    else
        put_number(b, bits, bytes, big);
}

static void npy_of_every_kind_is_read(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const types[] = {"<f4", ">f4", "<f8", ">f8", "|i1", "|u1", "<i1",
                                        ">u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4",
                                        "<u4", ">u4", "<i8", ">i8", "<u8", ">u8"};
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (int version = 1; version <= 3; version++)
            for (int fortran = 0; fortran < 2; fortran++) {
                char text[128];
                snprintf(text, sizeof text,
                         "{'descr': '%s', \"fortran_order\":%s, 'shape': (2, 3)%s}", types[t],
                         fortran ? "True" : "False", version == 2 ? "" : ", ");
                put_npy(b, version, text);
                bool is_unsigned = types[t][1] == 'u';
                for (int i = 0; i < 6; i++) {
                    int cell = fortran ? i % 2 * 3 + i / 2 : i;
                    put_value(b, types[t], is_unsigned ? 100 + cell : 40 * cell - 120);
                }
                write_file("kind.npy", b->data, b->size);
                rvi_image image;
                support_ok(ctx, rvi_image_load(ctx, "kind.npy", &image));
                assert_int_equal(image.width, 3);
                assert_int_equal(image.height, 2);
                assert_false(image.levels);
                for (int i = 0; i < 6; i++)
                    assert_equal(image.values[i], (float)(is_unsigned ? 100 + i : 40 * i - 120));
                rvi_free(ctx, image.values);
            }
    free(b);
    rv_context_destroy(ctx);
    remove("kind.npy");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_come_back_to_the_bit),
        cmocka_unit_test(levels_come_back_within_half_a_level),
        cmocka_unit_test(all_levels_survive),
        cmocka_unit_test(flat_land_comes_back),
        cmocka_unit_test(raw_files_are_little_endian_rows_from_the_north),
        cmocka_unit_test(npy_header_follows_the_specification),
        cmocka_unit_test(npy_of_every_kind_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
