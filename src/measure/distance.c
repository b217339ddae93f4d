/* distance.c: how far every cell is from the nearest of some, exactly.
 *
 * A. Meijster, J. B. T. M. Roerdink and W. H. Hesselink, A general algorithm for computing distance
 * transforms in linear time, 2000. First along each column the distance g to the nearest such cell;
 * then along each row, in whole numbers of cells,
 *
 *     d^2(x) = min over i of (x - i)^2 + g(i)^2
 *
 * from the lower envelope of these parabolas.
 */
#include "measure/distance.h"
#include "base/math.h"
#include "base/threads.h"

#include <math.h>

enum { STRIP = 64 }; /* columns that are gone through together */

typedef struct work {
    const float *values;
    int width, height;
    double cell;
    int32_t *near;          /* g of every cell; width + height where a column has none */
    int32_t *begin, *owner; /* of each piece of the envelope of a row */
    float *out;
} work;

static void go_down_strip(void *arg, int64_t strip) {
    const work *w = arg;
    int first = (int)strip * STRIP, end = rvi_mini(first + STRIP, w->width);
    int32_t none = w->width + w->height;
    for (int y = 0; y < w->height; y++) {
        size_t row = (size_t)y * (size_t)w->width;
        for (int x = first; x < end; x++) {
            size_t i = row + (size_t)x;
            int32_t above = y > 0 ? w->near[i - (size_t)w->width] + 1 : none;
            w->near[i] = w->values[i] > 0.0f ? 0 : above < none ? above : none;
        }
    }
    for (int y = w->height - 2; y >= 0; y--) {
        size_t row = (size_t)y * (size_t)w->width;
        for (int x = first; x < end; x++) {
            size_t i = row + (size_t)x;
            int32_t below = w->near[i + (size_t)w->width] + 1;
            w->near[i] = below < w->near[i] ? below : w->near[i];
        }
    }
}

static int64_t parabola(const int32_t *near, int64_t x, int64_t i) {
    return (x - i) * (x - i) + (int64_t)near[i] * near[i];
}

/* The first x from which u, which is right of i, is nearer than i. */
static int64_t overtakes(const int32_t *near, int64_t i, int64_t u) {
    int64_t above = u * u - i * i + (int64_t)near[u] * near[u] - (int64_t)near[i] * near[i];
    int64_t half = 2 * (u - i);
    return (above >= 0 ? above / half : -((half - 1 - above) / half)) + 1;
}

static void go_along_row(const work *w, size_t row) {
    const int32_t *near = w->near + row;
    int32_t *begin = w->begin + row, *owner = w->owner + row;
    int q = 0;
    begin[0] = owner[0] = 0;
    for (int u = 1; u < w->width; u++) {
        while (q >= 0 && parabola(near, begin[q], owner[q]) > parabola(near, begin[q], u))
            q--;
        int64_t from = q < 0 ? 0 : overtakes(near, owner[q], u);
        if (from >= w->width)
            continue;
        q++;
        begin[q] = (int32_t)from;
        owner[q] = u;
    }
    int64_t none = (int64_t)w->width + w->height;
    for (int u = w->width - 1; u >= 0; u--) {
        int64_t squared = parabola(near, u, owner[q]);
        w->out[row + (size_t)u] =
            squared < none * none ? (float)(sqrt((double)squared) * w->cell) : INFINITY;
        q -= u == begin[q];
    }
}

static void go_along_rows(void *arg, int first, int end) {
    const work *w = arg;
    for (int y = first; y < end; y++)
        go_along_row(w, (size_t)y * (size_t)w->width);
}

rv_status rvi_distance_make(const rv_terrain *land, const float *values, int32_t *room,
                            float *out) {
    size_t cells = rvi_cells(land);
    work w = {.values = values,
              .width = land->width,
              .height = land->height,
              .cell = (double)land->cell,
              .near = room,
              .begin = room + cells,
              .owner = room + 2 * cells,
              .out = out};
    rv_status status =
        rvi_parallel(land->ctx, (land->width + STRIP - 1) / STRIP, go_down_strip, &w);
    return status == RV_OK ? rvi_parallel_rows(land->ctx, land->height, go_along_rows, &w) : status;
}
