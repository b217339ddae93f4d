/* png_plain.c: stands in for formats/png.c in tests where libpng is not: a picture is a short
 * header and its rows as they are, which no other program reads. What pictures hold and what is
 * read from them is the same, so that all the recipes with pictures can be compared. */
#include "base/context.h"
#include "formats/format.h"

#include <string.h>

typedef struct header {
    char start[4];
    int32_t width, height, bits, channels;
} header;

static const char start[4] = {'r', 'a', 'w', '\n'};

static rv_status read_header(rv_context *ctx, const rvi_source *source, header *out) {
    if (source->size < sizeof *out || memcmp(source->data, start, sizeof start) != 0)
        return rvi_source_wrong(ctx, source, "a plain picture of the tests");
    memcpy(out, source->data, sizeof *out);
    size_t cells = (size_t)out->width * (size_t)out->height;
    size_t bytes = cells * (size_t)out->channels * (size_t)out->bits / 8;
    if (source->total != sizeof *out + bytes)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: has not the size it tells.", source->name);
    return RV_OK;
}

static rv_status look(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    header h;
    rv_status status = read_header(ctx, source, &h);
    if (status != RV_OK)
        return status;
    rvi_image found = {.width = h.width, .height = h.height, .levels = true, .bits = h.bits};
    return rvi_image_found(ctx, source->name, found, out);
}

/* As png.c has it. */
static unsigned luminance(const unsigned char *rgb) {
    return (2126u * rgb[0] + 7152u * rgb[1] + 722u * rgb[2] + 5000u) / 10000u;
}

static rv_status decode(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    header h;
    rv_status status = read_header(ctx, source, &h);
    if (status == RV_OK)
        status = look(ctx, source, out);
    if (status != RV_OK)
        return status;
    out->values = rvi_image_alloc(ctx, out);
    if (out->values == NULL)
        return RV_ERROR_MEMORY;
    const unsigned char *at = source->data + sizeof h;
    size_t cells = (size_t)h.width * (size_t)h.height;
    for (size_t i = 0; i < cells; i++, at += h.channels * h.bits / 8) {
        unsigned level = h.channels >= 3 ? luminance(at)
                         : h.bits == 16  ? at[0] * 256u + at[1]
                                         : at[0];
        out->values[i] = (float)level / (float)rvi_level_top(h.bits);
    }
    return RV_OK;
}

static rv_status put_header(rvi_writer *writer, int width, int height, int bits, int channels) {
    header h = {.width = width, .height = height, .bits = bits, .channels = channels};
    memcpy(h.start, start, sizeof start);
    return rvi_writer_put(writer, &h, sizeof h);
}

static rv_status encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    (void)ctx;
    rv_status status = put_header(writer, raster->width, raster->height, raster->bits, 1);
    size_t cells = (size_t)raster->width * (size_t)raster->height;
    for (size_t i = 0; status == RV_OK && i < cells; i++) {
        unsigned level = rvi_level_from_value(raster, raster->values[i]);
        unsigned char bytes[2] = {(unsigned char)(level >> 8), (unsigned char)level};
        status = rvi_writer_put(writer, bytes + (raster->bits == 8), (size_t)raster->bits / 8);
    }
    return status;
}

rv_status rvi_png_check_end(rv_context *ctx, const char *path) {
    (void)ctx, (void)path;
    return RV_OK; /* the size of such a file is known */
}

size_t rvi_png_bytes(size_t row) {
    (void)row; /* nothing is packed */
    return 0;
}

rv_status rvi_png_write_picture(rv_context *ctx, const char *path, int width, int height,
                                int channels, const unsigned char *rgb) {
    rvi_writer *writer;
    rv_status status = rvi_writer_open(ctx, path, &writer);
    if (status != RV_OK)
        return status;
    status = put_header(writer, width, height, 8, channels);
    if (status == RV_OK)
        status = rvi_writer_put(writer, rgb, (size_t)width * (size_t)height * (size_t)channels);
    if (status == RV_OK)
        return rvi_writer_commit(writer);
    rvi_writer_abandon(writer);
    return status;
}

static void copy_colours(const header *h, const unsigned char *from, unsigned char *rgb) {
    size_t cells = (size_t)h->width * (size_t)h->height, size = (size_t)h->bits / 8;
    size_t step = (size_t)h->channels * size;
    for (size_t i = 0; i < cells; i++)
        for (size_t c = 0; c < 3; c++)
            rgb[3 * i + c] = from[i * step + (h->channels < 3 ? 0 : c * size)];
}

rv_status rvi_png_look_picture(rv_context *ctx, const char *path, rvi_image *out) {
    rvi_bytes bytes = {0};
    header h = {.width = 0};
    rv_status status = rvi_file_read(ctx, path, &bytes);
    rvi_source source = {.name = path, .data = bytes.data, .size = bytes.size, .total = bytes.size};
    if (status == RV_OK)
        status = read_header(ctx, &source, &h);
    *out = (rvi_image){
        .width = h.width, .height = h.height, .levels = true, .bits = h.bits, .size = source.total};
    rvi_free(ctx, bytes.data);
    return status;
}

rv_status rvi_png_read_picture(rv_context *ctx, const char *path, rvi_picture *out) {
    rvi_bytes bytes = {0};
    header h = {.width = 0};
    *out = (rvi_picture){0};
    rv_status status = rvi_file_read(ctx, path, &bytes);
    rvi_source source = {.name = path, .data = bytes.data, .size = bytes.size, .total = bytes.size};
    if (status == RV_OK)
        status = read_header(ctx, &source, &h);
    if (status == RV_OK) {
        out->width = h.width;
        out->height = h.height;
        out->rgb = rvi_alloc(ctx, (size_t)h.width * (size_t)h.height, 3, "a picture");
        status = out->rgb ? RV_OK : RV_ERROR_MEMORY;
    }
    if (status == RV_OK)
        copy_colours(&h, bytes.data + sizeof h, out->rgb);
    rvi_free(ctx, bytes.data);
    return status;
}

const rvi_format rvi_format_png = {".png", "big", true, false, 8, look, decode, encode};
