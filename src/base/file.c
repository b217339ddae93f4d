/* file.c: reading whole files, and writing files that appear whole or not at all. */
#include "base/file.h"
#include "base/context.h"

#include <assert.h>
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

bool rvi_file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

void rvi_file_remove(const char *path) {
    unlink(path);
}

bool rvi_file_peek(const char *path, char *out, size_t room) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    size_t size = 0;
    ssize_t got = 1;
    while (got > 0 && size + 1 < room)
        if ((got = read(fd, out + size, room - 1 - size)) > 0)
            size += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
    close(fd);
    out[size] = '\0';
    return got >= 0;
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
static rv_status read_pipe(rv_context *ctx, int fd, const char *path, size_t most,
                           rvi_bytes *bytes) {
    size_t room = 0;
    rv_status status = RV_OK;
    while (status == RV_OK && bytes->size == room && room < most) {
        size_t more = room ? 2 * room : CHUNK;
        more = more < most ? more : most;
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

rv_status rvi_file_read_start(rv_context *ctx, const char *path, size_t most, rvi_bytes *out,
                              uint64_t *total) {
    *out = (rvi_bytes){NULL, 0};
    int fd;
    bool plain = false;
    rv_status status = open_input(ctx, path, &fd, &plain, total);
    if (status != RV_OK)
        return status;
    if (plain) {
        size_t room = *total < most ? (size_t)*total : most;
        out->data = rvi_alloc(ctx, room + 1, 1, path);
        status = out->data ? read_all(ctx, fd, path, room, out) : RV_ERROR_MEMORY;
    } else {
        status = read_pipe(ctx, fd, path, most, out);
        *total = out->size;
    }
    close(fd);
    if (status != RV_OK) {
        rvi_free(ctx, out->data);
        *out = (rvi_bytes){NULL, 0};
        return status;
    }
    out->data[out->size] = 0;
    return RV_OK;
}

rv_status rvi_file_read(rv_context *ctx, const char *path, rvi_bytes *out) {
    uint64_t total;
    return rvi_file_read_start(ctx, path, SIZE_MAX / 4, out, &total);
}

struct rvi_writer {
    rv_context *ctx;
    int fd;
    size_t held;
    char *path, *temporary; /* both in the memory behind `buffer` */
    unsigned char buffer[1 << 16];
};

/* false: longer than any path can be. */
static bool directory_of(const char *path, char out[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    if (size >= PATH_MAX)
        return false;
    memcpy(out, size ? path : ".", size ? size : 1);
    out[size ? size : 1] = '\0';
    return true;
}

/* What the path of a link leads to, through links to links; NULL: it cannot be told. */
static char *follow_links(const char *path) {
    enum { LINKS = 40 };
    char at[PATH_MAX], link[PATH_MAX];
    size_t size = strlen(path), head = 0;
    ssize_t read = 0;
    if (size >= sizeof at)
        return NULL;
    memcpy(at, path, size + 1);
    for (int i = 0; i < LINKS && (read = readlink(at, link, sizeof link)) >= 0; i++) {
        const char *slash = link[0] == '/' ? NULL : strrchr(at, '/');
        head = slash ? (size_t)(slash - at) + 1 : 0;
        size = head + (size_t)read;
        if (size >= sizeof at)
            return NULL;
        memcpy(at + head, link, (size_t)read);
        at[size] = '\0';
    }
    return read < 0 ? strdup(at) : NULL;
}

/* The name to replace: what a link points to, so that the link stays. */
static rv_status resolve_target(rv_context *ctx, const char *path, char **out) {
    struct stat info;
    *out = NULL;
    if (path[0] == '\0')
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "A file name is empty.");
    if (stat(path, &info) != 0) {
        if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
            return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: is a broken link and was not changed.",
                            path);
        return RV_OK;
    }
    if (S_ISDIR(info.st_mode))
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: is a directory, a file was expected.", path);
    if (!S_ISREG(info.st_mode))
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: is not a regular file and was not changed.",
                        path);
    *out = follow_links(path);
    return RV_OK;
}

rv_status rvi_file_check_target(rv_context *ctx, const char *path) {
    char *real;
    rv_status status = resolve_target(ctx, path, &real);
    if (status != RV_OK)
        return status;
    char directory[PATH_MAX];
    if (directory_of(real ? real : path, directory) && access(directory, W_OK) != 0)
        status =
            rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: cannot be written: %s.", path, strerror(errno));
    free(real);
    return status;
}

rv_status rvi_writer_open(rv_context *ctx, const char *path, rvi_writer **out) {
    *out = NULL;
    char *real;
    rv_status status = resolve_target(ctx, path, &real);
    if (status != RV_OK)
        return status;
    const char *target = real ? real : path;
    size_t name = strlen(target) + 1, spare = 40;
    rvi_writer *w = rvi_alloc(ctx, 1, sizeof *w + 2 * name + spare, "writing a file");
    if (!w) {
        free(real);
        return RV_ERROR_MEMORY;
    }
    w->ctx = ctx;
    w->path = (char *)(w + 1);
    w->temporary = w->path + name;
    memcpy(w->path, target, name);
    free(real);
    w->fd = -1;
    errno = 0;
    for (unsigned n = 0; n < 1000 && w->fd < 0 && (errno == 0 || errno == EEXIST); n++) {
        snprintf(w->temporary, name + spare, "%s.tmp%ld-%u", w->path, (long)getpid(), n);
        w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (w->fd < 0) {
        int why = errno;
        rvi_free(ctx, w);
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: cannot be written: %s.", path, strerror(why));
    }
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
    w->held = 0;
    return RV_OK;
}

rv_status rvi_writer_put(rvi_writer *w, const void *data, size_t size) {
    const unsigned char *from = data;
    while (size > 0) {
        size_t room = sizeof w->buffer - w->held;
        size_t part = size < room ? size : room;
        memcpy(w->buffer + w->held, from, part);
        w->held += part;
        from += part;
        size -= part;
        if (w->held == sizeof w->buffer) {
            rv_status status = flush(w);
            if (status != RV_OK)
                return status;
        }
    }
    return RV_OK;
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

rv_status rvi_writer_finish(rvi_writer *w) {
    if (w->fd < 0)
        return RV_OK;
    rv_status status = flush(w);
    if (status == RV_OK && fsync(w->fd) != 0 && errno != EINVAL && errno != ENOSYS)
        status = write_failed(w);
    if (close(w->fd) != 0 && status == RV_OK)
        status = write_failed(w);
    w->fd = -1;
    return status;
}

rv_status rvi_file_rename(rv_context *ctx, const char *temporary, const char *path) {
    if (rename(temporary, path) != 0)
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: cannot be written: %s.", path, strerror(errno));
    sync_directory(path);
    return RV_OK;
}

rv_status rvi_writer_commit(rvi_writer *w) {
    rv_status status = rvi_writer_finish(w);
    if (status == RV_OK && rename(w->temporary, w->path) != 0)
        status = write_failed(w);
    if (status != RV_OK) {
        rvi_writer_abandon(w);
        return status;
    }
    sync_directory(w->path);
    rvi_free(w->ctx, w);
    return RV_OK;
}

void rvi_writer_abandon(rvi_writer *w) {
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    unlink(w->temporary);
    rvi_free(w->ctx, w);
}
