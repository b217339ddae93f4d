/* PNG, by a reader and a writer that share nothing with libpng. */
#include "format_files.h"

#ifdef RAVINE_PNG

#include "base/context.h"
#include "base/random.h"
#include "formats/format.h"

#include <math.h>

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
            assert_less(row[-1], 5);
            row[x] = (unsigned char)(row[x] + guess[row[-1]]);
        }
    }
}

/* Reads a PNG that is not interlaced: checks the chunks, gives unfiltered rows after their filter
 * bytes. */
static void read_png(const char *path, uint32_t width, uint32_t height, int bits, int colour,
                     blob *out) {
    blob *file = malloc(sizeof *file), *packed = malloc(sizeof *packed);
    assert_non_null(file);
    assert_non_null(packed);
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
    size_t pixel = (size_t)bits / 8 * (colour == 6 ? 4 : colour == 2 ? 3 : 1);
    uLongf unpacked = BYTES_MOST;
    assert_int_equal(uncompress(out->data, &unpacked, packed->data, (uLong)packed->size), Z_OK);
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
                assert_less_equal(fabs(level - exact), 0.5 + 1e-9);
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

/* Kinds of pictures that are packed differently: noise, one colour, slopes, patterns, all of them.
 */
static unsigned char picture_byte(int kind, size_t i, size_t row) {
    unsigned char noise = (unsigned char)(rvi_random(5, 9, i) >> 32);
    switch (kind) {
    case 0:
        return noise;
    case 1:
        return 77;
    case 2:
        return (unsigned char)(i / row + i % row);
    case 3:
        return (unsigned char)("a pattern that comes again and again"[i % 31] + (noise == 0));
    default:
        return picture_byte((int)(i / 30000 % 4), i, row);
    }
}

static void assert_same_picture(const unsigned char *pixels, int width, int height, int channels,
                                const blob *file, int threads, size_t limit) {
    const rv_context_desc desc = {.threads = threads, .memory_limit = limit};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    support_ok(ctx, rvi_png_write_picture(ctx, "again.png", width, height, channels, pixels));
    blob *again = malloc(sizeof *again);
    assert_non_null(again);
    read_file("again.png", again);
    assert_int_equal(again->size, file->size);
    assert_memory_equal(again->data, file->data, file->size);
    free(again);
    rv_context_destroy(ctx);
    remove("again.png");
}

/* They are cut into blocks of rows, which threads pack side by side: into the same bytes however
 * many there are, and where memory is for one block alone. */
static void large_pictures_are_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    static const int sizes[][3] = {{1, 1, 3},     {1, 90000, 1}, {300000, 1, 3}, {100001, 5, 1},
                                   {32767, 9, 1}, {500, 401, 4}, {640, 480, 3},  {65535, 4, 1},
                                   {65536, 4, 1}, {1023, 64, 1}, {1023, 65, 1}};
    blob *b = malloc(sizeof *b), *file = malloc(sizeof *file);
    unsigned char *pixels = malloc(BYTES_MOST);
    assert_true(b && file && pixels);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int kind = support_short() ? 4 : 0; kind < 5; kind++) {
            rv_context *ctx = support_context(1);
            int width = sizes[s][0], height = sizes[s][1], channels = sizes[s][2];
            size_t row = (size_t)width * (size_t)channels;
            for (size_t i = 0; i < row * (size_t)height; i++)
                pixels[i] = picture_byte(kind, i, row);
            support_ok(ctx,
                       rvi_png_write_picture(ctx, "large.png", width, height, channels, pixels));
            read_file("large.png", file);
            read_png("large.png", (uint32_t)width, (uint32_t)height, 8,
                     channels == 4   ? 6
                     : channels == 3 ? 2
                                     : 0,
                     b);
            for (size_t y = 0; y < (size_t)height; y++)
                assert_memory_equal(b->data + y * (row + 1) + 1, pixels + y * row, row);
            assert_same_picture(pixels, width, height, channels, file, 2, 0);
            assert_same_picture(pixels, width, height, channels, file, 7, 0);
            assert_same_picture(pixels, width, height, channels, file, 4,
                                rv_context_memory_peak(ctx) + (1 << 17));
            rv_context_destroy(ctx);
        }
    free(pixels);
    free(file);
    free(b);
    remove("large.png");
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
                        assert_near(level, (double)lrint(level), 0.01);
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
    assert_non_null(b);
    assert_non_null(bent);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_is_grey_levels_and_nothing_else),
        cmocka_unit_test(pictures_are_written_as_they_are),
        cmocka_unit_test(large_pictures_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(png_of_every_kind_is_read),
        cmocka_unit_test(cut_and_bent_pngs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 0; /* there is no PNG in this build */
}

#endif
