/* edit_archive.c: an edited mesh as bytes, and back.
 *
 * Numbers of vertices and faces, what is free, and the order of faces in the cells of the grid
 * stay: what is done next depends on them. What follows from the rest is made again. */
#include "mesh/edit_archive.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

static const char what[] = "an edited mesh";

typedef struct head {
    double step;
    uint64_t vertices, faces, originals, free_vertices, free_faces, shells;
    uint64_t refused_moves, refused_operations;
    uint32_t round, sweep;
} head;

/* ---- Keeping ---- */

/* The faces in an order in which they can be entered into a grid to lie there as they do: by blocks
 * and cells, those that came last first in each, so that the list is turned round. */
static rv_status list_faces(const rvi_edit_mesh *edit, uint32_t *order) {
    const rvi_face_grid *g = &edit->grid;
    size_t count = 0;
    for (size_t b = 0; b < g->block_count; b++)
        for (int c = 0; c < RVI_GRID_CELLS; c++) {
            if (!(g->blocks[b].filled >> c & 1))
                continue;
            size_t first = count;
            for (uint32_t f = g->blocks[b].heads[c]; f != RVI_NONE; f = g->next[f])
                order[count++] = f;
            for (size_t i = first, j = count; i + 1 < j; i++) {
                uint32_t swap = order[i];
                order[i] = order[--j];
                order[j] = swap;
            }
        }
    return count == edit->live_faces
               ? RV_OK
               : rvi_fail(edit->ctx, RV_ERROR_INTERNAL, "The grid over the faces holds %zu of %zu.",
                          count, edit->live_faces);
}

/* What a checkpoint holds behind its head. */
enum { PARTS = 14 };
typedef struct part {
    void *data;
    size_t size;
} part;

static void list_parts(const rvi_edit_mesh *edit, uint32_t *order, part out[PARTS]) {
    const part parts[PARTS] = {
        {edit->spots, edit->vertices * sizeof *edit->spots},
        {edit->first, 3 * edit->vertices * sizeof *edit->first},
        {edit->edges.leaving, edit->vertices * sizeof *edit->edges.leaving},
        {edit->fixed, edit->vertices * sizeof *edit->fixed},
        {edit->wet, edit->vertices * sizeof *edit->wet},
        {edit->free_vertices, edit->free_vertex_count * sizeof *edit->free_vertices},
        {edit->edges.corners, 3 * edit->faces * sizeof *edit->edges.corners},
        {edit->edges.twins, 3 * edit->faces * sizeof *edit->edges.twins},
        {edit->born, edit->faces * sizeof *edit->born},
        {edit->shapes, edit->faces * sizeof *edit->shapes},
        {edit->shell, edit->faces * sizeof *edit->shell},
        {edit->free_faces, edit->free_face_count * sizeof *edit->free_faces},
        {edit->anchors, edit->shells * sizeof *edit->anchors},
        {order, edit->live_faces * sizeof *order}};
    memcpy(out, parts, sizeof parts);
}

rv_status rvi_edit_keep(const rvi_edit_mesh *edit, rvi_archive_writer *to) {
    uint32_t *order = rvi_alloc(edit->ctx, edit->live_faces + 1, sizeof *order, what);
    rv_status status = order != NULL ? list_faces(edit, order) : RV_ERROR_MEMORY;
    head h = {.step = edit->step,
              .vertices = edit->vertices,
              .faces = edit->faces,
              .originals = edit->originals,
              .free_vertices = edit->free_vertex_count,
              .free_faces = edit->free_face_count,
              .shells = edit->shells,
              .refused_moves = edit->refused_moves,
              .refused_operations = edit->refused_operations,
              .round = edit->round,
              .sweep = edit->sweep};
    if (status == RV_OK)
        status = rvi_archive_put(to, &h, sizeof h);
    part parts[PARTS];
    list_parts(edit, order, parts);
    for (size_t i = 0; i < PARTS && status == RV_OK; i++)
        status = rvi_archive_put(to, parts[i].data, parts[i].size);
    rvi_free(edit->ctx, order);
    return status;
}

/* ---- Restoring ---- */

/* Does each half-edge have one that goes back, and they each other? */
static bool twins_right(const rvi_edit_mesh *edit, size_t face) {
    for (uint32_t e = 3 * (uint32_t)face; e < 3 * (face + 1); e++) {
        uint32_t t = edit->edges.twins[e];
        if (t >= 3 * edit->faces || edit->edges.twins[t] != e ||
            rvi_edge_from(&edit->edges, t) != rvi_edge_to(&edit->edges, e) ||
            rvi_edge_to(&edit->edges, t) != rvi_edge_from(&edit->edges, e))
            return false;
    }
    return true;
}

/* Are numbers what they name? */
static bool numbers_right(const rvi_edit_mesh *edit) {
    size_t live_faces = 0, live_vertices = 0;
    for (size_t f = 0; f < edit->faces; f++) {
        const uint32_t *c = edit->edges.corners + 3 * f;
        if (c[0] == RVI_NONE && c[1] == RVI_NONE && c[2] == RVI_NONE)
            continue;
        live_faces++;
        if (edit->born[f] > edit->round || edit->shapes[f] > RVI_SHAPE_SHARP)
            return false;
        for (int k = 0; k < 3; k++)
            if (c[k] >= edit->vertices || edit->edges.leaving[c[k]] == RVI_NONE)
                return false;
        if (edit->shell[f] >= edit->shells || !twins_right(edit, f))
            return false;
    }
    for (size_t v = 0; v < edit->vertices; v++) {
        uint32_t e = edit->edges.leaving[v];
        const rvi_spot *p = &edit->spots[v];
        const int64_t at[3] = {p->x, p->y, p->z};
        for (int k = 0; k < 3; k++)
            if (at[k] < -RVI_LATTICE_MOST || at[k] > RVI_LATTICE_MOST ||
                !isfinite(edit->first[3 * v + (size_t)k]))
                return false;
        if (e == RVI_NONE)
            continue;
        live_vertices++;
        if (e >= 3 * edit->faces || edit->edges.corners[e] != v || edit->fixed[v] > 1 ||
            edit->wet[v] > edit->round)
            return false;
    }
    return live_faces + edit->free_face_count == edit->faces &&
           live_vertices + edit->free_vertex_count == edit->vertices;
}

/* Does a stack name what is free, each once? `seen` is zero. */
static bool stack_right(const uint32_t *stack, size_t count, size_t all, const uint32_t *taken,
                        size_t stride, uint8_t *seen) {
    for (size_t i = 0; i < count; i++) {
        if (stack[i] >= all || taken[stride * stack[i]] != RVI_NONE || seen[stack[i]]++)
            return false;
    }
    return true;
}

static bool stacks_right(const rvi_edit_mesh *edit, uint8_t *seen) {
    if (!stack_right(edit->free_faces, edit->free_face_count, edit->faces, edit->edges.corners, 3,
                     seen))
        return false;
    memset(seen, 0, edit->faces);
    return stack_right(edit->free_vertices, edit->free_vertex_count, edit->vertices,
                       edit->edges.leaving, 1, seen);
}

static bool anchors_right(const rvi_edit_mesh *edit) {
    for (size_t i = 0; i < edit->shells; i++)
        if (edit->anchors[i] >= edit->faces ||
            edit->edges.corners[3 * (size_t)edit->anchors[i]] == RVI_NONE ||
            edit->shell[edit->anchors[i]] != i)
            return false;
    return true;
}

/* The mesh is the surface of a solid, by the exact check. */
static void count_fault(void *user, const rv_fault *fault) {
    size_t *faults = user;
    (void)fault;
    ++*faults;
}

static rv_status check_surface(const rvi_edit_mesh *edit, rvi_archive *from) {
    rv_mesh *mesh = NULL;
    size_t faults = 0;
    rv_status status = rvi_edit_to_mesh(edit, &mesh);
    if (status == RV_OK)
        status = rv_mesh_check(mesh, count_fault, &faults);
    rv_mesh_destroy(mesh);
    return status == RV_OK && faults > 0 ? rvi_archive_damaged(from) : status;
}

static rv_status enter_faces(rvi_edit_mesh *edit, const uint32_t *order, rvi_archive *from,
                             uint8_t *seen) {
    rv_status status = RV_OK;
    for (size_t i = 0; i < edit->live_faces && status == RV_OK; i++) {
        uint32_t f = order[i];
        if (f >= edit->faces || !rvi_edit_has_face(edit, f) || seen[f]++)
            return rvi_archive_damaged(from);
        rvi_triangle t = rvi_edit_triangle(edit, f);
        rvi_box box = rvi_triangle_box(&t);
        rvi_wide *sum = &edit->volumes[edit->shell[f]];
        *sum = rvi_wide_plus(*sum, rvi_edit_face_volume6(edit, f));
        status = rvi_grid_put(&edit->grid, f, &box);
        if (status == RV_OK)
            status = rvi_poll(edit->ctx);
    }
    return status;
}

static rv_status get_arrays(rvi_edit_mesh *edit, uint32_t *order, rvi_archive *from) {
    part parts[PARTS];
    list_parts(edit, order, parts);
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

static rv_status fill(rvi_edit_mesh *edit, const head *h, uint32_t *order, uint8_t *seen,
                      rvi_archive *from) {
    edit->vertices = (size_t)h->vertices;
    edit->faces = (size_t)h->faces;
    edit->free_vertex_count = (size_t)h->free_vertices;
    edit->free_face_count = (size_t)h->free_faces;
    edit->live_vertices = edit->vertices - edit->free_vertex_count;
    edit->live_faces = edit->faces - edit->free_face_count;
    edit->shells = (size_t)h->shells;
    edit->originals = (size_t)h->originals;
    edit->refused_moves = h->refused_moves;
    edit->refused_operations = h->refused_operations;
    edit->round = h->round;
    edit->sweep = h->sweep;
    rv_status status = get_arrays(edit, order, from);
    if (status == RV_OK &&
        !(numbers_right(edit) && stacks_right(edit, seen) && anchors_right(edit)))
        status = rvi_archive_damaged(from);
    memset(seen, 0, edit->vertices > edit->faces ? edit->vertices : edit->faces);
    if (status == RV_OK)
        status = check_surface(edit, from);
    if (status == RV_OK)
        status = enter_faces(edit, order, from, seen);
    for (size_t i = 0; i < edit->shells; i++)
        edit->hollow[i] = edit->volumes[i] < 0;
    memset(edit->changed, 1, edit->faces);
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
    rvi_edit_mesh *edit = rvi_alloc(ctx, 1, sizeof *edit, what);
    uint32_t *order = rvi_alloc(ctx, (size_t)h.faces + 1, sizeof *order, what);
    uint8_t *seen = rvi_alloc(ctx, (size_t)(h.vertices + h.faces) + 1, 1, what);
    status = edit != NULL && order != NULL && seen != NULL ? RV_OK : RV_ERROR_MEMORY;
    if (edit != NULL)
        *edit = (rvi_edit_mesh){.ctx = ctx, .step = h.step, .grid = {.ctx = ctx}};
    if (status == RV_OK) {
        edit->volumes = rvi_alloc(ctx, (size_t)h.shells + 1, sizeof *edit->volumes, what);
        edit->anchors = rvi_alloc(ctx, (size_t)h.shells + 1, sizeof *edit->anchors, what);
        edit->hollow = rvi_alloc(ctx, (size_t)h.shells + 1, 1, what);
        if (edit->volumes == NULL || edit->anchors == NULL || edit->hollow == NULL)
            status = RV_ERROR_MEMORY;
    }
    if (status == RV_OK)
        status = rvi_grid_create(ctx, (size_t)h.faces, &edit->grid);
    if (status == RV_OK)
        status = rvi_edit_reserve(edit, (size_t)h.vertices, (size_t)h.faces);
    if (status == RV_OK)
        status = fill(edit, &h, order, seen, from);
    rvi_free(ctx, order);
    rvi_free(ctx, seen);
    if (status == RV_OK)
        *out = edit;
    else
        rvi_edit_destroy(edit);
    return status;
}
