/* shade.h: the land lit from one side, as a picture. */
#ifndef RVI_PICTURE_SHADE_H
#define RVI_PICTURE_SHADE_H

#include "picture/shade_cell.h"
#include "terrain/state.h"

typedef struct rvi_light {
    float azimuth;  /* degrees, clockwise from north */
    float altitude; /* degrees above the horizon */
    float z;        /* how much heights are exaggerated */
} rvi_light;

/* The height of a cell; the land goes on evenly beyond its edges. */
float rvi_height_at(const rv_terrain *land, int x, int y);

/* One byte a cell: 1 in full shadow to 255 where the light falls straight on the ground. */
rv_status rvi_shade_grey(const rv_terrain *land, const rvi_light *light, unsigned char *grey);

/* Three bytes a cell, red, green, blue: colours by height between the lowest and the highest point,
 * darkened where the ground turns away from the light. */
rv_status rvi_shade_land(const rv_terrain *land, const rvi_light *light, unsigned char *rgb);

/* What a device needs to do the same; low and high: of the land, for colours. */
rvi_shade_rules rvi_shade_prepare(const rv_terrain *land, const rvi_light *light, float low,
                                  float high);

/* The colour of a height, 0 the lowest and 1 the highest, in levels from 0 to 255. */
void rvi_shade_colour(float height, float rgb[3]);

#endif
