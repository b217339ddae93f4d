/* mesh_format.c: which formats of meshes there are, and what they have in common. */
#include "formats/mesh_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/text.h"
#include "base/vector.h"

static const rvi_mesh_format *const formats[] = {&rvi_mesh_obj, &rvi_mesh_ply, &rvi_mesh_stl,
                                                 &rvi_mesh_glb};
enum { FORMATS = sizeof formats / sizeof formats[0] };

const rvi_mesh_format *rvi_mesh_format_find(const char *path) {
    for (int i = 0; i < FORMATS; i++)
        if (rvi_text_ends(path, formats[i]->extension))
            return formats[i];
    return NULL;
}

rv_status rv_mesh_save(const rv_mesh *mesh, const char *path, const rv_terrain *land) {
    RVI_ENTRY(mesh->ctx);
    rvi_progress_begin(mesh->ctx, "the mesh");
    rv_status status = land ? rvi_terrain_fetch(land) : RV_OK;
    return status == RV_OK ? rvi_mesh_write(mesh, path, land) : status;
}

rv_status rvi_mesh_write(const rv_mesh *mesh, const char *path, const rv_terrain *land) {
    const rvi_mesh_format *format = rvi_mesh_format_find(path);
    if (format == NULL)
        return rvi_fail(mesh->ctx, RV_ERROR_USAGE,
                        "%s: the name of a mesh must end in .obj, .ply, .stl or .glb.", path);
    rvi_writer *writer;
    rv_status status = rvi_writer_open(mesh->ctx, path, &writer);
    if (status != RV_OK)
        return status;
    status = format->encode(writer, mesh, land);
    if (status == RV_OK)
        return rvi_writer_commit(writer);
    rvi_writer_abandon(writer);
    return status;
}

rv_status rv_mesh_load(rv_context *ctx, const char *path, rv_mesh **out) {
    RVI_ENTRY(ctx);
    rvi_progress_begin(ctx, "the mesh");
    return rvi_mesh_read(ctx, path, out);
}

rv_status rvi_mesh_read(rv_context *ctx, const char *path, rv_mesh **out) {
    *out = NULL;
    const rvi_mesh_format *format = rvi_mesh_format_find(path);
    if (format == NULL || format->decode == NULL)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s: the name of a mesh to read must end in .obj or .ply.", path);
    rvi_bytes bytes = {0};
    rv_status status = rvi_file_read(ctx, path, &bytes);
    if (status != RV_OK)
        return status;
    rvi_source source = {.name = path, .data = bytes.data, .size = bytes.size, .total = bytes.size};
    status = format->decode(ctx, &source, out);
    rvi_free(ctx, bytes.data);
    return status;
}

/* ---- For the formats themselves ---- */

void rvi_put_f32(unsigned char *at, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    rvi_put_u32(at, bits);
}

void rvi_face_normal(const rv_mesh *mesh, size_t face, double out[3]) {
    const uint32_t *corner = mesh->corners + 3 * face;
    const double *a = mesh->points + 3 * (size_t)corner[0];
    const double *b = mesh->points + 3 * (size_t)corner[1];
    const double *c = mesh->points + 3 * (size_t)corner[2];
    rvi_normal3(a, b, c, out);
}

void rvi_unit_normal(double vector[3]) {
    double length = rvi_length3(vector);
    bool some = length > 0.0 && isfinite(length);
    for (int i = 0; i < 3; i++)
        vector[i] = some ? vector[i] / length : i == 2 ? 1.0 : 0.0;
}

rv_status rvi_surface_normals(const rv_mesh *mesh, double *sums) {
    double normal[3];
    for (size_t f = 0; f < mesh->surface_faces; f++) {
        rvi_face_normal(mesh, f, normal);
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < 3; i++)
                sums[3 * (size_t)mesh->corners[3 * f + k] + i] += normal[i];
        if (rvi_poll_at(mesh->ctx, f) != RV_OK)
            return RV_CANCELLED;
    }
    for (size_t v = 0; v < mesh->surface_vertices; v++) {
        rvi_unit_normal(sums + 3 * v);
        if (rvi_poll_at(mesh->ctx, v) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}
