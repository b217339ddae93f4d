/* noise_cell.h: the arithmetic of a cell of noise, for the processor and for devices. noise_map.c
 * says what is computed. */
#ifndef RVI_WEAR_NOISE_CELL_H
#define RVI_WEAR_NOISE_CELL_H

#include "base/math.h"
#include "base/random.h"

enum {
    RVI_GRADIENTS = 64,   /* directions */
    RVI_WARP_OCTAVES = 3, /* of each of the two noises that bend the land */
    RVI_NOISE_OCTAVES = 16,
    RVI_SPARSE_LANES = 12 /* three rows of points, with an empty fourth lane each */
};
enum { RVI_NOISE_SPARSE, RVI_NOISE_PERLIN, RVI_NOISE_VALUE }; /* the options of noise basis= */
enum { RVI_NOISE_PLAIN, RVI_NOISE_RIDGED, RVI_NOISE_BILLOW }; /* the options of noise shape= */

#define RVI_GRADIENT_SCALE 1.41421356f /* gradient noise ends at sqrt(1/2) */

/* Of sparse noise. Points stand in the middle half of their lattice cell, both ways, so that what
 * reaches a place, at most 1.1 away, stands in the nine cells around it. With these numbers it is
 * as high and as steep as gradient noise: a standard deviation of 0.306, 1.21 of slope in a
 * feature. */
#define RVI_SPARSE_SPREAD 0.5f
#define RVI_SPARSE_REACH 1.1f
#define RVI_SPARSE_DENSITY 0.942 /* lattice cells in a feature */
#define RVI_SPARSE_SCALE 1.912f

/* Both have the same layout for the processor and for devices: no gaps. */
typedef struct rvi_octave {
    double turn_x, turn_y;   /* cosine and sine of the turn, times the frequency L^i */
    double shift_x, shift_y; /* lattice cells */
    double bent;             /* c_i */
    uint64_t key;            /* hashed with lattice points */
    float height;            /* a_i */
    float crease;            /* e_i */
} rvi_octave;

typedef struct rvi_noise {
    rvi_octave octaves[RVI_NOISE_OCTAVES], warps[2][RVI_WARP_OCTAVES];
    double step_x, step_y; /* features between neighbouring cells */
    float gradients[RVI_GRADIENTS][2];
    float warp;
    int count; /* of octaves */
    int basis, warp_basis;
    int shape;
    int width;
} rvi_noise;

/* Where a place lies in the lattice of an octave: in which cell, and where in that. */
typedef struct rvi_lattice_place {
    double left, top;
    float x, y;
} rvi_lattice_place;

static inline rvi_lattice_place rvi_noise_place(double turn_x, double turn_y, double shift_x,
                                                double shift_y, double px, double py) {
    double x = turn_x * px - turn_y * py + shift_x;
    double y = turn_y * px + turn_x * py + shift_y;
    double left = rvi_floor(x), top = rvi_floor(y);
    return (rvi_lattice_place){left, top, (float)(x - left), (float)(y - top)};
}

/* The random bits of corner k of a lattice cell. */
static inline uint64_t rvi_noise_corner(uint64_t key, double left, double top, int k) {
    uint64_t x = (uint64_t)(int64_t)left + (uint64_t)(k & 1);
    uint64_t y = (uint64_t)(int64_t)top + (uint64_t)(k >> 1);
    return rvi_mix(rvi_mix(x ^ key) + y);
}

/* The point of sparse noise in a lattice cell, which lies `column` and `row` from the one that a
 * place is in, as seen from the lower corner of that; and the number of its gradient. */
typedef struct rvi_sparse_point {
    float x, y;
    int gradient;
} rvi_sparse_point;

static inline rvi_sparse_point rvi_noise_point(uint64_t key, double left, double top, int column,
                                               int row) {
    uint64_t bits = rvi_noise_corner(key, left + column, top + row, 0);
    const float edge = (1 - RVI_SPARSE_SPREAD) / 2;
    return (rvi_sparse_point){
        (float)column + (edge + RVI_SPARSE_SPREAD * rvi_unit(bits << 6)),
        (float)row + (edge + RVI_SPARSE_SPREAD * rvi_unit(bits << 30)),
        (int)(bits >> 58),
    };
}

/* What the gradient of corner k says of a place. */
static inline float rvi_noise_slope(float gradient_x, float gradient_y, float x, float y, int k) {
    return gradient_x * (x - (float)(k & 1)) + gradient_y * (y - (float)(k >> 1));
}

static inline float rvi_noise_fade(float t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

static inline float rvi_noise_mix(float a, float b, float share) {
    return a + share * (b - a);
}

static inline float rvi_noise_between(float v0, float v1, float v2, float v3, float x, float y) {
    float u = rvi_noise_fade(x);
    return rvi_noise_mix(rvi_noise_mix(v0, v1, u), rvi_noise_mix(v2, v3, u), rvi_noise_fade(y));
}

/* What an octave adds. `weight` is w_i, and becomes w_(i+1). */
static inline float rvi_noise_add(int shape, float height, float crease, float value,
                                  float *weight) {
    float size = sqrtf(value * value + crease * crease) - crease;
    if (shape == RVI_NOISE_RIDGED) {
        float ridge = *weight * ((1 - size) * (1 - size));
        *weight = rvi_minf(1, 2 * ridge);
        return height * ridge;
    }
    return height * (shape == RVI_NOISE_BILLOW ? size : value);
}

#endif
