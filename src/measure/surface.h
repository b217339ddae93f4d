/* surface.h: what a height, a slope and a curvature is like here. */
#ifndef RVI_MEASURE_SURFACE_H
#define RVI_MEASURE_SURFACE_H

#include "measure/ground.h"
#include "measure/statistics.h"
#include "measure/surface_cell.h"

enum { RVI_CURVE = 101 }; /* points of a hypsometric curve */

typedef struct rvi_surface {
    double mean;                /* height, metres */
    double integral;            /* hypsometric: (mean - low) / (high - low) */
    double curve[RVI_CURVE];    /* height, 0 to 1, that k / 100 of the area stands above */
    rvi_distribution slope;     /* gradient, metres a metre */
    rvi_distribution curvature; /* Laplacian, 1 / m: above 0 in hollows */
} rvi_surface;

rv_status rvi_surface_measure(const rvi_ground *ground, rvi_surface *out);

#endif
