/* step.h: what a step gets to work with. rvi_step_NAME() of every step is declared from the table.
 */
#ifndef RVI_STEPS_STEP_H
#define RVI_STEPS_STEP_H

#include "base/context.h"
#include "terrain/state.h"

typedef struct rvi_job {
    rv_context *ctx;
    rv_terrain *land;
    rv_ledger ledger; /* filled in by steps of kind wear, in cubic metres */
    rv_water water;   /* filled in by steps that have water */
    double *laid_on; /* of what was laid, how much on each layer; all 0: all of it on the top one */
    uint64_t drop_steps;
    rv_figure figures[RV_FIGURES]; /* filled in by steps that measure */
    int figure_count;
    int64_t turn, turns; /* which run of the step this is, of how many that repeats ask for */
    bool planning;       /* set the size of `land` (planned) and `memory`; touch nothing else */
    size_t
        memory; /* bytes the run needs beside the terrain; set while planning, by RV_PLANS steps */
} rvi_job;

/* Parameters are checked before; `land` is whole. A step of kind make or shape may leave the mask
 * aside (rv_step_run blends its result) unless it says RV_MASKS; a step of kind wear applies mask,
 * hardness and layers itself. */
#define RV_STEP(name, kind, flags, bytes, sentence, source, reads, writes)                         \
    rv_status rvi_step_##name(rvi_job *job, const rv_##name##_params *p);
#include <ravine/steps.def>

/* Checks the parameters and asks the step what a run would do: sets the size of `land`, which is
 * planned, and the memory the run needs beside it. */
rv_status rvi_step_plan(rv_terrain *land, rv_step_id id, const void *params, size_t *memory);

/* rv_step_run() as one turn of a step that is repeated. */
rv_status rvi_step_run_turn(rv_terrain *land, rv_step_id id, const void *params, int64_t turn,
                            int64_t turns, rv_report *report);

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

/* What can be taken of each cell, by mask, hardness and, for bare bedrock, its erodibility; *out is
 * from rvi_alloc, or NULL: all of it. */
rv_status rvi_job_softness(rvi_job *job, float **out);

/* Fails because there is no such field "to paint"; the sentence lists those there are. */
rv_status rvi_job_no_field(rvi_job *job, const char *name, const char *purpose);

#endif
