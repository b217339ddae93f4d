/* inputs.h: a run does not replace the files that it reads, unless it is told to. */
#ifndef RVI_RECIPE_INPUTS_H
#define RVI_RECIPE_INPUTS_H

#include "recipe/recipe.h"

/* Refuses a step that would write to the file of the recipe, or to a file that a step before it
 * reads and no step before that has written; `save overwrite=yes` may. */
rv_status rvi_recipe_check_inputs(const rv_recipe *recipe);

#endif
