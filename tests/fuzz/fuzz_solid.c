/* Any bytes as the places and corners of a small mesh: the check ends, tells of corners and faces
 * that exist, and of the same faces that meet as a look at every pair. */
#include "fuzz.h"

#include "base/context.h"
#include "mesh/intersect.h"

enum { VERTICES = 16, FACES = 14 }; /* fewer faces than one is told to meet at most */

typedef struct tally {
    size_t faces, vertices, met;
} tally;

static void tell(void *user, const rv_fault *fault) {
    tally *t = user;
    char text[512];
    if (fault->kind >= RV_FAULT_COUNT || fault->face >= t->faces)
        abort();
    if (fault->other != RV_NO_NUMBER && fault->other >= t->faces)
        abort();
    for (int i = 0; i < 2; i++)
        if (fault->vertex[i] != RV_NO_NUMBER && fault->vertex[i] >= t->vertices)
            abort();
    if (rv_fault_print(fault, text, sizeof text) >= (int)sizeof text)
        abort();
    t->met += fault->kind == RV_FAULT_CROSSING_FACES;
}

static size_t count_pairs(const rv_mesh *mesh) {
    rvi_lattice l;
    size_t count = 0;
    if (rvi_lattice_create(mesh, &l) != RV_OK)
        abort();
    for (size_t f = 0; f < mesh->face_count; f++)
        for (size_t g = 0; g < f; g++) {
            bool flat = rvi_face_flat(&l, f) || rvi_face_flat(&l, g);
            if (!flat && rvi_faces_meet(&l, f, g) != rvi_faces_meet(&l, g, f))
                abort();
            count += !flat && rvi_faces_meet(&l, f, g);
        }
    rvi_lattice_destroy(&l);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    size_t faces = size > 3 * VERTICES ? (size - 3 * VERTICES) / 3 : 0;
    faces = faces < FACES ? faces : FACES;
    rv_mesh *mesh;
    if (faces == 0 || rvi_mesh_create(ctx, VERTICES, faces, false, &mesh) != RV_OK)
        return 0;
    for (size_t i = 0; i < 3 * VERTICES; i++)
        mesh->points[i] = (double)(int8_t)data[i] / 8;
    for (size_t i = 0; i < 3 * faces; i++)
        mesh->corners[i] = data[3 * VERTICES + i] % VERTICES;
    tally t = {.faces = faces, .vertices = VERTICES};
    if (rv_mesh_check(mesh, tell, &t) != RV_OK || t.met != count_pairs(mesh))
        abort();
    rv_mesh_destroy(mesh);
    return 0;
}
