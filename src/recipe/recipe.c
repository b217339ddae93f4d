/* recipe.c: recipes as the library offers them: read, changed, printed. run.c runs them. */
#include "recipe/recipe.h"
#include "base/file.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

static const rv_word_info *get_step(int index) {
    return &rv_step_get((rv_step_id)index)->word;
}

static const char *get_also(int index) {
    return rv_step_also((rv_step_id)index);
}

/* `for` would be the better word, but C and Python keep it for themselves. */
static const rvi_other_name other[] = {{"export", "for", "engine"}};

const rvi_vocabulary rvi_step_vocabulary = {.get = get_step,
                                            .count = RV_STEP_COUNT,
                                            .word = "step",
                                            .whole = "the recipe",
                                            .change = "STEP.KEY=VALUE",
                                            .also = get_also,
                                            .block_begin = RV_STEP_repeat,
                                            .block_end = RV_STEP_end,
                                            .other = other,
                                            .other_count = sizeof other / sizeof other[0]};

static rv_status parse(rv_context *ctx, const char *text, size_t size, const char *name, bool saved,
                       rv_recipe **out) {
    *out = NULL;
    size_t begin;
    rv_status status = rvi_text_begin(ctx, name, text, size, &begin);
    if (status == RV_OK && memchr(text, 0, size))
        status = rvi_fail(ctx, RV_ERROR_INPUT, "%s: is not a text file.", name);
    if (status != RV_OK)
        return status;
    rv_recipe *recipe = rvi_alloc(ctx, 1, sizeof *recipe, "the recipe");
    if (!recipe)
        return RV_ERROR_MEMORY;
    recipe->ctx = ctx;
    status = rvi_words_parse(ctx, &rvi_step_vocabulary, text + begin, size - begin, name, saved,
                             &recipe->words);
    if (status == RV_OK)
        *out = recipe;
    else
        rvi_free(ctx, recipe);
    return status;
}

rv_status rv_recipe_parse(rv_context *ctx, const char *text, const char *name, rv_recipe **out) {
    RVI_ENTRY(ctx);
    return parse(ctx, text, strlen(text), name, false, out);
}

rv_status rvi_recipe_parse_saved(rv_context *ctx, const char *text, const char *name,
                                 rv_recipe **out) {
    return parse(ctx, text, strlen(text), name, true, out);
}

/* The recipe knows its file, so that no step of it replaces it. */
static rv_status keep_file(rv_recipe **recipe, const char *path) {
    size_t size = strlen(path) + 1;
    (*recipe)->file = rvi_alloc((*recipe)->ctx, size, 1, "the recipe");
    if ((*recipe)->file) {
        memcpy((*recipe)->file, path, size);
        return RV_OK;
    }
    rv_recipe_destroy(*recipe);
    *recipe = NULL;
    return RV_ERROR_MEMORY;
}

rv_status rv_recipe_load(rv_context *ctx, const char *path, rv_recipe **out) {
    RVI_ENTRY(ctx);
    *out = NULL;
    rvi_bytes bytes;
    rvi_progress_begin(ctx, "the recipe");
    rv_status status = rvi_file_read(ctx, path, &bytes);
    if (status != RV_OK)
        return status;
    status = parse(ctx, (const char *)bytes.data, bytes.size, path, false, out);
    rvi_free(ctx, bytes.data);
    return status == RV_OK ? keep_file(out, path) : status;
}

void rv_recipe_destroy(rv_recipe *recipe) {
    if (!recipe)
        return;
    rvi_words_free(&recipe->words);
    rvi_free(recipe->ctx, recipe->file);
    rvi_free(recipe->ctx, recipe);
}

rv_status rv_recipe_add_words(rv_recipe *recipe, int count, const char *const *words) {
    RVI_ENTRY(recipe->ctx);
    return rvi_words_add(&recipe->words, count, words);
}

/* The end of the repeat at `index`. */
static int find_end(const rvi_words *words, int index) {
    int depth = 0;
    do
        depth += words->list[index].which == RV_STEP_repeat ? 1
                 : words->list[index].which == RV_STEP_end  ? -1
                                                            : 0;
    while (depth > 0 && ++index < words->count);
    return index;
}

rv_status rv_recipe_remove(rv_recipe *recipe, const char *step) {
    RVI_ENTRY(recipe->ctx);
    rvi_words *words = &recipe->words;
    rvi_meant meant;
    rv_status status = rvi_words_mean(words, &(rvi_place){0}, step, strlen(step), &meant);
    if (status != RV_OK)
        return status;
    if (meant.which == RV_STEP_end)
        return rvi_fail(recipe->ctx, RV_ERROR_USAGE,
                        "An end cannot be left out alone; leave out its repeat.");
    for (int i = meant.last; i >= meant.first; i--) {
        if (words->list[i].which != meant.which)
            continue;
        if (meant.which == RV_STEP_repeat)
            rvi_words_remove(words, find_end(words, i));
        rvi_words_remove(words, i);
    }
    return RV_OK;
}

rv_status rv_recipe_end_after(rv_recipe *recipe, const char *step) {
    RVI_ENTRY(recipe->ctx);
    rvi_words *words = &recipe->words;
    rvi_meant meant;
    rv_status status = rvi_words_mean(words, &(rvi_place){0}, step, strlen(step), &meant);
    if (status != RV_OK)
        return status;
    int open = 0, depth = 0; /* repeats around the step, and after it */
    for (int i = 0; i <= meant.last; i++)
        open += words->list[i].which == RV_STEP_repeat ? 1
                : words->list[i].which == RV_STEP_end  ? -1
                                                       : 0;
    for (int i = meant.last + 1; i < words->count;) {
        bool begins = words->list[i].which == RV_STEP_repeat;
        bool ends = words->list[i].which == RV_STEP_end;
        bool stays = ends && depth == 0 && open > 0;
        depth += begins ? 1 : ends && !stays ? -1 : 0;
        open -= stays;
        if (stays)
            i++;
        else
            rvi_words_remove(words, i);
    }
    return RV_OK;
}

int rv_recipe_count(const rv_recipe *recipe) {
    return recipe->words.count;
}

rv_step_id rv_recipe_step(const rv_recipe *recipe, int index) {
    assert(index >= 0 && index < recipe->words.count);
    return (rv_step_id)recipe->words.list[index].which;
}

const void *rv_recipe_params(const rv_recipe *recipe, int index) {
    assert(index >= 0 && index < recipe->words.count);
    return recipe->words.list[index].params;
}

int rv_recipe_print(const rv_recipe *recipe, char *out, size_t size) {
    RVI_ENTRY(recipe->ctx);
    return rvi_words_print(&recipe->words, out, size);
}

/* ---- the parameters of one step: a list of one word ---- */

struct rv_params {
    rvi_words words;
};

rv_status rv_params_create(rv_context *ctx, const char *step, rv_params **out) {
    RVI_ENTRY(ctx);
    *out = NULL;
    rvi_words words = rvi_words_none(ctx, &rvi_step_vocabulary);
    int which = rvi_words_find(&words, step, strlen(step));
    if (which < 0)
        return rvi_words_unknown(&words, &(rvi_place){0}, step, strlen(step));
    rv_params *params = rvi_alloc(ctx, 1, sizeof *params, "the parameters of a step");
    if (!params)
        return RV_ERROR_MEMORY;
    params->words = words;
    if (rvi_words_append(&params->words, which) != RV_OK) {
        rv_params_destroy(params);
        return RV_ERROR_MEMORY;
    }
    *out = params;
    return RV_OK;
}

void rv_params_destroy(rv_params *params) {
    if (!params)
        return;
    rvi_words_free(&params->words);
    rvi_free(params->words.ctx, params);
}

rv_status rv_params_set(rv_params *params, const char *key, const char *text) {
    RVI_ENTRY(params->words.ctx);
    rvi_words *words = &params->words;
    const rvi_place nowhere = {0};
    const rv_param_info *p =
        rvi_words_param(words, &nowhere, words->list[0].info, key, strlen(key));
    return p ? rvi_words_set(words, &nowhere, &words->list[0], p, text, strlen(text))
             : RV_ERROR_USAGE;
}

int rv_params_get(const rv_params *params, const char *key, char *out, size_t size) {
    RVI_ENTRY(params->words.ctx);
    const rv_word_info *info = params->words.list[0].info;
    for (int i = 0; i < info->param_count; i++)
        if (strcmp(info->params[i].name, key) == 0)
            return rv_param_print(&info->params[i], rv_params_struct(params), out, size);
    return -1;
}

const void *rv_params_struct(const rv_params *params) {
    return params->words.list[0].params;
}

rv_status rv_params_run(const rv_params *params, rv_terrain *land, rv_report *report) {
    RVI_ENTRY(params->words.ctx);
    return rv_step_run(land, (rv_step_id)params->words.list[0].which, rv_params_struct(params),
                       report);
}
