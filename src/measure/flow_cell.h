/* flow_cell.h: where the water of one cell goes, for the processor and for devices. flowgraph.c and
 * flow_basins.c say what the numbers mean. */
#ifndef RVI_MEASURE_FLOW_CELL_H
#define RVI_MEASURE_FLOW_CELL_H

#include "base/math.h"
#include "base/random.h"

enum { RVI_END = 8 }; /* where water leaves; 0 to 7 are the directions: E W S N, SE NW SW NE */
enum { RVI_TILE = 64, RVI_TILE_BITS = 6, RVI_PIECES = 256 };

static inline int rvi_flow_east(int direction) {
    return (int)(0x8252u >> 2 * direction & 3u) - 1;
}

static inline int rvi_flow_south(int direction) {
    return (int)(0x2225u >> 2 * direction & 3u) - 1;
}

#define RVI_FLOW_CORNER 0.70710678118654752 /* what falls to corners are multiplied with */

/* A number between 0 and 1 for a random byte, the nearer to 1/2 the less water wanders. */
static inline double rvi_flow_turn(float wander, uint32_t byte) {
    return 0.5 + (double)wander * (((double)byte + 0.5) / 256.0 - 0.5);
}

/* A number for a place and a direction that no other has; `mixed` is rvi_mix() of the seed. */
static inline uint64_t rvi_flow_number(uint64_t x, uint64_t y, uint32_t direction, uint64_t mixed) {
    return rvi_mix((y << 34 | x << 3 | direction) ^ mixed);
}

static inline int rvi_flow_inside(int x, int y, int width, int height) {
    return x >= 0 && y >= 0 && x < width && y < height;
}

/* The steepest way down, RVI_END: there is none. */
static inline int rvi_flow_steepest(RVI_GRID const double *h, int width, int height, int x, int y) {
    size_t cell = (size_t)y * (size_t)width + (size_t)x;
    double best = 0.0;
    int direction = RVI_END;
    for (int k = 0; k < 8; k++) {
        int nx = x + rvi_flow_east(k), ny = y + rvi_flow_south(k);
        if (!rvi_flow_inside(nx, ny, width, height))
            continue;
        double there = h[(size_t)ny * (size_t)width + (size_t)nx];
        double fall = (h[cell] - there) * (k < 4 ? 1.0 : RVI_FLOW_CORNER);
        direction = fall > best ? k : direction;
        best = fall > best ? fall : best;
    }
    return direction;
}

/* The eight triangles of a cell, a side and a corner beside it. */
static inline int rvi_flow_side(int triangle) {
    return triangle >> 1;
}

static inline int rvi_flow_beside(int triangle) {
    return (int)(0x75646574u >> 4 * triangle & 15u);
}

/* The square of the steepest fall on a triangle, for those to the side and from there to the
 * corner; 0: it does not fall. */
static inline double rvi_flow_fall(double side, double across) {
    double over = across - side > 0.0 ? across - side : 0.0;
    return side + across > 0.0 ? side * side + across * across - 0.5 * over * over : 0.0;
}

/* A way down that is the steepest on average; RVI_END: there is none, or rounding hides one beside
 * much higher ground: ask rvi_flow_steepest(). */
static inline int rvi_flow_between(RVI_GRID const double *h, int width, int height, int x, int y,
                                   double turn) {
    double here = h[(size_t)y * (size_t)width + (size_t)x], best = 0.0;
    int direction = RVI_END;
    for (int t = 0; t < 8; t++) {
        int side = rvi_flow_side(t), corner = rvi_flow_beside(t);
        int sx = x + rvi_flow_east(side), sy = y + rvi_flow_south(side);
        int cx = x + rvi_flow_east(corner), cy = y + rvi_flow_south(corner);
        if (!rvi_flow_inside(sx, sy, width, height))
            continue;
        double there = h[(size_t)sy * (size_t)width + (size_t)sx], along = here - there;
        double across = rvi_flow_inside(cx, cy, width, height)
                            ? there - h[(size_t)cy * (size_t)width + (size_t)cx]
                            : 0.0;
        across = across > 0.0 ? across : 0.0;
        double fall = rvi_flow_fall(along, across);
        int to = turn * along < across ? corner : side;
        direction = fall > best ? to : direction;
        best = fall > best ? fall : best;
    }
    return direction;
}

/* Where nothing is lower: to the least number at the same height. */
static inline int rvi_flow_on_flat(RVI_GRID const double *h, int width, int height, int x, int y,
                                   uint64_t mixed) {
    size_t cell = (size_t)y * (size_t)width + (size_t)x;
    uint64_t least = rvi_flow_number((uint64_t)x, (uint64_t)y, 0, mixed);
    int direction = RVI_END;
    for (int k = 0; k < 8; k++) {
        int nx = x + rvi_flow_east(k), ny = y + rvi_flow_south(k);
        if (!rvi_flow_inside(nx, ny, width, height) ||
            h[(size_t)ny * (size_t)width + (size_t)nx] != h[cell])
            continue;
        uint64_t other = rvi_flow_number((uint64_t)nx, (uint64_t)ny, 0, mixed);
        direction = other < least ? k : direction;
        least = other < least ? other : least;
    }
    return direction;
}

/* A pass is known by its cell and one of four directions, 2 k, below bits that are random. */
enum { RVI_PASS_CHANCE = 34 };
static inline uint64_t rvi_flow_pass(uint64_t x, uint64_t y, uint64_t cell, uint32_t k,
                                     uint64_t mixed) {
    uint64_t chance = rvi_flow_number(x, y, k + 1, mixed);
    return chance >> RVI_PASS_CHANCE << RVI_PASS_CHANCE | cell << 2 | k;
}

static inline size_t rvi_flow_pass_cell(uint64_t pass) {
    return (size_t)(uint32_t)(pass >> 2);
}

/* Orders as the height does. */
static inline uint64_t rvi_flow_height_key(double height) {
    uint64_t bits = rvi_bits_of(height + 0.0); /* no -0 */
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

#endif
