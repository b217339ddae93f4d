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
        }
        if (to == RVI_END)
            to = rvi_flow_steepest(h, f.width, f.height, x, y);
        if (to == RVI_END)
            to = rvi_flow_on_flat(h, f.width, f.height, x, y, f.mixed);
        if (to == RVI_END)
            number = atomic_inc(&counters[RVI_FLOW_PITS]) + 1;
    }
    direction[cell] = (uchar)to;
    basin[cell] = number; /* of ends */
}

/* ---- tiles and their rims ---- */

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

/* The number of a cell of the rim. */
static uint flow_rim_of(const flow_box *b, uint place) {
    int x = (int)(place & (RVI_TILE - 1)), y = (int)(place >> RVI_TILE_BITS);
    if (y == 0)
        return (uint)x;
    if (y == b->high - 1)
        return (uint)(b->wide + x);
    return (uint)(2 * b->wide + (x == 0 ? 0 : b->high - 2) + y - 1);
}

static uint flow_tile_at(const rvi_flow_shape *f, int x, int y) {
    return (uint)(y / RVI_TILE) * (uint)f->across + (uint)(x / RVI_TILE);
}

/* The place in the tile that water of a place goes to, RVI_FLOW_NONE: out of the tile, or it ends.
 */
static uint flow_within(const flow_box *b, uint place, int direction) {
    int nx = (int)(place & (RVI_TILE - 1)), ny = (int)(place >> RVI_TILE_BITS);
    if (direction == RVI_END)
        return RVI_FLOW_NONE;
    nx += rvi_flow_east(direction);
    ny += rvi_flow_south(direction);
    return rvi_flow_inside(nx, ny, b->wide, b->high) ? (uint)(ny * RVI_TILE + nx) : RVI_FLOW_NONE;
}

static bool flow_in_box(const flow_box *b, uint place) {
    return (int)(place & (RVI_TILE - 1)) < b->wide && (int)(place >> RVI_TILE_BITS) < b->high;
}

/* A word for each cell: the place by which its water leaves the tile, or where it ends in it, and
 * how many cells away that is. */
#define FLOW_EXIT(word) ((word)&0xffffu)
#define FLOW_FAR(word) ((word) >> 16)
#define FLOW_EACH(place) for (uint place = (uint)get_local_id(0); place < RVI_TILE * RVI_TILE; place += RVI_FLOW_GROUP)

/* Twice as far in each round, until all are there. A word is always true, whoever reads it when. */
static void flow_run_down(__local volatile uint *words, __local volatile uint *moved) {
    if (get_local_id(0) <= 2 * RVI_TILE_BITS)
        moved[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool goes = true;
    for (int round = 0; goes && round <= 2 * RVI_TILE_BITS; round++) {
        FLOW_EACH(place) {
            uint here = words[place], there = words[FLOW_EXIT(here)];
            if (FLOW_FAR(there) == 0)
                continue;
            words[place] = FLOW_EXIT(there) | (FLOW_FAR(here) + FLOW_FAR(there)) << 16;
            moved[round] = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        goes = moved[round] != 0;
    }
}

__kernel __attribute__((reqd_work_group_size(RVI_FLOW_GROUP, 1, 1))) void
flow_tile_roots(__global const uchar *restrict direction, __global uint *restrict words,
                __local uint *next, __local uint *moved, rvi_flow_shape f) {
    flow_box b = flow_box_of(&f, (uint)get_group_id(0));
    FLOW_EACH(place) {
        uint to = flow_in_box(&b, place)
                      ? flow_within(&b, place, direction[flow_cell_at(&f, &b, place)])
                      : RVI_FLOW_NONE;
        next[place] = to == RVI_FLOW_NONE ? place : to | 1u << 16;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    flow_run_down(next, moved);
    FLOW_EACH(place)
        if (flow_in_box(&b, place))
            words[flow_cell_at(&f, &b, place)] = next[place];
}

/* By which cell of the rim of which tile water goes on that leaves a tile at `cell`. False: it ends
 * in the next tile, at *end. */
static bool flow_goes_on(const rvi_flow_shape *f, __global const uchar *direction,
                         __global const uint *words, size_t cell, uint *rim, size_t *end) {
    size_t to = flow_beside(f, cell, direction[cell]);
    int y = (int)(to / (size_t)f->width), x = (int)(to - (size_t)y * (size_t)f->width);
    uint tile = flow_tile_at(f, x, y), leaves = FLOW_EXIT(words[to]);
    flow_box b = flow_box_of(f, tile);
    *end = flow_cell_at(f, &b, leaves);
    *rim = tile * RVI_PIECES + flow_rim_of(&b, leaves);
    return direction[*end] != RVI_END;
}

/* Does water leave its tile here? */
static bool flow_leaves(const rvi_flow_shape *f, __global const uchar *direction, uint item,
                        flow_box *b, uint *place, size_t *cell) {
    uint tile = item / RVI_PIECES;
    if (tile >= (uint)(f->across * f->down))
        return false;
    *b = flow_box_of(f, tile);
    int at = flow_rim(b, (int)(item % RVI_PIECES));
    if (at < 0)
        return false;
    *place = (uint)at;
    *cell = flow_cell_at(f, b, *place);
    int k = direction[*cell];
    return k != RVI_END && flow_within(b, *place, k) == RVI_FLOW_NONE;
}

/* ---- basins ---- */

/* Above numbers of basins, where numbers of rims are not. */
#define FLOW_BASIN 0x80000000u

__kernel void flow_rim_basins(__global const uchar *restrict direction,
                              __global const uint *restrict words,
                              __global const uint *restrict basin, __global uint *restrict rims,
                              rvi_flow_shape f) {
    flow_box b;
    uint item = (uint)get_global_id(0), place, rim;
    size_t cell, end;
    if (flow_leaves(&f, direction, item, &b, &place, &cell))
        rims[item] =
            flow_goes_on(&f, direction, words, cell, &rim, &end) ? rim : FLOW_BASIN | basin[end];
    else if (item / RVI_PIECES < (uint)(f.across * f.down))
        rims[item] = FLOW_BASIN;
}

/* Many times as far in each round, as long as the one before has not got everywhere. */
__kernel void flow_rim_jump(__global volatile uint *rims, __global volatile uint *goes, uint count,
                            int round) {
    uint item = (uint)get_global_id(0);
    if (item >= count || (round > 0 && goes[round - 1] == 0))
        return;
    uint to = rims[item];
    if (to & FLOW_BASIN)
        return;
    for (int k = 1; k < RVI_FLOW_FAR && !(to & FLOW_BASIN); k++)
        to = rims[to];
    rims[item] = to;
    if (!(to & FLOW_BASIN))
        goes[round] = 1;
}

__kernel void flow_label(__global const uint *restrict words, __global const uint *restrict rims,
                         __global const uchar *restrict direction, __global uint *basin,
                         rvi_flow_shape f) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t cell = (size_t)y * (size_t)f.width + (size_t)x;
    if (x >= f.width || direction[cell] == RVI_END)
        return;
    uint tile = flow_tile_at(&f, x, y), leaves = FLOW_EXIT(words[cell]);
    flow_box b = flow_box_of(&f, tile);
    size_t end = flow_cell_at(&f, &b, leaves);
    basin[cell] = direction[end] == RVI_END
                      ? basin[end]
                      : rims[tile * RVI_PIECES + flow_rim_of(&b, leaves)] & ~FLOW_BASIN;
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
    if (i >= count)
        return;
    uint to = queue[i], next = queue[to];
    for (int k = 2; k < RVI_FLOW_FAR && next != to; k++) {
        to = next;
        next = queue[to];
    }
    queue[i] = next;
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
    uint2 here = from[way];
    for (int k = 1; k < RVI_FLOW_FAR; k++) {
        uint2 there = from[here.x];
        here = (uint2)(there.x, here.y + there.y);
    }
    to[way] = here;
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

/* The highest pass on the way, many times as far in each round. */
__kernel void flow_raise(__global const uint *restrict to, __global const double *restrict spill,
                         __global uint *restrict next_to, __global double *restrict next_spill,
                         uint count) {
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    uint out = i;
    double most = spill[i];
    for (int k = 1; k < RVI_FLOW_FAR; k++) {
        out = to[out];
        most = spill[out] > most ? spill[out] : most;
    }
    next_to[i] = to[out];
    next_spill[i] = most;
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

/* ---- what comes through, and the order ---- */

/* Sums of the area, and where rain is given of its 64 bits: two numbers that carry by hand. */
static void flow_add(__global volatile uint *sums, const uint *by, int lanes) {
    atomic_add(&sums[0], by[0]);
    if (lanes == 1)
        return;
    uint before = atomic_add(&sums[1], by[1]);
    atomic_add(&sums[2], by[2] + (before > ~by[1]));
}

/* Counts the cells that leave a tile by each cell of its rim. */
__kernel __attribute__((reqd_work_group_size(RVI_FLOW_GROUP, 1, 1))) void
flow_rim_sums(__global const uint *restrict words, __global const uchar *restrict direction,
              __global const uint *restrict rain, __global uint *restrict sums,
              __local volatile uint *counts, rvi_flow_shape f) {
    uint tile = (uint)get_group_id(0), item = (uint)get_local_id(0), lanes = f.rain ? 3 : 1;
    flow_box b = flow_box_of(&f, tile);
    for (uint i = item; i < lanes * RVI_PIECES; i += RVI_FLOW_GROUP)
        counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    FLOW_EACH(place) {
        if (!flow_in_box(&b, place))
            continue;
        size_t cell = flow_cell_at(&f, &b, place);
        uint leaves = FLOW_EXIT(words[cell]);
        if (direction[flow_cell_at(&f, &b, leaves)] == RVI_END)
            continue;
        __local volatile uint *to = counts + lanes * flow_rim_of(&b, leaves);
        atomic_inc(&to[0]);
        if (f.rain) {
            uint by = rain[cell];
            if (atomic_add(&to[1], by) > ~by)
                atomic_inc(&to[2]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < lanes * RVI_PIECES; i += RVI_FLOW_GROUP)
        sums[(size_t)tile * RVI_PIECES * lanes + i] = counts[i];
}

/* From where water leaves a tile: to where it leaves the next, and that it is one tile away; 0
 * tiles: it does not leave here. */
__kernel void flow_rim_ways(__global const uchar *restrict direction, __global const uint *restrict words,
                            __global uint2 *restrict ways, rvi_flow_shape f) {
    flow_box b;
    uint item = (uint)get_global_id(0), place, rim;
    size_t cell, end;
    if (flow_leaves(&f, direction, item, &b, &place, &cell))
        ways[item] = (uint2)(
            flow_goes_on(&f, direction, words, cell, &rim, &end) ? rim : RVI_FLOW_NONE, 1);
    else if (item / RVI_PIECES < (uint)(f.across * f.down))
        ways[item] = (uint2)(RVI_FLOW_NONE, 0);
}

/* Sums of what comes from twice as far, and ways that lead twice as far. `clear` is empty after
 * that, as `more` was before. */
__kernel void flow_rim_gather(__global const uint2 *restrict ways, __global uint2 *restrict farther,
                              __global const uint *restrict sums, __global volatile uint *more,
                              __global uint *restrict clear, __global volatile uint *counters,
                              rvi_flow_shape f, uint round) {
    uint item = (uint)get_global_id(0);
    int lanes = f.rain ? 3 : 1;
    if (item >= (uint)(f.across * f.down) * RVI_PIECES)
        return;
    uint2 way = ways[item];
    uint by[3];
    for (int k = 0; k < lanes; k++) {
        by[k] = sums[(size_t)item * (size_t)lanes + (size_t)k];
        clear[(size_t)item * (size_t)lanes + (size_t)k] = 0;
    }
    if (way.y == 0) {
        farther[item] = way;
        return;
    }
    flow_add(more + (size_t)item * (size_t)lanes, by, lanes);
    if (way.x != RVI_FLOW_NONE) {
        uint2 next = ways[way.x];
        flow_add(more + (size_t)way.x * (size_t)lanes, by, lanes);
        way = (uint2)(next.x, way.y + next.y);
        if (next.x != RVI_FLOW_NONE)
            counters[RVI_FLOW_GOES] = round + 1; /* whoever writes it */
    }
    farther[item] = way;
}

/* What comes to cells of rims from other tiles, and in how many rounds all cells are reached. */
__kernel void flow_rim_comes(__global const uchar *restrict direction, __global const uint2 *restrict ways,
                             __global const uint *restrict sums, __global volatile uint *comes,
                             __global volatile uint *counters, rvi_flow_shape f) {
    flow_box b;
    uint item = (uint)get_global_id(0), place;
    size_t cell;
    int lanes = f.rain ? 3 : 1;
    if (!flow_leaves(&f, direction, item, &b, &place, &cell))
        return;
    size_t to = flow_beside(&f, cell, direction[cell]);
    int y = (int)(to / (size_t)f.width), x = (int)(to - (size_t)y * (size_t)f.width);
    uint tile = flow_tile_at(&f, x, y), by[3];
    b = flow_box_of(&f, tile);
    place = (uint)((y - b.y) * RVI_TILE + (x - b.x));
    for (int k = 0; k < lanes; k++)
        by[k] = sums[(size_t)item * (size_t)lanes + (size_t)k];
    flow_add(comes + (size_t)(tile * RVI_PIECES + flow_rim_of(&b, place)) * (size_t)lanes, by, lanes);
    if (ways[item].y >= counters[RVI_FLOW_ROUNDS])
        atomic_max(&counters[RVI_FLOW_ROUNDS], ways[item].y + 1);
}

/* What a group knows of its tile while it puts its cells in order. */
typedef struct flow_sorted {
    __local volatile uint *words;  /* of each cell; then the sums */
    __local volatile uint *counts; /* of levels of steps, two in a number; then where they end */
    __local ushort *queue;         /* the order */
    __local uchar *ways;           /* directions */
    __local volatile uint *rounds; /* of each cell of the rim, then sums of counts */
    __local volatile uint *step;   /* the step of each cell of the rim */
    __local volatile uint *levels; /* of each step; then where each begins */
    __local volatile uint *few;    /* how many steps there are; does water end in the tile? */
} flow_sorted;

static uint flow_count_at(const flow_sorted *s, uint level) {
    return s->counts[level >> 1] >> 16 * (level & 1) & 0xffff;
}

static uint flow_count_one(const flow_sorted *s, uint level) {
    uint shift = 16 * (level & 1);
    return atomic_add(&s->counts[level >> 1], 1u << shift) >> shift & 0xffff;
}

/* The step of a place: that of where it leaves the tile, or the first one. */
static uint flow_step_of(const flow_sorted *s, const flow_box *b, uint place) {
    uint leaves = FLOW_EXIT(s->words[place]);
    return s->ways[leaves] == RVI_END ? 0 : s->step[flow_rim_of(b, leaves)];
}

static void flow_load_tile(const flow_sorted *s, const rvi_flow_shape *f, const flow_box *b,
                           __global const uchar *direction, __global const uint *words) {
    if (get_local_id(0) < 2)
        s->few[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    FLOW_EACH(place) {
        if (!flow_in_box(b, place))
            continue;
        size_t cell = flow_cell_at(f, b, place);
        s->words[place] = words[cell];
        s->ways[place] = direction[cell];
        if (s->ways[place] == RVI_END)
            s->few[1] = 1;
    }
    for (uint i = (uint)get_local_id(0); i < RVI_TILE * RVI_TILE / 2; i += RVI_FLOW_GROUP)
        s->counts[i] = 0;
}

/* Cells of the rim whose water comes to its end in the same round are of one step. */
static void flow_find_steps(const flow_sorted *s, __global const uint2 *ways, uint tile,
                            __global uint *when) {
    uint item = (uint)get_local_id(0), first = item;
    s->rounds[item] = ways[tile * RVI_PIECES + item].y;
    s->levels[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint mine = s->rounds[item];
    if (item == 0) {
        s->few[0] = s->few[1];
        s->levels[RVI_PIECES] = 0;
        if (s->few[1])
            when[tile * RVI_PIECES] = 0;
    }
    for (uint k = 0; mine > 0 && k < first; k++)
        first = s->rounds[k] == mine ? k : first;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine > 0 && first == item) {
        uint step = atomic_inc(&s->few[0]);
        s->step[item] = step;
        when[tile * RVI_PIECES + step] = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint step = mine > 0 ? s->step[first] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s->step[item] = step;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Where the levels of each step begin; says how many there are in all. */
static uint flow_find_levels(const flow_sorted *s, const flow_box *b, uint tile,
                             __global ushort *ends) {
    FLOW_EACH(place) {
        if (!flow_in_box(b, place))
            continue;
        uint step = flow_step_of(s, b, place), levels = FLOW_FAR(s->words[place]) + 1;
        if (levels > s->levels[step])
            atomic_max(&s->levels[step], levels);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        uint sum = 0;
        for (uint step = 0; step < s->few[0]; step++) {
            uint levels = s->levels[step];
            s->levels[step] = sum;
            sum += levels;
            ends[tile * RVI_PIECES + step] = (ushort)sum;
        }
        s->few[1] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return s->few[1];
}

/* From how many cells there are of each level to where it begins. */
static void flow_begin_levels(const flow_sorted *s, uint levels) {
    uint item = (uint)get_local_id(0), part = (levels + RVI_FLOW_GROUP - 1) / RVI_FLOW_GROUP;
    part += part & 1; /* two counts are in a number */
    uint from = item * part, to = rvi_mini((int)(from + part), (int)levels), sum = 0;
    for (uint k = from; k < to; k++)
        sum += flow_count_at(s, k);
    s->rounds[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint far = 1; far < RVI_FLOW_GROUP; far *= 2) {
        uint before = item >= far ? s->rounds[item - far] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        s->rounds[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = s->rounds[item] - sum;
    for (uint k = from; k < to; k += 2) {
        uint one = flow_count_at(s, k), both = one + flow_count_at(s, k + 1);
        s->counts[k >> 1] = sum | (sum + one) << 16;
        sum += both;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static void flow_sort(const flow_sorted *s, const flow_box *b, uint levels) {
    FLOW_EACH(place)
        if (flow_in_box(b, place))
            flow_count_one(s, s->levels[flow_step_of(s, b, place)] + FLOW_FAR(s->words[place]));
    barrier(CLK_LOCAL_MEM_FENCE);
    flow_begin_levels(s, levels);
    FLOW_EACH(place)
        if (flow_in_box(b, place)) {
            uint level = s->levels[flow_step_of(s, b, place)] + FLOW_FAR(s->words[place]);
            s->queue[flow_count_one(s, level)] = (ushort)place;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* From the farthest level on each cell gives what comes through it to its receiver. */
static void flow_pass_on(const flow_sorted *s, const flow_box *b, uint levels) {
    for (uint level = levels; level-- > 0;) {
        uint from = level > 0 ? flow_count_at(s, level - 1) : 0, to = flow_count_at(s, level);
        for (uint i = from + (uint)get_local_id(0); i < to; i += RVI_FLOW_GROUP) {
            uint place = s->queue[i], next = flow_within(b, place, s->ways[place]);
            if (next != RVI_FLOW_NONE)
                atomic_add(&s->words[next], s->words[place]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* What comes to a place from other tiles. */
static uint flow_comes(const flow_box *b, __global const uint *comes, uint tile, uint place,
                       uint lanes, uint lane) {
    int x = (int)(place & (RVI_TILE - 1)), y = (int)(place >> RVI_TILE_BITS);
    bool rim = x == 0 || y == 0 || x + 1 == b->wide || y + 1 == b->high;
    return rim ? comes[(size_t)(tile * RVI_PIECES + flow_rim_of(b, place)) * lanes + lane] : 0;
}

/* Rain and what comes of it, 20 of its bits: of so many cells the sum still has 32, and what the
 * last bits lose is beyond 64. */
static void flow_pass_rain(const flow_sorted *s, const rvi_flow_shape *f, const flow_box *b,
                           uint tile, uint levels, __global const uint *comes,
                           __global const uint *rain, __global ulong *discharge) {
    for (int bits = 0; bits < 60; bits += 20) {
        FLOW_EACH(place) {
            if (!flow_in_box(b, place))
                continue;
            ulong water = (ulong)flow_comes(b, comes, tile, place, 3, 2) << 32 |
                          flow_comes(b, comes, tile, place, 3, 1);
            water += rain[flow_cell_at(f, b, place)];
            s->words[place] = (uint)(water >> bits) & (bits < 40 ? 0xfffffu : 0xffffffu);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        flow_pass_on(s, b, levels);
        FLOW_EACH(place)
            if (flow_in_box(b, place)) {
                size_t cell = flow_cell_at(f, b, place);
                discharge[cell] = (bits > 0 ? discharge[cell] : 0) + ((ulong)s->words[place] << bits);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* A group puts the cells of a tile in order, step by step, level by level, and finds what comes
 * through each. */
__kernel __attribute__((reqd_work_group_size(RVI_FLOW_GROUP, 1, 1))) void
flow_order(__global const uchar *restrict direction, __global uint *area,
           __global const uint2 *restrict ways, __global const uint *restrict comes,
           __global const uint *restrict rain, __global ulong *restrict discharge,
           __global ushort *restrict order, __global ushort *restrict levels,
           __global ushort *restrict ends, __global uint *restrict when,
           __global uint4 *restrict state, __local uint *words, __local uint *counts,
           __local ushort *queue, __local uchar *turns, __local uint *small, rvi_flow_shape f) {
    uint tile = (uint)get_group_id(0), item = (uint)get_local_id(0);
    flow_box b = flow_box_of(&f, tile);
    const flow_sorted s = {words, counts, queue, turns, small, small + RVI_PIECES,
                           small + 2 * RVI_PIECES, small + 3 * RVI_PIECES + 1};
    flow_load_tile(&s, &f, &b, direction, area);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint ends_here = s.few[1];
    flow_find_steps(&s, ways, tile, when);
    uint all = flow_find_levels(&s, &b, tile, ends);
    flow_sort(&s, &b, all);
    if (item == 0)
        state[tile] = (uint4)((uint)(b.wide * b.high), all, s.few[0], ends_here);
    for (uint i = item; i < (uint)(b.wide * b.high); i += RVI_FLOW_GROUP)
        order[b.base + i] = (ushort)(queue[i] | (uint)turns[queue[i]] << 2 * RVI_TILE_BITS);
    for (uint i = item; i < all; i += RVI_FLOW_GROUP)
        levels[b.base + i] = (ushort)flow_count_at(&s, i);
    FLOW_EACH(place)
        words[place] =
            flow_in_box(&b, place) ? 1 + flow_comes(&b, comes, tile, place, f.rain ? 3 : 1, 0) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    flow_pass_on(&s, &b, all);
    FLOW_EACH(place)
        if (flow_in_box(&b, place))
            area[flow_cell_at(&f, &b, place)] = words[place];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (f.rain)
        flow_pass_rain(&s, &f, &b, tile, all, comes, rain, discharge);
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
