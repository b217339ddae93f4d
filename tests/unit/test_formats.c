/* Files: what is written follows each format's specification, what is read back is the same land,
 * and what is no heightmap is refused in one sentence and leaves the land alone. */
#include "support.h"

#include "base/context.h"
#include "formats/format.h"
#include "steps/step.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef RAVINE_PNG
#include <zlib.h>
#endif

/* ---- Help ---- */

enum { BYTES_MOST = 1 << 18 };

typedef struct blob {
    size_t size;
    unsigned char data[BYTES_MOST];
} blob;

static char log_text[4096];

static void keep_log(void *user, const char *line) {
    (void)user;
    size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%s\n", line);
}

static rv_context *listening(void) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.log = keep_log;
    rv_context *ctx;
    log_text[0] = '\0';
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    return ctx;
}

static void write_file(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *text) {
    write_file(path, text, strlen(text));
}

static void read_file(const char *path, blob *out) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    out->size = fread(out->data, 1, sizeof out->data, file);
    assert_int_equal(fclose(file), 0);
}

static bool exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static void forget(const char *path) {
    char sidecar[128];
    snprintf(sidecar, sizeof sidecar, "%s.ravine.json", path);
    remove(path);
    remove(sidecar);
}

static void put(blob *b, const void *data, size_t size) {
    assert_true(b->size + size <= BYTES_MOST);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_byte(blob *b, unsigned value) {
    unsigned char byte = (unsigned char)value;
    put(b, &byte, 1);
}

/* `bytes` of a number, least significant first or last. */
static void put_number(blob *b, uint64_t value, int bytes, bool big) {
    for (int i = 0; i < bytes; i++)
        put_byte(b, (unsigned)(value >> (8 * (big ? bytes - 1 - i : i))) & 255);
}

static void put_float(blob *b, float value, bool big) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(b, bits, 4, big);
}

/* Heights without any order, from `low` to `high`, both of which occur. */
static rv_terrain *rough_land(rv_context *ctx, int width, int height, float low, float high) {
    rv_terrain *land = support_land(ctx, width, height, 7.3f);
    size_t cells = (size_t)width * (size_t)height;
    float *values = malloc(cells * sizeof *values);
    assert_non_null(values);
    uint32_t state = 12345;
    for (size_t i = 0; i < cells; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = low + (high - low) * ((float)(state >> 8) / 16777216.0f);
    }
    values[1 % cells] = low;
    values[cells - 1] = high;
    support_ok(ctx, rv_terrain_field_set(land, "height", values));
    free(values);
    return land;
}

static rv_status save(rv_terrain *land, const char *file) {
    rv_save_params p = rv_save_params_default();
    p.file = file;
    return rv_step_run(land, RV_STEP_save, &p, NULL);
}

static rv_status open_file(rv_terrain *land, const char *file) {
    rv_open_params p = rv_open_params_default();
    p.file = file;
    return rv_step_run(land, RV_STEP_open, &p, NULL);
}

static void assert_says(const rv_context *ctx, const char *words) {
    const char *sentence = rv_context_error(ctx);
    if (strstr(sentence, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", sentence, words);
    assert_null(strchr(sentence, '\n'));
}

static void assert_logged(const char *words) {
    if (strstr(log_text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", log_text, words);
}

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
        assert_true(rv_terrain_hash(land) == rv_terrain_hash(again)); /* the cell too */
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
    assert_true(rv_terrain_cell(again) == 7.3f);
    const float *a = rv_terrain_field(land, "height"), *b = rv_terrain_field(again, "height");
    double half = ((double)high - (double)low) / (bits == 8 ? 255.0 : 65535.0) / 2.0;
    for (int i = 0; i < 37 * 21; i++) {
        double room = half + fabs((double)b[i]) * 6e-8; /* and the rounding to a float */
        if (!(fabs((double)a[i] - (double)b[i]) <= room))
            fail_msg("%s: %.9g came back as %.9g", file, (double)a[i], (double)b[i]);
    }
    blob *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    assert_true(first != NULL && second != NULL);
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
    assert_true(in != NULL && out != NULL);
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
    assert_true(height[0] == -271.3f && height[65535] == 5011.7f);
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
        assert_true(rv_terrain_hash(land) == rv_terrain_hash(again));
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

static void put_npy(blob *b, int version, const char *dictionary) {
    b->size = 0;
    put(b, "\x93NUMPY", 6);
    put_byte(b, (unsigned)version);
    put_byte(b, 0);
    put_number(b, strlen(dictionary) + 1, version == 1 ? 2 : 4, false);
    put(b, dictionary, strlen(dictionary));
    put_byte(b, '\n');
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
                    assert_true(image.values[i] == (float)(is_unsigned ? 100 + i : 40 * i - 120));
                rvi_free(ctx, image.values);
            }
    free(b);
    rv_context_destroy(ctx);
    remove("kind.npy");
}

static void the_sidecar_says_all(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 5, 4, -12.1f, 0.1f);
    support_ok(ctx, save(land, "says.r16"));
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    read_file("says.r16.ravine.json", b);
    b->data[b->size] = '\0';
    char expected[512];
    snprintf(expected, sizeof expected,
             "{\n  \"format\": \"r16\",\n  \"field\": \"height\",\n  \"width\": 5,\n"
             "  \"height\": 4,\n  \"min_m\": -12.1000004,\n  \"max_m\": 0.100000001,\n"
             "  \"cell_m\": 7.30000019,\n  \"row_order\": \"north first\",\n"
             "  \"byte_order\": \"little\",\n  \"registration\": \"node\",\n"
             "  \"ravine_version\": \"%s\",\n  \"hash\": \"%016llx\"\n}\n",
             rv_version(), (unsigned long long)rv_terrain_hash(land));
    assert_string_equal((char *)b->data, expected);
    free(b);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("says.r16");
}

static void any_float_survives_the_sidecar(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    char text[RVI_SIDECAR_SIZE];
    uint32_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 1664525u + 1013904223u;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        rvi_sidecar in = {.width = 2, .height = 1, .low = value, .high = value, .cell = 1.0f};
        rvi_sidecar out;
        size_t size = rvi_sidecar_print(&in, "r16", "a\"\\\n\x1f", 1, text);
        assert_true(size < RVI_SIDECAR_SIZE && text[size] == '\0');
        support_ok(ctx, rvi_sidecar_parse(ctx, "x", text, size, &out));
        assert_memory_equal(&out.low, &value, sizeof value);
        assert_memory_equal(&out.high, &value, sizeof value);
    }
    rv_context_destroy(ctx);
}

/* ---- PNG, by a reader and a writer that share nothing with libpng ---- */

#ifdef RAVINE_PNG

static uint32_t get_32(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int paeth(int a, int b, int c) {
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* Undoes the filters of section 9 of the specification, in place; rows keep their filter byte. */
static void unfilter(unsigned char *data, size_t row_bytes, size_t rows, size_t pixel) {
    for (size_t y = 0; y < rows; y++) {
        unsigned char *row = data + y * (row_bytes + 1) + 1;
        const unsigned char *up = y > 0 ? row - row_bytes - 1 : NULL;
        for (size_t x = 0; x < row_bytes; x++) {
            int a = x >= pixel ? row[x - pixel] : 0;
            int b = up != NULL ? up[x] : 0;
            int c = up != NULL && x >= pixel ? up[x - pixel] : 0;
            const int guess[5] = {0, a, b, (a + b) / 2, paeth(a, b, c)};
            assert_true(row[-1] < 5);
            row[x] = (unsigned char)(row[x] + guess[row[-1]]);
        }
    }
}

/* Reads a PNG that is not interlaced: checks the chunks, gives unfiltered rows after their filter
 * bytes. */
static void read_png(const char *path, uint32_t width, uint32_t height, int bits, int colour,
                     blob *out) {
    blob *file = malloc(sizeof *file), *packed = malloc(sizeof *packed);
    assert_true(file != NULL && packed != NULL);
    read_file(path, file);
    assert_memory_equal(file->data, "\x89PNG\r\n\x1a\n", 8);
    packed->size = 0;
    size_t at = 8;
    for (int n = 0; at < file->size; n++) {
        uint32_t size = get_32(file->data + at);
        const unsigned char *name = file->data + at + 4;
        assert_int_equal(get_32(name + 4 + size), crc32(0, name, size + 4));
        if (n == 0) {
            assert_memory_equal(name, "IHDR", 4);
            assert_int_equal(get_32(name + 4), width);
            assert_int_equal(get_32(name + 8), height);
            assert_int_equal(name[12], bits);
            assert_int_equal(name[13], colour);
            assert_int_equal(name[16], 0);
        } else if (memcmp(name, "IDAT", 4) == 0) {
            put(packed, name + 4, size);
        } else { /* no gAMA, no sRGB, nothing else */
            assert_memory_equal(name, "IEND", 4);
            assert_int_equal(at + 12, file->size);
        }
        at += 12 + size;
    }
    size_t pixel = (size_t)bits / 8 * (colour == 2 ? 3 : 1);
    uLongf unpacked = BYTES_MOST;
    assert_int_equal(uncompress(out->data, &unpacked, packed->data, packed->size), Z_OK);
    assert_int_equal(unpacked, (width * pixel + 1) * height);
    out->size = unpacked;
    unfilter(out->data, width * pixel, height, pixel);
    free(file);
    free(packed);
}

static void png_is_grey_levels_and_nothing_else(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 31, 17, -100.0f, 700.0f);
    const float *height = rv_terrain_field(land, "height");
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    for (int bits = 8; bits <= 16; bits += 8) {
        rv_save_params p = rv_save_params_default();
        p.file = "grey.png";
        p.bits = bits == 8 ? RV_save_bits_8 : RV_save_bits_16;
        support_ok(ctx, rv_step_run(land, RV_STEP_save, &p, NULL));
        read_png("grey.png", 31, 17, bits, 0, b);
        double top = bits == 8 ? 255.0 : 65535.0;
        for (size_t y = 0; y < 17; y++)
            for (size_t x = 0; x < 31; x++) {
                size_t bytes = (size_t)bits / 8;
                const unsigned char *at = b->data + y * (31 * bytes + 1) + 1 + x * bytes;
                double level = bits == 8 ? at[0] : at[0] * 256.0 + at[1];
                double exact = ((double)height[y * 31 + x] + 100.0) / 800.0 * top;
                assert_true(fabs(level - exact) <= 0.5 + 1e-9);
            }
    }
    free(b);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("grey.png");
}

static void pictures_are_written_as_they_are(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    unsigned char pixels[5 * 4 * 3];
    for (unsigned i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * 37);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    for (int channels = 1; channels <= 3; channels += 2) {
        support_ok(ctx, rvi_png_write_picture(ctx, "picture.png", 5, 4, channels, pixels));
        read_png("picture.png", 5, 4, 8, channels == 3 ? 2 : 0, b);
        size_t row = 5 * (size_t)channels;
        for (size_t y = 0; y < 4; y++)
            assert_memory_equal(b->data + y * (row + 1) + 1, pixels + y * row, row);
    }
    assert_int_equal(rvi_png_write_picture(ctx, "nowhere/x.png", 5, 4, 3, pixels), RV_ERROR_OUTPUT);
    assert_says(ctx, "nowhere/x.png");
    free(b);
    rv_context_destroy(ctx);
    remove("picture.png");
}

static void put_chunk(blob *b, const char *name, const void *data, size_t size) {
    put_number(b, size, 4, true);
    size_t start = b->size;
    put(b, name, 4);
    put(b, data, size);
    put_number(b, crc32(0, b->data + start, (uInt)(b->size - start)), 4, true);
}

static void put_header(blob *b, uint32_t width, uint32_t height, int bits, int colour,
                       int interlaced) {
    blob *h = malloc(sizeof *h);
    assert_non_null(h);
    h->size = 0;
    put_number(h, width, 4, true);
    put_number(h, height, 4, true);
    const unsigned char rest[5] = {(unsigned char)bits, (unsigned char)colour, 0, 0,
                                   (unsigned char)interlaced};
    put(h, rest, 5);
    b->size = 0;
    put(b, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(b, "IHDR", h->data, 13);
    free(h);
}

/* A sample of the test pictures. */
static unsigned sample_at(unsigned x, unsigned y, unsigned channel, int bits) {
    return (x * 7919 + y * 104729 + channel * 1299709 + x * y * 31) & ((1u << bits) - 1);
}

/* The rows of one pass: every `step`th pixel from `start`. */
static void put_pass(blob *raw, unsigned width, unsigned height, int bits, unsigned channels,
                     const unsigned *start, const unsigned *step) {
    if (start[0] >= width)
        return;
    for (unsigned y = start[1]; y < height; y += step[1]) {
        put_byte(raw, 0); /* no filter */
        unsigned held = 0;
        int used = 0;
        for (unsigned x = start[0]; x < width; x += step[0])
            for (unsigned c = 0; c < channels; c++) {
                unsigned sample = sample_at(x, y, c, bits);
                if (bits == 16)
                    put_byte(raw, sample >> 8);
                held = held << (bits == 16 ? 8 : bits) | (sample & 255);
                used += bits == 16 ? 8 : bits;
                if (used == 8) {
                    put_byte(raw, held & 255);
                    held = 0;
                    used = 0;
                }
            }
        if (used > 0)
            put_byte(raw, held << (8 - used) & 255);
    }
}

static void make_png(blob *out, unsigned width, unsigned height, int bits, int colour,
                     bool interlaced) {
    static const unsigned adam7_start[7][2] = {{0, 0}, {4, 0}, {0, 4}, {2, 0},
                                               {0, 2}, {1, 0}, {0, 1}};
    static const unsigned adam7_step[7][2] = {{8, 8}, {8, 8}, {4, 8}, {4, 4},
                                              {2, 4}, {2, 2}, {1, 2}};
    static const unsigned channels_of[7] = {1, 0, 3, 1, 2, 0, 4};
    blob *raw = malloc(sizeof *raw), *packed = malloc(sizeof *packed);
    assert_true(raw != NULL && packed != NULL);
    put_header(out, width, height, bits, colour, interlaced);
    if (colour == 3) {
        unsigned char palette[256 * 3];
        for (unsigned i = 0; i < sizeof palette; i++)
            palette[i] = (unsigned char)(i * 53 + 11);
        put_chunk(out, "PLTE", palette, (3u << bits));
        put_chunk(out, "tRNS", palette, 2);
    }
    raw->size = 0;
    static const unsigned zero[2] = {0, 0}, one[2] = {1, 1};
    for (int pass = 0; pass < (interlaced ? 7 : 1); pass++)
        put_pass(raw, width, height, bits, channels_of[colour],
                 interlaced ? adam7_start[pass] : zero, interlaced ? adam7_step[pass] : one);
    uLongf size = BYTES_MOST;
    assert_int_equal(compress(packed->data, &size, raw->data, raw->size), Z_OK);
    put_chunk(out, "gAMA", "\x00\x00\xb1\x8f", 4); /* read as numbers all the same */
    put_chunk(out, "IDAT", packed->data, size / 2);
    put_chunk(out, "IDAT", packed->data + size / 2, size - size / 2);
    put_chunk(out, "IEND", "", 0);
    free(raw);
    free(packed);
}

/* What a pixel means: grey levels, or the luminance of Rec. 709 rounded to a level. */
static double expected_level(unsigned x, unsigned y, int bits, int colour) {
    double rgb[3];
    for (unsigned c = 0; c < 3; c++) {
        rgb[c] = sample_at(x, y, colour == 0 || colour == 4 ? 0 : c, bits);
        if (colour == 3)
            rgb[c] = (double)(((sample_at(x, y, 0, bits) * 3 + c) * 53 + 11) % 256);
    }
    double level = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
    return colour == 0 && bits < 8 ? level * 255.0 / ((1 << bits) - 1) : level;
}

static void png_of_every_kind_is_read(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const struct {
        int bits, colour;
    } kinds[] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {8, 2}, {16, 2}, {1, 3},
                 {2, 3}, {4, 3}, {8, 3}, {8, 4}, {16, 4}, {8, 6}, {16, 6}};
    static const unsigned sizes[][2] = {{13, 11}, {2, 1}, {1, 2}, {8, 8}, {1, 9}, {5, 1}, {64, 3}};
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int interlaced = 0; interlaced < 2; interlaced++) {
                int bits = kinds[k].bits, colour = kinds[k].colour;
                unsigned width = sizes[s][0], height = sizes[s][1];
                make_png(b, width, height, bits, colour, interlaced);
                write_file("kind.png", b->data, b->size);
                rvi_image image;
                support_ok(ctx, rvi_image_load(ctx, "kind.png", &image));
                assert_int_equal(image.width, width);
                assert_int_equal(image.height, height);
                assert_true(image.levels);
                assert_int_equal(image.bits, bits == 16 ? 16 : 8);
                double top = bits == 16 ? 65535.0 : 255.0;
                for (unsigned y = 0; y < height; y++)
                    for (unsigned x = 0; x < width; x++) {
                        double level = (double)image.values[y * width + x] * top;
                        assert_true(fabs(level - (double)lrint(level)) < 0.01);
                        double off = fabs(level - expected_level(x, y, bits, colour));
                        if (!(off <= (colour == 0 || colour == 4 ? 0.01 : 0.51)))
                            fail_msg("%d bit, colour %d, pixel %u, %u is off by %g", bits, colour,
                                     x, y, off);
                    }
                rvi_free(ctx, image.values);
            }
    free(b);
    rv_context_destroy(ctx);
    remove("kind.png");
}

/* However a file is cut or bent, there is an error or a whole picture, never a half one. */
static void cut_and_bent_pngs_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    blob *b = malloc(sizeof *b), *bent = malloc(sizeof *bent);
    assert_true(b != NULL && bent != NULL);
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        make_png(b, 13, 11, 16, 0, interlaced);
        rvi_source source = {.name = "cut.png", .data = b->data};
        rvi_image image;
        for (size_t size = 0; size < b->size; size++) {
            source.size = size;
            source.total = size;
            assert_int_equal(rvi_format_find("cut.png")->decode(ctx, &source, &image),
                             RV_ERROR_INPUT);
            assert_says(ctx, "cut.png");
        }
        source.data = bent->data;
        source.size = source.total = b->size;
        for (size_t at = 0; at < b->size; at++) {
            memcpy(bent->data, b->data, b->size);
            bent->data[at] ^= 0x10;
            image = (rvi_image){0};
            rv_status status = rvi_format_find("cut.png")->decode(ctx, &source, &image);
            /* libpng may leave aside what is wrong in a chunk that it does not need. */
            if (status != RV_OK) {
                assert_int_equal(status, RV_ERROR_INPUT);
                continue;
            }
            for (unsigned i = 0; i < 13 * 11; i++) {
                double level = (double)image.values[i] * 65535.0;
                if (!(fabs(level - expected_level(i % 13, i / 13, 16, 0)) < 0.01))
                    fail_msg("byte %zu is bent, and pixel %u is another", at, i);
            }
            rvi_free(ctx, image.values);
        }
    }
    free(b);
    free(bent);
    rv_context_destroy(ctx);
}

#endif

/* ---- What is refused ---- */

typedef struct bad_input {
    const char *file;
    const char *bytes;
    size_t size;
    const char *sidecar; /* NULL: none */
    const char *words;
} bad_input;

#define BYTES(text) text, sizeof(text) - 1
#define PNG_HEAD "\x89PNG\r\n\x1a\n\0\0\0\x0d"

static const bad_input bad_inputs[] = {
    {"b.r16", BYTES(""), NULL, "b.r16 is empty"},
    {"b.r16", BYTES("ab"), NULL, "a single cell"},
    {"b.r16", BYTES("abc"), NULL, "b.r16 has 3 bytes"},
    {"b.r16", BYTES("abcdefgh."), NULL, "2 x 2 would be 8"},
    {"b.r16", BYTES("abcdefgh."), "{\"width\": 4, \"height\": 1}",
     "b.r16 has 9 bytes, expected 8: 4 x 1 cells of 2 bytes"},
    {"b.r16", BYTES("abcdef"), "{\"width\": 4, \"height\": 1}", "b.r16 has 6 bytes, expected 8"},
    {"b.r16", BYTES("abcdef"), "{\"width\": 4}", "expected a multiple of 8"},
    {"b.r16", BYTES("abcdefgh"), "{\"height\": 3}", "2 cells high"},
    {"b.r16", BYTES("abcdefgh"), "{\"byte_order\": \"big\"}", "little"},
    {"b.r32", BYTES(""), NULL, "b.r32 is empty"},
    {"b.r32", BYTES("abcd"), NULL, "a single cell"},
    {"b.r32", BYTES("\0\0\0\0\0\0\0\0\0\0\xc0\x7f\0\0\0\0"), NULL,
     "b.r32: the value at row 1, column 0 (counted from 0) is not a number"},
    {"b.r32", BYTES("\0\0\0\0\0\0\x80\xff\0\0\0\0\0\0\0\0"), NULL,
     "row 0, column 1 (counted from 0) is infinite"},
    {"b.r32", BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\xff"), NULL,
     "row 1, column 1 (counted from 0) is -3.40282e+38 m"},
    {"b.npy", BYTES(""), NULL, "b.npy is empty"},
    {"b.npy", BYTES("\x93NUM"), NULL, "b.npy is cut off within its header"},
    {"b.npy", BYTES("\x93NUMPY\x01\x00\x76\x00{'descr'"), NULL, "cut off"},
    {"b.npy", BYTES("\x93NUMPY\x02\x00\x76\x00"), NULL, "cut off"},
    {"b.npy", BYTES("\x93NUMPY\x09\x00\x76\x00"), NULL, "version 9"},
    {"b.npy", BYTES("\x93NUMPY\x02\x00\xff\xff\xff\xff"), NULL, "too long"},
    {"b.npy", BYTES("PK\x03\x04 and so on"), NULL, "looks like a ZIP archive"},
    {"b.npy", BYTES("what is this"), NULL, "b.npy is not a NumPy array."},
    {"b.tif", BYTES("II*\0"), NULL, ".r16, .r32 or .npy"},
    {"b", BYTES("abcd"), NULL, ".r16, .r32 or .npy"},
#ifdef RAVINE_PNG
    {"b.png", BYTES(""), NULL, "b.png is empty"},
    {"b.png", BYTES("\xff\xd8\xff\xe0\0"), NULL, "looks like a JPEG picture"},
    {"b.png", BYTES("MM\0*\0\0"), NULL, "looks like a TIFF picture"},
    {"b.png", BYTES("version https://git-lfs.github.com/spec/v1\n"), NULL, "Git LFS"},
    {"b.png", BYTES("hello"), NULL, "b.png is not a PNG picture."},
    {"b.png", BYTES("\x89PNG\r\n\x1a\n\0\0"), NULL, "cut off within its header"},
    {"b.png", BYTES(PNG_HEAD "JUNK\0\0\0\2\0\0\0\2\x08\0\0\0\0abcd"), NULL,
     "the header of the PNG is damaged"},
    {"b.png", BYTES(PNG_HEAD "IHDR\0\0\0\2\0\0\0\2\x07\0\0\0\0abcd"), NULL,
     "the header of the PNG is damaged"},
    {"b.png", BYTES(PNG_HEAD "IHDR\0\0\0\2\0\0\0\2\x10\3\0\0\0abcd"), NULL,
     "b.png is damaged: libpng says"},
    {"b.png", BYTES(PNG_HEAD "IHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0abcd"), NULL, "single cell"},
    {"b.png", BYTES(PNG_HEAD "IHDR\xff\xff\xff\xff\0\0\0\1\x08\0\0\0\0abcd"), NULL,
     "4294967295 x 1 cells"},
    {"b.png", BYTES(PNG_HEAD "IHDR\0\0\0\0\0\0\0\1\x08\0\0\0\0abcd"), NULL, "0 x 1 cells"},
    {"b.png", BYTES(PNG_HEAD "IHDR\0\1\0\0\0\1\0\0\x10\0\0\0\0abcd"), NULL,
     "b.png has only 33 bytes; its header says 65536 x 65536"},
#endif
};

/* Beside a good c.r16 of 2 x 2 cells. */
static const struct {
    const char *text, *words;
} bad_sidecars[] = {
    {"", "c.r16.ravine.json, line 1: an object"},
    {"[]", "line 1: an object"},
    {"{", "a string in quotes"},
    {"{\"a\": 1,}", "a string in quotes"},
    {"{\"a\" 1}", "a colon"},
    {"{\"a\": 1 \"b\": 2}", "a comma or }"},
    {"{\"a\": 01}", "line 1"},
    {"{\"a\": 1.}", "a number"},
    {"{\"a\": 2k}", "a comma or }"},
    {"{\"a\": nil}", "a value"},
    {"{\"a\": \"\\x\"}", "JSON does not allow"},
    {"{\"a\": \"\\u12g4\"}", "JSON does not allow"},
    {"{\"a\": \"\n\"}", "JSON does not allow"},
    {"{\n\n\"a\": \"", "line 3: a string has no end"},
    {"{} {}", "nothing may follow"},
    {"{\"a\": [1, 2}", "closing bracket"},
    {"{\"a\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "too deeply"},
    {"{\"width\": \"2\"}", "width must be a whole number"},
    {"{\"width\": 2.5}", "width must be a whole number"},
    {"{\"height\": 0}", "height must be a whole number"},
    {"{\"height\": 1e99}", "height must be a whole number"},
    {"{\"min_m\": true}", "min_m must be a number"},
    {"{\"max_m\": 1e60}", "max_m must be a number"},
    {"{\"cell_m\": 0}", "cell_m must be a number above 0"},
    {"{\"cell_m\": null}", "cell_m must be a number"},
    {"{\"min_m\": 5, \"max_m\": 1}", "min_m 5 is above max_m 1"},
    {"{\"row_order\": \"south first\"}", "row_order must be \"north first\""},
    {"{\"row_order\": 7}", "row_order must be \"north first\""},
    {"{\"registration\": \"\"}", "registration must be \"node\""},
    {"{\"byte_order\": \"middle\"}", "byte_order must be \"little\" or \"big\""},
};

#define F4 "{'descr': '<f4', 'fortran_order': False, 'shape': "

static const struct {
    const char *dictionary, *values;
    size_t size;
    const char *words;
} bad_arrays[] = {
    {"{'descr'", BYTES(""), "the header of the NumPy array is damaged"},
    {"{}", BYTES(""), "damaged"},
    {F4 "(2, 2)} x", BYTES(""), "damaged"},
    {F4 "(2, 2), 'x': 1}", BYTES(""), "damaged"},
    {F4 "(2, -2)}", BYTES(""), "damaged"},
    {F4 "(2 2)}", BYTES(""), "damaged"},
    {F4 "(2, 2", BYTES(""), "damaged"},
    {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 2)}", BYTES(""), "damaged"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2)}", BYTES(""), "a type that is not"},
    {"{'descr': '|u2', 'fortran_order': False, 'shape': (2, 2)}", BYTES(""), "a type that is not"},
    {"{'descr': [('a', '<f4')], 'shape': ()}", BYTES(""), "a type that is not read"},
    {F4 "()}", BYTES(""), "0 dimensions"},
    {F4 "(4,)}", BYTES(""), "1 dimension;"},
    {F4 "(2, 2, 1)}", BYTES(""), "3 dimensions"},
    {F4 "(1, 1)}", BYTES("1234"), "single cell"},
    {F4 "(0, 4)}", BYTES(""), "1 to 65536"},
    {F4 "(65537, 4)}", BYTES(""), "1 to 65536"},
    {F4 "(18446744073709551615, 18446744073709551615)}", BYTES(""), "1 to 65536"},
    {F4 "(99999999999999999999999, 2)}", BYTES(""), "damaged"},
    {F4 "(65536, 65536)}", BYTES(""), "expected 17179869"},
    {F4 "(1, 2)}", BYTES("12345678."), "bytes, expected"},
    {F4 "(1, 2)}", BYTES("1234567"), "says 2 x 1 cells of 4 bytes"},
    {F4 "(1, 2)}", BYTES("1234\0\0\x80\x7f"), "row 0, column 1 (counted from 0) is infinite"},
    {"{'descr': '>f8', 'fortran_order': True, 'shape': (2, 1)}",
     BYTES("\0\0\0\0\0\0\0\0\x7f\xe0\0\0\0\0\0\0"), "row 1, column 0 (counted from 0) is infinite"},
};

static void assert_refused(rv_context *ctx, const char *file, const char *words) {
    rv_terrain *land = rough_land(ctx, 4, 3, 0.0f, 1.0f);
    uint64_t hash = rv_terrain_hash(land);
    rv_status status = open_file(land, file);
    if (status != RV_ERROR_INPUT)
        fail_msg("%s instead of \"%s\"", rv_status_text(status), words);
    assert_says(ctx, words);
    assert_says(ctx, file);
    assert_true(rv_terrain_hash(land) == hash);
    rv_terrain_destroy(land);
    forget(file);
}

static void bad_files_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (size_t i = 0; i < sizeof bad_inputs / sizeof bad_inputs[0]; i++) {
        const bad_input *bad = &bad_inputs[i];
        char sidecar[64];
        snprintf(sidecar, sizeof sidecar, "%s.ravine.json", bad->file);
        write_file(bad->file, bad->bytes, bad->size);
        if (bad->sidecar != NULL)
            write_text(sidecar, bad->sidecar);
        assert_refused(ctx, bad->file, bad->words);
    }
    rv_context_destroy(ctx);
}

static void bad_arrays_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    for (size_t i = 0; i < sizeof bad_arrays / sizeof bad_arrays[0]; i++) {
        put_npy(b, 1, bad_arrays[i].dictionary);
        put(b, bad_arrays[i].values, bad_arrays[i].size);
        write_file("b.npy", b->data, b->size);
        assert_refused(ctx, "b.npy", bad_arrays[i].words);
    }
    put_npy(b, 1, F4 "(1, 2)}");
    put(b, "12345678", 8);
    write_file("b.npy", b->data, b->size);
    write_text("b.npy.ravine.json", "{\"width\": 3}");
    assert_refused(ctx, "b.npy", "2 cells wide, but b.npy.ravine.json says 3");
    free(b);
    rv_context_destroy(ctx);
}

static void bad_sidecars_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (size_t i = 0; i < sizeof bad_sidecars / sizeof bad_sidecars[0]; i++) {
        write_file("c.r16", "abcdefgh", 8);
        write_text("c.r16.ravine.json", bad_sidecars[i].text);
        assert_refused(ctx, "c.r16", bad_sidecars[i].words);
    }
    rv_context_destroy(ctx);
}

static void what_is_no_file_is_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 4, 3, 0.0f, 1.0f);
    assert_int_equal(open_file(land, "missing.r32"), RV_ERROR_INPUT);
    assert_says(ctx, "missing.r32");
    assert_int_equal(mkdir("folder.r32", 0777), 0);
    assert_int_equal(open_file(land, "folder.r32"), RV_ERROR_INPUT);
    assert_says(ctx, "folder.r32");
    assert_says(ctx, "directory");
    assert_int_equal(save(land, "folder.r32"), RV_ERROR_OUTPUT);
    assert_says(ctx, "folder.r32");
    assert_false(exists("folder.r32.ravine.json"));
    assert_int_equal(rmdir("folder.r32"), 0);
    assert_int_equal(save(land, "nowhere/land.r32"), RV_ERROR_OUTPUT);
    assert_says(ctx, "nowhere/land.r32");
    assert_int_equal(mkdir("x.r32.ravine.json", 0777), 0);
    assert_int_equal(save(land, "x.r32"), RV_ERROR_OUTPUT);
    assert_says(ctx, "x.r32.ravine.json");
    assert_false(exists("x.r32"));
    assert_int_equal(rmdir("x.r32.ravine.json"), 0);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A sparse file may declare more than the memory limit; that is said before it is read. */
static void more_than_memory_is_refused(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.memory_limit = 1 << 20;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_terrain *land = rough_land(ctx, 4, 3, 0.0f, 1.0f);
    write_text("big.r32", "");
    assert_int_equal(truncate("big.r32", 4 << 20), 0);
    assert_int_equal(open_file(land, "big.r32"), RV_ERROR_MEMORY);
    assert_says(ctx, "big.r32");
#ifdef RAVINE_PNG
    /* A small file of 8 MiB of heights. */
    blob *b = malloc(sizeof *b), *packed = malloc(sizeof *packed);
    assert_true(b != NULL && packed != NULL);
    memset(b->data, 0, BYTES_MOST);
    uLongf size = BYTES_MOST;
    assert_int_equal(compress(packed->data, &size, b->data, BYTES_MOST), Z_OK);
    put_header(b, 2048, 1024, 1, 0, 0);
    put_chunk(b, "IDAT", packed->data, size);
    put_chunk(b, "IEND", "", 0);
    write_file("big.png", b->data, b->size);
    assert_int_equal(open_file(land, "big.png"), RV_ERROR_MEMORY);
    assert_says(ctx, "2048 x 1024 cells of big.png");
    free(b);
    free(packed);
    remove("big.png");
#endif
    assert_true(rv_context_memory_peak(ctx) <= (size_t)1 << 20);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    remove("big.r32");
}

/* ---- Scale: the user, the sidecar, the defaults ---- */

static void the_users_word_goes_first(void **state) {
    (void)state;
    rv_context *ctx = listening();
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    write_file("scale.r16", "\0\0\xff\xff\0\0\0\0\0\0\0\0", 12);
    write_text("scale.r16.ravine.json",
               "{ \"min_m\": -10, \"max_m\": 20.5, \"cell_m\": 3e0, \"width\": 2, \"height\": 3,"
               " \"author\": { \"name\": [\"\\u00e9\\n\", null, false, -1.5E+3] } }");
    support_ok(ctx, open_file(land, "scale.r16"));
    assert_true(rv_terrain_cell(land) == 3.0f && rv_terrain_height(land) == 3);
    assert_true(rv_terrain_field(land, "height")[0] == -10.0f);
    assert_true(rv_terrain_field(land, "height")[1] == 20.5f);
    assert_string_equal(log_text, "");
    rv_open_params p = rv_open_params_default();
    p.file = "scale.r16";
    p.low = 1.0f;
    p.high = 2.0f;
    p.cell = 4.0f;
    p.width = 6;
    support_ok(ctx, rv_step_run(land, RV_STEP_open, &p, NULL));
    assert_true(rv_terrain_cell(land) == 4.0f);
    assert_int_equal(rv_terrain_width(land), 6);
    assert_int_equal(rv_terrain_height(land), 1);
    assert_true(rv_terrain_field(land, "height")[1] == 2.0f);
    p.width = 5;
    assert_int_equal(rv_step_run(land, RV_STEP_open, &p, NULL), RV_ERROR_INPUT);
    p.width = RV_AUTO_INT;
    p.low = 2.0f;
    assert_int_equal(rv_step_run(land, RV_STEP_open, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "scale.r16: low=2 is not below high=2");
    assert_int_equal(rv_terrain_width(land), 6);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("scale.r16");
}

static void what_is_guessed_is_said(void **state) {
    (void)state;
    rv_context *ctx = listening();
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    write_file("guess.r16", "\0\0\xff\xff\0\0\0\0", 8);
    support_ok(ctx, open_file(land, "guess.r16"));
    assert_true(rv_terrain_cell(land) == 10.0f);
    assert_true(rv_terrain_field(land, "height")[0] == 0.0f);
    assert_true(rv_terrain_field(land, "height")[1] == 1000.0f);
    assert_string_equal(log_text, "guess.r16: no scale is known, so heights run from 0 to 1000 m "
                                  "and cells are 10 m.\n");
    log_text[0] = '\0';
    write_file("guess.r32", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    support_ok(ctx, open_file(land, "guess.r32"));
    assert_string_equal(log_text, "guess.r32: no size of a cell is known, so cells are 10 m.\n");
#ifdef RAVINE_PNG
    log_text[0] = '\0';
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    make_png(b, 4, 4, 8, 0, false);
    write_file("guess.png", b->data, b->size);
    free(b);
    rv_open_params p = rv_open_params_default();
    p.file = "guess.png";
    p.low = 0.0f;
    p.high = 510.0f;
    p.cell = 1.0f;
    support_ok(ctx, rv_step_run(land, RV_STEP_open, &p, NULL));
    assert_string_equal(log_text,
                        "guess.png: 8 bit hold only 256 levels, so the land has steps of 2 m.\n");
    p.width = 5;
    assert_int_equal(rv_step_run(land, RV_STEP_open, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "guess.png is 4 cells wide, not 5");
    remove("guess.png");
#endif
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    remove("guess.r16");
    remove("guess.r32");
}

static void a_plan_reads_only_the_header(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 300, 200, 0.0f, 9.0f);
    static const char *const files[] = {"plan.r16", "plan.r32", "plan.npy",
#ifdef RAVINE_PNG
                                        "plan.png"
#endif
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        support_ok(ctx, save(land, files[i]));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    ctx = listening();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        rv_terrain planned = {.ctx = ctx, .width = 2, .height = 2, .cell = 1.0f, .planned = true};
        rvi_job job = {.ctx = ctx, .land = &planned, .planning = true};
        rv_open_params p = rv_open_params_default();
        p.file = files[i];
        support_ok(ctx, rvi_step_open(&job, &p));
        assert_int_equal(planned.width, 300);
        assert_int_equal(planned.height, 200);
        assert_true(planned.cell == 7.3f);
        assert_null(planned.surface);
        forget(files[i]);
    }
    assert_true(rv_context_memory_peak(ctx) < 300 * 200 * sizeof(float));
    assert_string_equal(log_text, "");
    rv_context_destroy(ctx);
}

/* ---- Saving ---- */

static void the_line_of_save_names_all(void **state) {
    (void)state;
    rv_context *ctx = listening();
    rv_terrain *land = rough_land(ctx, 5, 4, 0.0f, 131.07f);
    char hash[32];
    snprintf(hash, sizeof hash, "land %016llx\n", (unsigned long long)rv_terrain_hash(land));
    support_ok(ctx, save(land, "line.r16"));
    assert_logged("line.r16: 5 x 4 cells, 16 bit, one level is 0.002 m, land ");
    assert_logged(hash);
    log_text[0] = '\0';
    support_ok(ctx, save(land, "line.npy"));
    assert_logged("line.npy: 5 x 4 cells, float32 metres, land ");
    float flow[20] = {0};
    flow[7] = 3.0f;
    support_ok(ctx, rv_terrain_field_set(land, "flow", flow));
    rv_save_params p = rv_save_params_default();
    p.file = "line.r16";
    p.field = "flow";
    p.high = 2.0f;
    log_text[0] = '\0';
    support_ok(ctx, rv_step_run(land, RV_STEP_save, &p, NULL));
    assert_logged("line.r16: flow, 5 x 4 cells, 16 bit, one level is 3.05e-05, 1 cells cut to "
                  "0 ... 2, land ");
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    read_file("line.r16", b);
    assert_memory_equal(b->data + 12, "\0\0\xff\xff\0\0", 6);
    free(b);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("line.r16");
    forget("line.npy");
}

static void wrong_wishes_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 5, 4, 0.0f, 10.0f);
    float zero[20] = {0};
    support_ok(ctx, rv_terrain_field_set(land, "flow", zero));
    support_ok(ctx, rv_terrain_field_set(land, "eroded", zero));
    rv_save_params p = rv_save_params_default();
    p.file = "wish.r16";
    p.field = "flown";
    assert_int_equal(rv_step_run(land, RV_STEP_save, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "no field \"flown\" to save; there is height, eroded, flow");
    p.field = "height";
    p.file = "wish.tiff";
    assert_int_equal(rv_step_run(land, RV_STEP_save, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "wish.tiff: the name must end in ");
    assert_says(ctx, ".r16, .r32 or .npy");
    p.file = "wish.r16";
    p.low = 5.0f;
    p.high = 5.0f;
    assert_int_equal(rv_step_run(land, RV_STEP_save, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "wish.r16: low=5 is not below high=5");
    p.low = 11.0f;
    p.high = RV_AUTO;
    assert_int_equal(rv_step_run(land, RV_STEP_save, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "low=11 is not below high=10");
    assert_false(exists("wish.r16") || exists("wish.r16.ravine.json"));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- When memory, disk or patience run out ---- */

/* Calls save or open with the n-th allocation failing, for every n until none fails. */
static void try_every_allocation(const char *file, bool opening) {
    support_memory memory = {.left = -1};
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.allocator = support_allocator(&memory);
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_terrain *land = rough_land(ctx, 9, 8, 0.0f, 1.0f);
    if (opening)
        support_ok(ctx, save(land, file));
    uint64_t hash = rv_terrain_hash(land);
    rv_status status = RV_ERROR_MEMORY;
    long n = 0;
    for (; status != RV_OK; n++) {
        long held = memory.held;
        memory.left = n;
        status = opening ? open_file(land, file) : save(land, file);
        memory.left = -1;
        if (status == RV_OK)
            break;
        assert_int_equal(status, RV_ERROR_MEMORY);
        assert_true(rv_context_error(ctx)[0] != '\0');
        assert_int_equal(memory.held, held);
        assert_true(rv_terrain_hash(land) == hash);
        if (!opening) {
            char sidecar[64];
            snprintf(sidecar, sizeof sidecar, "%s.ravine.json", file);
            assert_false(exists(file) || exists(sidecar));
        }
        assert_true(n < 1000);
    }
    assert_true(n > 2);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    assert_int_equal(memory.held, 0);
    forget(file);
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    static const char *const files[] = {"fail.r16", "fail.r32", "fail.npy",
#ifdef RAVINE_PNG
                                        "fail.png"
#endif
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        try_every_allocation(files[i], false);
        try_every_allocation(files[i], true);
    }
}

static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *old = rough_land(ctx, 9, 8, 0.0f, 1.0f);
    rv_terrain *new = rough_land(ctx, 200, 200, 0.0f, 1.0f);
    static const char *const files[] = {"disk.r16", "disk.r32", "disk.npy",
#ifdef RAVINE_PNG
                                        "disk.png"
#endif
    };
    struct rlimit before, little;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (int there = 0; there < 2; there++) {
            uint64_t hash = rv_terrain_hash(old);
            if (there)
                support_ok(ctx, save(old, files[i]));
            little = before;
            little.rlim_cur = 10000;
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
            rv_status status = save(new, files[i]);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
            assert_int_equal(status, RV_ERROR_OUTPUT);
            assert_says(ctx, files[i]);
            char sidecar[64];
            snprintf(sidecar, sizeof sidecar, "%s.ravine.json", files[i]);
            assert_int_equal(exists(files[i]), there);
            assert_int_equal(exists(sidecar), there);
            if (there && strstr(files[i], ".r32") != NULL) {
                support_ok(ctx, open_file(old, files[i]));
                assert_true(rv_terrain_hash(old) == hash);
            }
            forget(files[i]);
        }
    signal(SIGXFSZ, SIG_DFL);
    rv_terrain_destroy(old);
    rv_terrain_destroy(new);
    rv_context_destroy(ctx);
}

/* Room for the heights, but not for the sidecar: neither is left new. */
static void a_sidecar_without_room_leaves_the_old_file(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 9, 8, 0.0f, 1.0f);
    struct rlimit before, little;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = before;
    little.rlim_cur = 200;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    rv_status status = save(land, "room.r16");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, RV_ERROR_OUTPUT);
    assert_says(ctx, "room.r16.ravine.json");
    assert_false(exists("room.r16") || exists("room.r16.ravine.json"));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static int answers_left;

static bool stop_when_none_left(void *user, const rv_progress *now) {
    (void)user;
    (void)now;
    return answers_left-- > 0;
}

static void a_stop_leaves_nothing(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.progress = stop_when_none_left;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    answers_left = 1000000;
    rv_terrain *land = rough_land(ctx, 64, 64, 0.0f, 1.0f);
    support_ok(ctx, save(land, "kept.npy"));
    uint64_t hash = rv_terrain_hash(land);
    answers_left = 0;
    assert_int_equal(open_file(land, "kept.npy"), RV_CANCELLED);
    answers_left = 0;
    assert_int_equal(save(land, "stop.r16"), RV_CANCELLED);
    assert_false(exists("stop.r16") || exists("stop.r16.ravine.json"));
    answers_left = 1000000;
    assert_true(rv_terrain_hash(land) == hash);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("kept.npy");
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
        cmocka_unit_test(the_sidecar_says_all),
        cmocka_unit_test(any_float_survives_the_sidecar),
#ifdef RAVINE_PNG
        cmocka_unit_test(png_is_grey_levels_and_nothing_else),
        cmocka_unit_test(pictures_are_written_as_they_are),
        cmocka_unit_test(png_of_every_kind_is_read),
        cmocka_unit_test(cut_and_bent_pngs_are_refused),
#endif
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(bad_arrays_are_refused),
        cmocka_unit_test(bad_sidecars_are_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(more_than_memory_is_refused),
        cmocka_unit_test(the_users_word_goes_first),
        cmocka_unit_test(what_is_guessed_is_said),
        cmocka_unit_test(a_plan_reads_only_the_header),
        cmocka_unit_test(the_line_of_save_names_all),
        cmocka_unit_test(wrong_wishes_are_refused),
        cmocka_unit_test(no_allocation_is_taken_for_granted),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(a_sidecar_without_room_leaves_the_old_file),
        cmocka_unit_test(a_stop_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
