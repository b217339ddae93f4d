/* check.c: is a mesh the surface of a solid? Closed and manifold (each edge between two faces, each
 * vertex in one fan), no face without area, no self-intersections, and the right way out: decided
 * exactly, on a lattice.
 *
 * Faces that meet are looked for in parallel: for each face a walk through the tree of boxes. How
 * many each meets is counted first, then they are written where they belong, so that the order does
 * not depend on threads. */
#include "mesh/shells.h"

#include <stdio.h>

#include "base/context.h"
#include "base/threads.h"

enum { BLOCK = 256, MOST = 16 };

typedef struct search {
    const rvi_lattice *lattice;
    const rvi_boxes *boxes;
    uint8_t *flat;   /* of each face: has it no area? */
    uint8_t *counts; /* of each face: how many later ones does it meet? */
    size_t *starts;  /* where they begin in `met` */
    uint32_t *met;
} search;

/* Counts faults while it passes them on. */
typedef struct listener {
    rv_context *ctx;
    rv_fault_fn tell;
    void *user;
    size_t count;
} listener;

static void listen(void *user, const rv_fault *fault) {
    listener *l = user;
    l->count++;
    bool inside = rvi_callback_begin(l->ctx);
    l->tell(l->user, fault);
    rvi_callback_end(l->ctx, inside);
}

/* ---- Faces without area ---- */

static void find_flat(void *arg, int64_t block) {
    search *s = arg;
    size_t end = ((size_t)block + 1) * BLOCK, faces = s->lattice->mesh->face_count;
    for (size_t f = (size_t)block * BLOCK; f < end && f < faces; f++)
        s->flat[f] = rvi_face_flat(s->lattice, f);
}

static rv_fault face_fault(const rv_mesh *mesh, rv_fault_kind kind, size_t face) {
    rv_fault fault = {.kind = kind,
                      .face = (uint32_t)face,
                      .other = RV_NO_NUMBER,
                      .vertex = {RV_NO_NUMBER, RV_NO_NUMBER}};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            fault.at[i] += mesh->points[3 * (size_t)mesh->corners[3 * face + k] + i] / 3;
    return fault;
}

/* ---- Faces that meet ---- */

/* The later faces that one meets, at most MOST, in order. Later are those with a higher place in
 * the order of the boxes; each pair is found once. */
static size_t find_met(const search *s, size_t place, uint32_t out[MOST]) {
    const rvi_boxes *b = s->boxes;
    uint32_t face = b->order[place];
    size_t count = 0;
    if (s->flat[face])
        return 0;
    rvi_walk walk;
    rvi_walk_behind(&walk, b, place);
    for (size_t other; count < MOST && rvi_walk_next(&walk, &other);) {
        uint32_t g = b->order[other];
        if (!s->flat[g] && rvi_faces_meet(s->lattice, face, g))
            out[count++] = g;
    }
    for (size_t i = 1; i < count; i++) /* few: by insertion */
        for (size_t k = i; k > 0 && out[k - 1] > out[k]; k--) {
            uint32_t swap = out[k];
            out[k] = out[k - 1];
            out[k - 1] = swap;
        }
    return count;
}

static void count_met(void *arg, int64_t block) {
    search *s = arg;
    uint32_t found[MOST];
    size_t end = ((size_t)block + 1) * BLOCK;
    for (size_t i = (size_t)block * BLOCK; i < end && i < s->boxes->faces; i++)
        s->counts[s->boxes->order[i]] = (uint8_t)find_met(s, i, found);
}

static void write_met(void *arg, int64_t block) {
    search *s = arg;
    size_t end = ((size_t)block + 1) * BLOCK;
    for (size_t i = (size_t)block * BLOCK; i < end && i < s->boxes->faces; i++) {
        uint32_t found[MOST], face = s->boxes->order[i];
        size_t count = s->counts[face] > 0 ? find_met(s, i, found) : 0;
        for (size_t k = 0; k < count; k++)
            s->met[s->starts[face] + k] = found[k];
    }
}

/* In the middle of where the boxes of both meet. */
static rv_fault met_fault(const rv_mesh *mesh, uint32_t face, uint32_t other) {
    rv_fault fault = {.kind = RV_FAULT_CROSSING_FACES,
                      .face = face < other ? face : other,
                      .other = face < other ? other : face,
                      .vertex = {RV_NO_NUMBER, RV_NO_NUMBER}};
    for (size_t i = 0; i < 3; i++) {
        double low[2], high[2];
        for (size_t n = 0; n < 2; n++) {
            const uint32_t *corner = mesh->corners + 3 * (size_t)(n == 0 ? face : other);
            low[n] = high[n] = mesh->points[3 * (size_t)corner[0] + i];
            for (size_t k = 1; k < 3; k++) {
                double c = mesh->points[3 * (size_t)corner[k] + i];
                low[n] = c < low[n] ? c : low[n];
                high[n] = c > high[n] ? c : high[n];
            }
        }
        fault.at[i] =
            ((low[0] > low[1] ? low[0] : low[1]) + (high[0] < high[1] ? high[0] : high[1])) / 2;
    }
    return fault;
}

static rv_status tell_met(search *s, listener *to) {
    rv_context *ctx = s->lattice->ctx;
    size_t faces = s->boxes->faces, total = 0;
    int64_t blocks = (int64_t)((faces + BLOCK - 1) / BLOCK);
    rv_status status = rvi_parallel(ctx, blocks, count_met, s);
    for (size_t f = 0; f < faces; f++) {
        s->starts[f] = total;
        total += s->counts[f];
    }
    if (status != RV_OK || total == 0)
        return status;
    s->met = rvi_alloc(ctx, total, sizeof *s->met, "the faces that meet");
    if (s->met == NULL)
        return RV_ERROR_MEMORY;
    status = rvi_parallel(ctx, blocks, write_met, s);
    for (uint32_t f = 0; f < faces && status == RV_OK; f++)
        for (size_t k = 0; k < s->counts[f]; k++) {
            rv_fault fault = met_fault(s->lattice->mesh, f, s->met[s->starts[f] + k]);
            listen(to, &fault);
        }
    rvi_free(ctx, s->met);
    return status;
}

/* ---- All of it ---- */

static rv_status check_places(search *s, const rvi_links *links, listener *to) {
    const rvi_lattice *l = s->lattice;
    rv_context *ctx = l->ctx;
    size_t faces = l->mesh->face_count;
    rv_status status = rvi_parallel(ctx, (int64_t)((faces + BLOCK - 1) / BLOCK), find_flat, s);
    for (size_t f = 0; f < faces && status == RV_OK; f++)
        if (s->flat[f]) {
            rv_fault fault = face_fault(l->mesh, RV_FAULT_FLAT_FACE, f);
            listen(to, &fault);
        }
    if (status == RV_OK)
        status = tell_met(s, to);
    if (status == RV_OK && to->count == 0)
        status = rvi_shells_check(l, s->boxes, links, listen, to);
    return status;
}

static rv_status check_lattice(const rvi_lattice *l, const rvi_links *links, listener *to) {
    rv_context *ctx = l->ctx;
    size_t faces = l->mesh->face_count;
    rvi_boxes boxes;
    rv_status status = rvi_boxes_create(l, &boxes);
    if (status != RV_OK)
        return status;
    search s = {.lattice = l, .boxes = &boxes};
    s.flat = rvi_alloc(ctx, faces, 1, "the check of a mesh");
    s.counts = rvi_alloc(ctx, faces, 1, "the check of a mesh");
    s.starts = rvi_alloc(ctx, faces, sizeof *s.starts, "the check of a mesh");
    status = RV_ERROR_MEMORY;
    if (s.flat != NULL && s.counts != NULL && s.starts != NULL)
        status = check_places(&s, links, to);
    rvi_free(ctx, s.flat);
    rvi_free(ctx, s.counts);
    rvi_free(ctx, s.starts);
    rvi_boxes_destroy(&boxes);
    return status;
}

rv_status rv_mesh_check(const rv_mesh *mesh, rv_fault_fn tell, void *user) {
    RVI_ENTRY(mesh->ctx);
    listener to = {.ctx = mesh->ctx, .tell = tell, .user = user};
    rvi_links links;
    rvi_progress_begin(mesh->ctx, "the check");
    rv_status status = rvi_links_create(mesh, listen, &to, &links);
    if (status != RV_OK)
        return status;
    rvi_lattice lattice;
    status = rvi_lattice_create(mesh, &lattice);
    if (status == RV_OK) {
        status = check_lattice(&lattice, &links, &to);
        rvi_lattice_destroy(&lattice);
    }
    rvi_links_destroy(&links);
    return status;
}

int rv_fault_print(const rv_fault *fault, char *out, size_t size) {
    RVI_ENTRY(NULL);
    const double *p = fault->at;
    unsigned long long a = (unsigned long long)fault->vertex[0] + 1;
    unsigned long long b = (unsigned long long)fault->vertex[1] + 1;
    unsigned long long f = (unsigned long long)fault->face + 1;
    unsigned long long g = (unsigned long long)fault->other + 1;
#define AT "(%.9g, %.9g, %.9g)"
    switch (fault->kind) {
    case RV_FAULT_OPEN_EDGE:
        return snprintf(out, size,
                        "The edge from vertex %llu to %llu at " AT
                        " has a face on one side only, face %llu.",
                        a, b, p[0], p[1], p[2], f);
    case RV_FAULT_CROWDED_EDGE:
        return snprintf(out, size,
                        "The edge from vertex %llu to %llu at " AT
                        " has more than two faces, among them %llu and %llu.",
                        a, b, p[0], p[1], p[2], f, g);
    case RV_FAULT_TURNED_FACE:
        return snprintf(out, size,
                        "Faces %llu and %llu at " AT
                        " are oriented differently: both go from vertex %llu to %llu.",
                        f, g, p[0], p[1], p[2], a, b);
    case RV_FAULT_PINCHED_VERTEX:
        return snprintf(out, size, "The faces around vertex %llu at " AT " do not form one fan.", a,
                        p[0], p[1], p[2]);
    case RV_FAULT_FLAT_FACE:
        return snprintf(out, size, "Face %llu at " AT " has no area.", f, p[0], p[1], p[2]);
    case RV_FAULT_CROSSING_FACES:
        return snprintf(out, size, "Faces %llu and %llu intersect near " AT ".", f, g, p[0], p[1],
                        p[2]);
    case RV_FAULT_INSIDE_OUT:
        return snprintf(out, size, "The shell of face %llu at " AT " is inside out.", f, p[0], p[1],
                        p[2]);
    case RV_FAULT_COUNT:
        break;
    }
#undef AT
    return snprintf(out, size, "A fault of an unknown kind.");
}
