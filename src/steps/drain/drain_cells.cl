/* drain_cells.cl: drain.c on a device, where there is one layer of ground and no lake is kept. */
#include "device/prelude.cl"
#include "steps/drain/drain_cell.h"
#include "wear/flow_walk.h"

__kernel void drain_start(__global const float *restrict surface, __global double *restrict h,
                          __global double *restrict z, __global uchar *restrict fixed, int width,
                          int height, float sea) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    if (x >= width)
        return;
    h[i] = z[i] = (double)surface[i];
    fixed[i] = surface[i] < sea || x == 0 || y == 0 || x == width - 1 || y == height - 1;
}

__kernel void drain_breach(FLOW_WALK_ARGS, __global const uchar *restrict direction,
                           __global const double *restrict h, __global double *z, double slope,
                           double size, double cut) {
#define BREACH                                                                                     \
    double least = h[cell] - cut, low = z[cell];                                                   \
    for (int k = 0; k < 8; k++) {                                                                  \
        size_t donor;                                                                              \
        if (flow_donor(&f, direction, cell, x, y, k, &donor))                                      \
            low = rvi_drain_breach(low, z[donor], rvi_drain_fall(slope, size, k), least);          \
    }                                                                                              \
    z[cell] = low
    FLOW_WALK(BREACH);
}

__kernel void drain_fill(FLOW_WALK_ARGS, __global const uchar *restrict direction, __global double *z,
                         double slope, double size) {
#define FILL                                                                                       \
    int k = direction[cell];                                                                       \
    float height = (float)z[cell];                                                                 \
    if (k != RVI_END)                                                                              \
        height = rvi_drain_fill(z[cell], z[flow_beside(&f, cell, k)],                              \
                                rvi_drain_fall(slope, size, k), slope > 0.0);                      \
    z[cell] = (double)height
    FLOW_WALK(FILL);
}

/* What each cell was raised by and cut by stay in `h` and `z`. */
__kernel void drain_change(__global float *restrict surface, __global double *restrict h,
                           __global double *restrict z, __global float *restrict eroded,
                           __global float *restrict deposited, ulong count) {
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    float to = (float)z[i];
    double by = z[i] - (double)surface[i], change = (double)to - (double)surface[i];
    h[i] = by > 0.0 ? change : 0.0;
    z[i] = by < 0.0 ? -change : 0.0;
    if (by > 0.0)
        deposited[i] += (float)by;
    if (by < 0.0)
        eroded[i] += (float)-by;
    if (by != 0.0)
        surface[i] = to;
}
