/* archive.h: a file of bytes one after the other, with a magic word before them and a hash behind:
 * one that was cut or changed is refused whole.
 *
 * The magic word has 16 bytes and stands for what is in the file and its version. The number of the
 * run that wrote the file follows (run_files.h): no other run replaces it or removes it. */
#ifndef RVI_BASE_ARCHIVE_H
#define RVI_BASE_ARCHIVE_H

#include "base/file.h"

enum { RVI_MAGIC = 16 };

typedef struct rvi_archive_writer {
    rv_context *ctx;
    const char *path;
    uint64_t run;
    bool any;            /* may replace the archive of another run; the caller may set it */
    rvi_writer *writer;  /* NULL: it is kept in memory */
    unsigned char *part; /* what comes next, hashed when it is full; in memory, all of it */
    size_t held, room;
    uint64_t hash;
} rvi_archive_writer;

/* Ends in rvi_archive_close, whatever it returns. `path` must outlive it. */
rv_status rvi_archive_create(rv_context *ctx, const char *path, const char magic[RVI_MAGIC],
                             uint64_t run, rvi_archive_writer *out);
rv_status rvi_archive_put(rvi_archive_writer *to, const void *data, size_t size);
/* Ends it: the file is there, or after a failure, which `status` may be, nothing. */
rv_status rvi_archive_close(rvi_archive_writer *to, rv_status status);

/* The same in memory, for this process alone. Begins anew in the memory that it has; at first it is
 * all zero. Read it from rvi_archive_kept, whose `name` stands in sentences. */
void rvi_archive_keep(rv_context *ctx, rvi_archive_writer *out);
void rvi_archive_forget(rvi_archive_writer *kept);

/* Can a run write its archive there? Only where nothing is, or what it wrote before:
 * RV_ERROR_OUTPUT with a sentence where not. rvi_archive_close asks again. */
rv_status rvi_archive_check_target(rv_context *ctx, const char *path, uint64_t run);
/* Is it an archive of that run? Asks nobody and needs no memory. */
typedef enum rvi_belongs {
    RVI_BELONGS_NOT, /* there is none, or one of another run */
    RVI_BELONGS,
    RVI_BELONGS_UNKNOWN, /* it cannot be read now */
} rvi_belongs;
rvi_belongs rvi_archive_is_of(const char *path, uint64_t run);
void rvi_archive_remove(const char *path, uint64_t run); /* when it is */

/* To read from. */
typedef struct rvi_archive {
    rv_context *ctx;
    const char *name;
    uint64_t run;
    const unsigned char *data;
    size_t size, at; /* without the hash */
} rvi_archive;

rvi_archive rvi_archive_kept(const rvi_archive_writer *kept, const char *name);

/* Does a file begin like one, of any version? */
bool rvi_archive_is(rv_context *ctx, const char *path, const char magic[RVI_MAGIC]);
/* Bytes of a whole file, which must outlive it. `expected` is what a sentence calls it ("a
 * checkpoint"). Of the magic word of another version only the number before the line's end differs.
 */
rv_status rvi_archive_decode(rv_context *ctx, const char *name, const unsigned char *data,
                             size_t size, const char magic[RVI_MAGIC], const char *expected,
                             rvi_archive *out);
rv_status rvi_archive_get(rvi_archive *from, void *to, size_t size);
/* A number, 64 bits, of things of `size` bytes each that follow: refused when they cannot. */
rv_status rvi_archive_get_count(rvi_archive *from, size_t size, size_t *count);
rv_status rvi_archive_end(const rvi_archive *from);     /* is nothing left? */
rv_status rvi_archive_damaged(const rvi_archive *from); /* fails, with the sentence */

#endif
