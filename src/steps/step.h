/* step.h: rvi_step_NAME() of every step, declared from the table. */
#ifndef RVI_STEPS_STEP_H
#define RVI_STEPS_STEP_H

#include "wear/job.h"

/* Prepares a run of the step (rvi_job). Parameters are checked before. A step of kind make or shape
 * may leave the mask aside (rv_step_run blends its result) unless it says RV_STEP_FLAG_MASKS; a
 * step of kind wear applies mask, hardness and layers itself. */
#define RV_STEP(name, kind, flags, sentence, source, reads, writes)                                \
    rv_status rvi_step_##name(rvi_job *job, const rv_##name##_params *p);
#include <ravine/steps.def>

/* A length that the table calls RV_LENGTH, in m: below zero it is a number of cells. */
static inline float rvi_length(float value, float cell) {
    return value < 0.0f ? -value * cell : value;
}

/* A film of the steps that follow it (frames=): one more of its frames, and after the last of
 * `frames` the film; what that needs beside the land; the field that it shows and the land has not,
 * NULL: none. */
rv_status rvi_film_frame(const rv_terrain *land, const rv_film_params *p, rvi_run_files *files,
                         int64_t number, int64_t frames);
size_t rvi_film_memory(const rv_terrain *land, const rv_film_params *p);
const char *rvi_film_lacks(const rv_terrain *land, const rv_film_params *p);
/* Before a run: says which plots of measure that are there will be overwritten. */
void rvi_measure_tell(rv_context *ctx, const rv_measure_params *p);
/* Before a run: says which frames that are there a film, run so many times, will overwrite. */
void rvi_film_tell(rv_context *ctx, const rv_film_params *p, int64_t turns, bool goes_on);

#endif
