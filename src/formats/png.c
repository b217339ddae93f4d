/* png.c: greyscale PNG of 16 or 8 bits as levels; colour is read as its luminance, alpha is
 * ignored. No gamma is applied or written: levels are numbers, not light. */
#include "formats/format.h"

#include "base/context.h"
#include "base/threads.h"

#ifdef RAVINE_PNG

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* what is packed is not changed */
#include <zlib.h>

enum {
    SIGNATURE = 8,
    HEADER = 33,      /* bytes up to the end of the first chunk, IHDR */
    ZLIB_RATIO = 1032 /* no stream of zlib unpacks to more than this many times its size */
};

/* One picture that is read. */
typedef struct session {
    rv_context *ctx;
    const char *name;
    png_structp png;
    png_infop info;
    rv_status status; /* of the first thing that failed */
    bool starved;     /* memory ran out; the sentence is set */
    const rvi_source *source;
    size_t at;
    const rvi_image *image;
    unsigned char *rgb; /* for colours of 8 bits; NULL: for levels */
    unsigned char *row;
    int bits, channels;
} session;

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
    session *s = png_get_mem_ptr(png);
    void *memory = rvi_alloc(s->ctx, size, 1, "reading a PNG");
    if (memory == NULL)
        s->starved = true;
    return memory;
}

static void release(png_structp png, png_voidp memory) {
    session *s = png_get_mem_ptr(png);
    rvi_free(s->ctx, memory);
}

/* What the caller did not report itself is an error in the file. */
static void on_error(png_structp png, png_const_charp message) {
    session *s = png_get_error_ptr(png);
    if (s->status == RV_OK && s->starved)
        s->status = RV_ERROR_MEMORY;
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

/* ---- Writing ----
 *
 * Blocks of rows are filtered and packed side by side. Each ends at a whole byte and begins with
 * what stands before it as its dictionary, so that one after the other they are one stream of zlib,
 * and each is a chunk of the file. How rows are cut depends on the size of the picture alone. */

enum {
    BLOCK = 65536,      /* bytes of a block, or one row where a row is longer */
    DICTIONARY = 32768, /* bytes that a match may reach back; no block but the last is shorter */
    SAMPLE = 8192,      /* bytes of a block by which it is decided how to pack it */
    STREAM = 280 << 10, /* bytes that zlib works with, about */
    CHUNK = 8,          /* bytes of a chunk before what it holds: how many, and its name */
    ROOM = 64           /* bytes that a chunk may have more than zlib says */
};

/* A block that is being made. */
typedef struct png_block {
    z_stream z;
    unsigned char *rows;     /* three of them, to work with */
    unsigned char *filtered; /* its bytes, of which there are `size` */
    unsigned char *chunk;    /* and those packed; 0: it could not be done */
    size_t size, packed;
    size_t room; /* for those packed, in a chunk */
    uLong adler; /* of the filtered bytes */
} png_block;

typedef struct png_output {
    rv_context *ctx;
    rvi_writer *writer;
    const char *name;
    int width, height, bits, channels;
    const rvi_raster *raster;    /* its levels are written, or */
    const unsigned char *pixels; /* these, as they are */
    size_t row, pixel;           /* bytes */
    int rows, blocks;            /* of a block; of the picture */
    png_block *slots;            /* blocks side by side, the first of which is block `first` */
    int slot_count, first;
    unsigned char *filtered; /* of all slots, after a dictionary */
    unsigned char *chunks, *scratch;
} png_output;

static void put_32(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Of `size` bytes, which stand CHUNK bytes from there. Returns the bytes of the whole chunk. */
static size_t close_chunk(unsigned char *chunk, const char *name, size_t size) {
    put_32(chunk, (uint32_t)size);
    memcpy(chunk + 4, name, 4);
    put_32(chunk + CHUNK + size, (uint32_t)crc32(0, chunk + 4, (uInt)(size + 4)));
    return CHUNK + size + 4;
}

static void level_row(const png_output *o, int y, unsigned char *out) {
    const rvi_raster *raster = o->raster;
    const float *row = raster->values + (size_t)y * (size_t)raster->width;
    for (int x = 0; x < raster->width; x++) {
        unsigned level = rvi_level_from_value(raster, row[x]);
        if (o->bits == 16)
            *out++ = (unsigned char)(level >> 8);
        *out++ = (unsigned char)(level & 255);
    }
}

/* A row of bytes, those of the levels in `room`. Above the first row all is 0. */
static const unsigned char *take_row(const png_output *o, int y, unsigned char *room) {
    if (y < 0)
        memset(room, 0, o->row);
    else if (o->raster)
        level_row(o, y, room);
    return y < 0 || o->raster ? room : o->pixels + (size_t)y * o->row;
}

static unsigned char paeth(int a, int b, int c) {
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return (unsigned char)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

/* Section 9 of the specification: each byte less what those beside and above it let expect. */
static void filter_row(int filter, const unsigned char *row, const unsigned char *up, size_t size,
                       size_t pixel, unsigned char *restrict out) {
    for (size_t i = 0; i < pixel; i++) {
        int guess = filter < 2 ? 0 : filter == 3 ? up[i] / 2 : up[i];
        out[i] = (unsigned char)(row[i] - guess);
    }
    if (filter == 0)
        memcpy(out, row, size);
    else if (filter == 1)
        for (size_t i = pixel; i < size; i++)
            out[i] = (unsigned char)(row[i] - row[i - pixel]);
    else if (filter == 2)
        for (size_t i = pixel; i < size; i++)
            out[i] = (unsigned char)(row[i] - up[i]);
    else if (filter == 3)
        for (size_t i = pixel; i < size; i++)
            out[i] = (unsigned char)(row[i] - (row[i - pixel] + up[i]) / 2);
    else
        for (size_t i = pixel; i < size; i++)
            out[i] = (unsigned char)(row[i] - paeth(row[i - pixel], up[i], up[i - pixel]));
}

/* The sum of the bytes as numbers with a sign: the less, the better they can be packed. */
static uint64_t cost_of(const unsigned char *filtered, size_t size) {
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += filtered[i] < 128 ? filtered[i] : 256u - filtered[i];
    return sum;
}

/* Tries all filters. */
static void choose_filter(const png_output *o, const unsigned char *row, const unsigned char *up,
                          unsigned char *trial, unsigned char *out) {
    uint64_t least = UINT64_MAX;
    for (int filter = 0; filter < 5; filter++) {
        filter_row(filter, row, up, o->row, o->pixel, trial);
        uint64_t cost = cost_of(trial, o->row);
        if (cost < least) {
            least = cost;
            out[0] = (unsigned char)filter;
            memcpy(out + 1, trial, o->row);
        }
    }
}

static void filter_block(void *arg, int64_t slot) {
    const png_output *o = arg;
    png_block *b = &o->slots[slot];
    int first = (o->first + (int)slot) * o->rows, end = first + o->rows;
    end = end < o->height ? end : o->height;
    unsigned char *out = b->filtered;
    unsigned char *room = b->rows, *spare = room + o->row, *trial = spare + o->row;
    const unsigned char *up = take_row(o, first - 1, spare);
    for (int y = first; y < end; y++, out += o->row + 1) {
        const unsigned char *row = take_row(o, y, room);
        choose_filter(o, row, up, trial, out);
        up = row;
        unsigned char *used = room;
        room = spare;
        spare = used;
    }
    b->size = (size_t)(out - b->filtered);
}

/* Packs `size` bytes from `from` on to a chunk, by runs of one byte alone or by all that repeats:
 * 20 places are looked at, where zlib's level 6 looks at 128, for files a few hundredths larger.
 * Returns how many they become; 0: it cannot be done. */
static size_t pack(png_block *b, bool runs, const unsigned char *from, size_t size, size_t before,
                   int flush) {
    z_stream *z = &b->z;
    bool right = deflateReset(z) == Z_OK &&
                 deflateParams(z, 6, runs ? Z_RLE : Z_DEFAULT_STRATEGY) == Z_OK &&
                 (runs || deflateTune(z, 4, 8, 32, 20) == Z_OK) &&
                 (before == 0 || deflateSetDictionary(z, from - before, (uInt)before) == Z_OK);
    z->next_in = from;
    z->avail_in = (uInt)size;
    z->next_out = b->chunk + CHUNK;
    z->avail_out = (uInt)b->room;
    right = right && deflate(z, flush) == (flush == Z_FINISH ? Z_STREAM_END : Z_OK);
    return right && z->avail_in == 0 && z->avail_out > 0 ? b->room - z->avail_out : 0;
}

/* How land is packed best differs: heights and shades of rough land have no matches worth the
 * search, and smooth or coloured ones have many. A sample of the block decides. */
static void pack_block(void *arg, int64_t slot) {
    const png_output *o = arg;
    png_block *b = &o->slots[slot];
    int number = o->first + (int)slot;
    size_t sample = b->size < SAMPLE ? b->size : SAMPLE;
    const unsigned char *middle = b->filtered + (b->size - sample) / 2;
    bool runs = pack(b, true, middle, sample, 0, Z_SYNC_FLUSH) <=
                pack(b, false, middle, sample, 0, Z_SYNC_FLUSH);
    b->packed = pack(b, runs, b->filtered, b->size, runs || number == 0 ? 0 : DICTIONARY,
                     number == o->blocks - 1 ? Z_FINISH : Z_SYNC_FLUSH);
    if (b->packed > 0)
        b->packed = close_chunk(b->chunk, "IDAT", b->packed);
    b->adler = adler32(adler32(0, NULL, 0), b->filtered, (uInt)b->size);
}

static rv_status put_chunk(const png_output *o, const char *name, const void *data, size_t size) {
    unsigned char chunk[ROOM];
    memcpy(chunk + CHUNK, data, size);
    return rvi_writer_put(o->writer, chunk, close_chunk(chunk, name, size));
}

static rv_status put_head(const png_output *o) {
    static const unsigned char signature[SIGNATURE] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    static const unsigned char zlib[2] = {0x78, 0x9c};
    unsigned char head[13] = {0};
    put_32(head, (uint32_t)o->width);
    put_32(head + 4, (uint32_t)o->height);
    head[8] = (unsigned char)o->bits;
    head[9] = o->channels == 4   ? PNG_COLOR_TYPE_RGB_ALPHA
              : o->channels == 3 ? PNG_COLOR_TYPE_RGB
                                 : PNG_COLOR_TYPE_GRAY;
    rv_status status = rvi_writer_put(o->writer, signature, sizeof signature);
    if (status == RV_OK)
        status = put_chunk(o, "IHDR", head, sizeof head);
    return status == RV_OK ? put_chunk(o, "IDAT", zlib, sizeof zlib) : status;
}

/* Blocks of as many rows as there are slots for. */
static rv_status put_blocks(png_output *o, int count, uLong *adler) {
    rv_status status = rvi_parallel(o->ctx, count, filter_block, o);
    if (status == RV_OK)
        status = rvi_parallel(o->ctx, count, pack_block, o);
    for (int i = 0; i < count && status == RV_OK; i++) {
        const png_block *b = &o->slots[i];
        *adler = adler32_combine(*adler, b->adler, (z_off_t)b->size);
        status = b->packed > 0
                     ? rvi_writer_put(o->writer, b->chunk, b->packed)
                     : rvi_fail(o->ctx, RV_ERROR_INTERNAL, "%s: the PNG cannot be made.", o->name);
    }
    const png_block *last = &o->slots[count - 1];
    if (last->size >= DICTIONARY)
        memcpy(o->filtered, last->filtered + last->size - DICTIONARY, DICTIONARY);
    return status;
}

static rv_status put_picture(png_output *o) {
    uLong adler = adler32(0, NULL, 0);
    rv_status status = put_head(o);
    for (; o->first < o->blocks && status == RV_OK; o->first += o->slot_count) {
        int left = o->blocks - o->first;
        status = put_blocks(o, left < o->slot_count ? left : o->slot_count, &adler);
    }
    unsigned char sum[4];
    put_32(sum, (uint32_t)adler);
    if (status == RV_OK)
        status = put_chunk(o, "IDAT", sum, sizeof sum);
    return status == RV_OK ? put_chunk(o, "IEND", "", 0) : status;
}

static voidpf give_memory(voidpf context, uInt count, uInt size) {
    return rvi_alloc(context, count, size, "writing a PNG");
}

static void take_memory(voidpf context, voidpf memory) {
    rvi_free(context, memory);
}

/* Two for each thread, so that who is done early takes another, as far as there is memory. */
static int slots_for(const png_output *o, size_t each) {
    int threads = rv_context_threads(o->ctx), count = threads > 1 ? 2 * threads : 1;
    size_t limit = rv_context_memory_limit(o->ctx), used = rv_context_memory_used(o->ctx);
    size_t room = limit > used ? limit - used : 0;
    count = count < o->blocks ? count : o->blocks;
    while (count > 1 && DICTIONARY + (size_t)count * each > room)
        count /= 2;
    return count;
}

static int rows_of_block(size_t row) {
    return row + 1 < BLOCK ? (int)(BLOCK / (row + 1)) : 1;
}

static size_t room_for(size_t block) {
    return (size_t)compressBound((uLong)block) + ROOM;
}

/* Beside the dictionary. */
static size_t slot_bytes(size_t row) {
    size_t block = (size_t)rows_of_block(row) * (row + 1);
    return STREAM + block + room_for(block) + 3 * row;
}

size_t rvi_png_bytes(size_t row) {
    return DICTIONARY + slot_bytes(row) + sizeof(png_block);
}

static bool make_slots(png_output *o) {
    size_t block = (size_t)o->rows * (o->row + 1), chunk = room_for(block);
    size_t count = (size_t)slots_for(o, slot_bytes(o->row));
    o->filtered = rvi_alloc(o->ctx, DICTIONARY + count * block, 1, "writing a PNG");
    o->chunks = rvi_alloc(o->ctx, count, chunk, "writing a PNG");
    o->scratch = rvi_alloc(o->ctx, count, 3 * o->row, "writing a PNG");
    o->slots = rvi_alloc(o->ctx, count, sizeof *o->slots, "writing a PNG");
    if (!o->filtered || !o->chunks || !o->scratch || !o->slots)
        return false;
    for (size_t i = 0; i < count; i++) {
        png_block *b = &o->slots[i];
        b->filtered = o->filtered + DICTIONARY + i * block;
        b->chunk = o->chunks + i * chunk;
        b->room = chunk - CHUNK - 4;
        b->rows = o->scratch + i * 3 * o->row;
        b->z = (z_stream){.zalloc = give_memory, .zfree = take_memory, .opaque = o->ctx};
        if (deflateInit2(&b->z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            return false;
        o->slot_count++;
    }
    return true;
}

static rv_status write_picture(png_output *o) {
    o->pixel = (size_t)o->channels * (size_t)o->bits / 8;
    o->row = (size_t)o->width * o->pixel;
    o->rows = rows_of_block(o->row);
    o->blocks = (o->height + o->rows - 1) / o->rows;
    rv_status status = make_slots(o) ? put_picture(o) : RV_ERROR_MEMORY;
    for (int i = 0; i < o->slot_count; i++)
        deflateEnd(&o->slots[i].z);
    rvi_free(o->ctx, o->slots);
    rvi_free(o->ctx, o->scratch);
    rvi_free(o->ctx, o->chunks);
    rvi_free(o->ctx, o->filtered);
    return status;
}

static rv_status encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    png_output o = {.ctx = ctx,
                    .name = "PNG",
                    .writer = writer,
                    .width = raster->width,
                    .height = raster->height,
                    .bits = raster->bits,
                    .channels = 1,
                    .raster = raster};
    return write_picture(&o);
}

rv_status rvi_png_write_picture(rv_context *ctx, const char *path, int width, int height,
                                int channels, const unsigned char *rgb) {
    png_output o = {.ctx = ctx,
                    .name = path,
                    .width = width,
                    .height = height,
                    .bits = 8,
                    .channels = channels,
                    .pixels = rgb};
    rv_status status = rvi_writer_open(ctx, path, &o.writer);
    if (status != RV_OK)
        return status;
    status = write_picture(&o);
    if (status == RV_OK)
        return rvi_writer_commit(o.writer);
    rvi_writer_abandon(o.writer);
    return status;
}

const rvi_format rvi_format_png = {".png", "big", true, false, 8, read_header, decode, encode};

#else /* a build without libpng */

size_t rvi_png_bytes(size_t row) {
    (void)row;
    return 0;
}

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
