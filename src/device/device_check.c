/* device_check.c: is a device's arithmetic the processor's, and how fast is its memory? */
#include "base/context.h"
#include "device/compared_cell.h"
#include "device/device.h"

#include <math.h>

enum { SIDE = 256, ROUNDS = 16, COPIES = 8 };

static bool same_round(const float *map, int round) {
    bool same = true;
    for (int i = 0; i < SIDE * SIDE; i++) {
        float mine = rvi_compared_cell(i, round);
        same = same && rvi_bits_of_float(mine) == rvi_bits_of_float(map[i]);
    }
    return same;
}

rv_status rvi_device_compare(rvi_device *d, rv_context *ctx, bool *same) {
    float *map = rvi_alloc(ctx, (size_t)SIDE * SIDE, sizeof *map, "the comparison");
    rv_status status = map ? RV_OK : RV_ERROR_MEMORY;
    const int width = SIDE;
    *same = true;
    for (int round = 0; round < ROUNDS && status == RV_OK; round++) {
        const rvi_device_arg args[] = {
            {RVI_DEVICE_WRITE, map, (size_t)SIDE * SIDE * sizeof *map},
            {RVI_DEVICE_VALUE, &width, sizeof width},
            {RVI_DEVICE_VALUE, &round, sizeof round},
        };
        status = rvi_device_run(d, "device_check", "compare", SIDE, SIDE, args, 3);
        if (status == RV_OK)
            status = rvi_device_fetch(d, map);
        *same = *same && status == RV_OK && same_round(map, round);
    }
    rvi_device_forget(d, map, 1); /* the context may not have the device yet */
    rvi_free(ctx, map);
    return status;
}

rv_status rvi_device_copy_rate(rvi_device *d, rv_context *ctx, size_t bytes, double *out) {
    float *from = rvi_alloc(ctx, bytes, 1, "the copy"), *to = rvi_alloc(ctx, bytes, 1, "the copy");
    rv_status status = from && to ? RV_OK : RV_ERROR_MEMORY;
    const rvi_device_arg args[] = {{RVI_DEVICE_READ, from, bytes}, {RVI_DEVICE_WRITE, to, bytes}};
    double least = INFINITY;
    for (int i = 0; i < COPIES && status == RV_OK; i++) {
        double begin = rvi_now();
        status = rvi_device_run(d, "device_check", "copy", bytes / 16, 1, args, 2);
        if (status == RV_OK)
            status = rvi_device_wait(d);
        least = fmin(least, rvi_now() - begin); /* the first brings `from` over, too */
    }
    *out = 2.0 * (double)bytes / least;
    rvi_device_forget(d, from, 1);
    rvi_device_forget(d, to, 1);
    rvi_free(ctx, from);
    rvi_free(ctx, to);
    return status;
}
