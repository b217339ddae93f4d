/* png.c: greyscale PNG of 16 or 8 bits as levels; colour is read as its luminance, alpha is
 * ignored. No gamma is applied or written: levels are numbers, not light. */
#include "formats/format.h"

#include "base/context.h"

#ifdef RAVINE_PNG

#include <png.h>
#include <setjmp.h>
#include <string.h>

enum {
    SIGNATURE = 8,
    HEADER = 33,         /* bytes up to the end of the first chunk, IHDR */
    ZLIB_RATIO = 1032,   /* no stream of zlib unpacks to more than this many times its size */
    WRITE_BUFFER = 65536 /* bytes of one IDAT chunk */
};

/* One picture read or written. */
typedef struct session {
    rv_context *ctx;
    const char *name;
    png_structp png;
    png_infop info;
    rv_status status;         /* of the first thing that failed */
    bool starved;             /* memory ran out; the sentence is set */
    const rvi_source *source; /* reading */
    size_t at;
    const rvi_image *image;
    unsigned char *rgb; /* for colours of 8 bits; NULL: for levels */
    unsigned char *row;
    rvi_writer *writer; /* writing */
    int width, height, bits, channels;
    const unsigned char *(*next_row)(struct session *s, int y);
    const void *from;
} session;

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
    session *s = png_get_mem_ptr(png);
    void *memory = rvi_alloc(s->ctx, size, 1, "reading or writing a PNG");
    if (memory == NULL)
        s->starved = true;
    return memory;
}

static void release(png_structp png, png_voidp memory) {
    session *s = png_get_mem_ptr(png);
    rvi_free(s->ctx, memory);
}

/* What the caller did not report itself is an error in the file, or in writing one. */
static void on_error(png_structp png, png_const_charp message) {
    session *s = png_get_error_ptr(png);
    if (s->status == RV_OK && s->starved)
        s->status = RV_ERROR_MEMORY;
    else if (s->status == RV_OK && s->writer != NULL)
        s->status = rvi_fail(s->ctx, RV_ERROR_INTERNAL, "%s: the PNG cannot be made: %s.", s->name,
                             message);
    else if (s->status == RV_OK)
        s->status = rvi_fail(s->ctx, RV_ERROR_INPUT, "%s is damaged: libpng says \"%s\".", s->name,
                             message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static rv_status no_session(const session *s) {
    if (s->starved)
        return RV_ERROR_MEMORY;
    return rvi_fail(s->ctx, RV_ERROR_INTERNAL, "libpng %s cannot be used.",
                    png_get_libpng_ver(NULL));
}

/* In a function of its own, because a jump leaves the local variables of its target undefined. */
static void guard(session *s, void (*work)(session *s)) {
    if (setjmp(png_jmpbuf(s->png)) == 0)
        work(s);
}

/* ---- Reading ---- */

static uint32_t big_endian_32(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int channel_count(int colour) {
    switch (colour) {
    case PNG_COLOR_TYPE_GRAY:
    case PNG_COLOR_TYPE_PALETTE:
        return 1;
    case PNG_COLOR_TYPE_GRAY_ALPHA:
        return 2;
    case PNG_COLOR_TYPE_RGB:
        return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
        return 4;
    default:
        return 0;
    }
}

static rv_status parse_header(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    const unsigned char *data = source->data;
    size_t common = source->size < SIGNATURE ? source->size : SIGNATURE;
    if (common == 0 || png_sig_cmp(data, 0, common) != 0)
        return rvi_source_wrong(ctx, source, "a PNG picture");
    if (source->size < HEADER)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s is cut off within its header.", source->name);
    int bits = data[24];
    int channels = channel_count(data[25]);
    bool known = bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16;
    if (big_endian_32(data + 8) != 13 || memcmp(data + 12, "IHDR", 4) != 0 || !known ||
        channels == 0)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: the header of the PNG is damaged.", source->name);
    uint64_t width = big_endian_32(data + 16);
    uint64_t height = big_endian_32(data + 20);
    rv_status status = rvi_size_check(ctx, source->name, width, height);
    if (status != RV_OK)
        return status;
    uint64_t unpacked = (width * (uint64_t)(bits * channels) + 7) / 8 * height;
    if (unpacked / ZLIB_RATIO > source->total)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s has only %llu bytes; its header says %d x %d cells, which need more.",
                        source->name, (unsigned long long)source->total, (int)width, (int)height);
    *out = (rvi_image){.width = (int)width,
                       .height = (int)height,
                       .levels = true,
                       .bits = bits == 16 ? 16 : 8,
                       .size = source->total};
    return RV_OK;
}

static rv_status read_header(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    rvi_image found;
    rv_status status = parse_header(ctx, source, &found);
    return status == RV_OK ? rvi_image_found(ctx, source->name, found, out) : status;
}

/* From chunk to chunk, up to the last: what may follow that is nobody's. */
rv_status rvi_png_check_end(rv_context *ctx, const char *path) {
    enum { LENGTH = 4, TYPE = 4, CRC = 4 };
    uint64_t at = SIGNATURE, total = 0;
    bool last = false;
    while (!last) {
        rvi_bytes chunk;
        rv_status status = rvi_file_read_part(ctx, path, at, LENGTH + TYPE, &chunk, &total);
        if (status != RV_OK)
            return status;
        last = chunk.size < LENGTH + TYPE || memcmp(chunk.data + LENGTH, "IEND", TYPE) == 0;
        at += LENGTH + TYPE + CRC;
        at += chunk.size < LENGTH + TYPE ? 0 : big_endian_32(chunk.data);
        rvi_free(ctx, chunk.data);
    }
    return at <= total
               ? RV_OK
               : rvi_fail(ctx, RV_ERROR_INPUT,
                          "%s is cut off: it ends after %llu bytes, before the picture does.", path,
                          (unsigned long long)total);
}

static void feed(png_structp png, png_bytep out, size_t size) {
    session *s = png_get_io_ptr(png);
    if (s->source->size - s->at < size) {
        s->status = rvi_fail(s->ctx, RV_ERROR_INPUT,
                             "%s is cut off: it ends after %zu bytes, before the picture does.",
                             s->name, s->source->size);
        png_error(png, "cut off");
    }
    memcpy(out, s->source->data + s->at, size);
    s->at += size;
}

/* The luminance of Rec. 709 in whole numbers: grey stays exactly what it is. */
static unsigned luminance(unsigned red, unsigned green, unsigned blue) {
    return (2126 * red + 7152 * green + 722 * blue + 5000) / 10000;
}

/* One pixel of 1 or 3 channels of 8 or 16 bits (big-endian), as 0 to 1. */
static float pixel(const session *s, int column) {
    unsigned sample[3] = {0};
    size_t bytes = (size_t)s->bits / 8;
    const unsigned char *at = s->row + (size_t)column * bytes * (size_t)s->channels;
    for (int i = 0; i < s->channels; i++, at += bytes)
        sample[i] = s->bits == 16 ? (unsigned)at[0] << 8 | at[1] : at[0];
    unsigned level = s->channels == 3 ? luminance(sample[0], sample[1], sample[2]) : sample[0];
    return (float)level / (float)rvi_level_top(s->bits);
}

/* libpng hands out the rows of each small picture of an interlaced file: pixels go to their places
 * at once, and no second copy of the whole picture is needed. */
static void read_rows(session *s, int passes) {
    const rvi_image *image = s->image;
    for (int pass = 0; pass < passes; pass++) {
        bool all = passes == 1;
        int columns = all ? image->width : PNG_PASS_COLS(image->width, pass);
        int rows = all ? image->height : PNG_PASS_ROWS(image->height, pass);
        for (int row = 0; row < rows && columns > 0; row++) {
            png_read_row(s->png, s->row, NULL);
            int y = all ? row : PNG_ROW_FROM_PASS_ROW(row, pass);
            size_t start = (size_t)y * (size_t)image->width;
            for (int column = 0; column < columns; column++) {
                size_t to = start + (size_t)(all ? column : PNG_COL_FROM_PASS_COL(column, pass));
                if (s->rgb)
                    memcpy(s->rgb + 3 * to, s->row + 3 * (size_t)column, 3);
                else
                    image->values[to] = pixel(s, column);
            }
            s->status = rvi_poll(s->ctx);
            if (s->status != RV_OK)
                return;
        }
    }
}

static void read_picture(session *s) {
    png_set_read_fn(s->png, s, feed);
    png_set_user_limits(s->png, RVI_SIDE_MOST, RVI_SIDE_MOST);
    png_set_keep_unknown_chunks(s->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1); /* only the picture */
    png_read_info(s->png, s->info);
    int colour = png_get_color_type(s->png, s->info);
    if (colour == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(s->png);
    else if (png_get_bit_depth(s->png, s->info) < 8)
        png_set_expand_gray_1_2_4_to_8(s->png);
    png_set_strip_alpha(s->png);
    if (s->rgb && png_get_bit_depth(s->png, s->info) == 16)
        png_set_strip_16(s->png);
    if (s->rgb && (colour & PNG_COLOR_MASK_COLOR) == 0)
        png_set_gray_to_rgb(s->png);
    bool interlaced = png_get_interlace_type(s->png, s->info) != PNG_INTERLACE_NONE;
    png_read_update_info(s->png, s->info);
    s->bits = png_get_bit_depth(s->png, s->info);
    s->channels = png_get_channels(s->png, s->info);
    bool right = s->rgb ? s->bits == 8 && s->channels == 3
                        : s->bits == s->image->bits && (s->channels == 1 || s->channels == 3);
    if (!right)
        png_error(s->png, "a kind of picture that should not be");
    s->row = rvi_alloc(s->ctx, png_get_rowbytes(s->png, s->info), 1, "a row of a PNG");
    if (s->row == NULL) {
        s->status = RV_ERROR_MEMORY;
        return;
    }
    read_rows(s, interlaced ? PNG_INTERLACE_ADAM7_PASSES : 1);
    if (s->status == RV_OK)
        png_read_end(s->png, NULL);
}

/* To the colours in `rgb`, or where that is NULL to image->values. */
static rv_status read_pixels(rv_context *ctx, const rvi_source *source, const rvi_image *image,
                             unsigned char *rgb) {
    session s = {.ctx = ctx, .name = source->name, .source = source, .image = image, .rgb = rgb};
    s.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s, allocate,
                                     release);
    if (s.png == NULL)
        return no_session(&s);
    s.info = png_create_info_struct(s.png);
    if (s.info == NULL)
        s.status = RV_ERROR_MEMORY;
    else
        guard(&s, read_picture);
    png_destroy_read_struct(&s.png, &s.info, NULL);
    rvi_free(ctx, s.row);
    return s.status;
}

static rv_status decode(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    rv_status status = read_header(ctx, source, out);
    if (status != RV_OK)
        return status;
    out->values = rvi_image_alloc(ctx, out);
    status = out->values ? read_pixels(ctx, source, out, NULL) : RV_ERROR_MEMORY;
    if (status != RV_OK) {
        rvi_free(ctx, out->values);
        out->values = NULL;
    }
    return status;
}

rv_status rvi_png_look_picture(rv_context *ctx, const char *path, rvi_image *out) {
    rvi_bytes bytes = {0};
    rvi_source source = {.name = path};
    rv_status status = rvi_file_read_start(ctx, path, HEADER, &bytes, &source.total);
    source.data = bytes.data;
    source.size = bytes.size;
    if (status == RV_OK)
        status = parse_header(ctx, &source, out);
    rvi_free(ctx, bytes.data);
    return status;
}

rv_status rvi_png_read_picture(rv_context *ctx, const char *path, rvi_picture *out) {
    rvi_bytes bytes = {0};
    rvi_image image = {0};
    *out = (rvi_picture){0};
    rv_status status = rvi_file_read(ctx, path, &bytes);
    rvi_source source = {.name = path, .data = bytes.data, .size = bytes.size, .total = bytes.size};
    if (status == RV_OK)
        status = parse_header(ctx, &source, &image);
    if (status == RV_OK) {
        out->width = image.width;
        out->height = image.height;
        out->rgb = rvi_alloc(ctx, (size_t)image.width * (size_t)image.height, 3, "a picture");
        status = out->rgb ? read_pixels(ctx, &source, &image, out->rgb) : RV_ERROR_MEMORY;
    }
    rvi_free(ctx, bytes.data);
    if (status != RV_OK) {
        rvi_free(ctx, out->rgb);
        out->rgb = NULL;
    }
    return status;
}

/* ---- Writing ---- */

static void put(png_structp png, png_bytep data, size_t size) {
    session *s = png_get_io_ptr(png);
    s->status = rvi_writer_put(s->writer, data, size);
    if (s->status != RV_OK)
        png_error(png, "not written");
}

static void flush_nothing(png_structp png) {
    (void)png;
}

static void write_picture(session *s) {
    png_set_write_fn(s->png, s, put, flush_nothing);
    png_set_IHDR(s->png, s->info, (png_uint_32)s->width, (png_uint_32)s->height, s->bits,
                 s->channels == 4   ? PNG_COLOR_TYPE_RGB_ALPHA
                 : s->channels == 3 ? PNG_COLOR_TYPE_RGB
                                    : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_buffer_size(s->png, WRITE_BUFFER);
    png_write_info(s->png, s->info);
    for (int y = 0; y < s->height; y++) {
        png_write_row(s->png, s->next_row(s, y));
        s->status = rvi_poll(s->ctx);
        if (s->status != RV_OK)
            return;
    }
    png_write_end(s->png, NULL);
}

static rv_status run_writer(session *s) {
    s->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, s, on_error, on_warning, s, allocate,
                                       release);
    if (s->png == NULL)
        return no_session(s);
    s->info = png_create_info_struct(s->png);
    if (s->info == NULL)
        s->status = RV_ERROR_MEMORY;
    else
        guard(s, write_picture);
    png_destroy_write_struct(&s->png, &s->info);
    return s->status;
}

static const unsigned char *level_row(session *s, int y) {
    const rvi_raster *raster = s->from;
    const float *row = raster->values + (size_t)y * (size_t)raster->width;
    unsigned char *out = s->row;
    for (int x = 0; x < raster->width; x++) {
        unsigned level = rvi_level_from_value(raster, row[x]);
        if (s->bits == 16)
            *out++ = (unsigned char)(level >> 8);
        *out++ = (unsigned char)(level & 255);
    }
    return s->row;
}

static rv_status encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    session s = {.ctx = ctx,
                 .name = "PNG",
                 .writer = writer,
                 .width = raster->width,
                 .height = raster->height,
                 .bits = raster->bits,
                 .channels = 1,
                 .next_row = level_row,
                 .from = raster};
    s.row = rvi_alloc(ctx, (size_t)raster->width, (size_t)raster->bits / 8, "a row of a PNG");
    if (s.row == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = run_writer(&s);
    rvi_free(ctx, s.row);
    return status;
}

static const unsigned char *picture_row(session *s, int y) {
    const unsigned char *rgb = s->from;
    return rgb + (size_t)y * (size_t)s->width * (size_t)s->channels;
}

rv_status rvi_png_write_picture(rv_context *ctx, const char *path, int width, int height,
                                int channels, const unsigned char *rgb) {
    session s = {.ctx = ctx,
                 .name = path,
                 .width = width,
                 .height = height,
                 .bits = 8,
                 .channels = channels,
                 .next_row = picture_row,
                 .from = rgb};
    rv_status status = rvi_writer_open(ctx, path, &s.writer);
    if (status != RV_OK)
        return status;
    status = run_writer(&s);
    if (status == RV_OK)
        return rvi_writer_commit(s.writer);
    rvi_writer_abandon(s.writer);
    return status;
}

const rvi_format rvi_format_png = {".png", "big", true, false, 8, read_header, decode, encode};

#else /* a build without libpng */

rv_status rvi_png_write_picture(rv_context *ctx, const char *path, int width, int height,
                                int channels, const unsigned char *rgb) {
    (void)width, (void)height, (void)channels, (void)rgb;
    return rvi_png_check_name(ctx, path); /* which no name passes here */
}

rv_status rvi_png_look_picture(rv_context *ctx, const char *path, rvi_image *out) {
    *out = (rvi_image){0};
    return rvi_png_check_name(ctx, path);
}

rv_status rvi_png_read_picture(rv_context *ctx, const char *path, rvi_picture *out) {
    *out = (rvi_picture){0};
    return rvi_png_check_name(ctx, path);
}

#endif
