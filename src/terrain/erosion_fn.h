/* erosion_fn.h: the erosion factor that a program gives as a function of the place
 * (rv_terrain_hardness). */
#ifndef RVI_TERRAIN_EROSION_FN_H
#define RVI_TERRAIN_EROSION_FN_H

#include "terrain/state.h"

static inline bool rvi_erosion_fn_there(const rv_terrain *land) {
    return land->erosion.fn != NULL;
}

/* What the function says for height z over a cell of the map, 0 to 1. Loops are made for land
 * without a function: the call stays out of their way. */
#if defined(__GNUC__)
__attribute__((cold))
#endif
float rvi_erosion_fn_call(const rv_terrain *land, size_t cell, float z);

/* The same; 1 where there is no function. */
static inline float rvi_erosion_fn(const rv_terrain *land, size_t cell, float z) {
    return rvi_erosion_fn_there(land) ? rvi_erosion_fn_call(land, cell, z) : 1.0f;
}

#endif
