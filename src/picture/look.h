/* look.h: the colours of a picture. All are linear light; those of the ground are how much of the
 * light it gives back. */
#ifndef RVI_PICTURE_LOOK_H
#define RVI_PICTURE_LOOK_H

#include "picture/cover.h"
#include "picture/sky.h"

typedef struct rvi_look {
    float rock[2][3], grass[2][3], brown[3], wood[3]; /* darker and lighter */
    float sediment[3], snow[3], sand[3];
    float cut[2][3]; /* walls: bands by turns */
    float floor[3];  /* what the block stands on */
    float water[3];  /* deep water */
    rvi_sky sky;
    float sun_altitude;
    float haze;  /* how much at the far end of the block */
    float bumps; /* how rough the ground looks */
    float exposure;
    bool dry; /* sand where other lands have grass */
} rvi_look;

/* RV_render_look_... */
const rvi_look *rvi_look_get(int look);

/* Bands in the rock: those of the terrain, or where it has none of its own `thick` metres each and
 * bent by `bend` of them; -1 to 1. `blur` metres are seen as one. */
float rvi_look_bands(const rvi_ground *ground, double x, double y, float z, float thick, float bend,
                     float blur);
/* The ground, `bands` of it as of rvi_look_bands. */
void rvi_look_ground(const rvi_look *look, const rvi_soil *soil, float bands, float out[3]);
/* A cut `depth` metres below the surface. */
void rvi_look_cut(const rvi_look *look, const rvi_ground *ground, double x, double y, float z,
                  float depth, float blur, float out[3]);
/* Tints by height with contours; `blur` is the height that a pixel spans. */
void rvi_look_map(const rvi_ground *ground, float z, float blur, float out[3]);

#endif
