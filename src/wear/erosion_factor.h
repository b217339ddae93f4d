/* erosion_factor.h: the share of what erosion would take from a place that really comes off, 0
 * to 1.
 *
 * H. T. Beyer, Implementation of a method for hydraulic erosion, 2015, section 5.2. It is a
 * product of
 *
 *     factor of the cell:    mask (1 - hardness), and the erodibility of bare bedrock
 *     factor of the height:  of bedrock its band (bands.h) and its hardness in three dimensions
 *                            (hardness_volume.h), and the function that a program gave
 *                            (erosion_fn.h)
 *
 * What belongs to cells and bands is kept in grids. Where there is none of it they are NULL, and
 * that is all a step pays for it.
 */
#ifndef RVI_WEAR_EROSION_FACTOR_H
#define RVI_WEAR_EROSION_FACTOR_H

#include "terrain/bands.h"
#include "terrain/erosion_fn.h"
#include "terrain/hardness_volume.h"
#include "wear/bedrock_cell.h"
#include "wear/job.h"

/* The grids of a step: cell (x, y) of the map is at first + y * stride + x. */
typedef struct rvi_factor_shape {
    size_t first, stride, count; /* count: numbers in a grid */
    int margin;                  /* cells around the map that are bare ground, with bands */
    bool by_layer;               /* the step itself multiplies by the erodibility of each layer */
} rvi_factor_shape;

typedef struct rvi_erosion_factor {
    const rv_terrain *land;
    float *cells;     /* NULL: 1 everywhere */
    float *bands;     /* where the bands of the bedrock lie; NULL: there are none */
    bool volume;      /* there is hardness in three dimensions */
    rvi_bedrock *law; /* what a device is told of both; NULL: there is neither, or no device */
    rvi_factor_shape shape;
} rvi_erosion_factor;

/* A grid like the map itself. */
rvi_factor_shape rvi_factor_map(const rv_terrain *land);
/* The first lists the grids that are needed, the second fills them. */
void rvi_factor_list(rvi_job *job, const rvi_factor_shape *shape, rvi_erosion_factor *out);
rv_status rvi_factor_make(rvi_job *job, const rvi_factor_shape *shape, rvi_erosion_factor *out);

/* Where the grids are filled by others: what a device is to know of the bedrock. */
void rvi_factor_tell(rvi_erosion_factor *f);
/* What kernels take as BEDROCK_ARGS. */
#define RVI_BEDROCK(factor)                                                                        \
    rvi_factor_bands_arg(factor), rvi_factor_law_arg(factor), rvi_factor_samples_arg(factor)
rvi_device_arg rvi_factor_bands_arg(const rvi_erosion_factor *f);
rvi_device_arg rvi_factor_law_arg(const rvi_erosion_factor *f);
rvi_device_arg rvi_factor_samples_arg(const rvi_erosion_factor *f);

/* Can the factor change with the height, of bedrock or of any ground? */
static inline bool rvi_factor_rock_there(const rvi_erosion_factor *f) {
    return f->bands || f->volume;
}
static inline bool rvi_factor_by_height(const rvi_erosion_factor *f) {
    return rvi_factor_rock_there(f) || rvi_erosion_fn_there(f->land);
}

/* Of a cell, `at` its place in the grids. */
static inline float rvi_factor_cell(const rvi_erosion_factor *f, size_t at) {
    return f->cells ? f->cells[at] : 1.0f;
}

/* The part of the next one that comes from the hardness in three dimensions. Loops are made for
 * land without it: the call stays out of their way. */
#if defined(__GNUC__)
__attribute__((cold))
#endif
float rvi_factor_volume(const rvi_erosion_factor *f, size_t at, float top);

/* Of bedrock that ends at height `top`. */
static inline float rvi_factor_rock(const rvi_erosion_factor *f, size_t at, float top) {
    float band = f->bands ? rvi_strata_band(&f->land->strata, top - f->bands[at]) : 1.0f;
    return f->volume ? band * rvi_factor_volume(f, at, top) : band;
}

/* Of any ground that ends at height z, by the function; `cell` is one of the map. */
static inline float rvi_factor_ground(const rvi_erosion_factor *f, size_t cell, float z) {
    return rvi_erosion_fn(f->land, cell, z);
}

/* Of bare bedrock that ends at height z: both. */
static inline float rvi_factor_bare(const rvi_erosion_factor *f, size_t at, size_t cell, float z) {
    return rvi_factor_rock(f, at, z) * rvi_factor_ground(f, cell, z);
}

#endif
