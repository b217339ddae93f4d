/* lattice.h: a mesh whose places are steps of a lattice, so that every question about them has an
 * exact answer. */
#ifndef RVI_MESH_LATTICE_H
#define RVI_MESH_LATTICE_H

#include "mesh/exact.h"
#include "mesh/mesh.h"

typedef struct rvi_lattice {
    rv_context *ctx;
    const rv_mesh *mesh;
    rvi_spot *spots; /* of the vertices of the mesh */
    double step;     /* metres; a power of two */
    double moved;    /* how far rounding moved a coordinate at most, in metres */
} rvi_lattice;

/* Rounds every coordinate to the finest lattice that reaches the farthest of them. */
rv_status rvi_lattice_create(const rv_mesh *mesh, rvi_lattice *out);
void rvi_lattice_destroy(rvi_lattice *lattice);
/* The largest power of two, at most `largest`, that keeps every coordinate within `limit`. */
double rvi_lattice_scale(const rv_mesh *mesh, double limit, double largest);

static inline rvi_spot rvi_corner(const rvi_lattice *l, size_t face, size_t k) {
    return l->spots[l->mesh->corners[3 * face + k]];
}

#endif
