/* map_image.c: images that hold 0 to 1 for every place of the map. */
#include "wear/map_image.h"
#include "base/math.h"
#include "terrain/resample.h"
#include "wear/planned_files.h"

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

static rv_status try_shares(rvi_job *job, const char *path, const void *arg) {
    rvi_image image;
    (void)arg;
    rv_status status = rvi_image_load(job->ctx, path, &image);
    if (status == RV_OK)
        status = check_shares(job->ctx, path, &image);
    rvi_free(job->ctx, image.values);
    return status;
}

/* A file is held with its bytes and its values; where its size is another, it is then stretched to
 * the map in two passes. */
rv_status rvi_map_image_list(rvi_job *job, const char *file, float **kept) {
    const rv_terrain *land = job->land;
    rvi_image image;
    rvi_sidecar sidecar;
    if (file[0] == '\0')
        return RV_OK;
    rv_status status = rvi_job_look(job, file, 0, false, &sidecar, &image);
    if (status == RV_OK)
        status = rvi_job_try(job, file, try_shares, NULL);
    if (status != RV_OK)
        return status;
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

rv_status rvi_map_image_load(rvi_job *job, const char *file, float **out) {
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
    /* At an edge that is black or white, rounding would leave a little less or more than that. */
    for (size_t i = 0; status == RV_OK && i < rvi_cells(land); i++) {
        status = rvi_poll_at(ctx, i);
        fit[i] = rvi_clampf(fit[i], 0, 1);
    }
    if (status != RV_OK) {
        rvi_free(ctx, fit);
        return status;
    }
    *out = fit;
    return RV_OK;
}

rv_status rvi_map_values_list(rvi_job *job, const char *file, const char *field,
                              const char *purpose, float **kept) {
    size_t map = rvi_alloc_size(rvi_cells(job->land), sizeof(float));
    if (field[0] == '\0')
        return rvi_map_image_list(job, file, kept);
    if (file[0])
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: the image %s or the field %s, but not both.",
                        job->name, file, field);
    if (!rvi_values_there(job->land, field))
        return rvi_job_no_field(job, field, purpose);
    if (!kept) {
        rvi_buffers_pass(&job->buffers, map);
        return RV_OK;
    }
    rvi_buffers_keep(&job->buffers, map);
    rvi_buffers_own(&job->buffers, kept);
    return RV_OK;
}

static rv_status copy_field(rvi_job *job, const char *from, float **out) {
    size_t cells = rvi_cells(job->land);
    const float *values = rv_terrain_field(job->land, from);
    *out = rvi_alloc(job->ctx, cells, sizeof **out, from);
    rv_status status = !values ? RV_ERROR_DEVICE : *out ? RV_OK : RV_ERROR_MEMORY;
    for (size_t i = 0; status == RV_OK && i < cells; i++) {
        status = rvi_poll_at(job->ctx, i);
        (*out)[i] = rvi_clampf(values[i], 0, 1);
    }
    return status;
}

rv_status rvi_map_values_load(rvi_job *job, const char *file, const char *field, float **out) {
    return field[0] ? copy_field(job, field, out) : rvi_map_image_load(job, file, out);
}
