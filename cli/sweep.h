/* sweep.h: one recipe, run with many values of its parameters. */
#ifndef RAVINE_CLI_SWEEP_H
#define RAVINE_CLI_SWEEP_H

#include "cli.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SWEEP_AXES = 16, SWEEP_MOST = RV_SHEET_MOST }; /* parameters that vary, and runs */

/* ---- sweep_values.c: what varies ---- */

/* A parameter and its values: noise.seed=1..3 has 1, 2 and 3. */
typedef struct sweep_axis {
    char *key; /* "noise.seed" */
    char **values;
    int count;
} sweep_axis;

/* Does the word say several values of a parameter of a step? */
bool sweep_varies(const char *word);
/* Not 0: the exit code. */
int sweep_axis_read(const char *word, sweep_axis *out);
void sweep_axis_free(sweep_axis *axis);

/* ---- sweep_files.c: the files of a sweep, beside those that its runs write ---- */

/* What a run has to say, in order: a column of the table each. */
typedef struct sweep_row {
    char **names, **values;
    int count, room;
} sweep_row;

bool sweep_row_set(sweep_row *row, const char *name, const char *value); /* false: memory */
const char *sweep_row_find(const sweep_row *row, const char *name);      /* NULL: it has none */
void sweep_row_free(sweep_row *row);

/* A row as it was kept in a file, and the files of the run, as "BYTES NAME" each. false: there is
 * none, or it is not whole. */
bool sweep_row_read(const char *path, sweep_row *out, sweep_row *files);
/* The names of files begin with "file ". */
int sweep_row_write(const char *path, const sweep_row *row, const sweep_row *files);
int64_t sweep_file_size(const char *path); /* bytes; 0: it is not there */
/* All rows as one table. Rows that are empty are left out. */
int sweep_table_write(const char *path, const sweep_row *rows, int count);

uint64_t sweep_hash(const void *data, size_t size, uint64_t before); /* before: 0 at first */

/* Do the paths name one file? Links are not followed. */
bool sweep_same_file(const char *a, const char *b);

/* Where a sweep writes, and how its own files are known again. */
typedef struct sweep_place {
    char *folder, *table, *sheet; /* OUT, OUT.csv and OUT.png */
    char *text;                   /* what the folder is for */
    char *header;                 /* how its table begins */
} sweep_place;

/* May the sweep have the place? Yes where it had it before, or where nothing of the sort is there,
 * and no sweep runs there. Writes nothing. */
int sweep_folder_check(const sweep_place *place);
/* The same, and makes the folder and locks it until sweep_folder_leave or the end of the program.
 */
int sweep_folder_take(const sweep_place *place, FILE **lock);
void sweep_folder_leave(FILE **lock);
/* Makes the folder of a run, and the file with its recipe. */
int sweep_run_folder(const char *folder, const char *recipe);
bool sweep_run_there(const char *folder);       /* as a folder, not a link to one */
int sweep_sheet_keep(const sweep_place *place); /* the sheet was written */

/* ---- the sweep itself ---- */

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

/* Files in the folder of each run, beside those of the recipe. */
#define SWEEP_THUMBNAIL "thumbnail.png"
#define SWEEP_RESULT "result.txt"

/* ---- sweep_recipe.c: one run as a recipe ---- */

int sweep_no_memory(void); /* says so; the exit code */
/* All texts are from malloc; NULL: no memory. */
char *sweep_join(const char *a, const char *b, const char *c);
int sweep_recipe_print(const rv_recipe *recipe, char **out);
/* "OUT/017", or a file in it. */
char *sweep_run_path(const sweep *s, int run, const char *file);
const char *sweep_value(const sweep *s, int run, int axis);
/* Which of its name a step is, from 1. */
int sweep_step_number(const rv_recipe *recipe, int index);

/* What a recipe is made for: a run; its plan; the plan of what the user gave, without the steps
 * that a sweep adds. */
typedef enum sweep_use { SWEEP_FOR_RUN, SWEEP_FOR_PLAN, SWEEP_FOR_PLAN_BARE } sweep_use;

/* The recipe with the values of a run. After a failure `why` or the context has the sentence. */
rv_status sweep_recipe_make(rv_context *ctx, const sweep *s, int run, sweep_use use,
                            rv_recipe **out, char why[CLI_TEXT]);
/* Without the place of a word that a sweep has added, which nobody typed. */
const char *sweep_skip_word(const char *error);
/* The sentence of a plan with its file as a run has it; free() it. */
char *sweep_place_sentence(const sweep *s, int run, const char *error);

/* Words for rv_recipe_add_words, each from malloc. */
enum { SWEEP_WORDS = 256 };
typedef struct sweep_words {
    char *words[SWEEP_WORDS];
    int count;
    bool full; /* or no memory */
} sweep_words;
void sweep_words_put(sweep_words *list, char *word);
rv_status sweep_words_add(rv_recipe *recipe, sweep_words *list); /* and frees them */

/* ---- sweep_runs.c: the runs ---- */

/* What every row begins with. error "": none. */
bool sweep_row_begin(const sweep *s, int run, const char *error, sweep_row *row);
void sweep_run_tell(const sweep *s, cli_bar *bar, int run);
int sweep_rows_count(const sweep *s); /* runs that have ended */
/* Runs all that have no row yet, `jobs` at a time. Not 0: what cannot go on. */
int sweep_run_all(sweep *s, cli_bar *bar, int jobs, int threads, size_t memory);

#endif
