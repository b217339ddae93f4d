/* terrain.c: starts over with flat land of a given size. */
#include "steps/step.h"

static rv_status run(rvi_job *job) {
    const rv_terrain *after = &job->after;
    return rvi_terrain_reset(job->land, after->width, after->height, after->cell);
}

rv_status rvi_step_terrain(rvi_job *job, const rv_terrain_params *p) {
    int width = p->width == RV_AUTO_INT ? p->size : p->width;
    int height = p->height == RV_AUTO_INT ? p->size : p->height;
    job->run = run;
    job->replaces = true;
    return rvi_terrain_reset(&job->after, width, height, p->cell);
}
