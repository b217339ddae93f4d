/* occlusion_cell.h: sky and sun above one cell, for the processor, which does it row by row, and
 * for devices; occlusion.c has the equations. */
#ifndef RVI_PICTURE_OCCLUSION_CELL_H
#define RVI_PICTURE_OCCLUSION_CELL_H

#include "picture/relief_cell.h"

enum { RVI_SKY_DIRECTIONS = 12, RVI_SKY_DISTANCES = 16 }; /* the second: at most */

/* What is the same for all cells. */
typedef struct rvi_sky_rules {
    int level, distances, levels; /* of the relief: that of the light, and how many it has */
    float z;                      /* exaggeration over metres of a cell of the level */
    float east[RVI_SKY_DIRECTIONS], south[RVI_SKY_DIRECTIONS];
} rvi_sky_rules;

typedef struct rvi_sun_rules {
    int level;
    float east, south; /* one step: a whole cell along the longer axis */
    int steps;
    float z, lowest; /* exaggeration over metres of a step */
} rvi_sun_rules;

/* Where two samples are `part` of the way apart. */
static inline float rvi_sky_between(float a, float b, float part) {
    return a + part * (b - a);
}

static inline int rvi_sky_row_at(int y, int height) {
    return rvi_maxi(0, rvi_mini(y, height - 1));
}

/* The slope to the south, in heights for each cell, from the rows above and below. */
static inline float rvi_sky_rows(int y, int height) {
    return height > 1 ? (float)(rvi_mini(y + 1, height - 1) - rvi_maxi(y - 1, 0)) : 1;
}

/* The row of a coarser level that lies at y of this one begins after row j of it, v of the way to
 * the next. */
static inline int rvi_sky_coarse(float y, int height, float *v) {
    int j = rvi_maxi(0, rvi_mini((int)y - (y < 0), height - 2));
    *v = height > 1 ? y - (float)j : 0;
    return j;
}

/* The cells of a row from which a place `east` of them lies on the map. */
static inline void rvi_sky_span(float east, int width, int *first, int *end) {
    *first = east >= 0 ? 0 : rvi_maxi(0, (int)(1 - east));
    *end = east <= 0 ? width : rvi_mini(width, width - (int)(east + 1));
}

/* How many levels coarser the land is looked at 2^k cells away. */
static inline int rvi_sky_up(const rvi_sky_rules *s, int k) {
    return rvi_maxi(0, rvi_mini(k - 2, s->levels - 1 - s->level));
}

/* Cells between two samples of a level `times` coarser are a run: from `x` on, `i` is the sample
 * before them, `at` how far after it the first lies. Returns the cell after the last. */
static inline int rvi_sky_run(int width, int times, float shift, int x, int end, int *i,
                              float *at) {
    float scale = 1 / (float)times, start = (shift + 0.5f) * scale - 0.5f;
    float p = (float)x * scale + start;
    *i = width > 1 ? (int)rvi_clampf(p, 0, (float)(width - 2)) : 0;
    int run = (int)(((float)(*i + 1) - p) * (float)times) + 1;
    *at = p - (float)*i;
    return *i >= width - 2 ? end : rvi_mini(end, x + rvi_maxi(run, 1));
}

static inline float rvi_sky_in_run(float from, float rise, float at, int k, float scale) {
    return from + (at + (float)k * scale) * rise;
}

/* How much of the sky land hides that is seen at slope `most` from ground of slope `own`. */
static inline float rvi_sky_hidden(float most, float own) {
    return most / sqrtf(1 + most * most) - own / sqrtf(1 + own * own);
}

static inline float rvi_sky_open(float hidden) {
    return rvi_clampf(1 - hidden * (1.0f / RVI_SKY_DIRECTIONS), 0, 1);
}

/* ---- the sun ---- */

/* Along x: the row is between row j and the next, v of the way; false: beyond the map. */
static inline bool rvi_sun_row_x(const rvi_sun_rules *s, int height, int y, int k, int *j,
                                 float *v) {
    float to = (float)y + (float)k * s->south;
    if (to < 0 || to > (float)(height - 1))
        return false;
    *j = rvi_maxi(0, rvi_mini((int)to, height - 2));
    *v = to - (float)*j;
    return true;
}

/* Along y: the column is between two, u of the way from x + shift on. */
static inline int rvi_sun_shift_y(const rvi_sun_rules *s, int k, float *u) {
    float by = (float)k * s->east;
    int shift = (int)by - (by < 0);
    *u = by - (float)shift;
    return shift;
}

static inline float rvi_sun_seen(float most, float a, float b, float part, float here,
                                 float scale) {
    return rvi_maxf(most, (rvi_sky_between(a, b, part) - here) * scale);
}

#endif
