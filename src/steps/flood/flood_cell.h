/* flood_cell.h: the water of one cell of flood.c, for the processor and for devices. */
#ifndef RVI_STEPS_FLOOD_FLOOD_CELL_H
#define RVI_STEPS_FLOOD_FLOOD_CELL_H

#include "base/math.h"

/* Water that stands deeper already stays. */
static inline float rvi_flood_depth(float level, float h, float water) {
    float depth = level - h;
    return rvi_maxf(rvi_maxf(depth, 0.0f), water);
}

/* On the edge of the map, where water leaves? */
static inline int rvi_flood_edge(int x, int y, int width, int height) {
    return x == 0 || y == 0 || x + 1 == width || y + 1 == height;
}

#endif
