/* sweep.h: one recipe, run with many values of its parameters. */
#ifndef RAVINE_CLI_SWEEP_H
#define RAVINE_CLI_SWEEP_H

#include "cli.h"

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

#endif
