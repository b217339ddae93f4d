/* survey.h: everything that is measured, in one go. */
#ifndef RVI_MEASURE_SURVEY_H
#define RVI_MEASURE_SURVEY_H

#include "measure/concavity.h"
#include "measure/landforms.h"
#include "measure/network.h"
#include "measure/spectrum.h"
#include "measure/surface.h"

typedef struct rvi_survey {
    rvi_ground ground;
    rvi_drainage drainage;
    rvi_surface surface;
    rvi_spectrum spectrum;
    rvi_pits pits;
    rvi_concavity concavity;
    rvi_network network;
    rvi_landforms forms;
    double exceedance;        /* of areas by one way down (D8) */
    double exceedance_spread; /* by any direction (D-infinity) */
} rvi_survey;

enum { RVI_SURVEY_BYTES = 38 }; /* for each cell at the peak of it */

/* A channel is where at least `channel` cells drain. On failure *out is NULL. */
rv_status rvi_survey_make(const rv_terrain *land, int border, uint32_t channel, rvi_survey **out);
void rvi_survey_free(rv_context *ctx, rvi_survey *survey); /* NULL is fine */

#endif
