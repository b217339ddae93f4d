/* blur.c: smooths the heights with a Gaussian of `radius` metres (terrain/smooth.c).
 *
 *     h' = h + amount (G * h - h)
 */
#include "base/threads.h"
#include "steps/step.h"
#include "terrain/smooth.h"

typedef struct blend {
    const float *sharp;
    float *smooth;
    int width;
    float amount;
    rvi_smoother smoother;
} blend;

static void blend_rows(void *arg, int first, int end) {
    const blend *b = arg;
    size_t i = (size_t)first * (size_t)b->width, last = (size_t)end * (size_t)b->width;
    for (; i < last; i++)
        b->smooth[i] = b->sharp[i] + b->amount * (b->smooth[i] - b->sharp[i]);
}

static rv_status run(rvi_job *job) {
    rv_terrain *land = job->land;
    blend *b = job->state;
    b->sharp = land->surface;
    rv_status status = rvi_copy(job->ctx, b->smooth, b->sharp, rvi_cells(land) * sizeof *b->smooth);
    if (status == RV_OK)
        status = rvi_smoother_run(&b->smoother, b->smooth);
    if (status == RV_OK && b->amount < 1)
        status = rvi_parallel_rows(job->ctx, land->height, blend_rows, b);
    if (status == RV_OK)
        rvi_job_adopt(job, &b->smooth);
    return status;
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
    return RV_OK;
}
