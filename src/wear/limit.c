/* limit.c: fields that limit the steps after them, read from images. */
#include "wear/limit.h"
#include "base/threads.h"

rv_status rvi_limit_load(rvi_job *job, const char *field, const char *file, bool invert) {
    rv_terrain *land = job->land;
    if (file[0] == '\0') {
        if (!job->planning)
            rvi_field_drop(land, field);
        return RV_OK;
    }
    float *image;
    rv_status status = rvi_job_image(job, file, &image);
    if (status != RV_OK || job->planning)
        return status;
    size_t cells = rvi_cells(land);
    for (size_t i = 0; invert && i < cells && !rvi_stopped_at(job->ctx, i); i++)
        image[i] = 1 - image[i];
    float *values = rvi_field_make(land, field);
    if (values)
        rvi_copy(job->ctx, values, image, cells * sizeof *values);
    rvi_free(job->ctx, image);
    return values ? RV_OK : RV_ERROR_MEMORY;
}
