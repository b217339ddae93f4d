/* runoff_device_cell.h: what runoff_device.c tells its kernels. */
#ifndef RVI_STEPS_RUNOFF_RUNOFF_DEVICE_CELL_H
#define RVI_STEPS_RUNOFF_RUNOFF_DEVICE_CELL_H

#include "steps/runoff/runoff_cell.h"

typedef struct rvi_runoff_shape {
    int width, height;
    int eight, wall; /* 1 or 0 */
    int rows;        /* that an item of a round takes */
} rvi_runoff_shape;

/* Columns that a group works on, those of them on each side that it only looks at, and the rows of
 * three grids that it keeps: of levels, and of what is sent. */
enum { RVI_RUNOFF_GROUP = 128, RVI_RUNOFF_BESIDE = 2, RVI_RUNOFF_KEPT = 8 };

#endif
