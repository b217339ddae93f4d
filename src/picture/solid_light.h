/* solid_light.h: how much light of the sun and of the sky around reaches a place among faces.
 *
 * The faces are drawn as seen from far away, from the sun and along RVI_AROUND directions spread
 * evenly over the sphere: each map says for its pixels how far towards the light the farthest face
 * lies, and how far against it, so that it answers for the opposite direction, too. */
#ifndef RVI_PICTURE_SOLID_LIGHT_H
#define RVI_PICTURE_SOLID_LIGHT_H

#include "base/context.h"

enum { RVI_AROUND = 64, RVI_TURNS = 16 };

typedef struct rvi_depth_map {
    float to[3], right[3], up[3]; /* towards the light, and the sides of the map; of length 1 */
    int side;                     /* pixels */
    float per;                    /* pixels a metre */
    float *most, *least;          /* metres towards the light; `least` may be NULL */
} rvi_depth_map;

typedef struct rvi_solid_light {
    rv_context *ctx;
    rvi_depth_map sun, around[RVI_AROUND];
    float width; /* of half the sun, as a tangent */
    float *memory;
    float turns[RVI_TURNS][2]; /* cosines and sines */
} rvi_solid_light;

/* `radius`: all faces are so near to the middle. What has cut x > cut[3] throws no shadow; NULL:
 * all does. Both sides of a face count. */
rv_status rvi_solid_light_create(rv_context *ctx, const float (*corners)[3][3], size_t count,
                                 float radius, const float *cut, const float sun[3],
                                 rvi_solid_light *out);
void rvi_solid_light_destroy(rvi_solid_light *light); /* of a zeroed one: nothing */
size_t rvi_solid_light_memory(void);

/* How much of the sun is seen, 0 to 1, by a place on a face with that normal. `turn` is
 * one of RVI_TURNS patterns of the few places that are sampled: the mean over all is smooth. */
float rvi_solid_sun(const rvi_solid_light *light, const float at[3], const float normal[3],
                    int turn);
/* Adds to open[0] the light from around that gets there and to open[1] what would with nothing in
 * the way: over the directions first, first + step ... */
void rvi_solid_open(const rvi_solid_light *light, const float at[3], const float normal[3],
                    int first, int step, float open[2]);

#endif
