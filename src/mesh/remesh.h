/* remesh.h: closed meshes, with a given number of vertices, of shapes that a function describes.
 *
 * It begins with the sides of the grid cells that are in the rock. Then, over and over, it splits
 * edges that are too long, collapses those that are too short, flips those that make angles small,
 * smooths the vertices along the surface and projects them back to it (M. Botsch, L. Kobbelt, A
 * remeshing approach to multiresolution modeling, 2004). Single splits or collapses then reach the
 * exact number of vertices. */
#ifndef RVI_MESH_REMESH_H
#define RVI_MESH_REMESH_H

#include "mesh/mesh.h"

typedef struct rvi_remesh {
    double low[3], high[3]; /* the rock is within; where it meets these sides it is flat */
    int cells[3];           /* of the grid to begin with: as fine as holes of the rock need */
    double (*shape)(const double at[3]);  /* below 0 in the rock, in metres or nearly so */
    double (*length)(const double at[3]); /* of edges, beside others */
    size_t vertices;
} rvi_remesh;

rv_status rvi_remesh_shape(rv_context *ctx, const rvi_remesh *desc, rv_mesh **out);

#endif
