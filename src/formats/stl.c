/* stl.c: meshes as binary STL (3D Systems, 1989), for printers: 80 bytes of title, the number of
 * faces, and for each its normal, its three corners and two unused bytes; little-endian floats.
 * Corners are written again for each face; equal ones are equal to the last bit. */
#include "formats/mesh_format.h"

#include <string.h>

#include "base/context.h"

enum { TITLE = 80, FACE = 50, POLL = 4096 };

static void put_face(const rv_mesh *mesh, size_t face, unsigned char out[FACE]) {
    double normal[3];
    rvi_face_normal(mesh, face, normal);
    rvi_unit_normal(normal);
    memset(out, 0, FACE);
    for (size_t i = 0; i < 3; i++)
        rvi_put_f32(out + 4 * i, (float)normal[i]);
    for (size_t k = 0; k < 3; k++) {
        const double *point = mesh->points + 3 * (size_t)mesh->corners[3 * face + k];
        for (size_t i = 0; i < 3; i++)
            rvi_put_f32(out + 12 + 12 * k + 4 * i, (float)point[i]);
    }
}

static rv_status stl_encode(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land) {
    (void)land;
    /* It must not begin with "solid": that is how readers know the text form. */
    unsigned char start[TITLE + 4] = "Ravine: metres, x east, y north, z up";
    rvi_put_u32(start + TITLE, (uint32_t)mesh->face_count);
    rv_status status = rvi_writer_put(writer, start, sizeof start);
    for (size_t f = 0; f < mesh->face_count && status == RV_OK; f++) {
        unsigned char face[FACE];
        put_face(mesh, f, face);
        status = rvi_writer_put(writer, face, sizeof face);
        if (status == RV_OK && f % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    return status;
}

const rvi_mesh_format rvi_mesh_stl = {".stl", stl_encode, NULL};
