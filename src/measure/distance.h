/* distance.h: how far every cell is from the nearest of some. */
#ifndef RVI_MEASURE_DISTANCE_H
#define RVI_MEASURE_DISTANCE_H

#include "terrain/state.h"

enum { RVI_DISTANCE_ROOM = 3 }; /* whole numbers a cell that the work needs */

/* The distance in metres, from the middle of a cell to that of the nearest whose value is above 0;
 * infinite where there is none on the map. */
rv_status rvi_distance_make(const rv_terrain *land, const float *values, int32_t *room, float *out);

#endif
