/* layer_cell.h: the arithmetic of one layer of a cell, for the processor and for devices. */
#ifndef RVI_TERRAIN_LAYER_CELL_H
#define RVI_TERRAIN_LAYER_CELL_H

#include "base/math.h"

#ifndef __OPENCL_VERSION__
#include <stdbool.h>
#endif

/* One layer in a take from the top downwards. It would lose `loss` of what is wanted, and `there`
 * is how thick it is. true: it is used up, and *want becomes what is left for the layer below it;
 * false: it loses `loss`, and nothing more is wanted. Bedrock is never used up. */
static inline bool rvi_layer_used_up(float *want, float loss, float there, bool bedrock) {
    if (bedrock || loss <= there) {
        *want = 0.0f;
        return false;
    }
    *want *= 1.0f - there / loss;
    return true;
}

/* How thick a layer is after a share of what there is for it, `part`, was laid on it: as thick as
 * before where rounding would make any out of nothing. */
static inline float rvi_layer_raised(float there, float part, float share) {
    float raised = there + share * part;
    if (raised - there > part)
        raised -= (raised < 0.0f ? -raised : raised) * 0x1p-23f;
    float gain = raised - there;
    return gain > 0.0f && gain <= part ? raised : there;
}

#endif
