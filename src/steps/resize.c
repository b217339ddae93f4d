/* resize.c: samples the same land with more or fewer cells (terrain/resample.c).
 *
 * The extent stays: (w' - 1) cell' = (w - 1) cell, and h' is the whole number nearest to
 * 1 + (h - 1) cell / cell'. Upper layers and fields stay within the range they had, so that a cubic
 * that overshoots makes no negative thickness and no mask above 1.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
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

static rv_status sample(rvi_job *job, const float *from, rv_terrain *sized, float *to,
                        rvi_filter filter, bool limited) {
    const rv_terrain *land = job->land;
    rv_status status = rvi_resample(job->ctx, from, land->width, land->height, to, sized->width,
                                    sized->height, filter);
    if (status != RV_OK || !limited)
        return status;
    limits l = {.values = to, .width = sized->width};
    rvi_range(job->ctx, from, rvi_cells(land), &l.low, &l.high);
    return rvi_parallel_rows(job->ctx, sized->height, limit_rows, &l);
}

static rv_status sample_all(rvi_job *job, rv_terrain *sized, rvi_filter filter) {
    const rv_terrain *land = job->land;
    rv_status status = RV_OK;
    for (int i = 0; status == RV_OK && i < land->layer_count; i++)
        status = sample(job, land->layers[i].thickness, sized, sized->layers[i].thickness, filter,
                        i > 0);
    for (int i = 0; status == RV_OK && i < land->field_count; i++)
        status = sample(job, land->fields[i].values, sized, sized->fields[i].values, filter, true);
    if (status == RV_OK)
        rvi_terrain_sum_layers(sized);
    return status;
}

static rv_status run(rvi_job *job) {
    const rv_terrain *after = &job->after;
    const rvi_filter *filter = job->state;
    rv_terrain *sized;
    rv_status status =
        rvi_terrain_create_like(job->land, after->width, after->height, after->cell, &sized);
    if (status != RV_OK)
        return status;
    sized->geo = after->geo;
    status = sample_all(job, sized, *filter);
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
    rvi_filter *filter = rvi_job_begin(job, sizeof *filter, run, NULL);
    if (!filter)
        return RV_ERROR_MEMORY;
    *filter = (rvi_filter)p->filter;
    job->replaces = true;
    rvi_georeference_resize(&job->after.geo, land->width, land->height, s.width, s.height);
    rvi_buffers_pass(&job->buffers,
                     rvi_resample_bytes(land->width, land->height, s.width, s.height, *filter));
    return rvi_outline_resize(&job->after, s.width, s.height, s.cell);
}
