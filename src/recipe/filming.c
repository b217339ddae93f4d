/* filming.c: films of steps.
 *
 * A film of N frames a step gets frame k of a step that erodes, k = 1 ... N - 1, between the first
 * two slices of its work where k / N of it is done, and frame N when it is over. Slices are cut by
 * the work, so that frames are the same on every machine. Drawing changes nothing of the land.
 */
#include "recipe/filming.h"
#include "steps/step.h"

const rv_film_params *rvi_film_of_steps(const rv_recipe *recipe, int i) {
    const rv_film_params *film =
        rv_recipe_step(recipe, i) == RV_STEP_film ? rv_recipe_params(recipe, i) : NULL;
    return film && film->frames > 0 ? film : NULL;
}

int64_t rvi_film_of_step(const rv_film_params *film, rv_step_id id) {
    rv_step_kind kind = rv_step_get(id)->kind;
    return kind == RV_KIND_WEAR                            ? film->frames
           : kind == RV_KIND_MAKE || kind == RV_KIND_SHAPE ? 1
                                                           : 0;
}

rv_status rvi_film_count(const rv_recipe *recipe, int i, const rvi_cursor *at, int64_t *out) {
    int count = rv_recipe_count(recipe);
    const rvi_cursor end = {.step = count};
    double *runs = rvi_alloc(recipe->ctx, (size_t)count, sizeof *runs, "a film"), sum = 1.0;
    if (!runs)
        return RV_ERROR_MEMORY;
    rvi_cursor_runs(recipe, at ? at : &end, runs);
    for (int k = i + 1; k < count; k++) {
        rv_step_id id = rv_recipe_step(recipe, k);
        if (id != RV_STEP_repeat && id != RV_STEP_end)
            sum += runs[k] * (double)rvi_film_of_step(rvi_film_of_steps(recipe, i), id);
    }
    rvi_free(recipe->ctx, runs);
    if (!(sum <= 1e9))
        return rvi_fail(recipe->ctx, RV_ERROR_USAGE,
                        "film: frames=%d of each step would be more than 1000 million frames.",
                        rvi_film_of_steps(recipe, i)->frames);
    *out = (int64_t)sum;
    return RV_OK;
}

rv_status rvi_filming_add(rvi_filming *f, const rv_recipe *recipe, int i, const rvi_cursor *at) {
    rvi_filmed *one = &f->list[f->count]; /* the plan has counted them */
    *one = (rvi_filmed){.film = rvi_film_of_steps(recipe, i)};
    rv_status status = rvi_film_count(recipe, i, NULL, &one->frames);
    if (status == RV_OK)
        status = rvi_film_count(recipe, i, at, &one->next);
    if (status == RV_OK)
        f->count++;
    return status;
}

/* ---- while a step runs ---- */

static double next_at(const rvi_filmed *one) {
    return (double)(one->taken + 1) / (double)one->of_step;
}

/* What is due of each film when so much of the step is done. */
static rv_status take_frames(rvi_filming *f, double done, const rv_terrain *land) {
    rv_status status = f->count > 0 ? rvi_terrain_fetch(land) : RV_OK;
    for (int i = 0; i < f->count; i++) {
        rvi_filmed *one = &f->list[i];
        while (status == RV_OK && one->taken < one->of_step && done >= next_at(one)) {
            status = rvi_film_frame(land, one->film, f->files, one->next, one->frames);
            one->taken++;
            one->next++;
        }
    }
    return status;
}

static void set_watch(rvi_filming *f) {
    f->watcher.at = 2.0; /* never */
    for (int i = 0; i < f->count; i++)
        if (f->list[i].taken + 1 < f->list[i].of_step && next_at(&f->list[i]) < f->watcher.at)
            f->watcher.at = next_at(&f->list[i]);
}

/* The last frame of a step shows what it leaves when it is over. */
static rv_status look(rvi_watcher *watcher, double done, const rv_terrain *land) {
    rvi_filming *f = watcher->user;
    rv_status status = take_frames(f, done < 0.9999999 ? done : 0.9999999, land);
    set_watch(f);
    return status;
}

void rvi_filming_begin_step(rvi_filming *f, rv_context *ctx, rv_step_id id) {
    for (int i = 0; i < f->count; i++) {
        f->list[i].of_step = rvi_film_of_step(f->list[i].film, id);
        f->list[i].taken = 0;
    }
    f->watcher = (rvi_watcher){.look = look, .user = f};
    set_watch(f);
    rvi_progress_watch(ctx, f->watcher.at <= 1.0 ? &f->watcher : NULL);
}

rv_status rvi_filming_end_step(rvi_filming *f, const rv_terrain *land, rv_status status) {
    rvi_progress_watch(land->ctx, NULL);
    return status == RV_OK ? take_frames(f, 1.0, land) : status;
}

rv_status rvi_filming_stop(rvi_filming *f, const rv_terrain *land) {
    rv_status status = f->count > 0 ? rvi_terrain_fetch(land) : RV_OK;
    for (int i = 0; status == RV_OK && i < f->count; i++) {
        rvi_filmed *one = &f->list[i];
        if (one->next < one->frames)
            status = rvi_film_frame(land, one->film, f->files, one->next, one->next + 1);
    }
    return status;
}
