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
/* The same, from the byte `from` on. */
rv_status rvi_file_read_part(rv_context *ctx, const char *path, uint64_t from, size_t most,
                             rvi_bytes *out, uint64_t *total);
/* The start of a small file of the system as text, where there is no context yet. false: it cannot
 * be read. */
bool rvi_file_peek(const char *path, char *out, size_t room);
/* Up to `size` bytes from the start of a file, without a context and deaf to the wish to stop.
 * Returns how many there are; -1: errno says why not. */
ptrdiff_t rvi_file_head(const char *path, void *out, size_t size);
/* Of the bytes of a file, as rvi_writer_hash gives it. 0 after a stop. */
uint64_t rvi_bytes_hash(rv_context *ctx, const unsigned char *data, size_t size);
/* The same of a file, which is not held in memory as a whole. */
rv_status rvi_file_hash(rv_context *ctx, const char *path, uint64_t *out);
bool rvi_file_exists(const char *path);
/* The last name of a path: what follows the last /, on Windows also \ or the : of a drive. */
const char *rvi_path_name(const char *path);
/* Does it begin at the root or, on Windows, on a drive, and not in the working folder? */
bool rvi_path_whole(const char *path);
/* Where a path leads, over links or not, as a text that all paths to that place share: a folder by
 * its numbers, and a name in it. follow: the name itself may be a link, too. false, and empty: it
 * leads nowhere. */
enum { RVI_PATH_KEY = 320 }; /* bytes that hold one */
bool rvi_path_key(const char *path, bool follow, char key[RVI_PATH_KEY]);
/* Do both paths lead to the same place, over links or not, where a file is or may come to be? */
bool rvi_path_same(const char *a, const char *b);
/* The path that a link leads to, through links to links, else `path` itself. false: no room. */
bool rvi_path_follow(const char *path, char *out, size_t room);
bool rvi_folder_there(const char *path);
/* Makes a folder; one that is there is fine. */
rv_status rvi_folder_make(rv_context *ctx, const char *path);
void rvi_file_remove(const char *path); /* when it is there */
/* The working folder. false: it has no name that fits. */
bool rvi_folder_here(char *out, size_t room);
/* Is a folder the working folder, by whatever name? */
typedef enum rvi_folder_is { RVI_FOLDER_HERE, RVI_FOLDER_OTHER, RVI_FOLDER_GONE } rvi_folder_is;
rvi_folder_is rvi_folder_compare(const char *path);
/* What another program wrote under a temporary name takes its own. */
rv_status rvi_file_rename(rv_context *ctx, const char *temporary, const char *path);

/* Could a file be written there? RV_ERROR_OUTPUT with a sentence when it is clear that not. */
rv_status rvi_file_check_target(rv_context *ctx, const char *path);

/* Removes the temporary files beside `target` that killed processes have left. Every writer does;
 * for runs that write nothing there but have it written, or end. */
void rvi_leftovers_remove(rv_context *ctx, const char *target);

/* A temporary file has the name of its file, .tmp and 16 hexadecimal digits. Its writer holds a
 * lock on it, so that the first writer of a later run can tell those of dead processes, and removes
 * them. Where there was a file, the new one keeps its mode, owner and group as far as the system
 * lets us; its other hard links keep the old file. */
typedef struct rvi_writer rvi_writer;
rv_status rvi_writer_open(rv_context *ctx, const char *path, rvi_writer **out);
/* It is no file of the user's: rv_context_desc.made is not told. */
void rvi_writer_hide(rvi_writer *writer);
/* Asks the user, too: RV_CANCELLED. */
rv_status rvi_writer_put(rvi_writer *writer, const void *data, size_t size);
/* Of all bytes that were put so far. */
uint64_t rvi_writer_hash(const rvi_writer *writer);
/* Writes and syncs all bytes, still under the temporary name: what can fail, but for the rename.
 * Where several files belong together, finish all before the first is committed. */
rv_status rvi_writer_finish(rvi_writer *writer);
/* Both end the writer. Commit: sync and rename; on failure the old file, if any, is as it was. */
rv_status rvi_writer_commit(rvi_writer *writer);
void rvi_writer_abandon(rvi_writer *writer); /* NULL is fine, and so is one that is placed */

/* The right to replace the file at `path` together with another one, such as a sidecar and its
 * data: of several processes one has it, the others wait. */
typedef struct rvi_claim {
    int fd;     /* of the file that is there, locked; -1: none */
    bool there; /* is there one? */
} rvi_claim;
rv_status rvi_claim_take(rv_context *ctx, const char *path, rvi_claim *out);
void rvi_claim_release(rvi_claim *claim);
/* Finishes a writer, whose file takes the claimed name. From then on the writer holds the claim,
 * until it is abandoned. *lost: nothing was done, because another process has made a file there
 * since. */
rv_status rvi_writer_place(rvi_writer *writer, const rvi_claim *claim, bool *lost);

#endif
