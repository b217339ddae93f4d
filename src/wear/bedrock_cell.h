/* bedrock_cell.h: how soft the bedrock is where it ends, by its bands and its hardness in three
 * dimensions, for devices; erosion_factor.h is that of the processor. */
#ifndef RVI_WEAR_BEDROCK_CELL_H
#define RVI_WEAR_BEDROCK_CELL_H

#include "terrain/band_cell.h"
#include "terrain/volume_cell.h"

/* What is the same for all cells. */
typedef struct rvi_bedrock {
    rvi_volume_law volume;  /* no slices and no octaves: there is none */
    double cell;            /* metres */
    uint64_t first, stride; /* cell (x, y) of the map is at first + y * stride + x */
    float edge[RVI_BANDS], soft[RVI_BANDS]; /* of bands, as in rvi_strata */
    float thickness;
    int margin;
} rvi_bedrock;

/* The metres east and south of the map's first cell that a place of the grids lies. */
static inline void rvi_bedrock_place(uint64_t first, uint64_t stride, int margin, double cell,
                                     size_t at, double *x, double *y) {
    uint64_t from = at - (first - (uint64_t)margin * stride - (uint64_t)margin),
             row = from / stride;
    *x = cell * ((double)(from - row * stride) - (double)margin);
    *y = cell * ((double)row - (double)margin);
}

#ifdef __OPENCL_VERSION__

/* Three arguments of a kernel, and what they are. */
#define BEDROCK_ARGS                                                                               \
    __global const float *restrict bands, __global const rvi_bedrock *restrict bedrock,            \
        __global const float *restrict samples
#define BEDROCK                                                                                    \
    { bands, bedrock, samples }

typedef struct bedrock_grids {
    __global const float *bands;     /* where they lie; 0: there are none */
    __global const rvi_bedrock *law; /* 0: all of it is equally hard */
    __global const float *samples;   /* of the volume */
} bedrock_grids;

/* rvi_factor_rock(): of bedrock that ends at height `top`. */
static float bedrock_soft(const bedrock_grids *b, size_t at, float top) {
    if (!b->law)
        return 1.0f;
    float band =
        b->bands ? rvi_band_soft(b->law->edge, b->law->soft, b->law->thickness, top - b->bands[at])
                 : 1.0f;
    if (b->law->volume.slices == 0 && b->law->volume.octaves == 0)
        return band;
    double x, y;
    rvi_bedrock_place(b->law->first, b->law->stride, b->law->margin, b->law->cell, at, &x, &y);
    return band * (1.0f - rvi_volume_at(&b->law->volume, b->samples, x, y, top));
}

#endif
#endif
