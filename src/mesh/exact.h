/* exact.h: on which side something lies, exactly.
 *
 * Places are whole numbers of at most 2^39 in each direction: steps of a lattice. Differences are
 * then at most 2^40, areas 2^81 and volumes 3 2^121, which 128 bits hold. In front stands the same
 * sum in doubles: the differences are exact in them, and each of the other roundings is at most
 * 2^-53 of the sum of the sizes of all products, so that a result beyond 2^-50 of that sum has the
 * right sign. */
#ifndef RVI_MESH_EXACT_H
#define RVI_MESH_EXACT_H

#include "base/wide.h"

#define RVI_LATTICE_MOST (INT64_C(1) << 39)

typedef struct rvi_spot {
    int64_t x, y, z;
} rvi_spot;

static inline void rvi_spot_way(rvi_spot from, rvi_spot to, double out[3]) {
    out[0] = (double)(to.x - from.x);
    out[1] = (double)(to.y - from.y);
    out[2] = (double)(to.z - from.z);
}

static inline int rvi_wide_sign(rvi_wide value) {
    return (value > 0) - (value < 0);
}

/* Six times the signed volume of the tetrahedron abcd: positive when d lies where the normal of abc
 * points to, from where a, b, c go counterclockwise. */
static inline rvi_wide rvi_volume(rvi_spot a, rvi_spot b, rvi_spot c, rvi_spot d) {
    int64_t ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
    int64_t vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    int64_t wx = d.x - a.x, wy = d.y - a.y, wz = d.z - a.z;
    rvi_wide x = rvi_wide_times(uy, vz) - rvi_wide_times(uz, vy);
    rvi_wide y = rvi_wide_times(uz, vx) - rvi_wide_times(ux, vz);
    rvi_wide z = rvi_wide_times(ux, vy) - rvi_wide_times(uy, vx);
    return x * wx + y * wy + z * wz;
}

static inline double rvi_size_of(double x) {
    return x < 0 ? -x : x;
}

/* A plane through three spots, to ask about many others. */
typedef struct rvi_plane {
    rvi_spot a, b, c;
    double normal[3]; /* of abc, rounded */
    double sizes[3];  /* the sizes of the products that it is the difference of, summed */
} rvi_plane;

static inline rvi_plane rvi_plane_of(rvi_spot a, rvi_spot b, rvi_spot c) {
    double ux = (double)(b.x - a.x), uy = (double)(b.y - a.y), uz = (double)(b.z - a.z);
    double vx = (double)(c.x - a.x), vy = (double)(c.y - a.y), vz = (double)(c.z - a.z);
    double yz = uy * vz, zy = uz * vy, zx = uz * vx, xz = ux * vz, xy = ux * vy, yx = uy * vx;
    return (rvi_plane){a,
                       b,
                       c,
                       {yz - zy, zx - xz, xy - yx},
                       {rvi_size_of(yz) + rvi_size_of(zy), rvi_size_of(zx) + rvi_size_of(xz),
                        rvi_size_of(xy) + rvi_size_of(yx)}};
}

/* The sign of the volume of abcd: 0 when d lies in the plane. */
static inline int rvi_plane_side(const rvi_plane *p, rvi_spot d) {
    double x = (double)(d.x - p->a.x), y = (double)(d.y - p->a.y), z = (double)(d.z - p->a.z);
    double sum = p->normal[0] * x + p->normal[1] * y + p->normal[2] * z;
    double bound = (p->sizes[0] * rvi_size_of(x) + p->sizes[1] * rvi_size_of(y) +
                    p->sizes[2] * rvi_size_of(z)) *
                   0x1p-50;
    if (sum > bound)
        return 1;
    if (sum < -bound)
        return -1;
    if (bound == 0) /* every product is zero, as in planes along the axes */
        return 0;
    return rvi_wide_sign(rvi_volume(p->a, p->b, p->c, d));
}

static inline int rvi_side(rvi_spot a, rvi_spot b, rvi_spot c, rvi_spot d) {
    rvi_plane plane = rvi_plane_of(a, b, c);
    return rvi_plane_side(&plane, d);
}

/* A spot seen along one axis. */
typedef struct rvi_flat {
    int64_t u, v;
} rvi_flat;

static inline rvi_flat rvi_flat_of(rvi_spot p, int axis) {
    return axis == 0   ? (rvi_flat){p.y, p.z}
           : axis == 1 ? (rvi_flat){p.z, p.x}
                       : (rvi_flat){p.x, p.y};
}

/* 1 when a, b, c go counterclockwise, -1 clockwise, 0 on a line. */
static inline int rvi_turn_sign(rvi_flat a, rvi_flat b, rvi_flat c) {
    return rvi_wide_sign(rvi_wide_times(b.u - a.u, c.v - a.v) -
                         rvi_wide_times(b.v - a.v, c.u - a.u));
}

/* An axis along which abc is seen as a triangle; -1: it has no area. */
static inline int rvi_open_axis(rvi_spot a, rvi_spot b, rvi_spot c) {
    for (int axis = 2; axis >= 0; axis--)
        if (rvi_turn_sign(rvi_flat_of(a, axis), rvi_flat_of(b, axis), rvi_flat_of(c, axis)) != 0)
            return axis;
    return -1;
}

#endif
