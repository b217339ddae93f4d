/* rain_place.h: a random place, where it rains more the more often; for the processor and for
 * devices. Shares of the whole rain are looked up in running sums (rain.h), first of rows, then of
 * the cells of the row: an image of the same rain in finer cells gives nearly the same places. */
#ifndef RVI_WEAR_RAIN_PLACE_H
#define RVI_WEAR_RAIN_PLACE_H

#include "base/math.h"

#ifndef __OPENCL_VERSION__
#include <stddef.h>
#endif

/* One running sum: of rows, or of the cells of a row if `cells` is not NULL. */
typedef struct rvi_rain_sums {
    RVI_GRID const uint64_t *rows;
    RVI_GRID const uint32_t *cells;
    int count;
} rvi_rain_sums;

static inline uint64_t rvi_rain_up_to(const rvi_rain_sums *s, int i) {
    return s->cells ? s->cells[i] : s->rows[i];
}

/* The first index of a running sum that is above n. */
static inline int rvi_rain_first_above(const rvi_rain_sums *s, uint64_t n) {
    int low = 0, high = s->count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (rvi_rain_up_to(s, middle) > n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Where a running sum reaches `share` of its end, in cells from the first one's edge. */
static inline float rvi_rain_place_in(const rvi_rain_sums *s, float share) {
    uint64_t end = rvi_rain_up_to(s, s->count - 1);
    uint64_t n = (uint64_t)((double)share * (double)end);
    int i = rvi_rain_first_above(s, n);
    uint64_t below = i == 0 ? 0 : rvi_rain_up_to(s, i - 1);
    uint64_t up_to = rvi_rain_up_to(s, i);
    float place = (float)i + (float)((double)(n - below) / (double)(up_to - below));
    return place < (float)(i + 1) ? place : (float)i + 0.5f; /* where it was rounded up */
}

/* width x height cells with the margin. *x and *y come in as random numbers in [0, 1) and go out in
 * cells from the edge of the first one. */
static inline void rvi_rain_place(RVI_GRID const uint32_t *cells, RVI_GRID const uint64_t *rows,
                                  int width, int height, float *x, float *y) {
    rvi_rain_sums sums = {rows, 0, height};
    *y = rvi_rain_place_in(&sums, *y);
    sums.cells = cells + (size_t)(int)*y * (size_t)width;
    sums.count = width;
    *x = rvi_rain_place_in(&sums, *x);
}

#endif
