/* job.c: what steps that make land, wear it or read images have in common. */
#include "wear/job.h"
#include "base/math.h"
#include "base/threads.h"
#include "formats/format.h"
#include "terrain/resample.h"

#include <stdio.h>

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

rv_status rvi_job_lay(rvi_job *job, float *made, float relief, int mode) {
    rv_terrain *land = job->land;
    laying l = {.made = made, .ground = land->surface, .width = land->width};
    float high;
    rvi_range(job->ctx, made, rvi_cells(land), &l.low, &high);
    l.span = high > l.low ? high - l.low : 1; /* nothing was made: 0 everywhere */
    l.relief = relief;
    l.mode = mode;
    rv_status status = rvi_parallel_rows(job->ctx, land->height, lay_rows, &l);
    if (status != RV_OK) {
        rvi_free(job->ctx, made);
        return status;
    }
    return rvi_terrain_adopt_surface(land, made);
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

/* A file is held with its bytes and its values; where its size is another, it is then stretched to
 * the map in two passes. */
static rv_status plan_image(rvi_job *job, const char *file) {
    const rv_terrain *land = job->land;
    rvi_image image = {.width = land->width, .height = land->height};
    rvi_sidecar sidecar;
    if (rvi_file_exists(file)) {
        rv_status status = rvi_image_read(job->ctx, file, 0, true, &sidecar, &image);
        if (status != RV_OK)
            return status;
    }
    size_t held = 2 * (size_t)image.width * (size_t)image.height;
    if (image.width != land->width || image.height != land->height)
        held += rvi_cells(land) + (size_t)image.width * (size_t)land->height;
    job->memory += held * sizeof(float);
    return RV_OK;
}

rv_status rvi_job_image(rvi_job *job, const char *file, float **out) {
    rv_context *ctx = job->ctx;
    const rv_terrain *land = job->land;
    rvi_image image = {0};
    *out = NULL;
    if (job->planning)
        return plan_image(job, file);
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
