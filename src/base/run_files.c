/* run_files.c: numbers of runs, and their folders beside files. */
#include "base/run_files.h"
#include "base/archive.h"
#include "base/context.h"
#include "base/file.h"
#include "base/file_owner.h"
#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MARK ".frames-" /* before the number in the name of a folder */
enum { DIGITS = 16, SPARE = sizeof MARK + DIGITS };

static const char note_name[] =
    "run"; /* in a folder: locked, and holds the name of the checkpoint */

struct rvi_run_folder {
    rvi_run_folder *next;
    int note;
    char *kept; /* what it will be called; NULL: it will be removed */
    char path[];
};

uint64_t rvi_run_number(void) {
    static atomic_uint count;
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t parts[] = {(int64_t)now.tv_sec, now.tv_nsec, getpid(),
                             atomic_fetch_add(&count, 1)};
    uint64_t number = rvi_hash(parts, sizeof parts, 0);
    return number != 0 ? number : 1;
}

rv_status rvi_run_files_saved(rvi_run_files *run, rv_status status) {
    if (status == RV_OK)
        run->saved = true;
    if (status == RV_ERROR_OUTPUT && !run->warned)
        rvi_log(run->ctx, "%s The run goes on without this checkpoint.",
                rv_context_error(run->ctx));
    run->warned = status == RV_ERROR_OUTPUT;
    return run->warned ? RV_OK : status;
}

/* ---- what WASI, where one process has all files, does not know ---- */

static bool is_own_folder(const char *path) {
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return false;
#ifdef __wasi__
    return true;
#else
    return info.st_uid == geteuid();
#endif
}

/* A folder of the user's own has the mode that they want folders to have. */
static int take_mode_of(const char *path, const char *model) {
#ifdef __wasi__
    (void)path, (void)model;
    return 0;
#else
    struct stat info;
    return stat(model, &info) == 0 ? chmod(path, info.st_mode & 0777) : -1;
#endif
}

/* ---- a folder ---- */

static bool join(char out[PATH_MAX], const char *folder, const char *name) {
    return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

/* All files in it, the note last, and then itself. */
static void remove_folder(const char *path) {
    char name[PATH_MAX];
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, note_name) != 0 && join(name, path, entry->d_name))
            unlink(name);
    if (dir)
        closedir(dir);
    if (join(name, path, note_name))
        unlink(name);
    rmdir(path);
}

static bool is_same_file(int fd, const char *path) {
    struct stat a, b;
    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Writes the whole name of the checkpoint, whatever the working folder of the reader will be. */
static bool write_note(int fd, const char *checkpoint) {
    char folder[PATH_MAX] = "", text[2 * PATH_MAX];
    if (!checkpoint)
        return true;
    if (checkpoint[0] != '/' && !getcwd(folder, sizeof folder))
        return false;
    int size = snprintf(text, sizeof text, "%s%s%s", folder, folder[0] ? "/" : "", checkpoint);
    return size < (int)sizeof text && ftruncate(fd, 0) == 0 &&
           pwrite(fd, text, (size_t)size, 0) == size;
}

/* Makes a folder, or takes one that is there, and locks it; -1: errno says why not. */
static int enter(const char *path, const char *checkpoint) {
    enum { TRIES = 100, WAIT_NS = 10000000 };
    char name[PATH_MAX];
    if (!join(name, path, note_name)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (int i = 0; i < TRIES; i++) {
        if (mkdir(path, 0700) != 0 && (errno != EEXIST || !is_own_folder(path)))
            return -1;
        int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0 && errno != ENOENT) /* else another run has just removed it */
            return -1;
        if (fd >= 0 && rvi_lock_take(fd) != RVI_LOCK_HELD && is_same_file(fd, name)) {
            if (write_note(fd, checkpoint))
                return fd;
            int why = errno;
            close(fd);
            errno = why;
            return -1;
        }
        if (fd >= 0)
            close(fd);
        nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
        errno = EBUSY;
    }
    return -1;
}

static rvi_run_folder **find(rvi_run_files *run, const char *path) {
    rvi_run_folder **at = &run->folders;
    while (*at && strcmp((*at)->path, path) != 0)
        at = &(*at)->next;
    return at;
}

rv_status rvi_run_folder_open(rvi_run_files *run, const char *file, const char **path) {
    size_t size = strlen(file) + SPARE;
    rvi_run_folder *made = rvi_alloc(run->ctx, 1, sizeof *made + size, "a folder");
    if (!made)
        return RV_ERROR_MEMORY;
    snprintf(made->path, size, "%s" MARK "%016" PRIx64, file, run->number);
    rvi_run_folder **at = find(run, made->path);
    if (*at) {
        rvi_free(run->ctx, made);
        *path = (*at)->path;
        return RV_OK;
    }
    rvi_run_folders_sweep(run->ctx, file);
    made->note = enter(made->path, run->checkpoint);
    if (made->note < 0) {
        const char *why =
            errno == EBUSY ? "another process goes on with this run" : strerror(errno);
        rv_status status = rvi_fail(run->ctx, RV_ERROR_OUTPUT,
                                    "%s: the folder for its frames, %s, cannot be made: %s.", file,
                                    made->path, why);
        rvi_free(run->ctx, made);
        return status;
    }
    *at = made;
    *path = made->path;
    return RV_OK;
}

static void release(rvi_run_files *run, rvi_run_folder **at) {
    rvi_run_folder *gone = *at;
    *at = gone->next;
    close(gone->note);
    rvi_free(run->ctx, gone->kept);
    rvi_free(run->ctx, gone);
}

rv_status rvi_run_folder_keep(rvi_run_files *run, const char *path, const char *name,
                              const char **kept) {
    enum { NAMES = 10000, NUMBER = 8 };
    rvi_run_folder *folder = *find(run, path);
    size_t size = strlen(name) + NUMBER;
    char *to = rvi_alloc(run->ctx, size, 1, "a folder");
    if (!to)
        return RV_ERROR_MEMORY;
    snprintf(to, size, "%s", name);
    for (int i = 2; mkdir(to, 0777) != 0; i++) { /* an empty folder holds the name */
        if (errno != EEXIST || i > NAMES) {
            rv_status status =
                rvi_fail(run->ctx, RV_ERROR_OUTPUT, "%s: cannot be made: %s.", to, strerror(errno));
            rvi_free(run->ctx, to);
            return status;
        }
        snprintf(to, size, "%s-%d", name, i);
    }
    folder->kept = to;
    *kept = to;
    return RV_OK;
}

/* The folder takes the place of the empty one. */
static void hand_over(const rvi_run_folder *folder) {
    char note[PATH_MAX];
    if (take_mode_of(folder->path, folder->kept) == 0 && rename(folder->path, folder->kept) == 0 &&
        join(note, folder->kept, note_name))
        unlink(note);
}

static void leave(rvi_run_files *run, rvi_run_folder **at) {
    if ((*at)->kept)
        hand_over(*at);
    else
        remove_folder((*at)->path);
    release(run, at);
}

void rvi_run_folder_close(rvi_run_files *run, const char *path) {
    leave(run, find(run, path));
}

void rvi_run_files_end(rvi_run_files *run, rv_status status) {
    bool awaited = status != RV_OK && run->saved;
    while (run->folders)
        if (awaited)
            release(run, &run->folders);
        else
            leave(run, &run->folders);
}

/* ---- folders of others ---- */

static bool is_marked(const char *name, uint64_t *number) {
    size_t size = strlen(name), mark = sizeof MARK - 1;
    if (size <= mark + DIGITS)
        return false;
    const char *digits = name + size - DIGITS;
    if (strncmp(digits - mark, MARK, mark) != 0 || strspn(digits, "0123456789abcdef") != DIGITS)
        return false;
    *number = strtoull(digits, NULL, 16);
    return true;
}

/* Does the checkpoint that the note names still hold that run? */
static bool is_awaited(rv_context *ctx, int note, uint64_t number) {
    char text[2 * PATH_MAX];
    ssize_t size = pread(note, text, sizeof text - 1, 0);
    if (size < 0)
        return true;
    text[size] = '\0';
    (void)ctx;
    return size > 0 && rvi_archive_is_of(text, number) != RVI_BELONGS_NOT;
}

/* The folder that a file is in. */
static DIR *open_beside(const char *file, char folder[PATH_MAX]) {
    const char *slash = strrchr(file, '/');
    int size = slash ? (int)(slash - file) : 0;
    const char *rest = size > 0 ? "" : slash ? "/" : ".";
    return snprintf(folder, PATH_MAX, "%.*s%s", size, file, rest) < PATH_MAX ? opendir(folder)
                                                                             : NULL;
}

static void sweep_one(rv_context *ctx, const char *path, uint64_t number) {
    char name[PATH_MAX];
    if (!is_own_folder(path) || !join(name, path, note_name))
        return;
    int note = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (note < 0) {
        rmdir(path); /* it may be new: then it is made once more */
        return;
    }
    if (rvi_lock_take(note) == RVI_LOCK_TAKEN && is_same_file(note, name) &&
        !is_awaited(ctx, note, number))
        remove_folder(path);
    close(note);
}

void rvi_run_folders_sweep(rv_context *ctx, const char *file) {
    char folder[PATH_MAX], path[PATH_MAX];
    const char *slash = strrchr(file, '/');
    int size = slash ? (int)(slash - file) : 0;
    if (snprintf(folder, sizeof folder, "%.*s%s", size, file,
                 size > 0 ? ""
                 : slash  ? "/"
                          : ".") >= PATH_MAX)
        return;
    DIR *dir = opendir(folder);
    uint64_t number;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (is_marked(entry->d_name, &number) && join(path, folder, entry->d_name))
            sweep_one(ctx, path, number);
    if (dir)
        closedir(dir);
}

/* ---- files with numbers ---- */

/* -1: it is not one of them. */
static int64_t number_of(const rvi_numbered *files, const char *base, const char *name) {
    enum { LEAST = 5, MOST = 18 };
    size_t stem = strlen(base);
    if (strncmp(name, base, stem) != 0)
        return -1;
    const char *digits = name + stem;
    size_t count = strspn(digits, "0123456789");
    if (count < LEAST || count > MOST || (count > LEAST && digits[0] == '0') ||
        strcmp(digits + count, files->tail) != 0)
        return -1;
    int64_t number = strtoll(digits, NULL, 10);
    bool is = number >= files->from && number < files->below &&
              (number - files->from) % files->every == 0;
    return is ? number : -1;
}

int64_t rvi_numbered_count(const rvi_numbered *files, int64_t *first) {
    char folder[PATH_MAX];
    const char *slash = strrchr(files->stem, '/'), *base = slash ? slash + 1 : files->stem;
    DIR *dir = open_beside(files->stem, folder);
    int64_t count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        int64_t number = number_of(files, base, entry->d_name);
        if (number >= 0 && (count++ == 0 || number < *first))
            *first = number;
    }
    if (dir)
        closedir(dir);
    return count;
}
