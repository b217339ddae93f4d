/* sky.h: the light of sun and sky, and the air between the camera and the land. */
#ifndef RVI_PICTURE_SKY_H
#define RVI_PICTURE_SKY_H

#include "picture/sky_cell.h"

/* Angles in degrees. A low sun is dimmer and redder. */
void rvi_sky_place_sun(rvi_sky *sky, float azimuth, float altitude);
/* Where the sun stands at a time of day, 0 to 24 hours, in spring at 45 degrees north. */
void rvi_sky_time(float hours, float *azimuth, float *altitude);

#endif
