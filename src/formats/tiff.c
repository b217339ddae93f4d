/* tiff.c: TIFF and GeoTIFF with one band. Read are floats of 4 and 8 bytes and whole numbers of 1
 * to 4, in strips or tiles, either byte order, also BigTIFF, plain or packed by deflate (where this
 * build has zlib) with or without a predictor. Whole numbers without a sign, of a file without a
 * georeference, are levels, as in a PNG; all other values are heights. What else a TIFF can be is
 * left to GDAL. Written are float32 in plain strips, little-endian, as BigTIFF above 4 GB.
 *
 * Format: Adobe, TIFF Revision 6.0 and Technical Note 3; OGC 19-008r4 (GeoTIFF); GDAL's tag 42113
 * for the value of cells without a height. The tags of the projection are kept as they are. */
#include "formats/tiff.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/text.h"
#include "formats/geo_keys.h"

#ifdef RAVINE_PNG
#include <zlib.h> /* which libpng brings */
#endif

enum {
    TAG_SUBFILE = 254,
    TAG_WIDTH = 256,
    TAG_HEIGHT = 257,
    TAG_BITS = 258,
    TAG_COMPRESSION = 259,
    TAG_PHOTOMETRIC = 262,
    TAG_STRIP_OFFSETS = 273,
    TAG_SAMPLES = 277,
    TAG_STRIP_ROWS = 278,
    TAG_STRIP_BYTES = 279,
    TAG_PREDICTOR = 317,
    TAG_TILE_WIDTH = 322,
    TAG_TILE_HEIGHT = 323,
    TAG_TILE_OFFSETS = 324,
    TAG_TILE_BYTES = 325,
    TAG_SAMPLE_FORMAT = 339,
    TAG_SCALE = 33550,
    TAG_TIEPOINT = 33922,
    TAG_TRANSFORM = 34264,
    TAG_KEYS = 34735,
    TAG_DOUBLES = 34736,
    TAG_TEXT = 34737,
    TAG_METADATA = 42112,
    TAG_NODATA = 42113,

    TYPE_BYTE = 1,
    TYPE_ASCII = 2,
    TYPE_SHORT = 3,
    TYPE_LONG = 4,
    TYPE_DOUBLE = 12,
    TYPE_LONG8 = 16,

    PACKED_NOT = 1,
    PACKED_DEFLATE = 8,
    PACKED_DEFLATE_OLD = 32946,
    PREDICTED_NOT = 1,
    PREDICTED_WHOLE = 2,
    PREDICTED_FLOAT = 3,

    DIRECTORIES_MOST = 64, /* that are looked through for a mask */
    ZLIB_RATIO = 1032,     /* no stream of zlib unpacks to more than this many times its size */
    STRIP_BYTES = 1 << 20, /* about, of a strip that is written */
};

/* An entry of a directory. */
typedef struct entry {
    unsigned type;
    uint64_t count; /* of values; 0: it is not there */
    uint64_t at;    /* of the first, in the file */
} entry;

typedef struct tiff {
    rv_context *ctx;
    const rvi_source *source;
    bool big_endian, big; /* big: BigTIFF, whose offsets have 8 bytes */
    uint64_t width, height;
    unsigned bytes, packed, predicted;
    char kind; /* f, i or u */
    uint64_t chunk_width, chunk_height, across, down;
    entry offsets, sizes; /* of the chunks: strips or tiles */
    bool marked;          /* some value stands for no height: */
    float nodata;
    rvi_georeference geo;
    const char *foreign; /* why it is none that is read here; NULL: it is */
} tiff;

/* ---- Bytes ---- */

static rv_status damaged(const tiff *t, const char *what) {
    return rvi_fail(t->ctx, RV_ERROR_INPUT, "%s: the TIFF is damaged: %s.", t->source->name, what);
}

static bool is_there(const tiff *t, uint64_t at, uint64_t size) {
    return size <= t->source->size && at <= t->source->size - size;
}

/* A whole number of the file; it must be there. */
static uint64_t number_at(const tiff *t, uint64_t at, unsigned bytes) {
    const unsigned char *data = t->source->data + at;
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)data[t->big_endian ? bytes - 1 - i : i] << (8 * i);
    return value;
}

static unsigned type_bytes(unsigned type) {
    static const unsigned char bytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type < sizeof bytes ? bytes[type] : 0;
}

/* Value `i` of an entry that was checked, 0 where it is no whole number or is not there. */
static uint64_t whole(const tiff *t, const entry *e, uint64_t i) {
    bool known = e->type == TYPE_BYTE || e->type == TYPE_SHORT || e->type == TYPE_LONG ||
                 e->type == TYPE_LONG8;
    unsigned bytes = type_bytes(e->type);
    return known && i < e->count ? number_at(t, e->at + i * bytes, bytes) : 0;
}

static double real(const tiff *t, const entry *e, uint64_t i) {
    uint64_t bits = e->type == TYPE_DOUBLE && i < e->count ? number_at(t, e->at + 8 * i, 8) : 0;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- Directories ---- */

typedef struct directory {
    uint64_t first, count; /* of its entries */
    uint64_t next;         /* the directory after it; 0: none */
} directory;

static bool read_directory(const tiff *t, uint64_t at, directory *out) {
    unsigned count_bytes = t->big ? 8 : 2, entry_bytes = t->big ? 20 : 12, next = t->big ? 8 : 4;
    if (!is_there(t, at, count_bytes))
        return false;
    out->count = number_at(t, at, count_bytes);
    out->first = at + count_bytes;
    if (out->count > 65535 || !is_there(t, out->first, out->count * entry_bytes + next))
        return false;
    out->next = number_at(t, out->first + out->count * entry_bytes, next);
    return true;
}

/* The entry of a tag; none, or one whose values are not there, has a count of 0. */
static entry find(const tiff *t, const directory *d, unsigned tag) {
    unsigned entry_bytes = t->big ? 20 : 12, inside = t->big ? 8 : 4;
    for (uint64_t i = 0; i < d->count; i++) {
        uint64_t at = d->first + i * entry_bytes;
        if (number_at(t, at, 2) != tag)
            continue;
        entry e = {(unsigned)number_at(t, at + 2, 2), number_at(t, at + 4, inside),
                   at + 4 + inside};
        uint64_t bytes = type_bytes(e.type);
        if (bytes == 0 || e.count > t->source->size / bytes)
            return (entry){0};
        if (e.count * bytes > inside)
            e.at = number_at(t, e.at, inside);
        return is_there(t, e.at, e.count * bytes) ? e : (entry){0};
    }
    return (entry){0};
}

static uint64_t find_whole(const tiff *t, const directory *d, unsigned tag, uint64_t otherwise) {
    entry e = find(t, d, tag);
    return e.count > 0 ? whole(t, &e, 0) : otherwise;
}

/* Does one of the pictures after the first say which of its cells count? */
static bool has_mask(const tiff *t, const directory *first) {
    directory d = *first;
    for (int i = 0; i < DIRECTORIES_MOST && d.next != 0 && read_directory(t, d.next, &d); i++)
        if (find_whole(t, &d, TAG_SUBFILE, 0) & 4)
            return true;
    return false;
}

/* ---- What the tags say ---- */

/* The text of an entry, with its end; false: there is none, or it is longer than `room`. */
static bool text_of(const tiff *t, const entry *e, char *out, size_t room) {
    if (e->type != TYPE_ASCII || e->count == 0 || e->count >= room)
        return false;
    memcpy(out, t->source->data + e->at, (size_t)e->count);
    out[e->count] = '\0';
    return true;
}

static void read_nodata(tiff *t, const directory *d) {
    char text[64];
    double value;
    entry e = find(t, d, TAG_NODATA);
    if (!text_of(t, &e, text, sizeof text))
        return;
    const char *from = text + strspn(text, " ");
    size_t size = strcspn(from, " ");
    if (rvi_text_is(from, size, "nan") || rvi_text_is(from, size, "NaN"))
        value = (double)NAN;
    else if (!rvi_text_number(from, size, &value))
        return;
    t->marked = true;
    t->nodata = (float)value;
    t->geo.nodata = value;
}

/* The tags of the projection, byte for byte. */
static void read_keys(tiff *t, const directory *d) {
    rvi_georeference *g = &t->geo;
    entry keys = find(t, d, TAG_KEYS), doubles = find(t, d, TAG_DOUBLES),
          text = find(t, d, TAG_TEXT);
    if (keys.count == 0 || keys.type != TYPE_SHORT)
        return;
    bool fits = keys.count <= RVI_GEO_KEYS && doubles.count <= RVI_GEO_DOUBLES &&
                (text.count == 0 || text_of(t, &text, g->text, sizeof g->text));
    if (!fits) {
        rvi_log(t->ctx, "%s: its projection is too long to be kept.", t->source->name);
        g->text[0] = '\0';
        return;
    }
    g->key_count = (int32_t)keys.count;
    g->double_count = doubles.type == TYPE_DOUBLE ? (int32_t)doubles.count : 0;
    for (uint64_t i = 0; i < keys.count; i++)
        g->keys[i] = (uint16_t)whole(t, &keys, i);
    for (int32_t i = 0; i < g->double_count; i++)
        g->doubles[i] = real(t, &doubles, (uint64_t)i);
}

/* Where the tags put corner (0, 0) of the raster, and its steps. */
typedef struct place {
    double x, y, step_x, step_y;
    bool turned;
} place;

static bool read_place(const tiff *t, const directory *d, place *out) {
    entry scale = find(t, d, TAG_SCALE), tie = find(t, d, TAG_TIEPOINT),
          transform = find(t, d, TAG_TRANSFORM);
    *out = (place){0};
    if (scale.count >= 2 && tie.count >= 6) {
        out->step_x = real(t, &scale, 0);
        out->step_y = real(t, &scale, 1);
        out->x = real(t, &tie, 3) - real(t, &tie, 0) * out->step_x;
        out->y = real(t, &tie, 4) + real(t, &tie, 1) * out->step_y;
        return true;
    }
    if (transform.count < 16)
        return false;
    out->step_x = real(t, &transform, 0);
    out->step_y = -real(t, &transform, 5);
    out->x = real(t, &transform, 3);
    out->y = real(t, &transform, 7);
    out->turned = real(t, &transform, 1) != 0.0 || real(t, &transform, 4) != 0.0;
    return true;
}

static rv_status read_georeference(tiff *t, const directory *d) {
    rvi_georeference *g = &t->geo;
    place p;
    read_keys(t, d);
    if (!read_place(t, d, &p))
        return RV_OK;
    if (p.turned || p.step_x < 0.0 || p.step_y < 0.0)
        return rvi_georeference_turned(t->ctx, t->source->name);
    double half =
        rvi_geo_keys_are_points(g) ? 0.0 : 0.5; /* a corner is a cell, or half of one off */
    g->step_x = p.step_x;
    g->step_y = p.step_y;
    g->x = p.x + half * p.step_x;
    g->y = p.y - half * p.step_y;
    return rvi_georeference_right(g) ? RV_OK : damaged(t, "its georeference is no place");
}

/* ---- Which TIFF it is ---- */

static bool holds_text(const tiff *t, const entry *e, const char *text) {
    size_t size = strlen(text);
    for (uint64_t i = 0; e->type == TYPE_ASCII && i + size <= e->count; i++)
        if (memcmp(t->source->data + e->at + i, text, size) == 0)
            return true;
    return false;
}

static const char *find_foreign(const tiff *t, const directory *d) {
    entry metadata = find(t, d, TAG_METADATA);
    bool scaled =
        holds_text(t, &metadata, "role=\"scale\"") || holds_text(t, &metadata, "role=\"offset\"");
    if (find_whole(t, d, TAG_SAMPLES, 1) != 1)
        return "more than one band";
    if (has_mask(t, d))
        return "a mask beside its heights";
    if (scaled)
        return "values with a scale of their own";
    if (t->kind == '?' || find_whole(t, d, TAG_PHOTOMETRIC, 1) > 1)
        return "values of another kind";
#ifdef RAVINE_PNG
    if (t->packed != PACKED_NOT && t->packed != PACKED_DEFLATE && t->packed != PACKED_DEFLATE_OLD)
#else
    if (t->packed != PACKED_NOT)
#endif
        return "another compression";
    bool right = t->predicted == PREDICTED_NOT ||
                 (t->packed != PACKED_NOT && t->predicted == PREDICTED_WHOLE && t->kind != 'f') ||
                 (t->packed != PACKED_NOT && t->predicted == PREDICTED_FLOAT && t->kind == 'f');
    return right ? NULL : "another predictor";
}

static char find_kind(const tiff *t, const directory *d) {
    uint64_t bits = find_whole(t, d, TAG_BITS, 1), format = find_whole(t, d, TAG_SAMPLE_FORMAT, 1);
    if (format == 3 && (bits == 32 || bits == 64))
        return 'f';
    bool known = bits == 8 || bits == 16 || bits == 32;
    return known && format == 1 ? 'u' : known && format == 2 ? 'i' : '?';
}

/* Strips are tiles as wide as the picture. */
static rv_status find_chunks(tiff *t, const directory *d) {
    bool tiles = find(t, d, TAG_TILE_OFFSETS).count > 0;
    t->offsets = find(t, d, tiles ? TAG_TILE_OFFSETS : TAG_STRIP_OFFSETS);
    t->sizes = find(t, d, tiles ? TAG_TILE_BYTES : TAG_STRIP_BYTES);
    t->chunk_width = tiles ? find_whole(t, d, TAG_TILE_WIDTH, 0) : t->width;
    t->chunk_height =
        tiles ? find_whole(t, d, TAG_TILE_HEIGHT, 0) : find_whole(t, d, TAG_STRIP_ROWS, t->height);
    if (!tiles && t->chunk_height > t->height)
        t->chunk_height = t->height;
    if (t->chunk_width < 1 || t->chunk_height < 1 || t->chunk_width > 2 * RVI_SIDE_MOST ||
        t->chunk_height > 2 * RVI_SIDE_MOST)
        return damaged(t, "its tiles have no size");
    t->across = (t->width + t->chunk_width - 1) / t->chunk_width;
    t->down = (t->height + t->chunk_height - 1) / t->chunk_height;
    if (t->offsets.count < t->across * t->down || t->sizes.count < t->across * t->down)
        return damaged(t, "parts of the picture are not listed");
    return RV_OK;
}

/* Rows of the chunk that lie on the picture; strips end with it, tiles go on. */
static uint64_t chunk_rows(const tiff *t, uint64_t chunk) {
    uint64_t left = t->height - chunk / t->across * t->chunk_height;
    return left < t->chunk_height ? left : t->chunk_height;
}

/* Every chunk lies in the file, and has bytes enough for what it must become. One without any bytes
 * is empty: all its cells have no height, or are 0. */
static rv_status check_chunks(const tiff *t) {
    uint64_t row = t->chunk_width * t->bytes;
    for (uint64_t i = 0; i < t->across * t->down; i++) {
        uint64_t size = whole(t, &t->sizes, i), at = whole(t, &t->offsets, i);
        if (size == 0)
            continue;
        uint64_t needed = row * chunk_rows(t, i);
        if (!is_there(t, at, size))
            return rvi_fail(t->ctx, RV_ERROR_INPUT, "%s is cut off: it has %llu bytes only.",
                            t->source->name, (unsigned long long)t->source->total);
        if (needed / (t->packed == PACKED_NOT ? 1 : ZLIB_RATIO) > size)
            return damaged(t, "a part has too few bytes");
        if (rvi_poll_at(t->ctx, (size_t)i) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static rv_status begin(tiff *t, uint64_t *first) {
    const rvi_source *s = t->source;
    static const char kinds[4][5] = {"II*", "MM\0*", "II+", "MM\0+"};
    int kind = 0;
    while (kind < 4 && (s->size < 4 || memcmp(s->data, kinds[kind], 4) != 0))
        kind++;
    if (kind == 4)
        return rvi_source_wrong(t->ctx, s, "a TIFF picture");
    t->big_endian = kind & 1;
    t->big = kind >= 2;
    if (!is_there(t, 0, t->big ? 16 : 8))
        return damaged(t, "it is cut off within its header");
    *first = number_at(t, t->big ? 8 : 4, t->big ? 8 : 4);
    return RV_OK;
}

/* All but the values. */
static rv_status parse(rv_context *ctx, const rvi_source *source, tiff *t) {
    *t = (tiff){.ctx = ctx, .source = source};
    uint64_t first = 0;
    directory d;
    rv_status status = begin(t, &first);
    if (status != RV_OK)
        return status;
    if (!read_directory(t, first, &d))
        return damaged(t, "it has no directory");
    t->width = find_whole(t, &d, TAG_WIDTH, 0);
    t->height = find_whole(t, &d, TAG_HEIGHT, 0);
    t->packed = (unsigned)find_whole(t, &d, TAG_COMPRESSION, PACKED_NOT);
    t->predicted = (unsigned)find_whole(t, &d, TAG_PREDICTOR, PREDICTED_NOT);
    t->kind = find_kind(t, &d);
    t->bytes = (unsigned)find_whole(t, &d, TAG_BITS, 1) / 8;
    t->foreign = find_foreign(t, &d);
    if (t->foreign != NULL)
        return RV_OK;
    status = rvi_size_check(ctx, source->name, t->width, t->height);
    if (status == RV_OK)
        status = find_chunks(t, &d);
    if (status == RV_OK)
        status = check_chunks(t);
    if (status == RV_OK)
        status = read_georeference(t, &d);
    if (status == RV_OK)
        read_nodata(t, &d);
    return status;
}

const char *rvi_tiff_foreign(rv_context *ctx, const rvi_source *source) {
    tiff t;
    return parse(ctx, source, &t) == RV_OK ? t.foreign : NULL;
}

static rv_status find_header(rv_context *ctx, const rvi_source *source, tiff *t, rvi_image *out) {
    rv_status status = parse(ctx, source, t);
    if (status != RV_OK)
        return status;
    if (t->foreign != NULL)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s has %s, which Ravine does not read.", source->name,
                        t->foreign);
    bool levels = t->kind == 'u' && t->bytes < 4 && !rvi_georeference_known(&t->geo);
    rvi_image found = {.width = (int)t->width,
                       .height = (int)t->height,
                       .levels = levels,
                       .bits = (int)t->bytes * 8,
                       .marked = t->marked && !levels,
                       .geo = t->geo};
    return rvi_image_found(ctx, source->name, found, out);
}

static rv_status tiff_read_header(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    tiff t;
    return find_header(ctx, source, &t, out);
}

/* ---- The values ---- */

/* Rows of a chunk, one by one. */
typedef struct row_reader {
    const tiff *t;
    const unsigned char *from;
    uint64_t left;
    unsigned char *row, *held; /* held: for a predictor that mixes the bytes of a row */
    size_t size;               /* bytes of a row */
#ifdef RAVINE_PNG
    z_stream stream;
    bool starved;
#endif
} row_reader;

#ifdef RAVINE_PNG

static void *zlib_alloc(void *user, unsigned count, unsigned size) {
    row_reader *r = user;
    void *memory = rvi_alloc(r->t->ctx, count, size, "unpacking a TIFF");
    r->starved |= memory == NULL;
    return memory;
}

static void zlib_free(void *user, void *memory) {
    const row_reader *r = user;
    rvi_free(r->t->ctx, memory);
}

static rv_status unpack_begin(row_reader *r) {
    r->stream = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = r};
    r->stream.next_in = (z_const Bytef *)r->from;
    r->stream.avail_in = (uInt)(r->left < UINT32_MAX ? r->left : UINT32_MAX);
    if (inflateInit(&r->stream) == Z_OK)
        return RV_OK;
    return r->starved ? RV_ERROR_MEMORY : damaged(r->t, "zlib cannot be used");
}

static rv_status unpack_row(row_reader *r) {
    r->stream.next_out = r->row;
    r->stream.avail_out = (uInt)r->size;
    while (r->stream.avail_out > 0) {
        int code = inflate(&r->stream, Z_NO_FLUSH);
        if (r->starved)
            return RV_ERROR_MEMORY;
        if (code != Z_OK && !(code == Z_STREAM_END && r->stream.avail_out == 0))
            return damaged(r->t, "what is packed does not unpack");
    }
    return RV_OK;
}

static void unpack_end(row_reader *r) {
    inflateEnd(&r->stream);
}

#else

static rv_status unpack_begin(row_reader *r) {
    return damaged(r->t, "it is packed");
}

static rv_status unpack_row(row_reader *r) {
    return damaged(r->t, "it is packed");
}

static void unpack_end(row_reader *r) {
    (void)r;
}

#endif

/* Values are differences to the one before, in the order of bytes of the file. */
static void add_whole(const row_reader *r) {
    const tiff *t = r->t;
    uint64_t sum = 0;
    for (size_t i = 0; i + t->bytes <= r->size; i += t->bytes) {
        for (unsigned b = 0; b < t->bytes; b++)
            r->held[t->big_endian ? t->bytes - 1 - b : b] = r->row[i + b];
        for (unsigned b = 0; b < t->bytes; b++)
            sum += (uint64_t)r->held[b] << (8 * b);
        for (unsigned b = 0; b < t->bytes; b++)
            r->row[i + (t->big_endian ? t->bytes - 1 - b : b)] = (unsigned char)(sum >> (8 * b));
    }
}

/* Bytes are differences, first the highest ones of all values, then the next; the values become
 * big-endian ones. */
static void add_bytes(const row_reader *r) {
    size_t bytes = r->t->bytes, count = r->size / bytes;
    for (size_t i = 1; i < r->size; i++)
        r->row[i] = (unsigned char)(r->row[i] + r->row[i - 1]);
    memcpy(r->held, r->row, r->size);
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < bytes; b++)
            r->row[i * bytes + b] = r->held[b * count + i];
}

static rv_status next_row(row_reader *r) {
    const tiff *t = r->t;
    if (t->packed == PACKED_NOT) {
        memcpy(r->row, r->from, r->size); /* check_chunks saw that they are there */
        r->from += r->size;
        return RV_OK;
    }
    rv_status status = unpack_row(r);
    if (status == RV_OK && t->predicted == PREDICTED_WHOLE)
        add_whole(r);
    else if (status == RV_OK && t->predicted == PREDICTED_FLOAT)
        add_bytes(r);
    return status;
}

/* Texts of the largest float have more digits or fewer. */
static bool is_nodata(const tiff *t, float value) {
    return t->marked && (value == t->nodata || (isnan(value) && isnan(t->nodata)) ||
                         (fabsf(t->nodata) > 3e38f && fabsf(value) > 3e38f));
}

static rv_status put_row(const row_reader *r, const rvi_image *image, int x, int y, int count) {
    const tiff *t = r->t;
    bool big_endian = t->big_endian || t->predicted == PREDICTED_FLOAT;
    float *to = image->values + (size_t)y * (size_t)image->width + (size_t)x;
    for (int i = 0; i < count; i++) {
        float value =
            rvi_sample_value(t->kind, t->bytes, big_endian, r->row + (size_t)i * t->bytes);
        bool none = image->marked && is_nodata(t, value);
        if (!none && rvi_value_wrong(t->source, value))
            return rvi_value_bad(t->ctx, t->source->name, y, x + i, value);
        to[i] = none ? NAN : image->levels ? value / (float)rvi_level_top(image->bits) : value;
    }
    return rvi_poll(t->ctx);
}

static void put_empty(const tiff *t, const rvi_image *image, int x, int y, int count) {
    float *to = image->values + (size_t)y * (size_t)image->width + (size_t)x;
    for (int i = 0; i < count; i++)
        to[i] = image->marked && t->marked ? NAN : 0.0f;
}

static rv_status decode_chunk(row_reader *r, const rvi_image *image, uint64_t chunk) {
    const tiff *t = r->t;
    int x = (int)(chunk % t->across * t->chunk_width);
    int y = (int)(chunk / t->across * t->chunk_height), rows = (int)chunk_rows(t, chunk);
    uint64_t right = t->width - (uint64_t)x;
    int count = (int)(right < t->chunk_width ? right : t->chunk_width);
    r->left = whole(t, &t->sizes, chunk);
    bool empty = r->left == 0, packed = t->packed != PACKED_NOT && !empty;
    r->from = t->source->data + (empty ? 0 : whole(t, &t->offsets, chunk));
    rv_status status = packed ? unpack_begin(r) : RV_OK;
    if (status != RV_OK)
        return status;
    for (int i = 0; i < rows && status == RV_OK; i++) {
        if (empty) {
            put_empty(t, image, x, y + i, count);
            continue;
        }
        status = next_row(r);
        if (status == RV_OK)
            status = put_row(r, image, x, y + i, count);
    }
    if (packed)
        unpack_end(r);
    return status;
}

static rv_status decode_chunks(const tiff *t, rvi_image *out) {
    row_reader r = {.t = t, .size = (size_t)(t->chunk_width * t->bytes)};
    r.row = rvi_alloc(t->ctx, r.size, 1, "a row of a TIFF");
    r.held = rvi_alloc(t->ctx, r.size, 1, "a row of a TIFF");
    out->values = rvi_image_alloc(t->ctx, out);
    rv_status status = r.row && r.held && out->values ? RV_OK : RV_ERROR_MEMORY;
    for (uint64_t i = 0; i < t->across * t->down && status == RV_OK; i++)
        status = decode_chunk(&r, out, i);
    rvi_free(t->ctx, r.row);
    rvi_free(t->ctx, r.held);
    return status;
}

static rv_status tiff_decode(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    tiff t;
    rv_status status = find_header(ctx, source, &t, out);
    if (status != RV_OK)
        return status;
    status = decode_chunks(&t, out);
    if (status != RV_OK) {
        rvi_free(ctx, out->values);
        out->values = NULL;
    }
    return status;
}

/* ---- Writing ---- */

enum { ENTRIES_MOST = 20 };

/* The directory and what lies behind it, before the rows. */
typedef struct head {
    unsigned char *bytes;
    size_t size;
    size_t entries; /* how many so far */
    size_t free;    /* where the next long value goes */
    bool big;
} head;

static void put_number(unsigned char *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static size_t head_start(bool big) {
    return big ? 16 + 8 : 8 + 2;
}

/* An entry of `count` values; returns where their bytes go. */
static unsigned char *add_entry(head *h, unsigned tag, unsigned type, uint64_t count) {
    unsigned inside = h->big ? 8 : 4;
    unsigned char *at = h->bytes + head_start(h->big) + h->entries++ * (h->big ? 20 : 12);
    size_t bytes = (size_t)count * type_bytes(type);
    put_number(at, tag, 2);
    put_number(at + 2, type, 2);
    put_number(at + 4, count, inside);
    if (bytes <= inside)
        return at + 4 + inside;
    put_number(at + 4 + inside, h->free, inside);
    unsigned char *to = h->bytes + h->free;
    h->free += (bytes + 7) / 8 * 8;
    return to;
}

static void add_number(head *h, unsigned tag, unsigned type, uint64_t value) {
    put_number(add_entry(h, tag, type, 1), value, type_bytes(type));
}

static void add_doubles(head *h, unsigned tag, const double *values, size_t count) {
    unsigned char *to = add_entry(h, tag, TYPE_DOUBLE, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_number(to + 8 * i, bits, 8);
    }
}

static void add_text(head *h, unsigned tag, const char *text) {
    memcpy(add_entry(h, tag, TYPE_ASCII, strlen(text) + 1), text, strlen(text) + 1);
}

/* Tags are in rising order. */
static void add_georeference(head *h, const rvi_raster *raster) {
    static const uint16_t areas[] = {1, 1, 0, 1, RVI_GEO_KEY_RASTER, 0, 1, 1};
    const rvi_georeference *g = &raster->geo;
    double half = rvi_geo_keys_are_points(g) ? 0.0 : 0.5;
    const double scale[3] = {g->step_x, g->step_y, 0.0};
    const double tie[6] = {0, 0, 0, g->x - half * g->step_x, g->y + half * g->step_y, 0};
    const uint16_t *keys = g->key_count > 0 ? g->keys : areas;
    size_t count = g->key_count > 0 ? (size_t)g->key_count : sizeof areas / sizeof areas[0];
    add_doubles(h, TAG_SCALE, scale, 3);
    add_doubles(h, TAG_TIEPOINT, tie, 6);
    unsigned char *to = add_entry(h, TAG_KEYS, TYPE_SHORT, count);
    for (size_t i = 0; i < count; i++)
        put_number(to + 2 * i, keys[i], 2);
    if (g->double_count > 0)
        add_doubles(h, TAG_DOUBLES, g->doubles, (size_t)g->double_count);
    if (g->text[0] != '\0')
        add_text(h, TAG_TEXT, g->text);
}

typedef struct strips {
    uint64_t row, rows, count; /* bytes of a row, rows of a strip, how many strips */
} strips;

static void add_strips(head *h, const rvi_raster *raster, const strips *s, unsigned tag) {
    unsigned type = h->big ? TYPE_LONG8 : TYPE_LONG;
    unsigned char *to = add_entry(h, tag, type, s->count);
    for (uint64_t i = 0; i < s->count; i++) {
        uint64_t left = (uint64_t)raster->height - i * s->rows;
        uint64_t value = tag == TAG_STRIP_OFFSETS ? h->size + i * s->rows * s->row
                                                  : (left < s->rows ? left : s->rows) * s->row;
        put_number(to + i * type_bytes(type), value, type_bytes(type));
    }
}

static void fill_head(head *h, const rvi_raster *raster, const strips *s) {
    h->free = head_start(h->big) + ENTRIES_MOST * 20;
    add_number(h, TAG_WIDTH, TYPE_LONG, (uint64_t)raster->width);
    add_number(h, TAG_HEIGHT, TYPE_LONG, (uint64_t)raster->height);
    add_number(h, TAG_BITS, TYPE_SHORT, 32);
    add_number(h, TAG_COMPRESSION, TYPE_SHORT, PACKED_NOT);
    add_number(h, TAG_PHOTOMETRIC, TYPE_SHORT, 1);
    add_strips(h, raster, s, TAG_STRIP_OFFSETS);
    add_number(h, TAG_SAMPLES, TYPE_SHORT, 1);
    add_number(h, TAG_STRIP_ROWS, TYPE_LONG, s->rows);
    add_strips(h, raster, s, TAG_STRIP_BYTES);
    add_number(h, TAG_SAMPLE_FORMAT, TYPE_SHORT, 3);
    add_georeference(h, raster);
    if (raster->hole != NULL) {
        char text[32];
        rvi_text_print(text, sizeof text, 9, (double)raster->nodata);
        add_text(h, TAG_NODATA, text);
    }
    memcpy(h->bytes, h->big ? "II+" : "II*", 4);
    put_number(h->bytes + 4, 8, 4); /* the directory is at 8; in BigTIFF: offsets have 8 bytes */
    if (h->big)
        put_number(h->bytes + 8, 16, 8);
    put_number(h->bytes + (h->big ? 16 : 8), h->entries, h->big ? 8 : 2);
}

static size_t head_room(uint64_t strip_count) {
    size_t tables = 2 * ((size_t)strip_count * 8 + 8), geo = sizeof(rvi_georeference) + 256;
    return (head_start(true) + ENTRIES_MOST * 20 + 8 + tables + geo + 15) / 16 * 16;
}

size_t rvi_tiff_head_most(int height) {
    return head_room((uint64_t)height);
}

static rv_status make_head(rv_context *ctx, const rvi_raster *raster, head *h) {
    strips s = {.row = (uint64_t)raster->width * 4};
    s.rows = s.row < STRIP_BYTES ? STRIP_BYTES / s.row : 1;
    s.rows = s.rows < (uint64_t)raster->height ? s.rows : (uint64_t)raster->height;
    s.count = ((uint64_t)raster->height + s.rows - 1) / s.rows;
    *h = (head){.big = s.row * (uint64_t)raster->height > UINT64_C(0xfff00000),
                .size = head_room(s.count)};
    h->bytes = rvi_alloc(ctx, h->size, 1, "the header of a TIFF");
    if (h->bytes == NULL)
        return RV_ERROR_MEMORY;
    fill_head(h, raster, &s);
    return RV_OK;
}

static void encode_row(const rvi_raster *raster, int y, unsigned char *row) {
    size_t from = (size_t)y * (size_t)raster->width;
    for (size_t x = 0; x < (size_t)raster->width; x++) {
        bool none = raster->hole != NULL && raster->hole[from + x] > 0.0f;
        float value = none ? raster->nodata : raster->values[from + x];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        put_number(row + 4 * x, bits, 4);
    }
}

rv_status rvi_tiff_put(rv_context *ctx, const rvi_raster *raster, rvi_put put, void *to) {
    head h;
    rv_status status = make_head(ctx, raster, &h);
    if (status != RV_OK)
        return status;
    status = put(to, h.bytes, h.size);
    rvi_free(ctx, h.bytes);
    unsigned char *row = rvi_alloc(ctx, (size_t)raster->width, 4, "a row of a TIFF");
    if (row == NULL)
        return RV_ERROR_MEMORY;
    for (int y = 0; y < raster->height && status == RV_OK; y++) {
        encode_row(raster, y, row);
        status = put(to, row, (size_t)raster->width * 4);
        if (status == RV_OK)
            status = rvi_poll(ctx);
    }
    rvi_free(ctx, row);
    return status;
}

static rv_status put_to_writer(void *writer, const void *data, size_t size) {
    return rvi_writer_put(writer, data, size);
}

static rv_status tiff_encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    return rvi_tiff_put(ctx, raster, put_to_writer, writer);
}

const rvi_format rvi_format_tif = {".tif", "little",         false,       false,
                                   32,     tiff_read_header, tiff_decode, tiff_encode};
