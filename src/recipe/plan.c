/* plan.c: a recipe is planned before it runs.
 *
 * Every step prepares on the outline of the land that the steps before will leave, and on the files
 * that they will have written. Turns of a repeat are planned until one begins as the one before it:
 * all others are like that one.
 */
#include "recipe/plan.h"
#include "recipe/filming.h"
#include "recipe/step_run.h"
#include "steps/step.h"

#include <stdio.h>
#include <string.h>

enum {
    SMALL = 1 << 20,     /* bytes of everything that does not grow with the map */
    STEPS_MOST = 100000, /* planned; turns that still differ after so many are taken as alike */
    POLL = 256,
};

typedef struct plan {
    const rv_recipe *recipe;
    rv_terrain land;
    rvi_planned_files files;
    rvi_cursor at;
    /* Of each repeat around the step, as its turn began. */
    rv_terrain begun[RVI_DEPTH];
    int64_t changes[RVI_DEPTH]; /* of files */
    int64_t steps;              /* planned so far */
    bool made;                  /* there is land: a step has made some, or it was there */
    size_t most;                /* bytes that a step needs */
    int64_t largest;            /* the step that needs them */
    rv_plan *plans;             /* or NULL */
    /* Films of steps that have begun. */
    struct {
        int step;          /* of the recipe */
        int width, height; /* of the land as it began */
        bool seen;         /* what it shows has been there */
    } films[RVI_FILMS];
    int film_count;
} plan;

rv_terrain_desc rvi_recipe_first_land(const rv_recipe *recipe) {
    /* The first step most often sets a size of its own: then this is as small as can be. */
    rv_terrain_desc desc = rv_terrain_desc_default();
    if (rv_recipe_count(recipe) > 0 &&
        rv_step_get(rv_recipe_step(recipe, 0))->kind == RV_KIND_MAKE &&
        rv_step_get(rv_recipe_step(recipe, 0))->flags & RV_STEP_FLAG_RESIZES)
        desc.width = desc.height = 2;
    return desc;
}

static void note_memory(plan *p, size_t memory) {
    int64_t i = p->at.step;
    memory = rvi_add_sizes(memory, SMALL);
    if (memory > p->most) {
        p->most = memory;
        p->largest = i;
    }
    if (!p->plans)
        return;
    size_t before = p->plans[i].memory; /* in turns before */
    p->plans[i] = (rv_plan){rv_recipe_step(p->recipe, (int)i), p->land.width, p->land.height,
                            p->land.cell, memory > before ? memory : before};
}

/* Flat land that nobody asked for is no land to wear. */
static rv_status check_land(plan *p, const rv_step_info *step) {
    p->made = p->made || step->kind == RV_KIND_MAKE;
    if (p->made || step->kind != RV_KIND_WEAR)
        return RV_OK;
    return rvi_fail(p->recipe->ctx, RV_ERROR_USAGE,
                    "%s: there is no land yet; begin with a step that makes some, such as open "
                    "FILE or noise.",
                    step->word.name);
}

/* ---- films of steps ---- */

static const rv_film_params *film_at(const plan *p, int i) {
    return rvi_film_of_steps(p->recipe, p->films[i].step);
}

static rv_status add_film(plan *p, int step, bool seen) {
    if (p->film_count == RVI_FILMS)
        return rvi_fail(p->recipe->ctx, RV_ERROR_USAGE,
                        "film: a recipe has at most %d films of steps.", RVI_FILMS);
    p->films[p->film_count].step = step;
    p->films[p->film_count].width = p->land.width;
    p->films[p->film_count].height = p->land.height;
    p->films[p->film_count++].seen = seen;
    return RV_OK;
}

/* Of a run that goes on: what they show was looked for when it began. */
static rv_status resume_films(plan *p) {
    rv_status status = RV_OK;
    for (int i = 0; status == RV_OK && i < p->at.step; i++)
        if (rvi_film_of_steps(p->recipe, i))
            status = add_film(p, i, true);
    return status;
}

static rv_status begin_film(plan *p, int64_t *frames) {
    int i = (int)p->at.step;
    if (p->at.depth > 0)
        return rvi_fail(p->recipe->ctx, RV_ERROR_USAGE,
                        "film: frames=%d is for a film that stands before the repeat; within it, "
                        "each turn is a frame.",
                        rvi_film_of_steps(p->recipe, i)->frames);
    rv_status status = add_film(p, i, false);
    return status == RV_OK ? rvi_film_count(p->recipe, i, NULL, frames) : status;
}

/* The step has been planned, and the land is that after it: what do films of it need? */
static rv_status plan_films(plan *p, rv_step_id id, size_t *memory) {
    size_t most = 0;
    for (int i = 0; i < p->film_count; i++) {
        const rv_film_params *film = film_at(p, i);
        size_t need = rvi_film_of_step(film, id) > 0 ? rvi_film_memory(&p->land, film) : 0;
        most = need > most ? need : most;
        p->films[i].seen |= rvi_film_lacks(&p->land, film) == NULL;
        bool sized = p->films[i].width == p->land.width && p->films[i].height == p->land.height;
        if (!sized && strcmp(film->view, "render") != 0)
            return rvi_fail(p->recipe->ctx, RV_ERROR_USAGE,
                            "%s changes the size of the land, which %s films: put film behind it, "
                            "or say view=render, whose frames have a size of their own.",
                            rv_step_get(id)->word.name, film->file);
    }
    *memory = rvi_add_sizes(*memory, most);
    return RV_OK;
}

/* All steps have been planned: a film may show what a later step makes, but some step must. */
static rv_status check_films_seen(const plan *p) {
    for (int i = 0; i < p->film_count; i++)
        if (!p->films[i].seen) {
            rv_context *ctx = p->recipe->ctx;
            rvi_fail(ctx, RV_ERROR_USAGE,
                     "film: there is no field \"%s\", and no step after this one makes it.",
                     rvi_film_lacks(&p->land, film_at(p, i)));
            return rvi_place_fail(ctx, &p->recipe->words.list[p->films[i].step].at, RV_ERROR_USAGE);
        }
    return RV_OK;
}

/* ---- one step ---- */

static rv_status plan_step(plan *p) {
    rv_context *ctx = p->recipe->ctx;
    const rvi_word *step = &p->recipe->words.list[p->at.step];
    size_t memory;
    int64_t turn, turns;
    p->steps++;
    rvi_cursor_turns(p->recipe, &p->at, &turn, &turns);
    rv_status status = check_land(p, rv_step_get((rv_step_id)step->which));
    if (status == RV_OK && rvi_film_of_steps(p->recipe, (int)p->at.step))
        status = begin_film(p, &turns);
    if (status == RV_OK)
        status = rvi_step_plan(&p->land, &p->files, (rv_step_id)step->which, step->params, turns,
                               &memory);
    if (status == RV_OK)
        status = plan_films(p, (rv_step_id)step->which, &memory);
    if (status == RV_OK)
        note_memory(p, memory);
    else if (status != RV_CANCELLED)
        rvi_place_fail(ctx, &step->at, status);
    return status;
}

/* ---- repeats ---- */

static rv_status begin_turn(plan *p) {
    int64_t d = p->at.depth - 1;
    rvi_outline_free(&p->begun[d]);
    p->changes[d] = p->files.changes;
    return rvi_outline_make(&p->land, &p->begun[d]);
}

static rv_status begin_repeat(plan *p) {
    int64_t outside = p->at.depth;
    rvi_cursor_begin_repeat(p->recipe, &p->at);
    return p->at.depth > outside ? begin_turn(p) : RV_OK;
}

static rv_status end_turn(plan *p) {
    int64_t inside = p->at.depth, d = inside - 1;
    bool alike = p->changes[d] == p->files.changes && rvi_outline_same(&p->begun[d], &p->land);
    if (alike || p->steps >= STEPS_MOST)
        p->at.turn[d] = rvi_cursor_times(p->recipe, p->at.start[d]) - 1;
    rvi_cursor_end_repeat(p->recipe, &p->at);
    return p->at.depth == inside ? begin_turn(p) : RV_OK;
}

static rv_status plan_steps(plan *p) {
    rv_status status = RV_OK;
    while (status == RV_OK && p->at.step < rv_recipe_count(p->recipe)) {
        rv_step_id id = rv_recipe_step(p->recipe, (int)p->at.step);
        status = plan_step(p);
        if (status == RV_OK && p->steps % POLL == 0) /* most plans take no time */
            status = rvi_poll(p->recipe->ctx);
        if (status != RV_OK)
            break;
        p->files.work |= id != RV_STEP_terrain;
        if (id == RV_STEP_repeat)
            status = begin_repeat(p);
        else if (id == RV_STEP_end)
            status = end_turn(p);
        else
            p->at.step++;
    }
    return status;
}

/* ---- the whole ---- */

/* Steps that never run, in a repeat of no turns, find the land as the step before them. */
static void fill_gaps(const plan *p) {
    for (int i = 1; i < rv_recipe_count(p->recipe); i++)
        if (p->plans[i].memory == 0) {
            p->plans[i] = p->plans[i - 1];
            p->plans[i].step = rv_recipe_step(p->recipe, i);
        }
}

/* `held`: bytes that are in use already and among those planned, but for SMALL. */
static rv_status check_memory(const plan *p, size_t held) {
    rv_context *ctx = p->recipe->ctx;
    const rvi_word *step = &p->recipe->words.list[p->largest];
    size_t used = rv_context_memory_used(ctx);
    held = rvi_add_sizes(held, SMALL);
    rv_status status =
        rvi_memory_check(ctx, p->most - (used < held ? used : held), step->info->name);
    return status == RV_OK ? RV_OK : rvi_place_fail(ctx, &step->at, status);
}

static rv_status make_outline(const rv_recipe *recipe, const rv_terrain *land, rv_terrain *out) {
    rv_terrain_desc desc = rvi_recipe_first_land(recipe);
    *out = (rv_terrain){.ctx = recipe->ctx, .outline = true};
    return land ? rvi_outline_make(land, out)
                : rvi_terrain_reset(out, desc.width, desc.height, desc.cell);
}

/* A run that goes on was planned as a whole when it began: what it finds now, it may itself have
 * written. */
static rv_status begin_files(plan *p, const char *checkpoint) {
    const rv_recipe *recipe = p->recipe;
    p->files.checkpoint = checkpoint;
    p->files.goes_on = p->files.work = p->at.step > 0;
    return recipe->file ? rvi_planned_files_read(recipe->ctx, &p->files, recipe->file, NULL)
                        : RV_OK;
}

static const char *film_of(const rv_recipe *recipe, int i) {
    return rv_recipe_step(recipe, i) == RV_STEP_film
               ? ((const rv_film_params *)rv_recipe_params(recipe, i))->file
               : NULL;
}

/* The frames of two films of one name would overwrite each other. */
static rv_status check_films(const rv_recipe *recipe) {
    for (int i = 0; i < rv_recipe_count(recipe); i++)
        for (int k = 0; k < i && film_of(recipe, i); k++)
            if (film_of(recipe, k) && rvi_path_same(film_of(recipe, k), film_of(recipe, i))) {
                rvi_fail(recipe->ctx, RV_ERROR_USAGE,
                         "%s: step %d makes a film of that name already; give this one another.",
                         film_of(recipe, i), k + 1);
                return rvi_place_fail(recipe->ctx, &recipe->words.list[i].at, RV_ERROR_USAGE);
            }
    return RV_OK;
}

rv_status rvi_recipe_plan(const rv_recipe *recipe, const rv_terrain *land, const rvi_cursor *from,
                          const char *checkpoint, rv_plan *plans) {
    plan p = {.recipe = recipe, .at = *from, .plans = plans, .made = land != NULL};
    rv_status films = check_films(recipe);
    if (films != RV_OK)
        return films;
    for (int d = 0; d < RVI_DEPTH; d++)
        p.begun[d].ctx = recipe->ctx;
    for (int i = 0; plans && i < rv_recipe_count(recipe); i++)
        plans[i] = (rv_plan){.step = rv_recipe_step(recipe, i)};
    rv_status status = make_outline(recipe, land, &p.land);
    if (status == RV_OK)
        status = resume_films(&p);
    if (status == RV_OK)
        status = begin_files(&p, checkpoint);
    if (status == RV_OK)
        status = plan_steps(&p);
    if (status == RV_OK)
        status = check_films_seen(&p);
    for (int d = 0; d < RVI_DEPTH; d++)
        rvi_outline_free(&p.begun[d]);
    rvi_outline_free(&p.land);
    rvi_planned_files_free(recipe->ctx, &p.files);
    if (status == RV_OK && plans)
        fill_gaps(&p);
    if (status != RV_OK || p.most == 0)
        return status;
    return check_memory(&p, land && !land->outline ? rvi_outline_bytes(land) : 0);
}

static void tell_repeat(const rv_recipe *recipe, int i) {
    char place[512];
    rvi_place_print(&recipe->words.list[i].at, place, sizeof place);
    rvi_log(recipe->ctx, "%srepeat 0: the steps up to its end do not run and write no files",
            place);
}

void rvi_recipe_tell(const rv_recipe *recipe, const rvi_cursor *from) {
    int64_t turns[RVI_DEPTH + 1] = {1}, first = from->depth > 0 ? from->start[0] : from->step;
    bool goes_on = from->step > 0;
    int depth = 0;
    for (int i = 0; i < rv_recipe_count(recipe); i++) {
        rv_step_id id = rv_recipe_step(recipe, i);
        if (id == RV_STEP_repeat) {
            int64_t times = rvi_cursor_times(recipe, i), now = turns[depth++];
            turns[depth] = times > 0 && now > INT64_MAX / times ? INT64_MAX : now * times;
            if (times == 0 && now > 0 && !goes_on)
                tell_repeat(recipe, i);
        } else if (id == RV_STEP_end) {
            depth--;
        } else if (id == RV_STEP_measure && i >= first && !goes_on && turns[depth] > 0) {
            rvi_measure_tell(recipe->ctx, rv_recipe_params(recipe, i));
        } else if (id == RV_STEP_film && i >= first) {
            int64_t frames = turns[depth];
            if (!rvi_film_of_steps(recipe, i) || rvi_film_count(recipe, i, NULL, &frames) == RV_OK)
                rvi_film_tell(recipe->ctx, rv_recipe_params(recipe, i), frames, goes_on);
        }
    }
}

rv_status rv_recipe_plan(const rv_recipe *recipe, rv_plan *plans) {
    RVI_ENTRY(recipe->ctx);
    const rvi_cursor start = {0};
    rvi_progress_begin(recipe->ctx, "the plan");
    rv_status status = rvi_recipe_plan(recipe, NULL, &start, NULL, plans);
    if (status == RV_OK)
        rvi_recipe_tell(recipe, &start);
    return status;
}
