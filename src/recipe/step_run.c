/* step_run.c: the run of one step with all that every step has in common: parameters in range, the
 * mask, the ledger, and fields that are only written when declared. */
#include "recipe/step_run.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_sum.h"
#include "steps/step.h"
#include "terrain/figures.h"
#include "terrain/hardness_volume.h"
#include "wear/made_height.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define RV_STEP(name, kind, flags, sentence, source, reads, writes)                                \
    static rv_status prepare_##name(rvi_job *job, const void *params) {                            \
        return rvi_step_##name(job, params);                                                       \
    }
#include <ravine/steps.def>

static rv_status (*const preparers[RV_STEP_COUNT])(rvi_job *job, const void *params) = {
#define RV_STEP(name, kind, flags, sentence, source, reads, writes) prepare_##name,
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
    for (size_t i = from; i < to; i++)
        w->after[i] = rvi_made_masked(w->mask[i], w->before[i], w->after[i]);
}

/* A step with the grids that the mask needs; they are NULL where it does not count. */
typedef struct step_job {
    rvi_job job;
    float *before, *after;
} step_job;

static rv_status mask_on_device(const step_job *s) {
    const rvi_job *job = &s->job;
    const rv_terrain *land = job->land;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, rvi_field_get(land, "mask")),
        rvi_map_arg(land, RVI_DEVICE_READ, s->before),
        rvi_map_arg(land, RVI_DEVICE_CHANGE, s->after),
        RVI_VALUE(land->width),
    };
    rv_status status =
        rvi_device_copy(job->device, land->surface, s->after, rvi_cells(land) * sizeof *s->after);
    return status == RV_OK ? RVI_RUN(job->device, "land_grids", "hold", (size_t)land->width,
                                     (size_t)land->height, args)
                           : status;
}

static rv_status run_masked(step_job *s) {
    rvi_job *job = &s->job;
    const rv_terrain *land = job->land;
    size_t size = rvi_cells(land) * sizeof(float);
    rv_status status = job->device ? rvi_device_copy(job->device, land->surface, s->before, size)
                                   : rvi_copy(job->ctx, s->before, land->surface, size);
    if (status == RV_OK)
        status = job->run(job);
    if (status != RV_OK)
        return status;
    if (job->device) {
        status = mask_on_device(s);
    } else { /* the land has changed: no stop from here on */
        memcpy(s->after, land->surface, size);
        mask_work w = {rvi_field_get(land, "mask"), s->before, s->after, land->width};
        rvi_finish_rows(job->ctx, land->height, mask_rows, &w);
    }
    return status == RV_OK ? rvi_job_adopt(job, &s->after) : status;
}

/* ---- the ledger, for the whole and for each layer ---- */

/* How exactly doubles hold the volume of the land: a few times the last bit of all its heights. */
static double volume_rounding(const rv_terrain *land) {
    double sum = 0.0;
    for (int l = 0; l < land->layer_count; l++)
        for (size_t i = 0; i < rvi_cells(land); i++)
            sum += fabs((double)land->layers[l].thickness[i]);
    return 0x1p-50 * sum * (double)land->cell * (double)land->cell;
}

/* Every entry was measured by itself: do they agree with each other, and with what the land and its
 * layers have gained? To a millionth of what moved, and a millionth of a millimetre a cell, which
 * floats do not hold. */
static bool ledger_holds(const rvi_job *job, double gained, double laid, double rounding) {
    const rv_ledger *l = &job->ledger;
    double moved = l->before + l->eroded + l->raised;
    double area = (double)job->land->cell * (double)job->land->cell;
    double bound = 1e-6 * moved + 1e-9 * area * (double)rvi_cells(job->land) + rounding;
    double carried = l->before + l->eroded - (l->deposited + l->left_map + l->suspended);
    carried += job->rounded;
    double ground = gained - (l->raised + l->deposited - l->eroded);
    double layers = laid - (l->deposited + job->brought + job->shifted);
    bool none_below_0 = l->eroded >= 0.0 && l->deposited >= 0.0 && l->left_map >= 0.0 &&
                        l->suspended >= 0.0 && l->raised >= 0.0 && l->before >= 0.0;
    return none_below_0 && fabs(carried) <= fmax(bound, job->rounding) && fabs(ground) <= bound &&
           fabs(layers) <= bound;
}

static void check_ledger(const rvi_job *job, const char *step, double gained, double laid) {
    const rv_ledger *l = &job->ledger;
    bool holds = ledger_holds(job, gained, laid, 0.0) || rvi_terrain_fetch(job->land) != RV_OK ||
                 ledger_holds(job, gained, laid, volume_rounding(job->land));
    if (!holds)
        rvi_log(job->ctx,
                "%s: the ledger does not add up, which is a fault of the program: before %.9g m3, "
                "eroded %.9g, deposited %.9g, left the map %.9g, suspended %.9g, raised %.9g; the "
                "land gained %.9g",
                step, l->before, l->eroded, l->deposited, l->left_map, l->suspended, l->raised,
                gained);
    assert(holds);
}

static rv_status find_volume(const rvi_job *job, int layer, double *out) {
    const rv_terrain *land = job->land;
    const float *thickness = land->layers[layer].thickness;
    rv_status status = RV_OK;
    if (job->device)
        status = rvi_device_sum(job->device, job->ctx, thickness, rvi_cells(land), out);
    else
        *out = rvi_sum(job->ctx, thickness, rvi_cells(land));
    *out *= (double)land->cell * (double)land->cell;
    return status;
}

/* What a step deposited on each layer it says itself; what it took from each follows from what the
 * layer has lost. */
static rv_status close_layers(const rvi_job *job, const char *step, const double *volumes) {
    rv_terrain *land = job->land;
    double said = 0.0, sum = 0.0, laid = 0.0;
    rv_status status = RV_OK;
    for (int l = 0; l < land->layer_count; l++)
        said += job->deposited_on[l];
    if (said == 0.0)
        job->deposited_on[land->layer_count - 1] = job->ledger.deposited;
    for (int l = 0; l < land->layer_count && status == RV_OK; l++) {
        rvi_layer *layer = &land->layers[l];
        double gained;
        status = find_volume(job, l, &gained);
        gained -= volumes[l];
        sum += gained;
        laid += job->deposited_on[l];
        /* Bedrock rises, layers ride on it. */
        gained -= l == 0 ? job->ledger.raised - job->brought : 0.0;
        double eroded = job->deposited_on[l] - gained;
        layer->last_deposited = job->deposited_on[l];
        layer->last_eroded = eroded > 0.0 ? eroded : 0.0; /* but for rounding it is */
        layer->deposited += layer->last_deposited;
        layer->eroded += layer->last_eroded;
    }
    if (status == RV_OK)
        check_ledger(job, step, sum, laid);
    return status;
}

/* ---- one step: prepared, and run unless it is only planned ---- */

static bool is_masked(const rv_step_info *step, const rv_terrain *land) {
    return (step->kind == RV_KIND_MAKE || step->kind == RV_KIND_SHAPE) &&
           !(step->flags & (RV_STEP_FLAG_RESIZES | RV_STEP_FLAG_MASKS)) &&
           rvi_field_there(land, "mask");
}

static rv_status prepare(step_job *s, const rv_step_info *step, const void *params) {
    rvi_job *job = &s->job;
    job->name = step->word.name;
    rv_status status = rvi_outline_make(job->land, &job->after);
    if (status == RV_OK)
        status = preparers[step->id](job, params);
    if (status == RV_OK && !job->masks && is_masked(step, job->land)) {
        rvi_job_grid(job, &s->before, "the masked land");
        rvi_job_grid(job, &s->after, "the masked land");
    }
    return status;
}

static void release(step_job *s) {
    rvi_buffers_free(&s->job.buffers, s->job.ctx);
    rvi_free(s->job.ctx, s->job.state);
    rvi_outline_free(&s->job.after);
}

static rv_status make_fields(rvi_job *job) {
    for (int i = 0; i < job->output_count; i++) {
        rvi_job_output *o = &job->outputs[i];
        bool there = rvi_field_there(job->land, o->name);
        *o->out = rvi_field_make(job->land, o->name);
        if (!*o->out)
            return RV_ERROR_MEMORY;
        o->fresh = !there;
    }
    return RV_OK;
}

static void drop_fields(rvi_job *job) {
    for (int i = 0; i < job->output_count; i++)
        if (job->outputs[i].fresh)
            rvi_field_drop(job->land, job->outputs[i].name);
}

/* Runs and closes what is prepared and allocated. keep: the land is wanted even after a stop. */
static rv_status run_and_close(step_job *s, bool keep) {
    rvi_job *job = &s->job;
    rv_status status = s->before ? run_masked(s) : job->run ? job->run(job) : RV_OK;
    bool stopped = status == RV_CANCELLED && job->begun && keep;
    if (!job->close || (status != RV_OK && !stopped))
        return status;
    rvi_stop_defer(job->ctx, keep);
    rv_status closed = job->close(job);
    rvi_stop_defer(job->ctx, false);
    return status == RV_OK ? closed : status;
}

/* What a step needs on a device: the land, that which takes its place, and what it works with. */
static size_t device_bytes(const rvi_job *job) {
    size_t land = rvi_outline_bytes(job->land);
    land = job->replaces ? rvi_add_sizes(land, rvi_outline_bytes(&job->after)) : land;
    return rvi_add_sizes(land, rvi_buffers_bytes(&job->buffers));
}

/* The largest piece of it. */
static size_t largest_grid(const rvi_job *job) {
    size_t before = rvi_cells(job->land), after = rvi_cells(&job->after);
    size_t most = (before > after ? before : after) * sizeof(float);
    size_t samples = rvi_volume_samples(&job->land->volume) * sizeof(float);
    most = samples > most ? samples : most;
    for (int i = 0; i < job->buffers.count; i++) {
        const rvi_buffer *b = &job->buffers.list[i];
        most = b->count * b->size > most ? b->count * b->size : most;
    }
    return most;
}

/* What other lands and scenes of the context hold there. */
static size_t held_by_others(const rv_terrain *land, const rvi_device *device) {
    size_t own = land->layer_count > 1 ? rvi_device_holds_of(device, land->surface) : 0;
    for (int i = 0; i < land->layer_count; i++)
        own += rvi_device_holds_of(device, land->layers[i].thickness);
    for (int i = 0; i < land->field_count; i++)
        own += rvi_device_holds_of(device, land->fields[i].values);
    own += rvi_device_holds_of(device, land->volume.values);
    return rvi_device_holds(device) - own;
}

/* Why a step that could run on the device does not. */
static void tell_why(const rvi_job *job, const rvi_device *device, size_t bytes) {
    const char *name = rvi_device_name(device);
    if (!rvi_device_fits(device, 0, 0, 0, job->doubles))
        rvi_log(job->ctx, "%s runs on the processor: %s has no doubles.", job->name, name);
    else if (!rvi_device_fits(device, 0, 0, job->shared, job->doubles))
        rvi_log(job->ctx, "%s runs on the processor: %s has less than %.0f KiB of local memory.",
                job->name, name, (double)job->shared / 0x1p10);
    else
        rvi_log(job->ctx, "%s runs on the processor: %s has no room for %s.", job->name, name,
                rvi_bytes_text(bytes).text);
}

/* On the device if the step can run there; else the host gets the land: a step that only shows it
 * leaves the copy on the device as it is. */
static rv_status choose_device(rvi_job *job, const rv_step_info *step) {
    rvi_device *device = rvi_device_of(job->ctx);
    if (!device)
        return RV_OK;
    size_t grid = largest_grid(job), bytes = device_bytes(job);
    size_t all = rvi_add_sizes(bytes, held_by_others(job->land, device));
    bool fits = rvi_device_fits(device, grid, all, job->shared, job->doubles);
    if (job->on_device && !fits)
        tell_why(job, device, bytes);
    if (!job->on_device || !fits) {
        if (job->fetches)
            return RV_OK;
        if (step->kind == RV_KIND_SHOW)
            return rvi_terrain_fetch(job->land);
        return rvi_terrain_take_back(job->land);
    }
    job->device = device;
    rv_status status = RV_OK;
    for (int i = 0; i < job->output_count && status == RV_OK; i++)
        if (job->outputs[i].fresh)
            status =
                rvi_device_zero(device, *job->outputs[i].out, rvi_cells(job->land) * sizeof(float));
    return status;
}

static rv_status run_prepared(step_job *s, const rv_step_info *step, bool keep) {
    rvi_job *job = &s->job;
    rv_terrain *land = job->land;
    bool wears = step->kind == RV_KIND_WEAR;
    size_t count = (size_t)land->layer_count;
    double *volumes = NULL;
    if (wears)
        rvi_job_buffer(job, &volumes, 2 * count, sizeof *volumes, "the ledger");
    rv_status status = rvi_buffers_alloc(&job->buffers, job->ctx);
    if (status == RV_OK)
        status = make_fields(job);
    if (status == RV_OK)
        status = choose_device(job, step);
    for (int l = 0; status == RV_OK && wears && l < land->layer_count; l++)
        status = find_volume(job, l, &volumes[l]);
    job->deposited_on = wears && status == RV_OK ? volumes + count : NULL;
    if (status == RV_OK)
        status = run_and_close(s, keep);
    assert(status != RV_OK || rvi_outline_fits(&job->after, land));
    bool closed = status == RV_OK || (status == RV_CANCELLED && job->begun && keep);
    if (closed && wears) {
        rv_status summed = close_layers(job, step->word.name, volumes);
        status = summed == RV_OK ? status : summed;
        if (status == RV_OK && !keep) /* a stop that came while all this was added up */
            status = rvi_poll(job->ctx);
    } else if (!closed)
        drop_fields(job);
    release(s); /* while `volumes` is there */
    return status;
}

rv_status rv_step_run(rv_terrain *land, rv_step_id id, const void *params, rv_report *report) {
    RVI_ENTRY(land->ctx);
    rvi_run_files files = {.ctx = land->ctx, .number = rvi_run_number()};
    rv_status status = rvi_step_run_turn(land, id, params, 0, 1, &files, true, report);
    return rvi_run_files_end(&files, status);
}

rv_status rvi_step_run_turn(rv_terrain *land, rv_step_id id, const void *params, int64_t turn,
                            int64_t turns, rvi_run_files *files, bool keep, rv_report *report) {
    rv_context *ctx = land->ctx;
    const rv_step_info *step = rv_step_get(id);
    /* Room for the largest parameter struct there is. */
    union {
#define RV_STEP(name, kind, flags, sentence, source, reads, writes) rv_##name##_params name;
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
    step_job s = {
        .job = {.ctx = ctx, .land = land, .turn = turn, .turns = turns, .run_files = files}};
    rvi_job *job = &s.job;
    rvi_progress_begin(ctx, step->word.name);
    rvi_figures_clear(land);
    for (int l = 0; l < land->layer_count; l++)
        land->layers[l].last_eroded = land->layers[l].last_deposited = 0.0;
    status = prepare(&s, step, params);
    if (status == RV_OK)
        status = run_prepared(&s, step, keep);
    else
        release(&s);
    rv_ledger_add(&land->ledger, &job->ledger);
    if (report) {
        *report = (rv_report){.step = id,
                              .params = params == &defaults ? NULL : params,
                              .ledger = job->ledger,
                              .water = job->water,
                              .drop_steps = job->drop_steps,
                              .land = land};
    }
    return status;
}

rv_status rvi_step_plan(rv_terrain *outline, rvi_planned_files *files, rv_step_id id,
                        const void *params, int64_t turns, size_t *memory) {
    const rv_step_info *step = rv_step_get(id);
    step_job s = {.job = {.ctx = outline->ctx, .land = outline, .turns = turns, .files = files}};
    const rvi_job *job = &s.job;
    rv_status status = rv_word_check(outline->ctx, &step->word, params);
    if (status == RV_OK)
        status = prepare(&s, step, params);
    if (status == RV_OK) {
        size_t before = rvi_outline_bytes(outline), after = rvi_outline_bytes(&job->after);
        size_t land = job->replaces    ? rvi_add_sizes(before, after)
                      : before > after ? before
                                       : after;
        *memory = rvi_add_sizes(land, rvi_buffers_bytes(&job->buffers));
        rvi_terrain_swap(outline, &s.job.after);
    }
    release(&s);
    return status;
}
