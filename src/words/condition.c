/* condition.c: reads a condition in words. */
#include "words/condition.h"
#include "base/context.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MOST = 32 }; /* brackets and nots inside each other */

typedef struct reading {
    rv_context *ctx;
    const char *key, *text;
    size_t at, size; /* of the token that comes next: text[at .. at + size) */
    int depth;
    rvi_condition *out;
} reading;

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* A number ends where a range goes on: 5 in 5..9. */
static size_t number_size(const char *text) {
    size_t n = 0;
    for (; text[n] != '\0' && !is_blank(text[n]) && strchr("()<>=~", text[n]) == NULL; n++)
        if (text[n] == '.' && text[n + 1] == '.')
            break;
    return n;
}

static size_t token_size(const char *text) {
    if (text[0] == '\0')
        return 0;
    if (text[0] == '.' && text[1] == '.')
        return 2;
    if (text[0] == '<' || text[0] == '>')
        return text[1] == '=' ? 2 : 1;
    if (strchr("()=~", text[0]) != NULL)
        return 1;
    if (strchr("+-.0123456789", text[0]) != NULL)
        return number_size(text);
    return strcspn(text, " \t()<>=~");
}

static void next(reading *r) {
    r->at += r->size;
    while (is_blank(r->text[r->at]))
        r->at++;
    r->size = token_size(r->text + r->at);
}

static bool is(const reading *r, const char *token) {
    return rvi_text_is(r->text + r->at, r->size, token);
}

static bool take(reading *r, const char *token) {
    if (!is(r, token))
        return false;
    next(r);
    return true;
}

static rv_status expected(const reading *r, const char *what) {
    return rvi_fail(r->ctx, RV_ERROR_USAGE, "%s, letter %zu: %s was expected.", r->key, r->at + 1,
                    what);
}

static rv_status add_part(const reading *r, const rvi_condition_part *part) {
    if (r->out->count == RVI_CONDITION_PARTS)
        return rvi_fail(r->ctx, RV_ERROR_USAGE, "%s has more than %d parts.", r->key,
                        RVI_CONDITION_PARTS);
    r->out->parts[r->out->count++] = *part;
    return RV_OK;
}

static rv_status take_number(reading *r, float *out) {
    double value;
    if (!rvi_text_number(r->text + r->at, r->size, &value) || !(fabs(value) <= 1e30))
        return expected(r, "a number");
    *out = (float)value;
    next(r);
    return RV_OK;
}

static rv_status read_soft(reading *r, rvi_condition_part *part) {
    rv_status status = take(r, "~") ? take_number(r, &part->soft) : RV_OK;
    if (status == RV_OK && part->soft < 0.0f)
        return rvi_fail(r->ctx, RV_ERROR_USAGE, "%s: an edge of %g is below 0.", r->key,
                        (double)part->soft);
    return status;
}

static rv_status read_test(reading *r, rvi_condition_part *part) {
    static const struct {
        const char *token;
        rvi_condition_kind kind;
    } tests[] = {{"<", RVI_CONDITION_BELOW},
                 {"<=", RVI_CONDITION_UP_TO},
                 {">", RVI_CONDITION_ABOVE},
                 {">=", RVI_CONDITION_FROM}};
    rv_status status;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (take(r, tests[i].token)) {
            part->kind = tests[i].kind;
            status = take_number(r, &part->low);
            part->high = part->low;
            return status == RV_OK ? read_soft(r, part) : status;
        }
    if (!take(r, "in"))
        return RV_OK; /* a name alone */
    part->kind = RVI_CONDITION_IN;
    status = take_number(r, &part->low);
    if (status == RV_OK && !take(r, ".."))
        status = expected(r, "..");
    if (status == RV_OK)
        status = take_number(r, &part->high);
    return status == RV_OK ? read_soft(r, part) : status;
}

static bool is_name(const reading *r) {
    return r->size > 0 && strchr("()<>=~.+-0123456789", r->text[r->at]) == NULL && !is(r, "and") &&
           !is(r, "or") && !is(r, "in");
}

static rv_status read_named(reading *r) {
    rvi_condition_part part = {.kind = RVI_CONDITION_VALUE};
    if (!is_name(r))
        return expected(r, r->size > 0 ? "the name of a field" : "more");
    if (r->size >= RVI_CONDITION_NAME)
        return rvi_fail(r->ctx, RV_ERROR_USAGE, "%s, letter %zu: no field has so long a name.",
                        r->key, r->at + 1);
    memcpy(part.name, r->text + r->at, r->size);
    next(r);
    rv_status status = read_test(r, &part);
    return status == RV_OK ? add_part(r, &part) : status;
}

static rv_status read_either(reading *r);

static rv_status read_one(reading *r) {
    rv_status status;
    bool negated = is(r, "not"), open = is(r, "(");
    if (!negated && !open)
        return read_named(r);
    if (++r->depth > DEPTH_MOST)
        return rvi_fail(r->ctx, RV_ERROR_USAGE, "%s is nested more than %d deep.", r->key,
                        DEPTH_MOST);
    next(r);
    status = negated ? read_one(r) : read_either(r);
    r->depth--;
    if (status == RV_OK && negated)
        return add_part(r, &(rvi_condition_part){.kind = RVI_CONDITION_NOT});
    if (status == RV_OK && !take(r, ")"))
        return expected(r, ")");
    return status;
}

static rv_status read_both(reading *r) {
    rv_status status = read_one(r);
    while (status == RV_OK && take(r, "and")) {
        status = read_one(r);
        if (status == RV_OK)
            status = add_part(r, &(rvi_condition_part){.kind = RVI_CONDITION_AND});
    }
    return status;
}

static rv_status read_either(reading *r) {
    rv_status status = read_both(r);
    while (status == RV_OK && take(r, "or")) {
        status = read_both(r);
        if (status == RV_OK)
            status = add_part(r, &(rvi_condition_part){.kind = RVI_CONDITION_OR});
    }
    return status;
}

rv_status rvi_condition_parse(rv_context *ctx, const char *key, const char *text,
                              rvi_condition *out) {
    reading r = {.ctx = ctx, .key = key, .text = text, .out = out};
    *out = (rvi_condition){.count = 0};
    next(&r);
    if (r.size == 0)
        return RV_OK;
    rv_status status = read_either(&r);
    if (status == RV_OK && r.size > 0)
        status = expected(&r, "and, or, or the end");
    return status;
}
