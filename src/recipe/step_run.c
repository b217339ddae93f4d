/* step_run.c: the table of steps as data, and the run of one step with all that every step has in
 * common: parameters in range, the mask, the ledger, and fields that are only written when
 * declared. */
#include "recipe/step_run.h"
#include "base/text.h"
#include "base/threads.h"
#include "steps/step.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Options of all choices, e.g. noise_shape_options[]. */
#define RV_CHOICE(step, key, def, help) static const rv_option_info step##_##key##_options[] = {
#define RV_OPTION(step, key, name, help) {#name, help},
#define RV_CHOICE_END(step, key)                                                                   \
    }                                                                                              \
    ;
#include <ravine/steps.def>

/* Parameters of all steps, e.g. noise_table[]; ends with an empty entry, since a step may have
 * none. */
#define AT(step, key) .name = #key, .offset = offsetof(rv_##step##_params, key)
#define NUMBER(kind, step, key, d, l, h, u, t)                                                     \
    {AT(step, key),       .type = kind, .def = (double)(d), .low = (double)(l),                    \
     .high = (double)(h), .unit = u,    .help = t},
#define WORD(kind, step, key, d, t)                                                                \
    {AT(step, key), .type = kind, .text = d, .required = (const char *)d == NULL,                  \
     .unit = "",    .help = t},
#define RV_STEP(name, kind, flags, bytes, sentence, source, reads, writes)                         \
    static const rv_param_info name##_table[] = {
#define RV_REAL(step, key, d, l, h, u, t) NUMBER(RV_PARAM_REAL, step, key, d, l, h, u, t)
#define RV_INT(step, key, d, l, h, u, t) NUMBER(RV_PARAM_INT, step, key, d, l, h, u, t)
#define RV_COUNT(step, key, d, l, h, u, t) NUMBER(RV_PARAM_COUNT, step, key, d, l, h, u, t)
#define RV_SEED(step, key, d, t)                                                                   \
    NUMBER(RV_PARAM_SEED, step, key, d, 0, 18446744073709551615.0, "", t)
#define RV_SWITCH(step, key, d, t) NUMBER(RV_PARAM_SWITCH, step, key, d, 0, 1, "", t)
#define RV_CHOICE(step, key, d, t)                                                                 \
    {AT(step, key),                                                                                \
     .type = RV_PARAM_CHOICE,                                                                      \
     .def = RV_##step##_##key##_##d,                                                               \
     .high = RV_##step##_##key##_COUNT - 1,                                                        \
     .options = step##_##key##_options,                                                            \
     .option_count = RV_##step##_##key##_COUNT,                                                    \
     .unit = "",                                                                                   \
     .help = t},
#define RV_TEXT(step, key, d, t) WORD(RV_PARAM_TEXT, step, key, d, t)
#define RV_FILE(step, key, d, t) WORD(RV_PARAM_FILE, step, key, d, t)
#define RV_STEP_END(step)                                                                          \
    { .name = NULL }                                                                               \
    }                                                                                              \
    ;
#include <ravine/steps.def>

static const rv_step_info steps[RV_STEP_COUNT] = {
#define RV_STEP(step, kind_, flags_, bytes, sentence_, source_, reads_, writes_)                   \
    {.id = RV_STEP_##step,                                                                         \
     .name = #step,                                                                                \
     .kind = RV_KIND_##kind_,                                                                      \
     .flags = flags_,                                                                              \
     .bytes_per_cell = bytes,                                                                      \
     .sentence = sentence_,                                                                        \
     .source = source_,                                                                            \
     .reads = reads_,                                                                              \
     .writes = writes_,                                                                            \
     .params_size = sizeof(rv_##step##_params),                                                    \
     .params = step##_table,                                                                       \
     .param_count = (int)(sizeof step##_table / sizeof step##_table[0]) - 1},
#include <ravine/steps.def>
};

#define RV_STEP(name, kind, flags, bytes, sentence, source, reads, writes)                         \
    rv_##name##_params rv_##name##_params_default(void) {                                          \
        rv_##name##_params p;                                                                      \
        memset(&p, 0, sizeof p);                                                                   \
        rv_params_default(RV_STEP_##name, &p);                                                     \
        return p;                                                                                  \
    }                                                                                              \
    static rv_status run_##name(rvi_job *job, const void *params) {                                \
        return rvi_step_##name(job, params);                                                       \
    }
#include <ravine/steps.def>

static rv_status (*const runners[RV_STEP_COUNT])(rvi_job *job, const void *params) = {
#define RV_STEP(name, kind, flags, bytes, sentence, source, reads, writes) run_##name,
#include <ravine/steps.def>
};

const rv_step_info *rv_step_get(rv_step_id id) {
    assert(id >= 0 && id < RV_STEP_COUNT);
    return &steps[id];
}

const rv_step_info *rv_step_find(const char *name) {
    for (int i = 0; i < RV_STEP_COUNT; i++)
        if (strcmp(steps[i].name, name) == 0)
            return &steps[i];
    return NULL;
}

const char *rv_kind_text(rv_step_kind kind) {
    static const char *const texts[] = {
        "make land",    "reshape it",       "limit the steps that follow",
        "wear it down", "show and save it", "say what runs when"};
    assert(kind >= 0 && kind <= RV_KIND_order);
    return texts[kind];
}

bool rv_param_automatic(const rv_param_info *param) {
    switch (param->type) {
    case RV_PARAM_REAL:
        return isnan(param->def);
    case RV_PARAM_VECTOR:
        return isnan(param->vector[0]);
    case RV_PARAM_INT:
    case RV_PARAM_COUNT:
        return param->def == RV_AUTO_INT && param->low >= 0.0;
    default:
        return false;
    }
}

void rv_params_default(rv_step_id id, void *params) {
    rv_word_default(rv_step_get(id), params);
}

void rv_word_default(const rv_step_info *word, void *params) {
    for (int i = 0; i < word->param_count; i++) {
        const rv_param_info *p = &word->params[i];
        if (p->type == RV_PARAM_VECTOR)
            rv_param_set_vector(p, params, p->vector);
        else
            rv_param_set(p, params, p->def, p->text);
    }
}

void rv_param_set(const rv_param_info *param, void *params, double number, const char *text) {
    char *at = (char *)params + param->offset;
    switch (param->type) {
    case RV_PARAM_REAL:
        *(float *)(void *)at = (float)number;
        break;
    case RV_PARAM_INT:
    case RV_PARAM_CHOICE:
        *(int *)(void *)at = (int)number;
        break;
    case RV_PARAM_COUNT:
        *(int64_t *)(void *)at = (int64_t)number;
        break;
    case RV_PARAM_SEED:
        *(uint64_t *)(void *)at = (uint64_t)number;
        break;
    case RV_PARAM_SWITCH:
        *(bool *)(void *)at = number != 0.0;
        break;
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE:
        *(const char **)(void *)at = text;
        break;
    case RV_PARAM_VECTOR:
        rv_param_set_vector(param, params, (const double[3]){number, number, number});
        break;
    }
}

void rv_param_set_vector(const rv_param_info *param, void *params, const double value[3]) {
    memcpy((char *)params + param->offset, value, 3 * sizeof(double));
}

const double *rv_param_vector(const rv_param_info *param, const void *params) {
    const char *at = (const char *)params + param->offset;
    return param->type == RV_PARAM_VECTOR ? (const double *)(const void *)at : NULL;
}

double rv_param_number(const rv_param_info *param, const void *params) {
    const char *at = (const char *)params + param->offset;
    switch (param->type) {
    case RV_PARAM_REAL:
        return (double)*(const float *)(const void *)at;
    case RV_PARAM_INT:
    case RV_PARAM_CHOICE:
        return *(const int *)(const void *)at;
    case RV_PARAM_COUNT:
        return (double)*(const int64_t *)(const void *)at;
    case RV_PARAM_SEED:
        return (double)*(const uint64_t *)(const void *)at;
    case RV_PARAM_SWITCH:
        return *(const bool *)(const void *)at ? 1.0 : 0.0;
    case RV_PARAM_VECTOR:
        return *(const double *)(const void *)at;
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE:
        break;
    }
    return 0.0;
}

const char *rv_param_text(const rv_param_info *param, const void *params) {
    if (param->type != RV_PARAM_TEXT && param->type != RV_PARAM_FILE)
        return NULL;
    return *(const char *const *)(const void *)((const char *)params + param->offset);
}

rv_status rv_params_check(rv_context *ctx, rv_step_id id, const void *params) {
    const rv_step_info *step = rv_step_get(id);
    for (int i = 0; i < step->param_count; i++) {
        const rv_param_info *p = &step->params[i];
        if (p->type == RV_PARAM_TEXT || p->type == RV_PARAM_FILE) {
            const char *text = rv_param_text(p, params);
            if (!text || (p->required && text[0] == '\0'))
                return rvi_fail(ctx, RV_ERROR_USAGE, "%s needs a name for its %s.", step->name,
                                p->name);
            continue;
        }
        double v = rv_param_number(p, params);
        bool automatic = rv_param_automatic(p) && (isnan(v) || v == p->def);
        /* A float just beside a limit that is no float itself counts as the limit. */
        bool inside = p->type == RV_PARAM_REAL
                          ? (float)v >= (float)p->low && (float)v <= (float)p->high
                          : v >= p->low && v <= p->high;
        if (!automatic && !inside)
            return rvi_fail(ctx, RV_ERROR_USAGE, "%s: %s=%.7g is not within %.7g to %.7g%s%s.",
                            step->name, p->name, v, p->low, p->high, p->unit[0] ? " " : "",
                            p->unit);
    }
    return RV_OK;
}

bool rv_figure_gate(const rv_figure *figure) {
    return !isnan(figure->least) || !isnan(figure->most);
}

bool rv_figure_met(const rv_figure *figure) {
    return !isnan(figure->value) && !(figure->value < figure->least) &&
           !(figure->value > figure->most);
}

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
        rv_params_default(id, &defaults);
        params = &defaults;
    }
    rv_status status = rv_params_check(ctx, id, params);
    if (status != RV_OK)
        return status;
    rvi_job job = {.ctx = ctx, .land = land, .turn = turn, .turns = turns};
    rvi_progress_begin(ctx, step->name);
    for (int l = 0; l < land->layer_count; l++)
        land->layers[l].last_eroded = land->layers[l].last_deposited = 0.0;
    bool masked = (step->kind == RV_KIND_make || step->kind == RV_KIND_shape) &&
                  !(step->flags & (RV_SIZES | RV_MASKS)) && rvi_field_get(land, "mask");
    status = step->kind == RV_KIND_wear ? run_wear(&job, id, params)
             : masked                   ? run_masked(&job, id, params)
                                        : runners[id](&job, params);
    ledger_add(&land->ledger, &job.ledger);
    if (report) {
        *report = (rv_report){.step = id,
                              .params = params == &defaults ? NULL : params,
                              .ledger = job.ledger,
                              .water = job.water,
                              .drop_steps = job.drop_steps,
                              .figure_count = job.figure_count,
                              .land = land};
        memcpy(report->figures, job.figures, sizeof job.figures);
    }
    return status;
}

rv_status rvi_step_plan(rv_terrain *land, rv_step_id id, const void *params, size_t *memory) {
    const rv_step_info *step = rv_step_get(id);
    rvi_job job = {.ctx = land->ctx, .land = land, .planning = true};
    rv_status status = rv_params_check(land->ctx, id, params);
    if (status == RV_OK && step->flags & (RV_SIZES | RV_PLANS))
        status = runners[id](&job, params);
    *memory = step->flags & RV_PLANS ? job.memory : rvi_cells(land) * (size_t)step->bytes_per_cell;
    return status;
}
