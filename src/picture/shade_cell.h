/* shade_cell.h: how one cell is lit and coloured by shade.c, for the processor and for devices. */
#ifndef RVI_PICTURE_SHADE_CELL_H
#define RVI_PICTURE_SHADE_CELL_H

#include "base/math.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#endif

typedef struct rvi_shade_rules {
    float scale;           /* z / (8 cell) */
    float up, east, north; /* the direction of the light */
    float low, span;       /* heights, for the colours */
    int width, height;     /* of the map */
} rvi_shade_rules;

typedef struct rvi_shade_tint {
    float height; /* 0: the lowest point, 1: the highest */
    float rgb[3]; /* 0 to 255 */
} rvi_shade_tint;

/* A school atlas: valleys green, slopes ochre and brown, rock grey, summits white. */
enum { RVI_SHADE_TINTS = 8 };
RVI_CONSTANT rvi_shade_tint RVI_SHADE_TINT[RVI_SHADE_TINTS] = {
    {0.00f, {84, 130, 88}},   {0.15f, {126, 161, 107}}, {0.31f, {180, 189, 136}},
    {0.47f, {204, 186, 138}}, {0.62f, {175, 143, 107}}, {0.76f, {148, 129, 115}},
    {0.88f, {188, 184, 182}}, {1.00f, {249, 250, 252}},
};

/* The height of a cell; the land goes on evenly beyond its edges. */
static inline float rvi_shade_height(RVI_GRID const float *surface, int width, int height, int x,
                                     int y) {
    int column = rvi_maxi(0, rvi_mini(x, width - 1)), row = rvi_maxi(0, rvi_mini(y, height - 1));
    RVI_GRID const float *at = surface + (size_t)row * (size_t)width + (size_t)column;
    float here = *at;
    /* Not `x != column`: the compiler of a device (NVIDIA, driver 580) takes that for true inside.
     */
    if ((x < 0 || x >= width) && width > 1)
        here += *at - at[x < 0 ? 1 : -1];
    if ((y < 0 || y >= height) && height > 1)
        here += *at - *(y < 0 ? at + width : at - width);
    return here;
}

/* s from the eight neighbours, row by row from the north-west. */
static inline float rvi_shade_light_on(const rvi_shade_rules *k, const float *n) {
    float p = k->scale * ((n[2] + 2 * n[4] + n[7]) - (n[0] + 2 * n[3] + n[5]));
    float q = k->scale * ((n[0] + 2 * n[1] + n[2]) - (n[5] + 2 * n[6] + n[7]));
    return (k->up - (p * k->east + q * k->north)) / sqrtf(1 + p * p + q * q);
}

static inline float rvi_shade_light_at(const rvi_shade_rules *k, RVI_GRID const float *surface,
                                       int x, int y) {
    int w = k->width, h = k->height;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        const float n[8] = {
            rvi_shade_height(surface, w, h, x - 1, y - 1),
            rvi_shade_height(surface, w, h, x, y - 1),
            rvi_shade_height(surface, w, h, x + 1, y - 1),
            rvi_shade_height(surface, w, h, x - 1, y),
            rvi_shade_height(surface, w, h, x + 1, y),
            rvi_shade_height(surface, w, h, x - 1, y + 1),
            rvi_shade_height(surface, w, h, x, y + 1),
            rvi_shade_height(surface, w, h, x + 1, y + 1),
        };
        return rvi_shade_light_on(k, n);
    }
    RVI_GRID const float *at = surface + (size_t)y * (size_t)w + (size_t)x;
    RVI_GRID const float *above = at - w, *below = at + w;
    const float n[8] = {above[-1], above[0],  above[1], at[-1],
                        at[1],     below[-1], below[0], below[1]};
    return rvi_shade_light_on(k, n);
}

static inline uint8_t rvi_shade_grey_of(float light) {
    float grey = 1 + 254 * rvi_clampf(light, 0, 1);
    return (uint8_t)(grey + 0.5f);
}

/* A part of the colour of a height, 0 the lowest and 1 the highest, in levels from 0 to 255. */
static inline float rvi_shade_part(float height, int part) {
    int k = 1;
    while (k < RVI_SHADE_TINTS - 1 && height > RVI_SHADE_TINT[k].height)
        k++;
    float low = RVI_SHADE_TINT[k - 1].height, high = RVI_SHADE_TINT[k].height;
    float t = rvi_clampf((height - low) / (high - low), 0, 1);
    float from = RVI_SHADE_TINT[k - 1].rgb[part];
    return from + t * (RVI_SHADE_TINT[k].rgb[part] - from);
}

/* Flat ground keeps its colour; shadows are not black, for the sky lights them too, and slopes that
 * face the light go towards white. */
static inline uint8_t rvi_shade_lit(const rvi_shade_rules *k, float part, float lit) {
    float light = rvi_clampf(lit, 0, 1);
    float dark = light < k->up ? 0.3f + 0.7f * (light / k->up) : 1;
    float white = light > k->up ? 0.5f * (light - k->up) / (1 - k->up) : 0;
    float value = dark * part + white * (255 - part);
    return (uint8_t)(value + 0.5f);
}

#endif
