/* plan.h: a recipe is planned before it runs. */
#ifndef RVI_RECIPE_PLAN_H
#define RVI_RECIPE_PLAN_H

#include "recipe/cursor.h"
#include "terrain/state.h"

/* Prepares all steps from `from` on, as they will run, and so finds every mistake that can be known
 * before the first of them does: what is wrong is said with its line and column. `land` is the land
 * before, or its outline; NULL: there is none yet. checkpoint: the file for it, or NULL.
 * RV_ERROR_MEMORY when a step needs more than the limit. plans (one for each step, or NULL) are
 * complete then, too, else memory is 0 in those that were not made. */
rv_status rvi_recipe_plan(const rv_recipe *recipe, const rv_terrain *land, const rvi_cursor *from,
                          const char *checkpoint, rv_plan *plans);

/* Says what a run will do from `from` on that no word of the recipe says: what it will overwrite,
 * and what it will not make. */
void rvi_recipe_tell(const rv_recipe *recipe, const rvi_cursor *from);

/* The land before the first step. */
rv_terrain_desc rvi_recipe_first_land(const rv_recipe *recipe);

#endif
