/* complete.c: what a word that was begun can become: `ravine --complete WORD...`, one candidate a
 * line. The completion scripts of all shells ask for this. */
#include "cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const recipes[] = {".rv", NULL}, *const scenes[] = {".scene", NULL};
static const char *const images[] = {".png", ".tif", ".tiff", ".npy", ".exr", ".r16", ".r32", NULL};
static const char *const lands[] = {".png", ".r16", ".r32", ".npy", ".npz", ".tif", ".tiff",
                                    ".asc", ".exr", ".hgt", ".vrt", ".obj", ".ply", NULL};
static const char *const tables[] = {".csv", NULL};
static const char *const any[] = {"", NULL};
static const char *const views[] = {"hillshade", "tint", "render", "velocity", "layers", NULL};

/* The words up to the one that was begun. */
typedef struct asked {
    int count;
    char **words;
    const char *begun; /* the last */
    size_t kept;       /* letters of it that every candidate repeats: "key=" */
} asked;

static bool begins(const char *word, const char *with) {
    return strncmp(word, with, strlen(with)) == 0;
}

static bool is(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

/* ---- candidates ---- */

/* Prints word + end if it fits what was begun. */
static void offer(const asked *a, const char *word, const char *end) {
    const char *rest = a->begun + a->kept;
    size_t size = strlen(word), begun = strlen(rest);
    if (strncmp(word, rest, begun < size ? begun : size) == 0 &&
        (begun <= size || begins(end, rest + size)))
        printf("%.*s%s%s\n", (int)a->kept, a->begun, word, end);
}

static void offer_list(const asked *a, const char *const *words) {
    for (; *words; words++)
        offer(a, *words, "");
}

static bool ends_with_one(const char *name, const char *const *endings) {
    size_t size = strlen(name);
    for (; *endings; endings++)
        if (size >= strlen(*endings) && is(name + size - strlen(*endings), *endings))
            return true;
    return false;
}

static bool has_control(const char *name) {
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7F)
            return true;
    return false;
}

/* The files of a folder that were begun and have one of these endings, and the folders in it, which
 * end with
 * '/'. Returns how many files there are. */
static int visit_files(const asked *a, const char *const *endings, bool print) {
    const char *path = a->begun + a->kept;
    size_t size = (size_t)(cli_path_name(path) - path);
    char folder[4096], whole[8192];
    if (size >= sizeof folder)
        return 0;
    snprintf(folder, sizeof folder, "%.*s", (int)size, path);
    DIR *dir = opendir(size ? folder : ".");
    int found = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat info;
        const char *name = entry->d_name;
        if ((name[0] == '.' && path[size] != '.') || is(name, ".") || is(name, "..") ||
            has_control(name))
            continue;
        snprintf(whole, sizeof whole, "%s%s", folder, name);
        bool inner = stat(whole, &info) == 0 && S_ISDIR(info.st_mode);
        if (!begins(whole, path) || (!inner && !ends_with_one(name, endings)))
            continue;
        if (print)
            offer(a, whole, inner ? "/" : "");
        found += !inner;
    }
    if (dir)
        closedir(dir);
    return found;
}

/* Where no file has the right ending, any is offered. */
static void offer_files(const asked *a, const char *const *endings) {
    visit_files(a, visit_files(a, endings, false) > 0 ? endings : any, true);
}

/* ---- what the tables know ---- */

static void offer_keys(const asked *a, const rv_word_info *word) {
    for (int i = 0; i < word->param_count; i++)
        offer(a, word->params[i].name, "=");
}

static void offer_steps(const asked *a, const char *end) {
    for (int i = 0; i < rv_step_count(); i++)
        offer(a, rv_step_name((rv_step_id)i), end);
}

/* Fields of the table, and names that stand before: fields of select, layers. */
static void offer_names(const asked *a) {
    for (int i = 0; i < rv_field_count(); i++)
        offer(a, rv_field_get(i)->name, "");
    for (int i = 0; i + 1 < a->count; i++)
        if (begins(a->words[i], "name="))
            offer(a, a->words[i] + strlen("name="), "");
}

/* Files that a step reads are images, but for heights and for a list of colours; what it writes has
 * any name. */
static const char *const *endings_of(const rv_step_info *step, const rv_param_info *param) {
    if (!step || param->writes || is(param->name, "palette"))
        return any;
    return step->id == RV_STEP_open || is(param->name, "like") ? lands : images;
}

static void offer_values(const asked *a, const rv_step_info *step, const rv_param_info *param) {
    switch (param->type) {
    case RV_PARAM_CHOICE:
        for (int i = 0; i < param->option_count; i++)
            offer(a, param->options[i].name, "");
        break;
    case RV_PARAM_SWITCH:
        offer(a, "yes", "");
        offer(a, "no", "");
        break;
    case RV_PARAM_FILE:
        offer_files(a, endings_of(step, param));
        break;
    case RV_PARAM_TEXT:
        if (is(param->name, "view"))
            offer_list(a, views);
        if (is(param->name, "field") || is(param->name, "layer") || is(param->name, "view"))
            offer_names(a);
        break;
    case RV_PARAM_REAL:
    case RV_PARAM_INT:
    case RV_PARAM_COUNT:
    case RV_PARAM_SEED:
    case RV_PARAM_VECTOR:
        break;
    }
    if (rv_param_has_auto(param))
        offer(a, "auto", "");
}

static const rv_param_info *find_key(const rv_word_info *word, const char *key, size_t size) {
    for (int i = 0; word && i < word->param_count; i++)
        if (strncmp(word->params[i].name, key, size) == 0 && word->params[i].name[size] == '\0')
            return &word->params[i];
    return NULL;
}

/* "noise" of "noise#2.seed=1", or nothing where no dot stands before '='. */
static void word_before_dot(const char *begun, char out[64]) {
    size_t dot = strcspn(begun, ".="), size = strcspn(begun, "#.=");
    out[0] = '\0';
    if (begun[dot] == '.')
        snprintf(out, 64, "%.*s", (int)size, begun);
}

/* KEY=, WORD.KEY= or WORD.KEY: true when it was one of these. */
static bool offer_parts(asked *a, const rv_word_info *word, const rv_step_info *step) {
    const char *equals = strchr(a->begun, '='), *dot = strchr(a->begun, '.');
    char name[64];
    word_before_dot(a->begun, name);
    if (!word || !is(name, word->name))
        dot = NULL; /* of a file */
    if (dot && (!equals || dot < equals)) {
        a->kept = (size_t)(dot - a->begun) + 1;
        if (!equals && word)
            offer_keys(a, word);
    }
    if (equals) {
        const char *key = a->begun + a->kept;
        const rv_param_info *param = find_key(word, key, (size_t)(equals - key));
        a->kept = (size_t)(equals - a->begun) + 1;
        if (param)
            offer_values(a, step, param);
    }
    return equals || dot;
}

/* ---- recipes, scenes, options ---- */

static void offer_options(const asked *a, bool pages) {
    for (int i = 0; i < cli_option_count; i++)
        if ((cli_option_table[i].page > CLI_PAGE_VERSION) == pages)
            offer(a, cli_option_table[i].name, "");
}

static void offer_argument(const asked *a, const char *option) {
    if (is(option, "--checkpoint") || is(option, "--csv"))
        offer_files(a, is(option, "--csv") ? tables : any);
    else if (is(option, "--until") || is(option, "--without"))
        offer_steps(a, "");
}

static const rv_word_info *scene_word(const char *name) {
    for (int i = 0; i < rv_scene_word_count(); i++)
        if (is(rv_scene_word(i)->name, name))
            return rv_scene_word(i);
    return NULL;
}

static void complete_scene(asked *a) {
    char name[64];
    word_before_dot(a->begun, name);
    const rv_word_info *word = scene_word(scene_word(name) ? name : "run");
    if (a->count == 2) {
        for (int i = 0; i < rv_scene_preset_count(); i++)
            offer(a, rv_scene_preset_name(i), "");
        offer_files(a, scenes);
        return;
    }
    if (offer_parts(a, word, NULL))
        return;
    offer_keys(a, scene_word("run"));
    for (int i = 0; i < rv_scene_word_count(); i++)
        offer(a, rv_scene_word(i)->name, "");
}

static const rv_step_info *step_so_far(const asked *a) {
    const rv_step_info *step = NULL;
    for (int i = 0; i + 1 < a->count; i++)
        if (rv_step_find(a->words[i]))
            step = rv_step_find(a->words[i]);
    return step;
}

/* commands: the first word may also be a command. */
static void complete_recipe(asked *a, bool commands) {
    char name[64];
    word_before_dot(a->begun, name);
    const rv_step_info *step = rv_step_find(name) ? rv_step_find(name) : step_so_far(a);
    if (offer_parts(a, step ? &step->word : NULL, step))
        return;
    if (a->count == 1) {
        for (int i = 0; commands && i < cli_command_count; i++)
            offer(a, cli_command_table[i].name, "");
        for (int i = 0; i < rv_recipe_preset_count(); i++)
            offer(a, rv_recipe_preset_name(i), "");
    }
    if (step)
        offer_keys(a, &step->word);
    offer_steps(a, "");
    const rv_param_info *file = step ? cli_bare_file(&step->word) : NULL;
    if (!step)
        offer_files(a, recipes);
    else if (file)
        offer_files(a, endings_of(step, file));
}

static bool takes_argument(const char *word) {
    for (int i = 0; i < cli_option_count; i++)
        if (cli_option_table[i].argument && is(word, cli_option_table[i].name))
            return true;
    return false;
}

/* Options and their arguments may stand anywhere: leaves what is not one, and what was begun. */
static int leave_options_out(int count, char **words) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool option = i + 1 < count && begins(words[i], "-") && !is(words[i], "-");
        if (option && takes_argument(words[i]) && i + 2 < count)
            i++;
        if (!option)
            words[kept++] = words[i];
    }
    return kept;
}

void cli_complete(int count, char **words) {
    if (count == 0)
        return;
    asked a = {count, words, words[count - 1], 0};
    const char *before = count > 1 ? words[count - 2] : "";
    if (takes_argument(before)) {
        offer_argument(&a, before);
        return;
    }
    a.count = leave_options_out(count, words);
    const char *first = a.count > 1 ? words[0] : "";
    if (is(first, "help") && is(before, "--completion")) {
        offer_list(&a, cli_shells);
    } else if (is(first, "help")) {
        offer_steps(&a, "");
        offer(&a, "scene", "");
        offer_options(&a, true);
    } else if (begins(a.begun, "-")) {
        offer_options(&a, false);
    } else if (is(first, "scene")) {
        complete_scene(&a);
    } else if (is(first, "resume") || is(first, "studio")) {
        offer_files(&a, is(first, "studio") ? recipes : any);
    } else if (is(first, "sweep")) {
        a.words++;
        a.count--;
        complete_recipe(&a, false);
    } else {
        complete_recipe(&a, true);
    }
}
