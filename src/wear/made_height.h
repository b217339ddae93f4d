/* made_height.h: the height of one cell that a step has made, for the processor and for devices. */
#ifndef RVI_WEAR_MADE_HEIGHT_H
#define RVI_WEAR_MADE_HEIGHT_H

#include "base/math.h"

enum { RVI_MADE_SET, RVI_MADE_ADD, RVI_MADE_MULTIPLY }; /* the options of noise mode= */

static inline float rvi_made_height(float made, float ground, float low, float span, float relief,
                                    int mode) {
    float share = (made - low) / span; /* 0 to 1 */
    float height = share * relief;
    height = mode == RVI_MADE_ADD ? ground + height : height;
    return mode == RVI_MADE_MULTIPLY ? ground * share : height;
}

/* As much of it as the mask lets pass. */
static inline float rvi_made_masked(float mask, float before, float after) {
    return mask >= 1.0f ? after : before + mask * (after - before);
}

/* Of a layer above bedrock, which is no thinner than 0, or of a field, which is 0 to 1. */
static inline float rvi_made_limited(float made, int thickness, int share) {
    made = thickness || share ? rvi_maxf(made, 0.0f) : made;
    return share ? rvi_minf(made, 1.0f) : made;
}

#endif
