/* near_cells.h: the cells along one axis that a drop feels and fills. */
#ifndef RVI_WEAR_NEAR_CELLS_H
#define RVI_WEAR_NEAR_CELLS_H

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
    float sum = 0.0f, before = (float)(middle - first + 1), behind = (float)(last - middle);
    float apart = (float)(last - first + 1) * 0.5f; /* of the two means */
    a->first = first;
    a->count = last - first + 1;
    for (int i = 0; i < a->count; i++) {
        float off = (float)(first + i) - pos;
        a->weight[i] = rvi_maxf(1.0f - (off < 0.0f ? -off : off) / near, 0.0f);
        a->slope[i] = first + i <= middle ? -1.0f / (before * apart) : 1.0f / (behind * apart);
        sum += a->weight[i];
    }
    for (int i = 0; i < a->count; i++)
        a->weight[i] /= sum;
    for (int i = a->count; i % 4 != 0; i++)
        a->weight[i] = a->slope[i] = 0.0f;
}

#endif
