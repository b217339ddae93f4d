/* Any bytes as a mesh, as PLY. */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_mesh(&rvi_mesh_ply, "fuzz.ply", data, size);
}
