/* repeat.c: the words `repeat` and `end`. They are steps so that the table knows them; what they do
 * is the recipe's business (recipe/run.c), so as steps they do nothing. */
#include "steps/step.h"

rv_status rvi_step_repeat(rvi_job *job, const rv_repeat_params *p) {
    (void)job;
    (void)p;
    return RV_OK;
}

rv_status rvi_step_end(rvi_job *job, const rv_end_params *p) {
    (void)job;
    (void)p;
    return RV_OK;
}
