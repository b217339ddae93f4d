/* simplify.h: few triangles that stay near the land. */
#ifndef RVI_MESH_SIMPLIFY_H
#define RVI_MESH_SIMPLIFY_H

#include <ravine/ravine.h>

/* Both arrays are from rvi_alloc. */
typedef struct rvi_simplified {
    uint32_t *cells;   /* of the vertices; the four corners of the map come first */
    uint32_t *corners; /* three vertices a face */
    size_t vertex_count, face_count;
} rvi_simplified;

/* Few vertices, whose triangles stay within `error` metres of the height of every cell. */
rv_status rvi_simplify(const rv_terrain *land, double error, rvi_simplified *out);

#endif
