/* volume_file.h: hardness in three dimensions as a NumPy array of shape (z, y, x). */
#ifndef RVI_FORMATS_VOLUME_FILE_H
#define RVI_FORMATS_VOLUME_FILE_H

#include "terrain/state.h"

/* Does the file begin as an array that is no image, of another number of dimensions than two? One
 * that cannot be read does not. */
bool rvi_volume_file_is(rv_context *ctx, const char *path);
/* How many samples it has along each axis. Fails with a sentence where it is cut off, empty or too
 * large. *memory: bytes that rvi_volume_file_read will hold beside the samples. */
rv_status rvi_volume_file_look(rv_context *ctx, const char *path, rvi_hardness_volume *out,
                               size_t *memory);
/* The same, and the samples: from rvi_alloc, each 0 to 1; the lowest slice first, in it the north
 * row. */
rv_status rvi_volume_file_read(rv_context *ctx, const char *path, rvi_hardness_volume *out);

#endif
