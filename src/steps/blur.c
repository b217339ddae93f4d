/* blur.c: smooths the heights with a Gaussian of `radius` metres (terrain/smooth.c).
 *
 *     h' = h + amount (G * h - h)
 */
#include "base/threads.h"
#include "device/device_range.h"
#include "steps/blur/blur_device.h"
#include "steps/step.h"

typedef struct blend {
    const float *sharp;
    float *smooth;
    int width;
    float amount;
    rvi_smoother smoother;
    float *parts; /* to work with on a device */
} blend;

static void blend_rows(void *arg, int first, int end) {
    const blend *b = arg;
    size_t i = (size_t)first * (size_t)b->width, last = (size_t)end * (size_t)b->width;
    for (; i < last; i++)
        b->smooth[i] = rvi_smooth_blend(b->sharp[i], b->smooth[i], b->amount);
}

static rv_status smooth(const rvi_job *job, blend *b) {
    const rv_terrain *land = job->land;
    rv_status status = rvi_copy(job->ctx, b->smooth, b->sharp, rvi_cells(land) * sizeof *b->smooth);
    return status == RV_OK ? rvi_smoother_run(&b->smoother, b->smooth) : status;
}

static rv_status blend_on_device(const rvi_job *job, const blend *b) {
    const rv_terrain *land = job->land;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, b->sharp),
        rvi_map_arg(land, RVI_DEVICE_CHANGE, b->smooth),
        RVI_VALUE(b->amount),
        RVI_VALUE(land->width),
    };
    return RVI_RUN(job->device, "blur_passes", "blend", (size_t)land->width, (size_t)land->height,
                   args);
}

static rv_status run(rvi_job *job) {
    rv_terrain *land = job->land;
    blend *b = job->state;
    b->sharp = land->surface;
    rv_status status =
        job->device ? rvi_blur_on_device(job, &b->smoother, b->parts, b->smooth) : smooth(job, b);
    if (status == RV_OK && b->amount < 1)
        status = job->device ? blend_on_device(job, b)
                             : rvi_parallel_rows(job->ctx, land->height, blend_rows, b);
    return status == RV_OK ? rvi_job_adopt(job, &b->smooth) : status;
}

rv_status rvi_step_blur(rvi_job *job, const rv_blur_params *p) {
    const rv_terrain *land = job->land;
    blend *b = rvi_job_begin(job, sizeof *b, run, NULL);
    if (!b)
        return RV_ERROR_MEMORY;
    b->width = land->width;
    b->amount = p->amount;
    rvi_job_grid(job, &b->smooth, "the smooth land");
    rvi_smoother_prepare(&b->smoother, job->ctx, land->width, land->height,
                         rvi_length(p->radius, land->cell) / land->cell, &job->buffers);
    job->on_device = true;
    job->doubles = rvi_smoother_wide(&b->smoother);
    if (rvi_device_of(job->ctx))
        rvi_job_buffer(job, &b->parts, RVI_DEVICE_PARTS, sizeof *b->parts, "the range");
    return RV_OK;
}
