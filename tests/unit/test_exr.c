/* EXR: what is written comes back to the bit, what other programs wrote is read as they meant it,
 * and what is damaged or no heightmap is refused in a sentence. Without OpenEXR, what is said then.
 */
#include "format_files.h"

#include "base/context.h"
#include "base/random.h"
#include "formats/exr.h"

#include <math.h>

/* ---- A file byte by byte, not packed ---- */

typedef struct exr_channel {
    const char *name;
    int type; /* 0: uint, 1: half, 2: float */
    int sampling;
} exr_channel;

typedef struct exr_file {
    int left, top, width, height;
    int version, compression;
    exr_channel channels[4];
    int count;
} exr_file;

static void put_attribute(blob *b, const char *name, const char *type, size_t size) {
    put(b, name, strlen(name) + 1);
    put(b, type, strlen(type) + 1);
    put_number(b, size, 4, false);
}

static void put_box(blob *b, const char *name, const exr_file *f) {
    put_attribute(b, name, "box2i", 16);
    put_number(b, (uint32_t)f->left, 4, false);
    put_number(b, (uint32_t)f->top, 4, false);
    put_number(b, (uint32_t)(f->left + f->width - 1), 4, false);
    put_number(b, (uint32_t)(f->top + f->height - 1), 4, false);
}

static void put_channels(blob *b, const exr_file *f) {
    size_t size = 1;
    for (int i = 0; i < f->count; i++)
        size += strlen(f->channels[i].name) + 1 + 16;
    put_attribute(b, "channels", "chlist", size);
    for (int i = 0; i < f->count; i++) {
        put(b, f->channels[i].name, strlen(f->channels[i].name) + 1);
        put_number(b, (uint64_t)f->channels[i].type, 4, false);
        put_number(b, 0, 4, false);
        put_number(b, (uint64_t)f->channels[i].sampling, 4, false);
        put_number(b, (uint64_t)f->channels[i].sampling, 4, false);
    }
    put_byte(b, 0);
}

static void put_head(blob *b, const exr_file *f) {
    b->size = 0;
    put_number(b, 20000630, 4, false);
    put_number(b, (uint64_t)f->version, 4, false);
    put_channels(b, f);
    put_attribute(b, "compression", "compression", 1);
    put_byte(b, (unsigned)f->compression);
    put_box(b, "dataWindow", f);
    put_box(b, "displayWindow", f);
    put_attribute(b, "lineOrder", "lineOrder", 1);
    put_byte(b, 0);
    put_attribute(b, "pixelAspectRatio", "float", 4);
    put_float(b, 1.0f, false);
    put_attribute(b, "screenWindowCenter", "v2f", 8);
    put_number(b, 0, 8, false);
    put_attribute(b, "screenWindowWidth", "float", 4);
    put_float(b, 1.0f, false);
    put_byte(b, 0);
}

/* bits(channel, cell): what the value is, as the file holds it. */
static void put_exr(blob *b, const exr_file *f, uint32_t (*bits)(int channel, int cell)) {
    put_head(b, f);
    size_t line = 0;
    for (int i = 0; i < f->count; i++)
        line += (size_t)f->width * (f->channels[i].type == 1 ? 2 : 4);
    size_t first = b->size + 8 * (size_t)f->height;
    for (int y = 0; y < f->height; y++)
        put_number(b, first + (size_t)y * (8 + line), 8, false);
    for (int y = 0; y < f->height; y++) {
        put_number(b, (uint32_t)(f->top + y), 4, false);
        put_number(b, line, 4, false);
        for (int i = 0; i < f->count; i++)
            for (int x = 0; x < f->width; x++)
                put_number(b, bits(i, y * f->width + x), f->channels[i].type == 1 ? 2 : 4, false);
    }
}

static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static exr_file one_channel(const char *name, int type, int width, int height) {
    return (exr_file){
        .width = width, .height = height, .version = 2, .channels = {{name, type, 1}}, .count = 1};
}

static rv_status decode(rv_context *ctx, const blob *b, bool holes, rvi_image *out) {
    *out = (rvi_image){0};
    rvi_source source = {
        .name = "x.exr", .data = b->data, .size = b->size, .total = b->size, .holes = holes};
    return rvi_format_exr.decode(ctx, &source, out);
}

static bool is_there(void) {
    if (!rvi_exr_there())
        printf("OpenEXR is not here: EXR is tested as far as it is refused.\n");
    return rvi_exr_there();
}

/* ---- Round trips ---- */

static void floats_come_back_to_the_bit(void **state) {
    (void)state;
    static const float odd[6] = {-0.0f, 1e-42f, -8848.86f, 0.1f, 16777217.0f, 3.4e-10f};
    static const int sizes[][2] = {{2, 1}, {1, 2}, {1, 40}, {17, 16}, {33, 17}, {200, 100}};
    if (!is_there())
        return;
    rv_context *ctx = support_context(1);
    rv_terrain *again = support_land(ctx, 5, 5, 1.0f);
    rv_terrain *land = support_land(ctx, 2, 3, 0.7f);
    support_ok(ctx, rv_terrain_field_set(land, "height", odd));
    support_ok(ctx, save(land, "a.exr"));
    support_ok(ctx, open_file(again, "a.exr"));
    assert_memory_equal(rv_terrain_field(again, "height"), odd, sizeof odd);
    assert_equal(rv_terrain_hash(land), rv_terrain_hash(again));
    rv_terrain_destroy(land);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        land = rough_land(ctx, sizes[i][0], sizes[i][1], -400.0f, 8000.0f);
        support_ok(ctx, save(land, "A.EXR"));
        support_ok(ctx, open_file(again, "A.EXR"));
        assert_equal(rv_terrain_hash(land), rv_terrain_hash(again));
        rv_terrain_destroy(land);
    }
    rv_terrain_destroy(again);
    rv_context_destroy(ctx);
    forget("a.exr");
    forget("A.EXR");
}

/* What cannot be packed is written as it is, and so is what is packed to the very same length: with
 * some cells alike the length passes that of the heights byte by byte. */
static void packed_to_its_own_length_it_comes_back(void **state) {
    (void)state;
    enum { ALIKE = 40, ROWS = 16 };
    float heights[46 * ROWS];
    if (!is_there())
        return;
    rv_context *ctx = support_context(1);
    rv_terrain *again = support_land(ctx, 5, 5, 1.0f);
    for (int width = 40; width < 46; width++) {
        rv_terrain *land = support_land(ctx, width, ROWS, 1.0f);
        for (int alike = 0; alike < ALIKE; alike++) {
            for (int i = 0; i < width * ROWS; i++) {
                uint64_t bits = rvi_random(5, (uint64_t)i, (uint64_t)width);
                heights[i] = i < alike ? 1.0f : (float)(bits >> 40) / 4096.0f;
            }
            support_ok(ctx, rv_terrain_field_set(land, "height", heights));
            support_ok(ctx, save(land, "a.exr"));
            support_ok(ctx, open_file(again, "a.exr"));
            assert_equal(rv_terrain_hash(land), rv_terrain_hash(again));
        }
        rv_terrain_destroy(land);
    }
    rv_terrain_destroy(again);
    rv_context_destroy(ctx);
    forget("a.exr");
}

static void every_field_can_be_saved(void **state) {
    (void)state;
    if (!is_there())
        return;
    rv_context *ctx = listening();
    rv_terrain *land = rough_land(ctx, 9, 8, 0.0f, 10.0f), *again = support_land(ctx, 5, 5, 1.0f);
    float flow[72];
    for (int i = 0; i < 72; i++)
        flow[i] = (float)i * 0.37f;
    support_ok(ctx, rv_terrain_field_set(land, "flow", flow));
    rv_save_params p = rv_save_params_default();
    p.file = "flow.exr";
    p.field = "flow";
    support_ok(ctx, rv_step_run(land, RV_STEP_save, &p, NULL));
    assert_logged("flow.exr: flow, 9 x 8 cells, float32, hash ");
    support_ok(ctx, open_file(again, "flow.exr"));
    assert_memory_equal(rv_terrain_field(again, "height"), flow, sizeof flow);
    p.low = 0.0f;
    p.curve = RV_save_curve_log;
    assert_int_equal(rv_step_run(land, RV_STEP_save, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "flow.exr: curve=log is for levels; a .exr holds the values themselves");
    rv_terrain_destroy(again);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("flow.exr");
}

/* ---- Files of other programs ---- */

/* All of tests/fuzz/corpus/exr hold this, uints the whole number alone. */
static float drawn(int x, int y, bool whole) {
    float value = (float)((x * 7 + y * y) % 211);
    return whole ? value : value * 0.5f - 20.0f;
}

static const struct {
    const char *name;
    int width, height;
} foreign[] = {{"none_half", 19, 35},    {"rle_uint_tiled", 19, 35},  {"zips_half", 19, 35},
               {"zip_half_rgb", 19, 35}, {"zip_float_tiled", 19, 35}, {"piz_uint", 19, 35},
               {"blender", 6, 5}};
enum { FOREIGN = sizeof foreign / sizeof foreign[0] };

static void read_foreign(size_t i, blob *out) {
    char path[512];
    snprintf(path, sizeof path, RAVINE_SOURCE_DIR "/tests/fuzz/corpus/exr/%s.exr", foreign[i].name);
    read_file(path, out);
}

static void every_packing_is_read(void **state) {
    (void)state;
    if (!is_there())
        return;
    rv_context *ctx = support_context(1);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    for (size_t i = 0; i < FOREIGN; i++) {
        rvi_image image;
        read_foreign(i, b);
        support_ok(ctx, decode(ctx, b, false, &image));
        assert_int_equal(image.width, foreign[i].width);
        assert_int_equal(image.height, foreign[i].height);
        bool whole = strstr(foreign[i].name, "uint") != NULL;
        for (int y = 0; y < image.height; y++)
            for (int x = 0; x < image.width; x++)
                if (image.values[y * image.width + x] != drawn(x, y, whole))
                    fail_msg("%s: %g at row %d, column %d", foreign[i].name,
                             (double)image.values[y * image.width + x], y, x);
        rvi_free(ctx, image.values);
    }
    free(b);
    rv_context_destroy(ctx);
}

static uint32_t cell_number(int channel, int cell) {
    (void)channel;
    return (uint32_t)cell;
}

/* The value of a half, by its definition. */
static double half(unsigned bits) {
    int exponent = bits >> 10 & 31;
    double fraction = (double)(bits & 1023) / 1024.0;
    double size = exponent == 0 ? ldexp(fraction, -14) : ldexp(1.0 + fraction, exponent - 15);
    return bits & 0x8000 ? -size : size;
}

static void every_half_is_what_it_says(void **state) {
    (void)state;
    if (!is_there())
        return;
    rv_context *ctx = support_context(1);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    exr_file f = one_channel("Z", 1, 256, 256);
    rvi_image image;
    put_exr(b, &f, cell_number);
    assert_int_equal(decode(ctx, b, true, &image), RV_ERROR_INPUT);
    assert_says(ctx, "x.exr: the value at row 124, column 0 (counted from 0) is infinite");
    f.height = 124; /* up to the first that is infinite, 0x7c00 */
    put_exr(b, &f, cell_number);
    support_ok(ctx, decode(ctx, b, false, &image));
    for (unsigned i = 0; i < 0x7c00; i++)
        assert_equal((double)image.values[i], half(i));
    rvi_free(ctx, image.values);
    free(b);
    rv_context_destroy(ctx);
}

static uint32_t odd_halves(int channel, int cell) {
    static const uint32_t bits[] = {0x8000, 0x8001, 0x83ff, 0xfbff, 0x7e00, 0x3c00};
    (void)channel;
    return bits[cell];
}

static void missing_heights_are_refused_or_holes(void **state) {
    (void)state;
    if (!is_there())
        return;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 4, 4, 1.0f);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    exr_file f = one_channel("only", 1, 3, 2);
    put_exr(b, &f, odd_halves);
    write_file("nan.exr", b->data, b->size);
    assert_int_equal(open_file(land, "nan.exr"), RV_ERROR_INPUT);
    assert_says(ctx, "nan.exr: the value at row 1, column 1 (counted from 0) is not a number");
    rv_open_params p = rv_open_params_default();
    p.file = "nan.exr";
    p.holes = RV_open_holes_keep;
    support_ok(ctx, rv_step_run(land, RV_STEP_open, &p, NULL));
    const float *height = rv_terrain_field(land, "height"), *hole = rv_terrain_field(land, "hole");
    assert_non_null(hole);
    for (int i = 0; i < 6; i++) {
        assert_equal(hole[i], i == 4 ? 1.0f : 0.0f);
        if (i != 4)
            assert_equal((double)height[i], half(odd_halves(0, i)));
    }
    free(b);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("nan.exr");
}

static uint32_t channel_numbers(int channel, int cell) {
    return float_bits((float)(100 * channel + cell));
}

/* The channel that is read, by its place in the file; -1: none. */
static void chooses(rv_context *ctx, blob *b, const char *names, int expected) {
    exr_file f = {.left = -3, .top = 5, .width = 3, .height = 4, .version = 2};
    char list[8][2] = {{0}};
    for (int i = 0; names[i] != '\0'; i++) {
        list[i][0] = names[i];
        f.channels[f.count++] = (exr_channel){list[i], 2, 1};
    }
    put_exr(b, &f, channel_numbers);
    rvi_image image;
    rv_status status = decode(ctx, b, false, &image);
    if (expected < 0) {
        assert_int_equal(status, RV_ERROR_INPUT);
        assert_says(ctx, "and none is called Y, R or Z");
        return;
    }
    support_ok(ctx, status);
    assert_int_equal(image.width, 3);
    assert_int_equal(image.height, 4);
    for (int i = 0; i < 12; i++)
        assert_equal(image.values[i], (float)(100 * expected + i));
    rvi_free(ctx, image.values);
}

static void the_channel_of_heights_is_found(void **state) {
    (void)state;
    if (!is_there())
        return;
    rv_context *ctx = support_context(1);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    chooses(ctx, b, "Q", 0);
    chooses(ctx, b, "ABY", 2);
    chooses(ctx, b, "BGR", 2);
    chooses(ctx, b, "ABGR", 3);
    chooses(ctx, b, "RY", 1);
    chooses(ctx, b, "RZ", 0);
    chooses(ctx, b, "AZ", 1);
    chooses(ctx, b, "AB", -1);
    free(b);
    rv_context_destroy(ctx);
}

/* ---- What is refused ---- */

static void refuses(rv_context *ctx, const blob *b, const char *words) {
    rvi_image image;
    rv_status status = decode(ctx, b, false, &image);
    if (status != RV_ERROR_INPUT)
        fail_msg("%s instead of \"%s\"", rv_status_text(status), words);
    assert_says(ctx, words);
    assert_says(ctx, "x.exr");
}

static void what_is_no_heightmap_is_refused(void **state) {
    (void)state;
    if (!is_there())
        return;
    rv_context *ctx = support_context(1);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    exr_file f = one_channel("Y", 2, 3, 4);
    b->size = 0;
    put(b, "\x89PNG\r\n\x1a\n", 8);
    refuses(ctx, b, "x.exr is not an OpenEXR picture; it looks like a PNG picture");
    b->size = 0;
    refuses(ctx, b, "x.exr is empty");
    for (int packing = 5; packing < 12; packing++) {
        f.compression = packing;
        put_exr(b, &f, channel_numbers);
        refuses(ctx, b, packing < 10 ? ", which changes heights" : "x.exr");
    }
    f = one_channel("Y", 2, 4, 4);
    f.channels[f.count++] = (exr_channel){"Z", 2, 2};
    put_exr(b, &f, channel_numbers);
    refuses(ctx, b, "some channels have a value for some cells only");
    f = one_channel("Y", 2, 1, 1);
    put_exr(b, &f, channel_numbers);
    refuses(ctx, b, "a single cell");
    f = one_channel("Y", 2, 3, 4);
    f.version = 2 | 0x800; /* deep */
    put_exr(b, &f, channel_numbers);
    refuses(ctx, b, "x.exr");
    free(b);
    rv_context_destroy(ctx);
}

static void huge_sizes_are_refused_before_they_are_allocated(void **state) {
    (void)state;
    static const int sizes[][2] = {{65536, 65536}, {65537, 2}, {2, 65537}, {1 << 30, 1 << 30}};
    if (!is_there())
        return;
    support_memory memory = {.left = -1};
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.allocator = support_allocator(&memory);
    desc.memory_limit = 1 << 24;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    size_t before = rv_context_memory_peak(ctx);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int packing = 0; packing <= 4; packing++) {
            exr_file f = one_channel("Y", 2, sizes[i][0], sizes[i][1]);
            f.compression = packing;
            put_head(b, &f);
            put_number(b, 0, 8, false);
            refuses(ctx, b, "x.exr");
        }
    assert_less(rv_context_memory_peak(ctx) - before, 4096);
    free(b);
    rv_context_destroy(ctx);
}

static void more_than_memory_is_refused(void **state) {
    (void)state;
    if (!is_there())
        return;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.memory_limit = 1 << 20;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    exr_file f = one_channel("Y", 2, 600, 600);
    rvi_image image;
    f.compression = 3;
    put_head(b, &f);
    memset(b->data + b->size, 0, 8192);
    b->size += 8192;
    assert_int_equal(decode(ctx, b, false, &image), RV_ERROR_MEMORY);
    assert_says(ctx, "the 600 x 600 cells of x.exr");
    free(b);
    rv_context_destroy(ctx);
}

/* ---- Damaged ---- */

/* A sentence, or other heights: never a crash, and nothing is left in memory. */
static void try_damaged(rv_context *ctx, support_memory *memory, const blob *b) {
    long held = memory->held;
    rvi_image image;
    rv_status status = decode(ctx, b, false, &image);
    if (status == RV_OK)
        rvi_free(ctx, image.values);
    else
        assert_says(ctx, "x.exr");
    assert_int_equal(memory->held, held);
}

static void files_that_are_cut_off_are_refused(void **state) {
    (void)state;
    if (!is_there())
        return;
    rv_context *ctx = support_context(1);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    for (size_t i = 0; i < FOREIGN; i++) {
        read_foreign(i, b);
        size_t whole = b->size, step = support_short() ? 7 : 1;
        for (size_t size = 1; size < whole; size += step) {
            unsigned char *exact = malloc(size); /* so that reading on is seen */
            assert_non_null(exact);
            memcpy(exact, b->data, size);
            rvi_source source = {.name = "x.exr", .data = exact, .size = size, .total = size};
            rvi_image image = {0};
            assert_int_equal(rvi_format_exr.decode(ctx, &source, &image), RV_ERROR_INPUT);
            assert_says(ctx, "x.exr");
            free(exact);
        }
    }
    free(b);
    rv_context_destroy(ctx);
}

static void changed_bytes_never_end_in_a_crash(void **state) {
    (void)state;
    if (!is_there())
        return;
    support_memory memory = {.left = -1};
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.allocator = support_allocator(&memory);
    desc.memory_limit = 64 << 20;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    uint32_t random = 20000630;
    for (size_t i = 0; i < FOREIGN; i++) {
        read_foreign(i, b);
        for (int k = 0; k < (support_short() ? 200 : 2000); k++) {
            size_t at[4], count = 1 + (size_t)k % 4;
            unsigned char was[4];
            for (size_t j = 0; j < count; j++) {
                random = random * 1664525u + 1013904223u;
                at[j] = (random >> 8) % (k % 3 == 0 ? 400 : b->size);
                was[j] = b->data[at[j]];
                b->data[at[j]] ^= (unsigned char)(random >> 24 | 1);
            }
            try_damaged(ctx, &memory, b);
            for (size_t j = count; j-- > 0;)
                b->data[at[j]] = was[j];
        }
    }
    free(b);
    rv_context_destroy(ctx);
    assert_int_equal(memory.held, 0);
}

/* ---- Without OpenEXR ---- */

static void without_openexr_it_is_said(void **state) {
    (void)state;
    if (rvi_exr_there())
        return;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 9, 8, 0.0f, 10.0f);
    write_text("x.exr", "v/1\x01 and so on");
    assert_int_equal(open_file(land, "x.exr"), RV_ERROR_INPUT);
    assert_says(ctx, "EXR");
    remove("x.exr");
    assert_int_equal(save(land, "x.exr"), RV_ERROR_USAGE);
    assert_says(ctx, "x.exr: ");
    assert_false(exists("x.exr"));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_come_back_to_the_bit),
        cmocka_unit_test(packed_to_its_own_length_it_comes_back),
        cmocka_unit_test(every_field_can_be_saved),
        cmocka_unit_test(every_packing_is_read),
        cmocka_unit_test(every_half_is_what_it_says),
        cmocka_unit_test(missing_heights_are_refused_or_holes),
        cmocka_unit_test(the_channel_of_heights_is_found),
        cmocka_unit_test(what_is_no_heightmap_is_refused),
        cmocka_unit_test(huge_sizes_are_refused_before_they_are_allocated),
        cmocka_unit_test(more_than_memory_is_refused),
        cmocka_unit_test(files_that_are_cut_off_are_refused),
        cmocka_unit_test(changed_bytes_never_end_in_a_crash),
        cmocka_unit_test(without_openexr_it_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
