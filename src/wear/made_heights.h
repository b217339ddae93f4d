/* made_heights.h: heights that a step has made become part of the land. */
#ifndef RVI_WEAR_MADE_HEIGHTS_H
#define RVI_WEAR_MADE_HEIGHTS_H

#include "wear/job.h"

/* Adds the heights in *made, a listed grid of any range, to the land: scaled to 0 ... relief and
 * set, added or multiplied (mode: RV_noise_mode_..., the same for every step that makes). */
rv_status rvi_made_heights_set(rvi_job *job, float **made, float relief, int mode);

#endif
