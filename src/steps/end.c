/* end.c: where a repeat ends. What it does is the business of recipe/run.c, so as a step it does
 * nothing. */
#include "steps/step.h"

rv_status rvi_step_end(rvi_job *job, const rv_end_params *p) {
    (void)job;
    (void)p;
    return RV_OK;
}
