/* step_run.c: the run of one step with all that every step has in common: parameters in range, the
 * mask, the ledger, and fields that are only written when declared. */
#include "recipe/step_run.h"
#include "base/threads.h"
#include "steps/step.h"
#include "terrain/figures.h"

#include <string.h>

#define RV_STEP(name, kind, flags, bytes, sentence, source, reads, writes)                         \
    static rv_status run_##name(rvi_job *job, const void *params) {                                \
        return rvi_step_##name(job, params);                                                       \
    }
#include <ravine/steps.def>

static rv_status (*const runners[RV_STEP_COUNT])(rvi_job *job, const void *params) = {
#define RV_STEP(name, kind, flags, bytes, sentence, source, reads, writes) run_##name,
#include <ravine/steps.def>
};

/* ---- the mask: steps that make or shape land are held to it here ---- */

typedef struct mask_work {
    const float *mask, *before;
    float *after;
    int width;
} mask_work;

static void mask_rows(void *arg, int first, int end) {
    const mask_work *w = arg;
    size_t from = (size_t)first * (size_t)w->width, to = (size_t)end * (size_t)w->width;
    for (size_t i = from; i < to; i++) {
        float m = w->mask[i];
        w->after[i] = m >= 1.0f ? w->after[i] : w->before[i] + m * (w->after[i] - w->before[i]);
    }
}

static rv_status run_masked(rvi_job *job, rv_step_id id, const void *params) {
    rv_terrain *land = job->land;
    size_t cells = rvi_cells(land);
    float *before = rvi_alloc(job->ctx, cells, sizeof(float), "the masked land");
    float *after = rvi_alloc(job->ctx, cells, sizeof(float), "the masked land");
    rv_status status = before && after ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK) {
        rvi_copy(job->ctx, before, land->surface, cells * sizeof(float));
        status = runners[id](job, params);
    }
    if (status == RV_OK) {
        rvi_copy(job->ctx, after, land->surface, cells * sizeof(float));
        mask_work w = {rvi_field_get(land, "mask"), before, after, land->width};
        rvi_finish_rows(job->ctx, land->height, mask_rows, &w);
        status = rvi_terrain_adopt_surface(land, after);
        after = NULL;
    }
    rvi_free(job->ctx, before);
    rvi_free(job->ctx, after);
    return status;
}

static void ledger_add(rv_ledger *to, const rv_ledger *more) {
    to->eroded += more->eroded;
    to->deposited += more->deposited;
    to->left_map += more->left_map;
    to->suspended += more->suspended;
    to->raised += more->raised;
}

/* ---- the ledger, for the whole and for each layer ---- */

static double layer_volume(const rv_terrain *land, int layer) {
    double area = (double)land->cell * (double)land->cell;
    return area * rvi_sum(land->ctx, land->layers[layer].thickness, rvi_cells(land));
}

/* Runs a step that wears the land. What it laid on each layer it says itself; what it took from
 * each follows from what the layer has lost. */
static rv_status run_wear(rvi_job *job, rv_step_id id, const void *params) {
    rv_terrain *land = job->land;
    size_t count = (size_t)land->layer_count;
    double *volumes = rvi_alloc(job->ctx, 2 * count, sizeof *volumes, "the ledger");
    if (!volumes)
        return RV_ERROR_MEMORY;
    job->deposited_on = volumes + count;
    for (int l = 0; l < land->layer_count; l++)
        volumes[l] = layer_volume(land, l);
    rv_status status = runners[id](job, params);
    double said = 0.0;
    for (int l = 0; l < land->layer_count; l++)
        said += job->deposited_on[l];
    if (said == 0.0)
        job->deposited_on[count - 1] = job->ledger.deposited;
    for (int l = 0; l < land->layer_count; l++) {
        rvi_layer *layer = &land->layers[l];
        double gained = layer_volume(land, l) - volumes[l];
        gained -= l == 0 ? job->ledger.raised : 0.0; /* bedrock rises, layers ride on it */
        layer->last_deposited = job->deposited_on[l];
        layer->last_eroded = job->deposited_on[l] - gained;
        layer->deposited += layer->last_deposited;
        layer->eroded += layer->last_eroded;
    }
    job->deposited_on = NULL;
    rvi_free(job->ctx, volumes);
    return status;
}

rv_status rv_step_run(rv_terrain *land, rv_step_id id, const void *params, rv_report *report) {
    return rvi_step_run_turn(land, id, params, 0, 1, report);
}

rv_status rvi_step_run_turn(rv_terrain *land, rv_step_id id, const void *params, int64_t turn,
                            int64_t turns, rv_report *report) {
    rv_context *ctx = land->ctx;
    const rv_step_info *step = rv_step_get(id);
    /* Room for the largest parameter struct there is. */
    union {
#define RV_STEP(name, kind, flags, bytes, sentence, source, reads, writes) rv_##name##_params name;
#include <ravine/steps.def>
    } defaults;
    if (!params) {
        memset(&defaults, 0, sizeof defaults);
        rv_word_default(&step->word, &defaults);
        params = &defaults;
    }
    rv_status status = rv_word_check(ctx, &step->word, params);
    if (status != RV_OK)
        return status;
    rvi_job job = {.ctx = ctx, .land = land, .turn = turn, .turns = turns};
    rvi_progress_begin(ctx, step->word.name);
    rvi_figures_clear(land);
    for (int l = 0; l < land->layer_count; l++)
        land->layers[l].last_eroded = land->layers[l].last_deposited = 0.0;
    bool masked = (step->kind == RV_KIND_MAKE || step->kind == RV_KIND_SHAPE) &&
                  !(step->flags & (RV_STEP_FLAG_RESIZES | RV_STEP_FLAG_MASKS)) &&
                  rvi_field_get(land, "mask");
    status = step->kind == RV_KIND_WEAR ? run_wear(&job, id, params)
             : masked                   ? run_masked(&job, id, params)
                                        : runners[id](&job, params);
    ledger_add(&land->ledger, &job.ledger);
    if (report) {
        *report = (rv_report){.step = id,
                              .params = params == &defaults ? NULL : params,
                              .ledger = job.ledger,
                              .water = job.water,
                              .drop_steps = job.drop_steps,
                              .land = land};
    }
    return status;
}

rv_status rvi_step_plan(rv_terrain *land, rv_step_id id, const void *params, size_t *memory) {
    const rv_step_info *step = rv_step_get(id);
    rvi_job job = {.ctx = land->ctx, .land = land, .planning = true};
    rv_status status = rv_word_check(land->ctx, &step->word, params);
    if (status == RV_OK && step->flags & (RV_STEP_FLAG_RESIZES | RV_STEP_FLAG_PLANS))
        status = runners[id](&job, params);
    *memory = step->flags & RV_STEP_FLAG_PLANS ? job.memory
                                               : rvi_cells(land) * (size_t)step->bytes_per_cell;
    return status;
}
