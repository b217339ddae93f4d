/* solid_water.h: the surface around particles of water, for rays.
 *
 * On a grid, with x' the mean place of the particles near x, weighted by how near they are,
 *
 *     phi(x) = |x - x'| - r,   w = (1 - |x - x_i|^2 / h^2)^3,   r = 0.75 s,   h = 2 s
 *
 * is below 0 in the water (Y. Zhu, R. Bridson, Animating sand as a fluid, 2005); s is the spacing.
 * A mean over neighbours of the grid smooths it. */
#ifndef RVI_PICTURE_SOLID_WATER_H
#define RVI_PICTURE_SOLID_WATER_H

#include "base/context.h"
#include "picture/solid_view.h"

typedef struct rvi_pond {
    rv_context *ctx;
    float low[3], high[3]; /* m from the middle: where there may be water */
    float cell;            /* m */
    int size[3];
    float *phi;   /* m; NULL: there is no water */
    float *foam;  /* 0 to 1, NULL: none */
    float *mud;   /* the same */
    uint8_t *wet; /* does a block of cells have water? */
    int blocks[3];
    float *memory;
} rvi_pond;

enum { RVI_POND_BLOCK = 8 };

rv_status rvi_pond_create(rv_context *ctx, const rvi_solid_water *water, const double middle[3],
                          rvi_pond *out);
void rvi_pond_destroy(rvi_pond *pond); /* of a zeroed one: nothing */
size_t rvi_pond_memory(const rvi_solid_water *water);

float rvi_pond_at(const rvi_pond *pond, const float *grid, const float at[3]);
/* The outward direction of the surface, of length 1. */
void rvi_pond_normal(const rvi_pond *pond, const float at[3], float out[3]);
/* The first t between near and far from which on a ray is in the water; far: nowhere. */
float rvi_pond_enter(const rvi_pond *pond, const float from[3], const float along[3], float near,
                     float far);
/* Metres of the ray between near and far that are in the water. */
float rvi_pond_path(const rvi_pond *pond, const float from[3], const float along[3], float near,
                    float far);

#endif
