/* Maps: .tif and .asc are read and written as their specifications say, cells without a height are
 * holes and never heights, and the place on the map stays with the land from open to save. */
#include "format_files.h"

#include "base/context.h"
#include "formats/checkpoint.h"
#include "formats/format.h"
#include "formats/tiff.h"
#include "terrain/state.h"

#include <float.h>
#include <math.h>

/* ---- TIFF, by a writer that shares nothing with ours ---- */

/* Which TIFF to make: 5 x 4 cells of a kind, in strips of 3 rows or tiles of 16 x 16. */
typedef struct recipe {
    bool big_endian, big, tiles, deflate, area;
    char kind;     /* f, i or u */
    int bytes;     /* of a value */
    int predictor; /* 1: none */
    const char *nodata;
    double scale_x; /* 0: no georeference */
    double scale_y;
} recipe;

enum { WIDE = 5, HIGH = 4 };

static const double heights[HIGH * WIDE] = {10, 11,    12, 13, 250, 20, 21, 22, 23, 24,
                                            30, -9999, 32, 33, 34,  40, 41, 42, 43, 44};

static double cell_value(const recipe *r, int x, int y) {
    double v = heights[y * WIDE + x];
    return r->kind == 'u' && v < 0           ? 99
           : r->kind == 'i' && r->bytes == 1 ? (v < 0 || v > 127 ? -99 : v)
                                             : v;
}

static uint64_t value_bits(const recipe *r, double value) {
    uint64_t bits = 0;
    float single = (float)value;
    if (r->kind == 'f' && r->bytes == 4)
        memcpy(&bits, &single, 4);
    else if (r->kind == 'f')
        memcpy(&bits, &value, 8);
    else
        bits = (uint64_t)(int64_t)value;
    return bits;
}

/* One row of a strip or tile, before it is packed. */
static void put_row(blob *b, const recipe *r, int x0, int y, int width) {
    uint64_t before = 0;
    unsigned char planes[16 * 8], last = 0;
    for (int i = 0; i < width; i++) {
        int x = x0 + i < WIDE ? x0 + i : WIDE - 1;
        uint64_t bits = value_bits(r, cell_value(r, x, y < HIGH ? y : HIGH - 1));
        if (r->predictor == 3)
            for (int k = 0; k < r->bytes; k++)
                planes[k * width + i] = (unsigned char)(bits >> (8 * (r->bytes - 1 - k)));
        else
            put_number(b, r->predictor == 2 ? bits - before : bits, r->bytes, r->big_endian);
        before = bits;
    }
    for (int i = 0; r->predictor == 3 && i < r->bytes * width; i++) {
        put_byte(b, (unsigned char)(planes[i] - last));
        last = planes[i];
    }
}

static void put_chunk_of(blob *b, const recipe *r, int x0, int y0, int width, int height) {
    blob *raw = malloc(sizeof *raw);
    assert_non_null(raw);
    raw->size = 0;
    for (int y = 0; y < height; y++)
        put_row(raw, r, x0, y0 + y, width);
#ifdef RAVINE_PNG
    if (r->deflate) {
        uLongf size = BYTES_MOST;
        blob *packed = malloc(sizeof *packed);
        assert_non_null(packed);
        assert_int_equal(compress(packed->data, &size, raw->data, (uLong)raw->size), Z_OK);
        put(b, packed->data, size);
        free(packed);
        free(raw);
        return;
    }
#endif
    put(b, raw->data, raw->size);
    free(raw);
}

typedef struct directory_writer {
    const recipe *r;
    blob *out;
    int count;
    blob *more; /* values that do not fit, from `start` of the file on */
    size_t start;
} directory_writer;

static const int sizes_of_types[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8};

static void put_entry(directory_writer *d, int tag, int type, uint64_t count, const blob *values) {
    int inside = d->r->big ? 8 : 4;
    uint64_t bytes = count * (uint64_t)sizes_of_types[type];
    put_number(d->out, (uint64_t)tag, 2, d->r->big_endian);
    put_number(d->out, (uint64_t)type, 2, d->r->big_endian);
    put_number(d->out, count, inside, d->r->big_endian);
    d->count++;
    if (bytes > (uint64_t)inside) {
        put_number(d->out, d->start + d->more->size, inside, d->r->big_endian);
        put(d->more, values->data, values->size);
        return;
    }
    put(d->out, values->data, values->size);
    for (uint64_t i = bytes; i < (uint64_t)inside; i++)
        put_byte(d->out, 0);
}

static blob *held; /* values of one entry */

static void put_numbers(directory_writer *d, int tag, int type, int count, const uint64_t *values) {
    held->size = 0;
    for (int i = 0; i < count; i++)
        put_number(held, values[i], sizes_of_types[type], d->r->big_endian);
    put_entry(d, tag, type, (uint64_t)count, held);
}

static void put_one(directory_writer *d, int tag, int type, uint64_t value) {
    put_numbers(d, tag, type, 1, &value);
}

static void put_reals(directory_writer *d, int tag, int count, const double *values) {
    uint64_t bits[16];
    memcpy(bits, values, (size_t)count * 8);
    put_numbers(d, tag, 12, count, bits);
}

static void put_words(directory_writer *d, int tag, const char *text) {
    held->size = 0;
    put(held, text, strlen(text) + 1);
    put_entry(d, tag, 2, strlen(text) + 1, held);
}

static const uint64_t point_keys[] = {1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 2, 3072, 0, 1, 32633};

static void put_tags(directory_writer *d, const uint64_t *offsets, const uint64_t *sizes) {
    const recipe *r = d->r;
    int chunks = r->tiles ? 1 : 2;
    put_one(d, 256, 3, WIDE);
    put_one(d, 257, 4, HIGH);
    put_one(d, 258, 3, (uint64_t)r->bytes * 8);
    put_one(d, 259, 3, r->deflate ? 8 : 1);
    put_one(d, 262, 3, 1);
    if (!r->tiles)
        put_numbers(d, 273, r->big ? 16 : 4, chunks, offsets);
    put_one(d, 277, 3, 1);
    if (!r->tiles) {
        put_one(d, 278, 3, 3);
        put_numbers(d, 279, 4, chunks, sizes);
    }
    put_one(d, 317, 3, (uint64_t)r->predictor);
    if (r->tiles) {
        put_one(d, 322, 3, 16);
        put_one(d, 323, 3, 16);
        put_numbers(d, 324, r->big ? 16 : 4, 1, offsets);
        put_numbers(d, 325, 4, 1, sizes);
    }
    put_one(d, 339, 3, r->kind == 'f' ? 3 : r->kind == 'i' ? 2 : 1);
    if (r->scale_x > 0) {
        put_reals(d, 33550, 3, (double[]){r->scale_x, r->scale_y, 0});
        put_reals(d, 33922, 6, (double[]){1, 1, 0, 500030, 4999960, 0});
        uint64_t keys[16];
        memcpy(keys, point_keys, sizeof keys);
        keys[11] = r->area ? 1 : 2;
        put_numbers(d, 34735, 3, 16, keys);
        put_words(d, 34737, "a projection|");
    }
    if (r->nodata)
        put_words(d, 42113, r->nodata);
}

/* The rows come first, so that the directory lies at the end. */
static void make_tiff(blob *out, const recipe *r) {
    blob *entries = malloc(sizeof *entries), *more = malloc(sizeof *more);
    uint64_t offsets[2], sizes[2];
    held = malloc(sizeof *held);
    assert_true(entries && more && held);
    out->size = entries->size = more->size = 0;
    put(out, r->big_endian ? "MM" : "II", 2);
    put_number(out, r->big ? 43 : 42, 2, r->big_endian);
    if (r->big)
        put_number(out, UINT64_C(0x0008000000000000) >> (r->big_endian ? 0 : 48), 4, false);
    if (r->big && r->big_endian) { /* 8 as two bytes, then 0 */
        out->size -= 4;
        put(out, "\0\x08\0\0", 4);
    }
    size_t place = out->size;
    put_number(out, 0, r->big ? 8 : 4, r->big_endian);
    for (int i = 0; i < (r->tiles ? 1 : 2); i++) {
        offsets[i] = out->size;
        if (r->tiles)
            put_chunk_of(out, r, 0, 0, 16, 16);
        else
            put_chunk_of(out, r, 0, 3 * i, WIDE, i == 0 ? 3 : 1);
        sizes[i] = out->size - offsets[i];
    }
    directory_writer d = {r, entries, 0, more, 0};
    put_tags(&d, offsets, sizes); /* to know how long it is */
    d.start = out->size + (r->big ? 16 : 6) + entries->size;
    entries->size = more->size = 0;
    d.count = 0;
    put_tags(&d, offsets, sizes);
    blob *first = malloc(sizeof *first);
    assert_non_null(first);
    first->size = 0;
    put_number(first, out->size, r->big ? 8 : 4, r->big_endian);
    memcpy(out->data + place, first->data, first->size);
    put_number(out, (uint64_t)d.count, r->big ? 8 : 2, r->big_endian);
    put(out, entries->data, entries->size);
    put_number(out, 0, r->big ? 8 : 4, r->big_endian);
    put(out, more->data, more->size);
    free(first);
    free(entries);
    free(more);
    free(held);
}

/* ---- TIFF is read ---- */

static void check_values(const recipe *r, const rv_terrain *land, const char *name) {
    const float *height = rv_terrain_field(land, "height"), *hole = rv_terrain_field(land, "hole");
    for (int i = 0; i < WIDE * HIGH; i++) {
        double v = cell_value(r, i % WIDE, i / WIDE);
        bool none = r->nodata && v == atof(r->nodata);
        if (none && !(hole && hole[i] == 1.0f))
            fail_msg("%s: cell %d is no hole", name, i);
        else if (!none && ((double)height[i] != v || (hole && hole[i] != 0.0f)))
            fail_msg("%s: cell %d is %g, not %g", name, i, (double)height[i], v);
    }
}

static void every_tiff_gives_its_heights(void **state) {
    (void)state;
    static const struct {
        char kind;
        int bytes;
    } kinds[] = {{'f', 4}, {'f', 8}, {'i', 1}, {'i', 2}, {'i', 4}, {'u', 1}, {'u', 2}, {'u', 4}};
    rv_context *ctx = support_context(1);
    blob *file = malloc(sizeof *file);
    assert_non_null(file);
    for (int i = 0; i < 8 * 32; i++) {
        recipe r = {.kind = kinds[i / 32].kind,
                    .bytes = kinds[i / 32].bytes,
                    .big_endian = i & 1,
                    .big = i & 2,
                    .tiles = i & 4,
                    .deflate = i & 8,
                    .predictor = i & 16 ? (kinds[i / 32].kind == 'f' ? 3 : 2) : 1,
                    .scale_x = 30,
                    .scale_y = 30,
                    .nodata = kinds[i / 32].kind == 'u' ? "44" : "-9999"};
#ifndef RAVINE_PNG
        if (r.deflate)
            continue;
#endif
        if (r.predictor != 1 && !r.deflate)
            continue;
        if (r.kind == 'i' && r.bytes == 1)
            r.nodata = "-99";
        make_tiff(file, &r);
        write_file("one.tif", file->data, file->size);
        rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
        support_ok(ctx, open_file(land, "one.tif"));
        assert_int_equal(rv_terrain_width(land), WIDE);
        assert_int_equal(rv_terrain_height(land), HIGH);
        assert_equal(rv_terrain_cell(land), 30.0f);
        char name[80];
        snprintf(name, sizeof name, "%c%d, number %d", r.kind, r.bytes, i % 32);
        check_values(&r, land, name);
        rv_terrain_destroy(land);
    }
    remove("one.tif");
    free(file);
    rv_context_destroy(ctx);
}

/* Unsigned numbers of a file without a place are levels, as those of a PNG. */
static void a_tiff_of_a_game_holds_levels(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    blob *file = malloc(sizeof *file);
    assert_non_null(file);
    make_tiff(file, &(recipe){.kind = 'u', .bytes = 1, .predictor = 1});
    write_file("levels.tif", file->data, file->size);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    rv_open_params p = rv_open_params_default();
    p.file = "levels.tif";
    p.low = 0.0f;
    p.high = 510.0f;
    p.cell = 2.0f;
    support_ok(ctx, rv_step_run(land, RV_STEP_open, &p, NULL));
    assert_equal(rv_terrain_field(land, "height")[4], 500.0f);
    remove("levels.tif");
    rv_terrain_destroy(land);
    free(file);
    rv_context_destroy(ctx);
}

/* Cut anywhere, or with any byte changed, it is heights or one sentence. */
static void damaged_tiffs_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    blob *file = malloc(sizeof *file);
    assert_non_null(file);
    for (int big = 0; big < 2; big++) {
        recipe r = {
            .kind = 'f', .bytes = 4, .predictor = 1, .big = big, .scale_x = 30, .scale_y = 30};
#ifdef RAVINE_PNG
        r.deflate = big;
        r.tiles = big;
#endif
        make_tiff(file, &r);
        rvi_source source = {.name = "cut.tif", .data = file->data};
        rvi_image image;
        for (size_t size = 0; size < file->size; size++) {
            source.size = source.total = size;
            if (rvi_format_tif.decode(ctx, &source, &image) == RV_OK)
                rvi_free(ctx, image.values); /* the end holds only names */
            else
                assert_says(ctx, "cut.tif");
        }
        source.size = source.total = file->size;
        for (size_t i = 0; i < file->size; i++)
            for (int bit = 0; bit < 8; bit += support_short() ? 7 : 1) {
                file->data[i] ^= (unsigned char)(1 << bit);
                if (rvi_format_tif.decode(ctx, &source, &image) == RV_OK)
                    rvi_free(ctx, image.values);
                file->data[i] ^= (unsigned char)(1 << bit);
            }
    }
    free(file);
    rv_context_destroy(ctx);
}

/* ---- A place on the map ---- */

static void write_map(blob *file, const char *path, bool area, double scale_x, double scale_y) {
    make_tiff(file, &(recipe){.kind = 'f',
                              .bytes = 4,
                              .predictor = 1,
                              .area = area,
                              .nodata = "-9999",
                              .scale_x = scale_x,
                              .scale_y = scale_y});
    write_file(path, file->data, file->size);
}

static rvi_georeference place_of(rv_context *ctx, const char *path) {
    rvi_sidecar sidecar;
    rvi_image image;
    support_ok(ctx, rvi_image_read(ctx, path, 0, true, &sidecar, &image));
    return rvi_georeference_known(&image.geo) ? image.geo : sidecar.scale.geo;
}

static void assert_place(const rvi_georeference *g, double x, double y, double step_x,
                         double step_y) {
    assert_near(g->x, x, 1e-6);
    assert_near(g->y, y, 1e-6);
    assert_near(g->step_x, step_x, 1e-9);
    assert_near(g->step_y, step_y, 1e-9);
}

static rv_status save_plain(rv_terrain *land, const char *file) {
    rv_save_params p = rv_save_params_default();
    p.file = file;
    if (strstr(file, ".tif"))
        p.tiff = RV_save_tiff_plain;
    return rv_step_run(land, RV_STEP_save, &p, NULL);
}

/* All that is known of it is in a land file, to the bit. */
static void the_place_stays_in_a_land_file(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    blob *file = malloc(sizeof *file);
    assert_non_null(file);
    write_map(file, "in.tif", true, 30.0, 30.0);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f), *again = support_land(ctx, 2, 2, 1.0f);
    support_ok(ctx, open_file(land, "in.tif"));
    assert_int_equal(land->geo.key_count, 16);
    support_ok(ctx, save_plain(land, "land.npz"));
    support_ok(ctx, open_file(again, "land.npz"));
    assert_memory_equal(&again->geo, &land->geo, sizeof land->geo);
    rv_terrain_destroy(land);
    rv_terrain_destroy(again);
    remove("in.tif");
    remove("land.npz");
    free(file);
    rv_context_destroy(ctx);
}

/* From a file, through steps, into every format and back again. */
static void the_place_stays_with_the_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    blob *file = malloc(sizeof *file);
    assert_non_null(file);
    static const char *const files[] = {"out.tif", "out.asc", "out.npy", "out.r16"};
    for (int i = 0; i < 8; i++) {
        bool area = i & 1;
        /* The tie is corner (1, 1), or cell (1, 1), at (500030, 4999960). */
        double x = area ? 500015.0 : 500000.0, y = area ? 4999975.0 : 4999990.0;
        write_map(file, "in.tif", area, 30.0, 30.0);
        rvi_georeference in = place_of(ctx, "in.tif");
        assert_place(&in, x, y, 30.0, 30.0);
        rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
        support_ok(ctx, open_file(land, "in.tif"));
        rv_crop_params crop = rv_crop_params_default();
        crop.x = 2;
        crop.y = 1;
        support_ok(ctx, rv_step_run(land, RV_STEP_crop, &crop, NULL));
        rv_resize_params resize = rv_resize_params_default();
        resize.size = 5; /* 3 x 3 cells of 30 m become 5 x 5 of 15 m */
        support_ok(ctx, rv_step_run(land, RV_STEP_resize, &resize, NULL));
        support_ok(ctx, save_plain(land, files[i / 2]));
        rvi_georeference out = place_of(ctx, files[i / 2]);
        assert_place(&out, x + 60.0, y - 30.0, 15.0, 15.0);
        if (i / 2 != 1) { /* Esri's text has no room for it */
            assert_int_equal(out.key_count, 16);
            assert_memory_equal(out.keys, in.keys, sizeof in.keys);
            assert_string_equal(out.text, "a projection|");
        }
        rv_terrain_destroy(land);
        forget(files[i / 2]);
    }
    remove("in.tif");
    free(file);
    rv_context_destroy(ctx);
}

static void a_snapshot_and_a_checkpoint_keep_the_place(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    blob *file = malloc(sizeof *file);
    assert_non_null(file);
    write_map(file, "in.tif", true, 30.0, 30.0);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    support_ok(ctx, open_file(land, "in.tif"));
    rvi_georeference before = land->geo;
    char text[] = "terrain";
    rvi_checkpoint checkpoint = {.run = 1, .land = land, .text = text}, again;
    support_ok(ctx, rvi_checkpoint_write(ctx, "place.ck", &checkpoint));
    support_ok(ctx, rvi_checkpoint_read(ctx, "place.ck", &again));
    assert_memory_equal(&again.land->geo, &before, sizeof before);
    rv_terrain_destroy(again.land);
    rvi_free(ctx, again.text);
    rv_snapshot *snapshot;
    support_ok(ctx, rv_terrain_snapshot(land, &snapshot));
    rv_terrain_params flat = rv_terrain_params_default();
    support_ok(ctx, rv_step_run(land, RV_STEP_terrain, &flat, NULL));
    assert_false(rvi_georeference_known(&land->geo)); /* new land lies nowhere */
    support_ok(ctx, rv_terrain_restore(land, snapshot));
    assert_memory_equal(&land->geo, &before, sizeof before);
    rv_snapshot_destroy(snapshot);
    rv_terrain_destroy(land);
    remove("in.tif");
    remove("place.ck");
    free(file);
    rv_context_destroy(ctx);
}

/* ---- Cells without a height ---- */

static void marks_never_become_heights(void **state) {
    (void)state;
    static const float marks[] = {-9999.0f, -32768.0f, -FLT_MAX, 1e30f};
    static const char *const words[] = {"nodata=-9999", "nodata=-32768", "nodata=-1", "nodata=1"};
    rv_context *ctx = listening();
    for (int i = 0; i < 4; i++) {
        const float values[6] = {1.0f, 2.0f, marks[i], 4.0f, 5.0f, 6.0f};
        blob *b = malloc(sizeof *b);
        assert_non_null(b);
        b->size = 0;
        for (int k = 0; k < 6; k++)
            put_float(b, values[k], false);
        write_file("marks.r32", b->data, b->size);
        rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
        rv_open_params p = rv_open_params_default();
        p.file = "marks.r32";
        p.width = 3;
        assert_int_equal(rv_step_run(land, RV_STEP_open, &p, NULL), RV_ERROR_INPUT);
        assert_says(ctx, "row 0, column 2");
        assert_says(ctx, words[i]);
        p.nodata = fabsf(marks[i]) > 1e38f ? copysignf(1e38f, marks[i]) : marks[i];
        support_ok(ctx, rv_step_run(land, RV_STEP_open, &p, NULL));
        assert_equal(rv_terrain_field(land, "hole")[2], 1.0f);
        assert_equal(rv_terrain_field(land, "height")[2], 2.0f); /* the lowest around it */
        assert_logged("1 of 6 cells have no height");
        rv_terrain_destroy(land);
        free(b);
        forget("marks.r32");
    }
    rv_context_destroy(ctx);
}

static void holes_come_back_as_holes(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    blob *file = malloc(sizeof *file);
    assert_non_null(file);
    static const char *const files[] = {"hole.tif", "hole.asc"};
    write_map(file, "in.tif", true, 30.0, 30.0);
    for (int i = 0; i < 2; i++) {
        rv_terrain *land = support_land(ctx, 2, 2, 1.0f), *again = support_land(ctx, 2, 2, 1.0f);
        support_ok(ctx, open_file(land, "in.tif"));
        support_ok(ctx, save_plain(land, files[i]));
        support_ok(ctx, open_file(again, files[i]));
        assert_non_null(rv_terrain_field(again, "hole"));
        assert_equal(rv_terrain_hash(land), rv_terrain_hash(again));
        /* Where a cell has that value, another one stands for no height. */
        rv_open_params p = rv_open_params_default();
        float values[WIDE * HIGH];
        memcpy(values, rv_terrain_field(land, "height"), sizeof values);
        values[0] = -9999.0f;
        support_ok(ctx, rv_terrain_field_set(land, "height", values));
        support_ok(ctx, save_plain(land, files[i]));
        p.file = files[i];
        p.nodata = -32768.0f;
        support_ok(ctx, rv_step_run(again, RV_STEP_open, &p, NULL));
        assert_equal(rv_terrain_field(again, "height")[0], -9999.0f);
        assert_equal(rv_terrain_field(again, "hole")[11], 1.0f);
        rv_terrain_destroy(land);
        rv_terrain_destroy(again);
        forget(files[i]);
    }
    remove("in.tif");
    free(file);
    rv_context_destroy(ctx);
}

/* ---- Cells that are no squares, and cells that are no metres ---- */

/* A plane stays the same plane: heights follow the place, not the number of the cell. */
static void cells_become_squares(void **state) {
    (void)state;
    rv_context *ctx = listening();
    write_text("plane.asc", "ncols 4\nnrows 5\nxllcenter 1000\nyllcenter 2000\ndx 20\ndy 30\n"
                            "120 160 200 240\n90 130 170 210\n60 100 140 180\n30 70 110 150\n"
                            "0 40 80 120\n");
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    support_ok(ctx, open_file(land, "plane.asc"));
    assert_logged("4 x 5 cells of 20 x 30 were resampled to 4 x 7 squares of 20 m");
    assert_int_equal(rv_terrain_width(land), 4);
    assert_int_equal(rv_terrain_height(land), 7);
    assert_equal(rv_terrain_cell(land), 20.0f);
    for (int y = 0; y < 7; y++)
        for (int x = 0; x < 4; x++)
            assert_near(rv_terrain_field(land, "height")[4 * y + x], 120.0 + 40.0 * x - 20.0 * y,
                        1e-3);
    assert_place(&land->geo, 1000.0, 2120.0, 20.0, 20.0);
    rv_terrain_destroy(land);
    remove("plane.asc");
    rv_context_destroy(ctx);
}

static void degrees_and_feet_are_no_metres(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    static const char rows[] = "1 2 3\n4 5 6\n";
    char text[256];
    snprintf(text, sizeof text,
             "ncols 3\nnrows 2\nxllcorner -70.5\nyllcorner -33\ncellsize 0.000833333\n%s", rows);
    write_text("deg.asc", text);
    assert_int_equal(open_file(land, "deg.asc"), RV_ERROR_INPUT);
    assert_says(ctx, "gdalwarp -t_srs EPSG:32719 -tr 93 93 -r cubic deg.asc metres.tif");
    rv_open_params p = rv_open_params_default();
    p.file = "deg.asc";
    p.cell = 90.0f;
    support_ok(ctx, rv_step_run(land, RV_STEP_open, &p, NULL));
    assert_equal(rv_terrain_cell(land), 90.0f);
    snprintf(text, sizeof text, "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 100\n%s",
             rows);
    write_text("feet.asc", text);
    write_text("feet.prj", "PROJCS[\"x\",GEOGCS[\"y\",UNIT[\"Degree\",0.0174532925]],"
                           "UNIT[\"Foot_US\",0.3048006096012192]]");
    support_ok(ctx, open_file(land, "feet.asc"));
    assert_near(rv_terrain_cell(land), 30.48006096, 1e-4);
    support_ok(ctx, save_plain(land, "feet2.asc")); /* and takes its projection along */
    blob *prj = malloc(sizeof *prj);
    assert_non_null(prj);
    read_file("feet2.prj", prj);
    assert_int_equal(prj->size, strlen(land->geo.prj));
    assert_memory_equal(prj->data, land->geo.prj, prj->size);
    free(prj);
    write_text("feet.prj", "GEOGCS[\"y\",UNIT[\"Degree\",0.0174532925]]");
    assert_int_equal(open_file(land, "feet.asc"), RV_ERROR_INPUT);
    assert_says(ctx, "degrees");
    remove("deg.asc");
    remove("feet.asc");
    remove("feet.prj");
    remove("feet2.prj");
    forget("feet2.asc");
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- ASCII grids ---- */

static const struct {
    const char *text, *words;
} bad_grids[] = {
    {"", "bad.asc is empty"},
    {"hello", "is not an ASCII grid"},
    {"\x89PNG\r\n\x1a\n", "looks like a PNG"},
    {"ncols 2\nnrows 2\n1 2 3 4", "does not say cellsize"},
    {"ncols 2\ncellsize 1\n1 2 3 4", "does not say nrows"},
    {"ncols 2\nncols 2\n", "ncols is said twice"},
    {"ncols x\n", "ncols is \"x\", expected a number"},
    {"ncols 2.5\nnrows 2\ncellsize 1\n", "ncols is 2.5, expected a whole number"},
    {"ncols -2\nnrows 2\ncellsize 1\n", "ncols is -2, expected a whole number"},
    {"ncols 1\nnrows 1\ncellsize 1\n1", "a single cell"},
    {"ncols 70000\nnrows 2\ncellsize 1\n1", "70000 x 2 cells"},
    {"ncols 60000\nnrows 60000\ncellsize 1\n1", "which need more"},
    {"ncols 2\nnrows 2\ncellsize 0\n1 2 3 4", "which is no size"},
    {"ncols 2\nnrows 2\ncellsize 1\n100 200 300", "ends at row 1, column 1"},
    {"ncols 2\nnrows 2\ncellsize 1\n1 2 3 4 5", "more numbers than the 2 x 2 cells"},
    {"ncols 2\nnrows 2\ncellsize 1\n1 2,5 3 4", "column 1 (counted from 0) is \"2,5\""},
    {"ncols 2\nnrows 2\ncellsize 1\n1 2k 3 4", "\"2k\", expected a number"},
    {"ncols 2\nnrows 2\ncellsize 1\n1 1e99 3 4", "infinite"},
    {"ncols 2\nnrows 2\ncellsize 1\n1 nan 3 4", "not a number"},
};

static void bad_grids_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    uint64_t before = rv_terrain_hash(land);
    for (size_t i = 0; i < sizeof bad_grids / sizeof bad_grids[0]; i++) {
        write_text("bad.asc", bad_grids[i].text);
        assert_int_equal(open_file(land, "bad.asc"), RV_ERROR_INPUT);
        assert_says(ctx, bad_grids[i].words);
        assert_says(ctx, "bad.asc");
        assert_equal(rv_terrain_hash(land), before);
    }
    remove("bad.asc");
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Words in any order and case, numbers on any line, the mark that is not said. */
static void grids_are_read_as_written(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    write_text("free.asc", "NROWS 2\r\nCELLSIZE 5\r\nNCOLS 3\r\nYLLCORNER 1e3\r\n"
                           "XLLCORNER +20.\r\n1 -2.5 3e1 -9999\r\n\t5 6.\r\n");
    support_ok(ctx, open_file(land, "free.asc"));
    static const float height[6] = {1.0f, -2.5f, 30.0f, -2.5f, 5.0f, 6.0f};
    assert_memory_equal(rv_terrain_field(land, "height"), height, sizeof height);
    assert_equal(rv_terrain_field(land, "hole")[3], 1.0f);
    assert_place(&land->geo, 22.5, 1007.5, 5.0, 5.0);
    remove("free.asc");
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void floats_come_back_from_maps(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const files[] = {"back.tif", "back.tiff", "back.asc"};
    for (int i = 0; i < 3; i++) {
        rv_terrain *land = rough_land(ctx, 37, 21, -431.7f, 8848.86f);
        rv_terrain *again = support_land(ctx, 2, 2, 1.0f);
        support_ok(ctx, save_plain(land, files[i]));
        support_ok(ctx, open_file(again, files[i]));
        assert_equal(rv_terrain_hash(land), rv_terrain_hash(again));
        remove("back.tif.ravine.json"); /* the file itself says how large cells are */
        support_ok(ctx, open_file(again, files[i]));
        assert_equal(rv_terrain_hash(land), rv_terrain_hash(again));
        rv_terrain_destroy(land);
        rv_terrain_destroy(again);
        forget(files[i]);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tiff_gives_its_heights),
        cmocka_unit_test(a_tiff_of_a_game_holds_levels),
        cmocka_unit_test(damaged_tiffs_are_refused),
        cmocka_unit_test(the_place_stays_in_a_land_file),
        cmocka_unit_test(the_place_stays_with_the_land),
        cmocka_unit_test(a_snapshot_and_a_checkpoint_keep_the_place),
        cmocka_unit_test(marks_never_become_heights),
        cmocka_unit_test(holes_come_back_as_holes),
        cmocka_unit_test(cells_become_squares),
        cmocka_unit_test(degrees_and_feet_are_no_metres),
        cmocka_unit_test(bad_grids_are_refused),
        cmocka_unit_test(grids_are_read_as_written),
        cmocka_unit_test(floats_come_back_from_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
