/* develop.h: from light to the bytes of a picture.
 *
 * Light is brought to a screen's range by K. Narkowicz's fit of the ACES curve (2015) and the sRGB
 * curve; a pattern hides the steps of slow gradients. */
#ifndef RVI_PICTURE_DEVELOP_H
#define RVI_PICTURE_DEVELOP_H

#include <stdbool.h>

enum { RVI_CURVE = 4096 }; /* steps of the sRGB curve */

typedef struct rvi_colour {
    float v[3];
} rvi_colour;

typedef struct rvi_developer {
    float exposure;
    float curve[RVI_CURVE + 2];
} rvi_developer;

void rvi_developer_make(rvi_developer *developer, float exposure);
/* Light to what a screen shows, 0 to 1, still linear. */
rvi_colour rvi_develop(const rvi_developer *developer, rvi_colour light);
/* The bytes of a developed colour at a pixel. */
void rvi_develop_put(const rvi_developer *developer, int x, int y, const rvi_colour *c,
                     unsigned char to[3]);
/* Would an eye see an edge between the two? */
bool rvi_colours_differ(const rvi_colour *a, const rvi_colour *b);

#endif
