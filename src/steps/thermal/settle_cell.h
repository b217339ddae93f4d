/* settle_cell.h: the arithmetic of slide_settle.c, for the processor and for devices. */
#ifndef RVI_STEPS_THERMAL_SETTLE_CELL_H
#define RVI_STEPS_THERMAL_SETTLE_CELL_H

#include "base/math.h"

#define RVI_SETTLE_STEP (1.0f / 16.0f)

/* On a device: counts that items add to, and cells of a column that an item looks at. */
enum { RVI_SETTLE_LANES = 64, RVI_SETTLE_STRIP = 32 };

/* Sides of the square whose north-west cell is i: i to its east neighbour, the same one row below,
 * i to its south neighbour, the same one column further. */
enum { RVI_SETTLE_ABOVE, RVI_SETTLE_BELOW, RVI_SETTLE_LEFT, RVI_SETTLE_RIGHT, RVI_SETTLE_SIDES };

/* The height of a cell that was h0, with what slid along its edges. */
static inline float rvi_settle_height(float h0, float east, float west, float south, float north) {
    return h0 - ((east - west) + (south - north));
}

/* x of one side of a square. */
static inline float rvi_settle_fall(float g, float from, float to) {
    return g + RVI_SETTLE_STEP * (from - to);
}

/* Held to the signs that may be: forth and back are 1 or 0. */
static inline float rvi_settle_hold(float x, float forth, float back) {
    return rvi_maxf(x, 0.0f) * forth + rvi_minf(x, 0.0f) * back;
}

/* What is kept of x of all four sides. */
static inline float rvi_settle_keep(float limit, float xa, float xb, float xl, float xr) {
    float length = sqrtf((xa * xa + xb * xb) + (xl * xl + xr * xr));
    float shrunk = limit * (1.41421356f * RVI_SETTLE_STEP);
    return rvi_maxf(1.0f - shrunk / rvi_maxf(length, 1e-30f), 0.0f);
}

/* g of a side that keeps x, and had f before. */
static inline float rvi_settle_pull(float x, float f, float momentum) {
    return x + momentum * (x - f);
}

/* Squares that reach over the border hold two falls across it and none along the other side: each
 * of the two must stand by itself, or rounds would have to pull all of the slope after it. */
static inline int rvi_settle_off(int x, int y, int width, int height) {
    return x == 0 || y == 0 || x == width || y == height;
}
static inline float rvi_settle_limit(float limit, int off) {
    return off ? 0.70710678f * limit : limit;
}

/* Did ground slide along a square? Is it not at rest: too steep, or too flat although ground slid?
 * fa, xa: what slid along its sides, and their falls. */
typedef struct rvi_settle_tally {
    int busy, restless; /* squares */
} rvi_settle_tally;
static inline float rvi_settle_size(float f) {
    return rvi_maxf(f, -f);
}
static inline rvi_settle_tally rvi_settle_look(float limit, float margin, float slid, float xa,
                                               float xb, float xl, float xr) {
    float most = limit + margin, least = rvi_maxf(limit - margin, 0.0f), little = 0.01f * limit;
    float fall = 0.5f * ((xa * xa + xb * xb) + (xl * xl + xr * xr));
    rvi_settle_tally t;
    t.busy = slid > little;
    t.restless = fall > most * most || (slid > little && fall < least * least);
    return t;
}

/* All but one square in a few hundred are at rest; the others are left to rounds. */
static inline int rvi_settle_rests(int64_t busy, int64_t restless) {
    return restless * 300 <= busy;
}

/* Ground that slid along an edge, which is a side of two squares, in whole quanta. Doubles add
 * these up without rounding. */
static inline double rvi_settle_slid(float one, float other, double quantum) {
    double magic = 0x1.8p52 * quantum;
    return ((double)(one + other) + magic) - magic;
}

#endif
