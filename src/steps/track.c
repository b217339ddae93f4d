/* track.c: fields that add up what steps do start again at 0; the ledger of the land is not theirs.
 */
#include "steps/step.h"

#include <string.h>

static rv_status run(rvi_job *job) {
    static const char *const names[] = {"eroded", "deposited"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        float *values = rvi_field_get(job->land, names[k]);
        if (values)
            memset(values, 0, rvi_cells(job->land) * sizeof *values);
    }
    return RV_OK;
}

rv_status rvi_step_track(rvi_job *job, const rv_track_params *p) {
    (void)p;
    job->run = run;
    return RV_OK;
}
