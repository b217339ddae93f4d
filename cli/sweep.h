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

/* A row as it was kept in a file. false: there is none, or it is not whole. */
bool sweep_row_read(const char *path, sweep_row *out);
int sweep_row_write(const char *path, const sweep_row *row);
int64_t sweep_file_size(const char *path); /* bytes; 0: it is not there */
/* All rows as one table. Rows that are empty are left out. */
int sweep_table_write(const char *path, const sweep_row *rows, int count);

/* May the sweep that `text` describes have the folder, the table and the sheet? Yes where it had
 * them before, or where nothing of the sort is there. Writes nothing. */
int sweep_folder_check(const char *folder, const char *table, const char *sheet, const char *text);
/* Makes the folder, with a note of what it is for; one that was checked may be there. */
int sweep_folder_make(const char *folder, const char *text);
/* Makes the folder of a run, and the file with its recipe. */
int sweep_run_folder(const char *folder, const char *recipe);

#endif
