/* tone_map.h: from light to the bytes of a picture.
 *
 * Light is brought to a screen's range by K. Narkowicz's fit of the ACES curve (2015) and the sRGB
 * curve; a pattern hides the steps of slow gradients. */
#ifndef RVI_PICTURE_TONE_MAP_H
#define RVI_PICTURE_TONE_MAP_H

#include <stdbool.h>

enum { RVI_TONE_STEPS = 4096 }; /* steps of the sRGB curve */

typedef struct rvi_colour {
    float v[3];
} rvi_colour;

typedef struct rvi_tone_map {
    float exposure;
    float curve[RVI_TONE_STEPS + 2];
} rvi_tone_map;

void rvi_tone_map_make(rvi_tone_map *tones, float exposure);
/* Light to what a screen shows, 0 to 1, still linear. */
rvi_colour rvi_tone_map_apply(const rvi_tone_map *tones, rvi_colour light);
/* The bytes of a tone-mapped colour at a pixel. */
void rvi_tone_map_put(const rvi_tone_map *tones, int x, int y, const rvi_colour *c,
                      unsigned char to[3]);
/* Would an eye see an edge between the two? */
bool rvi_colours_differ(const rvi_colour *a, const rvi_colour *b);

#endif
