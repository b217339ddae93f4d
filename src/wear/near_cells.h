/* near_cells.h: the cells along one axis that a drop feels and fills. */
#ifndef RVI_WEAR_NEAR_CELLS_H
#define RVI_WEAR_NEAR_CELLS_H

#include "base/lanes.h"
#include "base/math.h"
#include "wear/brush.h"

#include <math.h>

enum { RVI_NEAR_CELLS = 2 * RVI_BRUSH_RADIUS + 8 };

/* Where cells are finer than a move, a drop feels the mean of those around it, weighted as a tent
 *     w_i = max(0, 1 - |i - pos| / near)
 * and slopes from the mean of those before it to the mean of those behind. Where near is one cell
 * this is the bilinear surface. */
typedef struct rvi_near_cells {
    int first, count;
    float weight[RVI_NEAR_CELLS]; /* their sum is 1 */
    float slope[RVI_NEAR_CELLS];  /* what each counts in the slope a cell */
} rvi_near_cells;

static inline void rvi_near_cells_make(float pos, float near, int cells, rvi_near_cells *a) {
    int first = rvi_maxi((int)floorf(pos - near) + 1, 0);
    int last = rvi_mini((int)ceilf(pos + near) - 1, cells - 1);
    int middle = (int)pos; /* the last one before it */
    first = rvi_mini(first, middle);
    last = rvi_maxi(last, rvi_mini(middle + 1, cells - 1)); /* whatever rounding says */
    float before = (float)(middle - first + 1), behind = (float)(last - middle);
    float apart = (float)(last - first + 1) * 0.5f; /* of the two means */
    float down = -1.0f / (before * apart), up = 1.0f / (behind * apart), sum = 0.0f;
    a->first = first;
    a->count = last - first + 1;
    /* Four at a time; those beyond the last weigh nothing, and change no bit of the sum. */
    for (int i = 0; i < a->count; i += 4) {
        rvi_m4 cell = first + i + (rvi_m4){0, 1, 2, 3}, there = cell <= last;
        rvi_v4 off = __builtin_convertvector(cell, rvi_v4) - pos;
        rvi_v4 weight = rvi_v4_max(1.0f - rvi_v4_max(off, -off) / near, rvi_v4_all(0.0f));
        rvi_m4 is_before = cell <= middle;
        rvi_m4 slope =
            (is_before & (rvi_m4)rvi_v4_all(down)) | (~is_before & (rvi_m4)rvi_v4_all(up));
        weight = (rvi_v4)(there & (rvi_m4)weight);
        rvi_v4_store(a->weight + i, weight);
        rvi_v4_store(a->slope + i, (rvi_v4)(there & slope));
        for (int k = 0; k < 4; k++)
            sum += weight[k];
    }
    for (int i = 0; i < a->count; i += 4)
        rvi_v4_store(a->weight + i, rvi_v4_load(a->weight + i) / sum);
}

#endif
