/* intersect.h: do two triangles meet? */
#ifndef RVI_MESH_INTERSECT_H
#define RVI_MESH_INTERSECT_H

#include "mesh/lattice.h"

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

#endif
