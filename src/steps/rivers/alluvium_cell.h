/* alluvium_cell.h: the arithmetic of one cell of alluvium.c, which tells what it is for, for the
 * processor and for devices. */
#ifndef RVI_STEPS_RIVERS_ALLUVIUM_CELL_H
#define RVI_STEPS_RIVERS_ALLUVIUM_CELL_H

#include "steps/rivers/river_cell.h"

#ifndef __OPENCL_VERSION__
#include <stdbool.h>
#endif

#define RVI_FAN 0.05     /* S of brooks */
#define RVI_BANK 0.015   /* S above the sources */
#define RVI_TAPER 0.05   /* T */
#define RVI_PLAIN 0.006  /* P at most */
#define RVI_LAKE 10.0    /* t that makes half of that, m */
#define RVI_KEPT 0.5     /* share of its slope that a buried bed keeps */
#define RVI_FRONT 0.2    /* S1 of brooks, and the steepest that alluvium lies */
#define RVI_BROOK 500.0  /* sources */
#define RVI_FLOOR 0.4f   /* the power */
#define RVI_APRON 800.0  /* radius of the fan of 1 km2, m */
#define RVI_THIN 0.5     /* alluvium that counts as none, m */
#define RVI_COVER 2.0    /* that moves sideways half as fast as all of a floor, m */
#define RVI_CHANNEL 1.0  /* depth of the channel of 1 km2, m */
#define RVI_DEEPER 0.25f /* power of the area in that */
#define RVI_LEVEE 0.01   /* how steeply a floor falls from its banks */
#define RVI_SLOT 0.03    /* how steep the sides of a channel are at most: it is one cell wide */

enum { RVI_REACH = 4096 }; /* of a fan, at most, in cells */

typedef struct rvi_alluvium_law {
    double distance[2]; /* metres, to sides and to corners */
    double alluvium;    /* a */
    float source;       /* cells that drain through where a river begins, */
    float spacing;      /* where valleys lie no farther apart; how much farther they may */
    int width, height;
} rvi_alluvium_law;

/* Areas are counted in cells. */
static inline double rvi_alluvium_km2(const rvi_alluvium_law *law, uint32_t area) {
    return (double)area * law->distance[0] * law->distance[0] * 1e-6;
}

/* `wide`: of the cell, as in river_cut.h; 0 where there is no such field. */
static inline bool rvi_alluvium_river(const rvi_alluvium_law *law, uint32_t area, float wide) {
    return (float)area > rvi_river_begins(law->source, wide, law->spacing);
}

/* S */
static inline double rvi_fan_slope(const rvi_alluvium_law *law, uint32_t area) {
    double brooks = (double)area / (RVI_BROOK * (double)rvi_maxf(law->source, 1e-6f));
    return brooks > 1.0 ? RVI_FAN / (double)rvi_power((float)brooks, RVI_FLOOR) : RVI_FAN;
}

/* Of the alluvium of a river, metres. */
static inline double rvi_alluvium_depth(const rvi_alluvium_law *law, uint32_t area) {
    return law->alluvium * (double)rvi_power((float)rvi_alluvium_km2(law, area), RVI_FLOOR);
}

/* ---- along the rivers ---- */

/* What the floor of a cell is like, whatever lies below it. */
typedef struct rvi_bed_law {
    double slope; /* S */
    double deep;  /* of the alluvium of a river; far below 0: there is none */
} rvi_bed_law;

static inline rvi_bed_law rvi_alluvium_bed(const rvi_alluvium_law *law, uint32_t area, float wide) {
    bool river = rvi_alluvium_river(law, area, wide);
    rvi_bed_law bed = {river ? rvi_fan_slope(law, area) : RVI_BANK,
                       river ? rvi_alluvium_depth(law, area) : -1e300};
    return bed;
}

/* A cell and its receiver. */
typedef struct rvi_buried_cell {
    double h, level;        /* of the land, and of water on it */
    double below, level_to; /* of the receiver: how high alluvium lies, and the level of water */
    double distance;        /* to that */
    rvi_bed_law bed;
    bool drowned; /* is it under a lake? */
} rvi_buried_cell;

/* How high alluvium lies, above that of the receiver. */
static inline double rvi_alluvium_buried(const rvi_buried_cell *c) {
    double distance = c->distance, below = c->below, slope = c->bed.slope;
    double fall = rvi_max(c->level - c->level_to, 0.0);
    double high = rvi_max(c->h, below + RVI_KEPT * rvi_least(fall, slope * distance));
    if (c->drowned) {
        double laid = rvi_max(below - c->level_to, 0.0);
        double plain = 1e-4 + rvi_least(RVI_PLAIN, slope) * laid / (laid + RVI_LAKE);
        return rvi_max(high, below + plain * distance);
    }
    double deep = c->h + below - c->level_to - RVI_TAPER * distance;
    high = rvi_max(high, rvi_least(deep, below + slope * distance));
    return rvi_max(high,
                   rvi_least(c->h + c->bed.deep, below + RVI_FRONT / RVI_FAN * slope * distance));
}

/* How much higher a floor is than the water that runs over it, `high` beside that itself: less the
 * farther that is. */
static inline double rvi_bank_far(const rvi_alluvium_law *law, double high, double distance) {
    double most = RVI_SLOT * law->distance[0];
    return rvi_max(rvi_least(high, most) - RVI_LEVEE * distance, 0.0);
}

/* The bank of a cell, whatever its receiver comes to; below 0: as high above that as it rises.
 * Brooks run level with the floor. What has filled a pit is no bank. */
static inline double rvi_alluvium_bank(const rvi_alluvium_law *law, uint32_t area, uint32_t area_to,
                                       float loose, double distance) {
    double brooks = RVI_BROOK * (double)law->source;
    if (!(loose > 0.0f) || (double)area > brooks)
        return 0.0;
    if (!((double)area_to > brooks))
        return -1.0;
    float km2 = (float)rvi_alluvium_km2(law, area_to);
    double high = rvi_least(RVI_CHANNEL * (double)rvi_power(km2, RVI_DEEPER),
                            0.1 * rvi_alluvium_depth(law, area_to));
    return rvi_bank_far(law, high, distance);
}

/* Floors rise beside rivers, and pits that fans have closed fill up. `to`: how high the receiver is
 * to be, `was`: how high it is. */
static inline double rvi_alluvium_banked(const rvi_alluvium_law *law, double h, double bank,
                                         double to, double was, double distance, bool drowned) {
    double by = bank < 0.0 ? rvi_bank_far(law, to - was, distance) : bank;
    return rvi_max(h + by, to + (drowned ? 1e-4 * distance : 0.0));
}

/* ---- fans ---- */

/* How much steeper than a fan it falls to its receiver, metres. */
static inline double rvi_fan_too_steep(const rvi_alluvium_law *law, uint32_t area, double fall,
                                       int corner) {
    return fall - 1.1 * rvi_fan_slope(law, area) * law->distance[corner];
}

/* A fan around a place, from `high` there. */
typedef struct rvi_fan {
    double high, slope; /* by cell */
    int x, y, reach;    /* cells */
} rvi_fan;

/* `bottom`: of the floor at the receiver of the place. */
static inline rvi_fan rvi_fan_of(const rvi_alluvium_law *law, uint32_t area, double bottom,
                                 int corner, int x, int y) {
    double reach = RVI_APRON * sqrt(rvi_alluvium_km2(law, area)) / law->distance[0];
    double slope = rvi_fan_slope(law, area);
    rvi_fan of = {bottom + slope * law->distance[corner], slope * law->distance[0], x, y,
                  reach < (double)RVI_REACH ? (int)reach : RVI_REACH};
    return of;
}

static inline double rvi_fan_at(const rvi_fan *of, int dx, int dy) {
    return of->high - of->slope * sqrt((double)dx * dx + (double)dy * dy);
}

/* The 8 `ring` cells of a ring are counted: rows in the north and in the south, then columns
 * without their ends in the west and in the east. */
static inline int rvi_fan_place(int dx, int dy, int ring) {
    if (dy == -ring || dy == ring)
        return (dy < 0 ? 0 : 2 * ring + 1) + dx + ring;
    return (dx < 0 ? 4 * ring + 2 : 6 * ring + 1) + dy + ring - 1;
}

static inline void rvi_fan_cell(int place, int ring, int *dx, int *dy) {
    int row = 2 * ring + 1, column = 2 * ring - 1, side = place - 2 * row;
    if (side < 0) {
        *dx = place % row - ring;
        *dy = place < row ? -ring : ring;
    } else {
        *dx = side < column ? -ring : ring;
        *dy = side % column - ring + 1;
    }
}

/* How far cells of a ring lie beside its middles, at most, within the circle of a fan. */
static inline int rvi_fan_side(const rvi_fan *of, int ring) {
    int side = (int)sqrt((double)of->reach * of->reach - (double)ring * ring);
    return side < ring ? side : ring;
}

/* What is one ring nearer to the head, to the nearest cell. */
static inline int rvi_fan_nearer(int from_head, int ring) {
    if (from_head < 0)
        return -2 * from_head <= ring ? from_head : from_head + 1;
    return 2 * from_head <= ring ? from_head : from_head - 1;
}

/* ---- over divides ---- */

/* How high a cell will stand: a mask holds some of the alluvium back. */
static inline double rvi_spill_laid(double h, double water, float open) {
    return h + (water - h) * (double)open;
}

/* And how high alluvium lies that stands as high as that, of what was there. */
static inline double rvi_spill_water(double h, double all, double laid, double beside, float open) {
    if (laid == rvi_spill_laid(h, all, open) && !(beside < laid))
        return all;
    return laid > h ? rvi_least(all, h + (laid - h) / (double)open) : h;
}

/* Not higher than what lies beside it allows, nor lower than the land. */
static inline double rvi_spill_to(double h, double laid, double beside) {
    double to = beside < laid ? beside : laid;
    return to > h ? to : h;
}

/* ---- sideways ---- */

/* The cell beside another one, to the north, west, east or south; false: it is off the map. */
static inline bool rvi_alluvium_beside(int width, int height, int x, int y, int way, size_t *out) {
    int nx = x + (2 * way + 1) % 3 - 1, ny = y + (2 * way + 1) / 3 - 1;
    *out = (size_t)ny * (size_t)width + (size_t)nx;
    return nx >= 0 && ny >= 0 && nx < width && ny < height;
}

/* Thin alluvium moves less, and rock does not. Rivers go on outside: what lies there takes as much
 * as comes, but where it stands above a floor it gives nothing. */
static inline float rvi_alluvium_moves(RVI_GRID const double *h, RVI_GRID const double *water,
                                       RVI_GRID const unsigned char *fixed, int width, int height,
                                       int x, int y) {
    size_t cell = (size_t)y * (size_t)width + (size_t)x;
    double thick = fixed[cell] ? 1e9 : water[cell] - h[cell];
    for (int way = 0; fixed[cell] && way < 4; way++) {
        size_t other;
        if (rvi_alluvium_beside(width, height, x, y, way, &other) && !fixed[other] &&
            h[cell] > water[other])
            thick = 0.0;
    }
    return (float)(thick / (thick + RVI_COVER));
}

/* Rock that was laid bare stays as it is, and gives nothing: no cell rises above the alluvium of
 * one floor with its own, which lies on rock that is lower than its surface. `was`: how high it
 * lay before it moved `to` there. */
static inline double rvi_alluvium_moved(RVI_GRID const double *h, RVI_GRID const double *was,
                                        double to, int width, int height, int x, int y) {
    size_t cell = (size_t)y * (size_t)width + (size_t)x;
    double here = was[cell], most = here;
    for (int way = 0; way < 4; way++) {
        size_t other;
        if (rvi_alluvium_beside(width, height, x, y, way, &other) && h[other] < here)
            most = rvi_max(most, was[other]);
    }
    return rvi_max(rvi_least(to, most), h[cell]);
}

#endif
