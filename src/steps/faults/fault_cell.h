/* fault_cell.h: how one fault raises one cell of faults.c, for the processor and for devices. */
#ifndef RVI_STEPS_FAULTS_FAULT_CELL_H
#define RVI_STEPS_FAULTS_FAULT_CELL_H

#include "base/math.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#endif

typedef struct rvi_fault {
    double x, y;        /* a point of the line, or the centre of the circle, in widths */
    double along, down; /* the line's normal */
    double radius;      /* in widths */
    double side;        /* 1 or -1 */
    float height;       /* a_i */
    float unused;
} rvi_fault;

enum { RVI_FAULT_STEP, RVI_FAULT_ATAN, RVI_FAULT_SIN, RVI_FAULT_COS, RVI_FAULT_BUMP };

/* Where a row begins: its distance from a line at column 0, or from the centre of a circle, in
 * widths. */
static inline double rvi_fault_line(RVI_GRID const rvi_fault *f, double y) {
    return (y - f->y) * f->down - f->x * f->along;
}

/* The distance of a column, in widths. */
static inline double rvi_fault_from_line(RVI_GRID const rvi_fault *f, double start, double step,
                                         int column) {
    return start + (double)column * step * f->along;
}

static inline double rvi_fault_from_circle(RVI_GRID const rvi_fault *f, double dy, double step,
                                           int column) {
    double dx = (double)column * step - f->x;
    return f->side * (f->radius - (double)sqrtf((float)(dx * dx + dy * dy)));
}

/* The fraction of a turn as an angle. */
static inline float rvi_fault_angle(double turns) {
    return (float)((turns - rvi_floor(turns)) * (2 * RVI_PI));
}

/* By how much a cell at this distance rises. */
static inline float rvi_fault_rise(int profile, float height, double x) {
    switch (profile) {
    case RVI_FAULT_STEP:
        return x < 0 ? -height : height;
    case RVI_FAULT_ATAN:
        return height * (float)(2 / RVI_PI) * rvi_atanf((float)x);
    case RVI_FAULT_SIN:
        return height * rvi_sinf(rvi_fault_angle(x));
    case RVI_FAULT_COS:
        return height * rvi_cosf(rvi_fault_angle(x));
    default:
        return height * (1 - rvi_expf(-(float)x * (float)x));
    }
}

#endif
