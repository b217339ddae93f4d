/* preset.h: the presets: scenes with rock, box and water, made by code.
 *
 *     const rvi_preset *preset = rvi_preset_find("river");
 *     rv_mesh *rock;                            // NULL where the preset has none
 *     rvi_preset_rock(ctx, preset, &rock);
 *     rvi_sph_desc desc = rvi_preset_water(preset);
 *     rvi_sph_create(ctx, &desc, rock, &water); // then blocks and sources
 *
 * River, lake, detailed lake and tube have as many vertices, faces and particles as table 7.1 of
 * V. Skorkovska, Modeling of Erosion Impacts on the Terrain (2012), the 8 vertices and 12 faces of
 * the box counted with those of the rock. (The table's tube has one vertex more than a closed
 * surface with its faces and one hole can have.)
 */
#ifndef RVI_SCENE_PRESET_H
#define RVI_SCENE_PRESET_H

#include "water/sph.h"

enum { RVI_PRESET_BLOCKS = 2, RVI_PRESET_SOURCES = 2 };

typedef struct rvi_preset_block { /* water at rest */
    double low[3], high[3];
} rvi_preset_block;

typedef struct rvi_preset {
    const char *name;       /* dam_break, river ... */
    const char *sentence;   /* what it shows */
    double low[3], high[3]; /* m: the box, which the rock is within and touches nowhere */
    bool open[3][2];        /* sides of the box that water leaves by, as in rvi_sph_desc */
    size_t vertices;        /* of the rock; 0: there is none */
    int holes;              /* how many handles the rock has: 1 is a tube or an arch */
    size_t particles;       /* at most */
    float spacing;          /* m between them at rest */
    rvi_preset_block blocks[RVI_PRESET_BLOCKS];
    size_t block_count;
    rvi_sph_source sources[RVI_PRESET_SOURCES];
    size_t source_count;
    /* How the rock wears: Partheniades' excess shear with K = 1, m = 1/2, a = 1. */
    float critical; /* stress below which nothing is eroded */
    float rate;     /* m/s per unit of stress above it */
    float most;     /* sediment a particle holds at most, as a share of its volume */
    float limit;    /* m: faces larger than this near water are divided */
    /* A good camera for it, in degrees, and how much of the box is cut away, 0 to 1. */
    float azimuth, elevation, cut;
} rvi_preset;

size_t rvi_preset_count(void);
const rvi_preset *rvi_preset_get(size_t number);         /* 0 to count - 1 */
const rvi_preset *rvi_preset_find(const char *name);     /* NULL: there is none */
rvi_sph_desc rvi_preset_water(const rvi_preset *preset); /* box, spacing and number of particles */

/* Closed, oriented, manifold, without self-intersections. *out is NULL where there is no rock. */
rv_status rvi_preset_rock(rv_context *ctx, const rvi_preset *preset, rv_mesh **out);

#endif
