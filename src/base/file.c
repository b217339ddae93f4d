/* file.c: reading whole files, and writing files that appear whole or not at all. */
#include "base/file.h"
#include "base/context.h"
#include "base/file_owner.h"
#include "base/hash.h"
#include "base/run_files.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 20, LOOK_MS = 20 };

#ifdef _WIN32
enum { ON_WINDOWS = 1 };
#else
enum { ON_WINDOWS = 0 };
#endif

bool rvi_file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

const char *rvi_path_name(const char *path) {
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (*at == '/' || (ON_WINDOWS && (*at == '\\' || (*at == ':' && at == path + 1))))
            name = at + 1;
    return name;
}

bool rvi_path_whole(const char *path) {
    return path[0] == '/' || (ON_WINDOWS && (path[0] == '\\' || (path[0] && path[1] == ':')));
}

void rvi_file_remove(const char *path) {
    unlink(path);
}

ptrdiff_t rvi_file_head(const char *path, void *out, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    size_t have = 0;
    ssize_t got = 1;
    while (got > 0 && have < size)
        if ((got = read(fd, (char *)out + have, size - have)) > 0)
            have += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
    int why = errno;
    close(fd);
    errno = why;
    return got < 0 ? -1 : (ptrdiff_t)have;
}

bool rvi_file_peek(const char *path, char *out, size_t room) {
    ptrdiff_t size = rvi_file_head(path, out, room - 1);
    out[size < 0 ? 0 : size] = '\0';
    return size >= 0;
}

/* Waits until there is something to read, or the end; a pipe may have neither for long. The wait
 * has an end of its own, so that no signal is missed that comes just before it. */
static rv_status await_input(rv_context *ctx, int fd) {
    rv_status status = rvi_poll(ctx);
#if !defined(__wasm__) /* which reads from files alone */
    struct pollfd one = {.fd = fd, .events = POLLIN};
    while (status == RV_OK && poll(&one, 1, LOOK_MS) <= 0 && one.revents == 0)
        status = rvi_poll(ctx);
#else
    (void)fd;
#endif
    return status;
}

/* Without waiting for somebody who writes to a pipe: that is for await_input. */
static rv_status open_input(rv_context *ctx, const char *path, int *fd, bool *plain,
                            uint64_t *size) {
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    if (*fd < 0 || fstat(*fd, &info) != 0) {
        int why = errno;
        if (*fd >= 0)
            close(*fd);
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: cannot be read: %s.", path, strerror(why));
    }
    if (S_ISDIR(info.st_mode)) {
        close(*fd);
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: is a directory, a file was expected.", path);
    }
    *plain = S_ISREG(info.st_mode);
    *size = info.st_size > 0 ? (uint64_t)info.st_size : 0;
    return RV_OK;
}

/* Reads until `bytes` is full or the file ends. */
static rv_status read_all(rv_context *ctx, int fd, const char *path, size_t room,
                          rvi_bytes *bytes) {
    while (bytes->size < room) {
        size_t left = room - bytes->size;
        rv_status status = await_input(ctx, fd);
        if (status != RV_OK)
            return status;
        ssize_t got = read(fd, bytes->data + bytes->size, left < CHUNK ? left : CHUNK);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got < 0)
            return rvi_fail(ctx, RV_ERROR_INPUT, "%s: cannot be read: %s.", path, strerror(errno));
        if (got == 0)
            break; /* it may have shrunk while it was read: the parsers say what is missing */
        bytes->size += (size_t)got;
    }
    return RV_OK;
}

/* A pipe has no size to ask for: the memory is doubled until everything fits. */
static rv_status read_pipe(rv_context *ctx, int fd, const char *path, rvi_bytes *bytes) {
    size_t room = 0;
    rv_status status = RV_OK;
    while (status == RV_OK && bytes->size == room) {
        size_t more = room ? 2 * room : CHUNK;
        unsigned char *data = rvi_alloc(ctx, more + 1, 1, path);
        if (!data)
            return RV_ERROR_MEMORY;
        if (bytes->size > 0)
            memcpy(data, bytes->data, bytes->size);
        rvi_free(ctx, bytes->data);
        bytes->data = data;
        room = more;
        status = read_all(ctx, fd, path, room, bytes);
    }
    return status;
}

static const rvi_piped *find_piped(rv_context *ctx, const char *path) {
    const rvi_piped *one = *rvi_context_piped(ctx);
    while (one && strcmp(one->path, path) != 0)
        one = one->next;
    return one;
}

/* Keeps the bytes, or frees them when it fails. */
static rv_status keep_piped(rv_context *ctx, const char *path, rvi_bytes bytes) {
    size_t length = strlen(path) + 1;
    rvi_piped *one = rvi_alloc(ctx, sizeof *one + length, 1, path);
    if (!one) {
        rvi_free(ctx, bytes.data);
        return RV_ERROR_MEMORY;
    }
    *one = (rvi_piped){.next = *rvi_context_piped(ctx), .data = bytes.data, .size = bytes.size};
    memcpy(one->path, path, length);
    *rvi_context_piped(ctx) = one;
    return RV_OK;
}

/* A part of what comes out of a pipe, which is read to its end the first time. */
static rv_status read_piped(rv_context *ctx, int fd, const char *path, uint64_t from, size_t most,
                            rvi_bytes *out, uint64_t *total) {
    rvi_bytes bytes = {NULL, 0};
    rv_status status = RV_OK;
    if (!find_piped(ctx, path)) {
        status = read_pipe(ctx, fd, path, &bytes);
        if (status == RV_OK)
            status = keep_piped(ctx, path, bytes);
        else
            rvi_free(ctx, bytes.data);
    }
    if (status != RV_OK)
        return status;
    const rvi_piped *one = find_piped(ctx, path);
    size_t size = from < one->size ? one->size - (size_t)from : 0;
    size = size < most ? size : most;
    out->data = rvi_alloc(ctx, size + 1, 1, path);
    if (!out->data)
        return RV_ERROR_MEMORY;
    if (size > 0)
        memcpy(out->data, one->data + from, size);
    out->size = size;
    *total = one->size;
    return RV_OK;
}

/* A part of a file that is no pipe. */
static rv_status read_plain(rv_context *ctx, int fd, const char *path, uint64_t from, size_t most,
                            rvi_bytes *out, uint64_t total) {
    uint64_t left = from < total ? total - from : 0;
    size_t room = left < most ? (size_t)left : most;
    out->data = rvi_alloc(ctx, room + 1, 1, path);
    if (!out->data)
        return RV_ERROR_MEMORY;
    if (from > 0 && (lseek)(fd, (off_t)from, SEEK_SET) < 0) /* in brackets: a macro in wasi-libc */
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: cannot be read: %s.", path, strerror(errno));
    return read_all(ctx, fd, path, room, out);
}

rv_status rvi_file_read_part(rv_context *ctx, const char *path, uint64_t from, size_t most,
                             rvi_bytes *out, uint64_t *total) {
    *out = (rvi_bytes){NULL, 0};
    int fd;
    bool plain = false;
    rv_status status = open_input(ctx, path, &fd, &plain, total);
    if (status != RV_OK)
        return status;
    status = plain ? read_plain(ctx, fd, path, from, most, out, *total)
                   : read_piped(ctx, fd, path, from, most, out, total);
    close(fd);
    if (status != RV_OK) {
        rvi_free(ctx, out->data);
        *out = (rvi_bytes){NULL, 0};
        return status;
    }
    out->data[out->size] = 0;
    return RV_OK;
}

rv_status rvi_file_read_start(rv_context *ctx, const char *path, size_t most, rvi_bytes *out,
                              uint64_t *total) {
    return rvi_file_read_part(ctx, path, 0, most, out, total);
}

rv_status rvi_file_read(rv_context *ctx, const char *path, rvi_bytes *out) {
    uint64_t total;
    return rvi_file_read_start(ctx, path, SIZE_MAX / 4, out, &total);
}

/* ---- where to write ---- */

/* false: longer than any path can be. */
static bool directory_of(const char *path, char out[PATH_MAX]) {
    size_t size = (size_t)(rvi_path_name(path) - path);
    if (size >= PATH_MAX)
        return false;
    memcpy(out, size ? path : ".", size ? size : 1);
    out[size ? size : 1] = '\0';
    return true;
}

/* What the path of a link leads to, through links to links. false: it cannot be told. */
static bool follow_links(const char *path, char at[PATH_MAX]) {
    enum { LINKS = 40 }; /* as many as systems follow */
    char link[PATH_MAX];
    size_t size = strlen(path);
    if (size >= PATH_MAX)
        return false;
    memcpy(at, path, size + 1);
    for (int i = 0; i <= LINKS; i++) {
        ssize_t read = readlink(at, link, sizeof link);
        if (read < 0)
            return true;
        size_t head = link[0] == '/' ? 0 : (size_t)(rvi_path_name(at) - at);
        if (head + (size_t)read >= PATH_MAX)
            return false;
        memcpy(at + head, link, (size_t)read);
        at[head + (size_t)read] = '\0';
    }
    return false;
}

/* The name to replace: what a link points to, so that the link stays. `old`: what is there; all 0:
 * nothing. */
static rv_status resolve_target(rv_context *ctx, const char *path, char out[PATH_MAX],
                                struct stat *old) {
    struct stat info;
    *old = (struct stat){0};
    if (path[0] == '\0')
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "A file name is empty.");
    bool there = stat(path, &info) == 0;
    if (!there) {
        int why = errno;
        if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
            return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: is a broken link and was not changed.",
                            path);
        if (why != ENOENT)
            return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: cannot be written: %s.", path,
                            strerror(why));
    }
    if (there && S_ISDIR(info.st_mode))
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: is a directory, a file was expected.", path);
    if (there && !S_ISREG(info.st_mode))
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: is not a regular file and was not changed.",
                        path);
    if (there && rvi_rights_read_only(&info))
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: is read-only and was not changed.", path);
    if (there && access(path, W_OK) != 0)
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: cannot be written: %s.", path, strerror(errno));
    if (!follow_links(path, out))
        return rvi_fail(ctx, RV_ERROR_OUTPUT,
                        "%s: is a link that cannot be followed and was not changed.", path);
    if (there)
        *old = info;
    return RV_OK;
}

rv_status rvi_file_check_target(rv_context *ctx, const char *path) {
    char real[PATH_MAX], directory[PATH_MAX];
    struct stat old;
    rv_status status = resolve_target(ctx, path, real, &old);
    if (status != RV_OK)
        return status;
    if (directory_of(real, directory) && access(directory, W_OK) != 0)
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: cannot be written: %s.", path, strerror(errno));
    return RV_OK;
}

bool rvi_folder_there(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

rv_status rvi_folder_make(rv_context *ctx, const char *path) {
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && rvi_folder_there(path)))
        return RV_OK;
    return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: cannot be made: %s.", path, strerror(errno));
}

bool rvi_path_key(const char *path, bool follow, char key[RVI_PATH_KEY]) {
    char real[PATH_MAX], directory[PATH_MAX];
    key[0] = '\0';
    if (follow && !follow_links(path, real))
        return false;
    const char *at = follow ? real : path, *name = rvi_path_name(at);
    struct stat info;
    if (strlen(name) > NAME_MAX || !directory_of(at, directory) || stat(directory, &info) != 0)
        return false;
    int size = snprintf(key, RVI_PATH_KEY, "%llx:%llx/%s", (unsigned long long)info.st_dev,
                        (unsigned long long)info.st_ino, name);
    rvi_name_fold(key, RVI_PATH_KEY);
    return size < RVI_PATH_KEY;
}

bool rvi_path_follow(const char *path, char *out, size_t room) {
    char real[PATH_MAX];
    if (!follow_links(path, real) || strlen(real) >= room)
        return false;
    memcpy(out, real, strlen(real) + 1);
    return true;
}

bool rvi_path_same(const char *a, const char *b) {
    char one[RVI_PATH_KEY], other[RVI_PATH_KEY];
    return rvi_path_key(a, true, one) && rvi_path_key(b, true, other) && strcmp(one, other) == 0;
}

bool rvi_folder_here(char *out, size_t room) {
    return getcwd(out, room) != NULL;
}

rvi_folder_is rvi_folder_compare(const char *path) {
    struct stat here, there;
    if (stat(path, &there) != 0 || !S_ISDIR(there.st_mode) || stat(".", &here) != 0)
        return RVI_FOLDER_GONE;
    return here.st_dev == there.st_dev && here.st_ino == there.st_ino ? RVI_FOLDER_HERE
                                                                      : RVI_FOLDER_OTHER;
}

/* ---- temporary names ---- */

/* A temporary name ends so: 8 digits that differ from one to the next, and 8 that follow from
 * those, the name and this machine. A file of the user that only looks like one has others. */
static const char ending[] = ".tmp";
enum { DIGITS = 8, ENDING = sizeof ending - 1 + 2 * DIGITS };

static uint32_t digits_for(const char *name, size_t size, uint32_t number) {
    return (uint32_t)rvi_hash(name, size, rvi_host() + number);
}

static bool is_temporary(const char *name) {
    size_t size = strlen(name);
    if (size <= ENDING || memcmp(name + size - ENDING, ending, sizeof ending - 1) != 0)
        return false;
    const char *digits = name + size - 2 * DIGITS;
    char right[2 * DIGITS + 1], first[DIGITS + 1] = "";
    memcpy(first, digits, DIGITS);
    unsigned number = (unsigned)strtoul(first, NULL, 16);
    snprintf(right, sizeof right, "%08x%08x", number, digits_for(name, size - ENDING, number));
    return strcmp(digits, right) == 0;
}

/* Room for the temporary name of a path. */
static size_t temporary_size(const char *path) {
    return strlen(path) + ENDING + 1;
}

/* The n-th temporary name of a path for this process, in its folder. A long name is cut. */
static void make_temporary(const char *path, unsigned n, char *out) {
    const char *name = rvi_path_name(path);
    size_t size = strlen(name), most = NAME_MAX - ENDING;
    size = size < most ? size : most;
    uint64_t who[2] = {(uint64_t)getpid(), n};
    uint32_t number = (uint32_t)rvi_hash(who, sizeof who, 0);
    snprintf(out, temporary_size(path), "%.*s%s%08x%08x", (int)((size_t)(name - path) + size), path,
             ending, number, digits_for(name, size, number));
}

static void remove_leftovers(const char *folder) {
    char path[PATH_MAX];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        int size = is_temporary(entry->d_name)
                       ? snprintf(path, sizeof path, "%s/%s", folder, entry->d_name)
                       : PATH_MAX;
        if (size < PATH_MAX)
            rvi_dead_remove(path);
    }
    if (dir)
        closedir(dir);
}

/* Once for every folder that a context writes to. */
void rvi_leftovers_remove(rv_context *ctx, const char *target) {
    char folder[PATH_MAX];
    struct stat info;
    if (directory_of(target, folder) && stat(folder, &info) == 0 &&
        rvi_first_time(ctx, rvi_hash(&info.st_ino, sizeof info.st_ino, (uint64_t)info.st_dev)))
        remove_leftovers(folder);
}

/* ---- writing ---- */

struct rvi_writer {
    rv_context *ctx;
    int fd;
    int lock;         /* keeps the lock while the file has its temporary name */
    bool other_links; /* the old file has other names */
    bool placed;      /* the file has its name */
    bool untold;      /* nobody is told of it */
    size_t held;
    uint64_t hash;          /* of what was flushed */
    char *path, *temporary; /* both in the memory behind `buffer` */
    unsigned char buffer[RVI_HASH_PART];
};

/* Creates the next temporary file that is free, and locks it. false: errno says why not. */
static bool create_temporary(rvi_writer *w, mode_t mode) {
    enum { TRIES = 1000 };
    struct stat made, named;
    for (unsigned n = 0; n < TRIES; n++) {
        make_temporary(w->path, n, w->temporary);
        w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (w->fd < 0 && errno == EEXIST)
            continue;
        if (w->fd < 0)
            return false;
        rvi_lock lock = rvi_lock_take(w->fd);
        if (lock == RVI_LOCK_NONE)
            return true;
        /* Did another process take it for that of a dead one, before it was locked? */
        if (lock == RVI_LOCK_TAKEN && fstat(w->fd, &made) == 0 &&
            lstat(w->temporary, &named) == 0 && made.st_ino == named.st_ino) {
            w->lock = rvi_lock_keep(w->fd);
            return true;
        }
        close(w->fd);
    }
    w->fd = -1;
    return false;
}

rv_status rvi_writer_open(rv_context *ctx, const char *path, rvi_writer **out) {
    *out = NULL;
    char target[PATH_MAX];
    struct stat old;
    rv_status status = resolve_target(ctx, path, target, &old);
    if (status != RV_OK)
        return status;
    size_t name = strlen(target) + 1;
    rvi_writer *w = rvi_alloc(ctx, 1, sizeof *w + name + temporary_size(target), "writing a file");
    if (!w)
        return RV_ERROR_MEMORY;
    w->ctx = ctx;
    w->fd = w->lock = -1;
    w->other_links = old.st_nlink > 1;
    w->path = (char *)(w + 1);
    w->temporary = w->path + name;
    memcpy(w->path, target, name);
    rvi_leftovers_remove(ctx, w->path);
    bool there = S_ISREG(old.st_mode);
    if (!create_temporary(w, there ? S_IRUSR | S_IWUSR : 0666)) {
        int why = errno;
        rvi_free(ctx, w);
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: cannot be written: %s.", path, strerror(why));
    }
    if (there)
        rvi_rights_copy(w->fd, &old);
    *out = w;
    return RV_OK;
}

static rv_status write_failed(rvi_writer *w) {
    return rvi_fail(w->ctx, RV_ERROR_OUTPUT, "%s: cannot be written: %s.", w->path,
                    strerror(errno));
}

static rv_status flush(rvi_writer *w) {
    size_t done = 0;
    while (done < w->held) {
        ssize_t n = write(w->fd, w->buffer + done, w->held - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return write_failed(w);
        done += (size_t)n;
    }
    w->hash = rvi_writer_hash(w);
    w->held = 0;
    return RV_OK;
}

rv_status rvi_writer_put(rvi_writer *w, const void *data, size_t size) {
    const unsigned char *from = data;
    rv_status status = RV_OK;
    while (size > 0 && status == RV_OK) {
        size_t room = sizeof w->buffer - w->held;
        size_t part = size < room ? size : room;
        memcpy(w->buffer + w->held, from, part);
        w->held += part;
        from += part;
        size -= part;
        if (w->held == sizeof w->buffer)
            status = flush(w);
        if (w->held == 0 && status == RV_OK)
            status = rvi_poll(w->ctx);
    }
    return status;
}

/* The last part, which may be empty, has been hashed when the file was closed. */
uint64_t rvi_writer_hash(const rvi_writer *w) {
    return w->fd < 0 ? w->hash : rvi_hash(w->buffer, w->held, w->hash);
}

uint64_t rvi_bytes_hash(rv_context *ctx, const unsigned char *data, size_t size) {
    uint64_t hash = 0;
    size_t at = 0;
    do { /* a last part of nothing, where the size is a multiple, counts as it did in writing */
        size_t some = size - at < RVI_HASH_PART ? size - at : RVI_HASH_PART;
        hash = rvi_hash(data + at, some, hash);
        at += some;
        if (some < RVI_HASH_PART)
            return hash;
    } while (rvi_poll(ctx) == RV_OK);
    return 0;
}

rv_status rvi_file_hash(rv_context *ctx, const char *path, uint64_t *out) {
    uint64_t from = 0, total;
    rvi_bytes part = {NULL, 0};
    rv_status status = RV_OK;
    *out = 0;
    do {
        status = rvi_file_read_part(ctx, path, from, RVI_HASH_PART, &part, &total);
        if (status == RV_OK)
            *out = rvi_hash(part.data, part.size, *out);
        from += part.size;
        rvi_free(ctx, part.data);
    } while (status == RV_OK && part.size == RVI_HASH_PART);
    return status;
}

/* The new name must outlive a power cut too; not every file system can promise it, so no error. */
static void sync_directory(const char *path) {
    char directory[PATH_MAX];
    int fd = directory_of(path, directory) ? open(directory, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

/* Some file systems cannot sync, and tell of a failed write only when the file is closed. */
static bool sync_and_close(int fd) {
    bool synced = fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS;
    int why = errno;
    bool closed = close(fd) == 0;
    if (!synced)
        errno = why;
    return synced && closed;
}

rv_status rvi_writer_finish(rvi_writer *w) {
    if (w->fd < 0)
        return RV_OK;
    rv_status status = flush(w);
    int fd = w->fd;
    w->fd = -1;
    if (status != RV_OK)
        close(fd);
    else if (!sync_and_close(fd))
        status = write_failed(w);
    return status;
}

void rvi_writer_hide(rvi_writer *w) {
    w->untold = true;
}

/* A name was given to a new file. */
static void end_rename(rv_context *ctx, const char *path, bool untold, bool other_links) {
    struct stat now;
    sync_directory(path);
    if (stat(path, &now) == 0 && !untold && !rvi_run_folder_holds(path))
        rvi_tell_made(ctx, path, (uint64_t)now.st_size);
    if (other_links)
        rvi_log(ctx, "%s: its other hard links keep the old file", path);
}

rv_status rvi_file_rename(rv_context *ctx, const char *temporary, const char *path) {
    char target[PATH_MAX];
    struct stat old;
    rv_status status = resolve_target(ctx, path, target, &old);
    if (status != RV_OK)
        return status;
    rvi_leftovers_remove(ctx, target);
    int fd = open(temporary, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && S_ISREG(old.st_mode))
        rvi_rights_copy(fd, &old);
    if (fd < 0 || !sync_and_close(fd) || rename(temporary, target) != 0)
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: cannot be written: %s.", path, strerror(errno));
    end_rename(ctx, target, false, old.st_nlink > 1);
    return RV_OK;
}

/* What is finished takes its name. */
static rv_status take_name(rvi_writer *w) {
    if (rename(w->temporary, w->path) != 0)
        return write_failed(w);
    w->placed = true;
    end_rename(w->ctx, w->path, w->untold, w->other_links);
    return RV_OK;
}

rv_status rvi_writer_commit(rvi_writer *w) {
    rv_status status = rvi_writer_finish(w);
    if (status == RV_OK)
        status = take_name(w);
    rvi_writer_abandon(w);
    return status;
}

void rvi_writer_abandon(rvi_writer *w) {
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    if (!w->placed)
        unlink(w->temporary);
    if (w->lock >= 0)
        close(w->lock);
    rvi_free(w->ctx, w);
}

/* ---- two files that belong together ---- */

rv_status rvi_claim_take(rv_context *ctx, const char *path, rvi_claim *out) {
    enum { WAIT_S = 10 };
    struct stat locked, named;
    double start = rvi_now();
    for (;;) {
        *out = (rvi_claim){.fd = open(path, O_RDWR | O_CLOEXEC)};
        out->there = out->fd >= 0 || errno != ENOENT;
        rvi_lock lock = out->fd >= 0 ? rvi_lock_take(out->fd) : RVI_LOCK_NONE;
        bool ours = lock == RVI_LOCK_TAKEN && fstat(out->fd, &locked) == 0 &&
                    stat(path, &named) == 0 && named.st_ino == locked.st_ino &&
                    named.st_dev == locked.st_dev;
        /* A process that sleeps with the lock does not stop all others for ever. */
        if (lock == RVI_LOCK_NONE || ours || rvi_now() - start > WAIT_S)
            return RV_OK;
        rvi_claim_release(out);
        if (rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
        rvi_lock_pause();
    }
}

void rvi_claim_release(rvi_claim *claim) {
    if (claim->fd >= 0)
        close(claim->fd);
    claim->fd = -1;
}

rv_status rvi_writer_place(rvi_writer *w, const rvi_claim *claim, bool *lost) {
    *lost = false;
    rv_status status = rvi_writer_finish(w);
    if (status != RV_OK)
        return status;
    rvi_lock name = claim->there ? RVI_LOCK_NONE : rvi_name_take(w->temporary, w->path);
    *lost = name == RVI_LOCK_HELD;
    if (name == RVI_LOCK_NONE)
        return take_name(w);
    w->placed = !*lost;
    if (w->placed)
        end_rename(w->ctx, w->path, w->untold, false);
    return RV_OK;
}
