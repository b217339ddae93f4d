/* palette.h: the colours of a picture. All are linear light; those of the ground are how much of
 * the light it gives back. */
#ifndef RVI_PICTURE_PALETTE_H
#define RVI_PICTURE_PALETTE_H

#include "picture/land_cover.h"
#include "picture/sky.h"

typedef enum rvi_look {
    RVI_LOOK_ALPINE, /* grass, rock and snow */
    RVI_LOOK_DESERT, /* sand and banded rock */
    RVI_LOOK_CLAY,   /* one plain colour, to judge the shape */
    RVI_LOOK_MAP,    /* tints by height, and contours */
    RVI_LOOKS
} rvi_look;

typedef struct rvi_palette {
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
} rvi_palette;

const rvi_palette *rvi_palette_of(rvi_look look);

/* Sets a colour (sRGB bytes) of a palette by its name; false: there is none of that name. */
bool rvi_palette_set(rvi_palette *palette, const char *name, uint32_t rgb);
extern const char *const rvi_palette_names; /* all of them, separated by blanks */

/* Bands in the rock: those of the terrain, or where it has none of its own `thick` metres each and
 * bent by `bend` of them; or how hard it is in three dimensions; -1 to 1. `blur` metres are seen as
 * one. */
float rvi_palette_bands(const rvi_cover_rules *rules, double x, double y, float z, float thick,
                        float bend, float blur);
/* The ground, `bands` of it as of rvi_palette_bands. */
void rvi_palette_ground(const rvi_palette *palette, const rvi_cover *cover, float bands,
                        float out[3]);
/* A cut `depth` metres below the surface. */
void rvi_palette_cut(const rvi_palette *palette, const rvi_cover_rules *rules, double x, double y,
                     float z, float depth, float blur, float out[3]);
/* Tints by height with contours; `blur` is the height that a pixel spans. */
void rvi_palette_map(const rvi_cover_rules *rules, float z, float blur, float out[3]);

#endif
