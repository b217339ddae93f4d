/* factor_cell.h: the erosion factor of a cell, for the processor and for devices. */
#ifndef RVI_WEAR_FACTOR_CELL_H
#define RVI_WEAR_FACTOR_CELL_H

#include "base/math.h"

/* Where cells of the map and of its margin are in the grids. */
typedef struct rvi_factor_place {
    uint64_t first, stride; /* cell (x, y) of the map is at first + y * stride + x */
    int width, height, margin, unused;
} rvi_factor_place;

static inline size_t rvi_factor_at(const rvi_factor_place *p, int x, int y) {
    return (size_t)((int64_t)p->first + (int64_t)y * (int64_t)p->stride + (int64_t)x);
}

/* `bare` is the erodibility of bare bedrock, `soft` 1 minus the hardness. */
static inline float rvi_factor_of(float bare, float mask, float soft) {
    return bare * (mask * soft);
}

#endif
