/* mesh_format.h: the file formats of meshes. Each is one file that knows its bytes. */
#ifndef RVI_FORMATS_MESH_FORMAT_H
#define RVI_FORMATS_MESH_FORMAT_H

#include "base/file.h"
#include "formats/format.h"
#include "mesh/mesh.h"

typedef struct rvi_mesh_format {
    const char *extension;
    /* `land`: where the mesh came from, for the fields of its vertices; NULL: none. */
    rv_status (*encode)(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land);
    /* NULL: is only written. */
    rv_status (*decode)(rv_context *ctx, const rvi_source *source, rv_mesh **out);
} rvi_mesh_format;

extern const rvi_mesh_format rvi_mesh_obj, rvi_mesh_ply, rvi_mesh_stl, rvi_mesh_glb;

/* By the extension of a path; NULL: none. */
const rvi_mesh_format *rvi_mesh_format_find(const char *path);

/* rv_mesh_load and rv_mesh_save within a step. */
rv_status rvi_mesh_read(rv_context *ctx, const char *path, rv_mesh **out);
rv_status rvi_mesh_write(const rv_mesh *mesh, const char *path, const rv_terrain *land);

/* The colours of the ground, one pixel a cell of the land that the meshes were made from. */
typedef struct rvi_glb_ground {
    int width, height;
    const unsigned char *rgb; /* sRGB */
    uint16_t linear[256];     /* the light of a byte of it, 65535 the most */
} rvi_glb_ground;
/* A .glb with a textured mesh, and one with coloured vertices that stands for it far away. */
rv_status rvi_glb_write(const char *path, const rv_mesh *near, const rv_mesh *far,
                        const rvi_glb_ground *ground);

/* ---- For the formats themselves ---- */

static inline void rvi_put_u32(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}
void rvi_put_f32(unsigned char *at, float value);

/* The vector across a face, outwards; its length is twice the area. */
void rvi_face_normal(const rv_mesh *mesh, size_t face, double out[3]);
/* The normal of each vertex of the surface, the mean of its faces by area, into `sums`: three for
 * each, all 0. */
rv_status rvi_surface_normals(const rv_mesh *mesh, double *sums);
/* Makes it a vector of length 1, or (0, 0, 1) when it has no length. */
void rvi_unit_normal(double vector[3]);

#endif
