/* sweep_recipe.c: one run of a sweep as a recipe: with its values, and its files in its own folder.
 */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

static const char script[] = "recipe.rv";

int sweep_no_memory(void) {
    return cli_fail(5, "There is not enough memory.");
}

char *sweep_join(const char *a, const char *b, const char *c) {
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

int sweep_recipe_print(const rv_recipe *recipe, char **out) {
    int size = rv_recipe_print(recipe, NULL, 0);
    if (size < 0)
        return cli_fail(2, "A text of the recipe holds the end of a line.");
    *out = malloc((size_t)size + 1);
    if (!*out)
        return sweep_no_memory();
    rv_recipe_print(recipe, *out, (size_t)size + 1);
    return 0;
}

const char *sweep_value(const sweep *s, int run, int axis) {
    for (int a = s->axis_count - 1; a > axis; a--)
        run /= s->axes[a].count;
    return s->axes[axis].values[run % s->axes[axis].count];
}

/* "OUT/017", or a file in it. */
char *sweep_run_path(const sweep *s, int run, const char *file) {
    char number[32];
    snprintf(number, sizeof number, "/%0*d%s", s->digits, run + 1, *file ? "/" : "");
    return sweep_join(s->place.folder, number, file);
}

/* How the files of a plan begin, which asks whether they can be written: beside the folders, which
 * are not there yet. */
static const char beside[] = ".run-";

static char *file_path(const sweep *s, int run, const char *file, sweep_use use) {
    return use == SWEEP_FOR_RUN ? sweep_run_path(s, run, file)
                                : sweep_join(s->place.folder, beside, file);
}

/* Without the place of a word that a sweep has added, which nobody typed. */
const char *sweep_skip_word(const char *error) {
    static const char place[] = "command line, word ";
    const char *end = strncmp(error, place, strlen(place)) == 0 ? strstr(error, ": ") : NULL;
    return end ? end + 2 : error;
}

/* Without the place in the recipe of a run, which is not there yet. */
static const char *skip_place(const sweep *s, int run, const char *error) {
    char *name = sweep_run_path(s, run, script);
    size_t size = name ? strlen(name) : 0;
    const char *end = name && strncmp(error, name, size) == 0 ? strstr(error + size, ": ") : NULL;
    free(name);
    return end ? end + 2 : sweep_skip_word(error);
}

/* The sentence of a plan with its file as a run has it; free() it. */
char *sweep_place_sentence(const sweep *s, int run, const char *error) {
    const char *text = skip_place(s, run, error);
    char *before = sweep_join(s->place.folder, beside, ""), *after = sweep_run_path(s, run, ""),
         *head = sweep_join(text, "", ""), *at = head && before ? strstr(head, before) : NULL;
    char *start = NULL, *all = NULL;
    if (at && after) {
        *at = '\0';
        start = sweep_join(head, after, "/");
        all = start ? sweep_join(start, at + strlen(before), "") : NULL;
    } else {
        all = sweep_join(text, "", "");
    }
    free(start);
    free(head);
    free(after);
    free(before);
    return all;
}

void sweep_words_put(sweep_words *list, char *word) {
    if (word && list->count < SWEEP_WORDS)
        list->words[list->count++] = word;
    else
        list->full = true;
}

rv_status sweep_words_add(rv_recipe *recipe, sweep_words *list) {
    rv_status status =
        list->full ? RV_ERROR_MEMORY
                   : rv_recipe_add_words(recipe, list->count, (const char *const *)list->words);
    for (int i = 0; i < list->count; i++)
        free(list->words[i]);
    list->count = 0;
    return status;
}

int sweep_step_number(const rv_recipe *recipe, int index) {
    int number = 0;
    for (int i = 0; i <= index; i++)
        number += rv_recipe_step(recipe, i) == rv_recipe_step(recipe, index);
    return number;
}

/* Walks over the files of a recipe from *index and *param on; NULL: there is none more. */
static const char *next_file(const rv_recipe *recipe, int *index, int *param, bool *writes) {
    for (; *index < rv_recipe_count(recipe); ++*index, *param = 0) {
        const rv_word_info *word = &rv_step_get(rv_recipe_step(recipe, *index))->word;
        for (; *param < word->param_count; ++*param) {
            const rv_param_info *info = &word->params[*param];
            const char *file = info->type == RV_PARAM_FILE
                                   ? rv_param_text(info, rv_recipe_params(recipe, *index))
                                   : NULL;
            *writes = info->writes;
            if (file && *file)
                return file;
        }
    }
    return NULL;
}

/* The step that ends the outermost repeat around a step; the step itself: there is none. */
static int repeat_end(const rv_recipe *recipe, int index) {
    int last = index;
    for (int i = index + 1, depth = 0; i < rv_recipe_count(recipe); i++)
        if (rv_recipe_step(recipe, i) == RV_STEP_repeat)
            depth++;
        else if (rv_recipe_step(recipe, i) == RV_STEP_end && depth-- == 0)
            last = i, depth = 0;
    return last;
}

/* Does one of the steps from..to-1 write that file? */
static bool is_written(const rv_recipe *recipe, int from, int to, const char *file) {
    int index = from, param = 0;
    bool writes;
    for (const char *f; (f = next_file(recipe, &index, &param, &writes)) && index < to; param++)
        if (writes && sweep_same_file(f, file))
            return true;
    return false;
}

/* Is it in the folder of the run? What a step writes is, for the steps after it. */
static bool is_moved(const rv_recipe *recipe, int index, const char *file, char why[CLI_TEXT]) {
    if (is_written(recipe, 0, index, file))
        return true;
    if (is_written(recipe, index, repeat_end(recipe, index), file))
        snprintf(why, CLI_TEXT,
                 "%.200s is read and then written in a repeat: in a sweep these are two files.",
                 file);
    return false;
}

/* The name that a file has in the folder of a run. */
static void name_file(const char *file, char out[CLI_TEXT], char why[CLI_TEXT]) {
    static const char *const own[] = {SWEEP_THUMBNAIL, SWEEP_RESULT, script};
    char path[CLI_TEXT * 8];
    snprintf(path, sizeof path, "%s", file);
    for (size_t size = strlen(path); size > 1 && !*cli_path_name(path);)
        path[--size] = '\0';
    const char *name = cli_path_name(path);
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strlen(name) >= CLI_TEXT)
        snprintf(why, CLI_TEXT, "%.200s is no name of a file.", file);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(name, own[i]) == 0)
            snprintf(why, CLI_TEXT, "%.200s: a sweep writes a file of that name itself.", file);
    snprintf(out, CLI_TEXT, "%s", name);
}

/* Two files of one name in two folders would become one. */
static void check_shared(const rv_recipe *recipe, const char *file, const char *name,
                         char why[CLI_TEXT]) {
    int index = 0, param = 0;
    bool writes;
    for (const char *f; (f = next_file(recipe, &index, &param, &writes)) && !why[0]; param++) {
        char other[CLI_TEXT];
        if (!writes)
            continue;
        name_file(f, other, why);
        if (!why[0] && strcmp(other, name) == 0 && !sweep_same_file(f, file))
            snprintf(why, CLI_TEXT, "%.100s and %.100s would be one file in the folder of a run.",
                     f, file);
    }
}

/* What the recipe writes goes to the folder of the run, and is read from there. */
static rv_status move_files(const sweep *s, int run, sweep_use use, rv_recipe *recipe,
                            char why[CLI_TEXT]) {
    sweep_words list = {.count = 0};
    int index = 0, param = 0;
    bool writes;
    for (const char *file; (file = next_file(recipe, &index, &param, &writes)); param++) {
        char key[CLI_TEXT], name[CLI_TEXT];
        bool moved = writes || is_moved(recipe, index, file, why);
        if (moved)
            name_file(file, name, why);
        if (moved && writes && !why[0])
            check_shared(recipe, file, name, why);
        if (why[0]) {
            list.full = true;
            sweep_words_add(recipe, &list);
            return RV_ERROR_USAGE;
        }
        if (!moved)
            continue;
        const rv_word_info *word = &rv_step_get(rv_recipe_step(recipe, index))->word;
        char *path = file_path(s, run, name, use);
        snprintf(key, sizeof key, "%s#%d.%s=", word->name, sweep_step_number(recipe, index),
                 word->params[param].name);
        sweep_words_put(&list, path ? sweep_join(key, path, "") : NULL);
        free(path);
    }
    return sweep_words_add(recipe, &list);
}

static bool measures(const rv_recipe *recipe) {
    for (int i = 0; i < rv_recipe_count(recipe); i++)
        if (rv_recipe_step(recipe, i) == RV_STEP_measure)
            return true;
    return false;
}

/* The recipe with the values of a run. After a failure `why` or the context has the sentence. */
rv_status sweep_recipe_make(rv_context *ctx, const sweep *s, int run, sweep_use use,
                            rv_recipe **out, char why[CLI_TEXT]) {
    sweep_words list = {.count = 0};
    char *name = sweep_run_path(s, run, script), *picture = file_path(s, run, SWEEP_THUMBNAIL, use);
    rv_status status = name && picture ? RV_OK : RV_ERROR_MEMORY;
    why[0] = '\0';
    *out = NULL;
    if (status == RV_OK)
        status = rv_recipe_parse(ctx, s->text, name, out);
    for (int a = 0; a < s->axis_count; a++)
        sweep_words_put(&list, sweep_join(s->axes[a].key, "=", sweep_value(s, run, a)));
    if (status == RV_OK)
        status = sweep_words_add(*out, &list);
    if (status == RV_OK)
        status = move_files(s, run, use, *out, why);
    if (status == RV_OK && use != SWEEP_FOR_PLAN_BARE && !measures(*out))
        sweep_words_put(&list, sweep_join("measure", "", ""));
    if (status == RV_OK && use != SWEEP_FOR_PLAN_BARE && s->pictures) {
        sweep_words_put(&list, sweep_join("hillshade", "", ""));
        sweep_words_put(&list, sweep_join("file=", picture, ""));
        sweep_words_put(&list, sweep_join("tint=land", "", ""));
    }
    if (status == RV_OK)
        status = sweep_words_add(*out, &list);
    free(name);
    free(picture);
    if (status == RV_ERROR_MEMORY && !why[0] && !*rv_context_error(ctx))
        snprintf(why, CLI_TEXT, "There is not enough memory, or the recipe has too many files.");
    if (status != RV_OK) {
        rv_recipe_destroy(*out);
        *out = NULL;
    }
    return status;
}
