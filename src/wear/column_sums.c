/* column_sums.c: what columns have counted, added up. */
#include "wear/column_sums.h"

#include <string.h>

static size_t lanes_of(const rvi_column_sums *c) {
    return c->blocks * RVI_COLUMN_LANES;
}

size_t rvi_column_sums_bytes(const rvi_column_sums *c) {
    return lanes_of(c) * (size_t)c->entries * sizeof(double);
}

void rvi_column_sums_add(const rvi_column_sums *c, void *sum) {
    const double *columns = c->columns;
    double sums[RVI_COLUMN_MOST] = {0};
    for (size_t b = 0; b < c->blocks; b++) {
        const double *block = columns + (b * c->stride + (size_t)c->first) * (size_t)c->entries;
        for (int lane = 0; lane < RVI_COLUMN_LANES; lane++)
            for (int e = 0; e < c->entries; e++)
                sums[e] += rvi_column_lane(block, c->entries, e, lane, c->width);
    }
    memcpy(sum, sums, (size_t)c->entries * sizeof *sums);
}

rv_status rvi_column_sums_device(rvi_device *d, const rvi_column_sums *c, double *lanes,
                                 void *sum) {
    const uint64_t stride = c->stride;
    double sums[RVI_COLUMN_MOST] = {0};
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, c->columns, c->blocks * c->stride * (size_t)c->entries * sizeof(double)},
        {RVI_DEVICE_WRITE, lanes, rvi_column_sums_bytes(c)},
        RVI_VALUE(c->entries),
        RVI_VALUE(c->first),
        RVI_VALUE(c->width),
        RVI_VALUE(stride),
    };
    rv_status status = RVI_RUN(d, "column_sums", "column_lanes",
                               (size_t)(RVI_COLUMN_LANES * c->entries), c->blocks, args);
    if (status == RV_OK)
        status = rvi_device_fetch(d, lanes);
    for (size_t k = 0; status == RV_OK && k < lanes_of(c); k++)
        for (int e = 0; e < c->entries; e++)
            sums[e] += lanes[k * (size_t)c->entries + (size_t)e];
    memcpy(sum, sums, (size_t)c->entries * sizeof *sums);
    return status;
}
