/* fill_level.h: how high what a drop lays down may fill the ground. */
#ifndef RVI_WEAR_FILL_LEVEL_H
#define RVI_WEAR_FILL_LEVEL_H

#include "base/lanes.h"
#include "base/math.h"

#include <math.h>
#include <stddef.h>

/* A grid of heights; cell (x, y) is at y * stride + x. */
typedef struct rvi_fill_ground {
    const float *h;
    size_t stride;
    int width, height;
} rvi_fill_ground;

/* The height to which a drop in cell (x, y) at height `here`, which `came` from above in a move of
 * so many cells, may fill the cells within `near` of it: not above where it came from, nor above
 * the slope it came down, up from the lowest cell around. Else it would build dams beside lower
 * ground. */
static RVI_HOT float rvi_fill_level(const rvi_fill_ground *g, int x, int y, float near, float move,
                                    float came, float here) {
    int reach = near > 1.0f ? (int)ceilf(near) + 2 : 1;
    int x0 = rvi_maxi(x - reach, 0), x1 = rvi_mini(x + 1 + reach, g->width - 1);
    int y0 = rvi_maxi(y - reach, 0), y1 = rvi_mini(y + 1 + reach, g->height - 1);
    float low = INFINITY;
    for (int cy = y0; cy <= y1; cy++)
        for (int cx = x0; cx <= x1; cx++)
            low = rvi_minf(low, g->h[(size_t)cy * g->stride + (size_t)cx]);
    float moves = 1.0f + (float)(reach + 1) / move;
    return rvi_minf(came, low + moves * (came - here));
}

#endif
