/* analyse_cell.h: what analyse.c says about one cell, for the processor and for devices. */
#ifndef RVI_STEPS_ANALYSE_ANALYSE_CELL_H
#define RVI_STEPS_ANALYSE_ANALYSE_CELL_H

#include "measure/drainage_cell.h"
#include "measure/network_cell.h"
#include "measure/surface_cell.h"

/* What a device counts: streams, sides and corners of each order, cells of land, and first cells
 * of streams. */
enum {
    RVI_COUNT_STREAMS = 0,
    RVI_COUNT_SIDES = RVI_ORDERS + 1,
    RVI_COUNT_CORNERS = 2 * (RVI_ORDERS + 1),
    RVI_COUNT_LAND = 3 * (RVI_ORDERS + 1),
    RVI_COUNT_FIRST,
    RVI_COUNTS
};

/* Rounds in the memory of a group until other tiles get what it found. */
enum { RVI_FLAT_ROUNDS = 256 };

/* The height of a neighbour beside a cell, or of what is opposite to it, mirrored; false: there is
 * neither. */
static inline bool rvi_analyse_mirrored(RVI_GRID const float *z, RVI_GRID const uint8_t *kind,
                                        int width, int height, int x, int y, int dx, int dy,
                                        double *out) {
    double here = (double)z[(size_t)y * (size_t)width + (size_t)x];
    for (int side = 1; side >= -1; side -= 2) {
        int nx = x + side * dx, ny = y + side * dy;
        if (!rvi_flow_inside(nx, ny, width, height))
            continue;
        size_t n = (size_t)ny * (size_t)width + (size_t)nx;
        *out = side > 0 ? (double)z[n] : 2.0 * here - (double)z[n];
        if (kind[n] != RVI_HOLE)
            return true;
    }
    *out = here;
    return false;
}

/* The height of a neighbour; where there is none, the ground goes on. */
static inline double rvi_analyse_beside(RVI_GRID const float *z, RVI_GRID const uint8_t *kind,
                                        int width, int height, int x, int y, int dx, int dy) {
    double there, along, across;
    if (rvi_analyse_mirrored(z, kind, width, height, x, y, dx, dy, &there) || dx == 0 || dy == 0)
        return there;
    rvi_analyse_mirrored(z, kind, width, height, x, y, dx, 0, &along);
    rvi_analyse_mirrored(z, kind, width, height, x, y, 0, dy, &across);
    return along + across - there;
}

/* Of a hole it is 0. */
static inline rvi_shape rvi_analyse_shape(RVI_GRID const float *z, RVI_GRID const uint8_t *kind,
                                          int width, int height, int x, int y, double cell) {
    double heights[9];
    rvi_shape none = {0.0f, 0.0f};
    if (kind[(size_t)y * (size_t)width + (size_t)x] == RVI_HOLE)
        return none;
    for (int k = 0; k < 9; k++)
        heights[k] = rvi_analyse_beside(z, kind, width, height, x, y, k % 3 - 1, k / 3 - 1);
    return rvi_shape_of(heights, cell);
}

static inline float rvi_analyse_degrees(float slope) {
    return rvi_atanf(slope) * (float)(180.0 / RVI_PI);
}

/* Of so many cells, m2. */
static inline float rvi_analyse_area(uint32_t cells, double cell) {
    return (float)((double)cells * cell * cell);
}

/* Metres, of so many sides of cells. */
static inline float rvi_analyse_length(double sides, double cell) {
    return (float)(sides * cell);
}

/* 1 north, clockwise to 8 north-west; 0: the cell itself. */
static inline int rvi_analyse_turn(int east, int south) {
    return (int)(UINT64_C(0x456307218) >> 4 * (3 * (south + 1) + east + 1) & 15u);
}

#endif
