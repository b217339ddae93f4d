/* blur_passes.cl: the passes of blur_device.c, a cell an item but for running sums. */
#include "device/prelude.cl"
#include "terrain/smooth_cell.h"

/* Down the columns (`down` is 1) or along the rows (0). */
__kernel void narrow(__global const float *restrict from, __global float *restrict to, __constant float *weights,
                     int reach, int down, int width, int height) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width)
        return;
    int at = down ? y : x, n = down ? height : width;
    size_t step = down ? (size_t)width : 1, first = (size_t)y * (size_t)width + (size_t)x;
    float middle = from[first], twice = 2 * middle, sum = 0;
    first -= (size_t)at * step;
    for (int k = 1; k <= reach; k++) {
        int above = at - k, below = at + k;
        above = above >= 0 ? above : rvi_smooth_mirror(above, n);
        below = below < n ? below : rvi_smooth_mirror(below, n);
        sum += rvi_smooth_pair(weights[k], from[first + (size_t)above * step],
                               from[first + (size_t)below * step], twice);
    }
    to[first + (size_t)at * step] = middle + sum;
}

__kernel void count(__global const float *restrict from, __global int *restrict to, double scale, int width) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x < width)
        to[i] = rvi_smooth_nearest((double)from[i] * scale);
}

__kernel void value(__global const int *restrict from, __global float *restrict to, double scale, int width) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x < width)
        to[i] = (float)((double)from[i] / scale);
}

/* A cell of a column whose first is `column`; beyond its ends it is mirrored. */
static double cell_at(__global const int *column, long y, int width, int height) {
    int inside = y >= 0 && y < height ? (int)y : rvi_smooth_mirror(y, height);
    return (double)column[(size_t)inside * (size_t)width];
}

/* `rows` cells of a column an item. */
__kernel void box(__global const int *restrict from, __global int *restrict to, rvi_smooth_boxes b, int width,
                  int height, int rows) {
    int x = (int)get_global_id(0), first = (int)get_global_id(1) * rows;
    int end = rvi_mini(first + rows, height);
    if (x >= width)
        return;
    __global const int *column = from + x;
    double sum = 0.0;
    long r = b.reach;
    for (long k = -r; k <= r; k++)
        sum += cell_at(column, first + k, width, height);
    for (long y = first; y < end; y++) {
        double after = cell_at(column, y + r + 1, width, height);
        double beside = cell_at(column, y - r - 1, width, height) + after;
        to[(size_t)y * (size_t)width + (size_t)x] = rvi_smooth_box(&b, sum, beside);
        sum += after - cell_at(column, y - r, width, height);
    }
}

/* The result is transposed. */
__kernel void taps(__global const int *restrict from, __global int *restrict to, rvi_smooth_boxes b, int width,
                   int height) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width)
        return;
    __global const int *column = from + x;
    double here = cell_at(column, y, width, height);
    double beside = cell_at(column, (long)y - b.far, width, height) +
                    cell_at(column, (long)y + b.far, width, height);
    to[(size_t)x * (size_t)height + (size_t)y] = rvi_smooth_tap(&b, here, beside);
}

__kernel void blend(__global const float *restrict sharp, __global float *restrict smooth, float amount,
                    int width) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x < width)
        smooth[i] = rvi_smooth_blend(sharp[i], smooth[i], amount);
}
