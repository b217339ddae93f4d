/* noise.c: hills from layered gradient or value noise (wear/noise_map.c). */
#include "steps/step.h"
#include "wear/noise_map.h"

rv_status rvi_step_noise(rvi_job *job, const rv_noise_params *p) {
    float *made;
    rv_status status = rvi_noise_make(job, p, &made);
    return status == RV_OK ? rvi_job_lay(job, made, p->relief, p->mode) : status;
}
