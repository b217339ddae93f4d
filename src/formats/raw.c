/* raw.c: heights without a header, little-endian, north row first. .r16 are unsigned 16-bit levels,
 * .r32 are float32 metres. The size comes from a sidecar, from the user, or is a square. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "formats/format.h"

/* The largest number whose square is not above n, for n < 2^62. */
static uint64_t square_root(uint64_t n) {
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 30; bit != 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= n)
            root += bit;
    return root;
}

static rv_status find_size(rv_context *ctx, const rvi_source *source, unsigned bytes,
                           rvi_image *out) {
    unsigned long long total = source->total;
    if (total == 0)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s is empty.", source->name);
    uint64_t width = (uint64_t)source->width;
    uint64_t height = (uint64_t)source->height;
    if (width == 0) {
        width = height = square_root(total / bytes);
        if (width * height * bytes != total)
            return rvi_fail(
                ctx, RV_ERROR_INPUT,
                "%s has %llu bytes, which is not a square of %u-byte cells (%llu x %llu "
                "would be %llu); give its width.",
                source->name, total, bytes, (unsigned long long)width, (unsigned long long)height,
                (unsigned long long)(width * height * bytes));
    } else if (height == 0) {
        height = total / (width * bytes);
        if (height == 0 || width * height * bytes != total)
            return rvi_fail(ctx, RV_ERROR_INPUT,
                            "%s has %llu bytes, expected a multiple of %llu: rows of %d cells of "
                            "%u bytes.",
                            source->name, total, (unsigned long long)(width * bytes), source->width,
                            bytes);
    } else if (width * height * bytes != total) {
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s has %llu bytes, expected %llu: %d x %d cells of %u bytes.",
                        source->name, total, (unsigned long long)(width * height * bytes),
                        source->width, source->height, bytes);
    }
    rv_status status = rvi_size_check(ctx, source->name, width, height);
    if (status != RV_OK)
        return status;
    rvi_image found = {
        .width = (int)width, .height = (int)height, .levels = bytes == 2, .bits = (int)bytes * 8};
    return rvi_image_found(ctx, source->name, found, out);
}

static rv_status read_header_r16(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    return find_size(ctx, source, 2, out);
}

static rv_status read_header_r32(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    return find_size(ctx, source, 4, out);
}

static void decode_row_16(const unsigned char *bytes, float *row, int width) {
    for (int x = 0; x < width; x++)
        row[x] = (float)(bytes[2 * x] | bytes[2 * x + 1] << 8) / 65535.0f;
}

static void decode_row_32(const unsigned char *bytes, float *row, int width) {
    for (int x = 0; x < width; x++) {
        const unsigned char *b = bytes + 4 * (size_t)x;
        uint32_t bits =
            (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        memcpy(&row[x], &bits, sizeof bits);
    }
}

static rv_status decode_rows(rv_context *ctx, const rvi_source *source, const rvi_image *image) {
    size_t bytes = (size_t)image->bits / 8;
    for (int y = 0; y < image->height; y++) {
        const unsigned char *from = source->data + (size_t)y * (size_t)image->width * bytes;
        float *row = image->values + (size_t)y * (size_t)image->width;
        if (image->levels)
            decode_row_16(from, row, image->width);
        else
            decode_row_32(from, row, image->width);
        for (int x = 0; x < image->width; x++)
            if (rvi_value_wrong(source, row[x]))
                return rvi_value_bad(ctx, source->name, y, x, row[x]);
        if (rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static rv_status raw_decode(rv_context *ctx, const rvi_source *source, unsigned bytes,
                            rvi_image *out) {
    rv_status status = find_size(ctx, source, bytes, out);
    if (status != RV_OK)
        return status;
    out->values = rvi_image_alloc(ctx, out);
    if (out->values == NULL)
        return RV_ERROR_MEMORY;
    status = decode_rows(ctx, source, out);
    if (status != RV_OK) {
        rvi_free(ctx, out->values);
        out->values = NULL;
    }
    return status;
}

static rv_status decode_r16(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    return raw_decode(ctx, source, 2, out);
}

static rv_status decode_r32(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    return raw_decode(ctx, source, 4, out);
}

static void encode_row_16(const rvi_raster *raster, const float *row, unsigned char *bytes) {
    for (int x = 0; x < raster->width; x++) {
        unsigned level = rvi_level_from_value(raster, row[x]);
        bytes[2 * x] = (unsigned char)(level & 255);
        bytes[2 * x + 1] = (unsigned char)(level >> 8);
    }
}

static void encode_row_32(const rvi_raster *raster, const float *row, unsigned char *bytes) {
    for (int x = 0; x < raster->width; x++) {
        uint32_t bits;
        memcpy(&bits, &row[x], sizeof bits);
        for (int i = 0; i < 4; i++)
            bytes[4 * x + i] = (unsigned char)(bits >> (8 * i));
    }
}

static rv_status raw_encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster,
                            unsigned bytes) {
    size_t width = (size_t)raster->width;
    unsigned char *buffer = rvi_alloc(ctx, width, bytes, "a row of a file");
    if (buffer == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = RV_OK;
    for (int y = 0; y < raster->height && status == RV_OK; y++) {
        const float *row = raster->values + (size_t)y * width;
        if (bytes == 2)
            encode_row_16(raster, row, buffer);
        else
            encode_row_32(raster, row, buffer);
        status = rvi_writer_put(writer, buffer, width * bytes);
        if (status == RV_OK)
            status = rvi_poll(ctx);
    }
    rvi_free(ctx, buffer);
    return status;
}

static rv_status encode_r16(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    return raw_encode(ctx, writer, raster, 2);
}

static rv_status encode_r32(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    return raw_encode(ctx, writer, raster, 4);
}

const rvi_format rvi_format_r16 = {".r16", "little",        true,       true,
                                   16,     read_header_r16, decode_r16, encode_r16};
const rvi_format rvi_format_r32 = {".r32", "little",        false,      true,
                                   32,     read_header_r32, decode_r32, encode_r32};
