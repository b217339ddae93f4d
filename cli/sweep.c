/* sweep.c: `ravine sweep`: one recipe, run with many values of its parameters. What is asked for,
 * what is there already, and what is told. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 12 };

/* ---- the words ---- */

static int stopped_early(void) {
    return cli_fail(cli_exit_code(RV_CANCELLED), "Stopped before the first run; nothing was made.");
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
        return sweep_no_memory();
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
    s->place.table = sweep_join(csv, "", "");
    s->place.folder = sweep_join(csv, "", "");
    if (!s->place.table || !s->place.folder)
        return sweep_no_memory();
    s->place.folder[size - 4] = '\0';
    s->place.sheet = sweep_join(s->place.folder, ".png", "");
    return s->place.sheet ? 0 : sweep_no_memory();
}

static int check_options(const cli_options *o) {
    if (o->checkpoint || o->keep || o->json)
        return cli_fail(2, "%s is for a single run; a sweep goes on by itself and writes a table.",
                        o->json   ? "--json"
                        : o->keep ? "--keep"
                                  : "--checkpoint");
    return 0;
}

/* ---- before and after ---- */

/* A number for the recipe with one value of an axis, and after it one of another; b NULL: none.
 * Equal numbers: equal recipes. */
static int mark_recipe(rv_context *ctx, const sweep *s, const sweep_axis *a, int v,
                       const sweep_axis *b, uint64_t *out) {
    rv_recipe *recipe;
    sweep_words list = {.count = 0};
    char *text = NULL;
    rv_status status = rv_recipe_parse(ctx, s->text, "the recipe", &recipe);
    sweep_words_put(&list, sweep_join(a->key, "=", a->values[v]));
    if (b)
        sweep_words_put(&list, sweep_join(b->key, "=", b->values[0]));
    if (status == RV_OK)
        status = sweep_words_add(recipe, &list);
    int code = status == RV_OK
                   ? sweep_recipe_print(recipe, &text)
                   : cli_fail(cli_exit_code(status), "%s", sweep_skip_word(rv_context_error(ctx)));
    *out = text ? sweep_hash(text, strlen(text), 0) : 0;
    free(text);
    rv_recipe_destroy(recipe);
    return code;
}

/* Every value alone, in a recipe: a word that is wrong is found before the first run. */
static int check_axis(rv_context *ctx, const sweep *s, const sweep_axis *axis) {
    uint64_t *marks = calloc((size_t)axis->count, sizeof *marks);
    int code = marks ? 0 : sweep_no_memory();
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

static rv_status plan_run(rv_context *ctx, sweep *s, int run, sweep_use use, size_t *memory,
                          char why[CLI_TEXT]) {
    rv_recipe *recipe;
    rv_status status = sweep_recipe_make(ctx, s, run, use, &recipe, why);
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
    char *all = sweep_place_sentence(s, run, why[0] ? why : rv_context_error(ctx));
    size_t memory;
    if (status != RV_ERROR_MEMORY || !all || why[0])
        return all;
    status = plan_run(ctx, s, run, SWEEP_FOR_PLAN_BARE, &memory, why);
    char *out = status == RV_OK
                    ? sweep_join(all, " A sweep ends each run with measure and hillshade.", "")
                    : sweep_place_sentence(s, run, why[0] ? why : rv_context_error(ctx));
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
        rv_status status = plan_run(ctx, s, run, SWEEP_FOR_PLAN, &memory, why);
        if (status == RV_OK) {
            s->memory = memory > s->memory ? memory : s->memory;
            continue;
        }
        if (status == RV_CANCELLED)
            return stopped_early();
        s->codes[run] = cli_exit_code(status);
        char *error = plan_error(ctx, s, run, status, why);
        if (!error || !sweep_row_begin(s, run, error, &s->rows[run]))
            code = sweep_no_memory();
        else if (failed++ == run && run + 1 == s->runs)
            code = cli_fail(s->codes[0], "%s", sweep_row_find(&s->rows[0], "error"));
        free(error);
    }
    return code;
}

/* What the folder is for, so that the same command can go on in it. */
static char *describe(const sweep *s) {
    char *text = sweep_join("# ravine sweep, version ", rv_version(), "\n");
    for (int a = 0; a < s->axis_count && text; a++) {
        for (int v = 0; v < s->axes[a].count && text; v++) {
            char *start = sweep_join(text, v == 0 ? s->axes[a].key : "", v == 0 ? "=" : ","),
                 *longer = start ? sweep_join(start, s->axes[a].values[v], "") : NULL;
            free(text);
            free(start);
            text = longer;
        }
        char *line = text ? sweep_join(text, "\n", "") : NULL;
        free(text);
        text = line;
    }
    char *all = text ? sweep_join(text, s->text, "") : NULL;
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
        char *path = sweep_run_path(s, run, name);
        there = path && sweep_file_size(path) == bytes;
        pictured = pictured || strcmp(name, SWEEP_THUMBNAIL) == 0;
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
        good = value && strcmp(value, sweep_value(s, run, a)) == 0;
    }
    return good;
}

static bool was_made(const sweep *s, int run, sweep_row *row) {
    sweep_row files = {.count = 0};
    char *folder = sweep_run_path(s, run, ""), *path = sweep_run_path(s, run, SWEEP_RESULT);
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
    char *text = sweep_join(s->codes[run] ? "failed\n" : "", "", "");
    for (int a = 0; a < s->axis_count && text; a++) {
        char *line = sweep_join(s->axes[a].key, "=", sweep_value(s, run, a)),
             *longer = line ? sweep_join(text, a > 0 ? "\n" : "", line) : NULL;
        free(line);
        free(text);
        text = longer;
    }
    return text;
}

static int save_sheet(rv_context *ctx, const sweep *s) {
    rv_sheet_entry *entries = calloc((size_t)s->runs, sizeof *entries);
    if (!entries)
        return sweep_no_memory();
    for (int i = 0; i < s->runs; i++) {
        entries[i].png = s->codes[i] == 0 ? sweep_run_path(s, i, SWEEP_THUMBNAIL) : NULL;
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
    int made = find_made(s), left = s->runs - sweep_rows_count(s), jobs = count_jobs(ctx, s, left);
    int all = rv_context_threads(ctx), threads = all > jobs ? all / jobs : 1, code = 0;
    if (cli_interrupt_caught())
        return stopped_early();
    tell_plan(ctx, s, made, jobs, threads);
    if (s->options->dry_run)
        return 0;
    for (int i = 0; i < s->runs; i++)
        if (s->codes[i] != 0)
            sweep_run_tell(s, &run->bar, i);
    if (left > 0)
        code =
            sweep_run_all(s, &run->bar, jobs, threads, rv_context_memory_limit(ctx) / (size_t)jobs);
    if (code == 0 && sweep_rows_count(s) > 0)
        code = sweep_table_write(s->place.table, s->rows, s->runs);
    if (code == 0)
        note_table(s, run);
    if (code == 0 && s->pictures && sweep_rows_count(s) == s->runs)
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

/* How every table of the sweep begins: see sweep_row_begin. */
static char *head_table(const sweep *s) {
    char *text = sweep_join("run,folder,", "", "");
    for (int a = 0; a < s->axis_count && text; a++) {
        char *longer = sweep_join(text, s->axes[a].key, ",");
        free(text);
        text = longer;
    }
    char *all = text ? sweep_join(text, "status,error", "") : NULL;
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
        code = sweep_recipe_print(recipe, &s->text);
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
        return sweep_no_memory();
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
