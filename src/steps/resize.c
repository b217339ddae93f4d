/* resize.c: samples the same land with more or fewer cells (terrain/resample.c).
 *
 * The extent stays: (w' - 1) cell' = (w - 1) cell, and h' is the whole number nearest to
 * 1 + (h - 1) cell / cell'. Upper layers and fields stay within the range they had, so that a cubic
 * that overshoots makes no negative thickness and no mask above 1.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_range.h"
#include "steps/step.h"
#include "terrain/resample.h"

_Static_assert((int)RV_resize_filter_cubic == (int)RVI_FILTER_CUBIC &&
                   (int)RV_resize_filter_linear == (int)RVI_FILTER_LINEAR &&
                   (int)RV_resize_filter_nearest == (int)RVI_FILTER_NEAREST,
               "resize has the filters of terrain/resample.h");

typedef struct size {
    int width, height;
    float cell;
} size;

/* Cells of a side of `cells` when another side goes from `from` to `to` cells. */
static int follow(int cells, int from, int to) {
    double exact = (double)(cells - 1) * (double)(to - 1) / (double)(from - 1);
    return 1 +
           (int)(exact < 1e9 ? exact + 0.5 : 1e9); /* too large is refused later, with a sentence */
}

static rv_status new_size(rvi_job *job, const rv_resize_params *p, size *out) {
    const rv_terrain *land = job->land;
    bool wide = land->width >= land->height;
    *out = (size){land->width, land->height, land->cell};
    if (p->width != RV_AUTO_INT && land->width == 1)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "resize: a map that is one cell wide keeps its width; give size instead.");
    if (p->width != RV_AUTO_INT || (wide && p->size != RV_AUTO_INT)) {
        out->width = p->width != RV_AUTO_INT ? p->width : p->size;
        out->height = follow(land->height, land->width, out->width);
    } else if (p->size != RV_AUTO_INT) {
        out->height = p->size;
        out->width = follow(land->width, land->height, out->height);
    }
    /* One cell has no extent to divide: then the other side says how large a cell is. */
    bool across = out->width > 1;
    int before = across ? land->width : land->height, after = across ? out->width : out->height;
    if (after > 1)
        out->cell = (float)((double)(before - 1) * (double)land->cell / (double)(after - 1));
    return RV_OK;
}

typedef struct resizing {
    rvi_resampling resampling;
    float *parts; /* to work with on a device */
} resizing;

typedef struct limits {
    float *values;
    int width;
    float low, high;
} limits;

static void limit_rows(void *arg, int first, int end) {
    const limits *l = arg;
    size_t i = (size_t)first * (size_t)l->width, last = (size_t)end * (size_t)l->width;
    for (; i < last; i++)
        l->values[i] = rvi_clampf(l->values[i], l->low, l->high);
}

/* ---- on a device ---- */

static rv_status sample_on_device(rvi_job *job, const rvi_resampling *r, const float *from,
                                  float *to) {
    const rvi_sampled_axis *x = &r->across, *y = &r->down;
    size_t half = (size_t)x->to * (size_t)y->from, all = (size_t)x->to * (size_t)y->to;
    const uint64_t room_x = x->room, room_y = y->room;
    const rvi_device_arg across[] = {
        rvi_map_arg(job->land, RVI_DEVICE_READ, from),
        {RVI_DEVICE_WRITE, r->half, half * sizeof *r->half},
        {RVI_DEVICE_READ, x->taps, (size_t)x->to * x->room * sizeof *x->taps},
        {RVI_DEVICE_READ, x->counts, (size_t)x->to * sizeof *x->counts},
        RVI_VALUE(room_x),
        RVI_VALUE(x->from),
        RVI_VALUE(x->to),
    };
    const rvi_device_arg down[] = {
        {RVI_DEVICE_READ, r->half, half * sizeof *r->half},
        {RVI_DEVICE_WRITE, to, all * sizeof *to},
        {RVI_DEVICE_READ, y->taps, (size_t)y->to * y->room * sizeof *y->taps},
        {RVI_DEVICE_READ, y->counts, (size_t)y->to * sizeof *y->counts},
        RVI_VALUE(room_y),
        RVI_VALUE(x->to),
    };
    rv_status status =
        RVI_RUN(job->device, "resize_map", "mix_across", (size_t)x->to, (size_t)y->from, across);
    if (status == RV_OK)
        status = RVI_RUN(job->device, "resize_map", "mix_down", (size_t)x->to, (size_t)y->to, down);
    return status == RV_OK ? rvi_poll(job->ctx) : status;
}

static rv_status limit_on_device(rvi_job *job, const resizing *r, const float *from,
                                 const rv_terrain *sized, float *to) {
    float low, high;
    rv_status status =
        rvi_device_range(job->device, from, rvi_cells(job->land), r->parts, &low, &high);
    const rvi_device_arg args[] = {rvi_map_arg(sized, RVI_DEVICE_CHANGE, to),
                                   RVI_VALUE(sized->width), RVI_VALUE(low), RVI_VALUE(high)};
    return status == RV_OK ? RVI_RUN(job->device, "resize_map", "limit", (size_t)sized->width,
                                     (size_t)sized->height, args)
                           : status;
}

/* ---- the run ---- */

static rv_status sample(rvi_job *job, const float *from, rv_terrain *sized, float *to,
                        bool limited) {
    const rv_terrain *land = job->land;
    const resizing *r = job->state;
    rv_status status = job->device ? sample_on_device(job, &r->resampling, from, to)
                                   : rvi_resampling_run(job->ctx, &r->resampling, from, to);
    if (status != RV_OK || !limited)
        return status;
    if (job->device)
        return limit_on_device(job, r, from, sized, to);
    limits l = {.values = to, .width = sized->width};
    rvi_range(job->ctx, from, rvi_cells(land), &l.low, &l.high);
    return rvi_parallel_rows(job->ctx, sized->height, limit_rows, &l);
}

static rv_status sample_all(rvi_job *job, rv_terrain *sized) {
    const rv_terrain *land = job->land;
    const resizing *r = job->state;
    rv_status status = RV_OK;
    rvi_resampling_weigh(&r->resampling);
    for (int i = 0; status == RV_OK && i < land->layer_count; i++)
        status = sample(job, land->layers[i].thickness, sized, sized->layers[i].thickness, i > 0);
    for (int i = 0; status == RV_OK && i < land->field_count; i++)
        status = sample(job, land->fields[i].values, sized, sized->fields[i].values, true);
    return status == RV_OK ? rvi_job_sum_layers(job, sized) : status;
}

static rv_status run(rvi_job *job) {
    const rv_terrain *after = &job->after;
    rv_terrain *sized;
    rv_status status =
        rvi_terrain_create_like(job->land, after->width, after->height, after->cell, &sized);
    if (status != RV_OK)
        return status;
    sized->geo = after->geo;
    status = sample_all(job, sized);
    if (status == RV_OK)
        rvi_terrain_swap(job->land, sized);
    rv_terrain_destroy(sized);
    return status;
}

rv_status rvi_step_resize(rvi_job *job, const rv_resize_params *p) {
    const rv_terrain *land = job->land;
    size s;
    rv_status status = new_size(job, p, &s);
    if (status != RV_OK)
        return status;
    resizing *r = rvi_job_begin(job, sizeof *r, run, NULL);
    if (!r)
        return RV_ERROR_MEMORY;
    job->replaces = true;
    job->on_device = true;
    job->doubles = true;
    rvi_georeference_resize(&job->after.geo, land->width, land->height, s.width, s.height);
    status = rvi_outline_resize(&job->after, s.width, s.height, s.cell);
    if (status != RV_OK)
        return status;
    rvi_resampling_prepare(&r->resampling, land->width, land->height, s.width, s.height,
                           (rvi_filter)p->filter, &job->buffers);
    if (rvi_device_of(job->ctx))
        rvi_job_buffer(job, &r->parts, RVI_DEVICE_PARTS, sizeof *r->parts, "the range");
    return RV_OK;
}
