/* filming.h: films of steps (film frames=): which frames each of the steps after them gets. */
#ifndef RVI_RECIPE_FILMING_H
#define RVI_RECIPE_FILMING_H

#include "base/context.h"
#include "base/run_files.h"
#include "recipe/cursor.h"
#include "terrain/state.h"

enum { RVI_FILMS = 16 }; /* of steps, in a recipe */

/* The film at step i, where it is one of steps; else NULL. */
const rv_film_params *rvi_film_of_steps(const rv_recipe *recipe, int i);
/* Frames that it gets of a step, each time that runs. */
int64_t rvi_film_of_step(const rv_film_params *film, rv_step_id id);
/* Frames that the film at step i gets before a place behind it; NULL: in all. */
rv_status rvi_film_count(const rv_recipe *recipe, int i, const rvi_cursor *at, int64_t *out);

typedef struct rvi_filmed {
    const rv_film_params *film;
    int64_t next, frames; /* number of the next frame, and of all */
    int64_t of_step;      /* frames of the step that runs, */
    int64_t taken;        /* and how many of them are there */
} rvi_filmed;

/* The films that go on in a run. */
typedef struct rvi_filming {
    rvi_run_files *files;
    rvi_filmed list[RVI_FILMS];
    int count;
    rvi_watcher watcher;
} rvi_filming;

/* The film at step i has begun, and stands at the frame before `at`. */
rv_status rvi_filming_add(rvi_filming *f, const rv_recipe *recipe, int i, const rvi_cursor *at);
/* Around every step. The second writes the frames that are left where `status`, that of the step,
 * is RV_OK. */
void rvi_filming_begin_step(rvi_filming *f, rv_context *ctx, rv_step_id id);
rv_status rvi_filming_end_step(rvi_filming *f, const rv_terrain *land, rv_status status);
/* After a stop: what is there becomes a film, with a last frame of the land. */
rv_status rvi_filming_stop(rvi_filming *f, const rv_terrain *land);

#endif
