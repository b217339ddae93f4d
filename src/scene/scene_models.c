/* scene_models.c: rock from files: placed, joined, measured. */
#include "base/context.h"
#include "scene/scene.h"

#include <string.h>

rv_status rvi_model_place(rv_mesh *mesh, const double scale[3], const double move[3],
                          bool reverse) {
    rv_status status = RV_OK;
    for (size_t i = 0; i < mesh->vertex_count && status == RV_OK; i++) {
        for (int k = 0; k < 3; k++)
            mesh->points[3 * i + (size_t)k] = mesh->points[3 * i + (size_t)k] * scale[k] + move[k];
        status = rvi_poll_at(mesh->ctx, i);
    }
    for (size_t f = 0; reverse && f < mesh->face_count && status == RV_OK; f++) {
        uint32_t *corner = mesh->corners + 3 * f, swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
        status = rvi_poll_at(mesh->ctx, f);
    }
    return status;
}

rv_status rvi_models_join(rv_context *ctx, rv_mesh *const *meshes, size_t count, rv_mesh **out) {
    size_t vertices = 0, faces = 0;
    for (size_t m = 0; m < count; m++) {
        vertices += meshes[m]->vertex_count;
        faces += meshes[m]->face_count;
    }
    rv_status status = rvi_mesh_create(ctx, vertices, faces, false, out);
    if (status != RV_OK)
        return status;
    vertices = faces = 0;
    for (size_t m = 0; m < count; m++) {
        const rv_mesh *mesh = meshes[m];
        memcpy((*out)->points + 3 * vertices, mesh->points,
               3 * mesh->vertex_count * sizeof *mesh->points);
        for (size_t k = 0; k < 3 * mesh->face_count; k++)
            (*out)->corners[3 * faces + k] = mesh->corners[k] + (uint32_t)vertices;
        vertices += mesh->vertex_count;
        faces += mesh->face_count;
    }
    return RV_OK;
}

void rvi_model_bounds(const rv_mesh *mesh, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = mesh->points[k];
        for (size_t i = 1; i < mesh->vertex_count; i++) {
            double at = mesh->points[3 * i + (size_t)k];
            low[k] = at < low[k] ? at : low[k];
            high[k] = at > high[k] ? at : high[k];
        }
    }
}
