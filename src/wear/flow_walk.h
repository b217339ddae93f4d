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

/* The arguments of a kernel that walks, before its own, and what it does: a group takes one step
 * of those of a round, the cells of one level side by side. The ends of its levels are kept at
 * hand, and the places of the next level are on their way while a level is worked on: to wait for
 * memory is most of the time that a level takes. */
#define FLOW_WALK_ARGS                                                                             \
    __global const uint *restrict steps, __global const ushort *restrict order,                    \
        __global const ushort *restrict levels, __global const ushort *restrict ends,              \
        __local ushort *kept, rvi_flow_shape f, uint first, int up

/* Where level n of the step begins in the order of its tile: n levels from its first on. */
static uint flow_level(__local const ushort *kept, uint n, uint count, int up) {
    return kept[up ? n : count - 1 - n];
}

#define FLOW_WALK(DO)                                                                              \
    do {                                                                                           \
        uint entry = steps[first + get_group_id(0)], item = (uint)get_local_id(0);                 \
        flow_box b = flow_box_of(&f, entry / RVI_PIECES);                                          \
        uint low = entry % RVI_PIECES > 0 ? ends[entry - 1] : 0, count = ends[entry] - low;        \
        for (uint n = item; n <= count; n += (uint)get_local_size(0))                              \
            kept[n] = low + n > 0 ? levels[b.base + low + n - 1] : 0;                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        uint i = flow_level(kept, 0, count, up) + item;                                            \
        uint end = flow_level(kept + 1, 0, count, up);                                             \
        uint place = i < end ? order[b.base + i] : 0;                                              \
        for (uint n = 0; n < count; n++) {                                                         \
            bool more = n + 1 < count;                                                             \
            uint next = more ? flow_level(kept, n + 1, count, up) + item : 0;                      \
            uint next_end = more ? flow_level(kept + 1, n + 1, count, up) : 0;                     \
            uint next_place = next < next_end ? order[b.base + next] : 0;                          \
            for (; i < end;                                                                        \
                 i += (uint)get_local_size(0), place = i < end ? order[b.base + i] : 0) {          \
                size_t cell = flow_cell_at(&f, &b, place);                                         \
                int x = b.x + (int)(place & (RVI_TILE - 1));                                       \
                int y = b.y + (int)(place >> RVI_TILE_BITS);                                       \
                DO;                                                                                \
            }                                                                                      \
            i = next;                                                                              \
            end = next_end;                                                                        \
            place = next_place;                                                                    \
            barrier(CLK_GLOBAL_MEM_FENCE);                                                         \
        }                                                                                          \
    } while (0)

#endif
#endif
