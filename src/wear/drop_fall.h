/* drop_fall.h: where drops fall, for the processor and for devices.
 *
 * The land is cut into squares from the map's first cell on, and in each wave every square gets one
 * drop, at a random place that depends on the seed, the square and the wave alone. */
#ifndef RVI_WEAR_DROP_FALL_H
#define RVI_WEAR_DROP_FALL_H

#include "base/math.h"
#include "base/random.h"
#include "wear/rain_place.h"

#ifndef __OPENCL_VERSION__
#include <stdbool.h>
#endif

/* What a random number is drawn for; runs may use smaller numbers for their own. */
#define RVI_DRAW_PLACE (UINT64_C(1) << 20)
#define RVI_DRAW_FIRST (UINT64_C(1) << 62)
#define RVI_DRAW_PARTS (UINT64_C(1) << 63)

/* The side of a square in units, and parts of a side. */
enum { RVI_FALL_SQUARE = 16, RVI_FALL_PARTS = 8 };

typedef struct rvi_fall_squares {
    uint64_t seed;
    uint64_t first, stride;    /* whose turn is first in a wave, and how far it is to the next */
    double side;               /* of a square, in cells */
    int across, down;          /* how many there are */
    int before;                /* of them before the map's first cell, along both sides */
    int width, height, margin; /* of the land in cells; margin: before the map's first cell */
} rvi_fall_squares;

/* The part of a square that its drop of this wave falls on: in as many waves each part gets one,
 * and at any time all quarters of it have had nearly as many. */
static inline void rvi_fall_part(uint64_t wave, uint64_t bits, int *part_x, int *part_y) {
    int x = 0, y = 0;
    for (int level = 0, n = RVI_FALL_PARTS / 2; n > 0; level++, n /= 2) {
        x |= wave >> (2 * level) & 1 ? n : 0;
        y |= wave >> (2 * level + 1) & 1 ? n : 0;
    }
    x ^= (int)(bits & (RVI_FALL_PARTS - 1));
    y ^= (int)(bits >> 8 & (RVI_FALL_PARTS - 1));
    int turned = (int)(bits >> 16 & 1);
    *part_x = turned ? y : x;
    *part_y = turned ? x : y;
}

/* Where drop `number` falls, in cells from the first one's edge; returns whether on the land. The
 * squares of a wave have their turns far from each other, so that few drops are spread over the
 * land, too; in_place: in the order of their places. *bits: a random number of its own. */
static inline bool rvi_fall_place(const rvi_fall_squares *f, uint64_t number, bool in_place,
                                  float *out_x, float *out_y, uint64_t *out_bits) {
    uint64_t squares = (uint64_t)f->across * (uint64_t)f->down, wave = number / squares;
    uint64_t turn = number % squares;
    uint64_t at = in_place ? turn : (turn * f->stride + f->first) % squares;
    int part_x, part_y;
    int square_x = (int)(at % (uint64_t)f->across) - f->before;
    int square_y = (int)(at / (uint64_t)f->across) - f->before;
    uint64_t square = (uint64_t)(uint32_t)square_x << 32 | (uint32_t)square_y;
    uint64_t bits = rvi_random(f->seed, square, RVI_DRAW_PLACE + wave);
    uint64_t parts = RVI_FALL_PARTS * RVI_FALL_PARTS;
    rvi_fall_part(wave, rvi_random(f->seed, square, RVI_DRAW_PARTS - wave / parts), &part_x,
                  &part_y);
    double per_part = f->side / (double)RVI_FALL_PARTS;
    double x = (double)(square_x * RVI_FALL_PARTS + part_x) + (double)rvi_unit(bits);
    double y = (double)(square_y * RVI_FALL_PARTS + part_y) + (double)rvi_unit(bits << 32);
    x = x * per_part + (double)f->margin;
    y = y * per_part + (double)f->margin;
    *out_x = (float)x;
    *out_y = (float)y;
    *out_bits = bits;
    return x >= 0.0 && y >= 0.0 && x < (double)f->width && y < (double)f->height;
}

/* Between the first and the last cell's middle; not on the last, which has none to the east. */
static inline float rvi_fall_inside(float place, int cells) {
    return rvi_clampf(place - 0.5f, 0.0f, (float)(cells - 1) * (1.0f - 0x1p-23f));
}

/* Moves a place on the land to where it rains, if the rain is not NULL; from there on places count
 * from the middle of the first cell. */
static inline void rvi_fall_rain(const rvi_fall_squares *f, RVI_GRID const uint32_t *cells,
                                 RVI_GRID const uint64_t *rows, float *x, float *y) {
    if (rows) {
        *x = rvi_clampf(*x / (float)f->width, 0.0f, 1.0f - 0x1p-24f);
        *y = rvi_clampf(*y / (float)f->height, 0.0f, 1.0f - 0x1p-24f);
        rvi_rain_place(cells, rows, f->width, f->height, x, y);
    }
    *x = rvi_fall_inside(*x, f->width);
    *y = rvi_fall_inside(*y, f->height);
}

#ifndef __OPENCL_VERSION__
/* As many squares as the land needs, the map's first cell at the corner of one. */
rvi_fall_squares rvi_fall_squares_of(int width, int height, int margin, double unit, uint64_t seed);
#endif

#endif
