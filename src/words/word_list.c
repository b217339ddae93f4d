/* word_list.c: a list of words with their parameters, and the texts that these point to. */
#include "base/file.h"
#include "words/words.h"

#include <assert.h>
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
