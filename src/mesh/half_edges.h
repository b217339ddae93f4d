/* half_edges.h: triangles that know their neighbours.
 *
 * S. Campagna, L. Kobbelt, H.-P. Seidel, Directed edges: a scalable representation for triangle
 * meshes, 1998. Half-edge 3 f + k goes from corner k of face f to its next corner, counterclockwise
 * seen from outside. Its twin goes back along the same edge, in the face on the other side. */
#ifndef RVI_MESH_HALF_EDGES_H
#define RVI_MESH_HALF_EDGES_H

#include "base/context.h"
#include "base/sort.h"

#define RVI_NONE UINT32_MAX /* no vertex, no face, no half-edge */

typedef struct rvi_half_edges {
    uint32_t *corners; /* of each half-edge the vertex that it leaves: 3 a face */
    uint32_t *twins;   /* of each half-edge; RVI_NONE: nothing lies beyond it */
    uint32_t *leaving; /* of each vertex a half-edge that leaves it; NULL where it is not needed */
} rvi_half_edges;

static inline uint32_t rvi_edge_next(uint32_t e) {
    return e % 3 == 2 ? e - 2 : e + 1;
}

static inline uint32_t rvi_edge_before(uint32_t e) {
    return e % 3 == 0 ? e + 2 : e - 1;
}

static inline uint32_t rvi_edge_from(const rvi_half_edges *h, uint32_t e) {
    return h->corners[e];
}

static inline uint32_t rvi_edge_to(const rvi_half_edges *h, uint32_t e) {
    return h->corners[rvi_edge_next(e)];
}

/* The third corner of its face. */
static inline uint32_t rvi_edge_opposite(const rvi_half_edges *h, uint32_t e) {
    return h->corners[rvi_edge_before(e)];
}

/* The next half-edge that leaves the same vertex, counterclockwise seen from outside. */
static inline uint32_t rvi_edge_around(const rvi_half_edges *h, uint32_t e) {
    return h->twins[rvi_edge_before(e)];
}

/* The half-edge from one vertex to another; RVI_NONE: no edge joins them. */
static inline uint32_t rvi_edge_between(const rvi_half_edges *h, uint32_t from, uint32_t to) {
    uint32_t first = h->leaving[from], e = first;
    do {
        if (rvi_edge_to(h, e) == to)
            return e;
        e = rvi_edge_around(h, e);
    } while (e != first);
    return RVI_NONE;
}

/* Makes two half-edges twins; the second may be RVI_NONE. */
static inline void rvi_edge_pair(rvi_half_edges *h, uint32_t e, uint32_t twin) {
    h->twins[e] = twin;
    if (twin != RVI_NONE)
        h->twins[twin] = e;
}

/* Writes the corners of a face from one of its half-edges on. */
static inline void rvi_edge_set_face(rvi_half_edges *h, uint32_t e, uint32_t a, uint32_t b,
                                     uint32_t c) {
    h->corners[e] = a;
    h->corners[rvi_edge_next(e)] = b;
    h->corners[rvi_edge_before(e)] = c;
}

/* The face abc of e = ab becomes two: amc, written from the half-edge `am` on, and mbc, written
 * from `mb` on. One of the two takes the place of abc. The twins of am and mb are left to the
 * caller. */
void rvi_edge_split_side(rvi_half_edges *h, uint32_t e, uint32_t m, uint32_t am, uint32_t mb);

/* The edge ab of abc, with d beyond it, becomes cd: the face of e = ab becomes adc from e on, the
 * other dbc from its half-edge `db` on. */
void rvi_edge_flip(rvi_half_edges *h, uint32_t e, uint32_t db);

/* All half-edges of so many faces, sorted by the two vertices that they join. */
rv_status rvi_edges_sort(rv_context *ctx, const uint32_t *corners, size_t faces, rvi_keyed *out);

/* Finds the twins of a closed mesh from its corners. */
rv_status rvi_edges_find_twins(rv_context *ctx, rvi_half_edges *h, size_t faces);

#endif
