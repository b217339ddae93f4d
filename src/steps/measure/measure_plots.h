/* measure_plots.h: what was measured, as pictures. */
#ifndef RVI_STEPS_MEASURE_MEASURE_PLOTS_H
#define RVI_STEPS_MEASURE_MEASURE_PLOTS_H

#include "measure/survey.h"
#include "wear/job.h"

/* Writes PREFIX-slope-area.png, PREFIX-hypsometry.png, PREFIX-landforms.png, PREFIX-drainage.png.
 * The first only says so, while the step prepares. */
rv_status rvi_measure_plots_list(rvi_job *job, const char *prefix);
rv_status rvi_measure_plots(const rv_terrain *land, const rvi_survey *survey, const char *prefix);
/* How many of them are there already? */
int rvi_measure_plots_there(rv_context *ctx, const char *prefix);
size_t rvi_measure_plots_bytes(const rv_terrain *land); /* memory it needs */

#endif
