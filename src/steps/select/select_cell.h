/* select_cell.h: what select.c measures at a cell and how it is tested, for the processor and for
 * devices. */
#ifndef RVI_STEPS_SELECT_SELECT_CELL_H
#define RVI_STEPS_SELECT_SELECT_CELL_H

#include "picture/shade_cell.h"

/* Where the value of a name comes from. */
typedef enum rvi_select_origin {
    RVI_SELECT_GRID,
    RVI_SELECT_SLOPE,
    RVI_SELECT_ASPECT,
    RVI_SELECT_CURVATURE,
    RVI_SELECT_DISTANCE,
    RVI_SELECT_NOISE,
    RVI_SELECT_VOLUME
} rvi_select_origin;

/* The land that is measured. */
typedef struct rvi_select_land {
    int width, height;
    float cell;
} rvi_select_land;

static inline float rvi_select_rise(rvi_select_land l, RVI_GRID const float *surface, int x, int y,
                                    int dx, int dy) {
    float rise = rvi_shade_height(surface, l.width, l.height, x + dx, y + dy) -
                 rvi_shade_height(surface, l.width, l.height, x - dx, y - dy);
    return rise / (2 * l.cell);
}

/* Where the ground falls to, clockwise from north; NaN where it is level. */
static inline float rvi_select_aspect(rvi_select_land l, RVI_GRID const float *surface, int x,
                                      int y) {
    float east = rvi_select_rise(l, surface, x, y, 1, 0);
    float south = rvi_select_rise(l, surface, x, y, 0, 1);
    if (east == 0 && south == 0)
        return RVI_NAN;
    float angle = rvi_angle(-east, south) * (float)(180 / RVI_PI);
    return angle < 0 ? angle + 360 : angle;
}

static inline float rvi_select_slope(rvi_select_land l, RVI_GRID const float *surface, int x,
                                     int y) {
    float east = rvi_select_rise(l, surface, x, y, 1, 0);
    float south = rvi_select_rise(l, surface, x, y, 0, 1);
    return rvi_atanf(sqrtf(east * east + south * south)) * (float)(180 / RVI_PI);
}

static inline float rvi_select_curvature(rvi_select_land l, RVI_GRID const float *surface, int x,
                                         int y) {
    int w = l.width, h = l.height;
    float around =
        (rvi_shade_height(surface, w, h, x + 1, y) + rvi_shade_height(surface, w, h, x - 1, y)) +
        (rvi_shade_height(surface, w, h, x, y + 1) + rvi_shade_height(surface, w, h, x, y - 1));
    return (4 * rvi_shade_height(surface, w, h, x, y) - around) / (2 * l.cell * l.cell);
}

/* Of a measure of the surface. */
static inline float rvi_select_measure(int origin, rvi_select_land l, RVI_GRID const float *surface,
                                       int x, int y) {
    return origin == RVI_SELECT_SLOPE    ? rvi_select_slope(l, surface, x, y)
           : origin == RVI_SELECT_ASPECT ? rvi_select_aspect(l, surface, x, y)
                                         : rvi_select_curvature(l, surface, x, y);
}

/* ---- the test ---- */

typedef struct rvi_select_test {
    int test;      /* 0: the value itself, held between 0 and 1 */
    int in, below; /* between low and high; below high; neither: above low */
    int strict;    /* the limit itself does not pass */
    int turns;     /* around the compass */
    float low, high, soft;
} rvi_select_test;

/* How far inside the limits, below 0 outside. */
static inline float rvi_select_depth(const rvi_select_test *t, float v) {
    if (!t->turns)
        return rvi_minf(v - t->low, t->high - v);
    float span = t->high - t->low, along = v - t->low; /* around the compass */
    span += span < 0 ? 360 : 0;
    along += along < 0 ? 360 : 0;
    return along <= span ? rvi_minf(along, span - along) : -rvi_minf(along - span, 360 - along);
}

static inline float rvi_select_pass(const rvi_select_test *t, float v) {
    if (!t->test)
        return rvi_clampf(v, 0, 1);
    float depth = t->in ? rvi_select_depth(t, v) : t->below ? t->high - v : v - t->low;
    if (t->soft > 0)
        return depth == depth ? rvi_clampf(0.5f + depth / t->soft, 0, 1) : 0;
    return t->strict ? (float)(depth > 0) : (float)(depth >= 0);
}

#endif
