/* solid_tints.c: colours that show how far the vertices of a mesh have moved. */
#include "picture/solid_tints.h"

#include "base/math.h"
#include "base/vector.h"
#include "picture/solid_faces.h"

#include <math.h>

void rvi_solid_tint_moved(float distance, float full, float out[4]) {
    static const float eroded[3] = {0.42f, 0.045f, 0.022f}, deposited[3] = {0.020f, 0.24f, 0.22f};
    float size = fabsf(distance) / rvi_maxf(full, 1e-20f);
    /* A square root, so that small changes are seen, too. */
    float share = sqrtf(rvi_clampf(size - 0.01f, 0, 1));
    for (int c = 0; c < 3; c++)
        out[c] = distance < 0 ? eroded[c] : deposited[c];
    out[3] = 0.92f * share;
}

rv_status rvi_solid_tints_moved(rv_context *ctx, const rvi_solid_mesh *m, const double *first,
                                float full, float (*out)[4]) {
    double(*normals)[3] =
        rvi_alloc(ctx, m->vertex_count + 1, sizeof *normals, "the normals of a mesh");
    if (!normals)
        return RV_ERROR_MEMORY;
    for (size_t f = 0; f < m->face_count; f++) {
        if (!rvi_solid_face_there(m, f))
            continue;
        const uint32_t *c = m->corners + 3 * f;
        double normal[3];
        rvi_normal3(m->points + 3 * (size_t)c[0], m->points + 3 * (size_t)c[1],
                    m->points + 3 * (size_t)c[2], normal);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                normals[c[k]][i] += normal[i];
    }
    for (size_t v = 0; v < m->vertex_count; v++) {
        double way[3], length = rvi_length3(normals[v]);
        rvi_minus3(m->points + 3 * v, first + 3 * v, way);
        double out_by = length > 0 ? rvi_dot3(way, normals[v]) / length : 0;
        rvi_solid_tint_moved((float)out_by, full, out[v]);
    }
    rvi_free(ctx, normals);
    return rvi_poll(ctx);
}
