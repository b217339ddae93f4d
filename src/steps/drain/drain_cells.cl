/* drain_cells.cl: drain.c on a device. */
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

/* ---- lakes that stay ---- */

static double drain_level(__global const uint *basin, __global const double *spill, double h,
                          size_t cell) {
    double level = spill[basin[cell]];
    return level > h ? level : h;
}

/* A lake is known by the cell it spills to. */
FLOW_WALKER drain_name(FLOW_WALK_ARGS, __global const uchar *restrict direction,
                       __global const double *restrict h, __global uint *lake, FLOW_LAKES_ARGS) {
#define NAME                                                                                       \
    int k = direction[cell];                                                                       \
    size_t to = k == RVI_END ? cell : flow_beside(&f, cell, k);                                    \
    bool same = drowned[to] && drain_level(basin, spill, h[to], to) ==                             \
                                   drain_level(basin, spill, h[cell], cell);                       \
    if (drowned[cell])                                                                             \
    lake[cell] = same ? lake[to] : (uint)to
    FLOW_WALK(NAME);
}

/* Depths are not below 0: their bits order as they do. */
__kernel void drain_measure(__global const double *restrict h, __global const uint *restrict lake,
                            __global volatile uint *deepest, ulong count, FLOW_LAKES_ARGS) {
    size_t i = get_global_id(0);
    if (i < count && drowned[i])
        atomic_max(&deepest[lake[i]], as_uint((float)(drain_level(basin, spill, h[i], i) - h[i])));
}

__kernel void drain_keep(__global double *restrict h, __global double *restrict z,
                         __global const uint *restrict lake, __global const float *restrict deepest,
                         __global uchar *restrict kept, float deep, ulong count, FLOW_LAKES_ARGS) {
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    kept[i] = drowned[i] && deepest[lake[i]] >= deep;
    if (kept[i])
        h[i] = z[i] = drain_level(basin, spill, h[i], i);
}

/* ---- the two passes ---- */

FLOW_WALKER drain_breach(FLOW_WALK_ARGS, __global const uchar *restrict direction,
                           __global const double *restrict h, __global double *z,
                           __global const uchar *restrict stays, double slope, double size,
                           double cut) {
#define BREACH                                                                                     \
    double least = h[cell] - cut, low = z[cell];                                                   \
    for (int k = 0; k < 8 && !(stays && stays[cell]); k++) {                                       \
        size_t donor;                                                                              \
        if (flow_donor(&f, direction, cell, x, y, k, &donor) && !(stays && stays[donor]))          \
            low = rvi_drain_breach(low, z[donor], rvi_drain_fall(slope, size, k), least);          \
    }                                                                                              \
    z[cell] = low
    FLOW_WALK(BREACH);
}

FLOW_WALKER drain_fill(FLOW_WALK_ARGS, __global const uchar *restrict direction, __global double *z,
                         __global const uchar *restrict stays, double slope, double size) {
#define FILL                                                                                       \
    int k = direction[cell];                                                                       \
    float height = (float)z[cell];                                                                 \
    if (k != RVI_END && stays && stays[cell])                                                      \
        height = rvi_maxf(height, (float)z[flow_beside(&f, cell, k)]);                             \
    else if (k != RVI_END)                                                                         \
        height = rvi_drain_fill(z[cell], z[flow_beside(&f, cell, k)],                              \
                                rvi_drain_fall(slope, size, k), slope > 0.0);                      \
    z[cell] = (double)height
    FLOW_WALK(FILL);
}

/* ---- after ---- */

/* What each cell was raised by and cut by stay in `h` and `z`. On bare rock `bedrock` is `surface`,
 * and there is no `rest`. */
__kernel void drain_change(__global const float *surface, __global float *bedrock,
                           __global double *restrict h, __global double *restrict z,
                           __global float *restrict eroded, __global float *restrict deposited,
                           __global float *restrict water, __global const uchar *restrict kept,
                           __global const float *restrict mask, __global float *restrict rest,
                           ulong count) {
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    float was = bedrock[i], top = surface[i], to = (float)z[i];
    double by = (z[i] - (double)top) * (mask ? (double)mask[i] : 1.0);
    bool stays = kept && kept[i];
    h[i] = z[i] = 0.0;
    if (rest)
        rest[i] = stays || !(by < 0.0) ? 0.0f : (float)by;
    if (stays) {
        water[i] = rvi_maxf(water[i], to - top);
    } else if (by > 0.0) {
        to = rest ? (float)((double)was + by) : to;
        h[i] = (double)to - (double)was;
        bedrock[i] = to;
        deposited[i] += (float)by;
    } else if (by < 0.0) {
        if (!rest) {
            z[i] = -((double)to - (double)was);
            bedrock[i] = to;
        }
        eroded[i] += (float)-by;
    }
}

/* What is to be taken from a layer, and from the next one what it has not: rvi_layers_shift(). */
__kernel void drain_take(__global float *restrict thickness, __global float *restrict rest,
                         __global double *restrict taken, int lowest, ulong count) {
    size_t i = get_global_id(0);
    if (i >= count || !(rest[i] < 0.0f))
        return;
    float has = thickness[i];
    bool all = !lowest && -rest[i] > has;
    float now = all ? 0.0f : has + rest[i];
    taken[i] += all ? (double)has : -((double)now - (double)has);
    rest[i] = all ? rest[i] + has : 0.0f;
    thickness[i] = now;
}
