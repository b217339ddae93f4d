/* archive.c: a file of bytes one after the other, with a magic word before them and a hash behind.
 *
 * Numbers are as the machine has them; the four bytes behind the magic word tell their order. The
 * hash goes over parts of a fixed size, however they were put. */
#include "base/archive.h"
#include "base/context.h"
#include "base/hash.h"

#include <errno.h>
#include <string.h>

enum { ORDER = 0x01020304, PART = RVI_HASH_PART };
enum { HEAD = RVI_MAGIC + sizeof(uint32_t) + sizeof(uint64_t) }; /* magic word, order, run */

/* ---- whose it is ---- */

static const char family[] = "RAVINE-"; /* all magic words begin so */

typedef enum kind { NOTHING, ARCHIVE, OTHER } kind;

/* What is in a file that is there, and if it is an archive, whose. false: errno says why that
 * cannot be told. */
static bool look(const char *path, kind *what, uint64_t *run) {
    unsigned char head[HEAD];
    ptrdiff_t size = rvi_file_head(path, head, sizeof head);
    if (size < 0)
        return false;
    bool is = size == HEAD && memcmp(head, family, sizeof family - 1) == 0;
    *what = is ? ARCHIVE : OTHER;
    if (is)
        memcpy(run, head + HEAD - sizeof *run, sizeof *run);
    return true;
}

static rv_status check_target(rv_context *ctx, const char *path, uint64_t run, bool any) {
    kind what = NOTHING;
    uint64_t whose = run;
    rv_status status = rvi_file_check_target(ctx, path);
    if (status == RV_OK && rvi_file_exists(path) && !look(path, &what, &whose))
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: cannot be read: %s.", path, strerror(errno));
    if (status == RV_OK && what == OTHER)
        return rvi_fail(ctx, RV_ERROR_OUTPUT,
                        "%s exists and is not a checkpoint; it was not changed.", path);
    if (status == RV_OK && what == ARCHIVE && whose != run && !any)
        return rvi_fail(ctx, RV_ERROR_OUTPUT,
                        "%s is the checkpoint of another run and was not changed; resume that run, "
                        "remove the file or name another one.",
                        path);
    return status;
}

rv_status rvi_archive_check_target(rv_context *ctx, const char *path, uint64_t run) {
    return check_target(ctx, path, run, false);
}

rvi_belongs rvi_archive_is_of(const char *path, uint64_t run) {
    kind what = OTHER;
    uint64_t whose = 0;
    if (!look(path, &what, &whose))
        return errno == ENOENT || errno == ENOTDIR ? RVI_BELONGS_NOT : RVI_BELONGS_UNKNOWN;
    return what == ARCHIVE && whose == run ? RVI_BELONGS : RVI_BELONGS_NOT;
}

void rvi_archive_remove(const char *path, uint64_t run) {
    if (rvi_archive_is_of(path, run) == RVI_BELONGS)
        rvi_file_remove(path);
}

/* ---- writing ---- */

rv_status rvi_archive_create(rv_context *ctx, const char *path, const char magic[RVI_MAGIC],
                             uint64_t run, rvi_archive_writer *out) {
    *out = (rvi_archive_writer){.ctx = ctx, .path = path, .run = run};
    uint32_t order = ORDER;
    out->part = rvi_alloc(ctx, PART, 1, "a checkpoint");
    rv_status status = out->part ? rvi_writer_open(ctx, path, &out->writer) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_archive_put(out, magic, RVI_MAGIC);
    if (status == RV_OK)
        status = rvi_archive_put(out, &order, sizeof order);
    if (status == RV_OK)
        status = rvi_archive_put(out, &run, sizeof run);
    return status;
}

static rv_status flush(rvi_archive_writer *to) {
    to->hash = rvi_hash(to->part, to->held, to->hash);
    rv_status status = rvi_writer_put(to->writer, to->part, to->held);
    to->held = 0;
    return status == RV_OK ? rvi_poll(to->ctx) : status;
}

void rvi_archive_keep(rv_context *ctx, rvi_archive_writer *out) {
    out->ctx = ctx;
    out->held = 0;
}

void rvi_archive_forget(rvi_archive_writer *kept) {
    rvi_free(kept->ctx, kept->part);
    *kept = (rvi_archive_writer){0};
}

static rv_status append(rvi_archive_writer *to, const void *data, size_t size) {
    if (size > to->room - to->held) {
        size_t room = to->held + size + (to->held + size) / 4;
        unsigned char *grown = rvi_alloc(to->ctx, room, 1, "the last good state");
        if (grown == NULL)
            return RV_ERROR_MEMORY;
        if (to->held > 0)
            memcpy(grown, to->part, to->held);
        rvi_free(to->ctx, to->part);
        to->part = grown;
        to->room = room;
    }
    if (size > 0)
        memcpy(to->part + to->held, data, size);
    to->held += size;
    return rvi_poll(to->ctx);
}

rv_status rvi_archive_put(rvi_archive_writer *to, const void *data, size_t size) {
    if (to->writer == NULL)
        return append(to, data, size);
    const unsigned char *from = data;
    rv_status status = RV_OK;
    while (size > 0 && status == RV_OK) {
        size_t some = size < PART - to->held ? size : PART - to->held;
        memcpy(to->part + to->held, from, some);
        to->held += some;
        from += some;
        size -= some;
        if (to->held == PART)
            status = flush(to);
    }
    return status;
}

rv_status rvi_archive_close(rvi_archive_writer *to, rv_status status) {
    if (status == RV_OK)
        status = flush(to);
    if (status == RV_OK)
        status = rvi_writer_put(to->writer, &to->hash, sizeof to->hash);
    if (status == RV_OK) /* much may have happened since the run began */
        status = check_target(to->ctx, to->path, to->run, to->any);
    if (status == RV_OK)
        status = rvi_writer_commit(to->writer);
    else
        rvi_writer_abandon(to->writer);
    rvi_free(to->ctx, to->part);
    *to = (rvi_archive_writer){0};
    return status;
}

/* ---- reading ---- */

rv_status rvi_archive_damaged(const rvi_archive *from) {
    return rvi_fail(from->ctx, RV_ERROR_INPUT, "%s: is cut off or damaged.", from->name);
}

/* Bytes of a magic word that all versions have. */
static size_t before_version(const char magic[RVI_MAGIC]) {
    return (size_t)(strrchr(magic, '-') + 1 - magic);
}

bool rvi_archive_is(rv_context *ctx, const char *path, const char magic[RVI_MAGIC]) {
    rvi_bytes bytes;
    uint64_t total;
    if (rvi_file_read_start(ctx, path, RVI_MAGIC, &bytes, &total) != RV_OK)
        return false;
    bool same = bytes.size == RVI_MAGIC && memcmp(bytes.data, magic, before_version(magic)) == 0;
    rvi_free(ctx, bytes.data);
    return same;
}

rv_status rvi_archive_decode(rv_context *ctx, const char *name, const unsigned char *data,
                             size_t size, const char magic[RVI_MAGIC], const char *expected,
                             rvi_archive *out) {
    *out = (rvi_archive){.ctx = ctx, .name = name, .data = data};
    uint32_t order;
    uint64_t told;
    if (size < RVI_MAGIC || memcmp(data, magic, RVI_MAGIC) != 0) {
        bool other = size >= RVI_MAGIC && memcmp(data, magic, before_version(magic)) == 0;
        return other ? rvi_fail(ctx, RV_ERROR_INPUT,
                                "%s: another version of Ravine has saved it; only that version can "
                                "resume it.",
                                name)
                     : rvi_fail(ctx, RV_ERROR_INPUT, "%s: is not %s.", name, expected);
    }
    if (size < HEAD + sizeof told)
        return rvi_archive_damaged(out);
    memcpy(&order, data + RVI_MAGIC, sizeof order);
    if (order != ORDER)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: was made on a machine with another byte order.",
                        name);
    out->size = size - sizeof told;
    out->at = HEAD;
    memcpy(&out->run, data + HEAD - sizeof out->run, sizeof out->run);
    memcpy(&told, data + out->size, sizeof told);
    uint64_t right = rvi_bytes_hash(ctx, data, out->size);
    if (rvi_poll(ctx) != RV_OK)
        return RV_CANCELLED;
    return told == right ? RV_OK : rvi_archive_damaged(out);
}

rvi_archive rvi_archive_kept(const rvi_archive_writer *kept, const char *name) {
    return (rvi_archive){.ctx = kept->ctx, .name = name, .data = kept->part, .size = kept->held};
}

rv_status rvi_archive_get(rvi_archive *from, void *to, size_t size) {
    if (from->size - from->at < size)
        return rvi_archive_damaged(from);
    memcpy(to, from->data + from->at, size);
    from->at += size;
    return RV_OK;
}

rv_status rvi_archive_get_count(rvi_archive *from, size_t size, size_t *count) {
    uint64_t told = 0;
    rv_status status = rvi_archive_get(from, &told, sizeof told);
    if (status == RV_OK && told > (from->size - from->at) / size)
        status = rvi_archive_damaged(from);
    *count = status == RV_OK ? (size_t)told : 0;
    return status;
}

rv_status rvi_archive_end(const rvi_archive *from) {
    return from->at == from->size ? RV_OK : rvi_archive_damaged(from);
}
