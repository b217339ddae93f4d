/* parse.c: words to steps.
 *
 * A recipe is words between blanks. A word with '=' is a parameter of the step before it; a word
 * without is the next step, or the file or count that the step before it takes. '#' starts a
 * comment that runs to the end of the line; "double quotes" hold blanks, '#' and '=' together.
 * STEP.KEY=VALUE changes every such step of the recipe.
 */
#include "words/parse.h"
#include "base/file.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One word and where it stands, for messages. */
typedef struct word {
    const char *text; /* quotes taken away */
    size_t size;
    size_t equals; /* place of the first '=' outside quotes, or `size` */
    bool bare;     /* no part of it was quoted */
} word;

typedef struct place {
    const char *name; /* of the file, or "command line" */
    int line, column; /* from 1; line 0: the command line, and column counts words */
} place;

static void place_text(const place *at, char *out, size_t size) {
    if (at->line > 0)
        snprintf(out, size, "%s, line %d, column %d", at->name, at->line, at->column);
    else
        snprintf(out, size, "%s, word %d", at->name, at->column);
}

#define AT_PLACE(at)                                                                               \
    char where[512];                                                                               \
    place_text(at, where, sizeof where)

/* ---- what a recipe holds ---- */

static void *grow(rv_context *ctx, void *old, int count, int *room, size_t size) {
    if (count < *room)
        return old;
    int more = *room ? 2 * *room : 8;
    void *list = rvi_alloc(ctx, (size_t)more, size, "the recipe");
    if (!list)
        return NULL;
    if (old)
        memcpy(list, old, (size_t)count * size);
    rvi_free(ctx, old);
    *room = more;
    return list;
}

static const char *keep_text(rv_recipe *recipe, const char *text, size_t size) {
    char **texts = grow(recipe->ctx, recipe->texts, recipe->text_count, &recipe->text_room,
                        sizeof *recipe->texts);
    if (!texts)
        return NULL;
    recipe->texts = texts;
    char *copy = rvi_alloc(recipe->ctx, size + 1, 1, "the recipe");
    if (!copy)
        return NULL;
    memcpy(copy, text, size);
    recipe->texts[recipe->text_count++] = copy;
    return copy;
}

static rv_status add_step(rv_recipe *recipe, const rv_step_info *step) {
    rvi_recipe_step *steps =
        grow(recipe->ctx, recipe->steps, recipe->count, &recipe->room, sizeof *recipe->steps);
    if (!steps)
        return RV_ERROR_MEMORY;
    recipe->steps = steps;
    void *params = rvi_alloc(recipe->ctx, 1, step->params_size, "the recipe");
    if (!params)
        return RV_ERROR_MEMORY;
    rv_word_default(step, params);
    recipe->steps[recipe->count++] = (rvi_recipe_step){step->id, step, params};
    return RV_OK;
}

void rv_recipe_destroy(rv_recipe *recipe) {
    if (!recipe)
        return;
    for (int i = 0; i < recipe->count; i++)
        rvi_free(recipe->ctx, recipe->steps[i].params);
    for (int i = 0; i < recipe->text_count; i++)
        rvi_free(recipe->ctx, recipe->texts[i]);
    rvi_free(recipe->ctx, recipe->steps);
    rvi_free(recipe->ctx, recipe->texts);
    rvi_free(recipe->ctx, recipe);
}

int rv_recipe_count(const rv_recipe *recipe) {
    return recipe->count;
}

rv_step_id rv_recipe_step(const rv_recipe *recipe, int index) {
    assert(index >= 0 && index < recipe->count);
    return recipe->steps[index].id;
}

const void *rv_recipe_params(const rv_recipe *recipe, int index) {
    assert(index >= 0 && index < recipe->count);
    return recipe->steps[index].params;
}

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

/* ", did you mean X?" when something is near enough to be a slip, else a full stop. */
static const char *hint(const guess *best, size_t size, char *out, size_t out_size) {
    if (best->name && best->distance <= 1 + (int)size / 3)
        snprintf(out, out_size, "; did you mean \"%s\"?", best->name);
    else
        snprintf(out, out_size, ".");
    return out;
}

static const rv_step_info *find_step(const rv_recipe *recipe, const char *text, size_t size) {
    for (int i = 0; i < recipe->vocabulary->count; i++) {
        const rv_step_info *step = recipe->vocabulary->get(i);
        if (rvi_text_is(text, size, step->name))
            return step;
    }
    return NULL;
}

static rv_status unknown_step(const rv_recipe *recipe, const place *at, const char *text,
                              size_t size) {
    AT_PLACE(at);
    const rvi_vocabulary *v = recipe->vocabulary;
    guess best = {0};
    char help[80];
    for (int i = 0; i < v->count; i++)
        consider(&best, text, size, v->get(i)->name);
    return rvi_fail(recipe->ctx, RV_ERROR_USAGE, "%s: there is no %s \"%.*s\"%s", where, v->word,
                    (int)(size < 60 ? size : 60), text, hint(&best, size, help, sizeof help));
}

static const rv_param_info *find_param(const rv_step_info *step, const char *key, size_t size) {
    for (int i = 0; i < step->param_count; i++)
        if (rvi_text_is(key, size, step->params[i].name))
            return &step->params[i];
    return NULL;
}

static rv_status unknown_key(rv_context *ctx, const place *at, const rv_step_info *step,
                             const char *key, size_t size) {
    AT_PLACE(at);
    guess best = {0};
    char help[80];
    for (int i = 0; i < step->param_count; i++)
        consider(&best, key, size, step->params[i].name);
    return rvi_fail(ctx, RV_ERROR_USAGE, "%s: %s has no parameter \"%.*s\"%s", where, step->name,
                    (int)(size < 60 ? size : 60), key, hint(&best, size, help, sizeof help));
}

/* ---- values ---- */

static rv_status bad_value(rv_context *ctx, const place *at, const rv_step_info *step,
                           const rv_param_info *p, const char *text, size_t size,
                           const char *expected) {
    AT_PLACE(at);
    return rvi_fail(ctx, RV_ERROR_USAGE, "%s: %s: %s=%.*s is not %s.", where, step->name, p->name,
                    (int)(size < 60 ? size : 60), text, expected);
}

static rv_status set_choice(rv_context *ctx, const place *at, const rv_step_info *step,
                            const rv_param_info *p, void *params, const char *text, size_t size) {
    char list[256] = "one of";
    for (int i = 0; i < p->option_count; i++) {
        if (rvi_text_is(text, size, p->options[i].name)) {
            rv_param_set(p, params, i, NULL);
            return RV_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s %s", i ? "," : "", p->options[i].name);
    }
    return bad_value(ctx, at, step, p, text, size, list);
}

static rv_status set_switch(rv_context *ctx, const place *at, const rv_step_info *step,
                            const rv_param_info *p, void *params, const char *text, size_t size) {
    static const char *const words[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
    for (int i = 0; i < 8; i++)
        if (rvi_text_is(text, size, words[i])) {
            rv_param_set(p, params, i % 2, NULL);
            return RV_OK;
        }
    return bad_value(ctx, at, step, p, text, size, "yes or no");
}

static rv_status set_number(rv_context *ctx, const place *at, const rv_step_info *step,
                            const rv_param_info *p, void *params, const char *text, size_t size) {
    if (rv_param_automatic(p) && rvi_text_is(text, size, "auto")) {
        rv_param_set(p, params, p->def, NULL);
        return RV_OK;
    }
    if (p->type == RV_PARAM_SEED) {
        uint64_t seed; /* more digits than a double holds */
        if (!rvi_text_uint(text, size, &seed))
            return bad_value(ctx, at, step, p, text, size, "a whole number from 0 to 2^64 - 1");
        memcpy((char *)params + p->offset, &seed, sizeof seed);
        return RV_OK;
    }
    double value;
    if (!rvi_text_number(text, size, &value))
        return bad_value(ctx, at, step, p, text, size, "a number");
    if (!(value >= p->low && value <= p->high)) {
        char range[96];
        snprintf(range, sizeof range, "within %.7g to %.7g%s%s", p->low, p->high,
                 p->unit[0] ? " " : "", p->unit);
        return bad_value(ctx, at, step, p, text, size, range);
    }
    bool whole = p->type != RV_PARAM_REAL;
    if (whole && value != (double)(int64_t)value)
        return bad_value(ctx, at, step, p, text, size, "a whole number");
    rv_param_set(p, params, value, NULL);
    return RV_OK;
}

/* x/y/z */
static rv_status set_vector(rv_context *ctx, const place *at, const rv_step_info *step,
                            const rv_param_info *p, void *params, const char *text, size_t size) {
    double value[3] = {NAN, NAN, NAN};
    if (!(rv_param_automatic(p) && rvi_text_is(text, size, "auto")) &&
        !rvi_text_vector(text, size, value))
        return bad_value(ctx, at, step, p, text, size, "three numbers such as 1/2.5/0");
    for (int i = 0; i < 3; i++)
        if (value[i] < p->low || value[i] > p->high) {
            char range[96];
            snprintf(range, sizeof range, "within %.7g to %.7g%s%s", p->low, p->high,
                     p->unit[0] ? " " : "", p->unit);
            return bad_value(ctx, at, step, p, text, size, range);
        }
    rv_param_set_vector(p, params, value);
    return RV_OK;
}

static rv_status set_value(rv_recipe *recipe, const place *at, rvi_recipe_step *to,
                           const rv_param_info *p, const char *text, size_t size) {
    const rv_step_info *step = to->info;
    rv_context *ctx = recipe->ctx;
    switch (p->type) {
    case RV_PARAM_CHOICE:
        return set_choice(ctx, at, step, p, to->params, text, size);
    case RV_PARAM_SWITCH:
        return set_switch(ctx, at, step, p, to->params, text, size);
    case RV_PARAM_VECTOR:
        return set_vector(ctx, at, step, p, to->params, text, size);
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE: {
        if (p->required && size == 0)
            return bad_value(ctx, at, step, p, text, size, "a file name");
        const char *copy = keep_text(recipe, text, size);
        if (!copy)
            return RV_ERROR_MEMORY;
        rv_param_set(p, to->params, 0.0, copy);
        return RV_OK;
    }
    default:
        return set_number(ctx, at, step, p, to->params, text, size);
    }
}

/* ---- words ---- */

/* The recipe so far, and what the next word may be. */
typedef struct reader {
    rv_recipe *recipe;
    const rv_param_info *bare; /* the last word named a step, and this may follow without its key */
    place repeats[RVI_DEPTH];  /* those that have no end yet */
    int depth;
} reader;

/* The parameter that may stand as a word of its own: the first one, when it is a file or a count,
 * or a choice where the vocabulary has such. */
static const rv_param_info *bare_param(const rv_recipe *recipe, const rv_step_info *step) {
    const rv_param_info *p = step->param_count > 0 ? &step->params[0] : NULL;
    bool choice = p && p->type == RV_PARAM_CHOICE && recipe->vocabulary->bare_choices;
    return p && (p->type == RV_PARAM_FILE || p->type == RV_PARAM_COUNT || choice) ? p : NULL;
}

static rv_status override_steps(reader *r, const place *at, const word *w, size_t dot) {
    rv_recipe *recipe = r->recipe;
    const rv_step_info *step = find_step(recipe, w->text, dot);
    if (!step)
        return unknown_step(recipe, at, w->text, dot);
    const char *key = w->text + dot + 1;
    size_t key_size = w->equals - dot - 1;
    const rv_param_info *p = find_param(step, key, key_size);
    if (!p)
        return unknown_key(recipe->ctx, at, step, key, key_size);
    bool any = false;
    for (int i = 0; i < recipe->count; i++) {
        if (recipe->steps[i].id != step->id)
            continue;
        any = true;
        rv_status status = set_value(recipe, at, &recipe->steps[i], p, w->text + w->equals + 1,
                                     w->size - w->equals - 1);
        if (status != RV_OK)
            return status;
    }
    if (any)
        return RV_OK;
    AT_PLACE(at);
    return rvi_fail(recipe->ctx, RV_ERROR_USAGE, "%s: the %s has no %s %s to change.", where,
                    recipe->vocabulary->whole, recipe->vocabulary->word, step->name);
}

static rv_status read_parameter(reader *r, const place *at, const word *w) {
    rv_recipe *recipe = r->recipe;
    const char *dot = memchr(w->text, '.', w->equals);
    if (dot)
        return override_steps(r, at, w, (size_t)(dot - w->text));
    if (recipe->count == 0) {
        AT_PLACE(at);
        return rvi_fail(recipe->ctx, RV_ERROR_USAGE, "%s: \"%.*s\" stands before any %s.", where,
                        (int)(w->size < 60 ? w->size : 60), w->text, recipe->vocabulary->word);
    }
    rvi_recipe_step *last = &recipe->steps[recipe->count - 1];
    const rv_step_info *step = last->info;
    const rv_param_info *p = find_param(step, w->text, w->equals);
    if (!p)
        return unknown_key(recipe->ctx, at, step, w->text, w->equals);
    if (p == r->bare)
        r->bare = NULL;
    return set_value(recipe, at, last, p, w->text + w->equals + 1, w->size - w->equals - 1);
}

/* Every end has its repeat. */
static rv_status check_order(reader *r, const place *at, const rv_step_info *step) {
    AT_PLACE(at);
    if (!r->recipe->vocabulary->orders)
        return RV_OK;
    if (step->id == RV_STEP_repeat) {
        if (r->depth == RVI_DEPTH)
            return rvi_fail(r->recipe->ctx, RV_ERROR_USAGE,
                            "%s: more than %d repeats stand inside each other.", where, RVI_DEPTH);
        r->repeats[r->depth++] = *at;
    } else if (step->id == RV_STEP_end && r->depth-- == 0) {
        return rvi_fail(r->recipe->ctx, RV_ERROR_USAGE, "%s: this end has no repeat.", where);
    }
    return RV_OK;
}

static rv_status read_word(reader *r, const place *at, const word *w) {
    rv_recipe *recipe = r->recipe;
    if (w->equals < w->size)
        return read_parameter(r, at, w);
    const rv_step_info *step = find_step(recipe, w->text, w->size);
    if (r->bare) {
        const rv_param_info *p = r->bare;
        bool count = p->type == RV_PARAM_COUNT;
        r->bare = NULL;
        /* "mask droplets": a file that may be left out is not named like a step, unless quoted. */
        if (count ? w->size > 0 && w->text[0] >= '0' && w->text[0] <= '9'
                  : p->required || !step || !w->bare)
            return set_value(recipe, at, &recipe->steps[recipe->count - 1], p, w->text, w->size);
    }
    if (!step)
        return unknown_step(recipe, at, w->text, w->size);
    r->bare = bare_param(recipe, step);
    rv_status status = check_order(r, at, step);
    return status == RV_OK ? add_step(recipe, step) : status;
}

/* Every file that must be named has been, and every repeat has its end? */
static rv_status check_whole(const reader *r, const char *name) {
    const rv_recipe *recipe = r->recipe;
    if (r->depth > 0) {
        AT_PLACE(&r->repeats[r->depth - 1]);
        return rvi_fail(recipe->ctx, RV_ERROR_USAGE, "%s: this repeat has no end.", where);
    }
    for (int i = 0; i < recipe->count; i++) {
        const rv_step_info *step = recipe->steps[i].info;
        for (int k = 0; k < step->param_count; k++) {
            const rv_param_info *p = &step->params[k];
            if (p->required && !rv_param_text(p, recipe->steps[i].params))
                return rvi_fail(recipe->ctx, RV_ERROR_USAGE,
                                "%s: %s %d, %s, needs a name for its %s.", name,
                                recipe->vocabulary->word, i + 1, step->name, p->name);
        }
    }
    return RV_OK;
}

/* Reads one word from text at *i into `out` (room for all of text). */
static rv_status next_word(rv_context *ctx, const char *text, size_t *i, const place *at, char *out,
                           word *w) {
    size_t size = 0;
    *w = (word){.text = out, .equals = SIZE_MAX, .bare = true};
    bool quoted = false;
    for (; text[*i] != '\0'; (*i)++) {
        char c = text[*i];
        if (c == '"') {
            quoted = !quoted;
            w->bare = false;
        } else if (quoted ? c == '\n' : strchr(" \t\r\n#", c) != NULL) {
            break;
        } else {
            if (c == '=' && !quoted && w->equals == SIZE_MAX)
                w->equals = size;
            out[size++] = c;
        }
    }
    w->size = size;
    if (w->equals == SIZE_MAX)
        w->equals = size;
    if (quoted) {
        AT_PLACE(at);
        return rvi_fail(ctx, RV_ERROR_USAGE, "%s: the quote is not closed on its line.", where);
    }
    return RV_OK;
}

/* Pass 0 reads steps and their parameters, pass 1 what changes them: a change may stand before or
 * after the step. */
static rv_status read_text(reader *r, const char *text, const char *name, char *buffer, int pass) {
    rv_context *ctx = r->recipe->ctx;
    int line = 1;
    size_t line_start = 0, i = 0;
    while (text[i] != '\0') {
        char c = text[i];
        if (c == '\n') {
            line++;
            line_start = ++i;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            i++;
        } else if (c == '#') {
            while (text[i] != '\0' && text[i] != '\n')
                i++;
        } else {
            place at = {name, line, (int)(i - line_start) + 1};
            word w;
            rv_status status = next_word(ctx, text, &i, &at, buffer, &w);
            bool changes = w.equals < w.size && memchr(w.text, '.', w.equals);
            if (status == RV_OK && (int)changes == pass)
                status = read_word(r, &at, &w);
            if (status != RV_OK)
                return status;
        }
    }
    return pass == 1 ? check_whole(r, name) : RV_OK;
}

rv_status rvi_words_parse(rv_context *ctx, const rvi_vocabulary *vocabulary, const char *text,
                          size_t size, const char *name, rv_recipe **out) {
    *out = NULL;
    reader r = {.recipe = rvi_alloc(ctx, 1, sizeof(rv_recipe), "the recipe")};
    char *buffer = rvi_alloc(ctx, size + 1, 1, "the recipe");
    rv_status status = r.recipe && buffer ? RV_OK : RV_ERROR_MEMORY;
    if (r.recipe) {
        r.recipe->ctx = ctx;
        r.recipe->vocabulary = vocabulary;
    }
    if (status == RV_OK)
        status = read_text(&r, text, name, buffer, 0);
    if (status == RV_OK)
        status = read_text(&r, text, name, buffer, 1);
    rvi_free(ctx, buffer);
    if (status == RV_OK)
        *out = r.recipe;
    else
        rv_recipe_destroy(r.recipe);
    return status;
}

static const rv_step_info *get_step(int index) {
    return rv_step_get((rv_step_id)index);
}

static const rvi_vocabulary steps = {
    .get = get_step, .count = RV_STEP_COUNT, .word = "step", .whole = "recipe", .orders = true};

rv_status rv_recipe_parse(rv_context *ctx, const char *text, const char *name, rv_recipe **out) {
    return rvi_words_parse(ctx, &steps, text, strlen(text), name, out);
}

rv_status rv_recipe_load(rv_context *ctx, const char *path, rv_recipe **out) {
    *out = NULL;
    rvi_bytes bytes;
    rv_status status = rvi_file_read(ctx, path, &bytes);
    if (status != RV_OK)
        return status;
    if (memchr(bytes.data, 0, bytes.size))
        status = rvi_fail(ctx, RV_ERROR_INPUT, "%s: is not a text file.", path);
    else
        status = rvi_words_parse(ctx, &steps, (const char *)bytes.data, bytes.size, path, out);
    rvi_free(ctx, bytes.data);
    return status;
}

rv_status rv_recipe_add_words(rv_recipe *recipe, int count, const char *const *words) {
    reader r = {.recipe = recipe};
    int before = recipe->count;
    /* Steps first: an override may stand before or after the step it changes. */
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            place at = {"command line", 0, i + 1};
            size_t size = strlen(words[i]);
            const char *equals = memchr(words[i], '=', size);
            word w = {words[i], size, equals ? (size_t)(equals - words[i]) : size, true};
            bool changes = equals && memchr(w.text, '.', w.equals);
            if ((int)changes != pass)
                continue;
            if (pass == 0 && equals && recipe->count == before && before > 0)
                return rvi_fail(recipe->ctx, RV_ERROR_USAGE,
                                "command line, word %d: to change a %s of the %s write "
                                "STEP.KEY=VALUE, not \"%.60s\".",
                                i + 1, recipe->vocabulary->word, recipe->vocabulary->whole,
                                words[i]);
            rv_status status = read_word(&r, &at, &w);
            if (status != RV_OK)
                return status;
        }
    return check_whole(&r, "command line");
}
