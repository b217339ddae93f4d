/* drainage_cell.h: where the water of one cell of drainage.c goes, for the processor and for
 * devices. */
#ifndef RVI_MEASURE_DRAINAGE_CELL_H
#define RVI_MEASURE_DRAINAGE_CELL_H

#include "measure/flow_cell.h"

#ifndef __OPENCL_VERSION__
#include <stdbool.h>
#include <stddef.h>
#endif

/* What a map says about a cell; a height that is NaN is a hole too. */
enum {
    RVI_LAND = 0,
    RVI_OUTLET = 1, /* water leaves here, at the height of the cell: a sea */
    RVI_HOLE = 2    /* there is nothing: water leaves from the cells around it */
};

#define RVI_DRAINAGE_FLAT 0xffffffffu /* steps of a cell that has no way down */

/* Neighbours in order of their index, 0 to 7; 8: none. */
enum { RVI_NO_NEIGHBOUR = 8 };

static inline int rvi_neighbour_east(int k) {
    return (int)(0x9224u >> 2 * k & 3u) - 1;
}

static inline int rvi_neighbour_south(int k) {
    return (int)(0xa940u >> 2 * k & 3u) - 1;
}

static inline bool rvi_neighbour_is_side(int k) {
    return 0x5au >> k & 1u;
}

/* The same as one of the directions of flow_cell.h; RVI_END where it is none. */
static inline int rvi_neighbour_direction(int k) {
    return (int)(UINT64_C(0x842601735) >> 4 * k & 15u);
}

static inline size_t rvi_neighbour_beside(size_t cell, int width, int k) {
    return (size_t)((int64_t)cell + (int64_t)rvi_neighbour_south(k) * width +
                    rvi_neighbour_east(k));
}

static inline bool rvi_drainage_hole(RVI_GRID const float *h, RVI_GRID const uint8_t *kind,
                                     size_t cell) {
    return (kind && kind[cell] == RVI_HOLE) || h[cell] != h[cell];
}

/* Does water leave here? */
static inline bool rvi_drainage_outlet(RVI_GRID const float *h, RVI_GRID const uint8_t *kind,
                                       int width, int height, int x, int y) {
    size_t cell = (size_t)y * (size_t)width + (size_t)x;
    if ((kind && kind[cell] == RVI_OUTLET) || rvi_drainage_hole(h, kind, cell))
        return true;
    bool outlet = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
    for (int k = 0; !outlet && k < 8; k++)
        outlet = rvi_drainage_hole(h, kind, rvi_neighbour_beside(cell, width, k));
    return outlet;
}

/* The steepest way down of a cell that is no outlet, so that all eight neighbours are there. */
static inline int rvi_drainage_down(RVI_GRID const float *filled, int width, size_t cell) {
    float best = 0.0f;
    int way = RVI_NO_NEIGHBOUR;
    for (int k = 0; k < 8; k++) {
        float fall = (filled[cell] - filled[rvi_neighbour_beside(cell, width, k)]) *
                     (rvi_neighbour_is_side(k) ? 1.0f : 0.70710678f);
        way = fall > best ? k : way;
        best = fall > best ? fall : best;
    }
    return way;
}

/* The way of a cell on a flat, which is `steps` of it from where that spills: a step nearer. */
static inline int rvi_drainage_across(RVI_GRID const float *filled, RVI_GRID const uint32_t *steps,
                                      int width, int x, int y, uint64_t mixed) {
    size_t cell = (size_t)y * (size_t)width + (size_t)x;
    uint64_t least = ~UINT64_C(0);
    int way = RVI_NO_NEIGHBOUR;
    for (int k = 0; k < 8; k++) {
        size_t n = rvi_neighbour_beside(cell, width, k);
        if (filled[n] != filled[cell] || steps[n] + 1 != steps[cell])
            continue;
        uint64_t chance = rvi_flow_number((uint64_t)(x + rvi_neighbour_east(k)),
                                          (uint64_t)(y + rvi_neighbour_south(k)), 0, mixed) >>
                          1;
        chance |= rvi_neighbour_is_side(k) ? 0 : UINT64_C(1) << 63;
        way = chance < least ? k : way;
        least = chance < least ? chance : least;
    }
    return way;
}

/* In cells: 1 along rows and columns, sqrt 2 across a corner. */
#define RVI_DIAGONAL 1.41421356237309505

#endif
