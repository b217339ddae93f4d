/* sph_places.cl: where particles are: their sort into cells as sph_cells.c does it, the walls around them, and their
 * moves. What only faces of the rock can tell is left to the host: particles near some are listed, in any order, and
 * get the host's answer. */
#include "device/prelude.cl"
#include "device/device_group.h"
#include "water/sph_particle.h"

/* The largest value of a group, to a counter. */
static void keep_most(__global volatile uint *counter, __local uint *room, uint value) {
    uint lane = (uint)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    room[lane] = value;
    for (uint half_group = RVI_DEVICE_GROUP / 2; half_group > 0; half_group /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_group)
            room[lane] = max(room[lane], room[lane + half_group]);
    }
    if (lane == 0 && room[0] > 0)
        atomic_max(counter, room[0]);
}

/* Bits that are in the order of the numbers. */
static uint in_order(float x) {
    uint bits = as_uint(x);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* A place in a list for each item that wants one; a group asks once. */
static uint take_place(__global volatile uint *counter, __local uint *room, bool wants) {
    uint lane = (uint)get_local_id(0), place = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0)
        room[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (wants)
        place = atomic_inc((volatile __local uint *)room);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0)
        room[1] = room[0] > 0 ? atomic_add(counter, room[0]) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return room[1] + place;
}

/* ---- The sort ---- */

__kernel void sph_find_cells(__global const float4 *restrict places, __global uint *restrict cell_of,
                             __global uint *restrict place_of, __global volatile uint *restrict counts,
                             rvi_sph_rules r, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    float4 p = places[i];
    int x = rvi_sph_cell_along(&r, 0, p.x), y = rvi_sph_cell_along(&r, 1, p.y);
    int z = rvi_sph_cell_along(&r, 2, p.z);
    uint cell = (uint)((z * r.cells[1] + y) * r.cells[0] + x);
    cell_of[i] = cell;
    place_of[i] = atomic_inc(counts + cell);
}

/* Sums of RVI_SPH_CHUNK numbers each. */
__kernel void sph_sum_cells(__global const uint *restrict from, __global uint *restrict to, uint count, uint sums) {
    uint s = (uint)get_global_id(0), sum = 0;
    if (s >= sums)
        return;
    for (uint k = RVI_SPH_CHUNK * s; k < min(RVI_SPH_CHUNK * (s + 1), count); k++)
        sum += from[k];
    to[s] = sum;
}

/* Each number becomes the sum of all before it, which for each chunk begins with that of `before`; NULL: with 0. */
__kernel void sph_start_cells(__global uint *restrict numbers, __global const uint *restrict before, uint count,
                              uint sums) {
    uint s = (uint)get_global_id(0);
    if (s >= sums)
        return;
    uint sum = before ? before[s] : 0, end = before ? min(RVI_SPH_CHUNK * (s + 1), count) : count;
    for (uint k = RVI_SPH_CHUNK * s; k < end; k++) {
        uint here = numbers[k];
        numbers[k] = sum;
        sum += here;
    }
}

__kernel void sph_fill_cells(__global const uint *restrict cell_of, __global const uint *restrict place_of,
                             __global const uint *restrict cell_start, __global uint *restrict unsorted, uint count) {
    uint i = (uint)get_global_id(0);
    if (i < count)
        unsorted[cell_start[cell_of[i]] + place_of[i]] = i;
}

/* The particles of a cell are there in any order; each goes to its place among them by their former order. */
__kernel void sph_reorder(__global const uint *restrict unsorted, __global const uint *restrict cell_of,
                          __global const uint *restrict cell_start, __global const float4 *restrict places,
                          __global const float4 *restrict speeds, __global const float *restrict velocity_k,
                          __global const float *restrict displacement_k, __global const float *restrict ages,
                          __global const double *restrict sediments, __global const uint *restrict numbers,
                          __global float4 *restrict to_places, __global float4 *restrict to_speeds,
                          __global float *restrict to_velocity_k, __global float *restrict to_displacement_k,
                          __global float *restrict to_ages, __global double *restrict to_sediments,
                          __global uint *restrict to_numbers, __global uint *restrict home_cell,
                          __global volatile uint *restrict counters, __local uint *room, rvi_sph_rules r,
                          uint count) {
    uint p = (uint)get_global_id(0), fastest = 0, highest = 0, lowest = 0, leaves = 0;
    if (p < count) {
        uint i = unsorted[p], cell = cell_of[i], first = cell_start[cell], last = cell_start[cell + 1];
        uint to = first;
        for (uint k = first; k < last; k++)
            to += unsorted[k] < i;
        float4 at = places[i], v = speeds[i];
        to_places[to] = at;
        to_speeds[to] = v;
        to_velocity_k[to] = velocity_k[i];
        to_displacement_k[to] = displacement_k[i];
        to_ages[to] = ages[i];
        to_sediments[to] = sediments[i];
        to_numbers[to] = numbers[i];
        home_cell[to] = cell;
        float potential = (r.gravity[0] * at.x + r.gravity[1] * at.y) + r.gravity[2] * at.z;
        fastest = as_uint((v.x * v.x + v.y * v.y) + v.z * v.z);
        highest = in_order(potential);
        lowest = in_order(-potential);
        const float where[3] = {at.x, at.y, at.z};
        leaves = rvi_sph_at_open_side(&r, where);
    }
    keep_most(counters + RVI_SPH_FASTEST, room, fastest);
    keep_most(counters + RVI_SPH_HIGHEST, room, highest);
    keep_most(counters + RVI_SPH_LOWEST, room, lowest);
    keep_most(counters + RVI_SPH_LEAVES, room, leaves);
}

/* ---- Walls ---- */

/* `faces`: are some near a cell of the grid over the rock? NULL: there is no rock. */
__kernel void sph_find_walls(__global const float4 *restrict places, __global const float4 *restrict speeds,
                             __global const uchar *restrict faces, __global float4 *restrict wall_density,
                             __global float4 *restrict wall_acceleration, __global float *restrict clearance,
                             __global uint *restrict nearest_face, __global uint *restrict near,
                             __global float4 *restrict near_places, __global float4 *restrict near_speeds,
                             __global volatile uint *restrict counters, __local uint *room, rvi_sph_rules r,
                             rvi_sph_wall_grid g, uint count) {
    uint i = (uint)get_global_id(0);
    bool there = i < count, is_near = false;
    float4 at = (float4)(0.0f), v = (float4)(0.0f);
    if (there) {
        at = places[i];
        v = speeds[i];
        int x = rvi_sph_wall_cell(g.per_cell, g.cells[0], at.x), y = rvi_sph_wall_cell(g.per_cell, g.cells[1], at.y);
        int z = rvi_sph_wall_cell(g.per_cell, g.cells[2], at.z);
        is_near = faces && faces[((size_t)z * (size_t)g.cells[1] + (size_t)y) * (size_t)g.cells[0] + (size_t)x];
    }
    uint place = take_place(counters + RVI_SPH_NEAR, room, is_near);
    if (is_near) {
        near[place] = i;
        near_places[place] = at;
        near_speeds[place] = v;
    } else if (there) {
        const float p[3] = {at.x, at.y, at.z}, speed[3] = {v.x, v.y, v.z};
        float out[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        rvi_sph_walls walls;
        rvi_sph_box_walls(&r, p, g.reach, &walls);
        if (r.penalty_walls)
            rvi_sph_penalty(&r, &walls, speed, out);
        else
            rvi_sph_complete(&r, &walls, out);
        float4 found = (float4)(out[0], out[1], out[2], out[3]), none = (float4)(0.0f);
        wall_density[i] = r.penalty_walls ? none : found;
        wall_acceleration[i] = r.penalty_walls ? found : none;
        clearance[i] = g.reach;
        nearest_face[i] = 0xffffffffu;
    }
}

__kernel void sph_put_walls(__global const uint *restrict near, __global const float4 *restrict density,
                            __global const float4 *restrict acceleration, __global const float *restrict clear,
                            __global const uint *restrict face, __global float4 *restrict wall_density,
                            __global float4 *restrict wall_acceleration, __global float *restrict clearance,
                            __global uint *restrict nearest_face, uint count) {
    uint n = (uint)get_global_id(0);
    if (n >= count)
        return;
    uint i = near[n];
    wall_density[i] = density[n];
    wall_acceleration[i] = acceleration[n];
    clearance[i] = clear[n];
    nearest_face[i] = face[n];
}

/* ---- Moves ---- */

__kernel void sph_move(__global const float4 *restrict places, __global const float4 *restrict predicted,
                       __global const float4 *restrict shift, __global const float *restrict ages,
                       __global const double *restrict sediments, __global const uint *restrict numbers,
                       __global float4 *restrict to_places, __global float4 *restrict to_speeds,
                       __global float *restrict to_ages, __global double *restrict to_sediments,
                       __global uint *restrict to_numbers, __global float *restrict clearance,
                       __global uint *restrict near, __global float4 *restrict near_places,
                       __global float4 *restrict near_speeds, __global float4 *restrict near_paths,
                       __global volatile uint *restrict counters, __local uint *room, rvi_sph_rules r, float dt,
                       uint count) {
    uint i = (uint)get_global_id(0);
    bool there = i < count, free = true;
    float4 at = (float4)(0.0f), v = (float4)(0.0f), path = (float4)(0.0f), to = (float4)(0.0f), speed = v;
    if (there) {
        at = places[i];
        v = predicted[i];
        path = dt * (v + shift[i]);
        to = at + path;
        speed = v;
        const float by[3] = {path.x, path.y, path.z}, end[3] = {to.x, to.y, to.z};
        if (!rvi_sph_meets_no_wall(&r, clearance[i], by, end)) {
            rvi_sph_walker g = {{at.x, at.y, at.z}, {v.x, v.y, v.z}, {path.x, path.y, path.z}};
            free = rvi_sph_goes_freely(&r, clearance[i], &g);
            to = (float4)(g.at[0], g.at[1], g.at[2], 0.0f);
            speed = (float4)(g.speed[0], g.speed[1], g.speed[2], 0.0f);
        }
        to_ages[i] = ages[i] + dt;
        to_sediments[i] = sediments[i];
        to_numbers[i] = numbers[i];
    }
    uint place = take_place(counters + RVI_SPH_NEAR, room, !free);
    if (!free) {
        near[place] = i;
        near_places[place] = at;
        near_speeds[place] = v;
        near_paths[place] = path;
    } else if (there) {
        const float way[3] = {to.x - at.x, to.y - at.y, to.z - at.z};
        to_places[i] = (float4)(to.x, to.y, to.z, 0.0f);
        to_speeds[i] = (float4)(speed.x, speed.y, speed.z, 0.0f);
        clearance[i] = rvi_sph_still_clear(clearance[i], way);
    }
}

__kernel void sph_put_moves(__global const uint *restrict near, __global const float4 *restrict near_places,
                            __global const float4 *restrict near_speeds, __global const float4 *restrict places,
                            __global float4 *restrict to_places, __global float4 *restrict to_speeds,
                            __global float *restrict clearance, uint count) {
    uint n = (uint)get_global_id(0);
    if (n >= count)
        return;
    uint i = near[n];
    float4 at = places[i], to = near_places[n];
    const float way[3] = {to.x - at.x, to.y - at.y, to.z - at.z};
    to_places[i] = to;
    to_speeds[i] = near_speeds[n];
    clearance[i] = rvi_sph_still_clear(clearance[i], way);
}

__kernel void sph_check(__global const float4 *restrict places, __global const float4 *restrict speeds,
                        __global const float *restrict velocity_k, __global const float *restrict displacement_k,
                        __global const double *restrict sediments, __global volatile uint *restrict counters,
                        float fastest2, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    float4 at = places[i], v = speeds[i];
    float k = velocity_k[i] + displacement_k[i], square = (v.x * v.x + v.y * v.y) + v.z * v.z;
    bool good = isfinite(at.x) && isfinite(at.y) && isfinite(at.z) && square <= fastest2 && isfinite(k) &&
                isfinite(sediments[i]);
    if (!good)
        atomic_inc(counters + RVI_SPH_BAD);
}
