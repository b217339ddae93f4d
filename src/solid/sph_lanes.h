/* sph_lanes.h: four neighbours at a time. */
#ifndef RVI_SOLID_SPH_LANES_H
#define RVI_SOLID_SPH_LANES_H

#include "base/lanes.h"

typedef struct rvi_four { /* one number of four particles in each */
    rvi_v4 x, y, z, w;
} rvi_four;

static RVI_HOT rvi_four rvi_four_of(const rvi_v4 *from, const uint32_t *which) {
    rvi_v4 a = from[which[0]], b = from[which[1]], c = from[which[2]], d = from[which[3]];
    rvi_v4 xy0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    rvi_v4 xy1 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    rvi_v4 zw0 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    rvi_v4 zw1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return (rvi_four){.x = __builtin_shufflevector(xy0, xy1, 0, 1, 4, 5),
                      .y = __builtin_shufflevector(xy0, xy1, 2, 3, 6, 7),
                      .z = __builtin_shufflevector(zw0, zw1, 0, 1, 4, 5),
                      .w = __builtin_shufflevector(zw0, zw1, 2, 3, 6, 7)};
}

static RVI_HOT float rvi_v4_sum(rvi_v4 v) {
    return (v[0] + v[2]) + (v[1] + v[3]);
}

/* The way from four neighbours to a particle. */
typedef struct rvi_way {
    rvi_v4 x, y, z;
    rvi_v4 square; /* of its length */
} rvi_way;

static RVI_HOT rvi_way rvi_way_from(const rvi_four *n, rvi_v4 at) {
    rvi_way d = {.x = at[0] - n->x, .y = at[1] - n->y, .z = at[2] - n->z};
    d.square = (d.x * d.x + d.y * d.y) + d.z * d.z;
    return d;
}

/* 1 - r / radius, or 0 beyond. */
static RVI_HOT rvi_v4 rvi_closeness(rvi_v4 square, float per_radius) {
    return rvi_v4_max(1.0f - rvi_v4_sqrt(square) * per_radius, rvi_v4_all(0.0f));
}

#endif
