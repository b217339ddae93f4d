/* sort.h: many numbers in order, in time that grows with their count alone. */
#ifndef RVI_BASE_SORT_H
#define RVI_BASE_SORT_H

#include <ravine/ravine.h>

typedef struct rvi_keyed {
    uint64_t key;
    uint32_t value;
} rvi_keyed;

/* By key, from the lowest; equal keys stay in the order they had. */
rv_status rvi_sort(rv_context *ctx, rvi_keyed *items, size_t count);
/* From the lowest; none is a NaN. Needs as much again twice. */
rv_status rvi_sort_floats(rv_context *ctx, float *values, size_t count);

#endif
