/* river_shape.h: what river_device.c tells its kernels. */
#ifndef RVI_STEPS_RIVERS_RIVER_SHAPE_H
#define RVI_STEPS_RIVERS_RIVER_SHAPE_H

#include "steps/rivers/river_cell.h"

typedef struct rvi_river_law {
    double rise;        /* in one time step, metres */
    double cut[2];      /* as in river_cut.h */
    double distance[2]; /* metres */
    double stands;      /* greatest slope */
    double deposition, slope_power;
    float source, area_power;
    float spacing;
    int pad;
} rvi_river_law;

typedef struct rvi_rock_law {
    uint64_t cells; /* of the map */
    int layers;     /* with the bedrock */
    int pad;
} rvi_rock_law;

typedef struct rvi_steep_law {
    double far, least_far; /* as in river_slide.c */
    double enough;
    int width, height;
    int parts; /* of RVI_TILE cells in a row */
    int last;  /* 1: after the last time step */
} rvi_steep_law;

typedef struct rvi_creep_law {
    double number; /* D dt / cell^2 */
    int width, height;
} rvi_creep_law;

typedef struct rvi_loose_law {
    double creep, floods, mobility, cell;
    int width, height;
    int reach; /* cells */
    float spacing;
} rvi_loose_law;

typedef struct rvi_bring_law {
    double rise, decay, least;
    double apart; /* coarse cells, in cells of the finer level */
    rvi_coarse_law coarse;
    int width, height;
    float spacing;
    int pad;
} rvi_bring_law;

typedef struct rvi_base_law {
    double sea; /* NaN: none */
    int width, height;
    uint32_t sides; /* where water leaves: rvi_on_side() */
    int coarse;     /* 1: a coarser level, which knows its sea from the map */
} rvi_base_law;

typedef struct rvi_rock_noise {
    uint64_t seed;
    float side, vary, talus_vary;
    int width;
} rvi_rock_noise;

typedef struct rvi_coarsen_law {
    double apart, reach, low, high; /* as in river_levels.c */
    int width, height, coarse_width, coarse_height;
} rvi_coarsen_law;

typedef struct rvi_close_law {
    double rise;
    uint64_t cells, block; /* of the map, and of a block of rows */
    int layer, pad;
} rvi_close_law;
enum { RVI_CLOSE_GROUP = 256, RVI_CLOSE_SUMS = 4 };

/* Columns that the processor solves side by side: what crosses to fixed cells is added up by them.
 */
enum { RVI_CREEP_STRIP = 64 };

/* Cells along a tile, and one on each side. */
enum { RVI_CARRY_SIDE = 64 + 2 };

/* Rows or columns that a group of items takes, and cells of each at a time: as many. */
enum { RVI_CREEP_LINES = 32, RVI_CREEP_PART = RVI_CREEP_LINES, RVI_CREEP_GROUP = 128 };

#endif
