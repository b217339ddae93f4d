/* drop_apron.h: the land under drops: the map, and an apron that continues it; for the processor
 * and for devices. */
#ifndef RVI_WEAR_DROP_APRON_H
#define RVI_WEAR_DROP_APRON_H

#include "wear/border.h"

#ifndef __OPENCL_VERSION__
#include <stddef.h>
#endif

enum { RVI_APRON_TURN = 16 }; /* moves */

typedef struct rvi_drop_apron {
    int width, height; /* of the map */
    int margin;
    int turn; /* cells */
} rvi_drop_apron;

/* How the apron goes on i cells beyond the edge: edge + w (edge - mirrored). At first w is 1 and
 * slopes run on without a crease; it falls to -1, the mirrored land itself, within `turn` cells. */
static inline float rvi_drop_apron_weight(int i, int turn) {
    float t = rvi_minf((float)i / (float)turn, 1.0f);
    return 1.0f - 2.0f * t * t * (3.0f - 2.0f * t);
}

static inline float rvi_drop_beyond(float edge, float mirrored, int beyond, int turn) {
    return beyond == 0 ? edge : edge + rvi_drop_apron_weight(beyond, turn) * (edge - mirrored);
}

/* How many cells i is outside of 0 ... size - 1. */
static inline int rvi_drop_beyond_by(int i, int size) {
    return i < 0 ? -i : i >= size ? i - (size - 1) : 0;
}

/* The height of cell (x, y) of map and apron. */
static inline float rvi_drop_apron_height(const rvi_drop_apron *a, RVI_GRID const float *surface,
                                          int x, int y) {
    int land_x = x - a->margin, edge_x = rvi_border_nearest(land_x, a->width);
    int land_y = y - a->margin, edge_y = rvi_border_nearest(land_y, a->height);
    int other_x = rvi_border_mirrored(land_x, a->width);
    int other_y = rvi_border_mirrored(land_y, a->height);
    int out_x = rvi_drop_beyond_by(land_x, a->width), out_y = rvi_drop_beyond_by(land_y, a->height);
    RVI_GRID const float *row = surface + (size_t)edge_y * (size_t)a->width;
    RVI_GRID const float *other = surface + (size_t)other_y * (size_t)a->width;
    float here = rvi_drop_beyond(row[edge_x], row[other_x], out_x, a->turn);
    float there = rvi_drop_beyond(other[edge_x], other[other_x], out_x, a->turn);
    return rvi_drop_beyond(here, there, out_y, a->turn);
}

#endif
