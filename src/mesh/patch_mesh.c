/* patch_mesh.c: splits, flips and collapses that keep patches apart. */
#include "mesh/patch_mesh.h"

#include "base/vector.h"

#include <math.h>
#include <string.h>

/* How much the normal of a face may turn, as a cosine. */
#define TURN_COS 0.3

static const char what[] = "the mesh of a preset";

rv_status rvi_patch_mesh_create(rv_context *ctx, size_t room, rvi_patch_mesh *m) {
    *m = (rvi_patch_mesh){.ctx = ctx, .room = room};
    size_t faces = 2 * room + 16;
    m->at = rvi_alloc(ctx, room, sizeof *m->at, what);
    m->edges.leaving = rvi_alloc(ctx, room, sizeof *m->edges.leaving, what);
    m->edges.corners = rvi_alloc(ctx, faces, 3 * sizeof *m->edges.corners, what);
    m->edges.twins = rvi_alloc(ctx, faces, 3 * sizeof *m->edges.twins, what);
    m->patch = rvi_alloc(ctx, faces, 1, what);
    if (m->at && m->edges.leaving && m->edges.corners && m->edges.twins && m->patch)
        return RV_OK;
    rvi_patch_mesh_destroy(m);
    return RV_ERROR_MEMORY;
}

void rvi_patch_mesh_destroy(rvi_patch_mesh *m) {
    if (m->ctx) {
        rvi_free(m->ctx, m->at);
        rvi_free(m->ctx, m->edges.leaving);
        rvi_free(m->ctx, m->edges.corners);
        rvi_free(m->ctx, m->edges.twins);
        rvi_free(m->ctx, m->patch);
    }
    *m = (rvi_patch_mesh){0};
}

rv_status rvi_patch_mesh_link(rvi_patch_mesh *m) {
    for (uint32_t e = 0; e < 3 * m->faces; e++)
        m->edges.leaving[m->edges.corners[e]] = e;
    return rvi_edges_find_twins(m->ctx, &m->edges, m->faces);
}

unsigned rvi_patch_mesh_patches(const rvi_patch_mesh *m, uint32_t v) {
    unsigned bits = 0;
    uint32_t first = m->edges.leaving[v], e = first;
    do {
        bits |= 1u << m->patch[e / 3];
        e = rvi_edge_around(&m->edges, e);
    } while (e != first);
    return bits;
}

void rvi_patch_mesh_normal(const rvi_patch_mesh *m, uint32_t face, double out[3]) {
    const uint32_t *c = m->edges.corners + 3 * (size_t)face;
    rvi_normal3(m->at[c[0]], m->at[c[1]], m->at[c[2]], out);
}

double rvi_patch_mesh_length(const rvi_patch_mesh *m, uint32_t e) {
    double way[3];
    rvi_minus3(m->at[rvi_edge_to(&m->edges, e)], m->at[rvi_edge_from(&m->edges, e)], way);
    return rvi_length3(way);
}

uint32_t rvi_patch_mesh_split(rvi_patch_mesh *m, uint32_t e) {
    rvi_half_edges *h = &m->edges;
    uint32_t twin = h->twins[e], a = rvi_edge_from(h, e), b = rvi_edge_to(h, e);
    uint32_t c = rvi_edge_opposite(h, e), d = rvi_edge_opposite(h, twin);
    uint32_t v = (uint32_t)m->vertices++, f = 3 * (uint32_t)m->faces, g = f + 3;
    m->faces += 2;
    for (int k = 0; k < 3; k++)
        m->at[v][k] = 0.5 * (m->at[a][k] + m->at[b][k]);
    m->patch[f / 3] = m->patch[e / 3];
    m->patch[g / 3] = m->patch[twin / 3];
    rvi_edge_split_side(h, e, v, e, f);
    rvi_edge_split_side(h, twin, v, g, twin);
    rvi_edge_pair(h, f, g);
    h->leaving[v] = f;
    h->leaving[b] = g;
    h->leaving[a] = e;
    h->leaving[c] = rvi_edge_before(e);
    h->leaving[d] = rvi_edge_before(twin);
    return v;
}

static bool turned(const double a[3], const double b[3]) {
    return rvi_dot3(a, b) <= TURN_COS * sqrt(rvi_dot3(a, a) * rvi_dot3(b, b));
}

static bool on_crease(const rvi_patch_mesh *m, uint32_t v) {
    return rvi_patch_count(rvi_patch_mesh_patches(m, v)) > 1;
}

/* A face with all corners on creases would lie in the patch beside its own where that one is
 * flat. */
static bool all_on_creases(const rvi_patch_mesh *m, uint32_t a, uint32_t b, uint32_t c) {
    return on_crease(m, a) && on_crease(m, b) && on_crease(m, c);
}

bool rvi_patch_mesh_flip(rvi_patch_mesh *m, uint32_t e) {
    rvi_half_edges *h = &m->edges;
    uint32_t twin = h->twins[e], a = rvi_edge_from(h, e), b = rvi_edge_to(h, e);
    uint32_t c = rvi_edge_opposite(h, e), d = rvi_edge_opposite(h, twin);
    if (rvi_patch_mesh_crease(m, e) || c == d || rvi_edge_between(h, c, d) != RVI_NONE)
        return false;
    double before[3], other[3], mean[3], f[3], g[3];
    rvi_patch_mesh_normal(m, e / 3, before);
    rvi_patch_mesh_normal(m, twin / 3, other);
    for (int k = 0; k < 3; k++)
        mean[k] = before[k] + other[k];
    rvi_normal3(m->at[a], m->at[d], m->at[c], f);
    rvi_normal3(m->at[b], m->at[c], m->at[d], g);
    if (turned(before, other) || turned(mean, f) || turned(mean, g))
        return false;
    if (all_on_creases(m, a, d, c) || all_on_creases(m, b, c, d))
        return false;
    rvi_edge_flip(h, e, rvi_edge_before(twin));
    h->leaving[a] = e;
    h->leaving[b] = twin;
    h->leaving[c] = rvi_edge_before(e);
    h->leaving[d] = rvi_edge_before(twin);
    return true;
}

/* ---- collapse ---- */

/* The neighbours that both ends have are the two opposite corners alone. */
static bool link_allows(const rvi_patch_mesh *m, uint32_t e) {
    const rvi_half_edges *h = &m->edges;
    uint32_t b = rvi_edge_to(h, e), first = h->leaving[rvi_edge_from(h, e)], k = first;
    int common = 0;
    do {
        common += rvi_edge_between(h, b, rvi_edge_to(h, k)) != RVI_NONE;
        k = rvi_edge_around(h, k);
    } while (k != first);
    return common == 2;
}

/* Would a face around turn over? */
static bool folds(const rvi_patch_mesh *m, uint32_t e) {
    const rvi_half_edges *h = &m->edges;
    uint32_t a = rvi_edge_from(h, e), b = rvi_edge_to(h, e);
    for (uint32_t k = rvi_edge_around(h, e); k != e; k = rvi_edge_around(h, k)) {
        uint32_t p = rvi_edge_to(h, k), q = rvi_edge_opposite(h, k);
        double before[3], after[3];
        if (p == b || q == b)
            continue;
        rvi_normal3(m->at[a], m->at[p], m->at[q], before);
        rvi_normal3(m->at[b], m->at[p], m->at[q], after);
        if (turned(before, after) || all_on_creases(m, b, p, q))
            return true;
    }
    return false;
}

static bool patches_allow(const rvi_patch_mesh *m, uint32_t e) {
    unsigned a = rvi_patch_mesh_patches(m, rvi_edge_from(&m->edges, e)),
             b = rvi_patch_mesh_patches(m, rvi_edge_to(&m->edges, e));
    if ((a & b) != a)
        return false;
    int count = rvi_patch_count(a);
    return count == 1 || (count == 2 && rvi_patch_mesh_crease(m, e));
}

/* The last face gets the number of one that vanished. */
static void move_last_face(rvi_patch_mesh *m, uint32_t to) {
    rvi_half_edges *h = &m->edges;
    uint32_t from = (uint32_t)--m->faces;
    if (from == to)
        return;
    m->patch[to] = m->patch[from];
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t old = 3 * from + k, now = 3 * to + k;
        h->corners[now] = h->corners[old];
        /* No face is its own neighbour. */
        rvi_edge_pair(h, now, h->twins[old]);
        if (h->leaving[h->corners[now]] == old)
            h->leaving[h->corners[now]] = now;
    }
}

static void move_last_vertex(rvi_patch_mesh *m, uint32_t to) {
    rvi_half_edges *h = &m->edges;
    uint32_t from = (uint32_t)--m->vertices;
    if (from == to)
        return;
    memcpy(m->at[to], m->at[from], sizeof m->at[to]);
    uint32_t first = h->leaving[to] = h->leaving[from], e = first;
    do {
        h->corners[e] = to;
        e = rvi_edge_around(h, e);
    } while (e != first);
}

bool rvi_patch_mesh_collapse(rvi_patch_mesh *m, uint32_t e) {
    rvi_half_edges *h = &m->edges;
    uint32_t twin = h->twins[e], a = rvi_edge_from(h, e), b = rvi_edge_to(h, e);
    uint32_t c = rvi_edge_opposite(h, e), d = rvi_edge_opposite(h, twin);
    if (!patches_allow(m, e) || !link_allows(m, e) || folds(m, e))
        return false;
    uint32_t ca = h->twins[rvi_edge_before(e)], bc = h->twins[rvi_edge_next(e)];
    uint32_t ad = h->twins[rvi_edge_next(twin)], db = h->twins[rvi_edge_before(twin)];
    uint32_t k = e;
    do {
        h->corners[k] = b;
        k = rvi_edge_around(h, k);
    } while (k != e);
    rvi_edge_pair(h, ca, bc);
    rvi_edge_pair(h, ad, db);
    h->leaving[b] = ca; /* which came from a, and now from b */
    h->leaving[c] = bc;
    h->leaving[d] = ad;
    uint32_t first = e / 3 > twin / 3 ? e / 3 : twin / 3;
    move_last_face(m, first);
    move_last_face(m, e / 3 + twin / 3 - first);
    move_last_vertex(m, a);
    return true;
}
