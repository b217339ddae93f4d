/* device_sum.c: the sum of many values on a device, to the bit as rvi_sum() adds them. */
#include "device/device_sum.h"
#include "base/context.h"
#include "base/sum_order.h"
#include "device/device_group.h"

/* By a kernel that adds a group a block, from so many grids of values. */
static rv_status add_up(rvi_device *d, rv_context *ctx, const char *kernel,
                        const rvi_device_arg *values, int grids, size_t count, double *out) {
    const uint64_t n = count;
    size_t blocks = (count + RVI_SUM_BLOCK - 1) / RVI_SUM_BLOCK, lanes = blocks * RVI_SUM_LANES;
    double *sums = rvi_alloc(ctx, lanes, sizeof *sums, "a sum");
    if (!sums)
        return RV_ERROR_MEMORY;
    rvi_device_arg args[5] = {RVI_VALUE(n),
                              {RVI_DEVICE_WRITE, sums, lanes * sizeof *sums},
                              {RVI_DEVICE_LOCAL, NULL, RVI_SUM_PART * sizeof *sums}};
    for (int k = 0; k < grids; k++)
        args[3 + k] = values[k];
    rv_status status =
        rvi_device_run(d, "device_sum", kernel, blocks * RVI_SUM_GROUP, 1, args, 3 + grids);
    if (status == RV_OK)
        status = rvi_device_fetch(d, sums);
    *out = 0.0;
    for (size_t b = 0; b < blocks && status == RV_OK; b++)
        *out += rvi_sum_of_lanes(sums + b * RVI_SUM_LANES);
    rvi_device_forget(d, sums, lanes * sizeof *sums); /* the context may not have the device */
    rvi_free(ctx, sums);
    return status;
}

rv_status rvi_device_sum(rvi_device *d, rv_context *ctx, const float *values, size_t count,
                         double *out) {
    const rvi_device_arg args[] = {{RVI_DEVICE_READ, values, count * sizeof *values}};
    return add_up(d, ctx, "sum_lanes", args, 1, count, out);
}

rv_status rvi_device_sum_difference(rvi_device *d, rv_context *ctx, const double *first,
                                    const double *second, size_t count, double *out) {
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, first, count * sizeof *first},
        {RVI_DEVICE_READ, second, count * sizeof *second},
    };
    return add_up(d, ctx, "difference_lanes", args, 2, count, out);
}
