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

/* ---- intersect.c ---- */

/* A face with the numbers of its vertices and their places. */
typedef struct rvi_triangle {
    uint32_t vertices[3];
    rvi_spot spots[3];
} rvi_triangle;

static inline bool rvi_triangle_flat(const rvi_triangle *t) { /* has it no area? */
    return rvi_open_axis(t->spots[0], t->spots[1], t->spots[2]) < 0;
}

/* Do two, both with an area, meet anywhere but in the corners and the edge that they share by the
 * numbers of their vertices? To touch is to meet. */
bool rvi_triangles_meet(const rvi_triangle *t, const rvi_triangle *u);

/* The same of the faces of a mesh. */
bool rvi_face_flat(const rvi_lattice *l, size_t face);
bool rvi_faces_meet(const rvi_lattice *l, size_t f, size_t g);

/* ---- boxes.c: which faces are near, by a tree of boxes ---- */

/* In steps of 2^10 of the lattice, so that 32 bits are enough: boxes that meet here may lie a
 * little apart, never the other way round. */
typedef struct rvi_box {
    int32_t low[3], high[3];
} rvi_box;
enum { RVI_BOX_BITS = 10 };

static inline int32_t rvi_box_place(int64_t place) { /* rounded down */
    return (int32_t)((uint64_t)(place + RVI_LATTICE_MOST) >> RVI_BOX_BITS);
}

static inline bool rvi_boxes_meet(const rvi_box *a, const rvi_box *b) {
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/* Makes a box as large as to hold another. */
static inline void rvi_box_include(rvi_box *box, const rvi_box *other) {
    for (int i = 0; i < 3; i++) {
        box->low[i] = other->low[i] < box->low[i] ? other->low[i] : box->low[i];
        box->high[i] = other->high[i] > box->high[i] ? other->high[i] : box->high[i];
    }
}

rvi_box rvi_triangle_box(const rvi_triangle *t);

typedef struct rvi_boxes {
    rv_context *ctx;
    size_t leaves; /* a power of two; node 1 is the root, those of node n are 2 n and 2 n + 1 */
    size_t faces;
    rvi_box *nodes;  /* leaf i is node leaves + i and holds RVI_LEAF faces in order */
    rvi_box *boxes;  /* of the faces, in that order */
    uint32_t *order; /* the faces, so that near ones stand near */
} rvi_boxes;
enum { RVI_LEAF = 4 };

rv_status rvi_boxes_create(const rvi_lattice *l, rvi_boxes *out);
void rvi_boxes_destroy(rvi_boxes *boxes);

/* A walk over the faces whose boxes meet a box, in a fixed order. */
typedef struct rvi_walk {
    const rvi_boxes *boxes;
    rvi_box box;
    size_t at, end; /* in the order, within a leaf */
    int depth;
    uint32_t stack[64];
} rvi_walk;

void rvi_walk_begin(rvi_walk *walk, const rvi_boxes *boxes, const rvi_box *box);
/* Over the faces behind a place in the order that its box meets. */
void rvi_walk_behind(rvi_walk *walk, const rvi_boxes *boxes, size_t place);
bool rvi_walk_next(rvi_walk *walk, size_t *place); /* in the order; false: there is no more */

/* ---- edges.c: how the faces hang together, whatever their places are ---- */

typedef struct rvi_links {
    rv_context *ctx;
    uint32_t *shell; /* for each face the first face of what hangs together with it by edges */
    size_t shells;
} rvi_links;

/* Tells of edges and vertices that no closed surface has, and finds the shells. */
rv_status rvi_links_create(const rv_mesh *mesh, rv_fault_fn tell, void *user, rvi_links *out);
void rvi_links_destroy(rvi_links *links);

/* ---- shells.c: is what should be inside inside? ---- */

/* 1 or -1 when a ray from the spot straight up leaves through the triangle upwards or comes in
 * through it. */
int rvi_ray_passes(const rvi_triangle *t, rvi_spot from);

/* Of a mesh that is closed and meets itself nowhere: tells of shells that are inside out. */
rv_status rvi_shells_check(const rvi_lattice *l, const rvi_boxes *boxes, const rvi_links *links,
                           rv_fault_fn tell, void *user);

#endif
