/* device_range.c: the lowest and highest of many values on a device. */
#include "device/device_range.h"

rv_status rvi_device_range(rvi_device *d, const float *values, size_t count, float *parts,
                           float *low, float *high) {
    const uint64_t n = count;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, values, count * sizeof *values},
        {RVI_DEVICE_VALUE, &n, sizeof n},
        {RVI_DEVICE_WRITE, parts, RVI_DEVICE_PARTS * sizeof *parts},
    };
    rv_status status =
        rvi_device_run(d, "device_range", "range_parts", RVI_DEVICE_PARTS / 2, 1, args, 3);
    if (status == RV_OK)
        status = rvi_device_fetch(d, parts);
    if (status != RV_OK)
        return status;
    *low = parts[0];
    *high = parts[1];
    for (int i = 2; i < RVI_DEVICE_PARTS; i += 2) {
        *low = parts[i] < *low ? parts[i] : *low;
        *high = parts[i + 1] > *high ? parts[i + 1] : *high;
    }
    *low += 0.0f; /* as base/reduce.c does */
    *high += 0.0f;
    return RV_OK;
}
