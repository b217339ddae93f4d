/* surface_cell.h: slope and curvature of one cell, for the processor and for devices; surface.c
 * has the equations. */
#ifndef RVI_MEASURE_SURFACE_CELL_H
#define RVI_MEASURE_SURFACE_CELL_H

#ifndef __OPENCL_VERSION__
#include <math.h>
#endif

typedef struct rvi_shape {
    float slope;     /* gradient, metres a metre */
    float curvature; /* Laplacian, 1 / m: above 0 in hollows */
} rvi_shape;

/* Of nine heights, metres, row by row from the north-west corner; cells of so many metres. */
static inline rvi_shape rvi_shape_of(const double *z, double cell) {
    double a = z[0], b = z[1], c = z[2], d = z[3], e = z[4], f = z[5], g = z[6], h = z[7], j = z[8];
    double p = ((c + f + j) - (a + d + g)) / (6 * cell);
    double q = ((a + b + c) - (g + h + j)) / (6 * cell);
    double r = (a + c + d + f + g + j) - 2 * (b + e + h);
    double t = (a + b + c + g + h + j) - 2 * (d + e + f);
    rvi_shape shape = {(float)sqrt(p * p + q * q), (float)((r + t) / (3 * cell * cell))};
    return shape;
}

#endif
