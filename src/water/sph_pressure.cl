/* sph_pressure.cl: neighbours and pressure of sph_cells.c and sph_project.c, and the drift of sph_sediment.c, a
 * particle an item. A particle adds up in the order of its list, and sums over blocks go in the order of
 * sph_passes.inc. The columns of a slice have the same room in each. */
#include "device/prelude.cl"
#include "device/device_group.h"
#include "water/sph_particle.h"
#include "water/sph_one_lane.inc"
#include "water/sph_pair.inc"
#include "water/sph_drift.inc"

enum { SLICE = RVI_SPH_SLICE, BLOCK = RVI_SPH_BLOCK };

/* Where the list of a particle begins; its next neighbour stands a slice farther. */
static size_t column_at(uint i, uint stride) {
    return (size_t)(i / SLICE * SLICE) * stride + i % SLICE;
}

/* The first of its gradients: y and z stand a slice and two farther, and the next three slices. */
static size_t gradient_at(uint i, uint stride) {
    return 3 * (size_t)(i / SLICE * SLICE) * stride + i % SLICE;
}

/* ---- Lists ---- */

/* Where a list is full, neighbours are only counted. */
__kernel void sph_list(__global const float4 *restrict places, __global const uint *restrict cell_start,
                       __global const uint *restrict home_cell, __global uint *restrict columns,
                       __global uint *restrict neighbour_count, __global volatile uint *restrict counters,
                       rvi_sph_rules r, uint stride, uint count) {
    uint i = (uint)get_global_id(0), n = 0;
    if (i >= count)
        return;
    int cell = (int)home_cell[i];
    int x = cell % r.cells[0], y = cell / r.cells[0] % r.cells[1], z = cell / r.cells[0] / r.cells[1];
    int x0 = max(x - 1, 0), x1 = min(x + 1, r.cells[0] - 1);
    float radius2 = r.radius * r.radius;
    float4 p = places[i];
    size_t at = column_at(i, stride);
    for (int cz = max(z - 1, 0); cz <= min(z + 1, r.cells[2] - 1); cz++)
        for (int cy = max(y - 1, 0); cy <= min(y + 1, r.cells[1] - 1); cy++) {
            int row = (cz * r.cells[1] + cy) * r.cells[0];
            uint last = cell_start[row + x1 + 1];
            for (uint k = cell_start[row + x0]; k < last; k++) {
                float4 d = places[k] - p;
                if (!((d.x * d.x + d.y * d.y) + d.z * d.z < radius2))
                    continue;
                if (n < stride)
                    columns[at + (size_t)n * SLICE] = 2 * k;
                n++;
            }
        }
    neighbour_count[i] = n;
    if (n > stride)
        atomic_max(counters + RVI_SPH_LONGEST, n);
}

/* ---- Before the pressure ---- */

/* The length of the longest list of a slice. */
static uint longest_of(__global const uint *neighbour_count, uint i, uint stride, uint count) {
    uint first = i / SLICE * SLICE, most = 0;
    for (uint k = first; k < min(first + SLICE, count); k++)
        most = max(most, neighbour_count[k]);
    return min(most, stride);
}

static short rounded(float x) { /* halves away from 0 */
    return (short)(int)(x + copysign(0.5f, x));
}

__kernel void sph_prepare(__global const float4 *restrict places, __global const float4 *restrict speeds,
                          __global const float4 *restrict wall_density, __global const float4 *restrict wall_acceleration,
                          __global const uint *restrict neighbour_count, __global uint *restrict columns,
                          __global short *restrict gradients, __global uint *restrict column_count,
                          __global float *restrict density,
                          __global float *restrict diagonal, __global float *restrict virial,
                          __global float4 *restrict predicted, rvi_sph_rules r, rvi_sph_pair pair, float dt,
                          uint stride, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    uint own = neighbour_count[i], most = longest_of(neighbour_count, i, stride, count);
    if (i % SLICE == 0)
        column_count[i / SLICE] = most;
    size_t column = column_at(i, stride), gradient = gradient_at(i, stride);
    float4 at = places[i], v = speeds[i];
    pair_sums s = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (uint n = 0; n < most; n++, column += SLICE, gradient += 3 * SLICE) {
        bool there = n < own;
        uint k = there ? columns[column] / 2 : i;
        if (!there)
            columns[column] = 2 * i;
        float4 d = at - places[k], speed = v - speeds[k];
        pair_gradient by = add_pair(&pair, there, offset_of(d.x, d.y, d.z), speed.x, speed.y, speed.z, &s);
        gradients[gradient] = rounded(by.x * pair.quanta);
        gradients[gradient + SLICE] = rounded(by.y * pair.quanta);
        gradients[gradient + 2 * SLICE] = rounded(by.z * pair.quanta);
    }
    float4 b = wall_density[i], push = wall_acceleration[i];
    const float wall[4] = {b.x, b.y, b.z, b.w}, speed[3] = {v.x, v.y, v.z}, other[3] = {s.x, s.y, s.z};
    const float pushes[3] = {push.x, push.y, push.z};
    float gx = s.gradient_x + b.x, gy = s.gradient_y + b.y, gz = s.gradient_z + b.z, to[3];
    density[i] = r.kernel_volume * s.density + b.w;
    diagonal[i] = s.square + ((gx * gx + gy * gy) + gz * gz);
    virial[i] = rvi_sph_virial(&r, wall, s.virial / -3);
    rvi_sph_predict(&r, dt, speed, other, pushes, wall, to);
    predicted[i] = (float4)(to[0], to[1], to[2], 0.0f);
}

__kernel void sph_guess(__global const float *restrict from, __global float *restrict k, float scale, uint count) {
    uint i = (uint)get_global_id(0);
    if (i < count)
        k[i] = scale * from[i];
}

/* ---- Pressure ---- */

static float4 acceleration_of(__global const float *k, __global const uint *columns, __global const short *gradients,
                              __global const uint *column_count, __global const float4 *wall_density, float quantum,
                              uint stride, uint i) {
    float own = k[i], gx = 0.0f, gy = 0.0f, gz = 0.0f;
    uint most = column_count[i / SLICE];
    size_t column = column_at(i, stride), gradient = gradient_at(i, stride);
    for (uint n = 0; n < most; n++, column += SLICE, gradient += 3 * SLICE) {
        float f = own + k[columns[column] / 2];
        gx += f * (float)gradients[gradient];
        gy += f * (float)gradients[gradient + SLICE];
        gz += f * (float)gradients[gradient + 2 * SLICE];
    }
    float4 b = wall_density[i];
    float x = quantum * gx + own * b.x, y = quantum * gy + own * b.y, z = quantum * gz + own * b.z;
    return (float4)(-x, -y, -z, 0.0f);
}

/* `predicted` NULL: the speeds with that acceleration are not wanted. */
__kernel void sph_accelerate(__global const float *restrict k, __global const uint *restrict columns,
                             __global const short *restrict gradients, __global const uint *restrict column_count,
                             __global const float4 *restrict wall_density, __global float4 *restrict acceleration,
                             __global const float4 *restrict predicted, __global float4 *restrict projected,
                             float quantum, float dt, uint stride, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    float4 a = acceleration_of(k, columns, gradients, column_count, wall_density, quantum, stride, i);
    acceleration[i] = a;
    if (predicted)
        projected[i] = predicted[i] + dt * a;
}

/* Df of a field of vectors. */
static float change_of(__global const float4 *field, __global const uint *columns, __global const short *gradients,
                       __global const uint *column_count, __global const float4 *wall_density, float quantum,
                       uint stride, uint i) {
    float4 own = field[i], b = wall_density[i];
    float wall = (own.x * b.x + own.y * b.y) + own.z * b.z, sum = 0.0f;
    uint most = column_count[i / SLICE];
    size_t column = column_at(i, stride), gradient = gradient_at(i, stride);
    for (uint n = 0; n < most; n++, column += SLICE, gradient += 3 * SLICE) {
        float4 v = field[columns[column] / 2];
        float x = (own.x - v.x) * (float)gradients[gradient];
        float y = (own.y - v.y) * (float)gradients[gradient + SLICE];
        sum += (x + y) + (own.z - v.z) * (float)gradients[gradient + 2 * SLICE];
    }
    return quantum * sum + wall;
}

/* What is summed up stands in `terms`: `whole` numbers of each kind. */
__kernel void sph_cg_begin(__global const float4 *restrict projected, __global const uint *restrict columns,
                           __global const short *restrict gradients, __global const uint *restrict column_count,
                           __global const float4 *restrict wall_density, __global const float *restrict density,
                           __global const float *restrict diagonal, __global float *restrict k,
                           __global float *restrict inverse_diagonal, __global float *restrict residual,
                           __global float *restrict direction, __global float *restrict terms, uint room,
                           float quantum, float spacing, float dt, float relaxation, float threshold, uint stride,
                           uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    float df = change_of(projected, columns, gradients, column_count, wall_density, quantum, stride, i);
    cg_start s = start_round(1, df, density[i], diagonal[i], k[i], spacing, dt, relaxation, threshold);
    k[i] = s.k;
    inverse_diagonal[i] = s.inverse;
    residual[i] = s.residual;
    direction[i] = s.direction;
    terms[(size_t)RVI_SPH_ACTIVE * room + i] = s.active;
    terms[(size_t)RVI_SPH_R_Z * room + i] = s.r_z;
}

__kernel void sph_cg_apply(__global const float4 *restrict acceleration, __global const uint *restrict columns,
                           __global const short *restrict gradients, __global const uint *restrict column_count,
                           __global const float4 *restrict wall_density, __global const float *restrict inverse_diagonal,
                           __global const float *restrict residual, __global const float *restrict direction,
                           __global float *restrict ap, __global float *restrict terms, uint room, float quantum,
                           float dt, uint stride, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    float df = change_of(acceleration, columns, gradients, column_count, wall_density, quantum, stride, i);
    float dt2 = dt * dt, a = -dt2 * df, map = a * inverse_diagonal[i], r = residual[i], p = direction[i];
    ap[i] = a;
    terms[(size_t)RVI_SPH_R_P * room + i] = r * p;
    terms[(size_t)RVI_SPH_P_AP * room + i] = a * p;
    terms[(size_t)RVI_SPH_R_MAP * room + i] = map * r;
    terms[(size_t)RVI_SPH_AP_MAP * room + i] = map * a;
}

__kernel void sph_cg_update(__global const float *restrict inverse_diagonal, __global const float *restrict ap,
                            __global float *restrict k, __global float *restrict residual,
                            __global float *restrict direction, __global float *restrict terms, uint room, float alpha,
                            float beta, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    cg_next n = go_along(k[i], residual[i], direction[i], inverse_diagonal[i], ap[i], alpha, beta);
    k[i] = n.k;
    residual[i] = n.residual;
    direction[i] = n.direction;
    terms[(size_t)RVI_SPH_ACTIVE * room + i] = n.active;
    terms[(size_t)RVI_SPH_INACTIVE * room + i] = n.inactive;
}

__kernel void sph_clamp(__global const float *restrict diagonal, __global float *restrict k,
                        __global float *restrict terms, uint room, float dt, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    float here = k[i];
    terms[(size_t)RVI_SPH_CLAMPED * room + i] = here < 0 ? dt * dt * diagonal[i] * -here : 0.0f;
    k[i] = rvi_maxf(here, 0.0f);
}

__kernel void sph_finish_velocities(__global const float *restrict k, __global const float *restrict density,
                                    __global const float *restrict virial, __global const float4 *restrict projected,
                                    __global float4 *restrict predicted, __global float4 *restrict shift,
                                    __global float *restrict pressure, __global float *restrict velocity_k,
                                    __global float *restrict displacement_k, __global float *restrict terms, uint room,
                                    float rest, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    terms[(size_t)RVI_SPH_EXCESS * room + i] = rvi_maxf(density[i] - 1, 0.0f);
    predicted[i] = projected[i];
    shift[i] = (float4)(0.0f);
    pressure[i] = k[i] * virial[i] * rest;
    velocity_k[i] = k[i];
    displacement_k[i] = 0.0f;
}

__kernel void sph_finish_displacements(__global const float *restrict k, __global const float4 *restrict acceleration,
                                       __global float *restrict displacement_k, __global float4 *restrict shift,
                                       float dt, float longest, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    float4 a = acceleration[i];
    const float by[3] = {a.x, a.y, a.z};
    float to[3];
    rvi_sph_limit_shift(dt, longest, by, to);
    displacement_k[i] = k[i];
    shift[i] = (float4)(to[0], to[1], to[2], 0.0f);
}

/* ---- Sums of blocks ---- */

/* A block in as many parts as a slice has particles, which are added up in doubles: a part an item, a kind a row. */
__kernel void sph_sum_parts(__global const float *restrict terms, __global double *restrict sums, __local float *parts,
                            uint room, uint blocks, uint first, uint count) {
    uint item = (uint)get_global_id(0), block = item / SLICE, kind = first + (uint)get_global_id(1);
    float sum = 0.0f;
    uint end = min((block + 1) * BLOCK, count);
    for (uint i = block * BLOCK + item % SLICE; i < end; i += SLICE)
        sum += terms[(size_t)kind * room + i];
    parts[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item % SLICE != 0 || block * BLOCK >= count)
        return;
    double all = 0.0;
    for (uint l = 0; l < SLICE; l++)
        all += (double)parts[get_local_id(0) + l];
    sums[(size_t)kind * blocks + block] = all;
}

/* A block one by one, in doubles: a block a group. */
__kernel void sph_sum_blocks(__global const float *restrict terms, __global double *restrict sums, __local float *own,
                             uint room, uint blocks, uint kind, uint count) {
    uint lane = (uint)get_local_id(0), block = (uint)get_group_id(0), first = block * BLOCK;
    uint here = first < count ? min(count - first, (uint)BLOCK) : 0;
    for (uint k = lane; k < here; k += RVI_DEVICE_GROUP)
        own[k] = terms[(size_t)kind * room + first + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane != 0 || here == 0)
        return;
    double all = 0.0;
    for (uint k = 0; k < here; k++)
        all += (double)own[k];
    sums[(size_t)kind * blocks + block] = all;
}

/* ---- Sediment ---- */

__kernel void sph_load(__global const double *restrict sediments, __global const uint *restrict neighbour_count,
                       __global float4 *restrict loads, rvi_sph_drift_rules d, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    drift_load load = drift_load_of(&d, sediments[i], neighbour_count[i]);
    loads[i] = (float4)(load.sediment, load.room, load.limit, 0.0f);
}

/* From a neighbour; past the end of the list, from the particle itself. */
static uint neighbour_of(__global const uint *columns, size_t column, uint n, uint own, uint i) {
    return n < own ? columns[column + (size_t)n * SLICE] / 2 : i;
}

static double get_from(const rvi_sph_drift_rules *d, __global const float4 *places, __global const float4 *loads,
                       uint i, uint from) {
    float4 way = places[i] - places[from], own = loads[i], other = loads[from];
    drift_load to;
    to.sediment = own.x;
    to.room = own.y;
    to.limit = own.z;
    return (double)drift_get(d, way.x, way.y, way.z, to, other.x, other.y, other.z);
}

__kernel void sph_drift(__global const float4 *restrict places, __global const float4 *restrict loads,
                        __global const uint *restrict columns, __global const uint *restrict neighbour_count,
                        __global const double *restrict sediments, __global double *restrict to_sediments,
                        rvi_sph_drift_rules d, uint stride, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    uint own = neighbour_count[i];
    size_t column = column_at(i, stride);
    bool clear = loads[i].x <= 0;
    double sum = 0.0;
    for (uint n = 0; n < own; n += 4) {
        uint a = neighbour_of(columns, column, n, own, i), b = neighbour_of(columns, column, n + 1, own, i);
        uint c = neighbour_of(columns, column, n + 2, own, i), e = neighbour_of(columns, column, n + 3, own, i);
        if (clear && (loads[a].x + loads[b].x) + (loads[c].x + loads[e].x) <= 0)
            continue;
        double first = get_from(&d, places, loads, i, a), second = get_from(&d, places, loads, i, b);
        double third = get_from(&d, places, loads, i, c), fourth = get_from(&d, places, loads, i, e);
        sum += (first + second) + (third + fourth);
    }
    to_sediments[i] = sediments[i] + sum;
}
