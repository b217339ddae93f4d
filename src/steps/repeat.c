/* repeat.c: runs the steps up to its end again and again. What it does is the business of
 * recipe/run.c, so as a step it does nothing. */
#include "steps/step.h"

rv_status rvi_step_repeat(rvi_job *job, const rv_repeat_params *p) {
    (void)job;
    (void)p;
    return RV_OK;
}
