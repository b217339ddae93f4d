/* run.c: a recipe from its first step to its last, with the clock. */
#include "base/archive.h"
#include "base/file.h"
#include "base/random.h"
#include "base/run_files.h"
#include "formats/checkpoint.h"
#include "recipe/filming.h"
#include "recipe/plan.h"
#include "recipe/step_run.h"
#include "terrain/state.h"

#include <stdio.h>
#include <string.h>

/* ---- one step after the other ---- */

typedef struct run {
    const rv_recipe *recipe;
    const rv_watch *watch;
    rv_terrain *land;
    rvi_cursor at;
    double runs, done; /* in all, and so far */
    double saved;      /* when the last checkpoint was made */
    bool made;         /* there is land that is worth to be kept */
    rvi_run_files files;
    rvi_filming filming;
} run;

uint64_t rv_seed_of_turn(uint64_t seed, int64_t turn) {
    return turn > 0 ? rvi_random(seed, (uint64_t)turn, 0) : seed;
}

/* Later turns of a repeat draw other random numbers. NULL: memory. */
static void *params_of_turn(rv_context *ctx, const rvi_word *s, int64_t turn) {
    const rv_word_info *step = s->info;
    void *params = rvi_alloc(ctx, 1, step->params_size, "a step");
    if (!params)
        return NULL;
    memcpy(params, s->params, step->params_size);
    for (int i = 0; turn > 0 && i < step->param_count; i++)
        if (step->params[i].type == RV_PARAM_SEED) {
            uint64_t seed = rv_param_seed(&step->params[i], params);
            rv_param_set_seed(&step->params[i], params, rv_seed_of_turn(seed, turn));
        }
    return params;
}

/* Runs the step at `index` once: as turn `turn` of `turns`. */
static rv_status run_step(run *r, int index, int64_t turn, int64_t turns) {
    rv_context *ctx = r->recipe->ctx;
    const rv_watch *watch = r->watch;
    const rvi_word *step = &r->recipe->words.list[index];
    rv_step_id id = (rv_step_id)step->which;
    void *params = params_of_turn(ctx, step, turn);
    if (!params)
        return RV_ERROR_MEMORY;
    if (watch && watch->before) {
        bool inside = rvi_callback_begin(ctx);
        watch->before(watch->user, index, id);
        rvi_callback_end(ctx, inside);
    }
    rvi_progress_span(ctx, r->done / r->runs, (r->done + 1.0) / r->runs);
    double start = rvi_now();
    rv_report report = {0};
    bool keep = watch && watch->keep; /* else nobody gets the land of a recipe that was stopped */
    const rv_film_params *film = rvi_film_of_steps(r->recipe, index);
    int64_t frames = turns; /* a film of steps runs as the first turn of so many */
    rv_status status = film ? rvi_film_count(r->recipe, index, NULL, &frames) : RV_OK;
    rvi_filming_begin_step(&r->filming, ctx, id);
    if (status == RV_OK)
        status = rvi_step_run_turn(r->land, id, params, turn, frames, &r->files, keep, &report);
    status = rvi_filming_end_step(&r->filming, r->land, status);
    if (film && status == RV_OK)
        status = rvi_filming_add(&r->filming, r->recipe, index, &r->at);
    r->done += 1.0;
    /* What was measured is told even when it is not what was required. */
    bool stopped = keep && status == RV_CANCELLED;
    bool told = (status == RV_OK || status == RV_ERROR_UNMET || stopped) && watch && watch->after;
    double seconds = rvi_now() - start;
    bool hashed = told && !watch->no_hash;
    uint64_t hash = hashed ? rv_terrain_hash(r->land) : 0;
    rv_status fetched = hashed && hash == 0 ? rvi_terrain_fetch(r->land) : RV_OK;
    if (fetched != RV_OK)
        status = fetched;
    else if (told) {
        report.seconds = seconds;
        report.turn = turn;
        report.turns = turns;
        report.stopped = stopped;
        report.hash = hash;
        bool inside = rvi_callback_begin(ctx);
        watch->after(watch->user, index, &report);
        rvi_callback_end(ctx, inside);
    }
    rvi_free(ctx, params);
    return status;
}

/* ---- stop and keep ---- */

/* Does the step still have to run after a stop in step `at`, when it ran so many times of `all`? A
 * film that has begun gets its last frame, unless a resume will go on with it. */
static bool is_kept(const run *r, int index, double ran, double all) {
    rv_step_id id = rv_recipe_step(r->recipe, index);
    bool later = index >= r->at.step;
    if (rv_step_get(id)->kind != RV_KIND_SHOW || ran >= all)
        return false;
    return id == RV_STEP_film ? !r->files.saved && (later || ran > 0.0) : later;
}

/* The run was stopped: of what is left, only the steps that save and show run, once each. */
static rv_status keep_land(run *r) {
    rv_context *ctx = r->recipe->ctx;
    int count = rv_recipe_count(r->recipe);
    double *ran = rvi_alloc(ctx, 2 * (size_t)count, sizeof *ran, "the run"), *all = ran + count;
    if (!ran)
        return RV_ERROR_MEMORY;
    rvi_progress_begin(ctx, "the recipe"); /* the stop is over */
    rvi_cursor_runs(r->recipe, &r->at, ran);
    rvi_cursor_runs(r->recipe, &(rvi_cursor){.step = count}, all);
    rv_status status = RV_OK;
    for (int i = 0; i < count && status == RV_OK; i++)
        if (is_kept(r, i, ran[i], all[i]))
            status = run_step(r, i, (int64_t)ran[i], (int64_t)ran[i] + 1);
    rvi_free(ctx, ran);
    return status == RV_OK && !r->files.saved ? rvi_filming_stop(&r->filming, r->land) : status;
}

/* ---- checkpoints ---- */

_Static_assert(sizeof(rvi_cursor) + sizeof(int64_t) <= RVI_CHECKPOINT_NUMBERS * sizeof(int64_t),
               "a checkpoint has room for where the run stands");

static rv_status write_checkpoint(const run *r) {
    rvi_checkpoint save = {
        .run = r->files.number, .land = r->land, .text = rvi_words_save(&r->recipe->words)};
    if (!save.text)
        return RV_ERROR_MEMORY;
    rvi_cursor at = {.step = r->at.step, .depth = r->at.depth}; /* of the repeats that are open */
    for (int64_t d = 0; d < at.depth; d++) {
        at.start[d] = r->at.start[d];
        at.turn[d] = r->at.turn[d];
    }
    save.numbers[0] = (int64_t)r->done;
    memcpy(save.numbers + 1, &at, sizeof at);
    rv_status status = rvi_terrain_fetch(r->land);
    if (status == RV_OK)
        status = rvi_checkpoint_write(r->recipe->ctx, r->watch->checkpoint, &save);
    rvi_free(r->recipe->ctx, save.text);
    return status;
}

static rv_status save_checkpoint(run *r) {
    rv_status status = rvi_run_files_saved(&r->files, write_checkpoint(r));
    r->saved = rvi_now();
    return status;
}

/* Frames that are to be kept wait for the checkpoint after their film. */
static bool is_save_due(const run *r) {
    return rvi_now() - r->saved >= r->watch->every || rvi_run_folders_pend(&r->files);
}

/* After the last step, before the checkpoint goes: also the frames of films that were finished
 * before the run was resumed are not waited for any more. */
static rv_status end_films(run *r) {
    rv_status status = RV_OK;
    for (int i = 0; i < rv_recipe_count(r->recipe) && status == RV_OK; i++)
        if (rv_recipe_step(r->recipe, i) == RV_STEP_film)
            status = rvi_run_folder_done(
                &r->files, ((const rv_film_params *)rv_recipe_params(r->recipe, i))->file);
    return status;
}

static rv_status run_steps(run *r) {
    const char *checkpoint = r->watch ? r->watch->checkpoint : NULL;
    rv_status status = RV_OK;
    r->runs = rvi_cursor_runs(r->recipe, &(rvi_cursor){.step = rv_recipe_count(r->recipe)}, NULL);
    r->saved = rvi_now();
    r->filming.files = &r->files;
    for (int i = 0; status == RV_OK && i < r->at.step; i++) /* of a run that is resumed */
        if (rvi_film_of_steps(r->recipe, i))
            status = rvi_filming_add(&r->filming, r->recipe, i, &r->at);
    while (status == RV_OK && r->at.step < rv_recipe_count(r->recipe)) {
        rv_step_id id = rv_recipe_step(r->recipe, (int)r->at.step);
        if (id == RV_STEP_repeat) {
            rvi_cursor_begin_repeat(r->recipe, &r->at);
        } else if (id == RV_STEP_end) {
            rvi_cursor_end_repeat(r->recipe, &r->at);
        } else {
            int64_t turn, turns;
            rvi_cursor_turns(r->recipe, &r->at, &turn, &turns);
            status = run_step(r, (int)r->at.step, turn, turns);
            if (status == RV_CANCELLED) /* it stands where it was stopped */
                break;
            r->made |= rv_step_get(id)->kind == RV_KIND_MAKE && id != RV_STEP_terrain;
            r->at.step++;
            if (status == RV_OK && checkpoint && is_save_due(r))
                status = save_checkpoint(r);
        }
        /* Steps that have nothing to do ask nobody, and there may be many turns of them. */
        if (status == RV_OK && r->at.step < rv_recipe_count(r->recipe))
            status = rvi_poll(r->recipe->ctx);
    }
    if (status == RV_CANCELLED && r->watch && r->watch->keep && r->made) {
        status = keep_land(r);
        if (status == RV_OK && r->files.saved) { /* the rest can still be run */
            rvi_run_files_end(&r->files, RV_CANCELLED);
            return RV_OK;
        }
    }
    if (status == RV_OK)
        status = end_films(r);
    if (status == RV_OK && checkpoint) /* there is nothing to resume any more */
        rvi_archive_remove(checkpoint, r->files.number);
    return rvi_run_files_end(&r->files, status);
}

/* Removes the frames of films that were finished before the run was resumed. */
static void sweep_films(const rv_recipe *recipe) {
    for (int i = 0; i < rv_recipe_count(recipe); i++)
        if (rv_recipe_step(recipe, i) == RV_STEP_film)
            rvi_run_folders_sweep(recipe->ctx,
                                  ((const rv_film_params *)rv_recipe_params(recipe, i))->file);
}

/* Hours of work are not lost to a mistake in the last step: all that can be known is looked at
 * before the first one runs. */
static rv_status check(const run *r) {
    const char *checkpoint = r->watch ? r->watch->checkpoint : NULL;
    rv_status status = RV_OK;
    if (checkpoint)
        status = rvi_words_check_other(&r->recipe->words, checkpoint, "the checkpoint");
    if (checkpoint && status == RV_OK)
        status = rvi_archive_check_target(r->recipe->ctx, checkpoint, r->files.number);
    return status == RV_OK ? rvi_recipe_plan(r->recipe, r->land, &r->at, checkpoint, NULL) : status;
}

rv_status rv_recipe_check_checkpoint(const rv_recipe *recipe, const char *checkpoint) {
    RVI_ENTRY(recipe->ctx);
    const rv_watch watch = {.checkpoint = checkpoint};
    rvi_progress_begin(recipe->ctx, "the plan");
    return check(&(run){.recipe = recipe,
                        .watch = &watch,
                        .files = {.ctx = recipe->ctx, .number = rvi_run_number()}});
}

rv_status rv_recipe_run(const rv_recipe *recipe, const rv_watch *watch, rv_terrain **out) {
    RVI_ENTRY(recipe->ctx);
    if (out)
        *out = NULL;
    rvi_progress_begin(recipe->ctx, "the recipe");
    run r = {.recipe = recipe,
             .watch = watch,
             .files = {.ctx = recipe->ctx,
                       .number = rvi_run_number(),
                       .checkpoint = watch ? watch->checkpoint : NULL}};
    rv_terrain_desc desc = rvi_recipe_first_land(recipe);
    rv_status status = check(&r);
    if (status == RV_OK)
        status = rv_terrain_create(recipe->ctx, &desc, &r.land);
    if (status == RV_OK) {
        rvi_recipe_tell(recipe, &r.at);
        status = run_steps(&r);
    }
    if (status == RV_OK && out)
        *out = r.land;
    else
        rv_terrain_destroy(r.land);
    return status;
}

/* A checkpoint is a file, and a file may hold anything. */
static bool cursor_fits(const rv_recipe *recipe, const rvi_cursor *c) {
    if (c->step < 0 || c->step > rv_recipe_count(recipe) || c->depth < 0 || c->depth > RVI_DEPTH)
        return false;
    int64_t depth = 0, open[RVI_DEPTH + 1];
    for (int i = 0; i < c->step; i++) {
        if (rv_recipe_step(recipe, i) == RV_STEP_repeat)
            open[depth++] = i;
        else if (rv_recipe_step(recipe, i) == RV_STEP_end)
            depth--;
    }
    if (depth != c->depth)
        return false;
    for (int64_t d = 0; d < RVI_DEPTH; d++)
        if (d < depth ? c->start[d] != open[d] || c->turn[d] < 0 ||
                            c->turn[d] >= rvi_cursor_times(recipe, open[d])
                      : c->start[d] != 0 || c->turn[d] != 0)
            return false;
    return true;
}

/* Where the run stands, from the numbers of a checkpoint. */
static bool take_numbers(run *r, const int64_t numbers[RVI_CHECKPOINT_NUMBERS]) {
    for (size_t i = 1 + sizeof r->at / sizeof numbers[0]; i < RVI_CHECKPOINT_NUMBERS; i++)
        if (numbers[i] != 0)
            return false;
    memcpy(&r->at, numbers + 1, sizeof r->at);
    r->done = (double)numbers[0];
    return cursor_fits(r->recipe, &r->at) && r->done == rvi_cursor_runs(r->recipe, &r->at, NULL);
}

/* The recipe of a checkpoint, whose files are where the run began. */
static rv_status parse_moved(rv_context *ctx, const char *text, const char *checkpoint,
                             rv_recipe **out) {
    char *folder = NULL;
    rv_status status = rvi_recipe_parse_saved(ctx, text, checkpoint, out);
    if (status == RV_OK)
        status = rvi_words_folder(ctx, text, checkpoint, &folder);
    if (status == RV_OK && folder)
        status = rvi_words_move(&(*out)->words, folder);
    rvi_free(ctx, folder);
    return status;
}

rv_status rv_recipe_resume(rv_context *ctx, const char *checkpoint, const rv_watch *watch,
                           rv_terrain **out) {
    RVI_ENTRY(ctx);
    if (out)
        *out = NULL;
    rvi_checkpoint saved;
    rv_recipe *recipe = NULL;
    rvi_progress_begin(ctx, "a checkpoint");
    rv_status status = rvi_checkpoint_read(ctx, checkpoint, &saved);
    if (status != RV_OK)
        return status;
    const char *next = watch ? watch->checkpoint : NULL;
    run r = {.watch = watch,
             .land = saved.land,
             .made = true,
             .files = {.ctx = ctx,
                       .number = saved.run,
                       .checkpoint = next ? next : checkpoint,
                       .from = checkpoint,
                       .saved = true}};
    status = parse_moved(ctx, saved.text, checkpoint, &recipe);
    if (status == RV_OK) {
        r.recipe = recipe;
        status = take_numbers(&r, saved.numbers)
                     ? check(&r)
                     : rvi_fail(ctx, RV_ERROR_INPUT, "%s: is damaged.", checkpoint);
    }
    if (status == RV_OK) {
        rvi_recipe_tell(recipe, &r.at);
        status = run_steps(&r);
    }
    if (status == RV_OK)
        sweep_films(recipe);
    if (status == RV_OK && out)
        *out = saved.land;
    else
        rv_terrain_destroy(saved.land);
    rv_recipe_destroy(recipe);
    rvi_free(ctx, saved.text);
    return status;
}

rv_status rv_recipe_run_text(rv_context *ctx, const char *text, const rv_watch *watch,
                             rv_terrain **out) {
    RVI_ENTRY(ctx);
    if (out)
        *out = NULL;
    rv_recipe *recipe;
    rv_status status = rv_recipe_parse(ctx, text, "recipe", &recipe);
    if (status != RV_OK)
        return status;
    status = rv_recipe_run(recipe, watch, out);
    rv_recipe_destroy(recipe);
    return status;
}
