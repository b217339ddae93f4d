/* job.c: what a step prepares, and what all steps do while they run. */
#include "wear/job.h"

#include <assert.h>
#include <stdio.h>

/* ---- to prepare ---- */

void *rvi_job_begin(rvi_job *job, size_t size, rv_status (*run)(rvi_job *job),
                    rv_status (*close)(rvi_job *job)) {
    job->run = run;
    job->close = close;
    job->state = rvi_alloc(job->ctx, 1, size, "a step");
    return job->state;
}

void rvi_job_buffer(rvi_job *job, void *pointer, size_t count, size_t size, const char *what) {
    rvi_buffers_add(&job->buffers, pointer, count, size, what);
}

void rvi_job_grid(rvi_job *job, float **out, const char *what) {
    rvi_buffers_add(&job->buffers, out, rvi_cells(job->land), sizeof **out, what);
}

rv_status rvi_job_field(rvi_job *job, const char *name, float **out) {
    assert(job->output_count < RVI_OUTPUTS);
    job->outputs[job->output_count++] = (rvi_job_output){.name = name, .out = out};
    return rvi_field_add(&job->after, name);
}

/* ---- to run ---- */

rv_status rvi_job_progress(rvi_job *job, double done) {
    rv_status status = RV_OK;
    if (job->device && rvi_progress_due(job->ctx))
        status = rvi_terrain_fetch(job->land);
    return status == RV_OK ? rvi_progress(job->ctx, done, job->land) : status;
}

static void list_layers(const rv_terrain *land, const char *before, char *list, size_t used,
                        size_t size) {
    for (int i = 0; i < land->layer_count && used < size; i++) {
        used += (size_t)snprintf(list + used, size - used, "%s%s", before, land->layers[i].name);
        before = ", ";
    }
}

rv_status rvi_job_no_layer(rvi_job *job, const char *name) {
    char list[512];
    list_layers(job->land, "", list, 0, sizeof list);
    return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: there is no layer \"%s\"; there is %s.",
                    job->name, name, list);
}

rv_status rvi_job_no_field(rvi_job *job, const char *name, const char *purpose) {
    char list[512];
    size_t used = (size_t)snprintf(list, sizeof list, "height");
    for (int i = 0; i < rv_terrain_field_count(job->land) && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, ", %s",
                                 rv_terrain_field_name(job->land, i));
    if (job->land->layer_count > 1)
        list_layers(job->land, ", ", list, used, sizeof list);
    return rvi_fail(job->ctx, RV_ERROR_USAGE, "There is no field \"%s\" %s; there is %s.", name,
                    purpose, list);
}

/* On the device: to += more - less; `less` may be NULL. */
static rv_status add_grid(rvi_job *job, const rv_terrain *land, float *to, const float *more,
                          const float *less) {
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_CHANGE, to),
        rvi_map_arg(land, RVI_DEVICE_READ, more),
        rvi_map_arg(land, RVI_DEVICE_READ, less),
        RVI_VALUE(land->width),
    };
    return RVI_RUN(job->device, "land_grids", "add", (size_t)land->width, (size_t)land->height,
                   args);
}

rv_status rvi_job_sum_layers(rvi_job *job, rv_terrain *land) {
    if (!job->device) {
        rvi_terrain_sum_layers(land);
        return RV_OK;
    }
    rv_status status = RV_OK;
    for (int l = 0; l < land->layer_count && status == RV_OK && land->layer_count > 1; l++) {
        const float *thickness = land->layers[l].thickness;
        status = l == 0 ? rvi_device_copy(job->device, thickness, land->surface,
                                          rvi_cells(land) * sizeof *thickness)
                        : add_grid(job, land, land->surface, thickness, NULL);
    }
    return status;
}

rv_status rvi_job_adopt(rvi_job *job, float **values) {
    rv_terrain *land = job->land;
    if (job->device && land->layer_count > 1) {
        rv_status status = add_grid(job, land, land->layers[0].thickness, *values, land->surface);
        return status == RV_OK ? rvi_job_sum_layers(job, land) : status;
    }
    float *surface = *values;
    *values = NULL;
    rvi_terrain_adopt_surface(land, surface);
    return RV_OK;
}
