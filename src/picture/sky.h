/* sky.h: the light of sun and sky, and the air between the camera and the land. */
#ifndef RVI_PICTURE_SKY_H
#define RVI_PICTURE_SKY_H

#include "picture/own_images.h"

typedef struct rvi_sky {
    float sun[3]; /* where it stands: east, south, up, of length 1 */
    float sunlight[3];
    float zenith[3], horizon[3]; /* colours */
    float glow;                  /* how bright the air around the sun is */
    const rvi_sky_image *image;  /* what is seen instead; NULL: a clear sky */
} rvi_sky;

/* Angles in degrees. A low sun is dimmer and redder. */
void rvi_sky_place_sun(rvi_sky *sky, float azimuth, float altitude);
/* Where the sun stands at a time of day, 0 to 24 hours, in spring at 45 degrees north. */
void rvi_sky_time(float hours, float *azimuth, float *altitude);
/* The colour in a direction; below the horizon that of the horizon. */
void rvi_sky_at(const rvi_sky *sky, const float along[3], float out[3]);
/* All light there: `sun` of the sun's is not in shadow, `open` of the sky is seen, what stands on a
 * floor of the colour `floor` throws some back. */
void rvi_sky_light(const rvi_sky *sky, const float floor[3], const float normal[3], float sun,
                   float open, float out[3]);

#endif
