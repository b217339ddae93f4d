/* fill_holes.h: cells of a file that have no height. */
#ifndef RVI_STEPS_OPEN_FILL_HOLES_H
#define RVI_STEPS_OPEN_FILL_HOLES_H

#include "formats/format.h"

/* Values that are NaN get a height, and `hole` (from rvi_alloc) is 1 there and 0 elsewhere; NULL:
 * there are none. On failure the values are the caller's still, and *hole is NULL. */
rv_status rvi_holes_fill(rv_context *ctx, const char *file, rvi_image *image, float **hole);

#endif
