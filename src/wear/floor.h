/* floor.h: the height below which a step erodes nothing. */
#ifndef RVI_WEAR_FLOOR_H
#define RVI_WEAR_FLOOR_H

#include "wear/job.h"

/* Finds it where the land lies from `low` to `high`: `asked`, or `low` where that is NAN. On layers
 * it is higher by what the sum of their thicknesses may round off, so that the ground stays above
 * what was asked. parts: for rvi_device_range(); NULL on the processor. */
rv_status rvi_floor_find(const rvi_job *job, float asked, float low, float high, float *parts,
                         float *floor);

#endif
