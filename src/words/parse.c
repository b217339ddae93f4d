/* parse.c: text to words with parameters.
 *
 * Words stand between blanks. A word with '=' is a parameter of the word before it; a word without
 * is the next one, or the file or count that the word before it takes. '#' starts a comment that
 * runs to the end of the line; "double quotes" hold blanks, '#' and '=' together, and two of them
 * within quotes are one. NAME.KEY=VALUE changes every such word of the list, NAME#2.KEY=VALUE the
 * second of them; that is said on a command line, where '#' starts no comment.
 */
#include "words/words.h"

#include <stdio.h>
#include <string.h>

/* What stands between two blanks. */
typedef struct piece {
    const char *text; /* quotes taken away */
    size_t size;
    size_t equals; /* place of the first '=' outside quotes, or `size` */
    bool bare;     /* no part of it was quoted */
} piece;

#define AT_PLACE(at)                                                                               \
    char where[512];                                                                               \
    rvi_place_print(at, where, sizeof where)

/* The words so far, and what the next piece may be. */
typedef struct reader {
    rvi_words *words;
    const rv_param_info *bare;   /* of the last word; it may follow without its key */
    rvi_place blocks[RVI_DEPTH]; /* those that have no end yet */
    int depth;
    bool saved; /* a line may end within quotes */
} reader;

/* The parameter that may stand without its key: the first one, when it is a file or a whole number,
 * or a choice where the vocabulary has such. */
static const rv_param_info *bare_param(const rvi_words *words, const rv_word_info *info) {
    const rv_param_info *p = info->param_count > 0 ? &info->params[0] : NULL;
    bool choice = p && p->type == RV_PARAM_CHOICE && words->vocabulary->bare_choices;
    bool bare =
        p && (p->type == RV_PARAM_FILE || p->type == RV_PARAM_COUNT || p->type == RV_PARAM_INT);
    return bare || choice ? p : NULL;
}

static rv_status change_words(rvi_words *words, const rvi_place *at, const piece *w, size_t dot) {
    rvi_meant meant;
    rv_status status = rvi_words_mean(words, at, w->text, dot, &meant);
    if (status != RV_OK)
        return status;
    const rv_param_info *p = rvi_words_param(words, at, words->vocabulary->get(meant.which),
                                             w->text + dot + 1, w->equals - dot - 1);
    if (!p)
        return RV_ERROR_USAGE;
    for (int i = meant.first; i <= meant.last && status == RV_OK; i++)
        if (words->list[i].which == meant.which)
            status = rvi_words_set(words, at, &words->list[i], p, w->text + w->equals + 1,
                                   w->size - w->equals - 1);
    return status;
}

static rv_status read_parameter(reader *r, const rvi_place *at, const piece *w) {
    rvi_words *words = r->words;
    const char *dot = memchr(w->text, '.', w->equals);
    if (dot)
        return change_words(words, at, w, (size_t)(dot - w->text));
    if (words->count == 0) {
        AT_PLACE(at);
        return rvi_fail(words->ctx, RV_ERROR_USAGE, "%s\"%.*s\" comes before any %s.", where,
                        (int)(w->size < 60 ? w->size : 60), w->text, words->vocabulary->word);
    }
    rvi_word *last = &words->list[words->count - 1];
    const rv_param_info *p = rvi_words_param(words, at, last->info, w->text, w->equals);
    if (!p)
        return RV_ERROR_USAGE;
    if (p == r->bare)
        r->bare = NULL;
    return rvi_words_set(words, at, last, p, w->text + w->equals + 1, w->size - w->equals - 1);
}

/* Every end of a block has its begin. */
static rv_status check_blocks(reader *r, const rvi_place *at, int which) {
    const rvi_vocabulary *v = r->words->vocabulary;
    if (v->block_begin == v->block_end)
        return RV_OK;
    AT_PLACE(at);
    const char *begin = v->get(v->block_begin)->name, *end = v->get(v->block_end)->name;
    if (which == v->block_begin) {
        if (r->depth == RVI_DEPTH)
            return rvi_fail(r->words->ctx, RV_ERROR_USAGE, "%s%ss are nested more than %d deep.",
                            where, begin, RVI_DEPTH);
        r->blocks[r->depth++] = *at;
    } else if (which == v->block_end && r->depth-- == 0) {
        return rvi_fail(r->words->ctx, RV_ERROR_USAGE, "%sthis %s has no %s.", where, end, begin);
    }
    return RV_OK;
}

static rv_status read_piece(reader *r, const rvi_place *at, const piece *w) {
    rvi_words *words = r->words;
    if (w->equals < w->size)
        return read_parameter(r, at, w);
    int which = rvi_words_find(words, w->text, w->size);
    if (r->bare) {
        const rv_param_info *p = r->bare;
        bool count = p->type == RV_PARAM_COUNT || p->type == RV_PARAM_INT;
        r->bare = NULL;
        /* "mask droplets": a file that may be left out is not named like a step, unless quoted. */
        if (count ? w->size > 0 && w->text[0] >= '0' && w->text[0] <= '9'
                  : p->required || which < 0 || !w->bare)
            return rvi_words_set(words, at, &words->list[words->count - 1], p, w->text, w->size);
    }
    if (which < 0)
        return rvi_words_unknown(words, at, w->text, w->size);
    r->bare = bare_param(words, words->vocabulary->get(which));
    rv_status status = check_blocks(r, at, which);
    if (status == RV_OK)
        status = rvi_words_append(words, which);
    if (status == RV_OK)
        words->list[words->count - 1].at = *at;
    return status;
}

/* Every file that must be named has been, and every block has its end? */
static rv_status check_whole(const reader *r, const char *name) {
    const rvi_words *words = r->words;
    const rvi_vocabulary *v = words->vocabulary;
    if (r->depth > 0) {
        AT_PLACE(&r->blocks[r->depth - 1]);
        return rvi_fail(words->ctx, RV_ERROR_USAGE, "%sthis %s has no %s.", where,
                        v->get(v->block_begin)->name, v->get(v->block_end)->name);
    }
    for (int i = 0; i < words->count; i++) {
        const rv_word_info *info = words->list[i].info;
        for (int k = 0; k < info->param_count; k++) {
            const rv_param_info *p = &info->params[k];
            if (p->required && !rv_param_text(p, words->list[i].params))
                return rvi_fail(words->ctx, RV_ERROR_USAGE,
                                "%s: %s %d, %s, needs a name for its %s.", name, v->word, i + 1,
                                info->name, p->name);
        }
    }
    return RV_OK;
}

/* Reads one piece of text at *i into `out` (room for all of text). */
static rv_status next_piece(const reader *r, const char *text, size_t *i, const rvi_place *at,
                            char *out, piece *w) {
    size_t size = 0;
    *w = (piece){.text = out, .equals = SIZE_MAX, .bare = true};
    bool quoted = false;
    for (; text[*i] != '\0'; (*i)++) {
        char c = text[*i];
        if (c == '"' && quoted && text[*i + 1] == '"') {
            out[size++] = text[++*i];
        } else if (c == '"') {
            quoted = !quoted;
            w->bare = false;
        } else if (quoted ? c == '\n' && !r->saved : strchr(" \t\r\n#", c) != NULL) {
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
        return rvi_fail(r->words->ctx, RV_ERROR_USAGE, "%sthe quote is not closed on its line.",
                        where);
    }
    return RV_OK;
}

/* Pass 0 reads words and their parameters, pass 1 what changes them: a change may stand before or
 * after the word. */
static rv_status read_text(reader *r, const char *text, const char *name, char *buffer, int pass) {
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
            rvi_place at = {name, line, (int)(i - line_start) + 1};
            piece w;
            rv_status status = next_piece(r, text, &i, &at, buffer, &w);
            bool changes = w.equals < w.size && memchr(w.text, '.', w.equals);
            if (status == RV_OK && (int)changes == pass)
                status = read_piece(r, &at, &w);
            if (status != RV_OK)
                return status;
        }
    }
    return pass == 1 ? check_whole(r, name) : RV_OK;
}

/* What is saved goes on with the steps and presets of the version that has begun it, or not at all.
 */
static rv_status skip_version(rv_context *ctx, const char *name, const char **text, size_t *size) {
    char line[64];
    size_t length = rvi_words_version(line, sizeof line);
    if (strncmp(*text, line, length) != 0)
        return rvi_fail(
            ctx, RV_ERROR_INPUT,
            "%s: another version of Ravine has saved it; only that version can resume it.", name);
    *text += length;
    *size -= length;
    return RV_OK;
}

rv_status rvi_words_parse(rv_context *ctx, const rvi_vocabulary *vocabulary, const char *text,
                          size_t size, const char *name, bool saved, rvi_words *out) {
    *out = rvi_words_none(ctx, vocabulary);
    reader r = {.words = out, .saved = saved};
    if (saved && skip_version(ctx, name, &text, &size) != RV_OK)
        return RV_ERROR_INPUT;
    char *buffer = rvi_alloc(ctx, size + 1, 1, vocabulary->whole);
    const char *kept = rvi_words_keep(out, NULL, name, strlen(name)); /* words say where they are */
    rv_status status = buffer && kept ? read_text(&r, text, kept, buffer, 0) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = read_text(&r, text, kept, buffer, 1);
    rvi_free(ctx, buffer);
    if (status != RV_OK)
        rvi_words_free(out);
    return status;
}

static rv_status add_words(rvi_words *words, int count, const char *const *said) {
    reader r = {.words = words};
    const rvi_vocabulary *v = words->vocabulary;
    int before = words->count;
    /* Words first: a change may stand before or after the word it changes. */
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            rvi_place at = {"command line", 0, i + 1};
            size_t size = strlen(said[i]);
            const char *equals = memchr(said[i], '=', size);
            piece w = {said[i], size, equals ? (size_t)(equals - said[i]) : size, true};
            bool changes = equals && memchr(w.text, '.', w.equals);
            if ((int)changes != pass)
                continue;
            if (pass == 0 && equals && words->count == before && before > 0)
                return rvi_fail(words->ctx, RV_ERROR_USAGE,
                                "command line, word %d: to change a %s of %s write %s, not "
                                "\"%.60s\".",
                                i + 1, v->word, v->whole, v->change, said[i]);
            rv_status status = read_piece(&r, &at, &w);
            if (status != RV_OK)
                return status;
        }
    return check_whole(&r, "command line");
}

rv_status rvi_words_add(rvi_words *words, int count, const char *const *said) {
    int before = words->count;
    rv_status status = add_words(words, count, said);
    while (status != RV_OK && words->count > before)
        rvi_free(words->ctx, words->list[--words->count].params);
    return status;
}
