/* volume_cell.h: the hardness in three dimensions at one place, for the processor and for devices;
 * hardness_volume.c has the equations. Who has the members of a law in another struct calls
 * that RVI_VOLUME. */
#ifndef RVI_TERRAIN_VOLUME_CELL_H
#define RVI_TERRAIN_VOLUME_CELL_H

#include "base/math.h"
#include "base/random.h"
#include "terrain/volume_law.h"

#ifndef RVI_VOLUME
#define RVI_VOLUME rvi_volume_law
#endif

#ifndef __OPENCL_VERSION__
#include <stddef.h>
#endif

enum { RVI_VOLUME_OCTAVES = 8 };

/* ---- samples ---- */

/* The sample below a place along an axis, and the part of the way to the next. */
static inline int32_t rvi_volume_find(double at, int32_t count, double *part) {
    double last = (double)(count - 1);
    at = at > 0.0 ? at < last ? at : last : 0.0; /* NaN: 0 */
    int32_t i = (int32_t)at;
    i = i == count - 1 && i > 0 ? i - 1 : i;
    *part = at - (double)i;
    return i;
}

static inline double rvi_volume_mix(double a, double b, double part) {
    return a + part * (b - a);
}

static inline float rvi_volume_sampled(RVI_GRID const RVI_VOLUME *v, RVI_GRID const float *values,
                                       double x, double y, double z) {
    double px, py, pz, value[2];
    size_t i = (size_t)rvi_volume_find(x / v->step_x, v->columns, &px);
    size_t j = (size_t)rvi_volume_find(y / v->step_y, v->rows, &py);
    size_t k = (size_t)rvi_volume_find((z - v->low) / v->step_z, v->slices, &pz);
    size_t east = v->columns > 1, south = v->rows > 1 ? (size_t)v->columns : 0;
    size_t slice = (size_t)v->columns * (size_t)v->rows;
    for (size_t up = 0; up < 2; up++) {
        RVI_GRID const float *at =
            values + (v->slices > 1 ? k + up : k) * slice + j * (size_t)v->columns + i;
        value[up] =
            rvi_volume_mix(rvi_volume_mix((double)at[0], (double)at[east], px),
                           rvi_volume_mix((double)at[south], (double)at[south + east], px), py);
    }
    return (float)rvi_volume_mix(value[0], value[1], pz);
}

/* ---- noise ---- */

static inline float rvi_volume_fade(float t) {
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

static inline float rvi_volume_between(float a, float b, float part) {
    return a + part * (b - a);
}

/* The 12 directions to the middles of the edges of a cube, four of them twice. */
RVI_CONSTANT float RVI_VOLUME_GRADIENTS[16][3] = {
    {1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}, {1, 0, 1}, {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1},
    {0, 1, 1}, {0, -1, 1}, {0, 1, -1}, {0, -1, -1}, {1, 1, 0}, {-1, 1, 0}, {0, -1, 1}, {0, -1, -1},
};

static inline float rvi_volume_slope(uint64_t which, float x, float y, float z) {
    return RVI_VOLUME_GRADIENTS[which][0] * x + RVI_VOLUME_GRADIENTS[which][1] * y +
           RVI_VOLUME_GRADIENTS[which][2] * z;
}

/* Which gradient a lattice point has. It is asked so often that it has one round of mixing, which
 * is enough for four bits. */
static inline uint64_t rvi_volume_gradient(uint64_t point) {
    point = (point ^ point >> 29) * UINT64_C(0x3c79ac492ba7b653);
    return (point ^ point >> 32) * UINT64_C(0x1c69b3f74ac4ae35) >> 60;
}

static inline float rvi_volume_perlin(uint64_t key, double x, double y, double z) {
    const uint64_t east = UINT64_C(0x9e3779b97f4a7c15), south = UINT64_C(0x632be59bd9b4e019),
                   up = UINT64_C(0xd1b54a32d192ed03);
    double left = rvi_floor(x), top = rvi_floor(y), low = rvi_floor(z);
    uint64_t corner = key + (uint64_t)(int64_t)left * east + (uint64_t)(int64_t)top * south +
                      (uint64_t)(int64_t)low * up;
    float fx = (float)(x - left), fy = (float)(y - top), fz = (float)(z - low);
    float u = rvi_volume_fade(fx), v = rvi_volume_fade(fy), row[4];
    for (int i = 0; i < 4; i++) {
        uint64_t line = corner + (i & 1 ? south : 0) + (i & 2 ? up : 0);
        float dy = fy - (float)(i & 1), dz = fz - (float)(i >> 1);
        row[i] = rvi_volume_between(
            rvi_volume_slope(rvi_volume_gradient(line), fx, dy, dz),
            rvi_volume_slope(rvi_volume_gradient(line + east), fx - 1.0f, dy, dz), u);
    }
    return rvi_volume_between(rvi_volume_between(row[0], row[1], v),
                              rvi_volume_between(row[2], row[3], v), rvi_volume_fade(fz));
}

/* Cosine and sine of the turn of each octave: steps of the golden section of half a turn. */
RVI_CONSTANT double RVI_VOLUME_TURNS[RVI_VOLUME_OCTAVES][2] = {
    {0.975917, 0.218143},  {-0.556964, 0.830536},  {-0.572257, -0.820074}, {0.971707, -0.236188},
    {-0.131988, 0.991251}, {-0.876049, -0.482222}, {0.766904, -0.641761},  {0.320235, 0.947338},
};

static inline float rvi_volume_noisy(RVI_GRID const RVI_VOLUME *v, double x, double y, double z) {
    float sum = 0.0f, all = 0.0f, share = 1.0f;
    double fine = 1.0;
    x /= v->step_x;
    y /= v->step_y;
    z /= v->step_z;
    for (int i = 0; i < v->octaves; i++) {
        uint64_t draw = rvi_mix(v->seed + (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15));
        double c = RVI_VOLUME_TURNS[i][0] * fine, s = RVI_VOLUME_TURNS[i][1] * fine;
        double shift = 1024.0 * (double)rvi_unit(draw);
        sum += share * rvi_volume_perlin(draw, c * x - s * y + shift, s * x + c * y - shift,
                                         fine * z + 0.5 * shift);
        all += share;
        share *= 0.5f;
        fine *= 2.0;
    }
    return v->noise * rvi_smoothstep(-0.2f, 0.2f, sum / all);
}

/* 0 to 1; (0, 0) is the centre of the map's north-west cell. `values`: the samples. Apart in OpenCL
 * C: it is long, and kernels have it in several places. */
#ifdef __OPENCL_VERSION__
__attribute__((noinline)) static float
#else
static inline float
#endif
rvi_volume_at(RVI_GRID const RVI_VOLUME *v, RVI_GRID const float *values, double x, double y,
              float z) {
    double height = (double)rvi_maxf(-1e9f, rvi_minf(z, 1e9f));
    x += v->x;
    y += v->y;
    return v->octaves > 0 ? rvi_volume_noisy(v, x, y, height)
                          : rvi_volume_sampled(v, values, x, y, height);
}

#endif
