/* edit_mesh.c: the arrays of a skin: made from a mesh, grown, measured, and made into a mesh again.
 *
 * The volume of each shell is kept exactly: sums of 128 bits may run over on the way, but what lies
 * within the lattice has less than 6 2^120 and so the sum of all parts is right. */
#include "mesh/edit_mesh.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/math.h"
#include "base/sort.h"

enum { POLL = 1 << 14, ROOM_TO_GROW = 16, SENTENCE = 256 };

static const char what[] = "the skin of a solid";

/* ---- Room ---- */

/* `room` changes once every array has grown: one that is larger than it says does no harm. */
static rv_status grow_vertices(rvi_edit_mesh *s, size_t room) {
    rv_context *ctx = s->ctx;
    size_t used = s->vertices;
    if (!rvi_enlarge(ctx, &s->spots, used, room, sizeof *s->spots, what) ||
        !rvi_enlarge(ctx, &s->first, 3 * used, 3 * room, sizeof *s->first, what) ||
        !rvi_enlarge(ctx, &s->leaving, used, room, sizeof *s->leaving, what) ||
        !rvi_enlarge(ctx, &s->fixed, used, room, sizeof *s->fixed, what) ||
        !rvi_enlarge(ctx, &s->wet, used, room, sizeof *s->wet, what) ||
        !rvi_enlarge(ctx, &s->slots, used, room, sizeof *s->slots, what) ||
        !rvi_enlarge(ctx, &s->free_vertices, s->free_vertex_count, room, sizeof *s->free_vertices,
                     what))
        return RV_ERROR_MEMORY;
    memset(s->slots + used, 0xff, (room - used) * sizeof *s->slots);
    s->vertex_room = room;
    return RV_OK;
}

static rv_status grow_faces(rvi_edit_mesh *s, size_t room) {
    rv_context *ctx = s->ctx;
    size_t used = s->faces;
    if (!rvi_enlarge(ctx, &s->corners, 3 * used, 3 * room, sizeof *s->corners, what) ||
        !rvi_enlarge(ctx, &s->twins, 3 * used, 3 * room, sizeof *s->twins, what) ||
        !rvi_enlarge(ctx, &s->born, used, room, sizeof *s->born, what) ||
        !rvi_enlarge(ctx, &s->shell, used, room, sizeof *s->shell, what) ||
        !rvi_enlarge(ctx, &s->changed, used, room, sizeof *s->changed, what) ||
        !rvi_enlarge(ctx, &s->worn, used, room, sizeof *s->worn, what) ||
        !rvi_enlarge(ctx, &s->listed, 0, room, sizeof *s->listed, what) ||
        !rvi_enlarge(ctx, &s->marks, used, room, sizeof *s->marks, what) ||
        !rvi_enlarge(ctx, &s->safe, used, room, sizeof *s->safe, what) ||
        !rvi_enlarge(ctx, &s->free_faces, s->free_face_count, room, sizeof *s->free_faces, what))
        return RV_ERROR_MEMORY;
    if (rvi_grid_grow(&s->grid, room) != RV_OK)
        return RV_ERROR_MEMORY;
    s->face_room = room;
    return RV_OK;
}

rv_status rvi_edit_reserve(rvi_edit_mesh *s, size_t more_vertices, size_t more_faces) {
    size_t vertices = s->vertices + more_vertices, faces = s->faces + more_faces;
    if (vertices > RVI_MESH_MOST || faces > RVI_MESH_MOST)
        return rvi_fail(s->ctx, RV_ERROR_MEMORY, "A mesh cannot have more than %zu faces.",
                        RVI_MESH_MOST);
    if (vertices > s->vertex_room && grow_vertices(s, vertices + vertices / 2) != RV_OK)
        return RV_ERROR_MEMORY;
    if (faces > s->face_room && grow_faces(s, faces + faces / 2) != RV_OK)
        return RV_ERROR_MEMORY;
    return RV_OK;
}

uint32_t rvi_edit_stamp(rvi_edit_mesh *s) {
    if (s->stamp == UINT32_MAX) {
        memset(s->marks, 0, s->faces * sizeof *s->marks);
        s->stamp = 0;
    }
    return ++s->stamp;
}

/* ---- Measures ---- */

rvi_triangle rvi_edit_triangle(const rvi_edit_mesh *s, uint32_t face) {
    const uint32_t *v = s->corners + 3 * (size_t)face;
    return (rvi_triangle){{v[0], v[1], v[2]}, {s->spots[v[0]], s->spots[v[1]], s->spots[v[2]]}};
}

rvi_wide rvi_edit_face_volume6(const rvi_edit_mesh *s, uint32_t face) {
    rvi_triangle t = rvi_edit_triangle(s, face);
    return rvi_volume((rvi_spot){0, 0, 0}, t.spots[0], t.spots[1], t.spots[2]);
}

rvi_wide rvi_edit_volume6(const rvi_edit_mesh *s) {
    rvi_wide sum = 0;
    for (size_t i = 0; i < s->shells; i++)
        sum = rvi_wide_plus(sum, s->volumes[i]);
    return sum;
}

double rvi_edit_cubic_metres(const rvi_edit_mesh *s, rvi_wide volume6) {
    return (double)volume6 * s->step * s->step * s->step / 6;
}

double rvi_edit_volume(const rvi_edit_mesh *s) {
    return rvi_edit_cubic_metres(s, rvi_edit_volume6(s));
}

void rvi_edit_place(const rvi_edit_mesh *s, uint32_t vertex, double out[3]) {
    rvi_spot p = s->spots[vertex];
    out[0] = (double)p.x * s->step;
    out[1] = (double)p.y * s->step;
    out[2] = (double)p.z * s->step;
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

/* What is checked is what will be worn: the rounded mesh. */
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

static void take_vertices(rvi_edit_mesh *s, const rv_mesh *mesh, double scale) {
    s->vertices = s->originals = mesh->vertex_count;
    memset(s->leaving, 0xff, s->vertices * sizeof *s->leaving);
    for (size_t v = 0; v < s->vertices; v++) {
        const double *p = mesh->points + 3 * v;
        s->spots[v] = (rvi_spot){(int64_t)to_lattice(p[0], scale), (int64_t)to_lattice(p[1], scale),
                                 (int64_t)to_lattice(p[2], scale)};
        rvi_edit_place(s, (uint32_t)v, s->first + 3 * v);
    }
    s->faces = s->live_faces = mesh->face_count;
    memcpy(s->corners, mesh->corners, 3 * s->faces * sizeof *s->corners);
    for (uint32_t e = 0; e < 3 * s->faces; e++)
        s->leaving[s->corners[e]] = e;
    for (uint32_t v = (uint32_t)s->vertices; v-- > 0;) /* those of no face are free */
        if (s->leaving[v] == RVI_NOBODY)
            s->free_vertices[s->free_vertex_count++] = v;
    s->live_vertices = s->vertices - s->free_vertex_count;
}

/* Half-edges of one edge have the same two vertices: sorted by them, they stand side by side. */
static rv_status find_twins(rvi_edit_mesh *s) {
    size_t count = 3 * s->faces;
    rvi_keyed *edges = rvi_alloc(s->ctx, count, sizeof *edges, what);
    if (edges == NULL)
        return RV_ERROR_MEMORY;
    for (uint32_t e = 0; e < count; e++) {
        uint64_t a = rvi_edge_from(s, e), b = rvi_edge_to(s, e);
        edges[e] = (rvi_keyed){a < b ? a << 32 | b : b << 32 | a, e};
    }
    rv_status status = rvi_sort(s->ctx, edges, count);
    for (size_t i = 0; i + 1 < count && status == RV_OK; i += 2) {
        s->twins[edges[i].value] = edges[i + 1].value;
        s->twins[edges[i + 1].value] = edges[i].value;
    }
    rvi_free(s->ctx, edges);
    return status;
}

/* Numbers the shells in the order of their first faces and adds up their volumes. */
static rv_status find_shells(rvi_edit_mesh *s, const rv_mesh *mesh) {
    rvi_links links;
    rv_status status = rvi_links_create(mesh, ignore_fault, NULL, &links);
    if (status != RV_OK)
        return status;
    s->volumes = rvi_alloc(s->ctx, links.shells, sizeof *s->volumes, what);
    s->anchors = rvi_alloc(s->ctx, links.shells, sizeof *s->anchors, what);
    s->hollow = rvi_alloc(s->ctx, links.shells, 1, what);
    if (s->volumes == NULL || s->anchors == NULL || s->hollow == NULL) {
        rvi_links_destroy(&links);
        return RV_ERROR_MEMORY;
    }
    for (uint32_t f = 0; f < s->faces; f++) {
        if (links.shell[f] == f) {
            s->anchors[s->shells] = f;
            s->shell[f] = (uint32_t)s->shells++;
        } else {
            s->shell[f] = s->shell[links.shell[f]];
        }
        rvi_wide *sum = &s->volumes[s->shell[f]];
        *sum = rvi_wide_plus(*sum, rvi_edit_face_volume6(s, f));
    }
    for (size_t i = 0; i < s->shells; i++)
        s->hollow[i] = s->volumes[i] < 0;
    rvi_links_destroy(&links);
    return RV_OK;
}

static rv_status enter_faces(rvi_edit_mesh *s) {
    for (uint32_t f = 0; f < s->faces; f++) {
        rvi_triangle t = rvi_edit_triangle(s, f);
        rvi_box box = rvi_triangle_box(&t);
        if (rvi_grid_put(&s->grid, f, &box) != RV_OK)
            return RV_ERROR_MEMORY;
        if (f % POLL == 0 && rvi_poll(s->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    memset(s->changed, 1, s->faces);
    return RV_OK;
}

static rv_status fill(rvi_edit_mesh *s, const rv_mesh *mesh, double scale) {
    rv_status status = rvi_edit_reserve(s, mesh->vertex_count, mesh->face_count);
    if (status != RV_OK)
        return status;
    take_vertices(s, mesh, scale);
    status = find_twins(s);
    if (status == RV_OK)
        status = find_shells(s, mesh);
    return status == RV_OK ? enter_faces(s) : status;
}

rv_status rvi_edit_create(const rv_mesh *mesh, rvi_edit_mesh **out) {
    rv_context *ctx = mesh->ctx;
    double scale = rvi_lattice_scale(mesh, (double)RVI_LATTICE_MOST / ROOM_TO_GROW, 0x1p300);
    *out = NULL;
    rv_status status = check_rounded(mesh, scale);
    if (status != RV_OK)
        return status;
    rvi_edit_mesh *s = rvi_alloc(ctx, 1, sizeof *s, what);
    if (s == NULL)
        return RV_ERROR_MEMORY;
    s->ctx = ctx;
    s->step = 1 / scale;
    status = rvi_grid_create(ctx, mesh->face_count, &s->grid);
    if (status == RV_OK)
        status = fill(s, mesh, scale);
    if (status == RV_OK)
        *out = s;
    else
        rvi_edit_destroy(s);
    return status;
}

void rvi_edit_destroy(rvi_edit_mesh *s) {
    if (s == NULL)
        return;
    rv_context *ctx = s->ctx;
    void *arrays[] = {s->spots,   s->first,         s->leaving, s->fixed,      s->wet,
                      s->slots,   s->free_vertices, s->corners, s->twins,      s->shell,
                      s->changed, s->listed,        s->marks,   s->volumes,    s->anchors,
                      s->hollow,  s->born,          s->worn,    s->free_faces, s->safe};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        rvi_free(ctx, arrays[i]);
    rvi_grid_destroy(&s->grid);
    rvi_free(ctx, s);
}

/* ---- To a mesh ---- */

rv_status rvi_edit_to_mesh(const rvi_edit_mesh *s, rv_mesh **out) {
    uint32_t *numbers = rvi_alloc(s->ctx, s->vertices, sizeof *numbers, what);
    if (numbers == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = rvi_mesh_create(s->ctx, s->live_vertices, s->live_faces, false, out);
    if (status == RV_OK) {
        uint32_t vertices = 0;
        size_t corners = 0;
        for (uint32_t v = 0; v < s->vertices; v++)
            if (s->leaving[v] != RVI_NOBODY) {
                rvi_edit_place(s, v, (*out)->points + 3 * (size_t)vertices);
                numbers[v] = vertices++;
            }
        for (size_t e = 0; e < 3 * s->faces; e++)
            if (s->corners[e] != RVI_NOBODY)
                (*out)->corners[corners++] = numbers[s->corners[e]];
    }
    rvi_free(s->ctx, numbers);
    return status;
}

size_t rvi_edit_changed(rvi_edit_mesh *s, const uint32_t **faces) {
    size_t count = 0;
    const uint8_t *end = s->changed + s->faces;
    for (uint8_t *at = s->changed; at < end && (at = memchr(at, 1, (size_t)(end - at))) != NULL;
         at++) {
        s->listed[count++] = (uint32_t)(at - s->changed);
        *at = 0;
    }
    *faces = s->listed;
    return count;
}
