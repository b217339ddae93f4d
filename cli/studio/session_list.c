/* session_list.c: lists of steps: their files, and the order in which they run. */
#include "land_state.h"

#include <stdlib.h>
#include <string.h>

enum { TURNS = 100000 };

/* The first `count` lines. */
static size_t lines_size(const char *text, int count) {
    const char *end = text;
    for (int i = 0; i < count && *end; i++)
        end += strcspn(end, "\n") + 1;
    return (size_t)(end - text);
}

char *studio_list_key(const char *list, const char *stamps, int count) {
    size_t size = lines_size(list, count), more = lines_size(stamps, count);
    char *key = malloc(size + more + 1);
    if (key) {
        memcpy(key, list, size);
        memcpy(key + size, stamps, more);
        key[size + more] = '\0';
    }
    return key;
}

char *studio_land_key(const studio_land *l, int count) {
    return studio_list_key(l->list, l->stamps, count);
}

char *studio_list_join(const studio_json *steps, int *count) {
    char *text = NULL;
    size_t size = 0;
    bool good = steps && steps->kind == STUDIO_LIST;
    for (const studio_json *s = good ? steps->first : NULL; s; s = s->next)
        good = good && s->kind == STUDIO_TEXT;
    FILE *out = good ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    *count = 0;
    for (const studio_json *s = steps->first; s; s = s->next, ++*count) {
        for (const char *c = s->text; *c; c++)
            fputc(*c == '\n' || *c == '\r' ? ' ' : *c, out);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

/* The path that stands for a file of a step: what the page has put, else below the folder that the
 * program was started in. Files of runs go to a folder of their own, and those that the page wants
 * stored to the user's. NULL: it may not be. */
static char *file_path(const studio_land *l, bool written, const char *name, bool stores) {
    const char *slash = strrchr(name, '/'), *plain = slash ? slash + 1 : name;
    if (written && stores)
        return studio_path_below(l->place->folder, name, true);
    if (written) {
        char *out = studio_path(l->scratch, l->out),
             *path = out && *plain ? studio_path(out, plain) : NULL;
        free(out);
        return path;
    }
    char *path = *plain ? studio_path(l->scratch, plain) : NULL;
    if (path && !slash && studio_name_plain(plain) && cli_file_exists(path))
        return path;
    free(path);
    return studio_path_below(l->place->folder, name, false);
}

static rv_status print_param(const rv_param_info *param, const void *params, FILE *out) {
    char small[256], *text = small;
    int size = rv_param_print(param, params, small, sizeof small);
    if (size >= (int)sizeof small) {
        text = malloc((size_t)size + 1);
        if (!text)
            return RV_ERROR_MEMORY;
        rv_param_print(param, params, text, (size_t)size + 1);
    }
    fprintf(out, " %s=%s", param->name, text);
    if (text != small)
        free(text);
    return RV_OK;
}

/* One step as text again, with the paths that stand for its files. `why` gets a sentence. */
static rv_status print_step(const studio_land *l, const rv_recipe *recipe, int index, bool stores,
                            FILE *out, char why[CLI_TEXT]) {
    const rv_step_info *step = rv_step_get(rv_recipe_step(recipe, index));
    const void *params = rv_recipe_params(recipe, index);
    rv_status status = RV_OK;
    fputs(step->word.name, out);
    for (int i = 0; status == RV_OK && i < step->word.param_count; i++) {
        const rv_param_info *param = &step->word.params[i];
        const char *file = param->type == RV_PARAM_FILE ? rv_param_text(param, params) : NULL;
        if (!file || !*file) {
            if (param->type != RV_PARAM_FILE && param->type != RV_PARAM_TEXT)
                status = print_param(param, params, out);
            else if (param->type == RV_PARAM_TEXT && rv_param_text(param, params))
                status = print_param(param, params, out);
            continue;
        }
        char *path = file_path(l, param->writes, file, stores);
        void *copy = malloc(step->word.params_size);
        if (!path) {
            snprintf(why, CLI_TEXT,
                     param->writes ? "%.200s is no place for a file in the folder %.200s."
                                   : "%.200s: there is no such file in the folder %.200s.",
                     file, l->place->folder);
            status = RV_ERROR_INPUT;
        } else if (copy) {
            memcpy(copy, params, step->word.params_size);
            rv_param_set_text(param, copy, path);
            status = print_param(param, copy, out);
        } else {
            status = RV_ERROR_MEMORY;
        }
        free(copy);
        free(path);
    }
    fputc('\n', out);
    return status;
}

rv_status studio_list_read(studio_land *l, const char *text, bool stores, rv_recipe **out,
                           char why[CLI_TEXT]) {
    rv_recipe *words = NULL;
    *out = NULL;
    rv_status status = rv_recipe_parse(l->ctx, text, "recipe", &words);
    char *printed = NULL;
    size_t size = 0;
    snprintf(why, CLI_TEXT, "%s",
             status == RV_OK ? "There is not enough memory." : rv_context_error(l->ctx));
    FILE *file = status == RV_OK ? open_memstream(&printed, &size) : NULL;
    if (status == RV_OK && !file)
        status = RV_ERROR_MEMORY;
    for (int i = 0; status == RV_OK && i < rv_recipe_count(words); i++)
        status = print_step(l, words, i, stores, file, why);
    if (file)
        fclose(file);
    if (status == RV_OK) {
        status = rv_recipe_parse(l->ctx, printed, "recipe", out);
        snprintf(why, CLI_TEXT, "%s", rv_context_error(l->ctx));
    }
    free(printed);
    rv_recipe_destroy(words);
    return status;
}

/* A heightmap is read with its sidecar. */
static void print_stamp(FILE *out, const char *path) {
    char stamp[64], *sidecar = malloc(strlen(path) + sizeof ".ravine.json");
    studio_file_stamp(path, stamp);
    fprintf(out, " %s", stamp);
    if (sidecar) {
        sprintf(sidecar, "%s.ravine.json", path);
        studio_file_stamp(sidecar, stamp);
        fprintf(out, " %s", stamp);
    }
    free(sidecar);
}

char *studio_list_stamps(const rv_recipe *recipe) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out && i < rv_recipe_count(recipe); i++) {
        const rv_step_info *step = rv_step_get(rv_recipe_step(recipe, i));
        for (int k = 0; k < step->word.param_count; k++) {
            const rv_param_info *param = &step->word.params[k];
            const char *path = param->type == RV_PARAM_FILE && !param->writes
                                   ? rv_param_text(param, rv_recipe_params(recipe, i))
                                   : NULL;
            if (path && *path)
                print_stamp(out, path);
        }
        fputc('\n', out);
    }
    if (out)
        fclose(out);
    return text;
}

/* ---- the order of a list with its repeats ---- */

static bool add_turn(studio_order *o, studio_turn t) {
    if (o->count == o->room) {
        size_t room = o->room ? 2 * o->room : 64;
        studio_turn *larger = realloc(o->turns, room * sizeof *larger);
        if (!larger)
            return false;
        o->turns = larger;
        o->room = room;
    }
    o->turns[o->count++] = t;
    return true;
}

static int end_of(const rv_recipe *recipe, int repeat) {
    int open = 1, i = repeat + 1;
    for (; i < rv_recipe_count(recipe); i++) {
        open += rv_recipe_step(recipe, i) == RV_STEP_repeat;
        open -= rv_recipe_step(recipe, i) == RV_STEP_end;
        if (open == 0)
            break;
    }
    return i;
}

static rv_status walk(studio_order *o, const rv_recipe *recipe, int from, int64_t now,
                      int64_t turns, int depth) {
    for (int i = from; i < rv_recipe_count(recipe) && rv_recipe_step(recipe, i) != RV_STEP_end;
         i++) {
        if (rv_recipe_step(recipe, i) != RV_STEP_repeat) {
            if (!add_turn(o, (studio_turn){i, i, now, turns, depth == 0}))
                return RV_ERROR_MEMORY;
            continue;
        }
        int64_t times = ((const rv_repeat_params *)rv_recipe_params(recipe, i))->times;
        if (times > TURNS / turns)
            return RV_ERROR_USAGE;
        int end = end_of(recipe, i);
        size_t before = o->count;
        for (int64_t k = 0; k < times; k++) {
            rv_status status = walk(o, recipe, i + 1, now * times + k, turns * times, depth + 1);
            if (status != RV_OK)
                return status;
        }
        if (depth == 0 && o->count > before) { /* its land is that of the whole repeat */
            o->turns[o->count - 1].place = end;
            o->turns[o->count - 1].whole = true;
        }
        i = end;
    }
    return RV_OK;
}

rv_status studio_list_order(const rv_recipe *recipe, studio_order *out) {
    return walk(out, recipe, 0, 0, 1, 0);
}
