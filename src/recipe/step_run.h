/* step_run.h: one step, planned or run, for recipes. */
#ifndef RVI_RECIPE_STEP_RUN_H
#define RVI_RECIPE_STEP_RUN_H

#include "base/run_files.h"
#include "wear/planned_files.h"

/* Checks the parameters and prepares the step as a run does. `outline` (terrain/state.h) becomes
 * that of the land after the step, `files` gets those that it reads and writes when it runs `turns`
 * times; *memory is what the land and the step take from the memory limit at their peak. */
rv_status rvi_step_plan(rv_terrain *outline, rvi_planned_files *files, rv_step_id id,
                        const void *params, int64_t turns, size_t *memory);

/* rv_step_run() as one turn of a step that is repeated, in a run that has these files. keep: the
 * land is wanted after a stop and is whole then, which can take a while. Else RV_CANCELLED comes at
 * once, and the land is good only to be destroyed. */
rv_status rvi_step_run_turn(rv_terrain *land, rv_step_id id, const void *params, int64_t turn,
                            int64_t turns, rvi_run_files *files, bool keep, rv_report *report);

#endif
