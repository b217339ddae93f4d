/* hardness.c: an image or a field of how hard the rock is, which erosion then takes less of (H. T.
 * Beyer, 2015, section 5.2). */
#include "steps/step.h"
#include "wear/limit.h"

rv_status rvi_step_hardness(rvi_job *job, const rv_hardness_params *p) {
    return rvi_limit_prepare(job, "hardness", p->file, p->field, p->invert);
}
