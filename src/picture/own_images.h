/* own_images.h: images that a user gives for a picture: a normal map of the ground, and the sky. */
#ifndef RVI_PICTURE_OWN_IMAGES_H
#define RVI_PICTURE_OWN_IMAGES_H

#include "picture/tone_map.h"

/* Three bytes a pixel; NULL: there is none. */
typedef struct rvi_own_image {
    int width, height;
    const unsigned char *rgb;
} rvi_own_image;

/* Red is east, green north, blue up, each 127.5 + 127.5 n. */
typedef struct rvi_normal_map {
    rvi_own_image image;
    float tile; /* metres of one copy from west to east, repeated; NaN: one copy over all land */
} rvi_normal_map;

/* The slopes eastwards and southwards at a place, in metres from the north-west corner of land that
 * is `wide` x `high` metres. Beyond its edges one copy over all land is mirrored, as the land is.
 */
void rvi_normal_map_slope(const rvi_normal_map *map, double x, double y, double wide, double high,
                          float slope[2]);
/* Metres between pixels of the map. */
float rvi_normal_map_pixel(const rvi_normal_map *map, double wide);

/* A sky all around: its left edge is north, then comes east. Twice as wide as high: the whole
 * sphere, with the horizon in the middle; wider: a strip that stands on the horizon, as high as its
 * width says. Colours are those that the picture shall show. */
typedef struct rvi_sky_image {
    rvi_own_image image;
    float light[256]; /* of each byte, before the tone map */
} rvi_sky_image;

void rvi_sky_image_make(rvi_sky_image *sky, rvi_own_image image, const rvi_tone_map *tones);
void rvi_sky_image_at(const rvi_sky_image *sky, const float along[3], float out[3]);
/* The mean light around the horizon, and of the upper half of the sky. */
void rvi_sky_image_mean(const rvi_sky_image *sky, float horizon[3], float zenith[3]);

#endif
