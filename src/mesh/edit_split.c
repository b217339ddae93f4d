/* edit_split.c: split, insert, flip and collapse. Each says which faces are replaced by which; all
 * of them are tested and done the same way. */
#include "mesh/edit_mesh.h"

#include "base/context.h"
#include "base/math.h"

/* ---- Doing it ---- */

/* The half-edges just outside of what is replaced. */
typedef struct border {
    uint32_t from[3 * RVI_REPLACE_MOST], to[3 * RVI_REPLACE_MOST], outer[3 * RVI_REPLACE_MOST];
    size_t count;
} border;

/* The faces that go bear the last stamp. */
static void find_border(const rvi_edit_mesh *edit, const rvi_replacement *p, border *out) {
    out->count = 0;
    for (size_t i = 0; i < p->olds; i++)
        for (uint32_t e = 3 * p->old[i]; e < 3 * p->old[i] + 3; e++)
            if (edit->marks[edit->edges.twins[e] / 3] != edit->stamp) {
                out->from[out->count] = rvi_edge_from(&edit->edges, e);
                out->to[out->count] = rvi_edge_to(&edit->edges, e);
                out->outer[out->count++] = edit->edges.twins[e];
            }
}

/* Numbers for the faces that come: first those that go, then free ones, then new ones. */
static void number_faces(const rvi_edit_mesh *edit, const rvi_replacement *p,
                         uint32_t out[RVI_REPLACE_MOST]) {
    size_t spare = edit->free_face_count, next = edit->faces;
    for (size_t i = 0; i < p->count; i++)
        out[i] = i < p->olds ? p->old[i] : spare > 0 ? edit->free_faces[--spare] : (uint32_t)next++;
}

/* Enters the faces that come, or nothing. */
static rv_status enter(rvi_edit_mesh *edit, const rvi_replacement *p,
                       const uint32_t numbers[RVI_REPLACE_MOST]) {
    rvi_box before[RVI_REPLACE_MOST];
    for (size_t i = 0; i < p->count; i++) {
        rvi_triangle t;
        for (size_t k = 0; k < 3; k++)
            t.spots[k] = p->fresh[i][k] == p->vertex ? p->spot : edit->spots[p->fresh[i][k]];
        rvi_box box = rvi_triangle_box(&t);
        before[i] = edit->grid.boxes[numbers[i]];
        if (rvi_grid_put(&edit->grid, numbers[i], &box) == RV_OK)
            continue;
        while (i-- > 0)
            if (i < p->olds)
                rvi_grid_put(&edit->grid, numbers[i], &before[i]); /* back, which needs no memory */
            else
                rvi_grid_remove(&edit->grid, numbers[i]);
        return RV_ERROR_MEMORY;
    }
    return RV_OK;
}

static void free_face(rvi_edit_mesh *edit, uint32_t face) {
    rvi_grid_remove(&edit->grid, face);
    for (uint32_t e = 3 * face; e < 3 * face + 3; e++)
        edit->edges.corners[e] = edit->edges.twins[e] = RVI_NONE;
    edit->free_faces[edit->free_face_count++] = face;
    edit->changed[face] = 1;
}

static void write_faces(rvi_edit_mesh *edit, const rvi_replacement *p,
                        const uint32_t numbers[RVI_REPLACE_MOST]) {
    uint32_t shell = edit->shell[p->old[0]];
    for (size_t i = 0; i < p->count; i++) {
        uint32_t face = numbers[i];
        if (i >= p->olds && face == edit->faces)
            edit->faces++;
        else if (i >= p->olds)
            edit->free_face_count--;
        for (uint32_t k = 0; k < 3; k++) {
            edit->edges.corners[3 * face + k] = p->fresh[i][k];
            edit->edges.leaving[p->fresh[i][k]] = 3 * face + k;
        }
        edit->shell[face] = shell;
        edit->born[face] = edit->round;
        edit->changed[face] = 1;
        edit->shapes[face] = RVI_SHAPE_CHANGED;
    }
    for (size_t i = p->olds; i-- > p->count;) {
        if (edit->anchors[shell] == p->old[i])
            edit->anchors[shell] = numbers[0];
        free_face(edit, p->old[i]);
    }
    edit->live_faces += p->count;
    edit->live_faces -= p->olds;
}

static uint32_t find_twin(const rvi_edit_mesh *edit, const rvi_replacement *p,
                          const uint32_t numbers[RVI_REPLACE_MOST], const border *b, uint32_t e) {
    uint32_t from = rvi_edge_from(&edit->edges, e), to = rvi_edge_to(&edit->edges, e);
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t g = 3 * numbers[i]; g < 3 * numbers[i] + 3; g++)
            if (rvi_edge_from(&edit->edges, g) == to && rvi_edge_to(&edit->edges, g) == from)
                return g;
    for (size_t i = 0; i < b->count; i++)
        if (b->from[i] == from && b->to[i] == to)
            return b->outer[i];
    return RVI_NONE;
}

static void link_faces(rvi_edit_mesh *edit, const rvi_replacement *p,
                       const uint32_t numbers[RVI_REPLACE_MOST], const border *b) {
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t e = 3 * numbers[i]; e < 3 * numbers[i] + 3; e++) {
            edit->edges.twins[e] = find_twin(edit, p, numbers, b, e);
            edit->edges.twins[edit->edges.twins[e]] = e;
        }
}

static void write_vertices(rvi_edit_mesh *edit, const rvi_replacement *p) {
    uint32_t v = p->vertex;
    if (v == RVI_NONE)
        return;
    edit->spots[v] = p->spot;
    if (p->gone != RVI_NONE) {
        edit->edges.leaving[p->gone] = RVI_NONE;
        edit->free_vertices[edit->free_vertex_count++] = p->gone;
        edit->live_vertices--;
        return;
    }
    if (v == edit->vertices)
        edit->vertices++;
    else
        edit->free_vertex_count--;
    edit->live_vertices++;
    edit->fixed[v] = 0;
    edit->wet[v] = edit->round;
}

/* The number of the next vertex, once there is room for it and two faces. */
static rv_status next_vertex(rvi_edit_mesh *edit, uint32_t *out) {
    rv_status status = rvi_edit_reserve(edit, 1, 2);
    if (status == RV_OK)
        *out = edit->free_vertex_count > 0 ? edit->free_vertices[edit->free_vertex_count - 1]
                                           : (uint32_t)edit->vertices;
    return status;
}

static rvi_done replace(rvi_edit_mesh *edit, rvi_replacement *p) {
    if (!rvi_replacement_fits(edit, p)) {
        edit->refused_operations++;
        return RVI_REFUSED;
    }
    uint32_t numbers[RVI_REPLACE_MOST], shell = edit->shell[p->old[0]];
    border b;
    number_faces(edit, p, numbers);
    if (enter(edit, p, numbers) != RV_OK)
        return RVI_NO_MEMORY;
    find_border(edit, p, &b);
    write_faces(edit, p, numbers);
    link_faces(edit, p, numbers, &b);
    write_vertices(edit, p);
    rvi_faces_came(edit, numbers, p->count);
    edit->volumes[shell] = rvi_wide_plus(edit->volumes[shell], p->volume6);
    return RVI_DONE;
}

/* ---- What to do ---- */

static void add_fresh(rvi_replacement *p, uint32_t a, uint32_t b, uint32_t c, uint32_t like) {
    uint32_t *corners = p->fresh[p->count];
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    p->like[p->count++] = like;
}

static bool all_fixed(const rvi_edit_mesh *edit, uint32_t face) {
    const uint32_t *v = edit->edges.corners + 3 * (size_t)face;
    return edit->fixed[v[0]] && edit->fixed[v[1]] && edit->fixed[v[2]];
}

static int64_t half_sum(int64_t a, int64_t b) { /* halves are rounded to the even number */
    int64_t sum = a + b, half = sum / 2;
    if (sum % 2 != 0 && half % 2 != 0)
        half += sum > 0 ? 1 : -1;
    return half;
}

static rvi_spot middle_of(rvi_spot a, rvi_spot b) {
    return (rvi_spot){half_sum(a.x, b.x), half_sum(a.y, b.y), half_sum(a.z, b.z)};
}

rvi_done rvi_edit_split(rvi_edit_mesh *edit, uint32_t half_edge, uint32_t *middle) {
    uint32_t twin = edit->edges.twins[half_edge], f = half_edge / 3, g = twin / 3, m;
    uint32_t a = rvi_edge_from(&edit->edges, half_edge), b = rvi_edge_to(&edit->edges, half_edge);
    uint32_t c = edit->edges.corners[rvi_edge_before(half_edge)],
             d = edit->edges.corners[rvi_edge_before(twin)];
    if (all_fixed(edit, f) || all_fixed(edit, g))
        return RVI_REFUSED;
    if (next_vertex(edit, &m) != RV_OK)
        return RVI_NO_MEMORY;
    rvi_replacement p = {.old = {f, g}, .olds = 2, .vertex = m, .gone = RVI_NONE};
    p.spot = middle_of(edit->spots[a], edit->spots[b]);
    add_fresh(&p, a, m, c, f);
    add_fresh(&p, b, m, d, g);
    add_fresh(&p, m, b, c, f);
    add_fresh(&p, m, a, d, g);
    rvi_done done = replace(edit, &p);
    for (size_t k = 0; k < 3 && done == RVI_DONE; k++)
        edit->first[3 * (size_t)m + k] =
            (edit->first[3 * (size_t)a + k] + edit->first[3 * (size_t)b + k]) / 2;
    if (middle != NULL)
        *middle = m;
    return done;
}

rvi_done rvi_edit_insert(rvi_edit_mesh *edit, uint32_t face, const double weights[3],
                         uint32_t *vertex) {
    uint32_t a = edit->edges.corners[3 * (size_t)face],
             b = edit->edges.corners[3 * (size_t)face + 1],
             c = edit->edges.corners[3 * (size_t)face + 2], m;
    if (all_fixed(edit, face))
        return RVI_REFUSED;
    if (next_vertex(edit, &m) != RV_OK)
        return RVI_NO_MEMORY;
    rvi_replacement p = {.old = {face}, .olds = 1, .vertex = m, .gone = RVI_NONE};
    rvi_spot A = edit->spots[a], B = edit->spots[b], C = edit->spots[c];
    double x = (double)(B.x - A.x) * weights[1] + (double)(C.x - A.x) * weights[2];
    double y = (double)(B.y - A.y) * weights[1] + (double)(C.y - A.y) * weights[2];
    double z = (double)(B.z - A.z) * weights[1] + (double)(C.z - A.z) * weights[2];
    p.spot = (rvi_spot){A.x + (int64_t)(x + RVI_ROUND - RVI_ROUND),
                        A.y + (int64_t)(y + RVI_ROUND - RVI_ROUND),
                        A.z + (int64_t)(z + RVI_ROUND - RVI_ROUND)};
    add_fresh(&p, a, b, m, face);
    add_fresh(&p, b, c, m, face);
    add_fresh(&p, c, a, m, face);
    rvi_done done = replace(edit, &p);
    for (size_t k = 0; k < 3 && done == RVI_DONE; k++)
        edit->first[3 * (size_t)m + k] = weights[0] * edit->first[3 * (size_t)a + k] +
                                         weights[1] * edit->first[3 * (size_t)b + k] +
                                         weights[2] * edit->first[3 * (size_t)c + k];
    if (vertex != NULL)
        *vertex = m;
    return done;
}

rvi_done rvi_edit_flip(rvi_edit_mesh *edit, uint32_t half_edge) {
    uint32_t twin = edit->edges.twins[half_edge], f = half_edge / 3, g = twin / 3;
    uint32_t a = rvi_edge_from(&edit->edges, half_edge), b = rvi_edge_to(&edit->edges, half_edge);
    uint32_t c = edit->edges.corners[rvi_edge_before(half_edge)],
             d = edit->edges.corners[rvi_edge_before(twin)];
    if (all_fixed(edit, f) || all_fixed(edit, g) ||
        rvi_edge_between(&edit->edges, c, d) != RVI_NONE) {
        edit->refused_operations++;
        return RVI_REFUSED;
    }
    rvi_replacement p = {.old = {f, g}, .olds = 2, .vertex = RVI_NONE, .gone = RVI_NONE};
    p.spot = edit->spots[d];
    add_fresh(&p, c, d, b, f);
    add_fresh(&p, d, c, a, g);
    return replace(edit, &p);
}

/* ---- Collapse ---- */

/* The faces around both ends; false: there are too many, or more than two vertices are joined to
 * both ends, so that the surface would be pinched. */
static bool gather(const rvi_edit_mesh *edit, uint32_t keep, uint32_t gone, rvi_replacement *p) {
    size_t common = 0;
    uint32_t ends[2] = {keep, gone};
    for (int n = 0; n < 2; n++) {
        uint32_t first = edit->edges.leaving[ends[n]], e = first;
        do {
            uint32_t to = rvi_edge_to(&edit->edges, e),
                     opposite = edit->edges.corners[rvi_edge_before(e)];
            bool both = to == ends[1 - n] || opposite == ends[1 - n];
            if (p->olds == RVI_REPLACE_MOST || all_fixed(edit, e / 3))
                return false;
            if (n == 0 || !both)
                p->old[p->olds++] = e / 3;
            common += n == 0 && to != gone && rvi_edge_between(&edit->edges, to, gone) != RVI_NONE;
            e = rvi_edge_around(&edit->edges, e);
        } while (e != first);
    }
    return common == 2;
}

/* The faces that are left, with `keep` in the place of `gone`. */
static void add_merged(const rvi_edit_mesh *edit, rvi_replacement *p, uint32_t keep,
                       uint32_t gone) {
    for (size_t i = 0; i < p->olds; i++) {
        uint32_t v[3];
        int ends = 0;
        for (size_t k = 0; k < 3; k++) {
            v[k] = edit->edges.corners[3 * (size_t)p->old[i] + k];
            ends += v[k] == keep || v[k] == gone;
            v[k] = v[k] == gone ? keep : v[k];
        }
        if (ends == 1)
            add_fresh(p, v[0], v[1], v[2], p->old[i]);
    }
}

rvi_done rvi_edit_collapse(rvi_edit_mesh *edit, uint32_t half_edge, rvi_collapse_to place) {
    uint32_t gone = rvi_edge_from(&edit->edges, half_edge),
             keep = rvi_edge_to(&edit->edges, half_edge);
    rvi_replacement p = {.vertex = keep, .gone = gone};
    if (edit->fixed[gone] || (edit->fixed[keep] && place != RVI_AT_END) ||
        !gather(edit, keep, gone, &p)) {
        edit->refused_operations++;
        return RVI_REFUSED;
    }
    rvi_spot a = edit->spots[gone], b = edit->spots[keep];
    p.spot = place == RVI_AT_END ? b : place == RVI_AT_START ? a : middle_of(a, b);
    add_merged(edit, &p, keep, gone);
    rvi_done done = replace(edit, &p);
    double share = (double)place / 2, *to = edit->first + 3 * (size_t)keep;
    for (size_t k = 0; k < 3 && done == RVI_DONE; k++)
        to[k] = to[k] * (1 - share) + edit->first[3 * (size_t)gone + k] * share;
    return done;
}
