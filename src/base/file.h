/* file.h: the only place that reads and writes files. A file appears whole or not at all: bytes go
 * to a temporary name beside it, are synced, and then take the name. */
#ifndef RVI_BASE_FILE_H
#define RVI_BASE_FILE_H

#include <ravine/ravine.h>

typedef struct rvi_bytes {
    unsigned char *data; /* from rvi_alloc, a zero byte follows the last */
    size_t size;
} rvi_bytes;

/* The whole file, or all that comes through a pipe. RV_ERROR_INPUT with a sentence when it is
 * missing, a directory or unreadable. */
rv_status rvi_file_read(rv_context *ctx, const char *path, rvi_bytes *out);
/* At most `most` bytes from its start, for a look at a header; *total is the size of the file. */
rv_status rvi_file_read_start(rv_context *ctx, const char *path, size_t most, rvi_bytes *out,
                              uint64_t *total);
/* The start of a small file of the system as text, where there is no context yet. false: it cannot
 * be read. */
bool rvi_file_peek(const char *path, char *out, size_t room);
bool rvi_file_exists(const char *path);
/* Do both paths lead to the same place, over links or not, where a file is or may come to be? */
bool rvi_path_same(const char *a, const char *b);
void rvi_file_remove(const char *path); /* when it is there */
/* What another program wrote under a temporary name takes its own. */
rv_status rvi_file_rename(rv_context *ctx, const char *temporary, const char *path);

/* Could a file be written there? RV_ERROR_OUTPUT with a sentence when it is clear that not. */
rv_status rvi_file_check_target(rv_context *ctx, const char *path);

typedef struct rvi_writer rvi_writer;
rv_status rvi_writer_open(rv_context *ctx, const char *path, rvi_writer **out);
rv_status rvi_writer_put(rvi_writer *writer, const void *data, size_t size);
/* Writes and syncs all bytes, still under the temporary name: what can fail, but for the rename.
 * Where several files belong together, finish all before the first is committed. */
rv_status rvi_writer_finish(rvi_writer *writer);
/* Both end the writer. Commit: sync and rename; on failure the old file, if any, is as it was. */
rv_status rvi_writer_commit(rvi_writer *writer);
void rvi_writer_abandon(rvi_writer *writer); /* NULL is fine */

#endif
