/* border.h: the land beyond the border of a map, as its edge and the cells inside continue it.
 *
 * A place outside has a nearest cell at the edge, and a mirrored one as far inside as it is
 * outside. With these two heights the land goes on at the slope of its edge:
 *
 *     h(outside) = h(edge) + (h(edge) - h(mirrored))      metres
 */
#ifndef RVI_WEAR_BORDER_H
#define RVI_WEAR_BORDER_H

#include "base/math.h"

/* The index 0 ... size - 1 nearest to i. */
static inline int rvi_border_nearest(int i, int size) {
    return rvi_maxi(0, rvi_mini(i, size - 1));
}

/* The index 0 ... size - 1 that i mirrors to; inside the map, i itself. */
static inline int rvi_border_mirrored(int i, int size) {
    return rvi_border_nearest(2 * rvi_border_nearest(i, size) - i, size);
}

/* The height one cell beyond an open border. */
static inline float rvi_border_beyond(float edge, float mirrored) {
    return 2.0f * edge - mirrored;
}

#endif
