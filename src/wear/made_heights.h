/* made_heights.h: heights that a step has made become part of the land. */
#ifndef RVI_WEAR_MADE_HEIGHTS_H
#define RVI_WEAR_MADE_HEIGHTS_H

#include "wear/job.h"

/* What is made: the surface, one layer, or a field. */
typedef struct rvi_made_heights {
    float relief;
    int mode;     /* RV_noise_mode_..., the same for every step that makes */
    int layer;    /* -1: the surface, and bedrock moves with it */
    float *field; /* NULL: none */
    float *parts; /* to work with on a device */
} rvi_made_heights;

/* Before the run. layer "" and field "": the surface. RV_ERROR_USAGE: there is no such layer, or
 * that is no name for a field. */
rv_status rvi_made_heights_prepare(rvi_job *job, const char *layer, const char *field, float relief,
                                   int mode, rvi_made_heights *out);
/* Adds the heights in *made, a listed grid of any range, to the land: scaled to 0 ... relief, or to
 * 0 ... 1 for a field, and set, added or multiplied. No layer on bedrock gets thinner than 0. */
rv_status rvi_made_heights_set(rvi_job *job, const rvi_made_heights *how, float **made);

#endif
