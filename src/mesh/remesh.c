/* remesh.c: from cells to a smooth mesh with so many vertices (the method is told in remesh.h). */
#include "mesh/remesh.h"

#include "base/math.h"
#include "base/vector.h"
#include "mesh/patch_mesh.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 14, LATE = 8, LAST_ROUNDS = 5, TRIES = 4 };
enum { DESCENTS = 4, HALVES = 3 }; /* at most: steps to the surface, and halves of the way there */

#define THIN 0.082 /* 1 - cosine of 23 degrees */
#define OFF 0.25   /* of the length of edges: a vertex that far from the land is stuck */

static const char what[] = "the mesh of a preset";

typedef struct remesher {
    const rvi_remesh *desc;
    rv_context *ctx;
    uint8_t *rock;       /* of each cell */
    uint32_t *vertex_of; /* of each corner of cells: its vertex + 1; 0: none yet */
    rvi_patch_mesh mesh;
    double *lengths; /* of edges, at each vertex */
    double scale;    /* metres of a length of 1 */
    bool late;       /* has the form been found, so that a vertex off the land is stuck? */
    double near;     /* metres from the surface that are near enough */
} remesher;

/* ---- cells ---- */

static bool rock_at(const remesher *r, int x, int y, int z) {
    const int *n = r->desc->cells;
    if (x < 0 || y < 0 || z < 0 || x >= n[0] || y >= n[1] || z >= n[2])
        return false;
    return r->rock[((size_t)z * (size_t)n[1] + (size_t)y) * (size_t)n[0] + (size_t)x];
}

static void place_at(const rvi_remesh *desc, const double at[3], double out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = desc->low[k] + (desc->high[k] - desc->low[k]) * at[k] / desc->cells[k];
}

/* Are the cells around a corner that are rock, or those that are not, connected by sides? */
static bool connected(unsigned cells) {
    if (cells == 0 || cells == 255)
        return true;
    unsigned seen = cells & (0u - cells), before = 0;
    while (seen != before) {
        before = seen;
        for (unsigned k = 0; k < 8; k++)
            if (seen >> k & 1)
                seen |= (1u << (k ^ 1) | 1u << (k ^ 2) | 1u << (k ^ 4)) & cells;
    }
    return seen == cells;
}

/* Fills a cell at a corner where the surface would touch itself; false: it does not. */
static bool fill_pinch(remesher *r, int x, int y, int z) {
    const int *n = r->desc->cells;
    unsigned cells = 0;
    for (int k = 0; k < 8; k++)
        cells |= (unsigned)rock_at(r, x - 1 + (k & 1), y - 1 + (k >> 1 & 1), z - 1 + (k >> 2)) << k;
    if (connected(cells) && connected(~cells & 255))
        return false;
    size_t best = 0;
    double least = 1e300;
    for (int k = 0; k < 8; k++) {
        int i[3] = {x - 1 + (k & 1), y - 1 + (k >> 1 & 1), z - 1 + (k >> 2)};
        bool inside =
            i[0] >= 0 && i[1] >= 0 && i[2] >= 0 && i[0] < n[0] && i[1] < n[1] && i[2] < n[2];
        if (!inside || rock_at(r, i[0], i[1], i[2]))
            continue;
        double at[3] = {i[0] + 0.5, i[1] + 0.5, i[2] + 0.5}, place[3];
        place_at(r->desc, at, place);
        double out = r->desc->shape(place);
        if (out < least) {
            least = out;
            best = ((size_t)i[2] * (size_t)n[1] + (size_t)i[1]) * (size_t)n[0] + (size_t)i[0];
        }
    }
    r->rock[best] = 1;
    return true;
}

static rv_status fill_cells(remesher *r) {
    const int *n = r->desc->cells;
    size_t cell = 0;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++) {
                double at[3] = {x + 0.5, y + 0.5, z + 0.5}, place[3];
                place_at(r->desc, at, place);
                r->rock[cell++] = r->desc->shape(place) < 0;
            }
    for (bool again = true; again;) {
        again = false;
        for (int z = 0; z <= n[2]; z++)
            for (int y = 0; y <= n[1]; y++)
                for (int x = 0; x <= n[0]; x++)
                    again |= fill_pinch(r, x, y, z);
        if (rvi_poll(r->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static uint32_t corner_at(remesher *r, const int at[3]) {
    const int *n = r->desc->cells;
    size_t i =
        ((size_t)at[2] * (size_t)(n[1] + 1) + (size_t)at[1]) * (size_t)(n[0] + 1) + (size_t)at[0];
    if (r->vertex_of[i] == 0) {
        double place[3] = {at[0], at[1], at[2]};
        place_at(r->desc, place, r->mesh.at[r->mesh.vertices]);
        r->vertex_of[i] = (uint32_t)++r->mesh.vertices;
    }
    return r->vertex_of[i] - 1;
}

/* Two faces between a cell of rock and what lies beside it. */
static void add_side(remesher *r, const int cell[3], int axis, int up) {
    static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    rvi_patch_mesh *m = &r->mesh;
    uint32_t v[4];
    for (int k = 0; k < 4; k++) {
        int at[3] = {cell[0], cell[1], cell[2]};
        int turn = up ? k : 3 - k;
        at[axis] += up;
        at[(axis + 1) % 3] += around[turn][0];
        at[(axis + 2) % 3] += around[turn][1];
        v[k] = corner_at(r, at);
    }
    bool edge = up ? cell[axis] == r->desc->cells[axis] - 1 : cell[axis] == 0;
    int odd = (cell[0] + cell[1] + cell[2]) & 1;
    const uint32_t faces[2][3] = {{v[odd], v[odd + 1], v[odd + 2]},
                                  {v[odd], v[odd + 2], v[(odd + 3) % 4]}};
    for (int k = 0; k < 2; k++) {
        m->patch[m->faces] = (uint8_t)(edge ? 2 * axis + up : RVI_PATCH_LAND);
        memcpy(m->edges.corners + 3 * m->faces++, faces[k], sizeof faces[k]);
    }
}

static void add_sides(remesher *r) {
    const int *n = r->desc->cells;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++)
                for (int k = 0; k < 6 && rock_at(r, x, y, z); k++) {
                    int cell[3] = {x, y, z}, beside[3] = {x, y, z}, up = k & 1;
                    beside[k / 2] += up ? 1 : -1;
                    if (!rock_at(r, beside[0], beside[1], beside[2]))
                        add_side(r, cell, k / 2, up);
                }
}

static rv_status start(remesher *r) {
    const int *n = r->desc->cells;
    size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    size_t corners = ((size_t)n[0] + 1) * ((size_t)n[1] + 1) * ((size_t)n[2] + 1);
    size_t room = corners > 2 * r->desc->vertices ? corners : 2 * r->desc->vertices;
    r->rock = rvi_alloc(r->ctx, cells, 1, what);
    r->vertex_of = rvi_alloc(r->ctx, corners, sizeof *r->vertex_of, what);
    r->lengths = rvi_alloc(r->ctx, room, sizeof *r->lengths, what);
    rv_status status = r->rock && r->vertex_of && r->lengths ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_patch_mesh_create(r->ctx, room, &r->mesh);
    if (status == RV_OK)
        status = fill_cells(r);
    if (status != RV_OK)
        return status;
    add_sides(r);
    return rvi_patch_mesh_link(&r->mesh);
}

/* ---- the surface ---- */

/* Which way the shape grows, along the axes that are free. */
static void slope_at(const remesher *r, const double at[3], double here, const bool held[3],
                     double out[3]) {
    const double step = 1e-4;
    for (int k = 0; k < 3; k++) {
        double beside[3] = {at[0], at[1], at[2]};
        beside[k] += step;
        out[k] = held[k] ? 0 : (r->desc->shape(beside) - here) / step;
    }
}

/* Moves a vertex to its patches: to the sides of the box, and down the slope to the land. */
static void project(remesher *r, uint32_t v) {
    const rvi_remesh *desc = r->desc;
    unsigned patches = rvi_patch_mesh_patches(&r->mesh, v);
    double *at = r->mesh.at[v];
    bool held[3];
    for (int k = 0; k < 3; k++) {
        held[k] = patches >> (2 * k) & 3;
        if (patches >> (2 * k) & 1)
            at[k] = desc->low[k];
        else if (patches >> (2 * k) & 2)
            at[k] = desc->high[k];
    }
    double most = 0.5 * r->scale * r->lengths[v];
    for (int i = 0; i < DESCENTS && patches >> RVI_PATCH_LAND & 1; i++) {
        double slope[3], here = desc->shape(at);
        if (fabs(here) < r->near)
            break;
        slope_at(r, at, here, held, slope);
        double square = rvi_dot3(slope, slope);
        if (square < 1e-6)
            break;
        double by = here / square, length = fabs(by) * sqrt(square);
        by *= length > most ? most / length : 1;
        for (int k = 0; k < 3; k++)
            at[k] -= by * slope[k];
    }
    for (int k = 0; k < 3; k++) {
        /* Only those of a side lie in it. */
        double margin = held[k] ? 0 : 1e-3 * (desc->high[k] - desc->low[k]) / desc->cells[k];
        at[k] = at[k] < desc->low[k] + margin ? desc->low[k] + margin : at[k];
        at[k] = at[k] > desc->high[k] - margin ? desc->high[k] - margin : at[k];
    }
}

/* Where the neighbours would have a vertex: within the surface, or along a crease. */
static bool smoothed_place(const remesher *r, uint32_t v, double out[3]) {
    const rvi_patch_mesh *m = &r->mesh;
    int patches = rvi_patch_count(rvi_patch_mesh_patches(m, v));
    double sum[3] = {0}, normal[3] = {0}, weights = 0;
    uint32_t e = m->edges.leaving[v];
    if (patches > 2)
        return false;
    do {
        uint32_t w = rvi_edge_to(&m->edges, e);
        double face[3];
        rvi_patch_mesh_normal(m, e / 3, face);
        if (patches == 1 || rvi_patch_mesh_crease(m, e)) {
            /* Small edges pull less than large ones, so that the lengths may differ. */
            double weight = 1 / r->lengths[w];
            for (int k = 0; k < 3; k++)
                sum[k] += weight * m->at[w][k];
            weights += weight;
        }
        for (int k = 0; k < 3; k++)
            normal[k] += face[k];
        e = rvi_edge_around(&m->edges, e);
    } while (e != m->edges.leaving[v]);
    double way[3], square = 0, off = 0;
    for (int k = 0; k < 3; k++) {
        way[k] = sum[k] / weights - m->at[v][k];
        square += normal[k] * normal[k];
        off += way[k] * normal[k];
    }
    if (patches == 1 && square > 0)
        for (int k = 0; k < 3; k++)
            way[k] -= off / square * normal[k];
    for (int k = 0; k < 3; k++)
        out[k] = m->at[v][k] + 0.6 * way[k];
    return true;
}

enum { FAN = 24 }; /* faces around a vertex that are looked at */

static int normals_around(const rvi_patch_mesh *m, uint32_t v, double out[FAN][3]) {
    int count = 0;
    uint32_t e = m->edges.leaving[v];
    do {
        rvi_patch_mesh_normal(m, e / 3, out[count++]);
        e = rvi_edge_around(&m->edges, e);
    } while (e != m->edges.leaving[v] && count < FAN);
    return count;
}

/* Of the angle between two directions. */
static double cosine_of(const double a[3], const double b[3]) {
    return rvi_dot3(a, b) / sqrt(rvi_dot3(a, a) * rvi_dot3(b, b) + 1e-300);
}

/* The way out for a face of the vertex. */
static void outside_of(const remesher *r, uint32_t v, uint8_t patch, double out[3]) {
    const bool free[3] = {false, false, false};
    if (patch == RVI_PATCH_LAND) {
        slope_at(r, r->mesh.at[v], r->desc->shape(r->mesh.at[v]), free, out);
        return;
    }
    out[0] = out[1] = out[2] = 0;
    out[patch / 2] = patch & 1 ? 1 : -1;
}

/* Has no face of the vertex turned over? Those that lay wrong may turn back. */
static bool faces_kept(const remesher *r, uint32_t v, double before[FAN][3]) {
    const rvi_patch_mesh *m = &r->mesh;
    double now[FAN][3];
    int count = normals_around(m, v, now);
    uint32_t e = m->edges.leaving[v];
    for (int i = 0; i < count; i++, e = rvi_edge_around(&m->edges, e)) {
        double out[3];
        if (cosine_of(now[i], before[i]) > 0.5)
            continue;
        outside_of(r, v, m->patch[e / 3], out);
        if (cosine_of(now[i], out) <= 0.2 && cosine_of(now[i], out) < cosine_of(before[i], out))
            return false;
    }
    return true;
}

/* Is a vertex of the land away from it? */
static bool is_off(const remesher *r, uint32_t v, const double at[3]) {
    return rvi_patch_mesh_patches(&r->mesh, v) >> RVI_PATCH_LAND & 1 &&
           fabs(r->desc->shape(at)) > OFF * r->scale * r->lengths[v];
}

static void smooth_all(remesher *r) {
    rvi_patch_mesh *m = &r->mesh;
    for (uint32_t v = 0; v < m->vertices; v++) {
        double to[3], old[3], before[FAN][3];
        memcpy(old, m->at[v], sizeof old);
        normals_around(m, v, before);
        if (smoothed_place(r, v, to))
            memcpy(m->at[v], to, sizeof to);
        project(r, v);
        /* A stuck vertex goes a part of the way, and the next round flips and collapses around it.
         * Otherwise rock as thin as paper would stay in the mouths of caves. */
        int halves = r->late && is_off(r, v, old) ? HALVES : 0;
        for (int i = 0; i <= halves && !faces_kept(r, v, before); i++)
            for (int k = 0; k < 3; k++)
                m->at[v][k] = i < halves ? 0.5 * (m->at[v][k] + old[k]) : old[k];
    }
}

static void measure(remesher *r) {
    for (uint32_t v = 0; v < r->mesh.vertices; v++)
        r->lengths[v] = r->desc->length(r->mesh.at[v]);
}

/* How long an edge is, as a share of how long it should be. */
static double share_of(const remesher *r, uint32_t e) {
    const rvi_patch_mesh *m = &r->mesh;
    double want = 0.5 * (r->lengths[m->edges.corners[e]] + r->lengths[rvi_edge_to(&m->edges, e)]);
    return rvi_patch_mesh_length(m, e) / (want * r->scale);
}

static void split_at(remesher *r, uint32_t e) {
    uint32_t m = rvi_patch_mesh_split(&r->mesh, e);
    r->lengths[m] = r->desc->length(r->mesh.at[m]);
    double old[3], before[FAN][3];
    memcpy(old, r->mesh.at[m], sizeof old);
    normals_around(&r->mesh, m, before);
    project(r, m);
    if (!faces_kept(r, m, before))
        memcpy(r->mesh.at[m], old, sizeof old);
}

static void split_long(remesher *r, double limit) {
    /* New ones are looked at in the next round. */
    size_t count = 3 * r->mesh.faces;
    for (uint32_t e = 0; e < count && r->mesh.vertices < r->mesh.room; e++)
        if (e < r->mesh.edges.twins[e] && share_of(r, e) > limit)
            split_at(r, e);
}

static bool collapse_at(remesher *r, uint32_t e) {
    /* The vertex that goes leaves its place to the last one. */
    uint32_t gone = r->mesh.edges.corners[e], last = (uint32_t)r->mesh.vertices - 1;
    if (!rvi_patch_mesh_collapse(&r->mesh, e))
        return false;
    r->lengths[gone] = r->lengths[last];
    return true;
}

/* No edge may become too long again. */
static bool stays_short(const remesher *r, uint32_t e, double limit) {
    const rvi_patch_mesh *m = &r->mesh;
    const double *to = m->at[rvi_edge_to(&m->edges, e)];
    for (uint32_t k = rvi_edge_around(&m->edges, e); k != e; k = rvi_edge_around(&m->edges, k)) {
        const double *from = m->at[rvi_edge_to(&m->edges, k)];
        double x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
        if (sqrt((x * x + y * y) + z * z) >
            limit * r->scale * r->lengths[rvi_edge_to(&m->edges, k)])
            return false;
    }
    return true;
}

static void collapse_short(remesher *r, double limit, double longest) {
    for (uint32_t e = 0; e < 3 * r->mesh.faces; e++)
        if (share_of(r, e) < limit && stays_short(r, e, longest) && collapse_at(r, e))
            e -= e % 3 + 1; /* other faces may be here now */
}

/* 1 - the cosine of the smallest angle. */
static double least_angle(const rvi_patch_mesh *m, uint32_t a, uint32_t b, uint32_t c) {
    const double *at[3] = {m->at[a], m->at[b], m->at[c]};
    double least = 1e300;
    for (int k = 0; k < 3; k++) {
        double along = 0, first = 0, second = 0;
        for (int i = 0; i < 3; i++) {
            double p = at[(k + 1) % 3][i] - at[k][i], q = at[(k + 2) % 3][i] - at[k][i];
            along += p * q;
            first += p * p;
            second += q * q;
        }
        double cosine = along / sqrt(first * second + 1e-300);
        least = 1 - cosine < least ? 1 - cosine : least;
    }
    return least;
}

static void flip_all(remesher *r) {
    rvi_patch_mesh *m = &r->mesh;
    for (uint32_t e = 0; e < 3 * m->faces; e++) {
        uint32_t t = m->edges.twins[e], a = m->edges.corners[e], b = m->edges.corners[t];
        uint32_t p = m->edges.corners[rvi_edge_before(e)], q = m->edges.corners[rvi_edge_before(t)];
        if (e > t)
            continue;
        double here = fmin(least_angle(m, a, b, p), least_angle(m, b, a, q));
        double there = fmin(least_angle(m, a, q, p), least_angle(m, b, p, q));
        if (there > 1.02 * here)
            rvi_patch_mesh_flip(m, e);
    }
}

/* ---- the number of vertices ---- */

static bool split_longest(remesher *r) {
    uint32_t best = RVI_NONE;
    double most = 0;
    for (uint32_t e = 0; e < 3 * r->mesh.faces; e++)
        if (e < r->mesh.edges.twins[e] && share_of(r, e) > most) {
            most = share_of(r, e);
            best = e;
        }
    if (best != RVI_NONE)
        split_at(r, best);
    return best != RVI_NONE;
}

static bool collapse_shortest(remesher *r) {
    double least = 0;
    for (int tries = 0; tries < 64; tries++) {
        uint32_t best = RVI_NONE;
        double found = 1e300;
        for (uint32_t e = 0; e < 3 * r->mesh.faces; e++) {
            double share = share_of(r, e);
            if (share < found && share > least) {
                found = share;
                best = e;
            }
        }
        if (best == RVI_NONE)
            return false;
        if (collapse_at(r, best))
            return true;
        if (collapse_at(r, r->mesh.edges.twins[best]))
            return true;
        least = found;
    }
    return false;
}

static rv_status reach_number(remesher *r) {
    while (r->mesh.vertices != r->desc->vertices) {
        bool done = r->mesh.vertices < r->desc->vertices ? split_longest(r) : collapse_shortest(r);
        rv_status status = rvi_poll(r->ctx);
        if (status != RV_OK)
            return status;
        if (!done)
            return rvi_fail(r->ctx, RV_ERROR_INTERNAL,
                            "The mesh of a preset cannot have %zu vertices.", r->desc->vertices);
    }
    return RV_OK;
}

/* Reaches the number of vertices, then smooths what that did. */
static rv_status reach_and_smooth(remesher *r, int rounds) {
    rv_status status = reach_number(r);
    for (int i = 0; i < rounds && status == RV_OK; i++) {
        flip_all(r);
        smooth_all(r);
        measure(r);
        status = rvi_poll(r->ctx);
    }
    return status;
}

/* Collapses the shortest edge of each thin face; how many that were. */
static int remove_thin(remesher *r) {
    rvi_patch_mesh *m = &r->mesh;
    int many = 0;
    for (uint32_t f = 0; f < m->faces; f++) {
        uint32_t e = 3 * f, shortest = e;
        if (least_angle(m, m->edges.corners[e], m->edges.corners[e + 1], m->edges.corners[e + 2]) >
            THIN)
            continue;
        for (uint32_t k = e; k < e + 3; k++)
            if (rvi_patch_mesh_length(m, k) < rvi_patch_mesh_length(m, shortest))
                shortest = k;
        many += collapse_at(r, shortest) || collapse_at(r, m->edges.twins[shortest]);
    }
    return many;
}

static rv_status shape_mesh(remesher *r) {
    const rvi_remesh *desc = r->desc;
    double cell = 1e300;
    for (int k = 0; k < 3; k++)
        cell = fmin(cell, (desc->high[k] - desc->low[k]) / desc->cells[k]);
    r->near = 1e-3 * cell;
    /* All edges are as long as cells at first: slowly from steps to the surface. */
    r->scale = cell;
    for (size_t v = 0; v < r->mesh.room; v++)
        r->lengths[v] = 0.5;
    for (int i = 0; i < 12; i++)
        smooth_all(r);
    measure(r);
    r->scale = cell / r->lengths[0];
    for (int i = 0; i < ROUNDS; i++) {
        r->late = i >= LATE;
        split_long(r, 1.4);
        collapse_short(r, 0.7, 1.4);
        flip_all(r);
        smooth_all(r);
        smooth_all(r);
        measure(r);
        double many = (double)r->mesh.vertices / (double)desc->vertices;
        r->scale *= many < 0.25 ? 0.6 : sqrt(many);
        rv_status status = rvi_poll(r->ctx);
        if (status != RV_OK)
            return status;
    }
    rv_status status = reach_and_smooth(r, LAST_ROUNDS);
    r->near = 1e-7;
    for (int i = 0; i < TRIES && status == RV_OK && remove_thin(r) > 0; i++)
        status = reach_and_smooth(r, 1);
    return status == RV_OK ? reach_and_smooth(r, 1) : status;
}

/* Room for the mesh: splits and collapses keep V - F / 2. */
static rv_status make_mesh(const remesher *r, rv_mesh **out) {
    size_t faces = r->mesh.faces + 2 * r->desc->vertices - 2 * r->mesh.vertices;
    return rvi_mesh_create(r->ctx, r->desc->vertices, faces, false, out);
}

rv_status rvi_remesh_shape(rv_context *ctx, const rvi_remesh *desc, rv_mesh **out) {
    remesher r = {.desc = desc, .ctx = ctx, .scale = 1};
    rv_mesh *mesh = NULL;
    rv_status status = start(&r);
    if (status == RV_OK)
        status = make_mesh(&r, &mesh);
    if (status == RV_OK)
        status = shape_mesh(&r);
    if (status == RV_OK) {
        memcpy(mesh->points, r.mesh.at, r.mesh.vertices * sizeof *r.mesh.at);
        memcpy(mesh->corners, r.mesh.edges.corners, 3 * r.mesh.faces * sizeof(uint32_t));
    } else {
        rv_mesh_destroy(mesh);
        mesh = NULL;
    }
    *out = mesh;
    rvi_patch_mesh_destroy(&r.mesh);
    rvi_free(ctx, r.rock);
    rvi_free(ctx, r.vertex_of);
    rvi_free(ctx, r.lengths);
    return status;
}
