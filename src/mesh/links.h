/* links.h: how the faces of a mesh are connected, whatever their places are. */
#ifndef RVI_MESH_LINKS_H
#define RVI_MESH_LINKS_H

#include "mesh/mesh.h"

typedef struct rvi_links {
    rv_context *ctx;
    uint32_t
        *shell; /* for each face the first face of its shell: of all that are connected by edges */
    size_t shells;
} rvi_links;

/* Tells of edges and vertices that no closed surface has, and finds the shells. */
rv_status rvi_links_create(const rv_mesh *mesh, rv_fault_fn tell, void *user, rvi_links *out);
void rvi_links_destroy(rvi_links *links);

#endif
