/* mask.c: an image or a field that limits the steps after it. */
#include "steps/step.h"
#include "wear/limit.h"

rv_status rvi_step_mask(rvi_job *job, const rv_mask_params *p) {
    return rvi_limit_prepare(job, "mask", p->file, p->field, p->invert);
}
