/* edit_mesh.c: the arrays of an edited mesh: made from a mesh, grown, measured, and made into a
 * mesh again.
 *
 * The volume of each shell is kept exactly: sums of 128 bits may run over on the way, but what lies
 * within the lattice has less than 6 2^120 and so the sum of all parts is right. */
#include "mesh/edit_mesh.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/math.h"
#include "mesh/links.h"

enum { POLL = 1 << 14, ROOM_TO_GROW = 16, SENTENCE = 256 };

static const char what[] = "an edited mesh";

/* ---- Room ---- */

/* `room` changes once every array has grown: one that is larger than it says does no harm. */
static rv_status grow_vertices(rvi_edit_mesh *edit, size_t room) {
    rv_context *ctx = edit->ctx;
    size_t used = edit->vertices;
    if (!rvi_enlarge(ctx, &edit->spots, used, room, sizeof *edit->spots, what) ||
        !rvi_enlarge(ctx, &edit->first, 3 * used, 3 * room, sizeof *edit->first, what) ||
        !rvi_enlarge(ctx, &edit->edges.leaving, used, room, sizeof *edit->edges.leaving, what) ||
        !rvi_enlarge(ctx, &edit->fixed, used, room, sizeof *edit->fixed, what) ||
        !rvi_enlarge(ctx, &edit->wet, used, room, sizeof *edit->wet, what) ||
        !rvi_enlarge(ctx, &edit->slots, used, room, sizeof *edit->slots, what) ||
        !rvi_enlarge(ctx, &edit->free_vertices, edit->free_vertex_count, room,
                     sizeof *edit->free_vertices, what))
        return RV_ERROR_MEMORY;
    memset(edit->slots + used, 0xff, (room - used) * sizeof *edit->slots);
    edit->vertex_room = room;
    return RV_OK;
}

static rv_status grow_faces(rvi_edit_mesh *edit, size_t room) {
    rv_context *ctx = edit->ctx;
    size_t used = edit->faces;
    if (!rvi_enlarge(ctx, &edit->edges.corners, 3 * used, 3 * room, sizeof *edit->edges.corners,
                     what) ||
        !rvi_enlarge(ctx, &edit->edges.twins, 3 * used, 3 * room, sizeof *edit->edges.twins,
                     what) ||
        !rvi_enlarge(ctx, &edit->born, used, room, sizeof *edit->born, what) ||
        !rvi_enlarge(ctx, &edit->shell, used, room, sizeof *edit->shell, what) ||
        !rvi_enlarge(ctx, &edit->changed, used, room, sizeof *edit->changed, what) ||
        !rvi_enlarge(ctx, &edit->shapes, used, room, sizeof *edit->shapes, what) ||
        !rvi_enlarge(ctx, &edit->listed, 0, room, sizeof *edit->listed, what) ||
        !rvi_enlarge(ctx, &edit->marks, used, room, sizeof *edit->marks, what) ||
        !rvi_enlarge(ctx, &edit->safe, used, room, sizeof *edit->safe, what) ||
        !rvi_enlarge(ctx, &edit->free_faces, edit->free_face_count, room, sizeof *edit->free_faces,
                     what))
        return RV_ERROR_MEMORY;
    if (rvi_grid_grow(&edit->grid, room) != RV_OK)
        return RV_ERROR_MEMORY;
    edit->face_room = room;
    return RV_OK;
}

rv_status rvi_edit_reserve(rvi_edit_mesh *edit, size_t more_vertices, size_t more_faces) {
    size_t vertices = edit->vertices + more_vertices, faces = edit->faces + more_faces;
    if (vertices > RVI_MESH_MOST || faces > RVI_MESH_MOST)
        return rvi_fail(edit->ctx, RV_ERROR_MEMORY, "A mesh cannot have more than %zu faces.",
                        RVI_MESH_MOST);
    if (vertices > edit->vertex_room && grow_vertices(edit, vertices + vertices / 2) != RV_OK)
        return RV_ERROR_MEMORY;
    if (faces > edit->face_room && grow_faces(edit, faces + faces / 2) != RV_OK)
        return RV_ERROR_MEMORY;
    return RV_OK;
}

uint32_t rvi_edit_stamp(rvi_edit_mesh *edit) {
    if (edit->stamp == UINT32_MAX) {
        memset(edit->marks, 0, edit->faces * sizeof *edit->marks);
        edit->stamp = 0;
    }
    return ++edit->stamp;
}

/* ---- Measures ---- */

rvi_triangle rvi_edit_triangle(const rvi_edit_mesh *edit, uint32_t face) {
    const uint32_t *v = edit->edges.corners + 3 * (size_t)face;
    return (rvi_triangle){{v[0], v[1], v[2]},
                          {edit->spots[v[0]], edit->spots[v[1]], edit->spots[v[2]]}};
}

rvi_wide rvi_edit_face_volume6(const rvi_edit_mesh *edit, uint32_t face) {
    rvi_triangle t = rvi_edit_triangle(edit, face);
    return rvi_volume((rvi_spot){0, 0, 0}, t.spots[0], t.spots[1], t.spots[2]);
}

rvi_wide rvi_edit_volume6(const rvi_edit_mesh *edit) {
    rvi_wide sum = 0;
    for (size_t i = 0; i < edit->shells; i++)
        sum = rvi_wide_plus(sum, edit->volumes[i]);
    return sum;
}

double rvi_edit_cubic_metres(const rvi_edit_mesh *edit, rvi_wide volume6) {
    return (double)volume6 * edit->step * edit->step * edit->step / 6;
}

double rvi_edit_volume(const rvi_edit_mesh *edit) {
    return rvi_edit_cubic_metres(edit, rvi_edit_volume6(edit));
}

void rvi_edit_place(const rvi_edit_mesh *edit, uint32_t vertex, double out[3]) {
    rvi_spot p = edit->spots[vertex];
    out[0] = (double)p.x * edit->step;
    out[1] = (double)p.y * edit->step;
    out[2] = (double)p.z * edit->step;
}

/* ---- From a mesh ---- */

/* The first fault as a sentence. */
typedef struct verdict {
    size_t count;
    char text[SENTENCE];
} verdict;

static void keep_first(void *user, const rv_fault *fault) {
    verdict *v = user;
    if (v->count++ == 0)
        rv_fault_print(fault, v->text, sizeof v->text);
}

static void ignore_fault(void *user, const rv_fault *fault) {
    (void)user;
    (void)fault;
}

static double to_lattice(double metres, double scale) {
    return (metres * scale + RVI_ROUND) - RVI_ROUND;
}

/* What is checked is what will be edited: the rounded mesh. */
static rv_status check_rounded(const rv_mesh *mesh, double scale) {
    rv_mesh *rounded;
    rv_status status =
        rvi_mesh_create(mesh->ctx, mesh->vertex_count, mesh->face_count, false, &rounded);
    if (status != RV_OK)
        return status;
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        rounded->points[i] = to_lattice(mesh->points[i], scale) / scale;
    memcpy(rounded->corners, mesh->corners, 3 * mesh->face_count * sizeof *mesh->corners);
    verdict v = {.count = 0};
    status = rv_mesh_check(rounded, keep_first, &v);
    rv_mesh_destroy(rounded);
    if (status == RV_OK && v.count > 0)
        return rvi_fail(mesh->ctx, RV_ERROR_INPUT,
                        "This mesh is not the surface of a solid, it has %zu faults: %s", v.count,
                        v.text);
    return status;
}

static void take_vertices(rvi_edit_mesh *edit, const rv_mesh *mesh, double scale) {
    edit->vertices = edit->originals = mesh->vertex_count;
    memset(edit->edges.leaving, 0xff, edit->vertices * sizeof *edit->edges.leaving);
    for (size_t v = 0; v < edit->vertices; v++) {
        const double *p = mesh->points + 3 * v;
        edit->spots[v] =
            (rvi_spot){(int64_t)to_lattice(p[0], scale), (int64_t)to_lattice(p[1], scale),
                       (int64_t)to_lattice(p[2], scale)};
        rvi_edit_place(edit, (uint32_t)v, edit->first + 3 * v);
    }
    edit->faces = edit->live_faces = mesh->face_count;
    memcpy(edit->edges.corners, mesh->corners, 3 * edit->faces * sizeof *edit->edges.corners);
    for (uint32_t e = 0; e < 3 * edit->faces; e++)
        edit->edges.leaving[edit->edges.corners[e]] = e;
    for (uint32_t v = (uint32_t)edit->vertices; v-- > 0;) /* those of no face are free */
        if (edit->edges.leaving[v] == RVI_NONE)
            edit->free_vertices[edit->free_vertex_count++] = v;
    edit->live_vertices = edit->vertices - edit->free_vertex_count;
}

/* Numbers the shells in the order of their first faces and adds up their volumes. */
static rv_status find_shells(rvi_edit_mesh *edit, const rv_mesh *mesh) {
    rvi_links links;
    rv_status status = rvi_links_create(mesh, ignore_fault, NULL, &links);
    if (status != RV_OK)
        return status;
    edit->volumes = rvi_alloc(edit->ctx, links.shells, sizeof *edit->volumes, what);
    edit->anchors = rvi_alloc(edit->ctx, links.shells, sizeof *edit->anchors, what);
    edit->hollow = rvi_alloc(edit->ctx, links.shells, 1, what);
    if (edit->volumes == NULL || edit->anchors == NULL || edit->hollow == NULL) {
        rvi_links_destroy(&links);
        return RV_ERROR_MEMORY;
    }
    for (uint32_t f = 0; f < edit->faces; f++) {
        if (links.shell[f] == f) {
            edit->anchors[edit->shells] = f;
            edit->shell[f] = (uint32_t)edit->shells++;
        } else {
            edit->shell[f] = edit->shell[links.shell[f]];
        }
        rvi_wide *sum = &edit->volumes[edit->shell[f]];
        *sum = rvi_wide_plus(*sum, rvi_edit_face_volume6(edit, f));
    }
    for (size_t i = 0; i < edit->shells; i++)
        edit->hollow[i] = edit->volumes[i] < 0;
    rvi_links_destroy(&links);
    return RV_OK;
}

static rv_status enter_faces(rvi_edit_mesh *edit) {
    for (uint32_t f = 0; f < edit->faces; f++) {
        rvi_triangle t = rvi_edit_triangle(edit, f);
        rvi_box box = rvi_triangle_box(&t);
        if (rvi_grid_put(&edit->grid, f, &box) != RV_OK)
            return RV_ERROR_MEMORY;
        if (f % POLL == 0 && rvi_poll(edit->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    memset(edit->changed, 1, edit->faces);
    return RV_OK;
}

static rv_status fill(rvi_edit_mesh *edit, const rv_mesh *mesh, double scale) {
    rv_status status = rvi_edit_reserve(edit, mesh->vertex_count, mesh->face_count);
    if (status != RV_OK)
        return status;
    take_vertices(edit, mesh, scale);
    status = rvi_edges_find_twins(edit->ctx, &edit->edges, edit->faces);
    if (status == RV_OK)
        status = find_shells(edit, mesh);
    return status == RV_OK ? enter_faces(edit) : status;
}

rv_status rvi_edit_create(const rv_mesh *mesh, rvi_edit_mesh **out) {
    rv_context *ctx = mesh->ctx;
    double scale = rvi_lattice_scale(mesh, (double)RVI_LATTICE_MOST / ROOM_TO_GROW, 0x1p300);
    *out = NULL;
    rv_status status = check_rounded(mesh, scale);
    if (status != RV_OK)
        return status;
    rvi_edit_mesh *edit = rvi_alloc(ctx, 1, sizeof *edit, what);
    if (edit == NULL)
        return RV_ERROR_MEMORY;
    edit->ctx = ctx;
    edit->step = 1 / scale;
    status = rvi_grid_create(ctx, mesh->face_count, &edit->grid);
    if (status == RV_OK)
        status = fill(edit, mesh, scale);
    if (status == RV_OK)
        *out = edit;
    else
        rvi_edit_destroy(edit);
    return status;
}

void rvi_edit_destroy(rvi_edit_mesh *edit) {
    if (edit == NULL)
        return;
    rv_context *ctx = edit->ctx;
    void *arrays[] = {edit->spots,       edit->first,   edit->edges.leaving, edit->fixed,
                      edit->wet,         edit->slots,   edit->free_vertices, edit->edges.corners,
                      edit->edges.twins, edit->shell,   edit->changed,       edit->listed,
                      edit->marks,       edit->volumes, edit->anchors,       edit->hollow,
                      edit->born,        edit->shapes,  edit->free_faces,    edit->safe};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        rvi_free(ctx, arrays[i]);
    rvi_grid_destroy(&edit->grid);
    rvi_free(ctx, edit);
}

/* ---- To a mesh ---- */

rv_status rvi_edit_to_mesh(const rvi_edit_mesh *edit, rv_mesh **out) {
    uint32_t *numbers = rvi_alloc(edit->ctx, edit->vertices, sizeof *numbers, what);
    if (numbers == NULL)
        return RV_ERROR_MEMORY;
    rv_status status =
        rvi_mesh_create(edit->ctx, edit->live_vertices, edit->live_faces, false, out);
    if (status == RV_OK) {
        uint32_t vertices = 0;
        size_t corners = 0;
        for (uint32_t v = 0; v < edit->vertices; v++)
            if (edit->edges.leaving[v] != RVI_NONE) {
                rvi_edit_place(edit, v, (*out)->points + 3 * (size_t)vertices);
                numbers[v] = vertices++;
            }
        for (size_t e = 0; e < 3 * edit->faces; e++)
            if (edit->edges.corners[e] != RVI_NONE)
                (*out)->corners[corners++] = numbers[edit->edges.corners[e]];
    }
    rvi_free(edit->ctx, numbers);
    return status;
}

size_t rvi_edit_changed(rvi_edit_mesh *edit, const uint32_t **faces) {
    size_t count = 0;
    const uint8_t *end = edit->changed + edit->faces;
    for (uint8_t *at = edit->changed; at < end && (at = memchr(at, 1, (size_t)(end - at))) != NULL;
         at++) {
        edit->listed[count++] = (uint32_t)(at - edit->changed);
        *at = 0;
    }
    *faces = edit->listed;
    return count;
}
