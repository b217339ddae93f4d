/* archive.h: a file of bytes one after the other, with a magic word before them and a hash behind:
 * one that was cut or changed is refused whole.
 *
 * The magic word has 16 bytes and stands for what is in the file and its version. */
#ifndef RVI_BASE_ARCHIVE_H
#define RVI_BASE_ARCHIVE_H

#include "base/file.h"

enum { RVI_MAGIC = 16 };

typedef struct rvi_archive_writer {
    rv_context *ctx;
    rvi_writer *writer;
    unsigned char *part; /* what comes next, hashed when it is full */
    size_t held;
    uint64_t hash;
} rvi_archive_writer;

/* Ends in rvi_archive_close, whatever it returns. */
rv_status rvi_archive_create(rv_context *ctx, const char *path, const char magic[RVI_MAGIC],
                             rvi_archive_writer *out);
rv_status rvi_archive_put(rvi_archive_writer *to, const void *data, size_t size);
/* Ends it: the file is there, or after a failure, which `status` may be, nothing. */
rv_status rvi_archive_close(rvi_archive_writer *to, rv_status status);

/* To read from. */
typedef struct rvi_archive {
    rv_context *ctx;
    const char *name;
    const unsigned char *data;
    size_t size, at; /* without the hash */
} rvi_archive;

/* Does a file begin like one? */
bool rvi_archive_is(rv_context *ctx, const char *path, const char magic[RVI_MAGIC]);
/* Bytes of a whole file, which must outlive it. `expected` is what a sentence calls it ("a
 * checkpoint"). */
rv_status rvi_archive_decode(rv_context *ctx, const char *name, const unsigned char *data,
                             size_t size, const char magic[RVI_MAGIC], const char *expected,
                             rvi_archive *out);
rv_status rvi_archive_get(rvi_archive *from, void *to, size_t size);
/* A number, 64 bits, of things of `size` bytes each that follow: refused when they cannot. */
rv_status rvi_archive_get_count(rvi_archive *from, size_t size, size_t *count);
/* The hash that stands behind so many bytes, magic word and all; any number when the user stops. */
uint64_t rvi_archive_hash(rv_context *ctx, const unsigned char *data, size_t size);
rv_status rvi_archive_end(const rvi_archive *from);     /* is nothing left? */
rv_status rvi_archive_damaged(const rvi_archive *from); /* fails, with the sentence */

#endif
