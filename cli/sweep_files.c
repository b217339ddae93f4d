/* sweep_files.c: the files of a sweep, beside those that its runs write: a note in its folder that
 * says whose the folder is, and that is locked while a sweep runs there; the recipe and the result
 * of each run, and the table. Each but the note appears whole or not at all. */
#include "sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char note_name[] = "sweep.txt", sheet_note[] = "sheet.txt";
static const char recipe_name[] = "recipe.rv";

/* ---- whole files ---- */

static char *path_in(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* The rest of it as text; NULL: it cannot be read. */
static char *read_rest(FILE *file) {
    char *text = NULL;
    size_t size = 0, room = 0, got = 1;
    while (got > 0) {
        char *larger = realloc(text, room = 2 * room + 4096);
        if (!larger)
            break;
        text = larger;
        got = fread(text + size, 1, room - size - 1, file);
        size += got;
    }
    if (text && got == 0 && !ferror(file)) {
        text[size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

static char *read_whole(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = file ? read_rest(file) : NULL;
    if (file)
        fclose(file);
    return text;
}

uint64_t sweep_hash(const void *data, size_t size, uint64_t before) { /* FNV-1a */
    const unsigned char *at = data;
    uint64_t hash = before ^ 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

/* Also as a link that leads nowhere. */
static bool is_there(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

static bool is_plain(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static int not_written(const char *path) {
    return cli_fail(4, "%.200s: cannot be written: %s.", path, strerror(errno));
}

/* The name of a file until all of it is written. Only a sweep makes such a name, and only the one
 * that has the lock of its folder. */
static char *hidden_name(const char *path) {
    enum { MARK = 24 };
    const char *name = cli_path_name(path);
    size_t size = strlen(name), kept = size < NAME_MAX - MARK ? size : NAME_MAX - MARK;
    size_t head = (size_t)(name - path) + kept, room = head + MARK + 1;
    char *hidden = malloc(room);
    if (hidden)
        snprintf(hidden, room, "%.*s.sweep%016llx~", (int)head, path,
                 (unsigned long long)sweep_hash(name, size, 1));
    return hidden;
}

/* A new file: neither over one that is there nor through a link. */
static FILE *create_file(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

/* A file under another name that takes its own once all is written. */
static FILE *begin_file(const char *path, char **hidden) {
    *hidden = hidden_name(path);
    if (!*hidden)
        return NULL;
    FILE *file = create_file(*hidden);
    if (!file && errno == EEXIST && is_plain(*hidden) && remove(*hidden) == 0)
        file = create_file(*hidden); /* there was one of a sweep that was killed */
    if (!file) {
        free(*hidden);
        *hidden = NULL;
    }
    return file;
}

static int end_file(FILE *file, char *hidden, const char *path) {
    bool good = file && fflush(file) == 0 && fsync(fileno(file)) == 0 && !ferror(file);
    if (file)
        good = fclose(file) == 0 && good;
    int code = good && rename(hidden, path) == 0 ? 0 : not_written(path);
    if (code != 0 && file)
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

/* ---- paths ---- */

#ifdef _WIN32
enum { ON_WINDOWS = 1 };
#else
enum { ON_WINDOWS = 0 };
#endif

static bool is_slash(char c) {
    return c == '/' || (ON_WINDOWS && c == '\\');
}

/* Appends the names of a path to those of `out`, each with a / before it. */
static void add_names(const char *path, char out[PATH_MAX * 2]) {
    for (const char *at = path; *at;) {
        size_t size = 0, end = strlen(out);
        while (at[size] && !is_slash(at[size]))
            size++;
        if (size == 2 && at[0] == '.' && at[1] == '.')
            out[strrchr(out, '/') ? (size_t)(strrchr(out, '/') - out) : 0] = '\0';
        else if (size > 0 && !(size == 1 && at[0] == '.') && end + size + 2 < PATH_MAX * 2)
            snprintf(out + end, PATH_MAX * 2 - end, "/%.*s", (int)size, at);
        at += size;
        while (is_slash(*at))
            at++;
    }
}

static void whole_path(const char *path, char out[PATH_MAX * 2]) {
    char folder[PATH_MAX];
    out[0] = '\0';
    bool whole = is_slash(path[0]) || (ON_WINDOWS && path[0] && path[1] == ':');
    if (!whole && getcwd(folder, sizeof folder))
        add_names(folder, out);
    add_names(path, out);
}

bool sweep_same_file(const char *a, const char *b) {
    char whole_a[PATH_MAX * 2], whole_b[PATH_MAX * 2];
    if (strcmp(a, b) == 0)
        return true;
    whole_path(a, whole_a);
    whole_path(b, whole_b);
    return strcmp(whole_a, whole_b) == 0;
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
bool sweep_row_read(const char *path, sweep_row *out, sweep_row *files) {
    *out = *files = (sweep_row){.count = 0};
    char *text = read_whole(path);
    bool good = text != NULL;
    for (char *line = text; good && *line;) {
        size_t size = strcspn(line, "\n"), equals = strcspn(line, "=");
        good = line[size] == '\n' && equals < size;
        line[good ? size : 0] = '\0';
        line[good ? equals : 0] = '\0';
        bool file = strncmp(line, "file ", 5) == 0;
        good = good && sweep_row_set(file ? files : out, line, line + equals + 1);
        line += size + 1;
    }
    free(text);
    if (good && out->count > 0)
        return true;
    sweep_row_free(out);
    sweep_row_free(files);
    return false;
}

static void put_row(FILE *out, const sweep_row *row) {
    for (int i = 0; i < row->count; i++) {
        fprintf(out, "%s=", row->names[i]);
        cli_put_line(out, row->values[i]);
        fputc('\n', out);
    }
}

int sweep_row_write(const char *path, const sweep_row *row, const sweep_row *files) {
    char *hidden;
    FILE *file = begin_file(path, &hidden);
    if (file) {
        put_row(file, row);
        put_row(file, files);
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

/* But for the note of a sweep. */
static bool is_empty(const char *folder) {
    DIR *dir = opendir(folder);
    bool empty = dir != NULL;
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                          strcmp(entry->d_name, note_name) == 0);
    if (dir)
        closedir(dir);
    return empty;
}

/* What tells a file from others of its name. "": it cannot be read. */
static void mark_file(const char *path, char out[48]) {
    unsigned char part[4096];
    uint64_t hash = 0, size = 0;
    FILE *file = fopen(path, "rb");
    out[0] = '\0';
    if (!file)
        return;
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0; size += got)
        hash = sweep_hash(part, got, hash);
    if (!ferror(file))
        snprintf(out, 48, "%llu %016llx\n", (unsigned long long)size, (unsigned long long)hash);
    fclose(file);
}

static bool is_sheet(const sweep_place *place) {
    char mark[48], *path = path_in(place->folder, sheet_note),
                   *old = path ? read_whole(path) : NULL;
    mark_file(place->sheet, mark);
    bool same = old && is_plain(place->sheet) && strcmp(old, mark) == 0;
    free(old);
    free(path);
    return same;
}

static bool is_table(const sweep_place *place) {
    size_t size = strlen(place->header);
    char *old = is_plain(place->table) ? read_whole(place->table) : NULL;
    bool same = old && strncmp(old, place->header, size) == 0 && strchr(",\n", old[size]);
    free(old);
    return same;
}

/* old: the note that is there, NULL: none. One that is not whole is of a sweep that was killed
 * before it made anything. */
static int judge(const sweep_place *place, const char *old) {
    bool mine = old && strcmp(old, place->text) == 0;
    if (old && !mine && strncmp(old, place->text, strlen(old)) != 0)
        return cli_fail(2, "%.200s holds another sweep; name another table with --csv.",
                        place->folder);
    if (!mine && is_there(place->folder) && !is_empty(place->folder))
        return cli_fail(
            2, "%.200s is there already and holds no sweep; name another table with --csv.",
            place->folder);
    bool table = is_there(place->table) && !(mine && is_table(place)),
         sheet = is_there(place->sheet) && !(mine && is_sheet(place));
    if (table || sheet)
        return cli_fail(
            2, "%.200s is there already and is of %s sweep; name another table with --csv.",
            table ? place->table : place->sheet, mine ? "another" : "no");
    return 0;
}

static int is_running(const char *folder) {
    return cli_fail(2, "Another sweep runs in %.200s.", folder);
}

int sweep_folder_check(const sweep_place *place) {
    char *note = path_in(place->folder, note_name);
    if (!note)
        return cli_fail(5, "There is not enough memory.");
    FILE *file = is_plain(note) ? fopen(note, "rb") : NULL;
    bool free_of_others = !file || cli_lock(file);
    char *old = file ? read_rest(file) : NULL;
    int code = free_of_others ? judge(place, old) : is_running(place->folder);
    if (file)
        fclose(file);
    free(old);
    free(note);
    return code;
}

static bool is_folder(const char *path, bool follow) {
    struct stat info;
    return (follow ? stat(path, &info) : lstat(path, &info)) == 0 && S_ISDIR(info.st_mode);
}

bool sweep_run_there(const char *folder) {
    return is_folder(folder, false);
}

static int make_folder(const char *folder, bool follow) {
    if (mkdir(folder, 0777) == 0 || (errno == EEXIST && is_folder(folder, follow)))
        return 0;
    if (errno != EEXIST)
        return not_written(folder);
    return cli_fail(4, "%.200s: is no folder of the sweep, and was not changed.", folder);
}

/* The note is written in place: whoever has it open has the lock. */
static int begin_note(const sweep_place *place, FILE *note, const char *path) {
    if (!cli_lock(note))
        return is_running(place->folder);
    rewind(note);
    char *old = read_rest(note);
    int code = old ? judge(place, old) : not_written(path);
    if (code == 0 && (fseek(note, 0, SEEK_END) != 0 ||
                      fputs(place->text + strlen(old), note) == EOF || fflush(note) != 0))
        code = not_written(path);
    free(old);
    return code;
}

int sweep_folder_take(const sweep_place *place, FILE **lock) {
    *lock = NULL;
    int code = make_folder(place->folder, true);
    char *note = code == 0 ? path_in(place->folder, note_name) : NULL;
    if (code == 0 && note && is_there(note) && !is_plain(note))
        code = cli_fail(4, "%.200s: is no plain file, and was not changed.", note);
    if (note && code == 0)
        *lock = fopen(note, "a+b");
    if (code == 0)
        code = *lock ? begin_note(place, *lock, note) : not_written(place->folder);
    if (code != 0)
        sweep_folder_leave(lock);
    free(note);
    return code;
}

void sweep_folder_leave(FILE **lock) {
    if (*lock)
        fclose(*lock);
    *lock = NULL;
}

int sweep_sheet_keep(const sweep_place *place) {
    char mark[48], *path = path_in(place->folder, sheet_note);
    mark_file(place->sheet, mark);
    int code = path ? write_text(path, mark) : cli_fail(5, "There is not enough memory.");
    free(path);
    return code;
}

int sweep_run_folder(const char *folder, const char *recipe) {
    int code = make_folder(folder, false);
    char *path = code == 0 ? path_in(folder, recipe_name) : NULL;
    if (path)
        code = write_text(path, recipe);
    else if (code == 0)
        code = cli_fail(5, "There is not enough memory.");
    free(path);
    return code;
}
