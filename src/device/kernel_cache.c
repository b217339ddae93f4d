/* kernel_cache.c: kernels that a driver has compiled, kept in files for later runs. A file holds a
 * mark, the hash of the binary, and the binary. */
#include "device/kernel_cache.h"
#include "base/context.h"
#include "base/file_owner.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 1024, HEAD = 16 };
static const char MARK[8] = "RVKERNEL";

static bool find_or_make(rv_context *ctx, const char *folder, bool make) {
    return rvi_folder_there(folder) || (make && rvi_folder_make(ctx, folder) == RV_OK);
}

/* False: it is not there, there shall be none, or others may write to it, who could leave us code
 * to run. */
static bool find_folder(rv_context *ctx, bool make, char out[PATH_ROOM]) {
    const char *own = getenv("RAVINE_CACHE"), *base = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int used = 0;
    if (own) {
        used = snprintf(out, PATH_ROOM, "%s", own);
    } else if (base && base[0]) {
        used = snprintf(out, PATH_ROOM, "%s/ravine", base);
    } else if (home && home[0]) {
        snprintf(out, PATH_ROOM, "%s/.cache", home);
        if (!find_or_make(ctx, out, make))
            return false;
        used = snprintf(out, PATH_ROOM, "%s/.cache/ravine", home);
    }
    return used > 0 && used < PATH_ROOM - 64 && find_or_make(ctx, out, make) && rvi_folder_own(out);
}

static bool find_file(rv_context *ctx, uint64_t key, bool make, char out[PATH_ROOM]) {
    if (!find_folder(ctx, make, out))
        return false;
    size_t used = strlen(out);
    snprintf(out + used, PATH_ROOM - used, "/%016" PRIx64 ".kernel", key);
    return true;
}

/* With the key in it: a file under another name is not taken. */
static uint64_t hash_of(const void *binary, size_t size, uint64_t key) {
    return rvi_hash(binary, size, key);
}

bool rvi_kernel_cache_read(rv_context *ctx, uint64_t key, rvi_bytes *out) {
    char path[PATH_ROOM];
    uint64_t hash;
    if (!find_file(ctx, key, false, path) || !rvi_file_exists(path) ||
        rvi_file_read(ctx, path, out) != RV_OK)
        return false;
    bool good = out->size > HEAD && memcmp(out->data, MARK, sizeof MARK) == 0;
    if (good) {
        memcpy(&hash, out->data + sizeof MARK, sizeof hash);
        out->size -= HEAD;
        memmove(out->data, out->data + HEAD, out->size);
        good = hash == hash_of(out->data, out->size, key);
    }
    if (!good)
        rvi_free(ctx, out->data);
    return good;
}

void rvi_kernel_cache_write(rv_context *ctx, uint64_t key, const void *binary, size_t size) {
    char path[PATH_ROOM];
    uint64_t hash = hash_of(binary, size, key);
    rvi_writer *writer;
    if (!find_file(ctx, key, true, path) || rvi_writer_open(ctx, path, &writer) != RV_OK)
        return;
    rvi_writer_hide(writer);
    rv_status status = rvi_writer_put(writer, MARK, sizeof MARK);
    if (status == RV_OK)
        status = rvi_writer_put(writer, &hash, sizeof hash);
    if (status == RV_OK)
        status = rvi_writer_put(writer, binary, size);
    if (status == RV_OK)
        rvi_writer_commit(writer);
    else
        rvi_writer_abandon(writer);
}
