/* rim.h: the ground at the rim of holes. */
#ifndef RVI_PICTURE_RIM_H
#define RVI_PICTURE_RIM_H

#include "terrain/state.h"

/* Copies the heights of the land to `z`, where the ground goes on for a few cells into the holes: a
 * curve or a slope that is drawn at the rim knows nothing of what fills the hole. */
rv_status rvi_rim_extend(const rv_terrain *land, const float *hole, float *z);

/* Where the hole lies as seen from a place of its rim, in cells: east and south, of length 1.
 * false: it lies on all sides alike. */
bool rvi_rim_facing(const rv_terrain *land, const float *hole, double x, double y, float out[2]);

#endif
