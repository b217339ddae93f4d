/* level.c: scales the heights to a range.
 *
 *     t = (h - lowest) / (highest - lowest),   h' = low + t (high - low)
 *
 * Both ends are met exactly. Flat land becomes `low`.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "steps/step.h"

typedef struct levelling {
    const float *from;
    float *to;
    int width;
    float lowest, span, low, high;
} levelling;

static void level_rows(void *arg, int first, int end) {
    const levelling *l = arg;
    size_t i = (size_t)first * (size_t)l->width, last = (size_t)end * (size_t)l->width;
    for (; i < last; i++) {
        float t = (l->from[i] - l->lowest) / l->span;
        float height = l->low + t * (l->high - l->low);
        height = rvi_clampf(height, rvi_minf(l->low, l->high), rvi_maxf(l->low, l->high));
        l->to[i] = t < 1 ? height : l->high;
    }
}

static rv_status run(rvi_job *job) {
    const rv_terrain *land = job->land;
    levelling *l = job->state;
    float highest;
    l->from = land->surface;
    rvi_range(job->ctx, l->from, rvi_cells(land), &l->lowest, &highest);
    l->span = highest > l->lowest ? highest - l->lowest : 1;
    rv_status status = rvi_parallel_rows(job->ctx, land->height, level_rows, l);
    if (status == RV_OK)
        rvi_job_adopt(job, &l->to);
    return status;
}

rv_status rvi_step_level(rvi_job *job, const rv_level_params *p) {
    levelling *l = rvi_job_begin(job, sizeof *l, run, NULL);
    if (!l)
        return RV_ERROR_MEMORY;
    *l = (levelling){.width = job->land->width, .low = p->low, .high = p->high};
    rvi_job_grid(job, &l->to, "the levelled land");
    return RV_OK;
}
