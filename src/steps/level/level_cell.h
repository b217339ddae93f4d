/* level_cell.h: the arithmetic of one cell of level.c, for the processor and for devices. */
#ifndef RVI_STEPS_LEVEL_LEVEL_CELL_H
#define RVI_STEPS_LEVEL_LEVEL_CELL_H

#include "base/math.h"

typedef struct rvi_level_range {
    float lowest, span; /* of the land as it is */
    float low, high;
} rvi_level_range;

static inline float rvi_level_cell(rvi_level_range r, float height) {
    float t = (height - r.lowest) / r.span;
    float to = r.low + t * (r.high - r.low);
    to = rvi_clampf(to, rvi_minf(r.low, r.high), rvi_maxf(r.low, r.high));
    return t < 1 ? to : r.high;
}

#endif
