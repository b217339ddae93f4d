/* priority_flood.h: water that rises over land from where it can leave, by eight neighbours.
 *
 * R. Barnes, C. Lehman and D. Mulla, Priority-flood: an optimal depression-filling and watershed-
 * labeling algorithm for digital elevation models, 2014. A cell c that was reached at the level
 * w(c) reaches its neighbours n at
 *
 *     w(n) = max(h(n), w(c))      metres
 *
 * A neighbour that is not lower than w(c) gets its own height, whatever cell reaches it: no order
 * is needed for that. Only a cell with a lower neighbour must wait until no other such cell stands
 * lower; of equals the one of lower index goes first.
 *
 * Who floods says in functions what is known of a cell, and in which order cells that were reached
 * are looked at. All of them become part of its loop.
 */
#ifndef RVI_MEASURE_PRIORITY_FLOOD_H
#define RVI_MEASURE_PRIORITY_FLOOD_H

#include "base/context.h"
#include "base/heap.h"
#include "base/lanes.h"

enum { RVI_FLOOD_ALL = 255 }; /* all eight directions, a bit each */

typedef struct rvi_priority_flood {
    rv_context *ctx;
    int width;
    int last_x, last_y;
    ptrdiff_t step[8];   /* to the neighbour in each direction */
    unsigned west, east; /* directions that lead over this side of the map, a bit each */
    unsigned north, south;
    uint64_t *heap; /* cells that wait: by level, then by index */
    size_t waiting;
    double risen; /* level of the cell that waited last: what lies lower beside it is filled */
} rvi_priority_flood;

typedef struct rvi_flood_functions {
    bool (*next)(void *arg, size_t *cell); /* one that was reached; false: there is none for now */
    double (*level)(const void *arg, size_t cell); /* of one that was reached */
    bool (*dry)(const void *arg, size_t cell);     /* has it yet to be reached? */
    double (*height)(const void *arg, size_t cell);
    void (*reach)(void *arg, size_t cell, size_t from, int direction, double level);
} rvi_flood_functions;

/* Directions are looked at in the order of the tables. The heap is left to the caller. */
static inline rvi_priority_flood rvi_priority_flood_make(rv_context *ctx, int width, int height,
                                                         const int east[8], const int south[8]) {
    rvi_priority_flood f = {.ctx = ctx, .width = width, .last_x = width - 1, .last_y = height - 1};
    f.risen = -INFINITY;
    for (int k = 0; k < 8; k++) {
        f.step[k] = (ptrdiff_t)south[k] * width + east[k];
        f.west |= east[k] < 0 ? 1u << k : 0;
        f.east |= east[k] > 0 ? 1u << k : 0;
        f.north |= south[k] < 0 ? 1u << k : 0;
        f.south |= south[k] > 0 ? 1u << k : 0;
    }
    return f;
}

/* The directions from a cell that do not lead over the edge of the map, as bits. */
static RVI_HOT unsigned rvi_flood_inside(const rvi_priority_flood *f, size_t cell) {
    uint32_t w = (uint32_t)f->width, y = (uint32_t)cell / w, x = (uint32_t)cell - y * w;
    unsigned out = (x == 0 ? f->west : 0) | (x == (uint32_t)f->last_x ? f->east : 0);
    out |= (y == 0 ? f->north : 0) | (y == (uint32_t)f->last_y ? f->south : 0);
    return RVI_FLOOD_ALL & ~out;
}

static RVI_HOT size_t rvi_flood_neighbour(const rvi_priority_flood *f, size_t cell, int direction) {
    return (size_t)((ptrdiff_t)cell + f->step[direction]);
}

/* Reaches what can be reached from a cell; returns whether there is a lower one that cannot yet. */
static RVI_HOT bool rvi_flood_around(const rvi_priority_flood *f, const rvi_flood_functions *call,
                                     void *arg, size_t cell, double level) {
    bool fills = level <= f->risen, lower = false;
    unsigned inside = rvi_flood_inside(f, cell);
    for (int k = 0; k < 8; k++) {
        size_t n = rvi_flood_neighbour(f, cell, k);
        if (!(inside >> k & 1) || !call->dry(arg, n))
            continue;
        double h = call->height(arg, n);
        if (h < level && !fills)
            lower = true;
        else
            call->reach(arg, n, cell, k, h > level ? h : level);
    }
    return lower;
}

/* Floods from the cells that the caller has reached until there is none left. */
static RVI_HOT rv_status rvi_flood_rise(rvi_priority_flood *f, const rvi_flood_functions *call,
                                        void *arg) {
    for (size_t done = 0;; done++) {
        size_t cell;
        if (done % 16384 == 0 && rvi_poll(f->ctx) != RV_OK)
            return RV_CANCELLED;
        if (!call->next(arg, &cell)) {
            if (f->waiting == 0)
                return RV_OK;
            cell = (size_t)(uint32_t)rvi_heap_pop(f->heap, &f->waiting);
            f->risen = call->level(arg, cell);
        }
        double level = call->level(arg, cell);
        if (rvi_flood_around(f, call, arg, cell, level))
            rvi_heap_push(f->heap, &f->waiting, rvi_level_key((float)level, cell));
    }
}

#endif
