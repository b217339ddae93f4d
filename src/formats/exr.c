/* exr.c: EXR pictures whose one channel are heights, by OpenEXR's C core. The file lies in memory
 * on both ways, so the library touches no file.
 *
 * Read are pictures of one part, in lines or tiles, without loss: not packed, RLE, ZIP, ZIPS, PIZ;
 * numbers of half, float or uint; the channel Y, else R, else Z, else the only one. Written are
 * floats in lines, packed by ZIP, as channel Y, or as R, G and B that are the same.
 *
 * The layout of its structures changes from version to version: those of the header that this is
 * compiled with belong to the library of the name that the build gives, and to no other. */
#include "formats/exr.h"

#include <OpenEXR/openexr.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/loaded_library.h"

/* What of it is called. */
typedef struct openexr {
    exr_result_t (*exr_start_read)(exr_context_t *, const char *,
                                   const exr_context_initializer_t *);
    exr_result_t (*exr_start_write)(exr_context_t *, const char *, exr_default_write_mode_t,
                                    const exr_context_initializer_t *);
    exr_result_t (*exr_finish)(exr_context_t *);
    const char *(*exr_get_default_error_message)(exr_result_t);
    exr_result_t (*exr_get_count)(exr_const_context_t, int *);
    exr_result_t (*exr_get_storage)(exr_const_context_t, int, exr_storage_t *);
    exr_result_t (*exr_get_compression)(exr_const_context_t, int, exr_compression_t *);
    exr_result_t (*exr_get_data_window)(exr_const_context_t, int, exr_attr_box2i_t *);
    exr_result_t (*exr_get_channels)(exr_const_context_t, int, const exr_attr_chlist_t **);
    exr_result_t (*exr_get_tile_descriptor)(exr_const_context_t, int, uint32_t *, uint32_t *,
                                            exr_tile_level_mode_t *, exr_tile_round_mode_t *);
    exr_result_t (*exr_get_chunk_unpacked_size)(exr_const_context_t, int, uint64_t *);
    exr_result_t (*exr_get_scanlines_per_chunk)(exr_const_context_t, int, int32_t *);
    exr_result_t (*exr_read_scanline_chunk_info)(exr_const_context_t, int, int, exr_chunk_info_t *);
    exr_result_t (*exr_read_tile_chunk_info)(exr_const_context_t, int, int, int, int, int,
                                             exr_chunk_info_t *);
    exr_result_t (*exr_decoding_initialize)(exr_const_context_t, int, const exr_chunk_info_t *,
                                            exr_decode_pipeline_t *);
    exr_result_t (*exr_decoding_choose_default_routines)(exr_const_context_t, int,
                                                         exr_decode_pipeline_t *);
    exr_result_t (*exr_decoding_update)(exr_const_context_t, int, const exr_chunk_info_t *,
                                        exr_decode_pipeline_t *);
    exr_result_t (*exr_decoding_run)(exr_const_context_t, int, exr_decode_pipeline_t *);
    exr_result_t (*exr_decoding_destroy)(exr_const_context_t, exr_decode_pipeline_t *);
    exr_result_t (*exr_add_part)(exr_context_t, const char *, exr_storage_t, int *);
    exr_result_t (*exr_initialize_required_attr_simple)(exr_context_t, int, int32_t, int32_t,
                                                        exr_compression_t);
    int (*exr_add_channel)(exr_context_t, int, const char *, exr_pixel_type_t,
                           exr_perceptual_treatment_t, int32_t, int32_t);
    exr_result_t (*exr_write_header)(exr_context_t);
    exr_result_t (*exr_write_scanline_chunk_info)(exr_context_t, int, int, exr_chunk_info_t *);
    exr_result_t (*exr_encoding_initialize)(exr_const_context_t, int, const exr_chunk_info_t *,
                                            exr_encode_pipeline_t *);
    exr_result_t (*exr_encoding_choose_default_routines)(exr_const_context_t, int,
                                                         exr_encode_pipeline_t *);
    exr_result_t (*exr_encoding_update)(exr_const_context_t, int, const exr_chunk_info_t *,
                                        exr_encode_pipeline_t *);
    exr_result_t (*exr_encoding_run)(exr_const_context_t, int, exr_encode_pipeline_t *);
    exr_result_t (*exr_encoding_destroy)(exr_const_context_t, exr_encode_pipeline_t *);
} openexr;

enum {
    LINES = 16,        /* of a chunk packed by ZIP */
    ZIP_LEVEL = 4,     /* of 9; as OpenEXR has it since 3.1.3 */
    RATIO = 1100,      /* nothing that is read here unpacks to more than this many times its size */
    CHUNK_LEAST = 17,  /* bytes: its place in the table, its header and something in it */
    CHUNK_HEAD = 8,    /* bytes before the values of a chunk of lines */
    HEADER_MOST = 4096 /* bytes of a header that is written */
};

static bool exr_begin(openexr *x) {
    static const char *const name[] = {RVI_OPENEXR_NAME};
    void *library = rvi_library_load(name, 1);
    bool there = library != NULL;
/* The types must be those of the header. */
#define BIND(name)                                                                                 \
    (void)sizeof(x->name = name);                                                                  \
    there = there && rvi_library_find(library, #name, &x->name, sizeof x->name)
    BIND(exr_start_read);
    BIND(exr_start_write);
    BIND(exr_finish);
    BIND(exr_get_default_error_message);
    BIND(exr_get_count);
    BIND(exr_get_storage);
    BIND(exr_get_compression);
    BIND(exr_get_data_window);
    BIND(exr_get_channels);
    BIND(exr_get_tile_descriptor);
    BIND(exr_get_chunk_unpacked_size);
    BIND(exr_get_scanlines_per_chunk);
    BIND(exr_read_scanline_chunk_info);
    BIND(exr_read_tile_chunk_info);
    BIND(exr_decoding_initialize);
    BIND(exr_decoding_choose_default_routines);
    BIND(exr_decoding_update);
    BIND(exr_decoding_run);
    BIND(exr_decoding_destroy);
    BIND(exr_add_part);
    BIND(exr_initialize_required_attr_simple);
    BIND(exr_add_channel);
    BIND(exr_write_header);
    BIND(exr_write_scanline_chunk_info);
    BIND(exr_encoding_initialize);
    BIND(exr_encoding_choose_default_routines);
    BIND(exr_encoding_update);
    BIND(exr_encoding_run);
    BIND(exr_encoding_destroy);
#undef BIND
    return there;
}

bool rvi_exr_there(void) {
    openexr x;
    return exr_begin(&x);
}

rv_status rvi_exr_check(rv_context *ctx, rv_status status, const char *path) {
    if (rvi_exr_there())
        return RV_OK;
    return rvi_fail(ctx, status,
                    "%s: EXR needs OpenEXR, and no " RVI_OPENEXR_NAME
                    " is installed here; .tif and .npy hold the same values without it.",
                    path);
}

/* ---- One file ---- */

typedef struct session {
    openexr x;
    rv_context *ctx;
    exr_context_t file;
    const rvi_source *source; /* reading */
    const char *channel;      /* that with the heights */
    exr_pixel_type_t type;    /* of its values */
    int top, width;           /* of the picture */
    float *to;                /* where the values of the next chunk go */
    bool tiled;
    int channels;                                          /* writing: 1 or 3 */
    exr_result_t (*compress)(exr_encode_pipeline_t *pipe); /* that of the library */
    unsigned char *out;
    size_t used, room;
} session;

/* What went wrong is asked for, not printed. */
static void keep_quiet(exr_const_context_t file, exr_result_t code, const char *message) {
    (void)file, (void)code, (void)message;
}

static rv_status fail_as_said(const session *s, exr_result_t code) {
    if (s->source == NULL)
        return rvi_fail(s->ctx, RV_ERROR_INTERNAL, "The EXR cannot be made: OpenEXR says \"%s\".",
                        s->x.exr_get_default_error_message(code));
    if (code == EXR_ERR_OUT_OF_MEMORY)
        return rvi_fail(s->ctx, RV_ERROR_MEMORY, "The machine has no memory left to read %s.",
                        s->source->name);
    return rvi_fail(s->ctx, RV_ERROR_INPUT, "%s is damaged: OpenEXR says \"%s\".", s->source->name,
                    s->x.exr_get_default_error_message(code));
}

/* ---- Reading ---- */

static int64_t tell_size(exr_const_context_t file, void *user) {
    (void)file;
    const session *s = user;
    return (int64_t)s->source->total;
}

static int64_t read_bytes(exr_const_context_t file, void *user, void *to, uint64_t size,
                          uint64_t from, exr_stream_error_func_ptr_t fail) {
    (void)file, (void)fail;
    const session *s = user;
    uint64_t there = from < s->source->size ? s->source->size - from : 0;
    size_t some = (size_t)(size < there ? size : there);
    if (some > 0)
        memcpy(to, s->source->data + from, some);
    return (int64_t)some;
}

static rv_status start_read(session *s) {
    exr_context_initializer_t how = EXR_DEFAULT_CONTEXT_INITIALIZER;
    how.error_handler_fn = keep_quiet;
    how.user_data = s;
    how.read_fn = read_bytes;
    how.size_fn = tell_size;
    how.max_image_width = how.max_image_height = RVI_SIDE_MOST;
    how.max_tile_width = how.max_tile_height = RVI_SIDE_MOST;
    exr_result_t code = s->x.exr_start_read(&s->file, s->source->name, &how);
    return code == EXR_ERR_SUCCESS ? RV_OK : fail_as_said(s, code);
}

/* Pictures in one part, of values that are as they were. */
static rv_status check_kind(session *s) {
    static const char *const packed[] = {"none",  "RLE", "ZIPS", "ZIP",  "PIZ",
                                         "PXR24", "B44", "B44A", "DWAA", "DWAB"};
    const char *name = s->source->name;
    int parts = 0;
    exr_storage_t storage = EXR_STORAGE_SCANLINE;
    exr_compression_t compression = EXR_COMPRESSION_NONE;
    exr_result_t code = s->x.exr_get_count(s->file, &parts);
    if (code == EXR_ERR_SUCCESS)
        code = s->x.exr_get_storage(s->file, 0, &storage);
    if (code == EXR_ERR_SUCCESS)
        code = s->x.exr_get_compression(s->file, 0, &compression);
    if (code != EXR_ERR_SUCCESS)
        return fail_as_said(s, code);
    if (parts != 1)
        return rvi_fail(s->ctx, RV_ERROR_INPUT, "%s has %d parts; heights need one.", name, parts);
    if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED)
        return rvi_fail(s->ctx, RV_ERROR_INPUT, "%s is a deep picture, which is no heightmap.",
                        name);
    if ((unsigned)compression > EXR_COMPRESSION_PIZ)
        return rvi_fail(s->ctx, RV_ERROR_INPUT,
                        "%s is packed by %s, which changes heights; ZIP, ZIPS, PIZ and RLE do not.",
                        name,
                        (size_t)compression < sizeof packed / sizeof packed[0] ? packed[compression]
                                                                               : "another method");
    s->tiled = storage == EXR_STORAGE_TILED;
    return RV_OK;
}

static rv_status choose_channel(session *s, rvi_image *out) {
    static const char *const names[] = {"Y", "R", "Z"};
    const exr_attr_chlist_t *list = NULL;
    const exr_attr_chlist_entry_t *chosen = NULL;
    exr_result_t code = s->x.exr_get_channels(s->file, 0, &list);
    if (code != EXR_ERR_SUCCESS)
        return fail_as_said(s, code);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        for (int i = 0; i < list->num_channels && chosen == NULL; i++)
            if (strcmp(list->entries[i].name.str, names[k]) == 0)
                chosen = &list->entries[i];
    if (chosen == NULL && list->num_channels == 1)
        chosen = &list->entries[0];
    if (chosen == NULL)
        return rvi_fail(s->ctx, RV_ERROR_INPUT,
                        "%s has %d channels, and none is called Y, R or Z: which holds heights is "
                        "not known.",
                        s->source->name, list->num_channels);
    for (int i = 0; i < list->num_channels; i++)
        if (list->entries[i].x_sampling != 1 || list->entries[i].y_sampling != 1)
            return rvi_fail(s->ctx, RV_ERROR_INPUT,
                            "%s: some channels have a value for some cells only.", s->source->name);
    s->channel = chosen->name.str;
    s->type = chosen->pixel_type;
    out->bits = chosen->pixel_type == EXR_PIXEL_HALF ? 16 : 32;
    return RV_OK;
}

/* Bytes of the file that as many chunks need at least. */
static rv_status check_chunks(session *s, const rvi_image *image) {
    uint64_t columns = 1, lines = 1, unpacked = 0;
    uint64_t width = (uint64_t)image->width, height = (uint64_t)image->height;
    exr_result_t code;
    if (s->tiled) {
        uint32_t x = 1, y = 1;
        exr_tile_level_mode_t levels;
        exr_tile_round_mode_t rounds;
        code = s->x.exr_get_tile_descriptor(s->file, 0, &x, &y, &levels, &rounds);
        columns = x > 0 ? (width + x - 1) / x : 1;
        lines = y > 0 ? y : 1;
    } else {
        int32_t some = 1;
        code = s->x.exr_get_scanlines_per_chunk(s->file, 0, &some);
        lines = some > 0 ? (uint64_t)some : 1;
    }
    if (code == EXR_ERR_SUCCESS)
        code = s->x.exr_get_chunk_unpacked_size(s->file, 0, &unpacked);
    if (code != EXR_ERR_SUCCESS)
        return fail_as_said(s, code);
    uint64_t chunks = columns * ((height + lines - 1) / lines);
    uint64_t values = width * height * (uint64_t)image->bits / 8;
    if (chunks * CHUNK_LEAST > s->source->total || values / RATIO > s->source->total)
        return rvi_fail(s->ctx, RV_ERROR_INPUT,
                        "%s has only %llu bytes; its header says %d x %d cells, which need more.",
                        s->source->name, (unsigned long long)s->source->total, image->width,
                        image->height);
    /* The library holds a chunk packed, unpacked and in between. */
    return rvi_memory_check(s->ctx, unpacked < SIZE_MAX / 4 ? 3 * (size_t)unpacked : SIZE_MAX / 2,
                            "a part of an EXR");
}

static rv_status find_header(session *s, rvi_image *out) {
    static const unsigned char magic[] = {'v', '/', '1', 1};
    size_t common = s->source->size < sizeof magic ? s->source->size : sizeof magic;
    exr_attr_box2i_t window;
    rvi_image found = {0};
    if (common == 0 || memcmp(s->source->data, magic, common) != 0)
        return rvi_source_wrong(s->ctx, s->source, "an OpenEXR picture");
    if (!exr_begin(&s->x))
        return rvi_exr_check(s->ctx, RV_ERROR_INPUT, s->source->name);
    rv_status status = start_read(s);
    if (status == RV_OK)
        status = check_kind(s);
    if (status == RV_OK)
        status = choose_channel(s, &found);
    if (status != RV_OK)
        return status;
    exr_result_t code = s->x.exr_get_data_window(s->file, 0, &window);
    if (code != EXR_ERR_SUCCESS)
        return fail_as_said(s, code);
    int64_t width = (int64_t)window.max.x - window.min.x + 1;
    int64_t height = (int64_t)window.max.y - window.min.y + 1;
    status = rvi_size_check(s->ctx, s->source->name, width > 0 ? (uint64_t)width : 0,
                            height > 0 ? (uint64_t)height : 0);
    found.width = (int)width;
    found.height = (int)height;
    s->top = window.min.y;
    s->width = (int)width;
    if (status == RV_OK)
        status = check_chunks(s, &found);
    return status == RV_OK ? rvi_image_found(s->ctx, s->source->name, found, out) : status;
}

static rv_status exr_read_header(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    session s = {.ctx = ctx, .source = source};
    rv_status status = find_header(&s, out);
    if (s.file != NULL)
        s.x.exr_finish(&s.file);
    return status;
}

/* A float has room for every half: 1 bit of sign, 5 of the exponent, 10 of the fraction. */
static float half_value(const unsigned char *at) {
    uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8;
    uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = (float)fraction * 0x1p-24f; /* below the normal ones */
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    if (exponent == 31)
        word = 0x7F800000 | fraction << 13;
    else if (exponent > 0)
        word = (exponent + 112) << 23 | fraction << 13;
    word |= sign;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void take_line(const unsigned char *from, exr_pixel_type_t type, int count, float *to) {
    for (int i = 0; i < count; i++)
        to[i] = type == EXR_PIXEL_HALF ? half_value(from + 2 * (size_t)i)
                                       : rvi_sample_value(type == EXR_PIXEL_UINT ? 'u' : 'f', 4,
                                                          false, from + 4 * (size_t)i);
}

/* The library calls this with the bytes of a chunk, unpacked: in each line one channel after the
 * other. Its own functions for this write to channels that nobody asked for. */
static exr_result_t take_chunk(exr_decode_pipeline_t *pipe) {
    const session *s = pipe->decoding_user_data;
    const exr_chunk_info_t *chunk = &pipe->chunk;
    const unsigned char *from = pipe->unpacked_buffer;
    size_t line = 0, before = 0;
    for (int i = 0; i < pipe->channel_count; i++) {
        if (strcmp(pipe->channels[i].channel_name, s->channel) == 0)
            before = line;
        line += (size_t)chunk->width * (size_t)pipe->channels[i].bytes_per_element;
    }
    if (from == NULL || chunk->unpacked_size != line * (size_t)chunk->height)
        return EXR_ERR_CORRUPT_CHUNK;
    for (int y = 0; y < chunk->height; y++)
        take_line(from + (size_t)y * line + before, s->type, chunk->width,
                  s->to + (size_t)y * (size_t)s->width);
    return EXR_ERR_SUCCESS;
}

/* A chunk of lines or a tile, whose corner is at x, y of the image. */
static exr_result_t decode_chunk(session *s, exr_decode_pipeline_t *pipe,
                                 const exr_chunk_info_t *chunk, int x, int y, rvi_image *out) {
    bool fits = chunk->width > 0 && chunk->height > 0 && chunk->width <= out->width - x &&
                chunk->height <= out->height - y;
    if (!fits ||
        (chunk->compression == EXR_COMPRESSION_NONE && chunk->packed_size != chunk->unpacked_size))
        return EXR_ERR_CORRUPT_CHUNK;
    bool first = pipe->channels == NULL;
    exr_result_t code = first ? s->x.exr_decoding_initialize(s->file, 0, chunk, pipe)
                              : s->x.exr_decoding_update(s->file, 0, chunk, pipe);
    if (code == EXR_ERR_SUCCESS && first)
        code = s->x.exr_decoding_choose_default_routines(s->file, 0, pipe);
    s->to = out->values + (size_t)y * (size_t)out->width + (size_t)x;
    pipe->decoding_user_data = s;
    pipe->unpack_and_convert_fn = take_chunk;
    return code == EXR_ERR_SUCCESS ? s->x.exr_decoding_run(s->file, 0, pipe) : code;
}

static rv_status decode_lines(session *s, exr_decode_pipeline_t *pipe, rvi_image *out) {
    exr_chunk_info_t chunk;
    for (int y = 0; y < out->height; y += chunk.height) {
        exr_result_t code = s->x.exr_read_scanline_chunk_info(s->file, 0, s->top + y, &chunk);
        if (code == EXR_ERR_SUCCESS)
            code = decode_chunk(s, pipe, &chunk, 0, y, out);
        if (code != EXR_ERR_SUCCESS)
            return fail_as_said(s, code);
        if (rvi_poll(s->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static rv_status decode_tiles(session *s, exr_decode_pipeline_t *pipe, rvi_image *out) {
    exr_chunk_info_t chunk;
    for (int y = 0, row = 0; y < out->height; y += chunk.height, row++)
        for (int x = 0, column = 0; x < out->width; x += chunk.width, column++) {
            exr_result_t code =
                s->x.exr_read_tile_chunk_info(s->file, 0, column, row, 0, 0, &chunk);
            if (code == EXR_ERR_SUCCESS)
                code = decode_chunk(s, pipe, &chunk, x, y, out);
            if (code != EXR_ERR_SUCCESS)
                return fail_as_said(s, code);
            if (rvi_poll(s->ctx) != RV_OK)
                return RV_CANCELLED;
        }
    return RV_OK;
}

static rv_status check_values(const session *s, const rvi_image *image) {
    for (int y = 0; y < image->height; y++) {
        const float *row = image->values + (size_t)y * (size_t)image->width;
        for (int x = 0; x < image->width; x++)
            if (rvi_value_wrong(s->source, row[x]))
                return rvi_value_bad(s->ctx, s->source->name, y, x, row[x]);
        if (rvi_poll(s->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static rv_status exr_decode(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    session s = {.ctx = ctx, .source = source};
    exr_decode_pipeline_t pipe = EXR_DECODE_PIPELINE_INITIALIZER;
    rv_status status = find_header(&s, out);
    if (status == RV_OK) {
        out->values = rvi_image_alloc(ctx, out);
        status = out->values == NULL ? RV_ERROR_MEMORY
                 : s.tiled           ? decode_tiles(&s, &pipe, out)
                                     : decode_lines(&s, &pipe, out);
        if (pipe.channels != NULL)
            s.x.exr_decoding_destroy(s.file, &pipe);
    }
    if (status == RV_OK)
        status = check_values(&s, out);
    if (s.file != NULL)
        s.x.exr_finish(&s.file);
    if (status != RV_OK) {
        rvi_free(ctx, out->values);
        out->values = NULL;
    }
    return status;
}

/* ---- Writing ---- */

/* Where zlib gains nothing, lines are stored as they are. */
static size_t room_for(int width, int height, int channels) {
    size_t chunks = ((size_t)height + LINES - 1) / LINES;
    return HEADER_MOST + chunks * (sizeof(uint64_t) + CHUNK_HEAD) +
           (size_t)width * (size_t)height * (size_t)channels * sizeof(float);
}

size_t rvi_exr_bytes(int width, int height) {
    return rvi_alloc_size(room_for(width, height, 1), 1);
}

/* The table of chunks, which lies before them, comes last. */
static int64_t write_bytes(exr_const_context_t file, void *user, const void *from, uint64_t size,
                           uint64_t at, exr_stream_error_func_ptr_t fail) {
    (void)file, (void)fail;
    session *s = user;
    if (at > s->room || size > s->room - at)
        return -1;
    memcpy(s->out + at, from, (size_t)size);
    s->used = at + size > s->used ? (size_t)(at + size) : s->used;
    return (int64_t)size;
}

static exr_result_t start_write(session *s, const rvi_raster *raster) {
    static const char *const colours[] = {"B", "G", "R"}; /* in the order of their names */
    exr_context_initializer_t how = EXR_DEFAULT_CONTEXT_INITIALIZER;
    int part = 0;
    how.error_handler_fn = keep_quiet;
    how.user_data = s;
    how.write_fn = write_bytes;
    how.zip_level = ZIP_LEVEL;
    exr_result_t code = s->x.exr_start_write(&s->file, "save", EXR_WRITE_FILE_DIRECTLY, &how);
    if (code == EXR_ERR_SUCCESS)
        code = s->x.exr_add_part(s->file, "heights", EXR_STORAGE_SCANLINE, &part);
    if (code == EXR_ERR_SUCCESS)
        code = s->x.exr_initialize_required_attr_simple(s->file, part, raster->width,
                                                        raster->height, EXR_COMPRESSION_ZIP);
    for (int i = 0; i < s->channels && code == EXR_ERR_SUCCESS; i++)
        code = s->x.exr_add_channel(s->file, part, s->channels == 1 ? "Y" : colours[i],
                                    EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LINEAR, 1, 1);
    return code == EXR_ERR_SUCCESS ? s->x.exr_write_header(s->file) : code;
}

/* A chunk that is as long as its lines are is read as those lines. OpenEXR (3.1 to 3.1.5 at least)
 * leaves it packed where that is by chance exactly as long. */
static exr_result_t compress_chunk(exr_encode_pipeline_t *pipe) {
    const session *s = pipe->encoding_user_data;
    exr_result_t code = s->compress(pipe);
    if (code == EXR_ERR_SUCCESS && pipe->compressed_bytes == pipe->packed_bytes)
        memcpy(pipe->compressed_buffer, pipe->packed_buffer, (size_t)pipe->packed_bytes);
    return code;
}

static exr_result_t encode_chunk(session *s, exr_encode_pipeline_t *pipe, const rvi_raster *raster,
                                 int y) {
    exr_chunk_info_t chunk;
    exr_result_t code = s->x.exr_write_scanline_chunk_info(s->file, 0, y, &chunk);
    bool first = pipe->channels == NULL;
    if (code == EXR_ERR_SUCCESS)
        code = first ? s->x.exr_encoding_initialize(s->file, 0, &chunk, pipe)
                     : s->x.exr_encoding_update(s->file, 0, &chunk, pipe);
    if (code != EXR_ERR_SUCCESS)
        return code;
    for (int i = 0; i < pipe->channel_count; i++) {
        exr_coding_channel_info_t *c = &pipe->channels[i];
        c->encode_from_ptr = (const uint8_t *)(raster->values + (size_t)y * (size_t)raster->width);
        c->user_data_type = EXR_PIXEL_FLOAT;
        c->user_bytes_per_element = sizeof(float);
        c->user_pixel_stride = sizeof(float);
        c->user_line_stride = raster->width * (int32_t)sizeof(float);
    }
    if (first) {
        code = s->x.exr_encoding_choose_default_routines(s->file, 0, pipe);
        pipe->encoding_user_data = s;
        s->compress = pipe->compress_fn;
        pipe->compress_fn = s->compress ? compress_chunk : NULL;
    }
    return code == EXR_ERR_SUCCESS ? s->x.exr_encoding_run(s->file, 0, pipe) : code;
}

static rv_status encode_lines(session *s, const rvi_raster *raster) {
    exr_encode_pipeline_t pipe = EXR_ENCODE_PIPELINE_INITIALIZER;
    exr_result_t code = start_write(s, raster);
    rv_status status = RV_OK;
    for (int y = 0; y < raster->height && code == EXR_ERR_SUCCESS && status == RV_OK; y += LINES) {
        code = encode_chunk(s, &pipe, raster, y);
        status = rvi_poll(s->ctx);
    }
    if (pipe.channels != NULL)
        s->x.exr_encoding_destroy(s->file, &pipe);
    if (s->file != NULL) {
        exr_result_t end = s->x.exr_finish(&s->file);
        code = code == EXR_ERR_SUCCESS ? end : code;
    }
    return status != RV_OK ? status : code == EXR_ERR_SUCCESS ? RV_OK : fail_as_said(s, code);
}

static rv_status encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster,
                        int channels) {
    session s = {.ctx = ctx,
                 .channels = channels,
                 .room = room_for(raster->width, raster->height, channels)};
    if (!exr_begin(&s.x))
        return rvi_exr_check(ctx, RV_ERROR_INTERNAL, "save");
    s.out = rvi_alloc(ctx, s.room, 1, "an EXR");
    rv_status status = s.out ? encode_lines(&s, raster) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_writer_put(writer, s.out, s.used);
    rvi_free(ctx, s.out);
    return status;
}

static rv_status exr_encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    return encode(ctx, writer, raster, 1);
}

rv_status rvi_exr_encode_rgb(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    return encode(ctx, writer, raster, 3);
}

const rvi_format rvi_format_exr = {".exr", "little",        false,      false,
                                   32,     exr_read_header, exr_decode, exr_encode};
