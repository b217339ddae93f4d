/* made_heights.c: heights that a step has made become part of the land. */
#include "wear/made_heights.h"
#include "base/reduce.h"
#include "base/threads.h"

typedef struct scaling {
    float *made;
    const float *ground;
    int width;
    float low, span, relief;
    int mode;
} scaling;

static void scale_rows(void *arg, int first, int end) {
    const scaling *l = arg;
    size_t from = (size_t)first * (size_t)l->width, to = (size_t)end * (size_t)l->width;
    for (size_t i = from; i < to; i++) {
        float share = (l->made[i] - l->low) / l->span; /* 0 to 1 */
        float height = share * l->relief;
        height = l->mode == RV_noise_mode_add ? l->ground[i] + height : height;
        l->made[i] = l->mode == RV_noise_mode_multiply ? l->ground[i] * share : height;
    }
}

rv_status rvi_made_heights_set(rvi_job *job, float **made, float relief, int mode) {
    const rv_terrain *land = job->land;
    scaling l = {.made = *made, .ground = land->surface, .width = land->width};
    float high;
    rvi_range(job->ctx, *made, rvi_cells(land), &l.low, &high);
    l.span = high > l.low ? high - l.low : 1; /* nothing was made: 0 everywhere */
    l.relief = relief;
    l.mode = mode;
    rv_status status = rvi_parallel_rows(job->ctx, land->height, scale_rows, &l);
    if (status == RV_OK)
        rvi_job_adopt(job, made);
    return status;
}
