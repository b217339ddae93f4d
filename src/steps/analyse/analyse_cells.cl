/* analyse_cells.cl: analyse.c on a device. */
#include "device/prelude.cl"
#include "steps/analyse/analyse_cell.h"
#include "wear/flow_walk.h"

#define ANALYSE_CELL                                                                               \
    int x = (int)get_global_id(0), y = (int)get_global_id(1);                                      \
    size_t i = (size_t)y * (size_t)f.width + (size_t)x

__kernel void analyse_kinds(__global const float *restrict hole, __global uchar *restrict kind,
                            rvi_flow_shape f) {
    ANALYSE_CELL;
    if (x < f.width)
        kind[i] = hole && hole[i] >= 0.5f ? RVI_HOLE : RVI_LAND;
}

__kernel void analyse_start(__global const float *restrict surface, __global const uchar *restrict kind,
                            __global double *restrict heights, __global uchar *restrict fixed,
                            rvi_flow_shape f) {
    ANALYSE_CELL;
    if (x >= f.width)
        return;
    heights[i] = rvi_drainage_hole(surface, kind, i) ? (double)RVI_NAN : (double)surface[i];
    fixed[i] = rvi_drainage_outlet(surface, kind, f.width, f.height, x, y);
}

/* ---- receivers ---- */

/* Without `spill` there are no lakes. */
__kernel void analyse_fill(__global const double *restrict heights, __global const uint *restrict basin,
                           __global const double *restrict spill, __global float *restrict filled,
                           rvi_flow_shape f) {
    ANALYSE_CELL;
    if (x >= f.width)
        return;
    double height = heights[i], level = spill ? spill[basin[i]] : height;
    filled[i] = (float)(level > height ? level : height);
}

/* The way down; of a cell that has none, which neighbours are as high. */
__kernel void analyse_receive(__global const float *restrict filled, __global const uchar *restrict fixed,
                              __global uchar *restrict direction, __global uint *restrict steps,
                              __global uchar *restrict level, rvi_flow_shape f) {
    ANALYSE_CELL;
    if (x >= f.width)
        return;
    int way = fixed[i] ? RVI_NO_NEIGHBOUR : rvi_drainage_down(filled, f.width, i);
    bool flat = !fixed[i] && way == RVI_NO_NEIGHBOUR;
    uint same = 0;
    for (int k = 0; flat && k < 8; k++)
        same |= filled[rvi_neighbour_beside(i, f.width, k)] == filled[i] ? 1u << k : 0;
    direction[i] = (uchar)rvi_neighbour_direction(way);
    steps[i] = flat ? RVI_DRAINAGE_FLAT : 0;
    level[i] = (uchar)same;
}

/* Has a tile, or one beside it, changed in the round before? */
static bool analyse_awake(const rvi_flow_shape *f, __global const volatile uint *changed, uint round) {
    int column = (int)get_group_id(0) % f->across, row = (int)get_group_id(0) / f->across;
    bool awake = round == 0;
    for (int k = 0; k < 9; k++) {
        int nx = column + k % 3 - 1, ny = row + k / 3 - 1;
        if (rvi_flow_inside(nx, ny, f->across, f->down))
            awake = awake || changed[ny * f->across + nx] == round;
    }
    return awake;
}

/* A tile and the cells around it, in the memory of a group. */
enum { ANALYSE_SIDE = RVI_TILE + 2 };

/* Fewer steps by a neighbour as high? A number only gets less, and none less than it comes to in
 * the end: so it does not matter who reads it when. */
static bool analyse_nearer(__local volatile uint *near, uint at, uint same) {
    uint least = near[at];
    for (int k = 0; k < 8; k++) {
        uint there = near[(int)at + rvi_neighbour_south(k) * ANALYSE_SIDE + rvi_neighbour_east(k)];
        if ((same >> k & 1) && there != RVI_DRAINAGE_FLAT && there + 1 < least)
            least = there + 1;
    }
    bool nearer = least < near[at];
    if (nearer)
        near[at] = least;
    return nearer;
}

/* Steps from where flats spill, in one tile a group, until nothing changes in it. `moved` has three
 * numbers: one that is set, one that is read, and one that is cleared. */
__kernel __attribute__((reqd_work_group_size(RVI_FLOW_GROUP, 1, 1))) void
analyse_cross(__global volatile uint *steps, __global const uchar *restrict level,
              __global volatile uint *changed, __global volatile uint *last, __local volatile uint *near,
              __local volatile uint *moved, rvi_flow_shape f, uint round) {
    uint item = (uint)get_local_id(0), tile = (uint)get_group_id(0);
    flow_box b = flow_box_of(&f, tile);
    if (item == 0) /* others change while they are asked: a group has one answer */
        moved[0] = analyse_awake(&f, changed, round);
    barrier(CLK_LOCAL_MEM_FENCE);
    bool goes = moved[0] != 0, once = false;
    barrier(CLK_LOCAL_MEM_FENCE); /* before it is cleared */
    for (uint k = item; goes && k < ANALYSE_SIDE * ANALYSE_SIDE; k += RVI_FLOW_GROUP) {
        int x = b.x + (int)(k % ANALYSE_SIDE) - 1, y = b.y + (int)(k / ANALYSE_SIDE) - 1;
        near[k] = rvi_flow_inside(x, y, f.width, f.height)
                      ? steps[(size_t)y * (size_t)f.width + (size_t)x]
                      : RVI_DRAINAGE_FLAT;
    }
    if (item < 3)
        moved[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = 0; goes && n < RVI_FLAT_ROUNDS; n++) {
        for (uint k = item; k < RVI_TILE * RVI_TILE; k += RVI_FLOW_GROUP) {
            int x = (int)(k & (RVI_TILE - 1)), y = (int)(k >> RVI_TILE_BITS);
            uint same = x < b.wide && y < b.high ? level[flow_cell_at(&f, &b, k)] : 0;
            if (same && analyse_nearer(near, (uint)((y + 1) * ANALYSE_SIDE + x + 1), same))
                moved[n % 3] = 1;
        }
        if (item == 0)
            moved[(n + 1) % 3] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        goes = moved[n % 3] != 0;
        once = once || goes;
    }
    for (uint k = item; once && k < RVI_TILE * RVI_TILE; k += RVI_FLOW_GROUP) {
        int x = (int)(k & (RVI_TILE - 1)), y = (int)(k >> RVI_TILE_BITS);
        if (x < b.wide && y < b.high)
            steps[flow_cell_at(&f, &b, k)] = near[(y + 1) * ANALYSE_SIDE + x + 1];
    }
    if (item == 0 && once)
        changed[tile] = last[0] = round + 1;
}

__kernel void analyse_flats(__global const float *restrict filled, __global const uint *restrict steps,
                            __global uchar *restrict direction, rvi_flow_shape f) {
    ANALYSE_CELL;
    if (x < f.width && steps[i] > 0)
        direction[i] = (uchar)rvi_neighbour_direction(
            rvi_drainage_across(filled, steps, f.width, x, y, f.mixed));
}

/* ---- along the streams ---- */

static double analyse_sides(int direction) {
    return direction < 4 ? 1.0 : RVI_DIAGONAL;
}

/* Orders; of the ways down, only those above are looked at. */
FLOW_WALKER analyse_orders(FLOW_WALK_ARGS, __global const uchar *restrict direction,
                           __global const float *restrict filled, __global const uint *restrict area,
                           __global uchar *orders, uint channel) {
#define ORDER                                                                                      \
    int above = 0, tie = 0;                                                                        \
    bool is = area[cell] >= channel && filled[cell] == filled[cell];                               \
    for (int k = 0; k < 8 && is; k++) {                                                            \
        size_t donor;                                                                              \
        int order = flow_donor(&f, direction, cell, x, y, k, &donor) ? orders[donor] : 0;          \
        tie = order > above ? 0 : tie || (order > 0 && order == above);                            \
        above = rvi_maxi(above, order);                                                            \
    }                                                                                              \
    orders[cell] = (uchar)(is ? rvi_stream_order(above, tie) : 0)
    FLOW_WALK(ORDER);
}

/* Metres to the channel, and to where water leaves; without `outlet` only the first. */
FLOW_WALKER analyse_distances(FLOW_WALK_ARGS, __global const uchar *restrict direction,
                              __global const uchar *restrict orders, __global float *distance,
                              __global float *outlet, double size) {
#define DISTANCE                                                                                   \
    int k = direction[cell];                                                                       \
    bool ends = k == RVI_END;                                                                      \
    size_t to = ends ? cell : flow_beside(&f, cell, k);                                            \
    float length = rvi_analyse_length(analyse_sides(k), size);                                     \
    distance[cell] = ends || orders[cell] > 0 ? 0.0f : length + distance[to];                      \
    if (outlet)                                                                                    \
    outlet[cell] = ends ? 0.0f : length + outlet[to]
    FLOW_WALK(DISTANCE);
}

/* Does a stream begin in a channel cell, and is it the first of its order there? */
static void analyse_count_cell(const rvi_flow_shape *f, __global const uchar *direction,
                               __global const uchar *orders, size_t i, __local volatile uint *sums) {
    int y = (int)(i / (size_t)f->width), x = (int)(i - (size_t)y * (size_t)f->width);
    int above = 0, tie = 0, order = orders[i];
    for (int k = 0; k < 8; k++) {
        size_t donor;
        int one = flow_donor(f, direction, i, x, y, k, &donor) ? orders[donor] : 0;
        tie = one > above ? 0 : tie || (one > 0 && one == above);
        above = rvi_maxi(above, one);
    }
    if (above == 0 || tie)
        atomic_inc(&sums[RVI_COUNT_STREAMS + order]);
    if (above != order)
        atomic_inc(&sums[RVI_COUNT_FIRST]);
    if (direction[i] != RVI_END)
        atomic_inc(&sums[(direction[i] < 4 ? RVI_COUNT_SIDES : RVI_COUNT_CORNERS) + order]);
}

__kernel __attribute__((reqd_work_group_size(RVI_FLOW_GROUP, 1, 1))) void
analyse_count(__global const uchar *restrict direction, __global const uchar *restrict kind,
              __global const uchar *restrict orders, __global volatile uint *counts,
              __local volatile uint *sums, rvi_flow_shape f, ulong cells) {
    uint item = (uint)get_local_id(0), land = 0;
    if (item < RVI_COUNTS)
        sums[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < cells; i += get_global_size(0)) {
        land += kind[i] == RVI_LAND;
        if (orders[i] > 0)
            analyse_count_cell(&f, direction, orders, i, sums);
    }
    atomic_add(&sums[RVI_COUNT_LAND], land);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < RVI_COUNTS && sums[item] > 0)
        atomic_add(&counts[item], sums[item]);
}

/* ---- what is told ---- */

__kernel void analyse_receivers(__global const uchar *restrict direction, __global uint *restrict receiver,
                                rvi_flow_shape f) {
    ANALYSE_CELL;
    if (x < f.width)
        receiver[i] = (uint)(direction[i] == RVI_END ? i : flow_beside(&f, i, direction[i]));
}

__kernel void analyse_ways(__global const uchar *restrict direction, __global const uchar *restrict orders,
                           __global const float *restrict filled, __global const uint *restrict area,
                           __global const float *restrict distance, __global float *restrict areas,
                           __global float *restrict turns, __global float *restrict order,
                           __global float *restrict to_channel, rvi_flow_shape f, double size) {
    ANALYSE_CELL;
    if (x >= f.width)
        return;
    int k = direction[i];
    bool hole = filled[i] != filled[i];
    areas[i] = rvi_analyse_area(hole ? 0 : area[i], size);
    turns[i] = k == RVI_END ? 0.0f : (float)rvi_analyse_turn(rvi_flow_east(k), rvi_flow_south(k));
    order[i] = (float)orders[i];
    to_channel[i] = distance[i];
}

__kernel void analyse_shapes(__global const float *restrict surface, __global const uchar *restrict kind,
                             __global float *restrict slopes, __global float *restrict curvatures,
                             rvi_flow_shape f, double size) {
    ANALYSE_CELL;
    if (x >= f.width)
        return;
    rvi_shape shape = rvi_analyse_shape(surface, kind, f.width, f.height, x, y, size);
    slopes[i] = rvi_analyse_degrees(shape.slope);
    curvatures[i] = shape.curvature;
}
