/* job.c: what steps that make land, wear it or read images have in common. */
#include "wear/job.h"
#include "base/math.h"
#include "base/threads.h"
#include "formats/format.h"
#include "terrain/resample.h"

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

/* A file is held with its bytes and its values; where its size is another, it is then stretched to
 * the map in two passes. */
rv_status rvi_job_list_image(rvi_job *job, const char *file, float **kept) {
    const rv_terrain *land = job->land;
    rvi_image image = {.width = land->width, .height = land->height};
    rvi_sidecar sidecar;
    if (file[0] == '\0')
        return RV_OK;
    if (rvi_file_exists(file)) {
        rv_status status = rvi_image_read(job->ctx, file, 0, true, &sidecar, &image);
        if (status != RV_OK)
            return status;
    }
    size_t values = rvi_alloc_size((size_t)image.width * (size_t)image.height, sizeof(float));
    size_t map = rvi_alloc_size(rvi_cells(land), sizeof(float));
    size_t most = values + rvi_image_bytes(&image);
    if (image.width != land->width || image.height != land->height) {
        size_t stretched = values + map +
                           rvi_resample_bytes(image.width, image.height, land->width, land->height,
                                              RVI_FILTER_LINEAR);
        most = stretched > most ? stretched : most;
    }
    rvi_buffers_pass(&job->buffers, kept ? most - map : most);
    if (kept) {
        rvi_buffers_keep(&job->buffers, map);
        rvi_buffers_own(&job->buffers, kept);
    }
    return RV_OK;
}

/* ---- to run ---- */

rv_status rvi_job_progress(rvi_job *job, double done) {
    return rvi_progress(job->ctx, done, job->land);
}

rv_status rvi_job_no_field(rvi_job *job, const char *name, const char *purpose) {
    char list[512];
    size_t used = (size_t)snprintf(list, sizeof list, "height");
    for (int i = 0; i < rv_terrain_field_count(job->land) && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, ", %s",
                                 rv_terrain_field_name(job->land, i));
    return rvi_fail(job->ctx, RV_ERROR_USAGE, "There is no field \"%s\" %s; there is %s.", name,
                    purpose, list);
}

typedef struct laying {
    float *made;
    const float *ground;
    int width;
    float low, span, relief;
    int mode;
} laying;

static void lay_rows(void *arg, int first, int end) {
    const laying *l = arg;
    size_t from = (size_t)first * (size_t)l->width, to = (size_t)end * (size_t)l->width;
    for (size_t i = from; i < to; i++) {
        float share = (l->made[i] - l->low) / l->span; /* 0 to 1 */
        float height = share * l->relief;
        height = l->mode == RV_noise_mode_add ? l->ground[i] + height : height;
        l->made[i] = l->mode == RV_noise_mode_multiply ? l->ground[i] * share : height;
    }
}

rv_status rvi_job_adopt(rvi_job *job, float **values) {
    float *taken = *values;
    *values = NULL;
    return rvi_terrain_adopt_surface(job->land, taken);
}

rv_status rvi_job_lay(rvi_job *job, float **made, float relief, int mode) {
    const rv_terrain *land = job->land;
    laying l = {.made = *made, .ground = land->surface, .width = land->width};
    float high;
    rvi_range(job->ctx, *made, rvi_cells(land), &l.low, &high);
    l.span = high > l.low ? high - l.low : 1; /* nothing was made: 0 everywhere */
    l.relief = relief;
    l.mode = mode;
    rv_status status = rvi_parallel_rows(job->ctx, land->height, lay_rows, &l);
    return status == RV_OK ? rvi_job_adopt(job, made) : status;
}

static rv_status check_shares(rv_context *ctx, const char *file, const rvi_image *image) {
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            float v = image->values[(size_t)y * (size_t)image->width + (size_t)x];
            if (!(v >= 0 && v <= 1))
                return rvi_fail(ctx, RV_ERROR_INPUT,
                                "%s: row %d, column %d holds %g, but an image that limits a step "
                                "holds values from 0 to 1.",
                                file, y, x, (double)v);
        }
    return RV_OK;
}

rv_status rvi_job_image(rvi_job *job, const char *file, float **out) {
    rv_context *ctx = job->ctx;
    const rv_terrain *land = job->land;
    rvi_image image = {0};
    *out = NULL;
    rv_status status = rvi_image_load(ctx, file, &image);
    if (status != RV_OK)
        return status;
    status = check_shares(ctx, file, &image);
    if (status == RV_OK && image.width == land->width && image.height == land->height) {
        *out = image.values;
        return RV_OK;
    }
    float *fit = NULL;
    if (status == RV_OK) {
        fit = rvi_alloc(ctx, rvi_cells(land), sizeof *fit, "an image stretched over the map");
        status = fit ? RV_OK : RV_ERROR_MEMORY;
    }
    if (status == RV_OK)
        status = rvi_resample(ctx, image.values, image.width, image.height, fit, land->width,
                              land->height, RVI_FILTER_LINEAR);
    rvi_free(ctx, image.values);
    if (status != RV_OK) {
        rvi_free(ctx, fit);
        return status;
    }
    *out = fit;
    return RV_OK;
}
