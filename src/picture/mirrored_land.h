/* mirrored_land.h: land that goes on beyond its edges. */
#ifndef RVI_PICTURE_MIRRORED_LAND_H
#define RVI_PICTURE_MIRRORED_LAND_H

#include "terrain/state.h"

/* How many cells it goes on on each side: half of the longer side. */
int rvi_mirrored_margin(const rv_terrain *land);
/* The land with its layers and fields, and around it the same mirrored at its edges. */
rv_status rvi_mirrored_land(const rv_terrain *land, rv_terrain **out);

#endif
