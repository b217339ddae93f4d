/* cursor.h: where a recipe stands. A plan and a run go through its steps in the same order. */
#ifndef RVI_RECIPE_CURSOR_H
#define RVI_RECIPE_CURSOR_H

#include "recipe/recipe.h"

/* The next step, and the turns of the repeats around it. */
typedef struct rvi_cursor {
    int64_t step, depth;
    int64_t start[RVI_DEPTH], turn[RVI_DEPTH];
} rvi_cursor;

int64_t rvi_cursor_times(const rv_recipe *recipe, int64_t step); /* of a repeat */
/* From a repeat into its first turn, or past its end; from its end to the next turn, or on. */
void rvi_cursor_begin_repeat(const rv_recipe *recipe, rvi_cursor *c);
void rvi_cursor_end_repeat(const rv_recipe *recipe, rvi_cursor *c);
/* Which turn of the step this is, of how many, over all repeats around it. */
void rvi_cursor_turns(const rv_recipe *recipe, const rvi_cursor *c, int64_t *turn, int64_t *turns);
/* How many times steps have run before a place, as a double: repeats can multiply beyond any whole
 * number. A step has run in all turns that are over of the repeats around both it and the place,
 * and once more in this turn when it stands before the place. each: how many times each of them, or
 * NULL. */
double rvi_cursor_runs(const rv_recipe *recipe, const rvi_cursor *c, double *each);

#endif
