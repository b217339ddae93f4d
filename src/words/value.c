/* value.c: text to the value of a parameter. What is wrong is said with its place and the nearest
 * right word. */
#include "base/text.h"
#include "words/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void rvi_place_print(const rvi_place *at, char *out, size_t size) {
    if (at->name == NULL)
        out[0] = '\0';
    else if (at->line > 0)
        snprintf(out, size, "%s, line %d, column %d: ", at->name, at->line, at->column);
    else
        snprintf(out, size, "%s, word %d: ", at->name, at->column);
}

rv_status rvi_place_fail(rv_context *ctx, const rvi_place *at, rv_status status) {
    char where[512], said[1024];
    rvi_place_print(at, where, sizeof where);
    snprintf(said, sizeof said, "%s", rv_context_error(ctx));
    return rvi_fail(ctx, status, "%s%s", where, said);
}

#define AT_PLACE(at)                                                                               \
    char where[512];                                                                               \
    rvi_place_print(at, where, sizeof where)

/* ---- the nearest right word ---- */

typedef struct guess {
    const char *name;
    int distance;
} guess;

static void consider(guess *best, const char *text, size_t size, const char *name) {
    int d = rvi_text_distance(text, size, name);
    if (!best->name || d < best->distance)
        *best = (guess){name, d};
}

/* "; did you mean X?" when something is near enough to be a slip, else a full stop. */
static const char *hint(const guess *best, size_t size, char *out, size_t out_size) {
    if (best->name && best->distance <= 1 + (int)size / 3)
        snprintf(out, out_size, "; did you mean \"%s\"?", best->name);
    else
        snprintf(out, out_size, ".");
    return out;
}

/* "; it is called X." for a known other name; else as `hint`. word NULL: the text is that of a
 * word. */
static const char *advise(const rvi_vocabulary *v, const char *word, const char *text, size_t size,
                          const guess *best, char *out, size_t out_size) {
    for (int i = 0; i < v->other_count; i++) {
        const rvi_other_name *f = &v->other[i];
        bool meant = word ? f->key && strcmp(f->word, word) == 0 && rvi_text_is(text, size, f->key)
                          : !f->key && rvi_text_is(text, size, f->word);
        if (meant) {
            snprintf(out, out_size, "; it is called \"%s\".", f->name);
            return out;
        }
    }
    return hint(best, size, out, out_size);
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Is `text` one of the phrases of a list with ", " between them, or a word of one? */
static bool is_among(const char *list, const char *text, size_t size) {
    for (const char *at = list; size > 0 && *at; at += strcspn(at, " ,"), at += strspn(at, " ,")) {
        size_t i = 0;
        while (i < size && (lower(text[i]) == '-' ? ' ' : lower(text[i])) == at[i])
            i++;
        if (i == size && strchr(" ,", at[i])) /* the zero at the end, too */
            return true;
    }
    return false;
}

/* "; see "droplets", "pipes" or "rivers"." for words that people have for the same; false: for no
 * word. */
static bool name_others(const rvi_vocabulary *v, const char *text, size_t size, char *out,
                        size_t out_size) {
    const char *found[8];
    int count = 0;
    for (int i = 0; v->also && i < v->count && count < 8; i++)
        if (is_among(v->also(i), text, size))
            found[count++] = v->get(i)->name;
    size_t used = 0;
    for (int i = 0; i < count && used < out_size; i++)
        used += (size_t)snprintf(out + used, out_size - used, "%s\"%s\"%s",
                                 i == 0           ? "; see "
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 found[i], i + 1 == count ? "." : "");
    return count > 0;
}

int rvi_words_find(const rvi_words *words, const char *text, size_t size) {
    for (int i = 0; i < words->vocabulary->count; i++)
        if (rvi_text_is(text, size, words->vocabulary->get(i)->name))
            return i;
    return -1;
}

rv_status rvi_words_unknown(const rvi_words *words, const rvi_place *at, const char *text,
                            size_t size) {
    AT_PLACE(at);
    const rvi_vocabulary *v = words->vocabulary;
    guess best = {0};
    char help[160];
    for (int i = 0; i < v->count; i++)
        consider(&best, text, size, v->get(i)->name);
    if (best.distance > 1 && name_others(v, text, size, help, sizeof help))
        return rvi_fail(words->ctx, RV_ERROR_USAGE, "%s%shere is no %s \"%.*s\"%s", where,
                        where[0] ? "t" : "T", v->word, (int)(size < 60 ? size : 60), text, help);
    return rvi_fail(words->ctx, RV_ERROR_USAGE, "%s%shere is no %s \"%.*s\"%s", where,
                    where[0] ? "t" : "T", v->word, (int)(size < 60 ? size : 60), text,
                    advise(v, NULL, text, size, &best, help, sizeof help));
}

/* The whole number after '#', from 1; 0: it is none. */
static int read_number(const char *text, size_t size) {
    int number = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' || number > 100000)
            return 0;
        number = 10 * number + (text[i] - '0');
    }
    return number;
}

rv_status rvi_words_mean(const rvi_words *words, const rvi_place *at, const char *text, size_t size,
                         rvi_meant *out) {
    const rvi_vocabulary *v = words->vocabulary;
    const char *mark = memchr(text, '#', size);
    size_t name = mark ? (size_t)(mark - text) : size;
    int number = mark ? read_number(mark + 1, size - name - 1) : 0, count = 0;
    *out = (rvi_meant){.which = rvi_words_find(words, text, name), .first = -1};
    if (out->which < 0)
        return rvi_words_unknown(words, at, text, name);
    for (int i = 0; i < words->count; i++) {
        if (words->list[i].which != out->which)
            continue;
        count++;
        if (mark ? count == number : out->first < 0)
            out->first = i;
        if (!mark || count == number)
            out->last = i;
    }
    if (out->first >= 0)
        return RV_OK;
    AT_PLACE(at);
    const char *called = v->get(out->which)->name;
    if (mark && number == 0)
        return rvi_fail(words->ctx, RV_ERROR_USAGE,
                        "%safter %s# comes which %s of that name is meant: 1, 2 ...", where, called,
                        v->word);
    if (count > 0)
        return rvi_fail(words->ctx, RV_ERROR_USAGE, "%s%s has no %s %s#%d, only %d of that name.",
                        where, v->whole, v->word, called, number, count);
    return rvi_fail(words->ctx, RV_ERROR_USAGE, "%s%s has no %s %s.", where, v->whole, v->word,
                    called);
}

const rv_param_info *rvi_words_param(const rvi_words *words, const rvi_place *at,
                                     const rv_word_info *info, const char *key, size_t size) {
    guess best = {0};
    char help[80];
    for (int i = 0; i < info->param_count; i++) {
        if (rvi_text_is(key, size, info->params[i].name))
            return &info->params[i];
        consider(&best, key, size, info->params[i].name);
    }
    AT_PLACE(at);
    rvi_fail(words->ctx, RV_ERROR_USAGE, "%s%s has no parameter \"%.*s\"%s", where, info->name,
             (int)(size < 60 ? size : 60), key,
             advise(words->vocabulary, info->name, key, size, &best, help, sizeof help));
    return NULL;
}

/* ---- values ---- */

/* What is to be set, and from what. */
typedef struct setting {
    rv_context *ctx;
    const rvi_place *at;
    const rv_word_info *info;
    const rv_param_info *param;
    void *params;
    const char *text;
    size_t size;
} setting;

static rv_status bad_value(const setting *s, const char *expected) {
    AT_PLACE(s->at);
    return rvi_fail(s->ctx, RV_ERROR_USAGE, "%s%s: %s=%.*s is not %s.", where, s->info->name,
                    s->param->name, (int)(s->size < 60 ? s->size : 60), s->text, expected);
}

static rv_status out_of_range(const setting *s) {
    const rv_param_info *p = s->param;
    char range[96];
    snprintf(range, sizeof range, "within %.7g to %.7g%s%s", p->low, p->high, p->unit[0] ? " " : "",
             p->unit);
    return bad_value(s, range);
}

static bool says_auto(const setting *s) {
    return rv_param_has_auto(s->param) && rvi_text_is(s->text, s->size, "auto");
}

static rv_status set_choice(const setting *s) {
    const rv_param_info *p = s->param;
    char list[256] = "one of";
    for (int i = 0; i < p->option_count; i++) {
        if (rvi_text_is(s->text, s->size, p->options[i].name)) {
            rv_param_set_number(p, s->params, i);
            return RV_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s %s", i ? "," : "", p->options[i].name);
    }
    return bad_value(s, list);
}

static rv_status set_switch(const setting *s) {
    static const char *const said[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
    for (int i = 0; i < 8; i++)
        if (rvi_text_is(s->text, s->size, said[i])) {
            rv_param_set_number(s->param, s->params, i % 2);
            return RV_OK;
        }
    return bad_value(s, "yes or no");
}

static rv_status set_seed(const setting *s) {
    uint64_t seed;
    if (!rvi_text_uint(s->text, s->size, &seed))
        return bad_value(s, "a whole number from 0 to 2^64 - 1");
    rv_param_set_seed(s->param, s->params, seed);
    return RV_OK;
}

/* A length that is said in cells, stored as less than nothing: rvi_length(). */
static bool says_cells(const setting *s, double *value) {
    static const char *const ends[] = {"cells", "cell"};
    for (int i = 0; i < 2 && s->param->in_cells; i++) {
        size_t end = strlen(ends[i]);
        if (s->size > end && memcmp(s->text + s->size - end, ends[i], end) == 0 &&
            rvi_text_number(s->text, s->size - end, value)) {
            *value = -*value;
            return true;
        }
    }
    return false;
}

static rv_status set_length(const setting *s, double value) {
    if (!(value <= 0.0 && value >= -RVI_MOST_CELLS) || (value < 0.0 && value > -0.001))
        return bad_value(s, "within 0.001 to 65536 cells");
    rv_param_set_number(s->param, s->params, value < 0.0 ? value : 0.0);
    return RV_OK;
}

static rv_status set_number(const setting *s) {
    const rv_param_info *p = s->param;
    double value = p->def;
    if (says_cells(s, &value))
        return set_length(s, value);
    if (!says_auto(s)) {
        if (!rvi_text_number(s->text, s->size, &value))
            return bad_value(s, "a number");
        if (!(value >= p->low && value <= p->high))
            return out_of_range(s);
        if (p->type != RV_PARAM_REAL && value != (double)(int64_t)value)
            return bad_value(s, "a whole number");
    }
    rv_param_set_number(p, s->params, value);
    return RV_OK;
}

/* x/y/z */
static rv_status set_vector(const setting *s) {
    const rv_param_info *p = s->param;
    double value[3] = {NAN, NAN, NAN};
    if (!says_auto(s) && !rvi_text_vector(s->text, s->size, value))
        return bad_value(s, "three numbers such as 1/2.5/0");
    for (int i = 0; i < 3; i++)
        if (value[i] < p->low || value[i] > p->high)
            return out_of_range(s);
    rv_param_set_vector(p, s->params, value);
    return RV_OK;
}

static rv_status set_text(rvi_words *words, const setting *s) {
    if (s->param->required && s->size == 0)
        return bad_value(s, "a file name");
    const char *old = rv_param_text(s->param, s->params);
    const char *copy = rvi_words_keep(words, old, s->text, s->size);
    if (!copy)
        return RV_ERROR_MEMORY;
    rv_param_set_text(s->param, s->params, copy);
    return RV_OK;
}

rv_status rvi_words_set(rvi_words *words, const rvi_place *at, rvi_word *to,
                        const rv_param_info *param, const char *text, size_t size) {
    const setting s = {words->ctx, at, to->info, param, to->params, text, size};
    switch (param->type) {
    case RV_PARAM_CHOICE:
        return set_choice(&s);
    case RV_PARAM_SWITCH:
        return set_switch(&s);
    case RV_PARAM_VECTOR:
        return set_vector(&s);
    case RV_PARAM_SEED:
        return set_seed(&s);
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE:
        return set_text(words, &s);
    case RV_PARAM_REAL:
    case RV_PARAM_INT:
    case RV_PARAM_COUNT:
        break;
    }
    return set_number(&s);
}
