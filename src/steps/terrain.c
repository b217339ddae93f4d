/* terrain.c: starts over with flat land of a given size. */
#include "steps/step.h"

rv_status rvi_step_terrain(rvi_job *job, const rv_terrain_params *p) {
    int width = p->width == RV_AUTO_INT ? p->size : p->width;
    int height = p->height == RV_AUTO_INT ? p->size : p->height;
    return rvi_terrain_reset(job->land, width, height, p->cell);
}
