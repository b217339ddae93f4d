/* column_lane.h: one lane of column_sums.h, for the processor and for devices. */
#ifndef RVI_WEAR_COLUMN_LANE_H
#define RVI_WEAR_COLUMN_LANE_H

#include "base/math.h"

enum { RVI_COLUMN_LANES = 8, RVI_COLUMN_MOST = 8 };

/* Entry by entry, of `width` columns of `entries` doubles. */
static inline double rvi_column_lane(RVI_GRID const double *columns, int entries, int entry,
                                     int lane, int width) {
    double sum = 0.0;
    for (int x = lane; x < width; x += RVI_COLUMN_LANES)
        sum += columns[(size_t)x * (size_t)entries + (size_t)entry];
    return sum;
}

#endif
