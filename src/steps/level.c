/* level.c: scales the heights to a range.
 *
 *     t = (h - lowest) / (highest - lowest),   h' = low + t (high - low)
 *
 * Both ends are met exactly. Flat land becomes `low`.
 */
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_range.h"
#include "steps/level/level_cell.h"
#include "steps/step.h"

typedef struct levelling {
    const float *from;
    float *to;
    int width;
    rvi_level_range range;
    float *parts; /* to work with on a device */
} levelling;

static void level_rows(void *arg, int first, int end) {
    const levelling *l = arg;
    size_t i = (size_t)first * (size_t)l->width, last = (size_t)end * (size_t)l->width;
    for (; i < last; i++)
        l->to[i] = rvi_level_cell(l->range, l->from[i]);
}

static rv_status level_on_device(const rvi_job *job, const levelling *l) {
    const rv_terrain *land = job->land;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, l->from),
        rvi_map_arg(land, RVI_DEVICE_WRITE, l->to),
        RVI_VALUE(land->width),
        RVI_VALUE(l->range),
    };
    return RVI_RUN(job->device, "level_map", "level_heights", (size_t)land->width,
                   (size_t)land->height, args);
}

static rv_status run(rvi_job *job) {
    const rv_terrain *land = job->land;
    levelling *l = job->state;
    rvi_level_range *r = &l->range;
    float highest = 0.0f;
    rv_status status = RV_OK;
    l->from = land->surface;
    if (job->device)
        status =
            rvi_device_range(job->device, l->from, rvi_cells(land), l->parts, &r->lowest, &highest);
    else
        rvi_range(job->ctx, l->from, rvi_cells(land), &r->lowest, &highest);
    r->span = highest > r->lowest ? highest - r->lowest : 1;
    if (status == RV_OK)
        status = job->device ? level_on_device(job, l)
                             : rvi_parallel_rows(job->ctx, land->height, level_rows, l);
    return status == RV_OK ? rvi_job_adopt(job, &l->to) : status;
}

rv_status rvi_step_level(rvi_job *job, const rv_level_params *p) {
    levelling *l = rvi_job_begin(job, sizeof *l, run, NULL);
    if (!l)
        return RV_ERROR_MEMORY;
    *l = (levelling){.width = job->land->width, .range = {.low = p->low, .high = p->high}};
    rvi_job_grid(job, &l->to, "the levelled land");
    job->on_device = true;
    if (rvi_device_of(job->ctx))
        rvi_job_buffer(job, &l->parts, RVI_DEVICE_PARTS, sizeof *l->parts, "the range");
    return RV_OK;
}
