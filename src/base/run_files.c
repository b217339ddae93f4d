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
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MARK ".frames-" /* before the number in the name of a folder */
enum { DIGITS = 16, SPARE = sizeof MARK + DIGITS };

static const char note_name[] = "run"; /* in a folder, and locked */
static const char film_name[] = "film.mp4";

struct rvi_run_folder {
    rvi_run_folder *next;
    int note;
    bool kept;   /* is to become one of the user's */
    bool failed; /* because the film failed, which was told */
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

/* Is it a frame, or one that was being written? */
static bool is_frame(const char *name) {
    size_t digits = strspn(name, "0123456789");
    const char *rest = name + digits;
    if (digits < 5 || strncmp(rest, ".png", 4) != 0)
        return false;
    rest += 4;
    return rest[0] == '\0' || (strncmp(rest, ".tmp", 4) == 0 &&
                               strspn(rest + 4, "0123456789abcdef") == strlen(rest + 4));
}

/* Closes the file `note`; a folder with an open file cannot be removed everywhere. */
static void close_note(int *note) {
    if (*note >= 0)
        close(*note);
    *note = -1;
}

/* All that a run puts there, the note last, which is closed, and then itself. One that holds
 * anything else stays whole: then it is not only ours. */
static void remove_folder(const char *path, int *note) {
    char name[PATH_MAX];
    bool ours = true;
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (int pass = 0; pass < 2 && ours; pass++, rewinddir(dir))
        for (struct dirent *entry; ours && (entry = readdir(dir)) != NULL;) {
            const char *is = entry->d_name;
            if (strcmp(is, ".") == 0 || strcmp(is, "..") == 0 || strcmp(is, note_name) == 0)
                continue;
            ours = (is_frame(is) || strcmp(is, film_name) == 0) && join(name, path, is);
            if (ours && pass == 1)
                unlink(name);
        }
    closedir(dir);
    if (!ours || !join(name, path, note_name))
        return;
    unlink(name);
    close_note(note);
    rmdir(path);
}

static bool holds_note_alone(const char *path) {
    DIR *dir = opendir(path);
    bool alone = dir != NULL;
    for (struct dirent *entry; alone && (entry = readdir(dir)) != NULL;)
        alone = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                strcmp(entry->d_name, note_name) == 0;
    if (dir)
        closedir(dir);
    return alone;
}

/* A folder without a note, or with one that says nothing yet, which is locked: `note`; -1: there is
 * none. A run was killed before it put anything else there. One that has just made the folder finds
 * that it is gone and makes it again: see enter(). */
static void remove_unused(const char *path, int *note) {
    char name[PATH_MAX];
    struct stat info;
    if (lstat(path, &info) != 0 || (info.st_mode & 077) != 0)
        return; /* runs open theirs to this user alone */
    if (*note >= 0 && fstat(*note, &info) == 0 && info.st_size == 0 && holds_note_alone(path) &&
        join(name, path, note_name))
        unlink(name);
    close_note(note);
    rmdir(path); /* unless anything is there */
}

static bool is_same_file(int fd, const char *path) {
    struct stat a, b;
    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* ---- the note ---- */

/* One line, and the whole names of checkpoints, each with a zero byte behind it. */
#define NOTE_LINE "Ravine keeps frames of a film here: run %016" PRIx64 " %s %s\n"
enum { NAMES = 2, NOTE_ROOM = 128 + NAMES * 2 * PATH_MAX };

typedef struct note_text {
    bool saved; /* there was a checkpoint */
    bool kept;  /* it is to become one of the user's */
    char text[NOTE_ROOM];
    size_t size, names; /* of the text, and where the names begin */
} note_text;

static void begin_note(note_text *note, uint64_t number) {
    note->size = note->names =
        (size_t)snprintf(note->text, NOTE_ROOM, NOTE_LINE, number, note->saved ? "saved" : "begun",
                         note->kept ? "kept" : "open");
}

static bool rewind_note(int fd) {
    return (lseek)(fd, 0, SEEK_SET) == 0; /* in brackets: wasi-libc has a macro of that name */
}

/* false: it is not a note of that run. */
static bool read_note(int fd, uint64_t number, note_text *out) {
    char there[NOTE_ROOM];
    ssize_t size = rewind_note(fd) ? read(fd, there, sizeof there - 1) : -1;
    for (int i = 0; i < 4; i++) {
        out->saved = i & 1;
        out->kept = i & 2;
        begin_note(out, number);
        if (size >= (ssize_t)out->names && memcmp(there, out->text, out->names) == 0) {
            out->size = (size_t)size;
            memcpy(out->text, there, out->size);
            out->text[out->size] = '\0';
            return true;
        }
    }
    return false;
}

/* The whole name, whatever the working folder of the reader will be. */
static bool add_name(note_text *note, const char *checkpoint) {
    char folder[PATH_MAX] = "";
    if (!checkpoint)
        return true;
    if (!rvi_path_whole(checkpoint) && !rvi_folder_here(folder, sizeof folder))
        return false;
    size_t room = NOTE_ROOM - note->size;
    int size =
        snprintf(note->text + note->size, room, "%s%s%s", folder, folder[0] ? "/" : "", checkpoint);
    if (size < 0 || (size_t)size >= room)
        return false;
    note->size += (size_t)size + 1;
    return true;
}

static bool put_note(int fd, const note_text *note) {
    return rewind_note(fd) && write(fd, note->text, note->size) == (ssize_t)note->size &&
           rvi_file_cut(fd, note->size);
}

static bool write_note(const rvi_run_files *run, int fd, bool kept) {
    note_text note = {.saved = run->saved, .kept = kept};
    begin_note(&note, run->number);
    return add_name(&note, run->checkpoint) && add_name(&note, run->from) && put_note(fd, &note);
}

/* ---- folders of this run ---- */

/* Makes a folder, or takes one that is there, and locks it; -1: errno says why not. */
static int enter(const rvi_run_files *run, const char *path) {
    enum { TRIES = 500 };
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
            if (write_note(run, fd, false))
                return fd;
            int why = errno;
            if (holds_note_alone(path) && rvi_file_cut(fd, 0))
                remove_unused(path, &fd);
            close_note(&fd);
            errno = why;
            return -1;
        }
        if (fd >= 0)
            close(fd);
        rvi_lock_pause();
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

static rv_status no_folder(rv_context *ctx, const char *file, const char *path, const char *why) {
    return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: the folder for its frames, %s, cannot be made: %s.",
                    file, path, why);
}

/* Beside the film itself, where its name is a link. */
static bool name_folder(uint64_t run, const char *file, char out[PATH_MAX]) {
    if (!rvi_path_follow(file, out, PATH_MAX - SPARE))
        return false;
    size_t size = strlen(out);
    snprintf(out + size, PATH_MAX - size, MARK "%016" PRIx64, run);
    return true;
}

rv_status rvi_run_folder_check(rv_context *ctx, const char *file) {
    char path[PATH_MAX];
    struct stat info;
    if (!name_folder(0, file, path))
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: the name is too long.", file);
    return lstat(path, &info) != 0 && errno == ENAMETOOLONG
               ? no_folder(ctx, file, path, strerror(errno))
               : RV_OK;
}

rv_status rvi_run_folder_open(rvi_run_files *run, const char *file, const char **path) {
    char name[PATH_MAX];
    if (!name_folder(run->number, file, name))
        return rvi_fail(run->ctx, RV_ERROR_OUTPUT, "%s: the name is too long.", file);
    rvi_run_folder **at = find(run, name);
    if (!*at) {
        size_t size = strlen(name) + 1;
        rvi_run_folder *made = rvi_alloc(run->ctx, 1, sizeof *made + size, "a folder");
        if (!made)
            return RV_ERROR_MEMORY;
        memcpy(made->path, name, size);
        rvi_run_folders_sweep(run->ctx, name);
        made->note = enter(run, name);
        if (made->note < 0) {
            const char *why =
                errno == EBUSY ? "another process goes on with this run" : strerror(errno);
            rvi_free(run->ctx, made);
            return no_folder(run->ctx, file, name, why);
        }
        *at = made;
    }
    *path = (*at)->path;
    return RV_OK;
}

static void release(rvi_run_files *run, rvi_run_folder **at) {
    rvi_run_folder *gone = *at;
    *at = gone->next;
    close_note(&gone->note);
    rvi_free(run->ctx, gone);
}

/* ---- frames that become the user's ---- */

/* Bytes of the path of a folder that are the name of its film. */
static int film_size(const char *path) {
    return (int)strlen(path) - (int)(SPARE - 1);
}

/* And those before the extension; a link may lead to a name that has none. */
static int stem_size(const char *path) {
    enum { EXTENSION = 4 };
    int size = film_size(path), stem = size - EXTENSION;
    return stem >= 0 && strncasecmp(path + stem, ".mp4", EXTENSION) == 0 ? stem : size;
}

/* An empty folder holds the name, and the other takes its place. */
static rv_status hand_over(rv_context *ctx, const char *path, int *note_fd,
                           char kept[RVI_KEPT_ROOM]) {
    enum { TRIES = 10000 };
    char note[PATH_MAX];
    int stem = stem_size(path);
    const char *dash = stem > 0 && strchr("-_/", path[stem - 1]) ? "" : "-";
    int size = snprintf(kept, RVI_KEPT_ROOM, "%.*s%sframes", stem, path, dash);
    for (int i = 2; mkdir(kept, 0777) != 0; i++) {
        if (errno != EEXIST || i > TRIES)
            return rvi_fail(ctx, RV_ERROR_OUTPUT,
                            "%s: cannot be made: %s; the frames are still in %s.", kept,
                            strerror(errno), path);
        snprintf(kept + size, RVI_KEPT_ROOM - (size_t)size, "-%d", i);
    }
    if (take_mode_of(path, kept) != 0 || rvi_folder_rename(note_fd, path, kept) != 0) {
        int why = errno;
        rmdir(kept);
        return rvi_fail(ctx, RV_ERROR_OUTPUT,
                        "%s: cannot become %s: %s; the frames are still there.", path, kept,
                        strerror(why));
    }
    if (join(note, kept, note_name))
        unlink(note);
    return RV_OK;
}

static rv_status hand_over_and_tell(rv_context *ctx, const char *path, int *note, const char *why) {
    char kept[RVI_KEPT_ROOM], stem[RVI_KEPT_ROOM + 1];
    int64_t first = 0;
    rv_status status = hand_over(ctx, path, note, kept);
    if (status != RV_OK)
        return status;
    snprintf(stem, sizeof stem, "%s/", kept);
    int64_t count = rvi_numbered_count(&(rvi_numbered){stem, ".png", 0, 1, INT64_MAX}, &first);
    rvi_log(ctx, "%.*s: %sthe frames are kept: %lld, in %s", film_size(path), path, why,
            (long long)count, kept);
    return RV_OK;
}

static const char *why_kept(const rvi_run_folder *folder) {
    return folder->failed ? "" : "ffmpeg is not installed, so ";
}

/* The note says it, too: where the folder cannot get its name now, a later run tries again. */
static bool mark_kept(const rvi_run_files *run, rvi_run_folder *folder) {
    folder->kept = true;
    return write_note(run, folder->note, true);
}

rv_status rvi_run_folder_hand_over(rvi_run_files *run, const char *path, char kept[RVI_KEPT_ROOM]) {
    rvi_run_folder **at = find(run, path);
    mark_kept(run, *at);
    (*at)->failed = true;
    rv_status status = hand_over(run->ctx, path, &(*at)->note, kept);
    if (status == RV_OK)
        release(run, at);
    return status;
}

/* The frames of a folder that is to be kept become the user's, those of another go. */
static rv_status leave(rvi_run_files *run, rvi_run_folder **at) {
    rv_status status = RV_OK;
    if ((*at)->kept)
        status = hand_over_and_tell(run->ctx, (*at)->path, &(*at)->note, why_kept(*at));
    else
        remove_folder((*at)->path, &(*at)->note);
    release(run, at);
    return status;
}

rv_status rvi_run_folder_keep(rvi_run_files *run, const char *path) {
    rvi_run_folder **at = find(run, path);
    bool marked = mark_kept(run, *at);
    if (!run->checkpoint && !run->saved)
        return leave(run, at);
    return marked ? RV_OK
                  : rvi_fail(run->ctx, RV_ERROR_OUTPUT, "%s/%s: cannot be written: %s.", path,
                             note_name, strerror(errno));
}

bool rvi_run_folders_pend(const rvi_run_files *run) {
    const rvi_run_folder *folder = run->folders;
    while (folder && !folder->kept)
        folder = folder->next;
    return folder != NULL;
}

/* One that cannot be handed over now is tried again at the end of the run. */
static void hand_over_pending(rvi_run_files *run) {
    for (rvi_run_folder **at = &run->folders; *at;)
        if ((*at)->kept &&
            hand_over_and_tell(run->ctx, (*at)->path, &(*at)->note, why_kept(*at)) == RV_OK)
            release(run, at);
        else
            at = &(*at)->next;
}

rv_status rvi_run_files_saved(rvi_run_files *run, rv_status status) {
    if (status == RV_OK && !run->saved) {
        run->saved = true;
        for (rvi_run_folder *folder = run->folders; folder; folder = folder->next)
            write_note(run, folder->note, folder->kept); /* else it still names the checkpoint */
    }
    if (status == RV_OK)
        hand_over_pending(run);
    if (status == RV_ERROR_OUTPUT && !run->warned)
        rvi_log(run->ctx, "%s The run goes on without this checkpoint.",
                rv_context_error(run->ctx));
    run->warned = status == RV_ERROR_OUTPUT;
    return run->warned ? RV_OK : status;
}

/* ---- the end of a run ---- */

void rvi_run_folder_close(rvi_run_files *run, const char *path) {
    leave(run, find(run, path));
}

/* A note that is there, locked; -1: there is none that we could have. */
static int lock_note(const char *path) {
    char name[PATH_MAX];
    int note = join(name, path, note_name) ? open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (note >= 0 && rvi_lock_take(note) == RVI_LOCK_TAKEN && is_same_file(note, name))
        return note;
    if (note >= 0)
        close(note);
    return -1;
}

/* The same where it is of that run; -1: it is not. */
static int open_note(const char *path, uint64_t number, note_text *out) {
    int note = is_own_folder(path) ? lock_note(path) : -1;
    if (note >= 0 && read_note(note, number, out))
        return note;
    if (note >= 0)
        close(note);
    return -1;
}

rv_status rvi_run_folder_done(rvi_run_files *run, const char *file) {
    char path[PATH_MAX];
    note_text note;
    if (!name_folder(run->number, file, path))
        return RV_OK;
    rvi_run_folder **at = find(run, path);
    if (*at && (*at)->kept)
        return leave(run, at);
    int fd = *at ? (*at)->note : open_note(path, run->number, &note);
    if (fd < 0)
        return RV_OK;
    rv_status status = RV_OK;
    if (!*at && note.kept) {
        status = hand_over_and_tell(run->ctx, path, &fd, "");
    } else {
        rvi_run_files over = *run;
        over.saved = false;
        write_note(&over, fd, false);
    }
    if (!*at)
        close_note(&fd);
    return status;
}

rv_status rvi_run_files_end(rvi_run_files *run, rv_status status) {
    bool awaited = status != RV_OK && run->saved;
    if (run->checkpoint) /* a resume may have had nothing to write */
        rvi_leftovers_remove(run->ctx, run->checkpoint);
    while (run->folders) {
        rv_status left = RV_OK;
        if (awaited)
            release(run, &run->folders);
        else
            left = leave(run, &run->folders);
        status = status == RV_OK ? left : status;
    }
    return status;
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

bool rvi_run_folder_holds(const char *path) {
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    uint64_t number;
    if (!slash || (size_t)(slash - path) >= sizeof folder)
        return false;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    return is_marked(folder, &number);
}

/* May a checkpoint still hold that run? One that was there may have been moved. */
static bool is_awaited(const note_text *note, uint64_t number) {
    bool awaited = note->saved;
    for (size_t at = note->names; at < note->size; at += strlen(note->text + at) + 1)
        awaited = awaited || rvi_archive_is_of(note->text + at, number) != RVI_BELONGS_NOT;
    return awaited;
}

/* The folder that a file is in. */
static DIR *open_beside(const char *file, char folder[PATH_MAX]) {
    int size = (int)(rvi_path_name(file) - file);
    const char *rest = size > 0 ? "" : ".";
    if (size > 1 && file[size - 1] != ':')
        size--; /* the separator, but for that of the root */
    return snprintf(folder, PATH_MAX, "%.*s%s", size, file, rest) < PATH_MAX ? opendir(folder)
                                                                             : NULL;
}

static void sweep_one(rv_context *ctx, const char *path, uint64_t number) {
    note_text text;
    if (!is_own_folder(path))
        return;
    int note = lock_note(path);
    if (note < 0 || !read_note(note, number, &text))
        remove_unused(path, &note);
    else if (!is_awaited(&text, number) && text.kept)
        hand_over_and_tell(ctx, path, &note, "");
    else if (!is_awaited(&text, number))
        remove_folder(path, &note);
    close_note(&note);
}

void rvi_run_folders_sweep(rv_context *ctx, const char *file) {
    char real[PATH_MAX], folder[PATH_MAX], path[PATH_MAX];
    DIR *dir = rvi_path_follow(file, real, sizeof real) ? open_beside(real, folder) : NULL;
    uint64_t number;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (is_marked(entry->d_name, &number) && join(path, folder, entry->d_name))
            sweep_one(ctx, path, number);
    if (dir)
        closedir(dir);
    rvi_leftovers_remove(ctx, file);
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
    const char *base = rvi_path_name(files->stem);
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

/* Those that are there. */
static rv_status check_there(rv_context *ctx, const rvi_numbered *files,
                             rv_status (*check)(void *user, const char *path), void *user) {
    char folder[PATH_MAX], path[PATH_MAX];
    const char *base = rvi_path_name(files->stem);
    DIR *dir = open_beside(files->stem, folder);
    rv_status status = RV_OK;
    for (struct dirent *entry; status == RV_OK && dir && (entry = readdir(dir)) != NULL;)
        if (number_of(files, base, entry->d_name) >= 0 &&
            snprintf(path, sizeof path, "%.*s%s", (int)(base - files->stem), files->stem,
                     entry->d_name) < PATH_MAX &&
            (status = rvi_poll(ctx)) == RV_OK)
            status = check(user, path);
    if (dir)
        closedir(dir);
    return status;
}

rv_status rvi_numbered_check(rv_context *ctx, const rvi_numbered *files,
                             rv_status (*check)(void *user, const char *path), void *user) {
    enum { NUMBER = 24 };
    size_t size = strlen(files->stem) + strlen(files->tail) + NUMBER;
    int64_t last = files->below - 1 - (files->below - 1 - files->from) % files->every;
    if (last < files->from)
        return RV_OK;
    char *name = rvi_alloc(ctx, size, 1, "the name of a file");
    if (!name)
        return RV_ERROR_MEMORY;
    snprintf(name, size, "%s%05lld%s", files->stem, (long long)files->from, files->tail);
    rv_status status = check(user, name);
    snprintf(name, size, "%s%05lld%s", files->stem, (long long)last, files->tail);
    if (status == RV_OK)
        status = check(user, name);
    rvi_free(ctx, name);
    return status == RV_OK ? check_there(ctx, files, check, user) : status;
}

bool rvi_numbered_is(const rvi_numbered *files, const char *path) {
    return number_of(files, files->stem, path) >= 0;
}

bool rvi_numbered_leads(const rvi_numbered *files, const char *path) {
    char stem[RVI_PATH_KEY], key[RVI_PATH_KEY];
    rvi_numbered keys = *files;
    keys.stem = stem;
    return rvi_path_key(files->stem, false, stem) && rvi_path_key(path, true, key) &&
           rvi_numbered_is(&keys, key);
}
