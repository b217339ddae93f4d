/* relief.h: the land as a solid block that rays can hit: ground, water, walls where it is cut.
 *
 * Places are (x, y) in cells of the block's own grid, east and south of the north-west sample, and
 * z in metres as in the terrain. A small terrain gets a finer grid (rvi_resample, cubic), so that
 * its outline is not made of corners; `step` is how much of a terrain's cell one of the grid is.
 */
#ifndef RVI_PICTURE_RELIEF_H
#define RVI_PICTURE_RELIEF_H

#include "terrain/state.h"

enum { RVI_LEVELS = 18 };

/* A level of the pyramids. Both halve the grid from one to the next; level 0 is the grid. */
typedef struct rvi_level {
    int top_width, top_height; /* of blocks of 2^level x 2^level squares between samples */
    float *top;                /* the highest sample of each, those on its edge included */
    int width, height;
    const float *mean; /* of 2^level x 2^level samples */
} rvi_level;

typedef struct rvi_relief {
    const rv_terrain *land;
    int width, height;  /* samples, at least 2 */
    float cell;         /* metres from one to the next */
    float step;         /* cells of the terrain from one to the next */
    const float *z;     /* the ground */
    const float *upper; /* the ground or the water on it, whichever is higher; z where all is dry */
    const float *water; /* level of the water, RVI_DRY where there is none; NULL: none at all */
    const float *hole;  /* of the terrain: where there is no ground; NULL: none */
    float low, high;    /* of upper, without holes */
    float base;         /* where the block stands */
    int levels;
    rvi_level level[RVI_LEVELS];
    float *memory[3]; /* what of the above is its own */
} rvi_relief;

#define RVI_DRY (-1e30f)

/* Water less deep than this, in metres, is only wet ground. */
float rvi_relief_shallow(const rv_terrain *land);

/* `depth`: metres from the lowest point down to the base. `fine`: a small terrain gets a finer
 * grid. */
rv_status rvi_relief_create(const rv_terrain *land, float depth, bool fine, rvi_relief *out);
void rvi_relief_destroy(rvi_relief *relief); /* of a zeroed one: nothing */
/* How many samples it has, and bytes it needs, both at most. */
size_t rvi_relief_cells(const rv_terrain *land, bool fine);
size_t rvi_relief_memory(const rv_terrain *land, bool fine);

typedef enum rvi_hit_kind {
    RVI_HIT_NONE,
    RVI_HIT_LAND,
    RVI_HIT_WATER,
    RVI_HIT_WALL,  /* a cut through the ground */
    RVI_HIT_BASIN, /* a cut through water */
} rvi_hit_kind;

typedef struct rvi_hit {
    rvi_hit_kind kind;
    double t;       /* along the ray */
    double x, y, z; /* the place */
    int axis, side; /* of a cut: across x (0) or y (1), seen from -1 or +1 */
} rvi_hit;

typedef struct rvi_ray {
    double from[3], along[3]; /* in cells, cells, metres */
} rvi_ray;

/* The first thing a ray meets from t = 0 on. */
rvi_hit rvi_relief_trace(const rvi_relief *relief, const rvi_ray *ray);

/* Bilinear in a grid; beyond its edge the value at the edge. */
float rvi_grid_at(const float *grid, int width, int height, double x, double y);
/* Of a field of the terrain at a place of the block. */
float rvi_relief_field(const rvi_relief *relief, const float *field, double x, double y);
/* Metres for each metre towards east and south, smooth (cubic B-spline); `blur` is the width in
 * cells below which detail is left out. */
void rvi_relief_slope(const rvi_relief *relief, double x, double y, float blur, float slope[2]);
bool rvi_relief_gap(const rvi_relief *relief, int x, int y); /* is the square (x, y) a hole? */

#endif
