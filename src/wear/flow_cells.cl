/* flow_cells.cl: where the water of every cell goes, on a device. The definitions are those of
 * measure/flowgraph.c and measure/flow_basins.c; what is looked for is unique, so it does not matter
 * which item comes first. flow_device.c tells what follows what. */
#include "device/prelude.cl"
#include "wear/flow_walk.h"

/* ---- directions ---- */

__kernel void flow_direct(__global const double *restrict h, __global const uchar *restrict fixed,
                          __global uchar *restrict direction, __global uint *restrict basin,
                          __global volatile uint *counters, rvi_flow_shape f) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1), to = RVI_END;
    if (x >= f.width)
        return;
    size_t cell = (size_t)y * (size_t)f.width + (size_t)x;
    uint number = 0;
    if (!fixed[cell]) {
        if (f.wander > 0.0f) {
            ulong bits = rvi_random(f.seed, (ulong)y << 32 | (ulong)(x / 8), f.when);
            uint byte = (uint)(bits >> 8 * (x % 8)) & 255u;
            to = rvi_flow_between(h, f.width, f.height, x, y, rvi_flow_turn(f.wander, byte));
        } else
            to = rvi_flow_steepest(h, f.width, f.height, x, y);
        if (to == RVI_END)
            to = rvi_flow_on_flat(h, f.width, f.height, x, y, f.mixed);
        if (to == RVI_END)
            number = atomic_inc(&counters[RVI_FLOW_PITS]) + 1;
    }
    direction[cell] = (uchar)to;
    basin[cell] = number; /* of ends */
}

/* ---- basins ---- */

/* The cell that water leaves the tile to, or where it ends in the tile. */
__kernel void flow_tile_roots(__global const uchar *restrict direction, __global uint *restrict root,
                              __local ushort *next, rvi_flow_shape f) {
    flow_box b = flow_box_of(&f, (uint)get_group_id(0));
    uint x = (uint)get_local_id(0);
    for (uint y = 0; y < RVI_TILE; y++) {
        uint place = y * RVI_TILE + x, to = place;
        if ((int)x < b.wide && (int)y < b.high) {
            int k = direction[flow_cell_at(&f, &b, place)];
            int nx = k < 8 ? (int)x + rvi_flow_east(k) : -1;
            int ny = k < 8 ? (int)y + rvi_flow_south(k) : -1;
            if (rvi_flow_inside(nx, ny, b.wide, b.high))
                to = (uint)(ny * RVI_TILE + nx);
        }
        next[place] = (ushort)to;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round = 0; round < 2 * RVI_TILE_BITS; round++) { /* twice as far in each */
        for (uint y = 0; y < RVI_TILE; y++)
            next[y * RVI_TILE + x] = next[next[y * RVI_TILE + x]];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint y = 0; y < RVI_TILE; y++) {
        if ((int)x >= b.wide || (int)y >= b.high)
            continue;
        size_t cell = flow_cell_at(&f, &b, next[y * RVI_TILE + x]);
        int k = direction[cell];
        root[flow_cell_at(&f, &b, y * RVI_TILE + x)] =
            (uint)(k == RVI_END ? cell : flow_beside(&f, cell, k));
    }
}

/* A cell of the rim of a tile, each once; -1: there is none of that number. */
static int flow_rim(const flow_box *b, int k) {
    if (k < b->wide)
        return k;
    k -= b->wide;
    if (b->high > 1 && k < b->wide)
        return (b->high - 1) * RVI_TILE + k;
    k -= b->high > 1 ? b->wide : 0;
    int rows = b->high - 2;
    if (k < rows)
        return (k + 1) * RVI_TILE;
    k -= rows > 0 ? rows : 0;
    return b->wide > 1 && k < rows ? (k + 1) * RVI_TILE + b->wide - 1 : -1;
}

__kernel void flow_rim_roots(__global volatile uint *root, rvi_flow_shape f) {
    uint item = (uint)get_global_id(0), tile = item / RVI_PIECES;
    if (tile >= (uint)(f.across * f.down))
        return;
    flow_box b = flow_box_of(&f, tile);
    int place = flow_rim(&b, (int)(item % RVI_PIECES));
    if (place < 0)
        return;
    size_t cell = flow_cell_at(&f, &b, (uint)place);
    root[cell] = root[root[cell]];
}

__kernel void flow_label(__global const uint *restrict root, __global const uchar *restrict direction,
                         __global uint *basin, rvi_flow_shape f) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t cell = (size_t)y * (size_t)f.width + (size_t)x;
    if (x < f.width && direction[cell] != RVI_END)
        basin[cell] = basin[root[root[cell]]];
}

/* ---- the tree of basins ---- */

/* A group puts what its items found into a list. */
static void flow_append(__global volatile uint *count, __global uint *list, uint base,
                        __local uint *room, bool found, uint what) {
    if (get_local_id(0) == 0)
        room[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint at = found ? atomic_inc(&room[0]) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && room[0] > 0)
        room[1] = atomic_add(count, room[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (found)
        list[base + room[1] + at] = what;
}

/* The cell beyond a pass, or no such cell. */
static bool flow_ahead(const rvi_flow_shape *f, int x, int y, int k, size_t *beyond) {
    int nx = x + rvi_flow_east(2 * k), ny = y + rvi_flow_south(2 * k);
    *beyond = (size_t)ny * (size_t)f->width + (size_t)nx;
    return rvi_flow_inside(nx, ny, f->width, f->height);
}

/* Cells beside other basins. */
__kernel void flow_list(__global const uint *restrict basin, __global uint *restrict list,
                        __global volatile uint *counters, __local uint *room, rvi_flow_shape f) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t cell = (size_t)y * (size_t)f.width + (size_t)x, beyond;
    bool found = false;
    for (int k = 0; k < 4 && x < f.width; k++)
        found = found || (flow_ahead(&f, x, y, k, &beyond) && basin[beyond] != basin[cell]);
    flow_append(&counters[RVI_FLOW_LISTED], list, 0, room, found, (uint)cell);
}

__kernel void flow_names(__global uint *restrict joined, uint count) {
    uint i = (uint)get_global_id(0);
    if (i < count)
        joined[i] = i;
}

__kernel void flow_no_offers(__global uint *restrict height, __global uint *restrict pass, uint count) {
    uint i = (uint)get_global_id(0);
    if (i < 2 * count)
        height[i] = pass[i] = RVI_FLOW_NONE;
}

/* The least of 64 bits, of the height and then of the number of a pass: in four stages of 32 bits
 * each, of which a later one looks only at those that are still equal. */
static void flow_offer_to(__global volatile uint *height, __global volatile uint *pass, uint basin,
                          const uint *key, int stage) {
    __global volatile uint *at = stage < 2 ? height : pass;
    size_t i = 2 * (size_t)basin;
    if (basin == 0 || (stage > 0 && height[i] != key[0]) || (stage > 1 && height[i + 1] != key[1]) ||
        (stage > 2 && pass[i] != key[2]))
        return;
    at += i + (size_t)(stage & 1);
    if (key[stage] < *at)
        atomic_min(at, key[stage]);
}

__kernel void flow_offer(__global const uint *restrict list, __global const uint *restrict basin,
                         __global const uint *restrict joined, __global const double *restrict h,
                         __global volatile uint *height, __global volatile uint *pass,
                         rvi_flow_shape f, uint from, uint count, int stage) {
    uint item = (uint)get_global_id(0);
    if (item >= count)
        return;
    uint cell = list[from + item], here = joined[basin[cell]];
    int y = (int)(cell / (uint)f.width), x = (int)(cell - (uint)y * (uint)f.width);
    for (int k = 0; k < 4; k++) {
        size_t beyond;
        uint there = flow_ahead(&f, x, y, k, &beyond) ? joined[basin[beyond]] : here;
        if (here == there)
            continue;
        double a = h[cell], z = h[beyond];
        ulong high = rvi_flow_height_key(a > z ? a : z);
        ulong which =
            stage < 2 ? 0 : rvi_flow_pass((ulong)x, (ulong)y, (ulong)cell, (uint)k, f.mixed);
        uint key[4] = {(uint)(high >> 32), (uint)high, (uint)(which >> 32), (uint)which};
        flow_offer_to(height, pass, here, key, stage);
        flow_offer_to(height, pass, there, key, stage);
    }
}

static ulong flow_pass_at(__global const uint *pass, uint i) {
    return (ulong)pass[2 * (size_t)i] << 32 | pass[2 * (size_t)i + 1];
}

static size_t flow_beyond(const rvi_flow_shape *f, ulong pass) {
    return flow_beside(f, rvi_flow_pass_cell(pass), 2 * (int)(pass & 3));
}

/* Each takes its pass; of two that take the same one the lower number stays. */
__kernel void flow_join(__global const uint *restrict basin, __global const uint *restrict joined,
                        __global const uint *restrict pass, __global uint *restrict queue,
                        __global ulong *restrict tree, __global volatile uint *counters,
                        rvi_flow_shape f, uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    uint name = joined[i];
    if (name == i && i > 0) {
        ulong mine = flow_pass_at(pass, i);
        uint one = joined[basin[rvi_flow_pass_cell(mine)]];
        uint to = one != i ? one : joined[basin[flow_beyond(&f, mine)]];
        if (to == 0 || i > to || flow_pass_at(pass, to) != mine) {
            name = to;
            tree[atomic_inc(&counters[RVI_FLOW_PASSES])] = mine;
        }
    }
    queue[i] = name;
}

__kernel void flow_jump(__global volatile uint *queue, uint count) {
    uint i = (uint)get_global_id(0);
    if (i < count)
        queue[i] = queue[queue[i]];
}

__kernel void flow_rename(__global const uint *restrict queue, __global uint *restrict joined,
                          uint count) {
    uint i = (uint)get_global_id(0);
    if (i < count)
        joined[i] = queue[i];
}

/* Cells between basins that are joined now are left out. */
__kernel void flow_shorten(__global uint *list, __global const uint *restrict basin,
                           __global const uint *restrict joined, __global volatile uint *counters,
                           __local uint *room, rvi_flow_shape f, uint from, uint count, uint base) {
    uint item = (uint)get_global_id(0), cell = item < count ? list[from + item] : 0;
    int y = (int)(cell / (uint)f.width), x = (int)(cell - (uint)y * (uint)f.width);
    bool found = false;
    for (int k = 0; k < 4 && item < count; k++) {
        size_t beyond;
        found = found || (flow_ahead(&f, x, y, k, &beyond) &&
                          joined[basin[beyond]] != joined[basin[cell]]);
    }
    flow_append(&counters[RVI_FLOW_LISTED], list, base, room, found, cell);
}

/* ---- the way out: a tour around the tree finds which end of a pass is nearer to basin 0 ---- */

/* The basins of a pass: the first and the last of one of its two directions. */
static uint flow_end(const rvi_flow_shape *f, __global const uint *basin,
                     __global const ulong *tree, uint way, bool last) {
    ulong pass = tree[way >> 1];
    bool other = ((way & 1) != 0) != last;
    return basin[other ? flow_beyond(f, pass) : rvi_flow_pass_cell(pass)];
}

__kernel void flow_no_ways(__global uint *restrict first, uint count) {
    uint i = (uint)get_global_id(0);
    if (i < count)
        first[i] = RVI_FLOW_NONE;
}

/* Lists the ways out of each basin. */
__kernel void flow_link(__global const uint *restrict basin, __global const ulong *restrict tree,
                        __global volatile uint *first, __global uint *restrict around,
                        rvi_flow_shape f, uint ways) {
    uint way = (uint)get_global_id(0);
    if (way < ways)
        around[way] = atomic_xchg(&first[flow_end(&f, basin, tree, way, false)], way);
}

/* The way after a way, and how many follow. The tour ends where it would begin again. */
__kernel void flow_tour(__global const uint *restrict basin, __global const ulong *restrict tree,
                        __global const uint *restrict first, __global const uint *restrict around,
                        __global uint2 *restrict tour, rvi_flow_shape f, uint ways) {
    uint way = (uint)get_global_id(0);
    if (way >= ways)
        return;
    uint next = around[way ^ 1];
    if (next == RVI_FLOW_NONE)
        next = first[flow_end(&f, basin, tree, way, true)];
    bool ends = next == first[0];
    tour[way] = (uint2)(ends ? way : next, ends ? 0 : 1);
}

__kernel void flow_count_tour(__global const uint2 *restrict from, __global uint2 *restrict to,
                              uint ways) {
    uint way = (uint)get_global_id(0);
    if (way >= ways)
        return;
    uint2 here = from[way], there = from[here.x];
    to[way] = (uint2)(there.x, here.y + there.y);
}

/* By which pass a basin spills, to which basin, and how high that is. */
__kernel void flow_spills(__global const uint *restrict basin, __global const ulong *restrict tree,
                          __global const uint2 *restrict tour, __global const double *restrict h,
                          __global uint *restrict by, __global uint *restrict to,
                          __global double *restrict spill, rvi_flow_shape f, uint passes) {
    uint i = (uint)get_global_id(0);
    if (i == 0) {
        to[0] = 0;
        spill[0] = -INFINITY;
    }
    if (i >= passes)
        return;
    uint way = tour[2 * i].y > tour[2 * i + 1].y ? 2 * i : 2 * i + 1; /* away from basin 0 */
    uint out = flow_end(&f, basin, tree, way, true);
    double a = h[rvi_flow_pass_cell(tree[i])], z = h[flow_beyond(&f, tree[i])];
    by[out] = i;
    to[out] = flow_end(&f, basin, tree, way, false);
    spill[out] = a > z ? a : z;
}

/* The highest pass on the way, twice as far in each round. */
__kernel void flow_raise(__global const uint *restrict to, __global const double *restrict spill,
                         __global uint *restrict next_to, __global double *restrict next_spill,
                         uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    uint out = to[i];
    double here = spill[i], there = spill[out];
    next_to[i] = to[out];
    next_spill[i] = there > here ? there : here;
}

/* Turns the path from the pass of a basin down to its pit around. */
__kernel void flow_turn(__global uchar *direction, __global const uint *restrict basin,
                        __global const ulong *restrict tree, __global const uint *restrict by,
                        rvi_flow_shape f, uint count) {
    uint i = (uint)get_global_id(0);
    if (i == 0 || i >= count)
        return;
    ulong pass = tree[by[i]];
    int way = 2 * (int)(pass & 3);
    size_t cell = rvi_flow_pass_cell(pass);
    if (basin[cell] != i) {
        cell = flow_beyond(&f, pass);
        way ^= 1;
    }
    for (int old = 0; old != RVI_END; way = old ^ 1) {
        size_t at = cell;
        old = direction[at];
        direction[at] = (uchar)way;
        if (old != RVI_END)
            cell = flow_beside(&f, at, old);
    }
}

__kernel void flow_drown(__global const double *restrict h, __global const uint *restrict basin,
                         __global const double *restrict spill, __global uchar *restrict drowned,
                         rvi_flow_shape f) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t cell = (size_t)y * (size_t)f.width + (size_t)x;
    if (x < f.width)
        drowned[cell] = spill[basin[cell]] > h[cell];
}

/* ---- the order ---- */

/* Has this cell's receiver come to the order in an earlier round, in another tile? */
static bool flow_ready(const rvi_flow_shape *f, const flow_box *b,
                       __global const uchar *direction, __global volatile uint *turn, uint place,
                       uint round) {
    size_t cell = flow_cell_at(f, b, place);
    int k = direction[cell];
    if (k == RVI_END || turn[cell] != 0)
        return false;
    int nx = (int)(place & (RVI_TILE - 1)) + rvi_flow_east(k);
    int ny = (int)(place >> RVI_TILE_BITS) + rvi_flow_south(k);
    if (rvi_flow_inside(nx, ny, b->wide, b->high))
        return false;
    uint there = turn[flow_beside(f, cell, k)];
    return there != 0 && there <= round;
}

/* A group takes a tile: all that drains to what is ready, as far as the tile goes, one level after
 * the other. */
__kernel void flow_wave(__global const uchar *restrict direction, __global volatile uint *turn,
                        __global ushort *restrict order, __global ushort *restrict levels,
                        __global ushort *restrict ends, __global uint *restrict when,
                        __global uint4 *state, __global volatile uint *counters,
                        __local ushort *queue, __local uchar *ways, __local uint *tail,
                        rvi_flow_shape f, uint round) {
    uint tile = (uint)get_group_id(0), item = (uint)get_local_id(0);
    flow_box b = flow_box_of(&f, tile);
    uint4 s = round > 0 ? state[tile] : (uint4)(0);
    bool whole = s.x == (uint)(b.wide * b.high);
    if (item == 0)
        tail[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int k = (int)item; !whole && round > 0 && k < RVI_PIECES; k += RVI_TILE) {
        int place = flow_rim(&b, k);
        if (place >= 0 && flow_ready(&f, &b, direction, turn, (uint)place, round))
            queue[atomic_inc(tail)] = (ushort)place;
    }
    for (int y = 0; round == 0 && y < b.high && (int)item < b.wide; y++) {
        uint place = (uint)y * RVI_TILE + item;
        if (direction[flow_cell_at(&f, &b, place)] == RVI_END)
            queue[atomic_inc(tail)] = (ushort)place;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint head = 0, end = tail[0], level = s.y;
    for (int y = 0; end > 0 && y < b.high && (int)item < b.wide; y++) {
        uint place = (uint)y * RVI_TILE + item;
        ways[place] = direction[flow_cell_at(&f, &b, place)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (head < end) {
        for (uint i = head + item; i < end; i += RVI_TILE) {
            uint place = queue[i];
            int x = (int)(place & (RVI_TILE - 1)), y = (int)(place >> RVI_TILE_BITS);
            order[b.base + s.x + i] = (ushort)place;
            if (x == 0 || y == 0 || x + 1 == b.wide || y + 1 == b.high)
                turn[flow_cell_at(&f, &b, place)] = round + 1;
            for (int k = 0; k < 8; k++) {
                int nx = x - rvi_flow_east(k), ny = y - rvi_flow_south(k);
                if (!rvi_flow_inside(nx, ny, b.wide, b.high))
                    continue;
                uint donor = (uint)(ny * RVI_TILE + nx);
                if (ways[donor] == k)
                    queue[atomic_inc(tail)] = (ushort)donor;
            }
        }
        if (item == 0)
            levels[b.base + level] = (ushort)(s.x + end);
        level++;
        barrier(CLK_LOCAL_MEM_FENCE);
        head = end;
        end = tail[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0 && (round == 0 || end > 0)) {
        if (end > 0) {
            ends[(size_t)tile * RVI_PIECES + s.z] = (ushort)level;
            when[(size_t)tile * RVI_PIECES + s.z] = round;
            atomic_add(&counters[RVI_FLOW_DONE], end);
            atomic_max(&counters[RVI_FLOW_ROUNDS], round + 1);
        }
        state[tile] = (uint4)(s.x + end, level, s.z + (end > 0), 0);
    }
}

/* How many steps there are in each round. */
__kernel void flow_count_steps(__global const uint4 *restrict state, __global const uint *restrict when,
                               __global volatile uint *counts, uint tiles) {
    uint tile = (uint)get_global_id(0);
    for (uint k = 0; tile < tiles && k < state[tile].z; k++)
        atomic_inc(&counts[when[(size_t)tile * RVI_PIECES + k]]);
}

/* Lists them by rounds; `at` says where each round begins. */
__kernel void flow_list_steps(__global const uint4 *restrict state, __global const uint *restrict when,
                              __global volatile uint *at, __global uint *restrict steps, uint tiles) {
    uint tile = (uint)get_global_id(0);
    for (uint k = 0; tile < tiles && k < state[tile].z; k++) {
        uint entry = tile * RVI_PIECES + k;
        steps[atomic_inc(&at[when[entry]])] = entry;
    }
}

/* ---- what comes through ---- */

__kernel void flow_gather(FLOW_WALK_ARGS, __global const uchar *restrict direction, __global uint *area,
                          __global const uint *restrict rain, __global ulong *discharge) {
#define GATHER                                                                                     \
    uint sum = 1;                                                                                  \
    ulong water = f.rain ? rain[cell] : 0;                                                         \
    for (int k = 0; k < 8; k++) {                                                                  \
        size_t donor;                                                                              \
        if (!flow_donor(&f, direction, cell, x, y, k, &donor))                                     \
            continue;                                                                              \
        sum += area[donor];                                                                        \
        water += f.rain ? discharge[donor] : 0;                                                    \
    }                                                                                              \
    area[cell] = sum;                                                                              \
    if (f.rain)                                                                                    \
        discharge[cell] = water
    FLOW_WALK(GATHER);
}
