/* own_images.h: images that a user gives for a picture: a normal map of the ground, and the sky. */
#ifndef RVI_PICTURE_OWN_IMAGES_H
#define RVI_PICTURE_OWN_IMAGES_H

#include "picture/image_cell.h"
#include "picture/tone_map.h"

/* What a byte of the sky's image stands for, 256 of them. */
void rvi_sky_image_light(const rvi_tone_map *tones, float light[256]);
/* The mean light around the horizon, and of the upper half of the sky. */
void rvi_sky_image_mean(const rvi_sky_image *sky, float horizon[3], float zenith[3]);

#endif
