/* archive.c: a file of bytes one after the other, with a magic word before them and a hash behind.
 *
 * Numbers are as the machine has them; the four bytes behind the magic word tell their order. The
 * hash goes over parts of a fixed size, however they were put. */
#include "base/archive.h"
#include "base/context.h"
#include "base/hash.h"

#include <string.h>

enum { ORDER = 0x01020304, PART = RVI_HASH_PART };

/* ---- writing ---- */

rv_status rvi_archive_create(rv_context *ctx, const char *path, const char magic[RVI_MAGIC],
                             rvi_archive_writer *out) {
    *out = (rvi_archive_writer){.ctx = ctx};
    uint32_t order = ORDER;
    out->part = rvi_alloc(ctx, PART, 1, "a checkpoint");
    rv_status status = out->part ? rvi_writer_open(ctx, path, &out->writer) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_archive_put(out, magic, RVI_MAGIC);
    if (status == RV_OK)
        status = rvi_archive_put(out, &order, sizeof order);
    return status;
}

static rv_status flush(rvi_archive_writer *to) {
    to->hash = rvi_hash(to->part, to->held, to->hash);
    rv_status status = rvi_writer_put(to->writer, to->part, to->held);
    to->held = 0;
    return status == RV_OK ? rvi_poll(to->ctx) : status;
}

rv_status rvi_archive_put(rvi_archive_writer *to, const void *data, size_t size) {
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

bool rvi_archive_is(rv_context *ctx, const char *path, const char magic[RVI_MAGIC]) {
    rvi_bytes bytes;
    uint64_t total;
    if (rvi_file_read_start(ctx, path, RVI_MAGIC, &bytes, &total) != RV_OK)
        return false;
    bool same = bytes.size == RVI_MAGIC && memcmp(bytes.data, magic, RVI_MAGIC) == 0;
    rvi_free(ctx, bytes.data);
    return same;
}

uint64_t rvi_archive_hash(rv_context *ctx, const unsigned char *data, size_t size) {
    return rvi_bytes_hash(ctx, data, size);
}

rv_status rvi_archive_decode(rv_context *ctx, const char *name, const unsigned char *data,
                             size_t size, const char magic[RVI_MAGIC], const char *expected,
                             rvi_archive *out) {
    *out = (rvi_archive){.ctx = ctx, .name = name, .data = data};
    uint32_t order;
    uint64_t told;
    size_t head = RVI_MAGIC + sizeof order;
    if (size < RVI_MAGIC || memcmp(data, magic, RVI_MAGIC) != 0)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: is not %s.", name, expected);
    if (size < head + sizeof told)
        return rvi_archive_damaged(out);
    memcpy(&order, data + RVI_MAGIC, sizeof order);
    if (order != ORDER)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: was made on a machine with another byte order.",
                        name);
    out->size = size - sizeof told;
    out->at = head;
    memcpy(&told, data + out->size, sizeof told);
    uint64_t right = rvi_archive_hash(ctx, data, out->size);
    if (rvi_poll(ctx) != RV_OK)
        return RV_CANCELLED;
    return told == right ? RV_OK : rvi_archive_damaged(out);
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
