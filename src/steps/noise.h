/* noise.h: the noise of the step `noise`, for steps that let something vary. */
#ifndef RVI_STEPS_NOISE_H
#define RVI_STEPS_NOISE_H

#include "steps/step.h"

/* The noise over the map, of any range, without relief and mode; *out is from rvi_alloc. */
rv_status rvi_noise_make(rvi_job *job, const rv_noise_params *p, float **out);

#endif
