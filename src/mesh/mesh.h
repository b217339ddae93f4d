/* mesh.h: triangles in space, and the surface of a terrain made of them.
 *
 * x is east, y is north, z is up, all in metres; the south-west corner of a terrain is x = y = 0.
 * The corners of a face go counterclockwise seen from outside, which for a terrain is above.
 */
#ifndef RVI_MESH_MESH_H
#define RVI_MESH_MESH_H

#include <ravine/ravine.h>

struct rv_mesh {
    rv_context *ctx;
    double *points;    /* x, y, z of each vertex, all finite */
    uint32_t *corners; /* the three vertices of each face, counted from 0 */
    uint32_t *cells;   /* the cell that each vertex came from; NULL: from no terrain */
    size_t vertex_count, face_count;
    size_t surface_vertices; /* those that come first and are the land; the rest is wall and base */
    size_t surface_faces;    /* the same of faces; both are everything when there is no base */
    bool y_up;               /* turned before it is written: y is up, z south */
    bool smooth;             /* an .obj of it holds normals and texture coordinates */
};

/* How many vertices or faces a mesh can have: three times that fits into 32 bits. */
#define RVI_MESH_MOST ((size_t)1 << 30)

/* A mesh with room for so many of each, all zero. `land`: its vertices come from cells. */
rv_status rvi_mesh_create(rv_context *ctx, size_t vertices, size_t faces, bool land, rv_mesh **out);

/* rv_mesh_from_terrain within a step. The first says no where the size of the land does not allow
 * it.
 */
rv_status rvi_mesh_check_land(const rv_terrain *land, float error);
rv_status rvi_mesh_of_land(const rv_terrain *land, float error, float depth, rv_mesh **out);

/* Bytes that rv_mesh_from_terrain and rv_mesh_save take at most. */
size_t rvi_mesh_memory(const rv_terrain *land, double error);

#endif
