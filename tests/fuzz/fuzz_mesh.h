/* fuzz_mesh.h: any bytes as a mesh of a format: triangles with corners that exist, or a sentence,
 * and no more memory than allowed. */
#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include "fuzz.h"

#include "base/context.h"
#include "formats/mesh_format.h"

#include <math.h>

static inline int fuzz_mesh(const rvi_mesh_format *format, const char *name, const uint8_t *data,
                            size_t size) {
    rv_context *ctx = fuzz_context();
    rvi_source source = {.name = name, .data = data, .size = size, .total = size};
    rv_mesh *mesh;
    if (format->decode(ctx, &source, &mesh) != RV_OK)
        return 0;
    for (size_t i = 0; i < 3 * mesh->face_count; i++)
        demand(mesh->corners[i] < mesh->vertex_count);
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        demand(isfinite(mesh->points[i]));
    rv_mesh_destroy(mesh);
    return 0;
}

#endif
