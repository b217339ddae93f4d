/* edit_archive.c: a skin as bytes, and back.
 *
 * Numbers of vertices and faces, what is free, and the order of faces in the cells of the grid
 * stay: what is done next depends on them. What follows from the rest is made again. */
#include "mesh/edit_archive.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

static const char what[] = "the skin of a solid";

typedef struct head {
    double step;
    uint64_t vertices, faces, originals, free_vertices, free_faces, shells;
    uint64_t refused_moves, refused_operations;
    uint32_t round, sweep;
} head;

/* ---- Keeping ---- */

/* The faces in an order in which they can be entered into a grid to lie there as they do: by blocks
 * and cells, those that came last first in each, so that the list is turned round. */
static rv_status list_faces(const rvi_edit_mesh *s, uint32_t *order) {
    const rvi_face_grid *g = &s->grid;
    size_t count = 0;
    for (size_t b = 0; b < g->block_count; b++)
        for (int c = 0; c < RVI_GRID_CELLS; c++) {
            if (!(g->blocks[b].filled >> c & 1))
                continue;
            size_t first = count;
            for (uint32_t f = g->blocks[b].heads[c]; f != RVI_NOBODY; f = g->next[f])
                order[count++] = f;
            for (size_t i = first, j = count; i + 1 < j; i++) {
                uint32_t swap = order[i];
                order[i] = order[--j];
                order[j] = swap;
            }
        }
    return count == s->live_faces
               ? RV_OK
               : rvi_fail(s->ctx, RV_ERROR_INTERNAL, "The grid over the faces holds %zu of %zu.",
                          count, s->live_faces);
}

/* What a checkpoint holds behind its head. */
enum { PARTS = 14 };
typedef struct part {
    void *data;
    size_t size;
} part;

static void list_parts(const rvi_edit_mesh *s, uint32_t *order, part out[PARTS]) {
    const part parts[PARTS] = {{s->spots, s->vertices * sizeof *s->spots},
                               {s->first, 3 * s->vertices * sizeof *s->first},
                               {s->leaving, s->vertices * sizeof *s->leaving},
                               {s->fixed, s->vertices * sizeof *s->fixed},
                               {s->wet, s->vertices * sizeof *s->wet},
                               {s->free_vertices, s->free_vertex_count * sizeof *s->free_vertices},
                               {s->corners, 3 * s->faces * sizeof *s->corners},
                               {s->twins, 3 * s->faces * sizeof *s->twins},
                               {s->born, s->faces * sizeof *s->born},
                               {s->worn, s->faces * sizeof *s->worn},
                               {s->shell, s->faces * sizeof *s->shell},
                               {s->free_faces, s->free_face_count * sizeof *s->free_faces},
                               {s->anchors, s->shells * sizeof *s->anchors},
                               {order, s->live_faces * sizeof *order}};
    memcpy(out, parts, sizeof parts);
}

rv_status rvi_edit_keep(const rvi_edit_mesh *s, rvi_archive_writer *to) {
    uint32_t *order = rvi_alloc(s->ctx, s->live_faces + 1, sizeof *order, what);
    rv_status status = order != NULL ? list_faces(s, order) : RV_ERROR_MEMORY;
    head h = {.step = s->step,
              .vertices = s->vertices,
              .faces = s->faces,
              .originals = s->originals,
              .free_vertices = s->free_vertex_count,
              .free_faces = s->free_face_count,
              .shells = s->shells,
              .refused_moves = s->refused_moves,
              .refused_operations = s->refused_operations,
              .round = s->round,
              .sweep = s->sweep};
    if (status == RV_OK)
        status = rvi_archive_put(to, &h, sizeof h);
    part parts[PARTS];
    list_parts(s, order, parts);
    for (size_t i = 0; i < PARTS && status == RV_OK; i++)
        status = rvi_archive_put(to, parts[i].data, parts[i].size);
    rvi_free(s->ctx, order);
    return status;
}

/* ---- Restoring ---- */

/* Does each half-edge have one that goes back, and they each other? */
static bool twins_right(const rvi_edit_mesh *s, size_t face) {
    for (uint32_t e = 3 * (uint32_t)face; e < 3 * (face + 1); e++) {
        uint32_t t = s->twins[e];
        if (t >= 3 * s->faces || s->twins[t] != e || rvi_edge_from(s, t) != rvi_edge_to(s, e) ||
            rvi_edge_to(s, t) != rvi_edge_from(s, e))
            return false;
    }
    return true;
}

/* Are numbers what they name? */
static bool numbers_right(const rvi_edit_mesh *s) {
    size_t live_faces = 0, live_vertices = 0;
    for (size_t f = 0; f < s->faces; f++) {
        const uint32_t *c = s->corners + 3 * f;
        if (c[0] == RVI_NOBODY && c[1] == RVI_NOBODY && c[2] == RVI_NOBODY)
            continue;
        live_faces++;
        for (int k = 0; k < 3; k++)
            if (c[k] >= s->vertices || s->leaving[c[k]] == RVI_NOBODY)
                return false;
        if (s->shell[f] >= s->shells || !twins_right(s, f))
            return false;
    }
    for (size_t v = 0; v < s->vertices; v++) {
        uint32_t e = s->leaving[v];
        const rvi_spot *p = &s->spots[v];
        const int64_t at[3] = {p->x, p->y, p->z};
        for (int k = 0; k < 3; k++)
            if (at[k] < -RVI_LATTICE_MOST || at[k] > RVI_LATTICE_MOST ||
                !isfinite(s->first[3 * v + (size_t)k]))
                return false;
        if (e == RVI_NOBODY)
            continue;
        live_vertices++;
        if (e >= 3 * s->faces || s->corners[e] != v)
            return false;
    }
    return live_faces + s->free_face_count == s->faces &&
           live_vertices + s->free_vertex_count == s->vertices;
}

/* Does a stack name what is free, each once? `seen` is zero. */
static bool stack_right(const uint32_t *stack, size_t count, size_t all, const uint32_t *taken,
                        size_t stride, uint8_t *seen) {
    for (size_t i = 0; i < count; i++) {
        if (stack[i] >= all || taken[stride * stack[i]] != RVI_NOBODY || seen[stack[i]]++)
            return false;
    }
    return true;
}

static bool stacks_right(const rvi_edit_mesh *s, uint8_t *seen) {
    if (!stack_right(s->free_faces, s->free_face_count, s->faces, s->corners, 3, seen))
        return false;
    memset(seen, 0, s->faces);
    return stack_right(s->free_vertices, s->free_vertex_count, s->vertices, s->leaving, 1, seen);
}

static bool anchors_right(const rvi_edit_mesh *s) {
    for (size_t i = 0; i < s->shells; i++)
        if (s->anchors[i] >= s->faces || s->corners[3 * (size_t)s->anchors[i]] == RVI_NOBODY ||
            s->shell[s->anchors[i]] != i)
            return false;
    return true;
}

/* What lives as a mesh is the surface of a solid, by the exact check. */
static void count_fault(void *user, const rv_fault *fault) {
    size_t *faults = user;
    (void)fault;
    ++*faults;
}

static rv_status check_surface(const rvi_edit_mesh *s, rvi_archive *from) {
    rv_mesh *mesh = NULL;
    size_t faults = 0;
    rv_status status = rvi_edit_to_mesh(s, &mesh);
    if (status == RV_OK)
        status = rv_mesh_check(mesh, count_fault, &faults);
    rv_mesh_destroy(mesh);
    return status == RV_OK && faults > 0 ? rvi_archive_damaged(from) : status;
}

static rv_status enter_faces(rvi_edit_mesh *s, const uint32_t *order, rvi_archive *from,
                             uint8_t *seen) {
    rv_status status = RV_OK;
    for (size_t i = 0; i < s->live_faces && status == RV_OK; i++) {
        uint32_t f = order[i];
        if (f >= s->faces || !rvi_edit_has_face(s, f) || seen[f]++)
            return rvi_archive_damaged(from);
        rvi_triangle t = rvi_edit_triangle(s, f);
        rvi_box box = rvi_triangle_box(&t);
        rvi_wide *sum = &s->volumes[s->shell[f]];
        *sum = rvi_wide_plus(*sum, rvi_edit_face_volume6(s, f));
        status = rvi_grid_put(&s->grid, f, &box);
        if (status == RV_OK)
            status = rvi_poll(s->ctx);
    }
    return status;
}

static rv_status get_arrays(rvi_edit_mesh *s, uint32_t *order, rvi_archive *from) {
    part parts[PARTS];
    list_parts(s, order, parts);
    rv_status status = RV_OK;
    for (size_t i = 0; i < PARTS && status == RV_OK; i++)
        status = rvi_archive_get(from, parts[i].data, parts[i].size);
    return status;
}

/* All that the head promises must be there before anything is allocated for it. */
static bool head_right(const head *h, const rvi_archive *from) {
    uint64_t left = from->size - from->at;
    bool small = h->vertices <= left / 60 && h->faces <= left / 16 && h->shells <= left / 4;
    return small && h->free_vertices <= h->vertices && h->free_faces < h->faces && h->step > 0 &&
           isfinite(h->step) && h->sweep <= h->vertices && h->originals <= h->vertices;
}

static rv_status fill(rvi_edit_mesh *s, const head *h, uint32_t *order, uint8_t *seen,
                      rvi_archive *from) {
    s->vertices = (size_t)h->vertices;
    s->faces = (size_t)h->faces;
    s->free_vertex_count = (size_t)h->free_vertices;
    s->free_face_count = (size_t)h->free_faces;
    s->live_vertices = s->vertices - s->free_vertex_count;
    s->live_faces = s->faces - s->free_face_count;
    s->shells = (size_t)h->shells;
    s->originals = (size_t)h->originals;
    s->refused_moves = h->refused_moves;
    s->refused_operations = h->refused_operations;
    s->round = h->round;
    s->sweep = h->sweep;
    rv_status status = get_arrays(s, order, from);
    if (status == RV_OK && !(numbers_right(s) && stacks_right(s, seen) && anchors_right(s)))
        status = rvi_archive_damaged(from);
    memset(seen, 0, s->vertices > s->faces ? s->vertices : s->faces);
    if (status == RV_OK)
        status = check_surface(s, from);
    if (status == RV_OK)
        status = enter_faces(s, order, from, seen);
    for (size_t i = 0; i < s->shells; i++)
        s->hollow[i] = s->volumes[i] < 0;
    memset(s->changed, 1, s->faces);
    return status;
}

rv_status rvi_edit_restore(rvi_archive *from, rvi_edit_mesh **out) {
    rv_context *ctx = from->ctx;
    head h;
    *out = NULL;
    rv_status status = rvi_archive_get(from, &h, sizeof h);
    if (status == RV_OK && !head_right(&h, from))
        status = rvi_archive_damaged(from);
    if (status != RV_OK)
        return status;
    rvi_edit_mesh *s = rvi_alloc(ctx, 1, sizeof *s, what);
    uint32_t *order = rvi_alloc(ctx, (size_t)h.faces + 1, sizeof *order, what);
    uint8_t *seen = rvi_alloc(ctx, (size_t)(h.vertices + h.faces) + 1, 1, what);
    status = s != NULL && order != NULL && seen != NULL ? RV_OK : RV_ERROR_MEMORY;
    if (s != NULL)
        *s = (rvi_edit_mesh){.ctx = ctx, .step = h.step, .grid = {.ctx = ctx}};
    if (status == RV_OK) {
        s->volumes = rvi_alloc(ctx, (size_t)h.shells + 1, sizeof *s->volumes, what);
        s->anchors = rvi_alloc(ctx, (size_t)h.shells + 1, sizeof *s->anchors, what);
        s->hollow = rvi_alloc(ctx, (size_t)h.shells + 1, 1, what);
        if (s->volumes == NULL || s->anchors == NULL || s->hollow == NULL)
            status = RV_ERROR_MEMORY;
    }
    if (status == RV_OK)
        status = rvi_grid_create(ctx, (size_t)h.faces, &s->grid);
    if (status == RV_OK)
        status = rvi_edit_reserve(s, (size_t)h.vertices, (size_t)h.faces);
    if (status == RV_OK)
        status = fill(s, &h, order, seen, from);
    rvi_free(ctx, order);
    rvi_free(ctx, seen);
    if (status == RV_OK)
        *out = s;
    else
        rvi_edit_destroy(s);
    return status;
}
