/* limit.c: fields that limit the steps after them, from images or from other fields. */
#include "wear/limit.h"
#include "wear/map_image.h"

#include <string.h>

typedef struct limit {
    const char *field, *file, *from;
    bool invert;
    float *values; /* of the field */
} limit;

static rv_status copy_on_device(rvi_job *job, const limit *l) {
    const rv_terrain *land = job->land;
    const int invert = l->invert;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, rvi_values_get(land, l->from)),
        rvi_map_arg(land, RVI_DEVICE_CHANGE, l->values),
        RVI_VALUE(land->width),
        RVI_VALUE(invert),
    };
    return RVI_RUN(job->device, "land_grids", "share", (size_t)land->width, (size_t)land->height,
                   args);
}

static rv_status load(rvi_job *job) {
    const limit *l = job->state;
    size_t cells = rvi_cells(job->land);
    float *image;
    if (job->device && l->from[0])
        return copy_on_device(job, l);
    rv_status status = rvi_map_values_load(job, l->file, l->from, &image);
    for (size_t i = 0; status == RV_OK && l->invert && i < cells; i++) {
        status = rvi_poll_at(job->ctx, i);
        image[i] = 1 - image[i];
    }
    if (status == RV_OK)
        status = rvi_memory_take_back(job->ctx, l->values);
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
    limit *l = rvi_job_begin(job, sizeof *l, none ? drop : load, NULL);
    if (!l)
        return RV_ERROR_MEMORY;
    job->on_device = true;
    *l = (limit){.field = field, .file = file, .from = from, .invert = invert};
    if (none) {
        rvi_field_drop(&job->after, field);
        return RV_OK;
    }
    rv_status status = rvi_map_values_list(job, file, from, "to limit steps by", NULL);
    return status == RV_OK ? rvi_job_field(job, field, &l->values) : status;
}
