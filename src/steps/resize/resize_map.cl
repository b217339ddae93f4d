/* resize_map.cl: resize.c on a device, a cell an item. */
#include "device/prelude.cl"
#include "base/math.h"
#include "terrain/resample_tap.h"

/* Of a row of `from` cells: one of `width`. */
__kernel void mix_across(__global const float *restrict from, __global float *restrict to,
                         __global const rvi_tap *restrict taps, __global const int *restrict counts, ulong room,
                         int from_width, int width) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width)
        return;
    __global const float *row = from + (size_t)y * (size_t)from_width;
    taps += (size_t)x * room;
    double sum = 0;
    for (int t = 0; t < counts[x]; t++)
        sum += taps[t].share * (double)row[taps[t].at];
    to[(size_t)y * (size_t)width + (size_t)x] = (float)sum;
}

__kernel void mix_down(__global const float *restrict from, __global float *restrict to,
                       __global const rvi_tap *restrict taps, __global const int *restrict counts, ulong room,
                       int width) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width)
        return;
    taps += (size_t)y * room;
    double sum = 0;
    for (int t = 0; t < counts[y]; t++)
        sum += taps[t].share * (double)from[(size_t)taps[t].at * (size_t)width + (size_t)x];
    to[(size_t)y * (size_t)width + (size_t)x] = (float)sum;
}

__kernel void limit(__global float *values, int width, float low, float high) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x < width)
        values[i] = rvi_clampf(values[i], low, high);
}
