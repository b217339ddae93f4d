/* tone_cell.h: from light to the bytes of a pixel, for the processor and for devices. */
#ifndef RVI_PICTURE_TONE_CELL_H
#define RVI_PICTURE_TONE_CELL_H

#include "base/math.h"

#ifndef __OPENCL_VERSION__
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#endif

enum { RVI_TONE_STEPS = 4096 }; /* steps of the sRGB curve */

typedef struct rvi_colour {
    float v[3];
} rvi_colour;

/* A thresholding pattern of B. Bayer, 1973, so that slow gradients show no steps. */
RVI_CONSTANT uint8_t RVI_DITHER[8][8] = {
    {0, 32, 8, 40, 2, 34, 10, 42},  {48, 16, 56, 24, 50, 18, 58, 26},
    {12, 44, 4, 36, 14, 46, 6, 38}, {60, 28, 52, 20, 62, 30, 54, 22},
    {3, 35, 11, 43, 1, 33, 9, 41},  {51, 19, 59, 27, 49, 17, 57, 25},
    {15, 47, 7, 39, 13, 45, 5, 37}, {63, 31, 55, 23, 61, 29, 53, 21}};

/* Light to what a screen shows, 0 to 1, still linear. */
static inline rvi_colour rvi_tone_apply(float exposure, rvi_colour c) {
    for (int k = 0; k < 3; k++) {
        float x = c.v[k] * exposure;
#ifndef __OPENCL_VERSION__
        assert(x >= 0 && x <= 1e30f);
#endif
        c.v[k] = rvi_minf(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 1);
    }
    return c;
}

/* Would an eye see an edge between the two? */
static inline bool rvi_colours_differ(const rvi_colour *a, const rvi_colour *b) {
    for (int k = 0; k < 3; k++)
        if (fabsf(sqrtf(a->v[k]) - sqrtf(b->v[k])) > 0.06f)
            return true;
    return false;
}

static inline float rvi_dither(int x, int y) {
    return ((float)RVI_DITHER[y & 7][x & 7] + 0.5f) / 64;
}

/* A part of a tone-mapped colour at a pixel, as a byte. */
static inline uint8_t rvi_tone_byte(RVI_GRID const float *curve, int x, int y, float v) {
    float at = rvi_clampf(v, 0, 1) * RVI_TONE_STEPS;
    int i = (int)at;
    float level = curve[i] + (at - (float)i) * (curve[i + 1] - curve[i]);
    return (uint8_t)(level + rvi_dither(x, y));
}

#endif
