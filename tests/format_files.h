/* format_files.h: what the tests of file formats share: files byte by byte, land to save, and what
 * was said about it. */
#ifndef TESTS_FORMAT_FILES_H
#define TESTS_FORMAT_FILES_H

#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#ifdef RAVINE_PNG
#include <zlib.h>
#endif

enum { BYTES_MOST = 1 << 20 };

typedef struct blob {
    size_t size;
    unsigned char data[BYTES_MOST];
} blob;

static char log_text[4096];

static inline void keep_log(void *user, const char *line) {
    (void)user;
    size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%s\n", line);
}

static inline rv_context *listening(void) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.log = keep_log;
    rv_context *ctx;
    log_text[0] = '\0';
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    return ctx;
}

static inline void write_file(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text) {
    write_file(path, text, strlen(text));
}

static inline void read_file(const char *path, blob *out) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    out->size = fread(out->data, 1, sizeof out->data, file);
    assert_int_equal(fclose(file), 0);
}

static inline bool exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

static inline void forget(const char *path) {
    char sidecar[128];
    snprintf(sidecar, sizeof sidecar, "%s.ravine.json", path);
    remove(path);
    remove(sidecar);
}

static inline void put(blob *b, const void *data, size_t size) {
    assert_less_equal(b->size + size, BYTES_MOST);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static inline void put_byte(blob *b, unsigned value) {
    unsigned char byte = (unsigned char)value;
    put(b, &byte, 1);
}

/* `bytes` of a number, least significant first or last. */
static inline void put_number(blob *b, uint64_t value, int bytes, bool big) {
    for (int i = 0; i < bytes; i++)
        put_byte(b, (unsigned)(value >> (8 * (big ? bytes - 1 - i : i))) & 255);
}

static inline void put_float(blob *b, float value, bool big) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(b, bits, 4, big);
}

/* Heights without any order, from `low` to `high`, both of which occur. */
static inline rv_terrain *rough_land(rv_context *ctx, int width, int height, float low,
                                     float high) {
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

static inline rv_status save(rv_terrain *land, const char *file) {
    rv_save_params p = rv_save_params_default();
    p.file = file;
    return rv_step_run(land, RV_STEP_save, &p, NULL);
}

static inline rv_status open_file(rv_terrain *land, const char *file) {
    rv_open_params p = rv_open_params_default();
    p.file = file;
    return rv_step_run(land, RV_STEP_open, &p, NULL);
}

static inline void assert_says(const rv_context *ctx, const char *words) {
    const char *sentence = rv_context_error(ctx);
    if (strstr(sentence, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", sentence, words);
    assert_null(strchr(sentence, '\n'));
}

static inline void assert_logged(const char *words) {
    if (strstr(log_text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", log_text, words);
}

/* The start of a .npy, up to its values. */
static inline void put_npy(blob *b, int version, const char *dictionary) {
    b->size = 0;
    put(b, "\x93NUMPY", 6);
    put_byte(b, (unsigned)version);
    put_byte(b, 0);
    put_number(b, strlen(dictionary) + 1, version == 1 ? 2 : 4, false);
    put(b, dictionary, strlen(dictionary));
    put_byte(b, '\n');
}

/* ---- PNG, by a writer that shares nothing with libpng ---- */

#ifdef RAVINE_PNG

static inline void put_chunk(blob *b, const char *name, const void *data, size_t size) {
    put_number(b, size, 4, true);
    size_t start = b->size;
    put(b, name, 4);
    put(b, data, size);
    put_number(b, crc32(0, b->data + start, (uInt)(b->size - start)), 4, true);
}

static inline void put_header(blob *b, uint32_t width, uint32_t height, int bits, int colour,
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
static inline unsigned sample_at(unsigned x, unsigned y, unsigned channel, int bits) {
    return (x * 7919 + y * 104729 + channel * 1299709 + x * y * 31) & ((1u << bits) - 1);
}

/* The rows of one pass: every `step`th pixel from `start`. */
static inline void put_pass(blob *raw, unsigned width, unsigned height, int bits, unsigned channels,
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

static inline void make_png(blob *out, unsigned width, unsigned height, int bits, int colour,
                            bool interlaced) {
    static const unsigned adam7_start[7][2] = {{0, 0}, {4, 0}, {0, 4}, {2, 0},
                                               {0, 2}, {1, 0}, {0, 1}};
    static const unsigned adam7_step[7][2] = {{8, 8}, {8, 8}, {4, 8}, {4, 4},
                                              {2, 4}, {2, 2}, {1, 2}};
    static const unsigned channels_of[7] = {1, 0, 3, 1, 2, 0, 4};
    blob *raw = malloc(sizeof *raw), *packed = malloc(sizeof *packed);
    assert_non_null(raw);
    assert_non_null(packed);
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
    assert_int_equal(compress(packed->data, &size, raw->data, (uLong)raw->size), Z_OK);
    put_chunk(out, "gAMA", "\x00\x00\xb1\x8f", 4); /* read as numbers all the same */
    put_chunk(out, "IDAT", packed->data, size / 2);
    put_chunk(out, "IDAT", packed->data + size / 2, size - size / 2);
    put_chunk(out, "IEND", "", 0);
    free(raw);
    free(packed);
}

#endif

#endif
