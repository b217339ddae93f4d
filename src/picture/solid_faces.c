/* solid_faces.c: see the header. */
#include "picture/solid_faces.h"

#include "base/math.h"
#include "base/threads.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 2048 };

#define CREASE 0.766f /* cosine of 40 degrees */

typedef struct smoothing {
    const rvi_solid_mesh *mesh;
    rvi_solid_faces *faces;
    float (*flat)[3];   /* normals of the mesh's faces, of length 1 or 0 */
    float (*angles)[3]; /* at their corners */
    uint32_t *starts;   /* of the corners at each vertex */
    uint32_t *around;   /* 3 face + k */
    uint32_t *place;    /* of each face of the mesh among those of the picture */
} smoothing;

static float angle_between(const double a[3], const double b[3]) {
    double cross[3];
    rvi_cross3(a, b, cross);
    return rvi_atan2f((float)rvi_length3(cross), (float)rvi_dot3(a, b));
}

static void find_flat(void *arg, int64_t block) {
    const smoothing *s = arg;
    const rvi_solid_mesh *m = s->mesh;
    size_t end =
        ((size_t)block + 1) * BLOCK < m->face_count ? ((size_t)block + 1) * BLOCK : m->face_count;
    for (size_t f = (size_t)block * BLOCK; f < end; f++) {
        if (!rvi_solid_face_there(m, f))
            continue;
        const double *at[3];
        double n[3];
        for (int k = 0; k < 3; k++)
            at[k] = m->points + 3 * (size_t)m->corners[3 * f + (size_t)k];
        rvi_normal3(at[0], at[1], at[2], n);
        double length = rvi_length3(n);
        for (int k = 0; k < 3; k++)
            s->flat[f][k] = length > 0 ? (float)(n[k] / length) : 0;
        for (int k = 0; k < 3; k++) {
            double next[3], last[3];
            rvi_minus3(at[(k + 1) % 3], at[k], next);
            rvi_minus3(at[(k + 2) % 3], at[k], last);
            s->angles[f][k] = angle_between(next, last);
        }
    }
}

static void smooth_corner(const smoothing *s, size_t face, int corner, float out[3]) {
    uint32_t v = s->mesh->corners[3 * face + (size_t)corner];
    const float *own = s->flat[face];
    float sum[3] = {0}, square = 0;
    for (uint32_t i = s->starts[v]; i < s->starts[v + 1]; i++) {
        uint32_t other = s->around[i] / 3;
        const float *n = s->flat[other];
        if (rvi_dot3f(n, own) < CREASE)
            continue;
        for (int k = 0; k < 3; k++)
            sum[k] += s->angles[other][s->around[i] % 3] * n[k];
    }
    for (int k = 0; k < 3; k++)
        square += sum[k] * sum[k];
    float length = sqrtf(square);
    for (int k = 0; k < 3; k++)
        out[k] = length > 0 ? sum[k] / length : own[k];
}

static void smooth_block(void *arg, int64_t block) {
    const smoothing *s = arg;
    const rvi_solid_mesh *m = s->mesh;
    size_t end =
        ((size_t)block + 1) * BLOCK < m->face_count ? ((size_t)block + 1) * BLOCK : m->face_count;
    for (size_t f = (size_t)block * BLOCK; f < end; f++)
        for (int k = 0; k < 3 && rvi_solid_face_there(m, f); k++)
            smooth_corner(s, f, k, s->faces->normals[s->place[f]][k]);
}

static rv_status list_corners(smoothing *s) {
    const rvi_solid_mesh *m = s->mesh;
    for (size_t f = 0; f < m->face_count; f++)
        for (size_t k = 0; k < 3 && rvi_solid_face_there(m, f); k++)
            s->starts[m->corners[3 * f + k] + 1]++;
    for (size_t v = 0; v < m->vertex_count; v++)
        s->starts[v + 1] += s->starts[v];
    for (size_t f = m->face_count; f-- > 0;)
        for (size_t k = 3; k-- > 0 && rvi_solid_face_there(m, f);)
            s->around[--s->starts[m->corners[3 * f + k] + 1]] = (uint32_t)(3 * f + k);
    /* What began at v + 1 now begins at v: moved back by one. */
    for (size_t v = 0; v < m->vertex_count; v++)
        s->starts[v] = s->starts[v + 1];
    size_t live = 0;
    for (size_t f = 0; f < m->face_count; f++)
        live += rvi_solid_face_there(m, f);
    s->starts[m->vertex_count] = (uint32_t)(3 * live);
    return rvi_poll(s->faces->ctx);
}

static void take_face(const smoothing *s, size_t face, const double middle[3]) {
    const rvi_solid_mesh *m = s->mesh;
    rvi_solid_faces *out = s->faces;
    size_t to = s->place[face];
    memcpy(out->flat[to], s->flat[face], sizeof out->flat[to]);
    for (size_t k = 0; k < 3; k++) {
        size_t v = m->corners[3 * face + k];
        for (size_t c = 0; c < 3; c++)
            out->corners[to][k][c] = (float)(m->points[3 * v + c] - middle[c]);
        if (m->vertex_tints)
            memcpy(out->tints[to][k], m->vertex_tints[v], sizeof out->tints[to][k]);
        if (m->face_tints) {
            const float *over = m->face_tints[face];
            float *tint = out->tints[to][k];
            float cover = over[3] + (1 - over[3]) * tint[3];
            for (size_t c = 0; c < 3 && cover > 0; c++)
                tint[c] = (over[3] * over[c] + (1 - over[3]) * tint[3] * tint[c]) / cover;
            tint[3] = cover;
        }
    }
}

static rv_status add_mesh(rvi_solid_faces *out, const rvi_solid_mesh *m, const double middle[3]) {
    rv_context *ctx = out->ctx;
    const char *what = "the faces of a picture";
    smoothing s = {.mesh = m, .faces = out};
    s.flat = rvi_alloc(ctx, m->face_count + 1, sizeof *s.flat, what);
    s.angles = rvi_alloc(ctx, m->face_count + 1, sizeof *s.angles, what);
    s.starts = rvi_alloc(ctx, m->vertex_count + 2, sizeof *s.starts, what);
    s.around = rvi_alloc(ctx, 3 * m->face_count + 1, sizeof *s.around, what);
    s.place = rvi_alloc(ctx, m->face_count + 1, sizeof *s.place, what);
    int64_t blocks = (int64_t)((m->face_count + BLOCK - 1) / BLOCK);
    rv_status status =
        s.flat && s.angles && s.starts && s.around && s.place ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_parallel(ctx, blocks, find_flat, &s);
    if (status == RV_OK)
        status = list_corners(&s);
    for (size_t f = 0; f < m->face_count && status == RV_OK; f++) {
        if (!rvi_solid_face_there(m, f))
            continue;
        s.place[f] = (uint32_t)out->count++;
        take_face(&s, f, middle);
    }
    if (status == RV_OK)
        status = rvi_parallel(ctx, blocks, smooth_block, &s);
    rvi_free(ctx, s.flat);
    rvi_free(ctx, s.angles);
    rvi_free(ctx, s.starts);
    rvi_free(ctx, s.around);
    rvi_free(ctx, s.place);
    return status;
}

size_t rvi_solid_faces_memory(const rvi_solid_mesh *meshes, size_t mesh_count) {
    size_t bytes = 0;
    for (size_t k = 0; k < mesh_count; k++)
        bytes += meshes[k].face_count * 43 * sizeof(float) + meshes[k].vertex_count * 4;
    return bytes;
}

rv_status rvi_solid_faces_create(rv_context *ctx, const rvi_solid_mesh *meshes, size_t mesh_count,
                                 const double middle[3], rvi_solid_faces *out) {
    *out = (rvi_solid_faces){.ctx = ctx};
    size_t most = 1;
    bool tinted = false;
    for (size_t k = 0; k < mesh_count; k++) {
        most += meshes[k].face_count;
        tinted |= meshes[k].vertex_tints || meshes[k].face_tints;
    }
    out->corners = rvi_alloc(ctx, most, sizeof *out->corners, "the faces of a picture");
    out->flat = rvi_alloc(ctx, most, sizeof *out->flat, "the faces of a picture");
    out->normals = rvi_alloc(ctx, most, sizeof *out->normals, "the faces of a picture");
    if (tinted)
        out->tints = rvi_alloc(ctx, most, sizeof *out->tints, "the faces of a picture");
    bool room = out->corners && out->flat && out->normals && (out->tints || !tinted);
    rv_status status = room ? RV_OK : RV_ERROR_MEMORY;
    for (size_t k = 0; k < mesh_count && status == RV_OK; k++)
        status = add_mesh(out, &meshes[k], middle);
    if (status != RV_OK)
        rvi_solid_faces_destroy(out);
    return status;
}

void rvi_solid_faces_destroy(rvi_solid_faces *f) {
    if (f->ctx) {
        rvi_free(f->ctx, f->corners);
        rvi_free(f->ctx, f->flat);
        rvi_free(f->ctx, f->normals);
        rvi_free(f->ctx, f->tints);
    }
    *f = (rvi_solid_faces){0};
}
