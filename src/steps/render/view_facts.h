/* view_facts.h: what the kernels of a perspective picture get as values. */
#ifndef RVI_STEPS_RENDER_VIEW_FACTS_H
#define RVI_STEPS_RENDER_VIEW_FACTS_H

#include "picture/view_cell.h"

typedef struct rvi_view_facts {
    rvi_view_numbers k;
    rvi_relief_numbers relief;
    rvi_cover_numbers cover;
    rvi_trees_numbers trees;
    int sky_width, sky_height;
    int normals_width, normals_height;
    float normals_tile;
    int light_width, light_height; /* of the level of the light */
    int first, rows;               /* of the picture: those that are drawn now */
} rvi_view_facts;

/* What `count_values` counts: as RVI_OVERLAY_BINS; and rows of a column that an item takes. */
enum { RVI_VIEW_BINS = 0x7f80, RVI_VIEW_RUN = 64 };

/* Pixels beside each other that a group works on: eight columns of eight. */
enum { RVI_VIEW_BLOCK = 8 };

#endif
