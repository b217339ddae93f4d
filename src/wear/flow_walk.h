/* flow_walk.h: work along the rivers on a device: how the cells of a map are cut into steps of
 * which each needs only those before it. OpenCL C; flow_device.c tells how the steps are found. */
#ifndef RVI_WEAR_FLOW_WALK_H
#define RVI_WEAR_FLOW_WALK_H

#include "measure/flow_cell.h"
#include "wear/flow_shape.h"

#ifdef __OPENCL_VERSION__

typedef struct flow_box {
    int x, y, wide, high;
    size_t corner; /* the first cell */
    size_t base;   /* of its cells in the order */
} flow_box;

static flow_box flow_box_of(const rvi_flow_shape *f, uint tile) {
    flow_box b;
    b.x = (int)(tile % (uint)f->across) * RVI_TILE;
    b.y = (int)(tile / (uint)f->across) * RVI_TILE;
    b.wide = rvi_mini(f->width - b.x, RVI_TILE);
    b.high = rvi_mini(f->height - b.y, RVI_TILE);
    b.corner = (size_t)b.y * (size_t)f->width + (size_t)b.x;
    b.base = (size_t)b.y * (size_t)f->width + (size_t)b.x * (size_t)b.high;
    return b;
}

static size_t flow_cell_at(const rvi_flow_shape *f, const flow_box *b, uint place) {
    return b->corner + (size_t)(place >> RVI_TILE_BITS) * (size_t)f->width +
           (place & (RVI_TILE - 1));
}

/* The neighbour in a direction, which is there. */
static size_t flow_beside(const rvi_flow_shape *f, size_t cell, int direction) {
    return (size_t)((long)cell + rvi_flow_south(direction) * (long)f->width +
                    rvi_flow_east(direction));
}

/* Is there a cell whose water comes here in this direction? */
static bool flow_donor(const rvi_flow_shape *f, __global const uchar *direction, size_t cell, int x,
                       int y, int k, size_t *donor) {
    int nx = x - rvi_flow_east(k), ny = y - rvi_flow_south(k);
    *donor = (size_t)ny * (size_t)f->width + (size_t)nx;
    return rvi_flow_inside(nx, ny, f->width, f->height) && direction[*donor] == k;
}

/* What RVI_FLOW_LAKES() gives. */
#define FLOW_LAKES_ARGS                                                                            \
    __global const uchar *restrict drowned, __global const uint *restrict basin,                   \
        __global const double *restrict spill

/* What stands in the order: a place in the tile, and the direction of its water. */
static uint flow_place(uint way) {
    return way & (RVI_TILE * RVI_TILE - 1);
}

static int flow_way(uint way) {
    return (int)(way >> 2 * RVI_TILE_BITS);
}

/* A step, and the arguments of a kernel whose groups take one each, before its own. */
typedef struct flow_step {
    flow_box box;
    uint low, count; /* the first level of those of the tile, and how many there are */
} flow_step;

#define FLOW_WALKER __kernel __attribute__((reqd_work_group_size(RVI_FLOW_WALKERS, 1, 1))) void
#define FLOW_WALK_ARGS                                                                             \
    __global const uint *restrict steps, __global const ushort *restrict order,                    \
        __global const ushort *restrict levels, __global const ushort *restrict ends,              \
        rvi_flow_shape f, uint first, int up

static flow_step flow_step_of_group(const rvi_flow_shape *f, __global const uint *steps,
                                    __global const ushort *ends, uint first) {
    uint entry = steps[first + get_group_id(0)];
    flow_step s;
    s.box = flow_box_of(f, entry / RVI_PIECES);
    s.low = entry % RVI_PIECES > 0 ? ends[entry - 1] : 0;
    s.count = ends[entry] - s.low;
    return s;
}

/* Where level n - 1 of the step ends, and level n begins, in the order of its tile; after the last
 * one there are none. */
static uint flow_step_end(const flow_step *s, __global const ushort *levels, uint n) {
    uint level = s->low + (n < s->count ? n : s->count);
    return level > 0 ? levels[s->box.base + level - 1] : 0;
}

static uint flow_entry(const flow_step *s, __global const ushort *order, uint i, uint end) {
    return i < end ? order[s->box.base + i] : RVI_FLOW_NONE;
}

/* Where level n of the step begins and ends, up or down the rivers. */
static uint2 flow_level(const flow_step *s, __global const ushort *levels, uint n, int up) {
    uint level = up || n >= s->count ? n : s->count - 1 - n;
    return (uint2)(flow_step_end(s, levels, level), flow_step_end(s, levels, level + 1));
}

/* What a kernel does that walks: a group takes one step of those of a round, the cells of one level
 * side by side. The places of the next level are on their way while a level is worked on: to wait
 * for memory is most of the time that a level takes. */
#define FLOW_WALK(DO)                                                                              \
    do {                                                                                           \
        flow_step s = flow_step_of_group(&f, steps, ends, first);                                  \
        flow_box b = s.box;                                                                        \
        uint item = (uint)get_local_id(0);                                                         \
        uint2 now = flow_level(&s, levels, 0, up), next = flow_level(&s, levels, 1, up);           \
        uint way = flow_entry(&s, order, now.x + item, now.y);                                     \
        for (uint n = 0; n < s.count; n++) {                                                       \
            uint2 after = flow_level(&s, levels, n + 2, up);                                       \
            uint ahead = flow_entry(&s, order, next.x + item, next.y);                             \
            for (uint i = now.x + item; i < now.y;                                                 \
                 i += (uint)get_local_size(0), way = flow_entry(&s, order, i, now.y)) {            \
                uint place = flow_place(way);                                                      \
                size_t cell = flow_cell_at(&f, &b, place);                                         \
                int x = b.x + (int)(place & (RVI_TILE - 1));                                       \
                int y = b.y + (int)(place >> RVI_TILE_BITS);                                       \
                DO;                                                                                \
            }                                                                                      \
            now = next;                                                                            \
            next = after;                                                                          \
            way = ahead;                                                                           \
            barrier(CLK_GLOBAL_MEM_FENCE);                                                         \
        }                                                                                          \
    } while (0)

/* The same where a level leaves to the next what that needs in memory of the group. What else a
 * cell needs is fetched two levels ahead, and two before that where the cell is: a level takes less
 * time than the device's memory. `type` has what a cell needs, with `way` as in the order,
 * RVI_FLOW_NONE: there is none; LOAD(way) gives one, ONE(c) works on it. A barrier that waits for
 * the device's memory would wait for what is on its way, too: `exchange` says whether a level must
 * see there what the one before has written. */
#define FLOW_AHEAD(type, LOAD, ONE, exchange)                                                      \
    do {                                                                                           \
        uint item = (uint)get_local_id(0);                                                         \
        uint2 now = flow_level(&s, levels, 0, up), next = flow_level(&s, levels, 1, up);           \
        uint2 second = flow_level(&s, levels, 2, up), third = flow_level(&s, levels, 3, up);       \
        uint2 fourth = flow_level(&s, levels, 4, up);                                              \
        type c = LOAD(flow_entry(&s, order, now.x + item, now.y));                                 \
        type soon = LOAD(flow_entry(&s, order, next.x + item, next.y));                            \
        uint way = flow_entry(&s, order, second.x + item, second.y);                               \
        uint after = flow_entry(&s, order, third.x + item, third.y);                               \
        for (uint n = 0; n < s.count; n++) {                                                       \
            uint2 fifth = flow_level(&s, levels, n + 5, up);                                       \
            uint later = flow_entry(&s, order, fourth.x + item, fourth.y);                         \
            type coming = LOAD(way);                                                               \
            if (c.way != RVI_FLOW_NONE)                                                            \
                ONE(c);                                                                            \
            for (uint i = now.x + item + RVI_FLOW_WALKERS; i < now.y; i += RVI_FLOW_WALKERS) {     \
                c = LOAD(flow_entry(&s, order, i, now.y));                                         \
                ONE(c);                                                                            \
            }                                                                                      \
            c = soon;                                                                              \
            soon = coming;                                                                         \
            way = after;                                                                           \
            after = later;                                                                         \
            now = next;                                                                            \
            next = second;                                                                         \
            second = third;                                                                        \
            third = fourth;                                                                        \
            fourth = fifth;                                                                        \
            if (exchange)                                                                          \
                barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                               \
            else                                                                                   \
                barrier(CLK_LOCAL_MEM_FENCE);                                                      \
        }                                                                                          \
    } while (0)

#endif
#endif
