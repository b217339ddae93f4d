/* word_list.c: a list of words with their parameters, and the texts that these point to. */
#include "base/file.h"
#include "words/words.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

rvi_words rvi_words_none(rv_context *ctx, const rvi_vocabulary *vocabulary) {
    return (rvi_words){.ctx = ctx, .vocabulary = vocabulary};
}

void rvi_words_free(rvi_words *words) {
    for (int i = 0; i < words->count; i++)
        rvi_free(words->ctx, words->list[i].params);
    for (int i = 0; i < words->text_count; i++)
        rvi_free(words->ctx, words->texts[i]);
    rvi_free(words->ctx, words->list);
    rvi_free(words->ctx, words->texts);
    *words = rvi_words_none(words->ctx, words->vocabulary);
}

/* Room for one more at the end of the array that the pointer at `array` points to. */
static bool grow(const rvi_words *words, void *array, int count, int *room, size_t size) {
    if (count < *room)
        return true;
    int more = *room ? 2 * *room : 8;
    if (!rvi_enlarge(words->ctx, array, (size_t)count, (size_t)more, size,
                     words->vocabulary->whole))
        return false;
    *room = more;
    return true;
}

rv_status rvi_words_append(rvi_words *words, int which) {
    const rv_word_info *info = words->vocabulary->get(which);
    if (!grow(words, &words->list, words->count, &words->room, sizeof *words->list))
        return RV_ERROR_MEMORY;
    void *params = rvi_alloc(words->ctx, 1, info->params_size, words->vocabulary->whole);
    if (!params)
        return RV_ERROR_MEMORY;
    rv_word_default(info, params);
    words->list[words->count++] = (rvi_word){.which = which, .info = info, .params = params};
    return RV_OK;
}

void rvi_words_remove(rvi_words *words, int index) {
    rvi_free(words->ctx, words->list[index].params); /* its texts stay until the list goes */
    words->count--;
    memmove(words->list + index, words->list + index + 1,
            (size_t)(words->count - index) * sizeof *words->list);
}

const char *rvi_words_keep(rvi_words *words, const char *old, const char *text, size_t size) {
    int at = 0;
    while (at < words->text_count && words->texts[at] != old)
        at++;
    if (at == words->text_count &&
        !grow(words, &words->texts, words->text_count, &words->text_room, sizeof *words->texts))
        return NULL;
    char *copy = rvi_alloc(words->ctx, size + 1, 1, words->vocabulary->whole);
    if (!copy)
        return NULL;
    memcpy(copy, text, size);
    if (at < words->text_count)
        rvi_free(words->ctx, words->texts[at]);
    else
        words->text_count++;
    words->texts[at] = copy;
    return copy;
}

char *rvi_path_within(rv_context *ctx, const char *folder, const char *file) {
    bool alone = rvi_path_whole(file);
    size_t size = strlen(folder) + strlen(file) + 2;
    char *path = rvi_alloc(ctx, size, 1, "the name of a file");
    if (path)
        snprintf(path, size, "%s%s%s", alone ? "" : folder, alone ? "" : "/", file);
    return path;
}

bool rvi_words_rename(rvi_words *words, const rvi_word *word, const rv_param_info *param,
                      char *path) {
    const char *old = rv_param_text(param, word->params);
    const char *kept = path ? rvi_words_keep(words, old, path, strlen(path)) : NULL;
    rvi_free(words->ctx, path);
    if (kept)
        rv_param_set_text(param, word->params, kept);
    return kept != NULL;
}

rv_status rvi_words_move(rvi_words *words, const char *folder) {
    for (int i = 0; i < words->count; i++) {
        rvi_word *word = &words->list[i];
        for (int k = 0; k < word->info->param_count; k++) {
            const rv_param_info *param = &word->info->params[k];
            const char *named = rv_param_text(param, word->params);
            if (param->type != RV_PARAM_FILE || !named || !named[0])
                continue;
            if (!rvi_words_rename(words, word, param, rvi_path_within(words->ctx, folder, named)))
                return RV_ERROR_MEMORY;
        }
    }
    return RV_OK;
}

rv_status rvi_words_check_other(const rvi_words *words, const char *file, const char *what) {
    for (int i = 0; i < words->count; i++) {
        const rv_word_info *info = words->list[i].info;
        for (int k = 0; k < info->param_count; k++) {
            const char *named = rv_param_text(&info->params[k], words->list[i].params);
            if (info->params[k].type == RV_PARAM_FILE && named && named[0] &&
                rvi_path_same(named, file))
                return rvi_fail(words->ctx, RV_ERROR_USAGE,
                                "%s cannot be %s: %s %d of %s, %s, names it, too.", file, what,
                                words->vocabulary->word, i + 1, words->vocabulary->whole,
                                info->name);
        }
    }
    return RV_OK;
}
