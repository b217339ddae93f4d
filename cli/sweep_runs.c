/* sweep_runs.c: the runs of a sweep, several at a time on threads of their own, and a row of the
 * table for each. Each run has a context of its own, so its result is that of the run alone. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_MS = 200, TABLE_MS = 1000 };

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

/* ---- rows ---- */

static bool put_number(sweep_row *row, const char *name, double value) {
    char text[40] = "";
    if (isfinite(value))
        snprintf(text, sizeof text, "%.10g", value);
    return sweep_row_set(row, name, text);
}

/* What every row begins with. error "": none. */
bool sweep_row_begin(const sweep *s, int run, const char *error, sweep_row *row) {
    char number[32];
    snprintf(number, sizeof number, "%d", run + 1);
    char *folder = sweep_run_path(s, run, "");
    bool good = folder && sweep_row_set(row, "run", number) && sweep_row_set(row, "folder", folder);
    for (int a = 0; a < s->axis_count && good; a++)
        good = sweep_row_set(row, s->axes[a].key, sweep_value(s, run, a));
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
    int number = sweep_step_number(w->recipe, index);
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
    char *folder = sweep_run_path(w->s, run, "");
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
        char *value = sweep_join(bytes, path + size + 1, "");
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
    char *folder = sweep_run_path(s, run, ""), *text = NULL;
    int code = folder ? sweep_recipe_print(recipe, &text) : sweep_no_memory();
    if (code == 0)
        code = sweep_run_folder(folder, text);
    free(text);
    free(folder);
    return code;
}

static int keep_row(const worker *w, int run, const sweep_row *row) {
    sweep_row files = {.count = 0};
    char *path = sweep_run_path(w->s, run, SWEEP_RESULT);
    int code =
        path && list_files(w, run, &files) ? sweep_row_write(path, row, &files) : sweep_no_memory();
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
    rv_status status = sweep_recipe_make(w->ctx, s, run, SWEEP_FOR_RUN, &recipe, why);
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
    const char *error = status == RV_OK ? ""
                        : why[0]        ? why
                                        : sweep_skip_word(rv_context_error(w->ctx));
    double seconds = (double)(cli_now_ms() - begun) / 1000.0;
    if (!sweep_row_begin(s, run, error, row) || (status == RV_OK && !end_row(w, seconds, row)))
        return sweep_no_memory();
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

void sweep_run_tell(const sweep *s, cli_bar *bar, int run) {
    if (s->options->quiet)
        return;
    cli_bar_erase(bar);
    const char *seconds = sweep_row_find(&s->rows[run], "seconds"),
               *error = sweep_row_find(&s->rows[run], "error");
    fprintf(stderr, "run %*d of %d %9.2f s ", s->digits, run + 1, s->runs,
            seconds ? strtod(seconds, NULL) : 0.0);
    for (int a = 0; a < s->axis_count; a++) {
        fprintf(stderr, " %s=", s->axes[a].key);
        cli_put_line(stderr, sweep_value(s, run, a));
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

int sweep_rows_count(const sweep *s) {
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
    int before = sweep_rows_count(s) - s->ended_count;
    while (s->working > 0 || told < s->ended_count) {
        for (; told < s->ended_count; told++)
            sweep_run_tell(s, bar, s->ended[told]);
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
        if (status == RV_OK)
            rv_context_progress_land(w->ctx, false);
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

int sweep_run_all(sweep *s, cli_bar *bar, int jobs, int threads, size_t memory) {
    worker *workers = calloc((size_t)jobs, sizeof *workers);
    if (!workers)
        return sweep_no_memory();
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
