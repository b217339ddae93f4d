/* sweep.c: `ravine sweep`: one recipe, run with many values of its parameters, several runs at a
 * time. Each run has a context of its own, so its result is that of the run alone. */
#include "sweep.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_MS = 200, TABLE_MS = 1000, WIDEST = 12, WORDS = 256 };

static const char thumbnail[] = "thumbnail.png", result[] = "result.txt", script[] = "recipe.rv";

/* What a recipe is made for: a run; its plan; the plan of what the user gave, without the steps
 * that a sweep adds. */
typedef enum run_use { FOR_RUN, FOR_PLAN, FOR_PLAN_BARE } run_use;

typedef struct sweep {
    const cli_options *options;
    sweep_axis axes[SWEEP_AXES];
    int axis_count;
    int runs, digits;
    char *text; /* of the recipe that varies */
    sweep_place place;
    bool pictures;   /* this build can write them */
    sweep_row *rows; /* of each run; empty: it has not ended */
    int *codes;      /* how it ended: 0, or the exit code that it would have had */
    size_t memory;   /* that the largest run needs */
    double seconds;  /* of the first run on one thread, about; NaN: not known */
    /* Shared by the threads. */
    pthread_mutex_t lock;
    pthread_cond_t change;
    int next;          /* run to begin */
    int *ended;        /* runs, in the order of their ends */
    int ended_count;   /* of them */
    int working;       /* threads */
    atomic_int broken; /* the exit code of what cannot go on */
} sweep;

/* One thread and its run. */
typedef struct worker {
    sweep *s;
    pthread_t thread;
    rv_context *ctx;
    atomic_int done; /* thousandths of the run */
    int steps;       /* of the recipe, without those that a sweep adds */
    const rv_recipe *recipe;
    sweep_row figures;
    sweep_row files; /* that the run has written, each with its bytes */
    rv_ledger ledger;
    uint64_t hash;
} worker;

/* ---- the words ---- */

static int no_memory(void) {
    return cli_fail(5, "There is not enough memory.");
}

static int stopped_early(void) {
    return cli_fail(cli_exit_code(RV_CANCELLED), "Stopped before the first run; nothing was made.");
}

static char *join(const char *a, const char *b, const char *c) {
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

static int add_axis(sweep *s, const char *word) {
    if (s->axis_count == SWEEP_AXES)
        return cli_fail(2, "A sweep has at most %d parameters that vary.", SWEEP_AXES);
    sweep_axis *axis = &s->axes[s->axis_count++];
    int code = sweep_axis_read(word, axis);
    for (int i = 0; i + 1 < s->axis_count && code == 0; i++)
        if (strcmp(s->axes[i].key, axis->key) == 0)
            code = cli_fail(2, "%.100s is given twice.", axis->key);
    if (code == 0 && axis->count > SWEEP_MOST / s->runs)
        code =
            cli_fail(2, "A sweep has at most %d runs, and this one would have more.", SWEEP_MOST);
    if (code == 0)
        s->runs *= axis->count;
    return code;
}

/* Words that vary become axes; the others are the recipe. */
static int read_words(rv_context *ctx, sweep *s, rv_recipe **recipe) {
    cli_options fixed = *s->options;
    char **words = calloc((size_t)fixed.count + 1, sizeof *words);
    if (!words)
        return no_memory();
    int kept = 0, code = 0;
    for (int i = 1; i < fixed.count && code == 0; i++)
        if (i > 1 && sweep_varies(fixed.words[i]))
            code = add_axis(s, fixed.words[i]);
        else
            words[kept++] = fixed.words[i];
    fixed.words = words;
    fixed.count = kept;
    if (code == 0 && kept == 0)
        code = cli_fail(2, "sweep needs a recipe: %s", cli_command_find("sweep")->usage);
    if (code == 0)
        code = cli_recipe_build(ctx, &fixed, recipe);
    if (code == 0 && s->axis_count == 0)
        code =
            cli_fail(2, "sweep needs a parameter with several values, such as noise.seed=1..10.");
    free(words);
    return code;
}

static int read_names(sweep *s) {
    const char *csv = s->options->csv;
    size_t size = csv ? strlen(csv) : 0;
    if (!csv)
        return cli_fail(2, "sweep needs a table to write: --csv TABLE.csv");
    if (size < 5 || strcmp(csv + size - 4, ".csv") != 0 || strlen(cli_path_name(csv)) < 5)
        return cli_fail(2, "%.200s: the table of a sweep must end in .csv.", csv);
    for (const char *c = csv; *c; c++)
        if (*c == '\n' || *c == '\r')
            return cli_fail(2, "The name of the table holds the end of a line.");
    s->place.table = join(csv, "", "");
    s->place.folder = join(csv, "", "");
    if (!s->place.table || !s->place.folder)
        return no_memory();
    s->place.folder[size - 4] = '\0';
    s->place.sheet = join(s->place.folder, ".png", "");
    return s->place.sheet ? 0 : no_memory();
}

static int check_options(const cli_options *o) {
    if (o->checkpoint || o->keep || o->json)
        return cli_fail(2, "%s is for a single run; a sweep goes on by itself and writes a table.",
                        o->json   ? "--json"
                        : o->keep ? "--keep"
                                  : "--checkpoint");
    return 0;
}

static int print_recipe(const rv_recipe *recipe, char **out) {
    int size = rv_recipe_print(recipe, NULL, 0);
    if (size < 0)
        return cli_fail(2, "A text of the recipe holds the end of a line.");
    *out = malloc((size_t)size + 1);
    if (!*out)
        return no_memory();
    rv_recipe_print(recipe, *out, (size_t)size + 1);
    return 0;
}

/* ---- one run as a recipe ---- */

static const char *value_of(const sweep *s, int run, int axis) {
    for (int a = s->axis_count - 1; a > axis; a--)
        run /= s->axes[a].count;
    return s->axes[axis].values[run % s->axes[axis].count];
}

/* "OUT/017", or a file in it. */
static char *run_path(const sweep *s, int run, const char *file) {
    char number[32];
    snprintf(number, sizeof number, "/%0*d%s", s->digits, run + 1, *file ? "/" : "");
    return join(s->place.folder, number, file);
}

/* How the files of a plan begin, which asks whether they can be written: beside the folders, which
 * are not there yet. */
static const char beside[] = ".run-";

static char *file_path(const sweep *s, int run, const char *file, run_use use) {
    return use == FOR_RUN ? run_path(s, run, file) : join(s->place.folder, beside, file);
}

/* Without the place of a word that a sweep has added, which nobody typed. */
static const char *skip_word(const char *error) {
    static const char place[] = "command line, word ";
    const char *end = strncmp(error, place, strlen(place)) == 0 ? strstr(error, ": ") : NULL;
    return end ? end + 2 : error;
}

/* Without the place in the recipe of a run, which is not there yet. */
static const char *skip_place(const sweep *s, int run, const char *error) {
    char *name = run_path(s, run, script);
    size_t size = name ? strlen(name) : 0;
    const char *end = name && strncmp(error, name, size) == 0 ? strstr(error + size, ": ") : NULL;
    free(name);
    return end ? end + 2 : skip_word(error);
}

/* The sentence of a plan with its file as a run has it; free() it. */
static char *place_sentence(const sweep *s, int run, const char *error) {
    const char *text = skip_place(s, run, error);
    char *before = join(s->place.folder, beside, ""), *after = run_path(s, run, ""),
         *head = join(text, "", ""), *at = head && before ? strstr(head, before) : NULL;
    char *start = NULL, *all = NULL;
    if (at && after) {
        *at = '\0';
        start = join(head, after, "/");
        all = start ? join(start, at + strlen(before), "") : NULL;
    } else {
        all = join(text, "", "");
    }
    free(start);
    free(head);
    free(after);
    free(before);
    return all;
}

/* Words for rv_recipe_add_words, each from malloc. */
typedef struct word_list {
    char *words[WORDS];
    int count;
    bool full; /* or no memory */
} word_list;

static void put_word(word_list *list, char *word) {
    if (word && list->count < WORDS)
        list->words[list->count++] = word;
    else
        list->full = true;
}

static rv_status add_words(rv_recipe *recipe, word_list *list) {
    rv_status status =
        list->full ? RV_ERROR_MEMORY
                   : rv_recipe_add_words(recipe, list->count, (const char *const *)list->words);
    for (int i = 0; i < list->count; i++)
        free(list->words[i]);
    list->count = 0;
    return status;
}

static int number_of(const rv_recipe *recipe, int index) {
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
    static const char *const own[] = {thumbnail, result, script};
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
static rv_status move_files(const sweep *s, int run, run_use use, rv_recipe *recipe,
                            char why[CLI_TEXT]) {
    word_list list = {.count = 0};
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
            add_words(recipe, &list);
            return RV_ERROR_USAGE;
        }
        if (!moved)
            continue;
        const rv_word_info *word = &rv_step_get(rv_recipe_step(recipe, index))->word;
        char *path = file_path(s, run, name, use);
        snprintf(key, sizeof key, "%s#%d.%s=", word->name, number_of(recipe, index),
                 word->params[param].name);
        put_word(&list, path ? join(key, path, "") : NULL);
        free(path);
    }
    return add_words(recipe, &list);
}

static bool measures(const rv_recipe *recipe) {
    for (int i = 0; i < rv_recipe_count(recipe); i++)
        if (rv_recipe_step(recipe, i) == RV_STEP_measure)
            return true;
    return false;
}

/* The recipe with the values of a run. After a failure `why` or the context has the sentence. */
static rv_status make_run(rv_context *ctx, const sweep *s, int run, run_use use, rv_recipe **out,
                          char why[CLI_TEXT]) {
    word_list list = {.count = 0};
    char *name = run_path(s, run, script), *picture = file_path(s, run, thumbnail, use);
    rv_status status = name && picture ? RV_OK : RV_ERROR_MEMORY;
    why[0] = '\0';
    *out = NULL;
    if (status == RV_OK)
        status = rv_recipe_parse(ctx, s->text, name, out);
    for (int a = 0; a < s->axis_count; a++)
        put_word(&list, join(s->axes[a].key, "=", value_of(s, run, a)));
    if (status == RV_OK)
        status = add_words(*out, &list);
    if (status == RV_OK)
        status = move_files(s, run, use, *out, why);
    if (status == RV_OK && use != FOR_PLAN_BARE && !measures(*out))
        put_word(&list, join("measure", "", ""));
    if (status == RV_OK && use != FOR_PLAN_BARE && s->pictures) {
        put_word(&list, join("hillshade", "", ""));
        put_word(&list, join("file=", picture, ""));
        put_word(&list, join("tint=land", "", ""));
    }
    if (status == RV_OK)
        status = add_words(*out, &list);
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

/* ---- rows ---- */

static bool put_number(sweep_row *row, const char *name, double value) {
    char text[40] = "";
    if (isfinite(value))
        snprintf(text, sizeof text, "%.10g", value);
    return sweep_row_set(row, name, text);
}

/* What every row begins with. error "": none. */
static bool begin_row(const sweep *s, int run, const char *error, sweep_row *row) {
    char number[32];
    snprintf(number, sizeof number, "%d", run + 1);
    char *folder = run_path(s, run, "");
    bool good = folder && sweep_row_set(row, "run", number) && sweep_row_set(row, "folder", folder);
    for (int a = 0; a < s->axis_count && good; a++)
        good = sweep_row_set(row, s->axes[a].key, value_of(s, run, a));
    free(folder);
    return good && sweep_row_set(row, "status", *error ? "failed" : "ok") &&
           sweep_row_set(row, "error", error);
}

static bool end_row(const worker *w, double seconds, sweep_row *row) {
    const rv_ledger *l = &w->ledger;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"seconds", seconds},           {"eroded_m3", l->eroded},
                   {"deposited_m3", l->deposited}, {"left_map_m3", l->left_map},
                   {"suspended_m3", l->suspended}, {"raised_m3", l->raised}};
    char hash[32];
    bool good = true;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && good; i++)
        good = put_number(row, numbers[i].name, numbers[i].value);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)w->hash);
    good = good && sweep_row_set(row, "hash", hash);
    for (int i = 0; i < w->figures.count && good; i++)
        good = sweep_row_set(row, w->figures.names[i], w->figures.values[i]);
    return good;
}

/* ---- a run ---- */

static bool on_progress(void *user, const rv_progress *now) {
    worker *w = user;
    atomic_store(&w->done, (int)(1000.0 * now->total));
    return !cli_interrupt_caught() && !atomic_load(&w->s->broken);
}

/* measure.relief, and measure#2.relief of a second. */
static void keep_figures(worker *w, int index, const rv_terrain *land) {
    int number = number_of(w->recipe, index);
    for (int i = 0; i < rv_terrain_figure_count(land); i++) {
        const rv_figure *figure = rv_terrain_figure(land, i);
        char name[CLI_TEXT];
        if (number > 1)
            snprintf(name, sizeof name, "measure#%d.%s", number, figure->name);
        else
            snprintf(name, sizeof name, "measure.%s", figure->name);
        put_number(&w->figures, name, figure->value);
    }
}

/* Those that a later look at the run shall find; of very many the first are enough. */
static void on_made(void *user, const char *path, uint64_t bytes) {
    enum { MOST = 1000 };
    worker *w = user;
    (void)bytes;
    if (w->files.count < MOST)
        sweep_row_set(&w->files, path, "");
}

/* "file 1", "BYTES NAME": as they are at the end of the run, in its folder. */
static bool list_files(const worker *w, int run, sweep_row *out) {
    char *folder = run_path(w->s, run, "");
    size_t size = folder ? strlen(folder) : 0;
    bool good = folder != NULL;
    for (int i = 0; i < w->files.count && good; i++) {
        const char *path = w->files.names[i];
        char name[32], bytes[32];
        int64_t now = sweep_file_size(path);
        if (now <= 0 || strncmp(path, folder, size) != 0 || path[size] != '/')
            continue;
        snprintf(name, sizeof name, "file %d", out->count + 1);
        snprintf(bytes, sizeof bytes, "%lld ", (long long)now);
        char *value = join(bytes, path + size + 1, "");
        good = value && sweep_row_set(out, name, value);
        free(value);
    }
    free(folder);
    return good;
}

static void after_step(void *user, int index, const rv_report *report) {
    worker *w = user;
    if (index < w->steps) {
        w->hash = report->hash;
        w->ledger = rv_terrain_ledger(report->land);
    }
    if (report->step == RV_STEP_measure)
        keep_figures(w, index, report->land);
}

static int begin_folder(const sweep *s, int run, const rv_recipe *recipe) {
    char *folder = run_path(s, run, ""), *text = NULL;
    int code = folder ? print_recipe(recipe, &text) : no_memory();
    if (code == 0)
        code = sweep_run_folder(folder, text);
    free(text);
    free(folder);
    return code;
}

static int keep_row(const worker *w, int run, const sweep_row *row) {
    sweep_row files = {.count = 0};
    char *path = run_path(w->s, run, result);
    int code =
        path && list_files(w, run, &files) ? sweep_row_write(path, row, &files) : no_memory();
    sweep_row_free(&files);
    free(path);
    return code;
}

/* Runs one and makes its row. Returns what cannot go on; *code is how the run ended. */
static int run_one(worker *w, int run, sweep_row *row, int *code) {
    sweep *s = w->s;
    rv_recipe *recipe;
    char why[CLI_TEXT];
    int64_t begun = cli_now_ms();
    atomic_store(&w->done, 0);
    sweep_row_free(&w->figures);
    sweep_row_free(&w->files);
    rv_status status = make_run(w->ctx, s, run, FOR_RUN, &recipe, why);
    int broken = status == RV_OK ? begin_folder(s, run, recipe) : 0;
    if (status == RV_OK && broken == 0) {
        rv_watch watch = {.after = after_step, .user = w};
        w->recipe = recipe;
        w->steps = rv_recipe_count(recipe) - (s->pictures ? 1 : 0);
        status = rv_recipe_run(recipe, &watch, NULL);
    }
    rv_recipe_destroy(recipe);
    if (broken != 0 || status == RV_CANCELLED)
        return broken;
    *code = cli_exit_code(status);
    const char *error = status == RV_OK ? "" : why[0] ? why : skip_word(rv_context_error(w->ctx));
    double seconds = (double)(cli_now_ms() - begun) / 1000.0;
    if (!begin_row(s, run, error, row) || (status == RV_OK && !end_row(w, seconds, row)))
        return no_memory();
    return keep_row(w, run, row);
}

/* The next run that has no row; -1: there is none, or all shall stop. */
static int take_run(sweep *s) {
    int run = -1;
    pthread_mutex_lock(&s->lock);
    while (s->next < s->runs && s->rows[s->next].count > 0)
        s->next++;
    if (s->next < s->runs && !atomic_load(&s->broken) && !cli_interrupt_caught())
        run = s->next++;
    pthread_mutex_unlock(&s->lock);
    return run;
}

static void *work(void *user) {
    worker *w = user;
    sweep *s = w->s;
    for (int run; (run = take_run(s)) >= 0;) {
        sweep_row row = {.count = 0};
        int code = 0, broken = run_one(w, run, &row, &code);
        pthread_mutex_lock(&s->lock);
        if (broken != 0) {
            atomic_store(&s->broken, broken);
            sweep_row_free(&row);
        } else if (row.count > 0) {
            s->rows[run] = row;
            s->codes[run] = code;
            s->ended[s->ended_count++] = run;
        }
        atomic_store(&w->done, 0);
        pthread_cond_signal(&s->change);
        pthread_mutex_unlock(&s->lock);
    }
    sweep_row_free(&w->figures);
    sweep_row_free(&w->files);
    pthread_mutex_lock(&s->lock);
    s->working--;
    pthread_cond_signal(&s->change);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- all runs ---- */

static void tell_run(const sweep *s, cli_bar *bar, int run) {
    if (s->options->quiet)
        return;
    cli_bar_erase(bar);
    const char *seconds = sweep_row_find(&s->rows[run], "seconds"),
               *error = sweep_row_find(&s->rows[run], "error");
    fprintf(stderr, "run %*d of %d %9.2f s ", s->digits, run + 1, s->runs,
            seconds ? strtod(seconds, NULL) : 0.0);
    for (int a = 0; a < s->axis_count; a++) {
        fprintf(stderr, " %s=", s->axes[a].key);
        cli_put_line(stderr, value_of(s, run, a));
    }
    if (error && *error) {
        fputs("  failed: ", stderr);
        cli_put_line(stderr, error);
    }
    fputc('\n', stderr);
}

static void wait_change(sweep *s) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&s->change, &s->lock, &until);
}

static int count_rows(const sweep *s) {
    int count = 0;
    for (int i = 0; i < s->runs; i++)
        count += s->rows[i].count > 0;
    return count;
}

/* Tells what ends and keeps the table up to date until no thread works any more. The lock is held
 * but while it waits: nothing here takes long. */
static void follow(sweep *s, cli_bar *bar, worker *workers, int jobs) {
    int told = 0, tabled = 0;
    int64_t last = cli_now_ms();
    cli_bar_begin(bar, "sweep");
    pthread_mutex_lock(&s->lock);
    int before = count_rows(s) - s->ended_count;
    while (s->working > 0 || told < s->ended_count) {
        for (; told < s->ended_count; told++)
            tell_run(s, bar, s->ended[told]);
        if (tabled < told && cli_now_ms() - last >= TABLE_MS) {
            int code = sweep_table_write(s->place.table, s->rows, s->runs);
            if (code != 0)
                atomic_store(&s->broken, code);
            tabled = told;
            last = cli_now_ms();
        }
        double done = before + told;
        for (int i = 0; i < jobs; i++)
            done += atomic_load(&workers[i].done) / 1000.0;
        cli_bar_show(bar, done / s->runs);
        if (s->working > 0)
            wait_change(s);
    }
    pthread_mutex_unlock(&s->lock);
    cli_bar_erase(bar);
}

static int start_workers(sweep *s, worker *workers, int jobs, int threads, size_t memory) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = threads;
    desc.memory_limit = memory;
    desc.progress = on_progress;
    desc.made = on_made;
    int code = 0;
    for (int i = 0; i < jobs && code == 0; i++) {
        worker *w = &workers[i];
        desc.user = w;
        w->s = s;
        rv_status status = rv_context_create(&desc, &w->ctx);
        cli_interrupt_hold(true); /* signals are for the first thread */
        pthread_mutex_lock(&s->lock);
        if (status != RV_OK || pthread_create(&w->thread, NULL, work, w) != 0)
            code = cli_fail(5, "There is not enough memory for %d runs at a time.", jobs);
        else
            s->working++;
        pthread_mutex_unlock(&s->lock);
        cli_interrupt_hold(false);
        if (code != 0) {
            rv_context_destroy(w->ctx);
            w->ctx = NULL;
        }
    }
    return code;
}

static int run_all(sweep *s, cli_bar *bar, int jobs, int threads, size_t memory) {
    worker *workers = calloc((size_t)jobs, sizeof *workers);
    if (!workers)
        return no_memory();
    int code = start_workers(s, workers, jobs, threads, memory);
    if (code != 0)
        atomic_store(&s->broken, code);
    follow(s, bar, workers, jobs);
    for (int i = 0; i < jobs; i++)
        if (workers[i].ctx) {
            pthread_join(workers[i].thread, NULL);
            rv_context_destroy(workers[i].ctx);
        }
    free(workers);
    return atomic_load(&s->broken);
}

/* ---- before and after ---- */

/* A number for the recipe with one value of an axis, and after it one of another; b NULL: none.
 * Equal numbers: equal recipes. */
static int mark_recipe(rv_context *ctx, const sweep *s, const sweep_axis *a, int v,
                       const sweep_axis *b, uint64_t *out) {
    rv_recipe *recipe;
    word_list list = {.count = 0};
    char *text = NULL;
    rv_status status = rv_recipe_parse(ctx, s->text, "the recipe", &recipe);
    put_word(&list, join(a->key, "=", a->values[v]));
    if (b)
        put_word(&list, join(b->key, "=", b->values[0]));
    if (status == RV_OK)
        status = add_words(recipe, &list);
    int code = status == RV_OK
                   ? print_recipe(recipe, &text)
                   : cli_fail(cli_exit_code(status), "%s", skip_word(rv_context_error(ctx)));
    *out = text ? sweep_hash(text, strlen(text), 0) : 0;
    free(text);
    rv_recipe_destroy(recipe);
    return code;
}

/* Every value alone, in a recipe: a word that is wrong is found before the first run. */
static int check_axis(rv_context *ctx, const sweep *s, const sweep_axis *axis) {
    uint64_t *marks = calloc((size_t)axis->count, sizeof *marks);
    int code = marks ? 0 : no_memory();
    for (int v = 0; v < axis->count && code == 0; v++) {
        code = cli_interrupt_caught() ? stopped_early()
                                      : mark_recipe(ctx, s, axis, v, NULL, &marks[v]);
        for (int i = 0; i < v && code == 0; i++)
            if (marks[i] == marks[v])
                code = cli_fail(2, "%.100s: the values %.100s and %.100s are the same.", axis->key,
                                axis->values[i], axis->values[v]);
    }
    free(marks);
    return code;
}

/* Where a value of `b` undoes what `a` varies, both are one parameter: noise.seed, noise#1.seed. */
static int check_pair(rv_context *ctx, const sweep *s, const sweep_axis *a, const sweep_axis *b) {
    uint64_t first, second;
    if (a->count < 2)
        return 0;
    int code = mark_recipe(ctx, s, a, 0, b, &first);
    if (code == 0)
        code = mark_recipe(ctx, s, a, 1, b, &second);
    if (code == 0 && first == second)
        code = cli_fail(2, "%.100s is given twice: %.100s is the same parameter.", a->key, b->key);
    return code;
}

static int check_values(rv_context *ctx, const sweep *s) {
    int code = 0;
    for (int a = 0; a < s->axis_count && code == 0; a++)
        code = check_axis(ctx, s, &s->axes[a]);
    for (int a = 0; a < s->axis_count && code == 0; a++)
        for (int b = 0; b < s->axis_count && code == 0; b++)
            if (a != b)
                code = check_pair(ctx, s, &s->axes[a], &s->axes[b]);
    return code;
}

static bool can_draw(rv_context *ctx) {
    rv_recipe *recipe;
    rv_plan plans[2];
    if (rv_recipe_parse(ctx, "terrain 2 hillshade a.png", "a test", &recipe) != RV_OK)
        return false;
    bool can = rv_recipe_plan(recipe, plans) == RV_OK;
    rv_recipe_destroy(recipe);
    return can;
}

static rv_status plan_run(rv_context *ctx, sweep *s, int run, run_use use, size_t *memory,
                          char why[CLI_TEXT]) {
    rv_recipe *recipe;
    rv_status status = make_run(ctx, s, run, use, &recipe, why);
    int count = status == RV_OK ? rv_recipe_count(recipe) : 0;
    rv_plan *plans = calloc((size_t)count + 1, sizeof *plans);
    if (status == RV_OK)
        status = plans ? rv_recipe_plan(recipe, plans) : RV_ERROR_MEMORY;
    *memory = 0;
    for (int i = 0; plans && i < count; i++)
        *memory = plans[i].memory > *memory ? plans[i].memory : *memory;
    double *seconds = calloc((size_t)count + 1, sizeof *seconds);
    if (status == RV_OK && run == 0 && s->options->dry_run && seconds)
        s->seconds = cli_estimate(recipe, plans, 1, seconds);
    free(seconds);
    free(plans);
    rv_recipe_destroy(recipe);
    return status;
}

/* Why a run cannot be planned: of its own steps, where it is one of these. free() it. */
static char *plan_error(rv_context *ctx, sweep *s, int run, rv_status status, char why[CLI_TEXT]) {
    char *all = place_sentence(s, run, why[0] ? why : rv_context_error(ctx));
    size_t memory;
    if (status != RV_ERROR_MEMORY || !all || why[0])
        return all;
    status = plan_run(ctx, s, run, FOR_PLAN_BARE, &memory, why);
    char *out = status == RV_OK
                    ? join(all, " A sweep ends each run with measure and hillshade.", "")
                    : place_sentence(s, run, why[0] ? why : rv_context_error(ctx));
    free(all);
    return out;
}

/* Plans all runs. Those that cannot run get their row at once; where none can, the first sentence
 * is the answer. */
static int plan_all(rv_context *ctx, sweep *s) {
    int code = 0, failed = 0;
    for (int run = 0; run < s->runs && code == 0; run++) {
        char why[CLI_TEXT];
        size_t memory;
        if (cli_interrupt_caught())
            return stopped_early();
        rv_status status = plan_run(ctx, s, run, FOR_PLAN, &memory, why);
        if (status == RV_OK) {
            s->memory = memory > s->memory ? memory : s->memory;
            continue;
        }
        if (status == RV_CANCELLED)
            return stopped_early();
        s->codes[run] = cli_exit_code(status);
        char *error = plan_error(ctx, s, run, status, why);
        if (!error || !begin_row(s, run, error, &s->rows[run]))
            code = no_memory();
        else if (failed++ == run && run + 1 == s->runs)
            code = cli_fail(s->codes[0], "%s", sweep_row_find(&s->rows[0], "error"));
        free(error);
    }
    return code;
}

/* What the folder is for, so that the same command can go on in it. */
static char *describe(const sweep *s) {
    char *text = join("# ravine sweep, version ", rv_version(), "\n");
    for (int a = 0; a < s->axis_count && text; a++) {
        for (int v = 0; v < s->axes[a].count && text; v++) {
            char *start = join(text, v == 0 ? s->axes[a].key : "", v == 0 ? "=" : ","),
                 *longer = start ? join(start, s->axes[a].values[v], "") : NULL;
            free(text);
            free(start);
            text = longer;
        }
        char *line = text ? join(text, "\n", "") : NULL;
        free(text);
        text = line;
    }
    char *all = text ? join(text, s->text, "") : NULL;
    free(text);
    return all;
}

/* Are the files of a run there, as they were at its end? */
static bool has_files(const sweep *s, int run, const sweep_row *files) {
    bool there = true, pictured = !s->pictures;
    for (int i = 0; i < files->count && there; i++) {
        char *name;
        long long bytes = strtoll(files->values[i], &name, 10);
        name += *name == ' ';
        char *path = run_path(s, run, name);
        there = path && sweep_file_size(path) == bytes;
        pictured = pictured || strcmp(name, thumbnail) == 0;
        free(path);
    }
    return there && pictured;
}

/* Is that the row of the run, to its end? */
static bool is_row(const sweep *s, int run, const sweep_row *row) {
    char number[32];
    snprintf(number, sizeof number, "%d", run + 1);
    const char *status = sweep_row_find(row, "status"), *hash = sweep_row_find(row, "hash"),
               *is = sweep_row_find(row, "run");
    bool good = status && strcmp(status, "ok") == 0 && hash && strlen(hash) == 16 && is &&
                strcmp(is, number) == 0;
    for (int a = 0; a < s->axis_count && good; a++) {
        const char *value = sweep_row_find(row, s->axes[a].key);
        good = value && strcmp(value, value_of(s, run, a)) == 0;
    }
    return good;
}

static bool was_made(const sweep *s, int run, sweep_row *row) {
    sweep_row files = {.count = 0};
    char *folder = run_path(s, run, ""), *path = run_path(s, run, result);
    bool read = folder && path && sweep_run_there(folder) && sweep_row_read(path, row, &files);
    bool good = read && is_row(s, run, row) && has_files(s, run, &files);
    if (read && !good)
        sweep_row_free(row);
    sweep_row_free(&files);
    free(folder);
    free(path);
    return good;
}

/* Runs that were made before are not run again, unless they failed. Returns how many there are. */
static int find_made(sweep *s) {
    int made = 0;
    for (int run = 0; run < s->runs && !cli_interrupt_caught(); run++) {
        sweep_row row;
        if (s->rows[run].count == 0 && was_made(s, run, &row)) {
            s->rows[run] = row;
            made++;
        }
    }
    return made;
}

/* What was varied, a line each. */
static char *label_of(const sweep *s, int run) {
    char *text = join(s->codes[run] ? "failed\n" : "", "", "");
    for (int a = 0; a < s->axis_count && text; a++) {
        char *line = join(s->axes[a].key, "=", value_of(s, run, a)),
             *longer = line ? join(text, a > 0 ? "\n" : "", line) : NULL;
        free(line);
        free(text);
        text = longer;
    }
    return text;
}

static int save_sheet(rv_context *ctx, const sweep *s) {
    rv_sheet_entry *entries = calloc((size_t)s->runs, sizeof *entries);
    if (!entries)
        return no_memory();
    for (int i = 0; i < s->runs; i++) {
        entries[i].png = s->codes[i] == 0 ? run_path(s, i, thumbnail) : NULL;
        entries[i].text = label_of(s, i);
    }
    int last = s->axes[s->axis_count - 1].count;
    rv_status status =
        rv_sheet_save(ctx, entries, s->runs, last <= WIDEST ? last : 0, s->place.sheet);
    for (int i = 0; i < s->runs; i++) {
        free((char *)(uintptr_t)entries[i].png);
        free((char *)(uintptr_t)entries[i].text);
    }
    free(entries);
    return status == RV_OK ? sweep_sheet_keep(&s->place)
                           : cli_fail(cli_exit_code(status), "%s", rv_context_error(ctx));
}

/* How many runs at a time: as many as cores, and as memory holds. */
static int count_jobs(const rv_context *ctx, const sweep *s, int left) {
    size_t fit = rv_context_memory_limit(ctx) / (s->memory ? s->memory : 1);
    int jobs = s->options->jobs ? s->options->jobs : rv_context_threads(ctx);
    jobs = jobs < left ? jobs : left;
    jobs = fit < (size_t)jobs ? (int)fit : jobs;
    return jobs > 0 ? jobs : 1;
}

static void tell_plan(const rv_context *ctx, const sweep *s, int made, int jobs, int threads) {
    char memory[32], limit[32], time[32];
    cli_bytes(s->memory, memory);
    cli_bytes(rv_context_memory_limit(ctx), limit);
    FILE *out = s->options->dry_run ? stdout : stderr;
    if (s->options->quiet)
        return;
    fprintf(out, "%d runs", s->runs);
    if (made > 0)
        fprintf(out, ", of which %d were made before", made);
    fprintf(out, "; %d at a time, with %d thread%s each and at most %s of the %s allowed", jobs,
            threads, threads > 1 ? "s" : "", memory, limit);
    cli_time(s->seconds * (s->runs - made) / (jobs * threads), time);
    if (s->seconds == s->seconds)
        fprintf(out, ", about %s", time);
    fputs(".\n", out);
}

static int tell_end(const sweep *s) {
    int failed = 0, ended = 0, code = 0;
    for (int i = 0; i < s->runs; i++) {
        ended += s->rows[i].count > 0;
        failed += s->codes[i] != 0;
        code = code ? code : s->codes[i];
    }
    if (ended < s->runs)
        return cli_fail(cli_exit_code(RV_CANCELLED),
                        "Stopped after %d of %d runs; the same command goes on from there.", ended,
                        s->runs);
    if (!s->options->quiet) {
        fprintf(stderr, "%d runs", s->runs);
        if (failed > 0)
            fprintf(stderr, ", of which %d failed", failed);
        fputs("; each has a folder in ", stderr);
        cli_put_line(stderr, s->place.folder);
        fputs(".\n", stderr);
    }
    return code;
}

static void note_table(const sweep *s, cli_run *run) {
    int64_t bytes = sweep_file_size(s->place.table);
    if (bytes > 0)
        cli_made_add(run, s->place.table, (uint64_t)bytes);
}

/* The folder is locked. */
static int run_locked(rv_context *ctx, sweep *s, cli_run *run) {
    int made = find_made(s), left = s->runs - count_rows(s), jobs = count_jobs(ctx, s, left);
    int all = rv_context_threads(ctx), threads = all > jobs ? all / jobs : 1, code = 0;
    if (cli_interrupt_caught())
        return stopped_early();
    tell_plan(ctx, s, made, jobs, threads);
    if (s->options->dry_run)
        return 0;
    for (int i = 0; i < s->runs; i++)
        if (s->codes[i] != 0)
            tell_run(s, &run->bar, i);
    if (left > 0)
        code = run_all(s, &run->bar, jobs, threads, rv_context_memory_limit(ctx) / (size_t)jobs);
    if (code == 0 && count_rows(s) > 0)
        code = sweep_table_write(s->place.table, s->rows, s->runs);
    if (code == 0)
        note_table(s, run);
    if (code == 0 && s->pictures && count_rows(s) == s->runs)
        code = save_sheet(ctx, s);
    return code == 0 ? tell_end(s) : code;
}

static int run_sweep(rv_context *ctx, sweep *s, cli_run *run) {
    FILE *lock = NULL;
    int code = cli_interrupt_caught() ? stopped_early() : 0;
    if (code == 0 && !s->options->dry_run)
        code = sweep_folder_take(&s->place, &lock);
    if (code == 0)
        code = run_locked(ctx, s, run);
    sweep_folder_leave(&lock);
    return code;
}

/* How every table of the sweep begins: see begin_row. */
static char *head_table(const sweep *s) {
    char *text = join("run,folder,", "", "");
    for (int a = 0; a < s->axis_count && text; a++) {
        char *longer = join(text, s->axes[a].key, ",");
        free(text);
        text = longer;
    }
    char *all = text ? join(text, "status,error", "") : NULL;
    free(text);
    return all;
}

static int prepare(rv_context *ctx, sweep *s) {
    rv_recipe *recipe = NULL;
    int code = check_options(s->options);
    if (code == 0)
        code = read_words(ctx, s, &recipe);
    if (code == 0)
        code = read_names(s);
    if (code == 0)
        code = print_recipe(recipe, &s->text);
    rv_recipe_destroy(recipe);
    if (code == 0)
        code = check_values(ctx, s);
    if (code != 0)
        return code;
    s->place.text = describe(s);
    s->place.header = head_table(s);
    s->rows = calloc((size_t)s->runs, sizeof *s->rows);
    s->codes = calloc((size_t)s->runs, sizeof *s->codes);
    s->ended = calloc((size_t)s->runs, sizeof *s->ended);
    if (!s->place.text || !s->place.header || !s->rows || !s->codes || !s->ended)
        return no_memory();
    for (int n = s->runs; n > 0; n /= 10)
        s->digits++;
    s->digits = s->digits > 3 ? s->digits : 3;
    s->pictures = can_draw(ctx);
    code = sweep_folder_check(&s->place);
    return code == 0 ? plan_all(ctx, s) : code;
}

int cli_sweep(rv_context *ctx, cli_run *run) {
    sweep s = {.options = run->options, .runs = 1, .seconds = NAN};
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.change, NULL);
    int code = prepare(ctx, &s);
    if (code == 0)
        code = run_sweep(ctx, &s, run);
    pthread_cond_destroy(&s.change);
    pthread_mutex_destroy(&s.lock);
    for (int i = 0; s.rows && i < s.runs; i++)
        sweep_row_free(&s.rows[i]);
    for (int a = 0; a < s.axis_count; a++)
        sweep_axis_free(&s.axes[a]);
    free(s.rows);
    free(s.codes);
    free(s.ended);
    free(s.text);
    free(s.place.table);
    free(s.place.folder);
    free(s.place.sheet);
    free(s.place.text);
    free(s.place.header);
    return code;
}
