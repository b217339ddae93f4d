/* job.h: what a step gets to work with, and what steps that make land or wear it have in common. */
#ifndef RVI_WEAR_JOB_H
#define RVI_WEAR_JOB_H

#include "base/context.h"
#include "terrain/state.h"

typedef struct rvi_job {
    rv_context *ctx;
    rv_terrain *land;
    rv_ledger ledger;     /* filled in by steps of kind wear, in cubic metres */
    rv_water water;       /* filled in by steps that have water */
    double *deposited_on; /* of what was laid, how much on each layer; all 0: all of it on the top
                             one */
    uint64_t drop_steps;
    int64_t turn, turns; /* which run of the step this is, of how many that repeats ask for */
    bool planning;       /* set the size of `land` (planned) and `memory`; touch nothing else */
    size_t memory;       /* bytes the run needs beside the terrain; set while planning, by
                            RV_STEP_FLAG_PLANS steps */
} rvi_job;

/* Tells the user how far the step is; `job->land` must be whole. RV_CANCELLED: clean up and return.
 */
rv_status rvi_job_progress(rvi_job *job, double done);

/* Lays made heights (any range) over the land: scaled to 0 ... relief and set, added or multiplied
 * (mode: RV_noise_mode_..., the same for every step that makes). Takes `made` over. */
rv_status rvi_job_lay(rvi_job *job, float *made, float relief, int mode);

/* The image in `file`, 0 to 1, stretched over the map; *out is from rvi_alloc. While planning it
 * only adds to job->memory what that needs, and *out is NULL: the image may be larger than the map,
 * and may not be there before the recipe has made it. */
rv_status rvi_job_image(rvi_job *job, const char *file, float **out);

/* Fails because there is no such field "to paint"; the sentence lists those there are. */
rv_status rvi_job_no_field(rvi_job *job, const char *name, const char *purpose);

#endif
