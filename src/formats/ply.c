/* ply.c: meshes as binary little-endian PLY (G. Turk, 1994). Each vertex has x, y, z and, when the
 * mesh came from a terrain, one more float for each of its fields, by the field's name. */
#include "formats/mesh_format.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "terrain/state.h"

enum { POLL = 4096, CORNERS = 13 };

static rv_status put_text(rvi_writer *writer, const char *text) {
    return rvi_writer_put(writer, text, strlen(text));
}

/* A field can have any name; a property is one word. */
static rv_status put_property(rvi_writer *writer, const char *name) {
    char line[RVI_NAME + 32];
    int start = snprintf(line, sizeof line, "property float ");
    snprintf(line + start, sizeof line - (size_t)start, "%s\n", name);
    for (char *c = line + start; *c != '\n'; c++)
        if (!(*c > ' ' && *c < 127))
            *c = '_';
    return put_text(writer, line);
}

static rv_status put_header(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land) {
    char start[256];
    snprintf(start, sizeof start,
             "ply\nformat binary_little_endian 1.0\ncomment Ravine: metres, x east, y north, z up\n"
             "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n",
             mesh->vertex_count);
    rv_status status = put_text(writer, start);
    for (int i = 0; land != NULL && i < land->field_count && status == RV_OK; i++)
        status = put_property(writer, land->fields[i].name);
    char end[128];
    snprintf(end, sizeof end,
             "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
             mesh->face_count);
    return status == RV_OK ? put_text(writer, end) : status;
}

static rv_status put_vertices(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land) {
    rv_status status = RV_OK;
    for (size_t v = 0; v < mesh->vertex_count && status == RV_OK; v++) {
        assert(land == NULL || mesh->cells[v] < rvi_cells(land)); /* is it the land it came from? */
        unsigned char bytes[12];
        for (size_t i = 0; i < 3; i++)
            rvi_put_f32(bytes + 4 * i, (float)mesh->points[3 * v + i]);
        status = rvi_writer_put(writer, bytes, sizeof bytes);
        for (int i = 0; land != NULL && i < land->field_count && status == RV_OK; i++) {
            rvi_put_f32(bytes, land->fields[i].values[mesh->cells[v]]);
            status = rvi_writer_put(writer, bytes, 4);
        }
        if (status == RV_OK && v % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    return status;
}

static rv_status put_faces(rvi_writer *writer, const rv_mesh *mesh) {
    rv_status status = RV_OK;
    for (size_t f = 0; f < mesh->face_count && status == RV_OK; f++) {
        unsigned char bytes[CORNERS] = {3};
        for (size_t k = 0; k < 3; k++)
            rvi_put_u32(bytes + 1 + 4 * k, mesh->corners[3 * f + k]);
        status = rvi_writer_put(writer, bytes, sizeof bytes);
        if (status == RV_OK && f % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    return status;
}

static rv_status ply_encode(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land) {
    const rv_terrain *from = mesh->cells != NULL ? land : NULL;
    rv_status status = put_header(writer, mesh, from);
    if (status == RV_OK)
        status = put_vertices(writer, mesh, from);
    return status == RV_OK ? put_faces(writer, mesh) : status;
}

const rvi_mesh_format rvi_mesh_ply = {".ply", ply_encode, NULL};
