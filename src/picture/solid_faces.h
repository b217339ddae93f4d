/* solid_faces.h: the faces of all meshes of a picture, with the normals that make them look smooth.
 */
#ifndef RVI_PICTURE_SOLID_FACES_H
#define RVI_PICTURE_SOLID_FACES_H

#include "picture/solid_view.h"

typedef struct rvi_solid_faces {
    rv_context *ctx;
    size_t count;
    float (*corners)[3][3]; /* metres from the middle */
    float (*flat)[3];       /* normals of faces, of length 1 or, without area, 0 */
    float (*normals)[3][3]; /* of each corner, of length 1 */
    float (*tints)[3][4];   /* of each corner; NULL: none has any */
} rvi_solid_faces;

/* At a corner, the mean of the normals of all faces around it that turn less than 40 degrees from
 * this one, weighted by angle. */
rv_status rvi_solid_faces_create(rv_context *ctx, const rvi_solid_mesh *meshes, size_t mesh_count,
                                 const double middle[3], rvi_solid_faces *out);
void rvi_solid_faces_destroy(rvi_solid_faces *faces); /* of a zeroed one: nothing */
size_t rvi_solid_faces_memory(const rvi_solid_mesh *meshes, size_t mesh_count);

/* Is the face there? */
static inline bool rvi_solid_face_there(const rvi_solid_mesh *mesh, size_t face) {
    const uint32_t *c = mesh->corners + 3 * face;
    return c[0] != UINT32_MAX && c[1] != UINT32_MAX && c[2] != UINT32_MAX;
}

#endif
