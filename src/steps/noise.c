/* noise.c: hills from layered noise (wear/noise_map.c). */
#include "steps/step.h"
#include "wear/made_heights.h"
#include "wear/noise_map.h"

typedef struct hills {
    rv_noise_params p; /* with the crease in m */
    rvi_made_heights how;
    float *made;
} hills;

static rv_status run(rvi_job *job) {
    hills *h = job->state;
    rv_status status = rvi_noise_make(job, &h->p, h->made);
    return status == RV_OK ? rvi_made_heights_set(job, &h->how, &h->made) : status;
}

rv_status rvi_step_noise(rvi_job *job, const rv_noise_params *p) {
    hills *h = rvi_job_begin(job, sizeof *h, run, NULL);
    if (!h)
        return RV_ERROR_MEMORY;
    h->p = *p;
    h->p.crease = rvi_length(p->crease, job->land->cell);
    rvi_job_grid(job, &h->made, "the noise");
    job->doubles = true;
    return rvi_made_heights_prepare(job, p->layer, p->field, p->relief, p->mode, &h->how);
}
