/* sidecar.c: FILE.ravine.json, the scale of a heightmap. Written as JSON, and read by a
 * parser that is strict about syntax (RFC 8259) and tolerant about keys. */
#include "formats/sidecar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/file.h"
#include "base/text.h"
#include "formats/format.h"

enum { DEPTH_MOST = 32, FILE_MOST = RVI_SIDECAR_SIZE, CELL_MOST = 1000000 };

static const char version_key[] = "ravine_version"; /* in all that Ravine wrote */

char *rvi_sidecar_path(rv_context *ctx, const char *file) {
    size_t size = strlen(file);
    static const char end[] = ".ravine.json";
    char *path = rvi_alloc(ctx, size + sizeof end, 1, "the name of a sidecar");
    if (path != NULL) {
        memcpy(path, file, size);
        memcpy(path + size, end, sizeof end);
    }
    return path;
}

/* ---- Writing ---- */

typedef struct printer {
    char *out;
    size_t used;
    const char *before; /* the next key */
} printer;

static void print_char(printer *p, char c) {
    if (p->used + 1 < RVI_SIDECAR_SIZE)
        p->out[p->used++] = c;
}

static void print_plain(printer *p, const char *text) {
    while (*text != '\0')
        print_char(p, *text++);
}

static void print_key(printer *p, const char *key, const char *next) {
    print_plain(p, p->before);
    print_char(p, '"');
    print_plain(p, key);
    print_plain(p, "\": ");
    p->before = next;
}

static const char lines[] = ",\n  ", one_line[] = ", ";

static void print_string(printer *p, const char *key, const char *text, const char *next) {
    print_key(p, key, next);
    print_char(p, '"');
    for (; *text != '\0'; text++) {
        char escape[8];
        if (*text == '"' || *text == '\\')
            print_char(p, '\\');
        if ((unsigned char)*text < 32) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*text);
            print_plain(p, escape);
        } else {
            print_char(p, *text);
        }
    }
    print_char(p, '"');
}

/* Nine digits are enough to get the same float back. The host's locale may put a comma. */
static void print_number(printer *p, const char *key, double value, const char *next) {
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    print_key(p, key, next);
    for (const char *c = text; *c != '\0'; c++)
        print_char(p, *c == ',' ? '.' : *c);
}

static void print_hash(printer *p, const char *key, uint64_t hash, const char *next) {
    char digits[19];
    snprintf(digits, sizeof digits, "\"%016llx\"", (unsigned long long)hash);
    print_key(p, key, next);
    print_plain(p, digits);
}

const char *const rvi_curve_names[RVI_CURVES] = {"linear", "sqrt", "log"};

static void print_exact(printer *p, const char *key, double value, const char *next) {
    char text[32];
    rvi_text_exact(text, sizeof text, value);
    print_key(p, key, next);
    print_plain(p, text);
}

/* The projection as lists in strings: the tags of GeoTIFF, or the text of a .prj. */
static void print_projection(printer *p, const rvi_georeference *g, const char *next) {
    char text[32];
    if (g->key_count > 0) {
        print_key(p, "geo_keys", next);
        for (int i = 0; i < g->key_count; i++) {
            snprintf(text, sizeof text, "%s%d", i == 0 ? "\"" : " ", g->keys[i]);
            print_plain(p, text);
        }
        print_char(p, '"');
    }
    if (g->double_count > 0) {
        print_key(p, "geo_doubles", next);
        for (int i = 0; i < g->double_count; i++) {
            rvi_text_exact(text, sizeof text, g->doubles[i]);
            print_plain(p, i == 0 ? "\"" : " ");
            print_plain(p, text);
        }
        print_char(p, '"');
    }
    if (g->text[0] != '\0')
        print_string(p, "geo_text", g->text, next);
    if (g->prj[0] != '\0')
        print_string(p, "prj", g->prj, next);
}

static void print_georeference(printer *p, const rvi_georeference *g, const char *next) {
    if (!rvi_georeference_known(g))
        return;
    print_exact(p, "x", g->x, next);
    print_exact(p, "y", g->y, next);
    print_exact(p, "step_x", g->step_x, next);
    print_exact(p, "step_y", g->step_y, next);
    print_projection(p, g, next);
}

static void print_scale(printer *p, const rvi_scale *s, const char *next) {
    if (s->width != 0)
        print_number(p, "width", s->width, next);
    if (s->height != 0)
        print_number(p, "height", s->height, next);
    if (!isnan(s->low))
        print_number(p, "min_m", (double)s->low, next);
    if (!isnan(s->high))
        print_number(p, "max_m", (double)s->high, next);
    if (!isnan(s->cell))
        print_number(p, "cell_m", (double)s->cell, next);
    if (s->curve != RVI_LINEAR) {
        print_key(p, "curve", next);
        print_char(p, '"');
        print_plain(p, rvi_curve_names[s->curve]);
        print_char(p, '"');
    }
    print_georeference(p, &s->geo, next);
}

static void print_previous(printer *p, const rvi_sidecar *sidecar) {
    print_key(p, "previous", lines);
    for (int i = 0; i < sidecar->previous_count; i++) {
        p->before = i == 0 ? "[{" : "},\n    {";
        print_hash(p, "data_hash", sidecar->previous[i].data_hash, one_line);
        print_scale(p, &sidecar->previous[i], one_line);
    }
    print_plain(p, "}]");
}

size_t rvi_sidecar_print(const rvi_sidecar *sidecar, const char *format,
                         const rvi_sidecar_field *field, uint64_t hash, char *out) {
    printer p = {out, 0, "{\n  "};
    print_string(&p, "format", format, lines);
    print_string(&p, "field", field->name, lines);
    print_string(&p, "unit", field->unit, lines);
    if (field->meaning[0])
        print_string(&p, "meaning", field->meaning, lines);
    print_scale(&p, &sidecar->scale, lines);
    print_string(&p, "row_order", "north first", lines);
    print_string(&p, "byte_order", sidecar->big_endian ? "big" : "little", lines);
    print_string(&p, "registration", "node", lines);
    print_string(&p, version_key, RV_VERSION, lines);
    print_hash(&p, "hash", hash, lines);
    if (sidecar->scale.hashed)
        print_hash(&p, "data_hash", sidecar->scale.data_hash, lines);
    if (sidecar->previous_count > 0)
        print_previous(&p, sidecar);
    print_plain(&p, "\n}\n");
    out[p.used] = '\0';
    return p.used;
}

/* ---- Reading JSON ---- */

typedef struct reader {
    rv_context *ctx;
    const char *name;
    const char *start, *at, *end;
} reader;

typedef struct span {
    const char *text;
    size_t size;
} span;

static rv_status fail_at(const reader *r, const char *what) {
    int line = 1;
    for (const char *c = r->start; c < r->at; c++)
        line += *c == '\n';
    return rvi_fail(r->ctx, RV_ERROR_INPUT, "%s, line %d: %s.", r->name, line, what);
}

static char peek(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
        r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static bool take(reader *r, char sign) {
    if (peek(r) != sign || r->at == r->end)
        return false;
    r->at++;
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Steps over what follows a backslash. */
static bool skip_escape(reader *r) {
    if (r->at == r->end)
        return false;
    char c = *r->at++;
    if (c != 'u')
        return c != '\0' && strchr("\"\\/bfnrt", c) != NULL;
    for (int i = 0; i < 4; i++, r->at++)
        if (r->at == r->end || !is_hex(*r->at))
            return false;
    return true;
}

/* What stands between the quotes; escapes stay as they are, no known word has any. */
static rv_status read_string(reader *r, span *out) {
    if (!take(r, '"'))
        return fail_at(r, "a string in quotes was expected");
    out->text = r->at;
    while (r->at < r->end && *r->at != '"') {
        unsigned char c = (unsigned char)*r->at++;
        if (c < 32 || (c == '\\' && !skip_escape(r)))
            return fail_at(r, "a string holds a sign that JSON does not allow");
    }
    out->size = (size_t)(r->at - out->text);
    return take(r, '"') ? RV_OK : fail_at(r, "a string has no end");
}

static bool skip_digits(reader *r) {
    const char *start = r->at;
    while (r->at < r->end && is_digit(*r->at))
        r->at++;
    return r->at > start;
}

static bool skip_sign(reader *r, const char *signs) {
    bool there = r->at < r->end && *r->at != '\0' && strchr(signs, *r->at) != NULL;
    r->at += there;
    return there;
}

static rv_status read_number(reader *r, double *out) {
    peek(r);
    const char *start = r->at;
    skip_sign(r, "-");
    const char *digits = r->at;
    bool good = skip_digits(r) && (*digits != '0' || r->at == digits + 1);
    if (good && skip_sign(r, "."))
        good = skip_digits(r);
    if (good && skip_sign(r, "eE")) {
        skip_sign(r, "+-");
        good = skip_digits(r);
    }
    if (!good || !rvi_text_number(start, (size_t)(r->at - start), out))
        return fail_at(r, "a number was expected");
    return RV_OK;
}

static rv_status skip_word(reader *r) {
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(r->end - r->at) >= size && memcmp(r->at, words[i], size) == 0) {
            r->at += size;
            return RV_OK;
        }
    }
    return fail_at(r, "a value was expected");
}

/* Any value, to be ignored. */
static rv_status skip_value(reader *r, int depth) {
    span text;
    double number;
    char first = peek(r);
    if (first == '"')
        return read_string(r, &text);
    if (first == '-' || is_digit(first))
        return read_number(r, &number);
    if (first != '{' && first != '[')
        return skip_word(r);
    if (depth == DEPTH_MOST)
        return fail_at(r, "values are nested too deeply");
    char close = first == '{' ? '}' : ']';
    r->at++;
    if (take(r, close))
        return RV_OK;
    do {
        rv_status status = RV_OK;
        if (first == '{') {
            status = read_string(r, &text);
            if (status == RV_OK && !take(r, ':'))
                status = fail_at(r, "a colon was expected");
        }
        if (status == RV_OK)
            status = skip_value(r, depth + 1);
        if (status != RV_OK)
            return status;
    } while (take(r, ','));
    return take(r, close) ? RV_OK : fail_at(r, "a comma or a closing bracket was expected");
}

/* ---- The keys ---- */

static rv_status wrong_value(const reader *r, span key, const char *expected) {
    char what[128];
    snprintf(what, sizeof what, "%.*s must be %s", (int)key.size, key.text, expected);
    return fail_at(r, what);
}

static rv_status read_side(reader *r, span key, int *out) {
    double value;
    char first = peek(r);
    if (first != '-' && !is_digit(first))
        return wrong_value(r, key, "a whole number from 1 to 65536");
    rv_status status = read_number(r, &value);
    if (status != RV_OK)
        return status;
    if (!(value >= 1.0 && value <= RVI_SIDE_MOST) || value != (double)(int)value)
        return wrong_value(r, key, "a whole number from 1 to 65536");
    *out = (int)value;
    return RV_OK;
}

static rv_status read_metres(reader *r, span key, bool positive, float *out) {
    double value = 0.0;
    char first = peek(r);
    bool number = first == '-' || is_digit(first);
    rv_status status = number ? read_number(r, &value) : RV_OK;
    if (status != RV_OK)
        return status;
    *out = (float)value;
    if (!number || !isfinite(*out) || (positive && !(*out > 0.0f && *out <= CELL_MOST)))
        return wrong_value(r, key,
                           positive ? "a number above 0 and up to 1000000" : "a number of metres");
    return RV_OK;
}

/* A string that must be `first` or, where there is one, `second`. */
static rv_status read_word(reader *r, span key, const char *first, const char *second,
                           bool *is_second) {
    span text = {"", 0};
    rv_status status = peek(r) == '"' ? read_string(r, &text) : RV_OK;
    if (status != RV_OK)
        return status;
    *is_second = second != NULL && rvi_text_is(text.text, text.size, second);
    if (*is_second || rvi_text_is(text.text, text.size, first))
        return RV_OK;
    char expected[64];
    int used = snprintf(expected, sizeof expected, "\"%s\"", first);
    if (second != NULL)
        snprintf(expected + used, sizeof expected - (size_t)used, " or \"%s\"", second);
    return wrong_value(r, key, expected);
}

/* 16 hexadecimal digits. */
static rv_status read_hash(reader *r, span key, rvi_scale *out) {
    span text = {"", 0};
    rv_status status = peek(r) == '"' ? read_string(r, &text) : RV_OK;
    if (status != RV_OK)
        return status;
    out->data_hash = 0;
    out->hashed = text.size == 16;
    for (size_t i = 0; i < text.size && out->hashed; i++) {
        const char *digits = "0123456789abcdef", *at = strchr(digits, text.text[i]);
        out->hashed = at != NULL && text.text[i] != '\0';
        out->data_hash = out->data_hash << 4 | (uint64_t)(out->hashed ? at - digits : 0);
    }
    return out->hashed ? RV_OK : wrong_value(r, key, "a string of 16 hexadecimal digits");
}

static rv_status read_curve(reader *r, span key, rvi_curve *out) {
    span text = {"", 0};
    rv_status status = peek(r) == '"' ? read_string(r, &text) : RV_OK;
    if (status != RV_OK)
        return status;
    for (int k = 0; k < RVI_CURVES; k++)
        if (rvi_text_is(text.text, text.size, rvi_curve_names[k])) {
            *out = (rvi_curve)k;
            return RV_OK;
        }
    return wrong_value(r, key, "\"linear\", \"sqrt\" or \"log\"");
}

/* A coordinate, or a distance above 0. */
static rv_status read_place(reader *r, span key, bool positive, double *out) {
    char first = peek(r);
    bool number = first == '-' || is_digit(first);
    rv_status status = number ? read_number(r, out) : RV_OK;
    if (status != RV_OK)
        return status;
    bool within = number && (positive ? *out > 0.0 && *out < 1e12 : *out > -1e15 && *out < 1e15);
    return within ? RV_OK : wrong_value(r, key, positive ? "a number above 0" : "a number");
}

/* A list of numbers in a string. */
static rv_status read_list(reader *r, span key, double low, double high, int most, double *out,
                           int32_t *count) {
    span text = {"", 0};
    rv_status status = peek(r) == '"' ? read_string(r, &text) : RV_OK;
    if (status != RV_OK)
        return status;
    *count = 0;
    for (size_t at = 0; at < text.size; at++) {
        size_t size = 0;
        while (at + size < text.size && text.text[at + size] != ' ')
            size++;
        double value;
        if (*count == most || !rvi_text_number(text.text + at, size, &value) || !(value >= low) ||
            !(value <= high))
            return wrong_value(r, key, "a list of numbers in quotes");
        out[(*count)++] = value;
        at += size;
    }
    return *count > 0 ? RV_OK : wrong_value(r, key, "a list of numbers in quotes");
}

static rv_status read_keys(reader *r, span key, rvi_georeference *out) {
    double values[RVI_GEO_KEYS];
    rv_status status = read_list(r, key, 0.0, 65535.0, RVI_GEO_KEYS, values, &out->key_count);
    for (int i = 0; status == RV_OK && i < out->key_count; i++)
        out->keys[i] = (uint16_t)values[i];
    if (status != RV_OK)
        out->key_count = 0;
    return status;
}

/* A text as print_string wrote it, of letters of one byte. */
static rv_status read_text(reader *r, span key, char out[RVI_GEO_TEXT]) {
    span text = {"", 0};
    size_t used = 0;
    rv_status status = peek(r) == '"' ? read_string(r, &text) : RV_OK;
    for (size_t i = 0; status == RV_OK && i < text.size; i++, used++) {
        unsigned code = (unsigned char)text.text[i];
        if (code == '\\' && text.text[++i] == 'u') {
            code = 0;
            for (int d = 0; d < 4; d++) {
                const char *digits = "0123456789abcdef0123456789ABCDEF";
                code = code << 4 | ((unsigned)(strchr(digits, text.text[++i]) - digits) & 15);
            }
        } else if (code == '\\') {
            static const char escapes[] = "bfnrt", meant[] = "\b\f\n\r\t";
            const char *at = strchr(escapes, text.text[i]);
            code = (unsigned char)(at ? meant[at - escapes] : text.text[i]);
        }
        if (used + 1 >= RVI_GEO_TEXT || code == 0 || code > 255)
            return wrong_value(r, key, "a text of up to 2047 letters");
        out[used] = (char)code;
    }
    out[used] = '\0';
    return status;
}

static bool read_geo_value(reader *r, span key, rvi_georeference *out, rv_status *status) {
    if (rvi_text_is(key.text, key.size, "x"))
        *status = read_place(r, key, false, &out->x);
    else if (rvi_text_is(key.text, key.size, "y"))
        *status = read_place(r, key, false, &out->y);
    else if (rvi_text_is(key.text, key.size, "step_x"))
        *status = read_place(r, key, true, &out->step_x);
    else if (rvi_text_is(key.text, key.size, "step_y"))
        *status = read_place(r, key, true, &out->step_y);
    else if (rvi_text_is(key.text, key.size, "geo_keys"))
        *status = read_keys(r, key, out);
    else if (rvi_text_is(key.text, key.size, "geo_doubles"))
        *status =
            read_list(r, key, -1e300, 1e300, RVI_GEO_DOUBLES, out->doubles, &out->double_count);
    else if (rvi_text_is(key.text, key.size, "geo_text"))
        *status = read_text(r, key, out->text);
    else if (rvi_text_is(key.text, key.size, "prj"))
        *status = read_text(r, key, out->prj);
    else
        return false;
    return true;
}

/* Reads the value of a key when it belongs to a scale. */
static bool read_scale_value(reader *r, span key, rvi_scale *out, rv_status *status) {
    if (rvi_text_is(key.text, key.size, "width"))
        *status = read_side(r, key, &out->width);
    else if (rvi_text_is(key.text, key.size, "height"))
        *status = read_side(r, key, &out->height);
    else if (rvi_text_is(key.text, key.size, "min_m"))
        *status = read_metres(r, key, false, &out->low);
    else if (rvi_text_is(key.text, key.size, "max_m"))
        *status = read_metres(r, key, false, &out->high);
    else if (rvi_text_is(key.text, key.size, "cell_m"))
        *status = read_metres(r, key, true, &out->cell);
    else if (rvi_text_is(key.text, key.size, "data_hash"))
        *status = read_hash(r, key, out);
    else if (rvi_text_is(key.text, key.size, "curve"))
        *status = read_curve(r, key, &out->curve);
    else
        return read_geo_value(r, key, &out->geo, status);
    return true;
}

static const rvi_scale nothing_said = {.low = RV_AUTO, .high = RV_AUTO, .cell = RV_AUTO};

static rv_status read_previous(reader *r, rvi_sidecar *out);

static rv_status read_value(reader *r, span key, rvi_sidecar *out) {
    bool ignored;
    rv_status status;
    if (read_scale_value(r, key, &out->scale, &status))
        return status;
    if (rvi_text_is(key.text, key.size, "row_order"))
        return read_word(r, key, "north first", NULL, &ignored);
    if (rvi_text_is(key.text, key.size, "registration"))
        return read_word(r, key, "node", NULL, &ignored);
    if (rvi_text_is(key.text, key.size, "byte_order"))
        return read_word(r, key, "little", "big", &out->big_endian);
    if (rvi_text_is(key.text, key.size, "previous") && peek(r) == '[')
        return read_previous(r, out);
    out->own = out->own || rvi_text_is(key.text, key.size, version_key);
    return skip_value(r, 0);
}

/* Half a georeference is none. */
static void complete(rvi_scale *scale) {
    if (!(scale->geo.step_x > 0.0 && scale->geo.step_y > 0.0))
        scale->geo = (rvi_georeference){0};
}

/* The keys of an object: all of a sidecar, or where there is a `scale`, only those of that. */
static rv_status read_object(reader *r, rvi_sidecar *out, rvi_scale *scale) {
    if (!take(r, '{'))
        return fail_at(r, "an object in { } was expected");
    if (take(r, '}'))
        return RV_OK;
    do {
        span key;
        rv_status status = read_string(r, &key);
        if (status == RV_OK && !take(r, ':'))
            status = fail_at(r, "a colon was expected");
        if (status == RV_OK && !scale)
            status = read_value(r, key, out);
        else if (status == RV_OK && !read_scale_value(r, key, scale, &status))
            status = skip_value(r, 0);
        if (status != RV_OK)
            return status;
    } while (take(r, ','));
    complete(scale ? scale : &out->scale);
    return take(r, '}') ? RV_OK : fail_at(r, "a comma or } was expected");
}

static bool is_upside_down(const rvi_scale *scale) {
    return scale->low > scale->high;
}

/* A list of scales; those that say no file, or are too many, are left out. */
static rv_status read_previous(reader *r, rvi_sidecar *out) {
    out->previous_count = 0;
    if (!take(r, '['))
        return fail_at(r, "a list in [ ] was expected");
    if (take(r, ']'))
        return RV_OK;
    do {
        rvi_scale scale = nothing_said;
        rv_status status = read_object(r, NULL, &scale);
        if (status != RV_OK)
            return status;
        if (scale.hashed && !is_upside_down(&scale) && out->previous_count < RVI_SCALES - 1)
            out->previous[out->previous_count++] = scale;
    } while (take(r, ','));
    return take(r, ']') ? RV_OK : fail_at(r, "a comma or ] was expected");
}

rv_status rvi_sidecar_parse(rv_context *ctx, const char *name, const char *text, size_t size,
                            rvi_sidecar *out) {
    size_t begin;
    *out = (rvi_sidecar){.present = true, .scale = nothing_said};
    rv_status status = rvi_text_begin(ctx, name, text, size, &begin);
    if (status != RV_OK)
        return status;
    reader r = {ctx, name, text + begin, text + begin, text + size};
    status = read_object(&r, out, NULL);
    peek(&r);
    if (status == RV_OK && r.at != r.end)
        status = fail_at(&r, "nothing may follow the last }");
    if (status == RV_OK && is_upside_down(&out->scale))
        status = rvi_fail(ctx, RV_ERROR_INPUT, "%s: min_m %.9g is above max_m %.9g.", name,
                          (double)out->scale.low, (double)out->scale.high);
    return status;
}

rv_status rvi_sidecar_read(rv_context *ctx, const char *file, rvi_sidecar *out) {
    *out = (rvi_sidecar){.scale = nothing_said};
    char *path = rvi_sidecar_path(ctx, file);
    if (path == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = RV_OK;
    rvi_bytes bytes = {0};
    uint64_t total = 0;
    if (rvi_file_exists(path)) {
        status = rvi_file_read_start(ctx, path, FILE_MOST, &bytes, &total);
        if (status == RV_OK && total > FILE_MOST)
            status = rvi_fail(ctx, RV_ERROR_INPUT, "%s is too large for a sidecar.", path);
        if (status == RV_OK)
            status = rvi_sidecar_parse(ctx, path, (const char *)bytes.data, bytes.size, out);
        rvi_free(ctx, bytes.data);
    }
    rvi_free(ctx, path);
    return status;
}

rv_status rvi_sidecar_check_target(rv_context *ctx, const char *file) {
    rvi_sidecar there;
    char *path = rvi_sidecar_path(ctx, file);
    rv_status status = path != NULL ? rvi_file_check_target(ctx, path) : RV_ERROR_MEMORY;
    rvi_free(ctx, path);
    if (status == RV_OK)
        status = rvi_sidecar_read(ctx, file, &there);
    if (status == RV_ERROR_INPUT || (status == RV_OK && there.present && !there.own))
        return rvi_fail(ctx, RV_ERROR_OUTPUT,
                        "%s.ravine.json: was not written by Ravine and was not changed; rename or "
                        "remove it, or say overwrite=yes.",
                        file);
    return status;
}

/* ---- Which file it is about ---- */

static bool fits(const rvi_scale *scale, const rvi_known *file) {
    if (file->hashed)
        return scale->data_hash == file->data_hash;
    bool said = scale->width != 0 && scale->height != 0;
    bool same = (uint64_t)scale->width * (uint64_t)scale->height == file->cells &&
                (file->width == 0 || file->width == scale->width);
    return !said || same;
}

void rvi_sidecar_choose(rvi_sidecar *sidecar, const rvi_known *file) {
    if (!sidecar->scale.hashed || fits(&sidecar->scale, file))
        return;
    sidecar->foreign = file->hashed;
    for (int i = 0; i < sidecar->previous_count; i++)
        if (fits(&sidecar->previous[i], file)) {
            sidecar->scale = sidecar->previous[i];
            sidecar->foreign = false;
            return;
        }
}

void rvi_sidecar_renew(rvi_sidecar *sidecar, const rvi_scale *scale) {
    rvi_scale before[RVI_SCALES];
    int count = 1 + sidecar->previous_count, kept = 0;
    before[0] = sidecar->scale;
    memcpy(before + 1, sidecar->previous, sizeof sidecar->previous);
    for (int i = 0; i < count && kept < RVI_SCALES - 1; i++)
        if (before[i].hashed && before[i].data_hash != scale->data_hash)
            sidecar->previous[kept++] = before[i];
    sidecar->previous_count = kept;
    sidecar->scale = *scale;
}
