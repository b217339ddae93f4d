/* limit.c: fields that limit the steps after them, from images or from other fields. */
#include "wear/limit.h"
#include "wear/map_image.h"

#include <string.h>

typedef struct limit {
    const char *field, *file, *from;
    bool invert;
    float *values; /* of the field */
} limit;

static rv_status load(rvi_job *job) {
    const limit *l = job->state;
    size_t cells = rvi_cells(job->land);
    float *image;
    rv_status status = rvi_map_values_load(job, l->file, l->from, &image);
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
    limit *l = rvi_job_begin(job, sizeof *l, none ? drop : load, NULL);
    if (!l)
        return RV_ERROR_MEMORY;
    *l = (limit){.field = field, .file = file, .from = from, .invert = invert};
    if (none) {
        rvi_field_drop(&job->after, field);
        return RV_OK;
    }
    rv_status status = rvi_map_values_list(job, file, from, "to limit steps by", NULL);
    return status == RV_OK ? rvi_job_field(job, field, &l->values) : status;
}
