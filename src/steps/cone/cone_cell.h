/* cone_cell.h: the height of one cell of cone.c, for the processor and for devices. */
#ifndef RVI_STEPS_CONE_CONE_CELL_H
#define RVI_STEPS_CONE_CONE_CELL_H

#include "base/math.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#endif

typedef struct rvi_cone {
    double x, y, cell; /* metres */
    float radius, power;
} rvi_cone;

static inline float rvi_cone_height(const rvi_cone *c, int column, int row) {
    double dx = column * c->cell - c->x, dy = row * c->cell - c->y;
    float share = 1 - (float)sqrt(dx * dx + dy * dy) / c->radius;
    return share > 0 ? rvi_power(share, c->power) : 0;
}

#endif
