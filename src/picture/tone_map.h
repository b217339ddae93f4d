/* tone_map.h: from light to the bytes of a picture.
 *
 * Light is brought to a screen's range by K. Narkowicz's fit of the ACES curve (2015) and the sRGB
 * curve; a pattern hides the steps of slow gradients. */
#ifndef RVI_PICTURE_TONE_MAP_H
#define RVI_PICTURE_TONE_MAP_H

#include "picture/tone_cell.h"

typedef struct rvi_tone_map {
    float exposure;
    float curve[RVI_TONE_STEPS + 2];
} rvi_tone_map;

void rvi_tone_map_make(rvi_tone_map *tones, float exposure);
/* Light to what a screen shows, 0 to 1, still linear. */
static inline rvi_colour rvi_tone_map_apply(const rvi_tone_map *tones, rvi_colour light) {
    return rvi_tone_apply(tones->exposure, light);
}

/* The bytes of a tone-mapped colour at a pixel. */
static inline void rvi_tone_map_put(const rvi_tone_map *tones, int x, int y, const rvi_colour *c,
                                    unsigned char to[3]) {
    for (int k = 0; k < 3; k++)
        to[k] = rvi_tone_byte(tones->curve, x, y, c->v[k]);
}

#endif
