/* Any bytes as an PLY mesh: triangles with corners that exist, or a sentence, and no more memory
 * than allowed. */
#include "fuzz.h"

#include "base/context.h"
#include "formats/mesh_format.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    rvi_source source = {.name = "fuzz.ply", .data = data, .size = size, .total = size};
    rv_mesh *mesh;
    if (rvi_mesh_ply.decode(ctx, &source, &mesh) != RV_OK)
        return 0;
    for (size_t i = 0; i < 3 * mesh->face_count; i++)
        if (mesh->corners[i] >= mesh->vertex_count)
            abort();
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        if (!isfinite(mesh->points[i]))
            abort();
    rv_mesh_destroy(mesh);
    return 0;
}
