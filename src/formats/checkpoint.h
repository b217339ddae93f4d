/* checkpoint.h: a run between two steps, as a file: the recipe, where it stands, and the land. */
#ifndef RVI_FORMATS_CHECKPOINT_H
#define RVI_FORMATS_CHECKPOINT_H

#include "terrain/state.h"

enum { RVI_CHECKPOINT_NUMBERS = 32 };

typedef struct rvi_checkpoint {
    uint64_t run; /* the number of the run: base/run_files.h */
    rv_terrain *land;
    char *text;                              /* the recipe; from rvi_alloc when read */
    int64_t numbers[RVI_CHECKPOINT_NUMBERS]; /* where it stands; what they mean is the recipe's */
} rvi_checkpoint;

rv_status rvi_checkpoint_write(rv_context *ctx, const char *path, const rvi_checkpoint *from);
rv_status rvi_checkpoint_read(rv_context *ctx, const char *path, rvi_checkpoint *out);
/* The same from bytes in memory; `name` for sentences. */
rv_status rvi_checkpoint_decode(rv_context *ctx, const char *name, const unsigned char *data,
                                size_t size, rvi_checkpoint *out);

#endif
