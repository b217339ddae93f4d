/* step_run.h: one step, planned or run, for recipes. */
#ifndef RVI_RECIPE_STEP_RUN_H
#define RVI_RECIPE_STEP_RUN_H

#include <ravine/ravine.h>

/* Checks the parameters and asks the step what a run would do: sets the size of `land`, which is
 * planned, and the memory the run needs beside it. */
rv_status rvi_step_plan(rv_terrain *land, rv_step_id id, const void *params, size_t *memory);

/* rv_step_run() as one turn of a step that is repeated. */
rv_status rvi_step_run_turn(rv_terrain *land, rv_step_id id, const void *params, int64_t turn,
                            int64_t turns, rv_report *report);

#endif
