/* blur_device.h: blur.c on a device. */
#ifndef RVI_STEPS_BLUR_BLUR_DEVICE_H
#define RVI_STEPS_BLUR_BLUR_DEVICE_H

#include "terrain/smooth.h"
#include "wear/job.h"

/* `to` becomes the surface of the land, smooth. parts: for rvi_device_range(). */
rv_status rvi_blur_on_device(rvi_job *job, const rvi_smoother *s, float *parts, float *to);

#endif
