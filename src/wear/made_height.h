/* made_height.h: the height of one cell that a step has made, for the processor and for devices. */
#ifndef RVI_WEAR_MADE_HEIGHT_H
#define RVI_WEAR_MADE_HEIGHT_H

enum { RVI_MADE_SET, RVI_MADE_ADD, RVI_MADE_MULTIPLY }; /* the options of noise mode= */

static inline float rvi_made_height(float made, float ground, float low, float span, float relief,
                                    int mode) {
    float share = (made - low) / span; /* 0 to 1 */
    float height = share * relief;
    height = mode == RVI_MADE_ADD ? ground + height : height;
    return mode == RVI_MADE_MULTIPLY ? ground * share : height;
}

#endif
