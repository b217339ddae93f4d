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
#include "formats/npy.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC_SIZE = 6 };

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

static bool take_shape(cursor *c, rvi_npy *h) {
    h->dimensions = 0;
    if (!take(c, '('))
        return false;
    while (!take(c, ')')) {
        uint64_t count;
        if (!take_count(c, &count))
            return false;
        if (h->dimensions < RVI_NPY_DIMENSIONS)
            h->shape[h->dimensions] = count;
        h->dimensions++;
        if (!take(c, ','))
            return take(c, ')');
    }
    return true;
}

/* |S32: bytes of text. */
static bool text_type(const char *type, size_t size, rvi_npy *h) {
    uint64_t bytes;
    if (size < 3 || type[1] != 'S' || !rvi_text_uint(type + 2, size - 2, &bytes) || bytes < 1 ||
        bytes > 1024)
        return false;
    h->kind = 'S';
    h->bytes = (unsigned)bytes;
    return true;
}

static bool known_type(const char *type, size_t size, rvi_npy *h) {
    if (text_type(type, size, h))
        return true;
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

static rv_status bad_type(rv_context *ctx, const char *name) {
    return rvi_fail(ctx, RV_ERROR_INPUT,
                    "%s has values of an unsupported type; expected float32, float64 or "
                    "whole numbers.",
                    name);
}

static rv_status parse_dictionary(rv_context *ctx, const char *name, cursor c, rvi_npy *h) {
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
                return bad_type(ctx, name);
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

rv_status rvi_npy_parse(rv_context *ctx, const rvi_source *source, rvi_npy *h) {
    *h = (rvi_npy){0};
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

static rv_status find_header(rv_context *ctx, const rvi_source *source, rvi_npy *h,
                             rvi_image *out) {
    rv_status status = rvi_npy_parse(ctx, source, h);
    if (status != RV_OK)
        return status;
    if (h->kind == 'S')
        return bad_type(ctx, source->name);
    if (h->dimensions != 2)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s has %d dimension%s; expected two, rows and columns.", source->name,
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
    rvi_npy h;
    return find_header(ctx, source, &h, out);
}

uint64_t rvi_npy_bits(const rvi_npy *h, const unsigned char *at) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < h->bytes; i++)
        bits |= (uint64_t)at[h->big_endian ? h->bytes - 1 - i : i] << (8 * i);
    return bits;
}

double rvi_npy_value(const rvi_npy *h, const unsigned char *at) {
    uint64_t bits = rvi_npy_bits(h, at);
    if (h->kind == 'u')
        return (double)bits;
    if (h->kind == 'i') {
        uint64_t sign = UINT64_C(1) << (8 * h->bytes - 1);
        /* Two's complement without a cast that the language leaves open. */
        return bits & sign ? -(double)(((~bits) & (sign - 1)) + 1) : (double)bits;
    }
    if (h->bytes == 4) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float rvi_npy_float(const rvi_npy *h, const unsigned char *at) {
    return rvi_sample_value(h->kind, h->bytes, h->big_endian, at);
}

static rv_status decode_values(rv_context *ctx, const rvi_source *source, const rvi_npy *h,
                               const rvi_image *image) {
    size_t width = (size_t)image->width, height = (size_t)image->height;
    const unsigned char *values = source->data + h->start;
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            size_t from = h->fortran ? x * height + y : y * width + x;
            float value = rvi_npy_float(h, values + from * h->bytes);
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
    rvi_npy h;
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

void rvi_npy_print(const char *type, int dimensions, const uint64_t *shape,
                   char out[RVI_NPY_HEADER]) {
    memset(out, ' ', RVI_NPY_HEADER);
    memcpy(out, magic, MAGIC_SIZE);
    out[6] = 1;
    out[7] = 0;
    out[8] = (char)(RVI_NPY_HEADER - 10);
    out[9] = 0;
    char *text = out + 10;
    size_t room = RVI_NPY_HEADER - 10;
    int used = snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (int i = 0; i < dimensions; i++)
        used += snprintf(text + used, room - (size_t)used, "%s%llu", i ? ", " : "",
                         (unsigned long long)shape[i]);
    used += snprintf(text + used, room - (size_t)used, "%s), }", dimensions == 1 ? "," : "");
    text[used] = ' ';
    out[RVI_NPY_HEADER - 1] = '\n';
}

static rv_status npy_encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    char start[RVI_NPY_HEADER];
    const uint64_t shape[] = {(uint64_t)raster->height, (uint64_t)raster->width};
    rvi_npy_print("<f4", 2, shape, start);
    rv_status status = rvi_writer_put(writer, start, sizeof start);
    return status == RV_OK ? rvi_format_r32.encode(ctx, writer, raster) : status;
}

const rvi_format rvi_format_npy = {".npy", "little",        false,      false,
                                   32,     npy_read_header, npy_decode, npy_encode};
