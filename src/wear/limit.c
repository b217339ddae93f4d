/* limit.c: fields that limit the steps after them, from images or from other fields. */
#include "wear/limit.h"
#include "base/math.h"
#include "wear/map_image.h"

#include <string.h>

typedef struct limit {
    const char *field, *file, *from;
    bool invert;
    float *values; /* of the field */
} limit;

static rv_status copy_field(rvi_job *job, const char *from, float **out) {
    size_t cells = rvi_cells(job->land);
    const float *values = rv_terrain_field(job->land, from);
    *out = rvi_alloc(job->ctx, cells, sizeof **out, from);
    rv_status status = *out ? RV_OK : RV_ERROR_MEMORY;
    for (size_t i = 0; status == RV_OK && i < cells; i++) {
        status = rvi_poll_at(job->ctx, i);
        (*out)[i] = rvi_clampf(values[i], 0, 1);
    }
    return status;
}

static rv_status load(rvi_job *job) {
    const limit *l = job->state;
    size_t cells = rvi_cells(job->land);
    float *image;
    rv_status status =
        l->from[0] ? copy_field(job, l->from, &image) : rvi_map_image_load(job, l->file, &image);
    for (size_t i = 0; status == RV_OK && l->invert && i < cells; i++) {
        status = rvi_poll_at(job->ctx, i);
        image[i] = 1 - image[i];
    }
    if (status == RV_OK)
        memcpy(l->values, image, cells * sizeof *l->values); /* all of it or nothing */
    rvi_free(job->ctx, image);
    return status;
}

static rv_status drop(rvi_job *job) {
    const limit *l = job->state;
    rvi_field_drop(job->land, l->field);
    return RV_OK;
}

rv_status rvi_limit_prepare(rvi_job *job, const char *field, const char *file, const char *from,
                            bool invert) {
    bool none = file[0] == '\0' && from[0] == '\0';
    if (file[0] && from[0])
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: file=%s or field=%s, but not both.",
                        job->name, file, from);
    if (from[0] && !rvi_values_there(job->land, from))
        return rvi_job_no_field(job, from, "to limit steps by");
    limit *l = rvi_job_begin(job, sizeof *l, none ? drop : load, NULL);
    if (!l)
        return RV_ERROR_MEMORY;
    *l = (limit){.field = field, .file = file, .from = from, .invert = invert};
    if (none) {
        rvi_field_drop(&job->after, field);
        return RV_OK;
    }
    rv_status status = rvi_job_field(job, field, &l->values);
    if (from[0])
        rvi_buffers_pass(&job->buffers, rvi_alloc_size(rvi_cells(job->land), sizeof(float)));
    return status == RV_OK ? rvi_map_image_list(job, file, NULL) : status;
}
