/* laying_cell.h: how much of a layer is laid on one cell, for the processor and for devices.
 * Equations: layer.c. */
#ifndef RVI_STEPS_LAYER_LAYING_CELL_H
#define RVI_STEPS_LAYER_LAYING_CELL_H

#include "base/math.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#include <stddef.h>
#endif

typedef struct rvi_laying_law {
    float thickness; /* to be added, metres */
    float noise, noise_low, noise_span;
    float below, fade, slope; /* below and slope NaN: do not count */
    float cell;
    int width, height;
} rvi_laying_law;

/* The slope of the surface, degrees. */
static inline float rvi_laying_angle(const rvi_laying_law *l, RVI_GRID const float *surface, int x,
                                     int y) {
    int west = rvi_maxi(x - 1, 0), east = rvi_mini(x + 1, l->width - 1);
    int north = rvi_maxi(y - 1, 0), south = rvi_mini(y + 1, l->height - 1);
    RVI_GRID const float *row = surface + (size_t)y * (size_t)l->width, *column = surface + x;
    float across = (float)rvi_maxi(east - west, 1) * l->cell;
    float down = (float)rvi_maxi(south - north, 1) * l->cell;
    float gx = (row[east] - row[west]) / across;
    float gy =
        (column[(size_t)south * (size_t)l->width] - column[(size_t)north * (size_t)l->width]) /
        down;
    return rvi_atanf(sqrtf(gx * gx + gy * gy)) * (float)(180 / RVI_PI);
}

/* mask, image and noise NULL: none. */
static inline float rvi_laying_amount(const rvi_laying_law *l, RVI_GRID const float *surface,
                                      RVI_GRID const float *image, RVI_GRID const float *mask,
                                      RVI_GRID const float *noise, int x, int y) {
    size_t i = (size_t)y * (size_t)l->width + (size_t)x;
    float amount = l->thickness;
    amount *= image ? image[i] : 1.0f;
    amount *= mask ? mask[i] : 1.0f;
    if (noise)
        amount *= 1 - l->noise * (1 - (noise[i] - l->noise_low) / l->noise_span);
    if (l->below == l->below) {
        float under = l->below - surface[i];
        amount *= l->fade > 0 ? rvi_clampf(under / l->fade, 0, 1) : (float)(under > 0);
    }
    if (l->slope == l->slope) {
        float under = l->slope - rvi_laying_angle(l, surface, x, y);
        amount *= under > 0 ? rvi_minf(under / (0.2f * l->slope), 1) : 0;
    }
    return amount;
}

#endif
