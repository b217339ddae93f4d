/* drain_cell.h: the arithmetic of one cell of drain.c, for the processor and for devices. */
#ifndef RVI_STEPS_DRAIN_DRAIN_CELL_H
#define RVI_STEPS_DRAIN_DRAIN_CELL_H

#include "base/math.h"

/* The next float upwards, for floats that are not negative zero. */
static inline float rvi_drain_next_up(float x) {
    uint32_t bits = rvi_bits_of_float(x + 0.0f);
    return rvi_float_from_bits(bits >> 31 ? bits - 1 : bits + 1);
}

/* How much lower a receiver must be at least. */
static inline double rvi_drain_fall(double slope, double cell, int direction) {
    double distance = cell * (direction < 4 ? 1.0 : 1.41421356237309505);
    return slope * distance;
}

/* What a donor leaves of its receiver, which is not cut below `least`. */
static inline double rvi_drain_breach(double z, double donor, double fall, double least) {
    double low = donor - fall;
    low = low > least ? low : least;
    return low < z ? low : z;
}

/* A cell above its receiver, as a float, so that no rounding makes a new pit. */
static inline float rvi_drain_fill(double z, double receiver, double fall, int slopes) {
    float height = (float)z, below = (float)receiver, least = (float)(receiver + fall);
    int level = slopes && !(rvi_maxf(height, least) > below);
    return level ? rvi_drain_next_up(below) : rvi_maxf(height, least);
}

#endif
