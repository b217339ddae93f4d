/* device_range.h: the lowest and highest of many values on a device, as rvi_range() finds them. */
#ifndef RVI_DEVICE_DEVICE_RANGE_H
#define RVI_DEVICE_DEVICE_RANGE_H

#include "device/device.h"

enum { RVI_DEVICE_PARTS = 1 << 15 };

/* parts: RVI_DEVICE_PARTS floats to work with, from rvi_alloc. */
rv_status rvi_device_range(rvi_device *d, const float *values, size_t count, float *parts,
                           float *low, float *high);

#endif
