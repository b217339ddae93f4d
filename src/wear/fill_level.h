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

/* The lowest cell from (x0, y0) to (x1, y1), both inclusive. Four at a time; the last four of a row
 * may be some of those before, which changes no minimum. */
static RVI_HOT float rvi_lowest_in(const rvi_fill_ground *g, int x0, int y0, int x1, int y1) {
    int wide = x1 - x0 + 1;
    float low = INFINITY;
    rvi_v4 lows = rvi_v4_all(INFINITY);
    for (int y = y0; y <= y1; y++) {
        const float *row = g->h + (size_t)y * g->stride + (size_t)x0;
        for (int i = 0; i < wide && wide < 4; i++)
            low = rvi_minf(low, row[i]);
        for (int i = 0; i + 4 < wide; i += 4)
            lows = rvi_v4_min(lows, rvi_v4_load(row + i));
        if (wide >= 4)
            lows = rvi_v4_min(lows, rvi_v4_load(row + wide - 4));
    }
    for (int k = 0; k < 4; k++)
        low = rvi_minf(low, lows[k]);
    return low;
}

/* The height to which a drop in cell (x, y) at height `here`, which `came` from above in a move of
 * so many cells, may fill the cells within `near` of it: not above where it came from, nor above
 * the slope it came down, up from the lowest cell around. Else it would build dams beside lower
 * ground. */
static RVI_HOT float rvi_fill_level(const rvi_fill_ground *g, int x, int y, float near, float move,
                                    float came, float here) {
    int reach = near > 1.0f ? (int)ceilf(near) + 2 : 1;
    int x0 = rvi_maxi(x - reach, 0), x1 = rvi_mini(x + 1 + reach, g->width - 1);
    int y0 = rvi_maxi(y - reach, 0), y1 = rvi_mini(y + 1 + reach, g->height - 1);
    float low = rvi_lowest_in(g, x0, y0, x1, y1);
    float moves = 1.0f + (float)(reach + 1) / move;
    return rvi_minf(came, low + moves * (came - here));
}

#endif
