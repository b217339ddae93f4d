/* half_edges.h: a closed mesh while it is shaped: who is beside whom, and what may be changed.
 *
 * Half-edge 3 f + k goes from corner k of face f to its next one. Faces belong to patches: the
 * sides of the box that the rock is in, and the land. Edges between two patches stay where these
 * meet; corners between three stay where they are. */
#ifndef RVI_MESH_HALF_EDGES_H
#define RVI_MESH_HALF_EDGES_H

#include "base/context.h"

enum { RVI_PATCH_LAND = 6 }; /* 2 axis + (0 low, 1 high): the sides of the box */

typedef struct rvi_half_edges {
    rv_context *ctx;
    size_t vertices, faces; /* in use; faces that went away are taken by the last ones */
    size_t room;            /* vertices; there is room for two faces for each and a few more */
    double (*at)[3];
    uint32_t *leaving; /* a half-edge from each vertex */
    uint32_t *corners, *twins;
    uint8_t *patch; /* of each face */
} rvi_half_edges;

static inline uint32_t rvi_next(uint32_t h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}
static inline uint32_t rvi_last(uint32_t h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}
static inline uint32_t rvi_end_of(const rvi_half_edges *n, uint32_t h) {
    return n->corners[rvi_next(h)];
}
/* The next half-edge that leaves the same vertex. */
static inline uint32_t rvi_around(const rvi_half_edges *n, uint32_t h) {
    return n->twins[rvi_last(h)];
}
static inline bool rvi_crease(const rvi_half_edges *n, uint32_t h) {
    return n->patch[h / 3] != n->patch[n->twins[h] / 3];
}

rv_status rvi_half_edges_create(rv_context *ctx, size_t room, rvi_half_edges *out);
void rvi_half_edges_destroy(rvi_half_edges *net); /* of a zeroed one: nothing */

/* Finds twins and leaving from the corners; each edge has two faces. */
rv_status rvi_half_edges_join(rvi_half_edges *net);

unsigned rvi_half_edges_patches(const rvi_half_edges *net, uint32_t vertex); /* a bit for each */
void rvi_half_edges_normal(const rvi_half_edges *net, uint32_t face,
                           double out[3]); /* twice the area */
double rvi_half_edges_length(const rvi_half_edges *net, uint32_t half_edge);

/* The new vertex in the middle; there must be room for it. */
uint32_t rvi_half_edges_split(rvi_half_edges *net, uint32_t half_edge);
/* Both do nothing where the surface would fold or lose its form: false. */
bool rvi_half_edges_flip(rvi_half_edges *net, uint32_t half_edge);
/* The vertex it comes from goes into the one it leads to. The last vertex and the last two faces
 * take the places that become free. */
bool rvi_half_edges_collapse(rvi_half_edges *net, uint32_t half_edge);

#endif
