/* device_sum.h: the sum of many values on a device, to the bit as rvi_sum() adds them. */
#ifndef RVI_DEVICE_DEVICE_SUM_H
#define RVI_DEVICE_DEVICE_SUM_H

#include "device/device.h"

/* Of values that are on the device. */
rv_status rvi_device_sum(rvi_device *d, rv_context *ctx, const float *values, size_t count,
                         double *out);
/* The same for rvi_sum_difference(). */
rv_status rvi_device_sum_difference(rvi_device *d, rv_context *ctx, const double *first,
                                    const double *second, size_t count, double *out);

#endif
