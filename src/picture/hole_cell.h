/* hole_cell.h: where a hole lies, for the processor and for devices. */
#ifndef RVI_PICTURE_HOLE_CELL_H
#define RVI_PICTURE_HOLE_CELL_H

#include "base/math.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#endif

enum { RVI_HOLE_REACH = 3 }; /* cells */

/* Where the hole lies as seen from a place of its edge, in cells: east and south, of length 1.
 * false: it lies on all sides alike. */
static inline bool rvi_hole_edge_facing(RVI_GRID const float *hole, int width, int height, double x,
                                        double y, float out[2]) {
    int i = (int)x, j = (int)y;
    float sum[2] = {0, 0};
    for (int v = rvi_maxi(j - RVI_HOLE_REACH, 0); v <= rvi_mini(j + RVI_HOLE_REACH + 1, height - 1);
         v++)
        for (int u = rvi_maxi(i - RVI_HOLE_REACH, 0);
             u <= rvi_mini(i + RVI_HOLE_REACH + 1, width - 1); u++) {
            float east = (float)(u - x), south = (float)(v - y);
            float share = RVI_HOLE_REACH + 1 - sqrtf(east * east + south * south);
            if (share > 0 && hole[(size_t)v * (size_t)width + (size_t)u] > 0.5f) {
                sum[0] += share * east;
                sum[1] += share * south;
            }
        }
    float length = sqrtf(sum[0] * sum[0] + sum[1] * sum[1]);
    if (!(length > 1e-3f))
        return false;
    out[0] = sum[0] / length;
    out[1] = sum[1] / length;
    return true;
}

#endif
