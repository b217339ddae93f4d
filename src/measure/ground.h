/* ground.h: the land as the estimators see it: heights, and which cells count. */
#ifndef RVI_MEASURE_GROUND_H
#define RVI_MEASURE_GROUND_H

#include "measure/drainage.h"
#include "terrain/state.h"

/* Every estimator leaves what it cannot say as NaN: "not defined". */
typedef struct rvi_ground {
    rv_context *ctx;
    int width, height;
    double cell; /* metres */
    const float *z;
    unsigned char *kind;   /* of each cell: RVI_LAND or RVI_HOLE */
    unsigned char *counts; /* 1 for land that no border cuts off, else 0 */
    size_t count;          /* of cells that count */
    double low, high;      /* of them; NaN when there are none */
} rvi_ground;

/* Holes are where the field "hole" is at least 1/2; `border` cells at each edge do not count. */
enum { RVI_GROUND_BYTES = 6 }; /* for each cell */
rv_status rvi_ground_make(const rv_terrain *land, int border, rvi_ground *out);
void rvi_ground_free(rvi_ground *ground);

/* Is the cell inside the map with all eight neighbours, and are they known? */
bool rvi_ground_whole(const rvi_ground *ground, int x, int y);

#endif
