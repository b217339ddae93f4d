/* half_edges.c: splits, flips and collapses. */
#include "mesh/half_edges.h"

#include "base/sort.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

/* How much the normal of a face may turn, as a cosine. */
#define TURN 0.3

rv_status rvi_half_edges_create(rv_context *ctx, size_t room, rvi_half_edges *n) {
    *n = (rvi_half_edges){.ctx = ctx, .room = room};
    size_t faces = 2 * room + 16;
    n->at = rvi_alloc(ctx, room, sizeof *n->at, "a ready scene");
    n->leaving = rvi_alloc(ctx, room, sizeof *n->leaving, "a ready scene");
    n->corners = rvi_alloc(ctx, faces, 3 * sizeof *n->corners, "a ready scene");
    n->twins = rvi_alloc(ctx, faces, 3 * sizeof *n->twins, "a ready scene");
    n->patch = rvi_alloc(ctx, faces, 1, "a ready scene");
    if (n->at && n->leaving && n->corners && n->twins && n->patch)
        return RV_OK;
    rvi_half_edges_destroy(n);
    return RV_ERROR_MEMORY;
}

void rvi_half_edges_destroy(rvi_half_edges *n) {
    if (n->ctx) {
        rvi_free(n->ctx, n->at);
        rvi_free(n->ctx, n->leaving);
        rvi_free(n->ctx, n->corners);
        rvi_free(n->ctx, n->twins);
        rvi_free(n->ctx, n->patch);
    }
    *n = (rvi_half_edges){0};
}

rv_status rvi_half_edges_join(rvi_half_edges *n) {
    size_t count = 3 * n->faces;
    rvi_keyed *edges = rvi_alloc(n->ctx, count + 1, sizeof *edges, "a ready scene");
    if (!edges)
        return RV_ERROR_MEMORY;
    for (uint32_t h = 0; h < count; h++) {
        uint64_t a = n->corners[h], b = rvi_end_of(n, h);
        edges[h] = (rvi_keyed){a < b ? a << 32 | b : b << 32 | a, h};
        n->leaving[a] = h;
    }
    rv_status status = rvi_sort(n->ctx, edges, count);
    for (size_t i = 0; i + 1 < count && status == RV_OK; i += 2) {
        if (edges[i].key != edges[i + 1].key)
            status = rvi_fail(n->ctx, RV_ERROR_INTERNAL, "The rock of a scene is not closed.");
        n->twins[edges[i].value] = edges[i + 1].value;
        n->twins[edges[i + 1].value] = edges[i].value;
    }
    rvi_free(n->ctx, edges);
    return status;
}

unsigned rvi_half_edges_patches(const rvi_half_edges *n, uint32_t v) {
    unsigned bits = 0;
    uint32_t h = n->leaving[v];
    do {
        bits |= 1u << n->patch[h / 3];
        h = rvi_around(n, h);
    } while (h != n->leaving[v]);
    return bits;
}

void rvi_half_edges_normal(const rvi_half_edges *n, uint32_t face, double out[3]) {
    const uint32_t *c = n->corners + 3 * (size_t)face;
    rvi_normal3(n->at[c[0]], n->at[c[1]], n->at[c[2]], out);
}

double rvi_half_edges_length(const rvi_half_edges *n, uint32_t h) {
    const double *a = n->at[n->corners[h]], *b = n->at[rvi_end_of(n, h)];
    double way[3];
    rvi_minus3(b, a, way);
    return rvi_length3(way);
}

static void pair(rvi_half_edges *n, uint32_t a, uint32_t b) {
    n->twins[a] = b;
    n->twins[b] = a;
}

static void set_face(rvi_half_edges *n, uint32_t first, uint32_t a, uint32_t b, uint32_t c) {
    n->corners[first] = a;
    n->corners[rvi_next(first)] = b;
    n->corners[rvi_last(first)] = c;
}

uint32_t rvi_half_edges_split(rvi_half_edges *n, uint32_t h) {
    uint32_t t = n->twins[h], a = n->corners[h], b = n->corners[t];
    uint32_t c = n->corners[rvi_last(h)], d = n->corners[rvi_last(t)];
    uint32_t bc = n->twins[rvi_next(h)], db = n->twins[rvi_last(t)];
    uint32_t m = (uint32_t)n->vertices++, f = 3 * (uint32_t)n->faces, g = f + 3;
    n->faces += 2;
    for (int k = 0; k < 3; k++)
        n->at[m][k] = 0.5 * (n->at[a][k] + n->at[b][k]);
    n->patch[f / 3] = n->patch[h / 3];
    n->patch[g / 3] = n->patch[t / 3];
    set_face(n, h, a, m, c);
    set_face(n, f, m, b, c);
    set_face(n, t, m, a, d);
    set_face(n, g, b, m, d);
    pair(n, f, g);
    pair(n, f + 1, bc);
    pair(n, f + 2, rvi_next(h));
    pair(n, g + 1, rvi_last(t));
    pair(n, g + 2, db);
    n->leaving[m] = f;
    n->leaving[b] = g;
    n->leaving[a] = h;
    n->leaving[c] = rvi_last(h);
    n->leaving[d] = rvi_last(t);
    return m;
}

static bool joined(const rvi_half_edges *n, uint32_t a, uint32_t b) {
    uint32_t h = n->leaving[a];
    do {
        if (rvi_end_of(n, h) == b)
            return true;
        h = rvi_around(n, h);
    } while (h != n->leaving[a]);
    return false;
}

static bool turned(const double a[3], const double b[3]) {
    return rvi_dot3(a, b) <= TURN * sqrt(rvi_dot3(a, a) * rvi_dot3(b, b));
}

static bool on_crease(const rvi_half_edges *n, uint32_t v) {
    unsigned patches = rvi_half_edges_patches(n, v);
    return (patches & (patches - 1)) != 0;
}

/* A face with all corners on creases would lie in the patch beside its own where that one is
 * flat. */
static bool all_on_creases(const rvi_half_edges *n, uint32_t a, uint32_t b, uint32_t c) {
    return on_crease(n, a) && on_crease(n, b) && on_crease(n, c);
}

bool rvi_half_edges_flip(rvi_half_edges *n, uint32_t h) {
    uint32_t t = n->twins[h], a = n->corners[h], b = n->corners[t];
    uint32_t c = n->corners[rvi_last(h)], d = n->corners[rvi_last(t)];
    if (rvi_crease(n, h) || c == d || joined(n, c, d))
        return false;
    double before[3], other[3], mean[3], f[3], g[3];
    rvi_half_edges_normal(n, h / 3, before);
    rvi_half_edges_normal(n, t / 3, other);
    for (int k = 0; k < 3; k++)
        mean[k] = before[k] + other[k];
    rvi_normal3(n->at[a], n->at[d], n->at[c], f);
    rvi_normal3(n->at[b], n->at[c], n->at[d], g);
    if (turned(before, other) || turned(mean, f) || turned(mean, g))
        return false;
    if (all_on_creases(n, a, d, c) || all_on_creases(n, b, c, d))
        return false;
    uint32_t bc = n->twins[rvi_next(h)], ad = n->twins[rvi_next(t)];
    set_face(n, h, a, d, c);
    set_face(n, t, b, c, d);
    pair(n, h, ad);
    pair(n, t, bc);
    pair(n, rvi_next(h), rvi_next(t));
    n->leaving[a] = h;
    n->leaving[b] = t;
    n->leaving[c] = rvi_last(h);
    n->leaving[d] = rvi_last(t);
    return true;
}

/* ---- collapse ---- */

/* The neighbours that both ends have are the two opposite corners alone. */
static bool linked_well(const rvi_half_edges *n, uint32_t h) {
    uint32_t a = n->corners[h], b = rvi_end_of(n, h), k = n->leaving[a];
    int common = 0;
    do {
        common += joined(n, b, rvi_end_of(n, k));
        k = rvi_around(n, k);
    } while (k != n->leaving[a]);
    return common == 2;
}

/* Would a face around turn over? */
static bool folds(const rvi_half_edges *n, uint32_t h) {
    uint32_t a = n->corners[h], b = rvi_end_of(n, h), k = h;
    for (k = rvi_around(n, k); k != h; k = rvi_around(n, k)) {
        uint32_t p = rvi_end_of(n, k), q = n->corners[rvi_last(k)];
        double before[3], after[3];
        if (p == b || q == b)
            continue;
        rvi_normal3(n->at[a], n->at[p], n->at[q], before);
        rvi_normal3(n->at[b], n->at[p], n->at[q], after);
        if (turned(before, after) || all_on_creases(n, b, p, q))
            return true;
    }
    return false;
}

static void move_face(rvi_half_edges *n, uint32_t to) {
    uint32_t from = (uint32_t)--n->faces;
    if (from == to)
        return;
    n->patch[to] = n->patch[from];
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t old = 3 * from + k, now = 3 * to + k;
        n->corners[now] = n->corners[old];
        /* No face is its own neighbour. */
        pair(n, now, n->twins[old]);
        if (n->leaving[n->corners[now]] == old)
            n->leaving[n->corners[now]] = now;
    }
}

static void move_vertex(rvi_half_edges *n, uint32_t to) {
    uint32_t from = (uint32_t)--n->vertices;
    if (from == to)
        return;
    memcpy(n->at[to], n->at[from], sizeof n->at[to]);
    n->leaving[to] = n->leaving[from];
    uint32_t h = n->leaving[to];
    do {
        n->corners[h] = to;
        h = rvi_around(n, h);
    } while (h != n->leaving[to]);
}

static bool patches_allow(const rvi_half_edges *n, uint32_t h) {
    unsigned a = rvi_half_edges_patches(n, n->corners[h]),
             b = rvi_half_edges_patches(n, rvi_end_of(n, h));
    if ((a & b) != a)
        return false;
    int many = 0;
    for (unsigned k = a; k; k &= k - 1)
        many++;
    return many == 1 || (many == 2 && rvi_crease(n, h));
}

bool rvi_half_edges_collapse(rvi_half_edges *n, uint32_t h) {
    uint32_t t = n->twins[h], a = n->corners[h], b = n->corners[t];
    uint32_t c = n->corners[rvi_last(h)], d = n->corners[rvi_last(t)];
    if (!patches_allow(n, h) || !linked_well(n, h) || folds(n, h))
        return false;
    uint32_t ca = n->twins[rvi_last(h)], bc = n->twins[rvi_next(h)];
    uint32_t ad = n->twins[rvi_next(t)], db = n->twins[rvi_last(t)];
    uint32_t k = h;
    do {
        n->corners[k] = b;
        k = rvi_around(n, k);
    } while (k != h);
    pair(n, ca, bc);
    pair(n, ad, db);
    n->leaving[b] = ca; /* which came from a, and now from b */
    n->leaving[c] = bc;
    n->leaving[d] = ad;
    uint32_t first = h / 3 > t / 3 ? h / 3 : t / 3, second = h / 3 > t / 3 ? t / 3 : h / 3;
    move_face(n, first);
    move_face(n, second);
    move_vertex(n, a);
    return true;
}
