/* asc.c: the ASCII grid of Esri: lines of words and numbers, then rows of numbers from the north.
 *
 *     ncols 4
 *     nrows 3
 *     xllcorner 500000      or xllcenter: of the cell in the south-west
 *     yllcorner 5200000     or yllcenter
 *     cellsize 30           or dx and dy, where cells are no squares
 *     NODATA_value -9999    what cells without a height have; -9999 where it is not said
 *
 * Words in any order and case. Numbers are separated by blanks, wherever lines end. The projection
 * lies beside it, as text in FILE.prj; format.c reads it, save.c writes it. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/text.h"
#include "formats/format.h"

typedef struct cursor {
    const char *at, *end;
} cursor;

typedef struct word {
    const char *text;
    size_t size; /* 0: there is none */
} word;

typedef enum key {
    NCOLS,
    NROWS,
    XLLCORNER,
    YLLCORNER,
    XLLCENTER,
    YLLCENTER,
    CELLSIZE,
    DX,
    DY,
    NODATA,
    KEYS
} key;

static const char *const key_names[KEYS] = {"ncols",     "nrows",       "xllcorner", "yllcorner",
                                            "xllcenter", "yllcenter",   "cellsize",  "dx",
                                            "dy",        "nodata_value"};

typedef struct header {
    bool there[KEYS];
    double value[KEYS];
    cursor rows; /* the numbers begin here */
} header;

/* ---- Words and numbers ---- */

static bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static word next_word(cursor *c) {
    while (c->at < c->end && is_blank(*c->at))
        c->at++;
    word w = {c->at, 0};
    while (c->at < c->end && !is_blank(*c->at))
        c->at++;
    w.size = (size_t)(c->at - w.text);
    return w;
}

static bool is_same(word w, const char *name) {
    if (w.size != strlen(name))
        return false;
    for (size_t i = 0; i < w.size; i++) {
        char c = w.text[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + 32) : c) != name[i])
            return false;
    }
    return true;
}

/* Nothing may follow the number, such as the k of 800k, which other texts here may have. */
static bool is_number(word w, double *out) {
    const char *body = w.text;
    size_t size = w.size;
    if (size > 1 && *body == '+') {
        body++;
        size--;
    }
    return size > 0 &&
           ((body[size - 1] >= '0' && body[size - 1] <= '9') || body[size - 1] == '.') &&
           rvi_text_number(body, body[size - 1] == '.' ? size - 1 : size, out);
}

static int show_size(word w) {
    return w.size < 24 ? (int)w.size : 24;
}

/* ---- The header ---- */

static rv_status read_words(rv_context *ctx, const rvi_source *source, header *h) {
    cursor c = h->rows;
    for (;;) {
        cursor before = c;
        word name = next_word(&c);
        int k = 0;
        while (k < KEYS && !is_same(name, key_names[k]))
            k++;
        if (k == KEYS) {
            h->rows = before;
            return RV_OK;
        }
        word value = next_word(&c);
        if (h->there[k])
            return rvi_fail(ctx, RV_ERROR_INPUT, "%s: %s is said twice.", source->name,
                            key_names[k]);
        if (k == NODATA && (is_same(value, "nan") || is_same(value, "-nan")))
            h->value[k] = (double)NAN;
        else if (!is_number(value, &h->value[k]))
            return rvi_fail(ctx, RV_ERROR_INPUT, "%s: %s is \"%.*s\", expected a number.",
                            source->name, key_names[k], show_size(value), value.text);
        h->there[k] = true;
    }
}

static rv_status check_words(rv_context *ctx, const rvi_source *source, const header *h) {
    static const char *const missing[] = {"ncols", "nrows", "cellsize"};
    bool sized = h->there[CELLSIZE] || (h->there[DX] && h->there[DY]);
    int what = !h->there[NCOLS] ? 0 : !h->there[NROWS] ? 1 : !sized ? 2 : 3;
    if (what == 0 && !h->there[NROWS] && !sized)
        return rvi_source_wrong(ctx, source, "an ASCII grid, which begins with ncols");
    if (what < 3)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: its header does not say %s.", source->name,
                        missing[what]);
    for (int k = NCOLS; k <= NROWS; k++)
        if (!(h->value[k] >= 0.0 && h->value[k] <= 1e9) || h->value[k] != floor(h->value[k]))
            return rvi_fail(ctx, RV_ERROR_INPUT, "%s: %s is %.9g, expected a whole number.",
                            source->name, key_names[k], h->value[k]);
    return rvi_size_check(ctx, source->name, (uint64_t)h->value[NCOLS], (uint64_t)h->value[NROWS]);
}

/* x and y of cell (0, 0), whose centre is half a cell from the corner. */
static rvi_georeference place(const header *h) {
    const double *v = h->value;
    rvi_georeference g = {.step_x = h->there[CELLSIZE] ? v[CELLSIZE] : v[DX],
                          .step_y = h->there[CELLSIZE] ? v[CELLSIZE] : v[DY],
                          .nodata = h->there[NODATA] ? v[NODATA] : -9999.0};
    g.x = h->there[XLLCENTER] ? v[XLLCENTER] : v[XLLCORNER] + 0.5 * g.step_x;
    g.y = h->there[YLLCENTER] ? v[YLLCENTER] : v[YLLCORNER] + 0.5 * g.step_y;
    g.y += (v[NROWS] - 1.0) * g.step_y;
    return g;
}

static rv_status find_header(rv_context *ctx, const rvi_source *source, header *h, rvi_image *out) {
    const char *text = (const char *)source->data;
    size_t begin = 0;
    *h = (header){0};
    rv_status status = rvi_text_begin(ctx, source->name, text, source->size, &begin);
    if (status != RV_OK)
        return status;
    h->rows = (cursor){text + begin, text + source->size};
    status = read_words(ctx, source, h);
    if (status == RV_OK)
        status = check_words(ctx, source, h);
    if (status != RV_OK)
        return status;
    rvi_image found = {.width = (int)h->value[NCOLS],
                       .height = (int)h->value[NROWS],
                       .bits = 32,
                       .marked = true,
                       .geo = place(h)};
    if (!rvi_georeference_known(&found.geo) || !rvi_georeference_right(&found.geo))
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: its cells are %.9g x %.9g, which is no size.",
                        source->name, found.geo.step_x, found.geo.step_y);
    /* A number and a blank take two bytes at least. */
    uint64_t cells = (uint64_t)found.width * (uint64_t)found.height;
    if (source->total + 1 < 2 * cells)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s has only %llu bytes; its header says %d x %d cells, which need more.",
                        source->name, (unsigned long long)source->total, found.width, found.height);
    return rvi_image_found(ctx, source->name, found, out);
}

static rv_status asc_read_header(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    header h;
    return find_header(ctx, source, &h, out);
}

/* ---- The rows ---- */

static rv_status read_value(rv_context *ctx, const rvi_source *source, const rvi_image *image,
                            cursor *c, size_t cell) {
    int row = (int)(cell / (size_t)image->width), column = (int)(cell % (size_t)image->width);
    word w = next_word(c);
    double number;
    if (w.size == 0)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s is cut off: it ends at row %d, column %d (counted from 0).",
                        source->name, row, column);
    if (is_same(w, "nan") || is_same(w, "-nan"))
        number = (double)NAN;
    else if (!is_number(w, &number))
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s: the value at row %d, column %d (counted from 0) is \"%.*s\", expected "
                        "a number.",
                        source->name, row, column, show_size(w), w.text);
    float value = (float)number;
    bool none = value == (float)image->geo.nodata || (isnan(value) && isnan(image->geo.nodata));
    if (!none && rvi_value_wrong(source, value))
        return rvi_value_bad(ctx, source->name, row, column, value);
    image->values[cell] = none ? NAN : value;
    return rvi_poll_at(ctx, cell);
}

static rv_status asc_decode(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    header h;
    rv_status status = find_header(ctx, source, &h, out);
    if (status != RV_OK)
        return status;
    out->values = rvi_image_alloc(ctx, out);
    size_t cells = (size_t)out->width * (size_t)out->height;
    status = out->values ? RV_OK : RV_ERROR_MEMORY;
    for (size_t i = 0; i < cells && status == RV_OK; i++)
        status = read_value(ctx, source, out, &h.rows, i);
    if (status == RV_OK && next_word(&h.rows).size > 0)
        status = rvi_fail(ctx, RV_ERROR_INPUT,
                          "%s holds more numbers than the %d x %d cells of its header.",
                          source->name, out->width, out->height);
    if (status != RV_OK) {
        rvi_free(ctx, out->values);
        out->values = NULL;
    }
    return status;
}

/* ---- Writing ---- */

static rv_status put_line(rvi_writer *writer, const char *name, double value) {
    char line[64];
    size_t used = strlen(name);
    memcpy(line, name, used);
    line[used++] = ' ';
    used += rvi_text_exact(line + used, sizeof line - used, value);
    line[used++] = '\n';
    return rvi_writer_put(writer, line, used);
}

static rv_status put_words(rvi_writer *writer, const rvi_raster *raster) {
    const rvi_georeference *g = &raster->geo;
    bool square = g->step_x == g->step_y;
    const struct {
        const char *name;
        double value;
        bool said;
    } lines[] = {{"ncols", raster->width, true},
                 {"nrows", raster->height, true},
                 {"xllcorner", g->x - 0.5 * g->step_x, true},
                 {"yllcorner", g->y - (raster->height - 0.5) * g->step_y, true},
                 {"cellsize", g->step_x, square},
                 {"dx", g->step_x, !square},
                 {"dy", g->step_y, !square},
                 {"NODATA_value", (double)raster->nodata, true}};
    rv_status status = RV_OK;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && status == RV_OK; i++)
        if (lines[i].said)
            status = put_line(writer, lines[i].name, lines[i].value);
    return status;
}

/* The fewest digits that give the same float back. */
static size_t print_value(char *out, size_t room, float value) {
    double back;
    for (int digits = 6; digits < 9; digits++) {
        size_t size = rvi_text_print(out, room, digits, (double)value);
        if (rvi_text_number(out, size, &back) && (float)back == value)
            return size;
    }
    return rvi_text_print(out, room, 9, (double)value);
}

enum { VALUE = 24 }; /* bytes that hold a number and a blank */

size_t rvi_asc_bytes(int width) {
    return rvi_alloc_size((size_t)width, VALUE);
}

static rv_status asc_encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    size_t width = (size_t)raster->width;
    char *line = rvi_alloc(ctx, width, VALUE, "a row of a file");
    rv_status status = line ? put_words(writer, raster) : RV_ERROR_MEMORY;
    for (int y = 0; y < raster->height && status == RV_OK; y++) {
        size_t used = 0, from = (size_t)y * width;
        for (size_t x = 0; x < width; x++) {
            bool none = raster->hole != NULL && raster->hole[from + x] > 0.0f;
            used +=
                print_value(line + used, VALUE, none ? raster->nodata : raster->values[from + x]);
            line[used++] = x + 1 < width ? ' ' : '\n';
        }
        status = rvi_writer_put(writer, line, used);
        if (status == RV_OK)
            status = rvi_poll(ctx);
    }
    rvi_free(ctx, line);
    return status;
}

const rvi_format rvi_format_asc = {".asc", "little",        false,      false,
                                   32,     asc_read_header, asc_decode, asc_encode};
