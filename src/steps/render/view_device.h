/* view_device.h: perspective pictures on a device (picture/view.h). */
#ifndef RVI_STEPS_RENDER_VIEW_DEVICE_H
#define RVI_STEPS_RENDER_VIEW_DEVICE_H

#include "picture/view.h"
#include "wear/job.h"

typedef struct rvi_view_device {
    rvi_job *job;
    const rvi_view *view;
    float *seen; /* of some rows of the picture, with a pixel more on each side */
    signed char *kinds;
    float *parts, *brought; /* to work with */
    uint32_t *counts;
    int32_t *runs;
} rvi_view_device;

/* Can a device draw land like this? */
bool rvi_view_device_can(const rv_terrain *land);
/* Lists what it needs; and bytes that it allocates and frees. */
void rvi_view_device_plan(rvi_view_device *w);
size_t rvi_view_device_memory(const rvi_view_device *w);
/* rvi_view_draw() on job->device. */
rv_status rvi_view_device_draw(rvi_view_device *w, unsigned char *rgb);

#endif
