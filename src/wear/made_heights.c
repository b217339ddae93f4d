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

/* The mask of all other land is applied by recipe/step_run.c. */
static void limit_rows(void *arg, int first, int end) {
    const scaling *l = arg;
    size_t from = (size_t)first * (size_t)l->width, to = (size_t)end * (size_t)l->width;
    for (size_t i = from; i < to; i++) {
        float made = rvi_made_masked(l->mask ? l->mask[i] : 1.0f, l->ground[i], l->made[i]);
        l->made[i] = rvi_made_limited(made, l->thickness, l->share);
    }
}

static rv_status limit_on_device(rvi_job *job, const scaling *l) {
    const rv_terrain *land = job->land;
    const int thickness = l->thickness, share = l->share;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_CHANGE, l->made),
        rvi_map_arg(land, RVI_DEVICE_READ, l->ground),
        rvi_map_arg(land, RVI_DEVICE_READ, l->mask),
        RVI_VALUE(land->width),
        RVI_VALUE(thickness),
        RVI_VALUE(share),
    };
    return RVI_RUN(job->device, "made_heights", "limit_heights", (size_t)land->width,
                   (size_t)land->height, args);
}

static rv_status scale_on_device(rvi_job *job, const scaling *l) {
    const rv_terrain *land = job->land;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_CHANGE, l->made),
        rvi_map_arg(land, RVI_DEVICE_READ, l->ground),
        RVI_VALUE(land->width),
        RVI_VALUE(l->low),
        RVI_VALUE(l->span),
        RVI_VALUE(l->relief),
        RVI_VALUE(l->mode),
    };
    return RVI_RUN(job->device, "made_heights", "set_heights", (size_t)land->width,
                   (size_t)land->height, args);
}

/* To 0 ... relief, and onto what is there; of a layer or a field also held to the mask. */
static rv_status scale(rvi_job *job, scaling *l, float *parts, bool limited) {
    const rv_terrain *land = job->land;
    float high = 0.0f;
    rv_status status = RV_OK;
    if (job->device)
        status = rvi_device_range(job->device, l->made, rvi_cells(land), parts, &l->low, &high);
    else
        rvi_range(job->ctx, l->made, rvi_cells(land), &l->low, &high);
    l->span = high > l->low ? high - l->low : 1; /* nothing was made: 0 everywhere */
    if (status == RV_OK)
        status = job->device ? scale_on_device(job, l)
                             : rvi_parallel_rows(job->ctx, land->height, scale_rows, l);
    if (status == RV_OK && limited)
        status = job->device ? limit_on_device(job, l)
                             : rvi_parallel_rows(job->ctx, land->height, limit_rows, l);
    return status;
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
    job->on_device = true;
    if (rvi_device_of(job->ctx))
        rvi_job_buffer(job, &out->parts, RVI_DEVICE_PARTS, sizeof *out->parts, "the range");
    if (!field[0])
        return RV_OK;
    rv_status status = rvi_field_name_check(job, field, "field");
    return status == RV_OK ? rvi_job_field(job, field, &out->field) : status;
}

/* All of it or nothing. */
static rv_status set_field(rvi_job *job, float *field, const float *made) {
    size_t bytes = rvi_cells(job->land) * sizeof *made;
    if (job->device)
        return rvi_device_copy(job->device, made, field, bytes);
    memcpy(field, made, bytes);
    return RV_OK;
}

/* The old thickness stays in *made. */
static rv_status swap_thickness(rvi_job *job, int layer, float **made) {
    rv_terrain *land = job->land;
    float *old = land->layers[layer].thickness;
    land->layers[layer].thickness = *made;
    *made = old;
    return rvi_job_sum_layers(job, land);
}

rv_status rvi_made_heights_set(rvi_job *job, const rvi_made_heights *how, float **made) {
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
    rv_status status = scale(job, &l, how->parts, !surface);
    if (status != RV_OK)
        return status;
    return how->field ? set_field(job, how->field, *made)
           : surface  ? rvi_job_adopt(job, made)
                      : swap_thickness(job, how->layer, made);
}
