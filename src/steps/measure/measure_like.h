/* measure_like.h: the shape of a land beside that of real elevation data. */
#ifndef RVI_STEPS_MEASURE_LIKE_H
#define RVI_STEPS_MEASURE_LIKE_H

#include "measure/survey.h"
#include "steps/step.h"

enum { RVI_SHAPE_MEASURES = 10 };

/* Before the run: looks at the file `like` and lists the memory that the comparison takes. */
rv_status rvi_measure_like_list(rvi_job *job, const rv_measure_params *p);
/* Surveys the reference, and the land again where its cells are smaller than those of the
 * reference; prints the measures of both and adds them to the figures. */
rv_status rvi_measure_like(rvi_job *job, const rv_measure_params *p, const rvi_survey *own);

#endif
