/* drop_lengths.h: how wide drops erode and how far they move, against the cells of the land. */
#ifndef RVI_WEAR_DROP_LENGTHS_H
#define RVI_WEAR_DROP_LENGTHS_H

#include <ravine/ravine.h>

/* Both in m. RV_ERROR_USAGE with a sentence of `step` when the cells are too fine or too coarse for
 * them. */
rv_status rvi_drop_lengths_check(rv_context *ctx, const char *step, float radius, float move,
                                 float cell);

#endif
