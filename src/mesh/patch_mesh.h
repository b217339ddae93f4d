/* patch_mesh.h: a closed mesh while it is remeshed: its faces belong to patches.
 *
 * Patches are the sides of the box that the rock is in, and the land. Edges between two patches
 * (creases) stay where these meet; corners between three stay where they are. */
#ifndef RVI_MESH_PATCH_MESH_H
#define RVI_MESH_PATCH_MESH_H

#include "mesh/half_edges.h"

enum { RVI_PATCH_LAND = 6 }; /* 2 axis + (0 low, 1 high): the sides of the box */

typedef struct rvi_patch_mesh {
    rv_context *ctx;
    size_t vertices, faces; /* in use; the last ones take the numbers of those that vanish */
    size_t room;            /* vertices; there is room for two faces for each and a few more */
    double (*at)[3];        /* metres */
    rvi_half_edges edges;
    uint8_t *patch; /* of each face */
} rvi_patch_mesh;

static inline bool rvi_patch_mesh_crease(const rvi_patch_mesh *m, uint32_t e) {
    return m->patch[e / 3] != m->patch[m->edges.twins[e] / 3];
}

rv_status rvi_patch_mesh_create(rv_context *ctx, size_t room, rvi_patch_mesh *out);
void rvi_patch_mesh_destroy(rvi_patch_mesh *mesh); /* of a zeroed one: nothing */

/* Finds twins and leaving from the corners; each edge has two faces. */
rv_status rvi_patch_mesh_link(rvi_patch_mesh *mesh);

/* The patches at a vertex, a bit for each, and how many bits there are. */
unsigned rvi_patch_mesh_patches(const rvi_patch_mesh *mesh, uint32_t vertex);
static inline int rvi_patch_count(unsigned patches) {
    int count = 0;
    for (; patches; patches &= patches - 1)
        count++;
    return count;
}
/* As long as twice the area. */
void rvi_patch_mesh_normal(const rvi_patch_mesh *mesh, uint32_t face, double out[3]);
double rvi_patch_mesh_length(const rvi_patch_mesh *mesh, uint32_t half_edge); /* metres */

/* The new vertex in the middle; there must be room for it. */
uint32_t rvi_patch_mesh_split(rvi_patch_mesh *mesh, uint32_t half_edge);
/* Both do nothing where the surface would fold or lose its form: false. */
bool rvi_patch_mesh_flip(rvi_patch_mesh *mesh, uint32_t half_edge);
/* The vertex it comes from goes into the one it leads to. The last vertex and the last two faces
 * take the numbers that become free. */
bool rvi_patch_mesh_collapse(rvi_patch_mesh *mesh, uint32_t half_edge);

#endif
