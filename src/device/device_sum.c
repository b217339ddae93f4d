/* device_sum.c: the sum of many values on a device, to the bit as rvi_sum() adds them. */
#include "device/device_sum.h"
#include "base/context.h"
#include "base/sum_order.h"

rv_status rvi_device_sum(rvi_device *d, rv_context *ctx, const float *values, size_t count,
                         double *out) {
    const uint64_t n = count;
    size_t blocks = (count + RVI_SUM_BLOCK - 1) / RVI_SUM_BLOCK, lanes = blocks * RVI_SUM_LANES;
    double *sums = rvi_alloc(ctx, lanes, sizeof *sums, "a sum");
    if (!sums)
        return RV_ERROR_MEMORY;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, values, count * sizeof *values},
        {RVI_DEVICE_VALUE, &n, sizeof n},
        {RVI_DEVICE_WRITE, sums, lanes * sizeof *sums},
    };
    rv_status status = rvi_device_run(d, "device_sum", "sum_lanes", lanes, 1, args, 3);
    if (status == RV_OK)
        status = rvi_device_fetch(d, sums);
    *out = 0.0;
    for (size_t b = 0; b < blocks && status == RV_OK; b++)
        *out += rvi_sum_of_lanes(sums + b * RVI_SUM_LANES);
    rvi_device_forget(d, sums, lanes * sizeof *sums); /* the context may not have the device */
    rvi_free(ctx, sums);
    return status;
}

rv_status rvi_device_sum_difference(rvi_device *d, rv_context *ctx, const double *first,
                                    const double *second, size_t count, double *out) {
    const uint64_t n = count;
    size_t blocks = (count + RVI_SUM_BLOCK - 1) / RVI_SUM_BLOCK, lanes = blocks * RVI_SUM_LANES;
    double *sums = rvi_alloc(ctx, lanes, sizeof *sums, "a sum");
    if (!sums)
        return RV_ERROR_MEMORY;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, first, count * sizeof *first},
        {RVI_DEVICE_READ, second, count * sizeof *second},
        {RVI_DEVICE_VALUE, &n, sizeof n},
        {RVI_DEVICE_WRITE, sums, lanes * sizeof *sums},
    };
    rv_status status = rvi_device_run(d, "device_sum", "difference_lanes", lanes, 1, args, 4);
    if (status == RV_OK)
        status = rvi_device_fetch(d, sums);
    *out = 0.0;
    for (size_t b = 0; b < blocks && status == RV_OK; b++)
        *out += rvi_sum_of_lanes(sums + b * RVI_SUM_LANES);
    rvi_device_forget(d, sums, lanes * sizeof *sums);
    rvi_free(ctx, sums);
    return status;
}
