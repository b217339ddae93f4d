/* noise_map.h: layered noise over a map, as the step `noise` describes it. */
#ifndef RVI_WEAR_NOISE_MAP_H
#define RVI_WEAR_NOISE_MAP_H

#include "wear/job.h"

/* Fills a grid as large as the map with noise of any range, without relief and mode. */
rv_status rvi_noise_make(rvi_job *job, const rv_noise_params *p, float *out);

#endif
