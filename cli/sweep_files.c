/* sweep_files.c: the files of a sweep, beside those that its runs write: a note in its folder that
 * says whose the folder is, the recipe and the result of each run, and the table. Each appears
 * whole or not at all. */
#include "sweep.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char note_name[] = "sweep.txt", recipe_name[] = "recipe.rv";

/* ---- whole files ---- */

static char *path_in(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* As text; NULL: it cannot be read. */
static char *read_whole(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0, got = 1;
    while (file && got > 0) {
        char *larger = realloc(text, room = 2 * room + 4096);
        if (!larger)
            break;
        text = larger;
        got = fread(text + size, 1, room - size - 1, file);
        size += got;
    }
    if (file && text && got == 0 && !ferror(file)) {
        text[size] = '\0';
    } else {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

static int not_written(const char *path) {
    return cli_fail(4, "%.200s: cannot be written: %s.", path, strerror(errno));
}

/* A file under another name that takes its own once all is written. */
static FILE *begin_file(const char *path, char **hidden) {
    size_t size = strlen(path) + 2;
    *hidden = malloc(size);
    if (!*hidden)
        return NULL;
    snprintf(*hidden, size, "%s~", path);
    return fopen(*hidden, "wb");
}

static int end_file(FILE *file, char *hidden, const char *path) {
    bool good = file && fflush(file) == 0 && fsync(fileno(file)) == 0 && !ferror(file);
    if (file)
        good = fclose(file) == 0 && good;
    int code = good && rename(hidden, path) == 0 ? 0 : not_written(path);
    if (code != 0 && hidden)
        remove(hidden);
    free(hidden);
    return code;
}

static int write_text(const char *path, const char *text) {
    char *hidden;
    FILE *file = begin_file(path, &hidden);
    if (file)
        fputs(text, file);
    return end_file(file, hidden, path);
}

int64_t sweep_file_size(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
}

/* ---- rows ---- */

bool sweep_row_set(sweep_row *row, const char *name, const char *value) {
    for (int i = 0; i < row->count; i++)
        if (strcmp(row->names[i], name) == 0) {
            char *copy = strdup(value);
            if (!copy)
                return false;
            free(row->values[i]);
            row->values[i] = copy;
            return true;
        }
    if (row->count == row->room) {
        int room = 2 * row->room + 16;
        char **names = realloc(row->names, (size_t)room * sizeof *names);
        row->names = names ? names : row->names;
        char **values = realloc(row->values, (size_t)room * sizeof *values);
        row->values = values ? values : row->values;
        if (!names || !values)
            return false;
        row->room = room;
    }
    char *a = strdup(name), *b = strdup(value);
    if (!a || !b) {
        free(a);
        free(b);
        return false;
    }
    row->names[row->count] = a;
    row->values[row->count++] = b;
    return true;
}

const char *sweep_row_find(const sweep_row *row, const char *name) {
    for (int i = 0; i < row->count; i++)
        if (strcmp(row->names[i], name) == 0)
            return row->values[i];
    return NULL;
}

void sweep_row_free(sweep_row *row) {
    for (int i = 0; i < row->count; i++) {
        free(row->names[i]);
        free(row->values[i]);
    }
    free(row->names);
    free(row->values);
    *row = (sweep_row){.count = 0};
}

/* NAME=VALUE on a line each; no name has '=' in it. */
bool sweep_row_read(const char *path, sweep_row *out) {
    *out = (sweep_row){.count = 0};
    char *text = read_whole(path);
    bool good = text != NULL;
    for (char *line = text; good && *line;) {
        size_t size = strcspn(line, "\n"), equals = strcspn(line, "=");
        good = line[size] == '\n' && equals < size;
        line[good ? size : 0] = '\0';
        line[good ? equals : 0] = '\0';
        good = good && sweep_row_set(out, line, line + equals + 1);
        line += size + 1;
    }
    free(text);
    if (!good)
        sweep_row_free(out);
    return good && out->count > 0;
}

int sweep_row_write(const char *path, const sweep_row *row) {
    char *hidden;
    FILE *file = begin_file(path, &hidden);
    for (int i = 0; file && i < row->count; i++) {
        fprintf(file, "%s=", row->names[i]);
        cli_put_line(file, row->values[i]);
        fputc('\n', file);
    }
    return end_file(file, hidden, path);
}

/* ---- the table ---- */

/* RFC 4180: quotes around what has a comma or a quote in it. */
static void put_cell(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_table(FILE *out, const sweep_row *columns, const sweep_row *rows, int count) {
    for (int c = 0; c < columns->count; c++) {
        fputs(c > 0 ? "," : "", out);
        put_cell(out, columns->names[c]);
    }
    fputc('\n', out);
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < columns->count && rows[i].count > 0; c++) {
            /* Most rows have all columns, in their order. */
            bool same = c < rows[i].count && strcmp(rows[i].names[c], columns->names[c]) == 0;
            const char *value =
                same ? rows[i].values[c] : sweep_row_find(&rows[i], columns->names[c]);
            fputs(c > 0 ? "," : "", out);
            put_cell(out, value ? value : "");
        }
        if (rows[i].count > 0)
            fputc('\n', out);
    }
}

int sweep_table_write(const char *path, const sweep_row *rows, int count) {
    sweep_row columns = {.count = 0};
    bool good = true;
    for (int i = 0; i < count && good; i++)
        for (int c = 0; c < rows[i].count && good; c++) {
            bool same = c < columns.count && strcmp(rows[i].names[c], columns.names[c]) == 0;
            if (!same && !sweep_row_find(&columns, rows[i].names[c]))
                good = sweep_row_set(&columns, rows[i].names[c], "");
        }
    char *hidden = NULL;
    FILE *file = good ? begin_file(path, &hidden) : NULL;
    if (file)
        put_table(file, &columns, rows, count);
    sweep_row_free(&columns);
    return good ? end_file(file, hidden, path) : cli_fail(5, "There is not enough memory.");
}

/* ---- folders ---- */

/* A note that was not finished does not count. */
static bool is_empty(const char *folder) {
    DIR *dir = opendir(folder);
    bool empty = dir != NULL;
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                          strcmp(entry->d_name, "sweep.txt~") == 0);
    if (dir)
        closedir(dir);
    return empty;
}

int sweep_folder_check(const char *folder, const char *table, const char *sheet, const char *text) {
    char *note = path_in(folder, note_name), *old = note ? read_whole(note) : NULL;
    bool mine = old && strcmp(old, text) == 0, other = old && !mine;
    free(old);
    free(note);
    if (mine)
        return 0;
    if (other)
        return cli_fail(2, "%.200s holds another sweep; name another table with --csv.", folder);
    if (cli_file_exists(folder) && !is_empty(folder))
        return cli_fail(
            2, "%.200s is there already and holds no sweep; name another table with --csv.",
            folder);
    if (cli_file_exists(table) || cli_file_exists(sheet))
        return cli_fail(
            2, "%.200s is there already and is of no sweep; name another table with --csv.",
            cli_file_exists(table) ? table : sheet);
    return 0;
}

static int make_folder(const char *folder) {
    return mkdir(folder, 0777) == 0 || errno == EEXIST ? 0 : not_written(folder);
}

static int make_with(const char *folder, const char *name, const char *text) {
    int code = make_folder(folder);
    char *path = code == 0 ? path_in(folder, name) : NULL;
    if (path)
        code = write_text(path, text);
    else if (code == 0)
        code = cli_fail(5, "There is not enough memory.");
    free(path);
    return code;
}

int sweep_folder_make(const char *folder, const char *text) {
    return make_with(folder, note_name, text);
}

int sweep_run_folder(const char *folder, const char *recipe) {
    return make_with(folder, recipe_name, recipe);
}
