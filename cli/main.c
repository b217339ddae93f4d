/* main.c: the program `ravine`. Words to a recipe, the recipe to a run, the result to an exit code.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file must never get the number of a closed standard stream: messages would land in it. What
 * takes its place cannot be written, so that nothing gets lost unseen. */
static void fill_streams(void) {
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static int finish_output(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    return cli_fail(code ? code : 4, "Standard output cannot be written: %s.", strerror(errno));
}

static int fail_status(const rv_context *ctx, rv_status status) {
    return cli_fail(cli_exit_code(status), "%s", rv_context_error(ctx));
}

/* ---- words to a recipe ---- */

int cli_read_input(char **out) {
    size_t size = 0, room = 1 << 16, got;
    char *text = malloc(room);
    while (text && (got = fread(text + size, 1, room - size - 1, stdin)) > 0) {
        size += got;
        if (room - size > 1)
            continue;
        char *larger = realloc(text, room *= 2);
        if (!larger)
            free(text);
        text = larger;
    }
    *out = text;
    if (!text)
        return cli_fail(5, "Standard input does not fit into memory.");
    text[size] = '\0';
    if (ferror(stdin))
        return cli_fail(3, "Standard input cannot be read: %s.", strerror(errno));
    bool wide = size >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
    if (strlen(text) != size)
        return cli_fail(3, wide ? "Standard input is UTF-16 text; it must be UTF-8."
                                : "Standard input contains a zero byte, so it is not a recipe.");
    return 0;
}

static int parse_input(rv_context *ctx, rv_recipe **recipe) {
    char *text;
    int code = cli_read_input(&text);
    rv_status status = RV_OK;
    if (code == 0)
        status = rv_recipe_parse(ctx, text, "standard input", recipe);
    free(text);
    return status == RV_OK ? code : fail_status(ctx, status);
}

bool cli_file_exists(const char *name) {
    struct stat info;
    return stat(name, &info) == 0;
}

static bool is_recipe_file(const char *word) {
    size_t size = strlen(word);
    if (size > 3 && strcmp(word + size - 3, ".rv") == 0)
        return true;
    return !rv_step_find(word) && cli_preset(word) < 0 && cli_file_exists(word);
}

/* --without and --until. */
static rv_status leave_out(const cli_options *options, rv_recipe *recipe) {
    rv_status status = RV_OK;
    for (int i = 0; i < options->without_count && status == RV_OK; i++)
        status = rv_recipe_remove(recipe, options->without[i]);
    if (options->until && status == RV_OK)
        status = rv_recipe_end_after(recipe, options->until);
    return status;
}

int cli_recipe_build(rv_context *ctx, const cli_options *options, rv_recipe **recipe) {
    const char *first = options->words[0];
    bool from_file = is_recipe_file(first), from_input = strcmp(first, "-") == 0;
    int preset = from_file || from_input ? -1 : cli_preset(first);
    int skip = from_file || from_input || preset >= 0 ? 1 : 0, code = 0;
    rv_status status = RV_OK;
    *recipe = NULL;
    if (skip == 0 && !rv_step_find(first) && (code = cli_command_meant(first)) != 0)
        return code;
    if (from_input)
        code = parse_input(ctx, recipe);
    else if (from_file)
        status = rv_recipe_load(ctx, first, recipe);
    else if (preset >= 0)
        status = rv_recipe_parse(ctx, rv_recipe_preset_text(preset), first, recipe);
    else
        status = rv_recipe_parse(ctx, "", "command line", recipe);
    if (code != 0)
        return code;
    /* Steps that are left out are those of a file, where there is one: others can follow. */
    if (status == RV_OK && skip == 1)
        status = leave_out(options, *recipe);
    if (status == RV_OK)
        status = rv_recipe_add_words(*recipe, options->count - skip,
                                     (const char *const *)options->words + skip);
    if (status == RV_OK && skip == 0)
        status = leave_out(options, *recipe);
    if (status != RV_OK)
        return fail_status(ctx, status);
    if (rv_recipe_count(*recipe) == 0)
        return cli_fail(2, "%.200s contains no steps; `ravine help` lists all steps.",
                        from_input ? "Standard input" : first);
    return 0;
}

/* ---- a recipe to a run ---- */

static int plan_recipe(rv_context *ctx, cli_run *run, const rv_recipe *recipe) {
    const cli_options *options = run->options;
    size_t peak = 0, limit = rv_context_memory_limit(ctx);
    rv_plan *plans = calloc((size_t)rv_recipe_count(recipe), sizeof *plans);
    if (!plans)
        return cli_fail(5, "There is not enough memory for the plan.");
    rv_status status = RV_OK;
    if (options->checkpoint)
        status = rv_recipe_check_checkpoint(recipe, options->checkpoint);
    if (status == RV_OK || status == RV_ERROR_MEMORY) /* which the plan finds, too */
        status = rv_recipe_plan(recipe, plans);
    bool complete = true; /* also where it is over the limit */
    for (int i = 0; i < rv_recipe_count(recipe); i++) {
        complete = complete && plans[i].memory > 0;
        peak = plans[i].memory > peak ? plans[i].memory : peak;
    }
    double *seconds = calloc((size_t)rv_recipe_count(recipe), sizeof *seconds), all = NAN;
    if (seconds && status == RV_OK && !options->quiet)
        all = cli_estimate(recipe, plans, rv_context_threads(ctx), seconds);
    if (complete)
        cli_report_plan(options, recipe, plans, peak, limit, seconds, all);
    cli_report_rest(run);
    free(seconds);
    free(plans);
    return status != RV_OK ? fail_status(ctx, status) : finish_output(0);
}

static bool on_progress(void *user, const rv_progress *now) {
    cli_run *run = user;
    if (cli_interrupt_caught() || run->broken)
        return false;
    if (cli_interrupt_kept() && !run->kept) {
        run->kept = true;
        return false;
    }
    cli_bar_show(&run->bar, run->repeats ? now->total : now->done);
    return true;
}

/* After a run that did not come to its end: how to go on. */
static void tell_resume(const cli_options *options) {
    const char *file = options->checkpoint;
    if (file && cli_file_exists(file) && !options->quiet && !options->json)
        fprintf(stderr, "To go on from the last checkpoint: ravine resume %s\n", file);
}

static void tell_kept(const cli_run *run) {
    if (run->options->quiet || run->options->json)
        return;
    fprintf(stderr, "Stopped%s%s; the land was kept as it stood.\n",
            run->stopped[0] ? " in " : " between two steps", run->stopped);
    tell_resume(run->options);
}

/* Runs a recipe, or goes on with the one of a checkpoint when there is none. */
static int run_recipe(rv_context *ctx, cli_run *run, const rv_recipe *recipe, const char *saved) {
    rv_watch watch = {.before = cli_report_before,
                      .after = cli_report_after,
                      .user = run,
                      .checkpoint = run->options->checkpoint,
                      .every = run->options->every,
                      .keep = run->options->keep,
                      .no_hash = !run->options->json};
    run->steps = recipe ? rv_recipe_count(recipe) : 0;
    for (int i = 0; recipe && i < rv_recipe_count(recipe); i++)
        run->repeats |= rv_recipe_step(recipe, i) == RV_STEP_repeat;
    cli_interrupt_watch(run->options->keep);
    rv_status status =
        recipe ? rv_recipe_run(recipe, &watch, NULL) : rv_recipe_resume(ctx, saved, &watch, NULL);
    cli_bar_erase(&run->bar);
    if (status == RV_OK)
        cli_report_rest(run);
    if (run->broken)
        return finish_output(4);
    if (status == RV_OK && run->kept)
        tell_kept(run);
    if (status == RV_OK)
        return finish_output(0);
    int code = fail_status(ctx, status);
    if (status == RV_CANCELLED || run->bar.step) /* else nothing was begun */
        tell_resume(run->options);
    return code;
}

/* How a scene ended. */
static int end_scene(const rv_context *ctx, const cli_run *run, int code, rv_status status) {
    if (run->broken)
        return finish_output(4);
    if (status == RV_OK)
        return finish_output(code);
    code = fail_status(ctx, status);
    if (status == RV_CANCELLED)
        tell_resume(run->options);
    return code;
}

static int run_scene(rv_context *ctx, cli_run *run) {
    rv_status status;
    int code = cli_scene(ctx, run, &status);
    return end_scene(ctx, run, code, status);
}

/* `ravine resume FILE` goes on saving to FILE. */
static int resume_run(rv_context *ctx, cli_options *options, cli_run *run) {
    if (options->count != 2 || options->dry_run || options->until || options->without_count > 0)
        return cli_fail(2, "resume takes one file, the checkpoint, and no steps; it runs all that "
                           "are left.");
    if (!options->checkpoint)
        options->checkpoint = options->words[1];
    if (rv_scene_is_checkpoint(ctx, options->words[1])) {
        rv_status status;
        int code = cli_scene_resume(ctx, run, options->words[1], &status);
        return end_scene(ctx, run, code, status);
    }
    return run_recipe(ctx, run, NULL, options->words[1]);
}

static int check_solid(rv_context *ctx, const cli_options *options, cli_run *run) {
    rv_status status;
    cli_interrupt_watch(false);
    cli_bar_begin(&run->bar, "check");
    int code = cli_solid_check(ctx, options, &status);
    cli_bar_erase(&run->bar);
    return status != RV_OK ? fail_status(ctx, status) : finish_output(code);
}

static int run_words(cli_options *options) {
    cli_run run = {.options = options};
    run.bar.colour = cli_colour(stderr);
    run.bar.on = !options->quiet && !options->json && cli_terminal(stderr);
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = options->threads;
    desc.memory_limit = options->memory;
    desc.log = cli_report_message;
    desc.progress = on_progress;
    desc.made = cli_made_add;
    desc.user = &run;
    rv_context *ctx;
    rv_status status = rv_context_create(&desc, &ctx);
    if (status != RV_OK)
        return cli_fail(cli_exit_code(status), "Ravine cannot start: %s.", rv_status_text(status));
    rv_context_progress_land(ctx, false);
    rv_recipe *recipe = NULL;
    int code;
    if (options->device != RV_DEVICE_CPU)
        status = rv_context_use_device(ctx, options->device);
    if (status == RV_OK)
        rv_context_device_limit(ctx, options->device_memory);
    if (status != RV_OK) {
        code = fail_status(ctx, status);
    } else if (strcmp(options->words[0], "devices") == 0) {
        code = finish_output(cli_devices(ctx, options));
    } else if (strcmp(options->words[0], "resume") == 0) {
        code = resume_run(ctx, options, &run);
    } else if (strcmp(options->words[0], "solid") == 0) {
        code = check_solid(ctx, options, &run);
    } else if (strcmp(options->words[0], "scene") == 0) {
        code = run_scene(ctx, &run);
    } else if (strcmp(options->words[0], "sweep") == 0) {
        cli_interrupt_watch(false);
        code = finish_output(cli_sweep(ctx, &run));
    } else {
        code = cli_recipe_build(ctx, options, &recipe);
        if (code == 0)
            code = options->dry_run ? plan_recipe(ctx, &run, recipe)
                                    : run_recipe(ctx, &run, recipe, NULL);
    }
    rv_recipe_destroy(recipe);
    cli_made_tell(&run);
    cli_made_free(&run);
    free(run.repeated);
    rv_context_destroy(ctx);
    free(run.messages);
    return code;
}

static int show_page(const cli_options *options, bool asked) {
    switch (options->page) {
    case CLI_PAGE_VERSION:
        printf("ravine %s\n", rv_version());
        break;
    case CLI_PAGE_MAN:
        cli_man();
        break;
    case CLI_PAGE_MARKDOWN:
        if (asked && options->count == 2 && strcmp(options->words[1], "scene") == 0)
            cli_scene_markdown();
        else
            cli_markdown();
        break;
    case CLI_PAGE_COMPLETION:
        return finish_output(
            cli_completion(asked && options->count > 1 ? options->words[1] : "bash"));
    case CLI_PAGE_WORDS:
        cli_words();
        break;
    case CLI_PAGE_NONE:
    case CLI_PAGE_HELP:
        if (options->json) {
            cli_help_json();
            break;
        }
        if (!asked && options->count > 0 && !rv_step_find(options->words[0]) &&
            strcmp(options->words[0], "scene") != 0)
            return finish_output(cli_help(0, NULL));
        return finish_output(asked ? cli_help(options->count - 1, options->words + 1)
                                   : cli_help(options->count > 0, options->words));
    }
    return finish_output(0);
}

static int list_presets(const cli_options *options) {
    if (options->count > 1)
        return cli_fail(2, "list takes no words.");
    cli_list();
    return finish_output(0);
}

int main(int argc, char **argv) {
    cli_console_begin(&argc, &argv);
    fill_streams();
    if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
        cli_complete(argc - 2, argv + 2);
        return finish_output(0);
    }
    cli_options options;
    int code = cli_options_read(&options, argc, argv);
    if (code != 0)
        return code;
    bool asked = options.count > 0 && strcmp(options.words[0], "help") == 0;
    if (asked || options.page != CLI_PAGE_NONE)
        return show_page(&options, asked);
    if (options.count == 0) {
        cli_usage(stderr);
        return 2;
    }
    if ((options.csv || options.jobs) && strcmp(options.words[0], "sweep") != 0)
        return cli_fail(2, "%s is for `ravine sweep`.", options.csv ? "--csv" : "--jobs");
    if (strcmp(options.words[0], "list") == 0)
        code = list_presets(&options);
    else if (strcmp(options.words[0], "studio") == 0)
        code = finish_output(cli_studio(&options));
    else if ((code = cli_solid_words(&options)) == 0)
        code = run_words(&options);
    return code;
}
