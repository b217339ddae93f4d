/* cli.h: the parts of the program `ravine`. It stands on <ravine/ravine.h> alone. The program never
 * calls setlocale(), so numbers read and print with a point everywhere. */
#ifndef RAVINE_CLI_H
#define RAVINE_CLI_H

#include <ravine/ravine.h>

#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#ifdef _WIN32 /* where printf alone would mean that of an old C library */
#define CLI_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif
#else
#define CLI_PRINTF(text, first)
#endif

/* ---- options.c: what the command line asks for ---- */

typedef enum cli_page {
    CLI_PAGE_NONE,
    CLI_PAGE_HELP,
    CLI_PAGE_VERSION,
    CLI_PAGE_MAN,
    CLI_PAGE_MARKDOWN,
    CLI_PAGE_COMPLETION,
    CLI_PAGE_WORDS
} cli_page;

typedef struct cli_option {
    const char *name;
    const char *argument; /* NULL: it takes none */
    const char *help;
    cli_page page; /* that it asks for */
} cli_option;

enum { CLI_WITHOUT = 64 };

typedef struct cli_options {
    int threads;   /* 0: one per core */
    size_t memory; /* bytes, 0: the library's own limit */
    int device;    /* as rv_context_use_device() takes it */
    bool quiet, json, dry_run, keep;
    const char *until;                /* the step that is the last to run; NULL: all run */
    const char *without[CLI_WITHOUT]; /* steps that are left out */
    int without_count;
    const char *checkpoint; /* NULL: none */
    double every;           /* seconds */
    const char *csv;        /* the table of a sweep */
    int jobs;               /* runs of a sweep at a time; 0: as many as fit */
    int port;               /* of the studio; 0: any */
    bool no_open;
    cli_page page;
    int count; /* of the words that are no options */
    char **words;
} cli_options;

/* A first word that is not a step. */
typedef struct cli_command {
    const char *name, *usage, *help;
    const char *also; /* words that people have for it, a blank around each */
} cli_command;

extern const cli_command cli_command_table[];
extern const int cli_command_count;
const cli_command *cli_command_find(const char *name); /* NULL: there is none */
/* Where the word is what people call a command, fails with a sentence that names it; else 0. */
int cli_command_meant(const char *word);

extern const cli_option cli_option_table[];
extern const int cli_option_count;

/* Sorts argv into options and words, in place. Not 0: the exit code; the error is printed. */
int cli_options_read(cli_options *options, int argc, char **argv);

/* ---- words.c: what people read and type ---- */

typedef struct cli_exit {
    int code;
    const char *meaning;
} cli_exit;

extern const cli_exit cli_exit_table[];
extern const int cli_exit_count;

int cli_exit_code(rv_status status);

/* Prints one sentence on stderr and returns `code`, for `return cli_fail(...)`. */
int cli_fail(int code, const char *format, ...) CLI_PRINTF(2, 3);

bool cli_colour(FILE *stream);                  /* the same, and nobody set NO_COLOR? */
size_t cli_utf8(const char *text);              /* bytes of the character there, 0: not UTF-8 */
void cli_put_line(FILE *out, const char *text); /* without line breaks and other controls */
int cli_distance(const char *a, const char *b); /* letters to change to get from a to b */
void cli_number(double value, char out[32]);    /* short, as 1e12 */
void cli_bytes(size_t bytes, char out[32]);     /* 12.5 MiB */
void cli_time(double seconds, char out[32]);    /* 40 s, 3 min, 2 h */
int64_t cli_now_ms(void);

/* ---- describe.c: values of parameters in words ---- */

enum { CLI_TEXT = 512 };

void cli_value(const rv_param_info *param, const void *params, char out[CLI_TEXT]);
void *cli_defaults(const rv_word_info *word); /* the params struct; free() it */
const char *cli_fields(const char *fields);   /* "no field", "every field" or names */
const char *cli_type(rv_param_type type);     /* "real", "seed" ... */
const rv_param_info *
cli_bare_file(const rv_word_info *word); /* may stand without its key, or NULL */
void cli_example(const rv_step_info *step, char out[CLI_TEXT]);
bool cli_has_drops(const rv_step_info *step);

/* ---- walk.c: the one walk over the tables, for every page that lists steps or words ---- */

/* Where the walk is. */
typedef struct cli_visit {
    void *user;
    const rv_step_info *step; /* NULL: a word of scenes */
    const rv_word_info *word;
    int index;            /* of the word in this walk */
    const void *defaults; /* its parameter struct */
    const rv_param_info *param;
    int param_index;
    char value[CLI_TEXT]; /* the default as people read it; "": there is none */
    char range[CLI_TEXT]; /* what it may be */
    char text[CLI_TEXT];  /* its help, with the range unless options follow */
} cli_visit;

/* What a page does on the way; NULL: nothing. */
typedef struct cli_writer {
    void (*word)(const cli_visit *at);  /* before its parameters */
    void (*param)(const cli_visit *at); /* before its options */
    void (*option)(const cli_visit *at, const rv_option_info *option);
    void (*param_end)(const cli_visit *at);
    void (*word_end)(const cli_visit *at);
    void *user;
} cli_writer;

void cli_walk_step(const rv_step_info *step, const cli_writer *writer);
void cli_walk_steps(const cli_writer *writer);
void cli_walk_kind(rv_step_kind kind, const cli_writer *writer); /* the steps of one kind */
void cli_walk_scene(const cli_writer *writer);

/* ---- devices.c ---- */

int cli_devices(rv_context *ctx, const cli_options *options);

/* ---- help.c, pages.c, help_json.c, completion.c, complete.c: all on standard output ---- */

void cli_usage(FILE *out);
int cli_help(int count, char **steps); /* none: the overview; "scene": the words of scenes */
void cli_man(void);
void cli_markdown(void);
void cli_scene_markdown(void);
void cli_help_json(void);
extern const char *const cli_shells[];      /* that completion knows, up to NULL */
int cli_completion(const char *shell);      /* the script; returns the exit code */
void cli_complete(int count, char **words); /* what the last word can become, one a line */
void cli_words(void);

/* ---- bar.c: how far the step is, on a terminal ---- */

typedef struct cli_bar {
    bool on, colour, drawn;
    const char *step;
    int number, count; /* of the step among those of the recipe; 0: not told */
    int64_t begun_ms;
    double from;    /* how much was done then; below 0: not known yet */
    char line[256]; /* as drawn */
    int columns;
} cli_bar;

void cli_bar_begin(cli_bar *bar, const char *step);
void cli_bar_show(cli_bar *bar, double done);
void cli_bar_erase(cli_bar *bar);

/* ---- list.c ---- */

int cli_preset(const char *name); /* the recipe of that name that comes with Ravine; -1: none */
void cli_list(void);              /* `ravine list` */

/* ---- json.c ---- */

void cli_json_text(FILE *out, const char *text);
void cli_json_real(FILE *out, double value);
void cli_json_float(FILE *out, float value);
void cli_json_value(FILE *out, const rv_param_info *param, const void *params);
void cli_json_params(FILE *out, const rv_word_info *word, const void *params);

/* ---- report.c: what each step did, or would do ---- */

enum { CLI_LAYERS = 16 }; /* that lines for people speak of; JSON knows all */

/* What all turns of a step did together. */
typedef struct cli_turns {
    rv_report report;
    rv_ledger layers[CLI_LAYERS];
} cli_turns;

typedef struct cli_made cli_made;

typedef struct cli_run {
    const cli_options *options;
    cli_bar bar;
    char *messages; /* of the running step, each with its zero byte */
    size_t size, room;
    bool repeats;        /* the recipe has some: the bar shows the whole of it */
    cli_turns *repeated; /* of each step of the recipe */
    int repeated_count;
    const rv_scene *scene;
    int steps;        /* of the recipe */
    bool headed;      /* the table of frames has its head */
    bool kept;        /* the first Ctrl-C of --keep has come */
    char stopped[32]; /* the step that it came in; "": it came between steps */
    bool broken;      /* standard output */
    cli_made *made;   /* files */
    size_t made_count, made_room, made_told;
} cli_run;

void cli_report_message(void *run, const char *line);          /* rv_log_fn */
void cli_report_before(void *run, int index, rv_step_id step); /* of rv_watch */
void cli_report_after(void *run, int index, const rv_report *report);
void cli_report_rest(cli_run *run); /* messages that no step has told */
/* seconds: of each step, and all of them; NaN: nobody can say. */
void cli_report_plan(const cli_options *options, const rv_recipe *recipe, const rv_plan *plans,
                     size_t peak, size_t limit, const double *seconds, double all);

/* ---- estimate.c ---- */

/* Seconds that a recipe will take on an idle machine, and each of its steps, in all turns. NaN:
 * nobody can say. */
double cli_estimate(const rv_recipe *recipe, const rv_plan *plans, int threads, double *seconds);

/* ---- made.c: the files of a run ---- */

void cli_made_add(void *run, const char *path, uint64_t bytes); /* rv_made_fn */
void cli_made_tell(cli_run *run);
void cli_made_json(cli_run *run, FILE *out); /* those that were not told yet */
void cli_made_free(cli_run *run);

/* ---- solid.c: meshes ---- */

/* `solid from-terrain ...` becomes the words of a recipe. Not 0: the exit code. */
int cli_solid_words(cli_options *options);
/* `solid check FILE`. Returns the exit code, unless *status says that the library failed. */
int cli_solid_check(rv_context *ctx, const cli_options *options, rv_status *status);

/* ---- scene.c: water that wears meshes ---- */

/* `scene NAME|FILE ...`, and the rest of one that was saved. Return the exit code, unless *status
 * says that the library failed. */
int cli_scene(rv_context *ctx, cli_run *run, rv_status *status);
int cli_scene_resume(rv_context *ctx, cli_run *run, const char *file, rv_status *status);

/* ---- studio/: the page and its server ---- */

int cli_studio(const cli_options *options); /* returns the exit code */

/* ---- sweep.c: one recipe with many values ---- */

int cli_sweep(rv_context *ctx, cli_run *run); /* the exit code */

/* ---- main.c ---- */

/* What the words say: a file or a name, and more steps. Not 0: the exit code. */
int cli_recipe_build(rv_context *ctx, const cli_options *options, rv_recipe **recipe);
int cli_read_input(char **out); /* standard input as text; free() it. Not 0: the exit code */
bool cli_file_exists(const char *name);

/* ---- console.c ---- */

/* First of all: words in UTF-8, and bytes that are read and written as they are. */
void cli_console_begin(int *argc, char ***argv);
bool cli_terminal(FILE *stream);             /* one that can move its cursor? */
int cli_columns(void);                       /* of the terminal that messages go to; 0: unknown */
const char *cli_path_name(const char *path); /* the last name of a path */

/* Locks an open file until it is closed. false: a living program has the lock. Where there are no
 * locks: true. */
bool cli_lock(FILE *file);

/* ---- interrupt.c ---- */

void cli_interrupt_watch(bool keep); /* keep: the first Ctrl-C is told by cli_interrupt_kept */
bool cli_interrupt_kept(void);
void cli_interrupt_hold(bool on); /* those of this thread wait; for the time that others begin */
int cli_interrupt_caught(void);   /* the signal that asked to stop, 0: none */

#endif
