/* made_heights.c: heights that a step has made become part of the land. */
#include "wear/made_heights.h"
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_range.h"
#include "wear/field_name.h"
#include "wear/made_height.h"

#include <assert.h>
#include <string.h>

typedef struct scaling {
    float *made;
    const float *ground;
    int width;
    float low, span, relief;
    int mode;
    /* Of a layer or a field: */
    bool thickness;    /* cannot be below 0 */
    bool share;        /* a field: is 0 to 1, also where it is added to what was there */
    const float *mask; /* NULL: none */
} scaling;

static void scale_rows(void *arg, int first, int end) {
    const scaling *l = arg;
    size_t from = (size_t)first * (size_t)l->width, to = (size_t)end * (size_t)l->width;
    for (size_t i = from; i < to; i++) {
        l->made[i] = rvi_made_height(l->made[i], l->ground[i], l->low, l->span, l->relief, l->mode);
    }
}

static_assert((int)RVI_MADE_ADD == (int)RV_noise_mode_add &&
                  (int)RVI_MADE_MULTIPLY == (int)RV_noise_mode_multiply,
              "kernels know the options by these numbers");

static rv_status set_on_device(rvi_job *job, const rvi_made_heights *how, float **made) {
    rv_terrain *land = job->land;
    size_t cells = rvi_cells(land), bytes = cells * sizeof **made;
    float low, high;
    rv_status status = rvi_device_range(job->device, *made, cells, how->parts, &low, &high);
    if (status != RV_OK)
        return status;
    const float span = high > low ? high - low : 1;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_CHANGE, *made, bytes},
        {RVI_DEVICE_READ, land->surface, bytes},
        {RVI_DEVICE_VALUE, &land->width, sizeof land->width},
        {RVI_DEVICE_VALUE, &low, sizeof low},
        {RVI_DEVICE_VALUE, &span, sizeof span},
        {RVI_DEVICE_VALUE, &how->relief, sizeof how->relief},
        {RVI_DEVICE_VALUE, &how->mode, sizeof how->mode},
    };
    status = rvi_device_run(job->device, "made_heights", "set_heights", (size_t)land->width,
                            (size_t)land->height, args, 7);
    if (status == RV_OK)
        rvi_job_adopt(job, made);
    return status;
}

/* The mask of all other land is applied by recipe/step_run.c. */
static void limit_rows(void *arg, int first, int end) {
    const scaling *l = arg;
    size_t from = (size_t)first * (size_t)l->width, to = (size_t)end * (size_t)l->width;
    for (size_t i = from; i < to; i++) {
        float m = l->mask ? l->mask[i] : 1.0f, old = l->ground[i];
        float made = m >= 1.0f ? l->made[i] : old + m * (l->made[i] - old);
        made = l->thickness || l->share ? rvi_maxf(made, 0.0f) : made;
        l->made[i] = l->share ? rvi_minf(made, 1.0f) : made;
    }
}

rv_status rvi_made_heights_prepare(rvi_job *job, const char *layer, const char *field, float relief,
                                   int mode, rvi_made_heights *out) {
    const rv_terrain *land = job->land;
    int index = layer[0] ? rvi_layer_index(land, layer) : -1;
    if (index == land->layer_count)
        return rvi_job_no_layer(job, layer);
    if (layer[0] && field[0])
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: the layer %s or the field %s, but not both.",
                        job->name, layer, field);
    *out = (rvi_made_heights){
        .relief = field[0] ? 1 : relief, .mode = mode, .layer = land->layer_count > 1 ? index : -1};
    job->masks = out->layer >= 0 || field[0];
    job->on_device = land->layer_count == 1 && !field[0];
    if (job->on_device && rvi_device_of(job->ctx))
        rvi_job_buffer(job, &out->parts, RVI_DEVICE_PARTS, sizeof *out->parts, "the range");
    if (!field[0])
        return RV_OK;
    rv_status status = rvi_field_name_check(job, field, "field");
    return status == RV_OK ? rvi_job_field(job, field, &out->field) : status;
}

/* The old thickness stays in *made. */
static void swap_thickness(rv_terrain *land, int layer, float **made) {
    float *old = land->layers[layer].thickness;
    land->layers[layer].thickness = *made;
    *made = old;
    rvi_terrain_sum_layers(land);
}

rv_status rvi_made_heights_set(rvi_job *job, const rvi_made_heights *how, float **made) {
    if (job->device)
        return set_on_device(job, how, made);
    rv_terrain *land = job->land;
    bool surface = how->layer < 0 && !how->field;
    scaling l = {.made = *made,
                 .ground = how->field ? how->field
                           : surface  ? land->surface
                                      : land->layers[how->layer].thickness,
                 .width = land->width,
                 .relief = how->relief,
                 .mode = how->mode,
                 .thickness = how->layer > 0,
                 .share = how->field != NULL,
                 .mask = rvi_field_get(land, "mask")};
    if (how->field == l.mask)
        l.mask = NULL; /* a mask is not held to itself */
    float high;
    rvi_range(job->ctx, *made, rvi_cells(land), &l.low, &high);
    l.span = high > l.low ? high - l.low : 1; /* nothing was made: 0 everywhere */
    rv_status status = rvi_parallel_rows(job->ctx, land->height, scale_rows, &l);
    if (status == RV_OK && !surface)
        status = rvi_parallel_rows(job->ctx, land->height, limit_rows, &l);
    if (status == RV_OK && how->field) /* all of it or nothing */
        memcpy(how->field, *made, rvi_cells(land) * sizeof **made);
    else if (status == RV_OK && surface)
        rvi_job_adopt(job, made);
    else if (status == RV_OK)
        swap_thickness(land, how->layer, made);
    return status;
}
