/* npy.c: arrays of NumPy. Written as float32, version 1.0, C order; read as floats of 4 or 8 bytes
 * and whole numbers of 1 to 8, either byte order, versions 1 to 3, C or Fortran order, two
 * dimensions.
 *
 * Format: NumPy Enhancement Proposal 1. Six magic bytes, two of version, the length of the header
 * (2 bytes in version 1, else 4; little-endian), the header: a Python dictionary with the keys
 * descr, fortran_order and shape, then the array and nothing else. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/text.h"
#include "formats/format.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC_SIZE = 6, HEADER_ALIGN = 64 };

typedef struct header {
    char kind;      /* f, i or u */
    unsigned bytes; /* of one value */
    bool big_endian;
    bool fortran;
    int dimensions;
    uint64_t shape[2]; /* rows, columns */
    size_t start;      /* of the values in the file */
} header;

/* ---- The dictionary ---- */

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_blanks(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

static bool take(cursor *c, char sign) {
    skip_blanks(c);
    if (c->at == c->end || *c->at != sign)
        return false;
    c->at++;
    return true;
}

static bool take_word(cursor *c, const char *word) {
    skip_blanks(c);
    size_t size = strlen(word);
    if ((size_t)(c->end - c->at) < size || memcmp(c->at, word, size) != 0)
        return false;
    c->at += size;
    return true;
}

/* A string in either kind of quotes, without escapes. */
static bool take_string(cursor *c, const char **text, size_t *size) {
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    char quote = *c->at++;
    const char *close = memchr(c->at, quote, (size_t)(c->end - c->at));
    if (close == NULL)
        return false;
    *text = c->at;
    *size = (size_t)(close - c->at);
    c->at = close + 1;
    return true;
}

static bool take_count(cursor *c, uint64_t *out) {
    skip_blanks(c);
    const char *start = c->at;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        c->at++;
    return rvi_text_uint(start, (size_t)(c->at - start), out);
}

static bool take_shape(cursor *c, header *h) {
    h->dimensions = 0;
    if (!take(c, '('))
        return false;
    while (!take(c, ')')) {
        uint64_t count;
        if (!take_count(c, &count))
            return false;
        if (h->dimensions < 2)
            h->shape[h->dimensions] = count;
        h->dimensions++;
        if (!take(c, ','))
            return take(c, ')');
    }
    return true;
}

static bool known_type(const char *type, size_t size, header *h) {
    if (size != 3 || type[2] < '1' || type[2] > '8' || strchr("<>|", type[0]) == NULL)
        return false;
    h->kind = type[1];
    h->bytes = (unsigned)(type[2] - '0');
    h->big_endian = type[0] == '>';
    if (type[0] == '|' && h->bytes != 1)
        return false;
    if (h->kind == 'f')
        return h->bytes == 4 || h->bytes == 8;
    return (h->kind == 'i' || h->kind == 'u') &&
           (h->bytes == 1 || h->bytes == 2 || h->bytes == 4 || h->bytes == 8);
}

static rv_status bad_header(rv_context *ctx, const char *name) {
    return rvi_fail(ctx, RV_ERROR_INPUT, "%s: the header of the NumPy array is damaged.", name);
}

static rv_status parse_dictionary(rv_context *ctx, const char *name, cursor c, header *h) {
    enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
    int seen = 0;
    if (!take(&c, '{'))
        return bad_header(ctx, name);
    while (!take(&c, '}')) {
        const char *key, *type;
        size_t key_size, type_size;
        if (!take_string(&c, &key, &key_size) || !take(&c, ':'))
            return bad_header(ctx, name);
        if (rvi_text_is(key, key_size, "descr")) {
            if (!take_string(&c, &type, &type_size) || !known_type(type, type_size, h))
                return rvi_fail(
                    ctx, RV_ERROR_INPUT,
                    "%s has values of an unsupported type; expected float32, float64 or "
                    "whole numbers.",
                    name);
            seen |= DESCR;
        } else if (rvi_text_is(key, key_size, "fortran_order")) {
            h->fortran = take_word(&c, "True");
            if (!h->fortran && !take_word(&c, "False"))
                return bad_header(ctx, name);
            seen |= ORDER;
        } else if (rvi_text_is(key, key_size, "shape")) {
            if (!take_shape(&c, h))
                return bad_header(ctx, name);
            seen |= SHAPE;
        } else {
            return bad_header(ctx, name);
        }
        if (!take(&c, ',')) {
            if (!take(&c, '}'))
                return bad_header(ctx, name);
            break;
        }
    }
    skip_blanks(&c);
    return seen == ALL && c.at == c.end ? RV_OK : bad_header(ctx, name);
}

/* ---- Reading ---- */

static rv_status cut_off(rv_context *ctx, const char *name) {
    return rvi_fail(ctx, RV_ERROR_INPUT, "%s is cut off within its header.", name);
}

static rv_status parse_header(rv_context *ctx, const rvi_source *source, header *h) {
    const unsigned char *data = source->data;
    size_t common = source->size < MAGIC_SIZE ? source->size : MAGIC_SIZE;
    if (common == 0 || memcmp(data, magic, common) != 0)
        return rvi_source_wrong(ctx, source, "a NumPy array");
    if (source->size < 10)
        return cut_off(ctx, source->name);
    if (data[6] < 1 || data[6] > 3)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s has version %d of the NumPy format; expected 1 to 3.", source->name,
                        data[6]);
    size_t length = data[8] | (size_t)data[9] << 8;
    size_t before = 10;
    if (data[6] > 1) {
        if (source->size < 12)
            return cut_off(ctx, source->name);
        length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
        before = 12;
    }
    if (length > 65536)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: a header of %zu bytes is too long.", source->name,
                        length);
    if (source->size - before < length)
        return cut_off(ctx, source->name);
    h->start = before + length;
    const char *text = (const char *)data;
    return parse_dictionary(ctx, source->name, (cursor){text + before, text + h->start}, h);
}

static rv_status find_header(rv_context *ctx, const rvi_source *source, header *h, rvi_image *out) {
    *h = (header){0};
    rv_status status = parse_header(ctx, source, h);
    if (status != RV_OK)
        return status;
    if (h->dimensions != 2)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s has %d dimension%s; heights need two, rows and columns.", source->name,
                        h->dimensions, h->dimensions == 1 ? "" : "s");
    status = rvi_size_check(ctx, source->name, h->shape[1], h->shape[0]);
    if (status != RV_OK)
        return status;
    uint64_t expected = h->start + h->shape[0] * h->shape[1] * h->bytes;
    if (source->total != expected)
        return rvi_fail(
            ctx, RV_ERROR_INPUT,
            "%s has %llu bytes, expected %llu: its header says %d x %d cells of %u bytes.",
            source->name, (unsigned long long)source->total, (unsigned long long)expected,
            (int)h->shape[1], (int)h->shape[0], h->bytes);
    rvi_image found = {
        .width = (int)h->shape[1], .height = (int)h->shape[0], .bits = (int)h->bytes * 8};
    return rvi_image_found(ctx, source->name, found, out);
}

static rv_status npy_read_header(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    header h;
    return find_header(ctx, source, &h, out);
}

static rv_status decode_values(rv_context *ctx, const rvi_source *source, const header *h,
                               const rvi_image *image) {
    size_t width = (size_t)image->width, height = (size_t)image->height;
    const unsigned char *values = source->data + h->start;
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            size_t from = h->fortran ? x * height + y : y * width + x;
            float value =
                rvi_sample_value(h->kind, h->bytes, h->big_endian, values + from * h->bytes);
            if (rvi_value_wrong(source, value))
                return rvi_value_bad(ctx, source->name, (int)y, (int)x, value);
            image->values[y * width + x] = value;
        }
        if (rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static rv_status npy_decode(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    header h;
    rv_status status = find_header(ctx, source, &h, out);
    if (status != RV_OK)
        return status;
    out->values = rvi_image_alloc(ctx, out);
    if (out->values == NULL)
        return RV_ERROR_MEMORY;
    status = decode_values(ctx, source, &h, out);
    if (status != RV_OK) {
        rvi_free(ctx, out->values);
        out->values = NULL;
    }
    return status;
}

/* ---- Writing ---- */

static rv_status npy_encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    char start[2 * HEADER_ALIGN];
    memset(start, ' ', sizeof start);
    memcpy(start, magic, MAGIC_SIZE);
    start[6] = 1;
    start[7] = 0;
    int used = snprintf(start + 10, sizeof start - 10,
                        "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }",
                        raster->height, raster->width);
    start[10 + used] = ' ';
    start[sizeof start - 1] = '\n';
    start[8] = (char)(sizeof start - 10);
    start[9] = 0;
    rv_status status = rvi_writer_put(writer, start, sizeof start);
    return status == RV_OK ? rvi_format_r32.encode(ctx, writer, raster) : status;
}

const rvi_format rvi_format_npy = {".npy", "little",        false,      false,
                                   32,     npy_read_header, npy_decode, npy_encode};
