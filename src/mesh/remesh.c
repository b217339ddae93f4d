/* remesh.c: from cells to a smooth mesh with so many vertices. */
#include "mesh/remesh.h"

#include "base/math.h"
#include "base/vector.h"
#include "mesh/half_edges.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 14, LATE = 8, LAST_ROUNDS = 5, TRIES = 4 };
enum { FALLS = 4, HALVES = 3 }; /* at most: to the surface, and of the way there */

#define NOBODY UINT32_MAX
#define THIN 0.082 /* 1 - cosine of 23 degrees */
#define OFF 0.25   /* of the length of edges: who is that far from the land is stuck */

typedef struct casting {
    const rvi_remesh *desc;
    rv_context *ctx;
    uint8_t *rock;   /* of each cell */
    uint32_t *names; /* of each corner of cells: its vertex */
    rvi_half_edges net;
    double *lengths; /* of edges, at each vertex */
    double scale;    /* metres of a length of 1 */
    bool late;       /* has the form been found, so that who is off is stuck? */
    double near;     /* metres from the surface that are near enough */
} casting;

/* ---- cells ---- */

static bool rock_at(const casting *c, int x, int y, int z) {
    const int *n = c->desc->cells;
    if (x < 0 || y < 0 || z < 0 || x >= n[0] || y >= n[1] || z >= n[2])
        return false;
    return c->rock[((size_t)z * (size_t)n[1] + (size_t)y) * (size_t)n[0] + (size_t)x];
}

static void place_at(const rvi_remesh *m, const double at[3], double out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = m->low[k] + (m->high[k] - m->low[k]) * at[k] / m->cells[k];
}

/* Do the cells around a corner that are rock, or those that are not, hang together by sides? */
static bool together(unsigned cells) {
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

/* Fills a cell at a corner where the surface would touch itself; false: there is none. */
static bool mend(casting *c, int x, int y, int z) {
    const int *n = c->desc->cells;
    unsigned cells = 0;
    for (int k = 0; k < 8; k++)
        cells |= (unsigned)rock_at(c, x - 1 + (k & 1), y - 1 + (k >> 1 & 1), z - 1 + (k >> 2)) << k;
    if (together(cells) && together(~cells & 255))
        return false;
    size_t best = 0;
    double least = 1e300;
    for (int k = 0; k < 8; k++) {
        int i[3] = {x - 1 + (k & 1), y - 1 + (k >> 1 & 1), z - 1 + (k >> 2)};
        bool inside =
            i[0] >= 0 && i[1] >= 0 && i[2] >= 0 && i[0] < n[0] && i[1] < n[1] && i[2] < n[2];
        if (!inside || rock_at(c, i[0], i[1], i[2]))
            continue;
        double at[3] = {i[0] + 0.5, i[1] + 0.5, i[2] + 0.5}, place[3];
        place_at(c->desc, at, place);
        double out = c->desc->shape(place);
        if (out < least) {
            least = out;
            best = ((size_t)i[2] * (size_t)n[1] + (size_t)i[1]) * (size_t)n[0] + (size_t)i[0];
        }
    }
    c->rock[best] = 1;
    return true;
}

static rv_status fill_cells(casting *c) {
    const int *n = c->desc->cells;
    size_t cell = 0;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++) {
                double at[3] = {x + 0.5, y + 0.5, z + 0.5}, place[3];
                place_at(c->desc, at, place);
                c->rock[cell++] = c->desc->shape(place) < 0;
            }
    for (bool again = true; again;) {
        again = false;
        for (int z = 0; z <= n[2]; z++)
            for (int y = 0; y <= n[1]; y++)
                for (int x = 0; x <= n[0]; x++)
                    again |= mend(c, x, y, z);
        if (rvi_poll(c->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static uint32_t corner_at(casting *c, const int at[3]) {
    const int *n = c->desc->cells;
    size_t i =
        ((size_t)at[2] * (size_t)(n[1] + 1) + (size_t)at[1]) * (size_t)(n[0] + 1) + (size_t)at[0];
    if (c->names[i] == 0) {
        double place[3] = {at[0], at[1], at[2]};
        place_at(c->desc, place, c->net.at[c->net.vertices]);
        c->names[i] = (uint32_t)++c->net.vertices;
    }
    return c->names[i] - 1;
}

/* Two faces between a cell of rock and what lies beside it. */
static void add_side(casting *c, const int cell[3], int axis, int up) {
    static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    rvi_half_edges *n = &c->net;
    uint32_t v[4];
    for (int k = 0; k < 4; k++) {
        int at[3] = {cell[0], cell[1], cell[2]};
        int turn = up ? k : 3 - k;
        at[axis] += up;
        at[(axis + 1) % 3] += around[turn][0];
        at[(axis + 2) % 3] += around[turn][1];
        v[k] = corner_at(c, at);
    }
    bool edge = up ? cell[axis] == c->desc->cells[axis] - 1 : cell[axis] == 0;
    int odd = (cell[0] + cell[1] + cell[2]) & 1;
    const uint32_t faces[2][3] = {{v[odd], v[odd + 1], v[odd + 2]},
                                  {v[odd], v[odd + 2], v[(odd + 3) % 4]}};
    for (int k = 0; k < 2; k++) {
        n->patch[n->faces] = (uint8_t)(edge ? 2 * axis + up : RVI_PATCH_LAND);
        memcpy(n->corners + 3 * n->faces++, faces[k], sizeof faces[k]);
    }
}

static void add_sides(casting *c) {
    const int *n = c->desc->cells;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++)
                for (int k = 0; k < 6 && rock_at(c, x, y, z); k++) {
                    int cell[3] = {x, y, z}, beside[3] = {x, y, z}, up = k & 1;
                    beside[k / 2] += up ? 1 : -1;
                    if (!rock_at(c, beside[0], beside[1], beside[2]))
                        add_side(c, cell, k / 2, up);
                }
}

static rv_status start(casting *c) {
    const int *n = c->desc->cells;
    size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    size_t corners = ((size_t)n[0] + 1) * ((size_t)n[1] + 1) * ((size_t)n[2] + 1);
    size_t room = corners > 2 * c->desc->vertices ? corners : 2 * c->desc->vertices;
    c->rock = rvi_alloc(c->ctx, cells, 1, "a ready scene");
    c->names = rvi_alloc(c->ctx, corners, sizeof *c->names, "a ready scene");
    c->lengths = rvi_alloc(c->ctx, room, sizeof *c->lengths, "a ready scene");
    rv_status status = c->rock && c->names && c->lengths ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_half_edges_create(c->ctx, room, &c->net);
    if (status == RV_OK)
        status = fill_cells(c);
    if (status != RV_OK)
        return status;
    add_sides(c);
    return rvi_half_edges_join(&c->net);
}

/* ---- the surface ---- */

/* Which way the shape grows, along the axes that are free. */
static void slope_at(const casting *c, const double at[3], double here, const bool held[3],
                     double out[3]) {
    const double step = 1e-4;
    for (int k = 0; k < 3; k++) {
        double beside[3] = {at[0], at[1], at[2]};
        beside[k] += step;
        out[k] = held[k] ? 0 : (c->desc->shape(beside) - here) / step;
    }
}

/* Brings a vertex to its patches. */
static void bring_back(casting *c, uint32_t v) {
    const rvi_remesh *m = c->desc;
    unsigned patches = rvi_half_edges_patches(&c->net, v);
    double *at = c->net.at[v];
    bool held[3];
    for (int k = 0; k < 3; k++) {
        held[k] = patches >> (2 * k) & 3;
        if (patches >> (2 * k) & 1)
            at[k] = m->low[k];
        else if (patches >> (2 * k) & 2)
            at[k] = m->high[k];
    }
    double most = 0.5 * c->scale * c->lengths[v];
    for (int i = 0; i < FALLS && patches >> RVI_PATCH_LAND & 1; i++) {
        double slope[3], here = c->desc->shape(at);
        if (fabs(here) < c->near)
            break;
        slope_at(c, at, here, held, slope);
        double square = rvi_dot3(slope, slope);
        if (square < 1e-6)
            break;
        double by = here / square, far = fabs(by) * sqrt(square);
        by *= far > most ? most / far : 1;
        for (int k = 0; k < 3; k++)
            at[k] -= by * slope[k];
    }
    for (int k = 0; k < 3; k++) {
        /* Only those of a side lie in it. */
        double margin = held[k] ? 0 : 1e-3 * (m->high[k] - m->low[k]) / m->cells[k];
        at[k] = at[k] < m->low[k] + margin ? m->low[k] + margin : at[k];
        at[k] = at[k] > m->high[k] - margin ? m->high[k] - margin : at[k];
    }
}

static int patch_count(unsigned bits) {
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Where the neighbours would have a vertex: within the surface, or along a crease. */
static bool evened(const casting *c, uint32_t v, double out[3]) {
    const rvi_half_edges *n = &c->net;
    int patches = patch_count(rvi_half_edges_patches(n, v));
    double sum[3] = {0}, normal[3] = {0}, weights = 0;
    uint32_t h = n->leaving[v];
    if (patches > 2)
        return false;
    do {
        uint32_t w = rvi_end_of(n, h);
        double face[3];
        rvi_half_edges_normal(n, h / 3, face);
        if (patches == 1 || rvi_crease(n, h)) {
            /* Small edges pull less than large ones, so that the lengths may differ. */
            double weight = 1 / c->lengths[w];
            for (int k = 0; k < 3; k++)
                sum[k] += weight * n->at[w][k];
            weights += weight;
        }
        for (int k = 0; k < 3; k++)
            normal[k] += face[k];
        h = rvi_around(n, h);
    } while (h != n->leaving[v]);
    double way[3], square = 0, off = 0;
    for (int k = 0; k < 3; k++) {
        way[k] = sum[k] / weights - n->at[v][k];
        square += normal[k] * normal[k];
        off += way[k] * normal[k];
    }
    if (patches == 1 && square > 0)
        for (int k = 0; k < 3; k++)
            way[k] -= off / square * normal[k];
    for (int k = 0; k < 3; k++)
        out[k] = n->at[v][k] + 0.6 * way[k];
    return true;
}

enum { FAN = 24 }; /* faces around a vertex that are looked at */

static int normals_around(const rvi_half_edges *n, uint32_t v, double out[FAN][3]) {
    int count = 0;
    uint32_t h = n->leaving[v];
    do {
        rvi_half_edges_normal(n, h / 3, out[count++]);
        h = rvi_around(n, h);
    } while (h != n->leaving[v] && count < FAN);
    return count;
}

/* How much two directions agree: a cosine. */
static double agree(const double a[3], const double b[3]) {
    return rvi_dot3(a, b) / sqrt(rvi_dot3(a, a) * rvi_dot3(b, b) + 1e-300);
}

/* Where out is for a face of the vertex. */
static void outwards(const casting *c, uint32_t v, uint8_t patch, double out[3]) {
    const bool free[3] = {false, false, false};
    if (patch == RVI_PATCH_LAND) {
        slope_at(c, c->net.at[v], c->desc->shape(c->net.at[v]), free, out);
        return;
    }
    out[0] = out[1] = out[2] = 0;
    out[patch / 2] = patch & 1 ? 1 : -1;
}

/* Has no face of the vertex turned over? Those that lay wrong may turn back. */
static bool kept(const casting *c, uint32_t v, double before[FAN][3]) {
    const rvi_half_edges *n = &c->net;
    double now[FAN][3];
    int count = normals_around(n, v, now);
    uint32_t h = n->leaving[v];
    for (int i = 0; i < count; i++, h = rvi_around(n, h)) {
        double out[3];
        if (agree(now[i], before[i]) > 0.5)
            continue;
        outwards(c, v, n->patch[h / 3], out);
        if (agree(now[i], out) <= 0.2 && agree(now[i], out) < agree(before[i], out))
            return false;
    }
    return true;
}

/* Is a vertex of the land away from it? */
static bool is_off(const casting *c, uint32_t v, const double at[3]) {
    return rvi_half_edges_patches(&c->net, v) >> RVI_PATCH_LAND & 1 &&
           fabs(c->desc->shape(at)) > OFF * c->scale * c->lengths[v];
}

static void even_out(casting *c) {
    rvi_half_edges *n = &c->net;
    for (uint32_t v = 0; v < n->vertices; v++) {
        double to[3], old[3], before[FAN][3];
        memcpy(old, n->at[v], sizeof old);
        normals_around(n, v, before);
        if (evened(c, v, to))
            memcpy(n->at[v], to, sizeof to);
        bring_back(c, v);
        /* Who is stuck goes a part of the way, and the next round flips and collapses around it. Or
         * rock as thin as paper would stay in the mouths of caves. */
        int halves = c->late && is_off(c, v, old) ? HALVES : 0;
        for (int i = 0; i <= halves && !kept(c, v, before); i++)
            for (int k = 0; k < 3; k++)
                n->at[v][k] = i < halves ? 0.5 * (n->at[v][k] + old[k]) : old[k];
    }
}

static void measure(casting *c) {
    for (uint32_t v = 0; v < c->net.vertices; v++)
        c->lengths[v] = c->desc->length(c->net.at[v]);
}

/* How long an edge is, as a share of how long it should be. */
static double share_of(const casting *c, uint32_t h) {
    const rvi_half_edges *n = &c->net;
    double want = 0.5 * (c->lengths[n->corners[h]] + c->lengths[rvi_end_of(n, h)]);
    return rvi_half_edges_length(n, h) / (want * c->scale);
}

static void split_at(casting *c, uint32_t h) {
    uint32_t m = rvi_half_edges_split(&c->net, h);
    c->lengths[m] = c->desc->length(c->net.at[m]);
    double old[3], before[FAN][3];
    memcpy(old, c->net.at[m], sizeof old);
    normals_around(&c->net, m, before);
    bring_back(c, m);
    if (!kept(c, m, before))
        memcpy(c->net.at[m], old, sizeof old);
}

static void split_long(casting *c, double limit) {
    /* New ones are looked at in the next round. */
    size_t count = 3 * c->net.faces;
    for (uint32_t h = 0; h < count && c->net.vertices < c->net.room; h++)
        if (h < c->net.twins[h] && share_of(c, h) > limit)
            split_at(c, h);
}

static bool collapse_at(casting *c, uint32_t h) {
    /* The vertex that goes leaves its place to the last one. */
    uint32_t gone = c->net.corners[h], last = (uint32_t)c->net.vertices - 1;
    if (!rvi_half_edges_collapse(&c->net, h))
        return false;
    c->lengths[gone] = c->lengths[last];
    return true;
}

/* No edge may become too long again. */
static bool stays_short(const casting *c, uint32_t h, double limit) {
    const rvi_half_edges *n = &c->net;
    const double *to = n->at[rvi_end_of(n, h)];
    for (uint32_t k = rvi_around(n, h); k != h; k = rvi_around(n, k)) {
        const double *from = n->at[rvi_end_of(n, k)];
        double x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
        if (sqrt((x * x + y * y) + z * z) > limit * c->scale * c->lengths[rvi_end_of(n, k)])
            return false;
    }
    return true;
}

static void collapse_short(casting *c, double limit, double longest) {
    for (uint32_t h = 0; h < 3 * c->net.faces; h++)
        if (share_of(c, h) < limit && stays_short(c, h, longest) && collapse_at(c, h))
            h -= h % 3 + 1; /* other faces may be here now */
}

/* 1 - the cosine of the smallest angle. */
static double least_angle(const rvi_half_edges *n, uint32_t a, uint32_t b, uint32_t c) {
    const double *at[3] = {n->at[a], n->at[b], n->at[c]};
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

static void flip_all(casting *c) {
    rvi_half_edges *n = &c->net;
    for (uint32_t h = 0; h < 3 * n->faces; h++) {
        uint32_t t = n->twins[h], a = n->corners[h], b = n->corners[t];
        uint32_t p = n->corners[rvi_last(h)], q = n->corners[rvi_last(t)];
        if (h > t)
            continue;
        double here = fmin(least_angle(n, a, b, p), least_angle(n, b, a, q));
        double there = fmin(least_angle(n, a, q, p), least_angle(n, b, p, q));
        if (there > 1.02 * here)
            rvi_half_edges_flip(n, h);
    }
}

/* ---- the number of vertices ---- */

static bool split_longest(casting *c) {
    uint32_t best = NOBODY;
    double most = 0;
    for (uint32_t h = 0; h < 3 * c->net.faces; h++)
        if (h < c->net.twins[h] && share_of(c, h) > most) {
            most = share_of(c, h);
            best = h;
        }
    if (best != NOBODY)
        split_at(c, best);
    return best != NOBODY;
}

static bool collapse_shortest(casting *c) {
    double least = 0;
    for (int tries = 0; tries < 64; tries++) {
        uint32_t best = NOBODY;
        double found = 1e300;
        for (uint32_t h = 0; h < 3 * c->net.faces; h++) {
            double share = share_of(c, h);
            if (share < found && share > least) {
                found = share;
                best = h;
            }
        }
        if (best == NOBODY)
            return false;
        if (collapse_at(c, best))
            return true;
        if (collapse_at(c, c->net.twins[best]))
            return true;
        least = found;
    }
    return false;
}

static rv_status reach_number(casting *c) {
    while (c->net.vertices != c->desc->vertices) {
        bool done = c->net.vertices < c->desc->vertices ? split_longest(c) : collapse_shortest(c);
        rv_status status = rvi_poll(c->ctx);
        if (status != RV_OK)
            return status;
        if (!done)
            return rvi_fail(c->ctx, RV_ERROR_INTERNAL,
                            "The rock of a scene cannot have %zu vertices.", c->desc->vertices);
    }
    return RV_OK;
}

/* Reaches the number, and evens out what that did. */
static rv_status settle(casting *c, int rounds) {
    rv_status status = reach_number(c);
    for (int i = 0; i < rounds && status == RV_OK; i++) {
        flip_all(c);
        even_out(c);
        measure(c);
        status = rvi_poll(c->ctx);
    }
    return status;
}

/* Collapses the shortest edge of each thin face; how many that were. */
static int remove_thin(casting *c) {
    rvi_half_edges *n = &c->net;
    int many = 0;
    for (uint32_t f = 0; f < n->faces; f++) {
        uint32_t h = 3 * f, shortest = h;
        if (least_angle(n, n->corners[h], n->corners[h + 1], n->corners[h + 2]) > THIN)
            continue;
        for (uint32_t k = h; k < h + 3; k++)
            if (rvi_half_edges_length(n, k) < rvi_half_edges_length(n, shortest))
                shortest = k;
        many += collapse_at(c, shortest) || collapse_at(c, n->twins[shortest]);
    }
    return many;
}

static rv_status shape_net(casting *c) {
    const rvi_remesh *m = c->desc;
    double cell = 1e300;
    for (int k = 0; k < 3; k++)
        cell = fmin(cell, (m->high[k] - m->low[k]) / m->cells[k]);
    c->near = 1e-3 * cell;
    /* All edges are as long as cells at first: slowly from steps to the surface. */
    c->scale = cell;
    for (size_t v = 0; v < c->net.room; v++)
        c->lengths[v] = 0.5;
    for (int i = 0; i < 12; i++)
        even_out(c);
    measure(c);
    c->scale = cell / c->lengths[0];
    for (int i = 0; i < ROUNDS; i++) {
        c->late = i >= LATE;
        split_long(c, 1.4);
        collapse_short(c, 0.7, 1.4);
        flip_all(c);
        even_out(c);
        even_out(c);
        measure(c);
        double many = (double)c->net.vertices / (double)m->vertices;
        c->scale *= many < 0.25 ? 0.6 : sqrt(many);
        rv_status status = rvi_poll(c->ctx);
        if (status != RV_OK)
            return status;
    }
    rv_status status = settle(c, LAST_ROUNDS);
    c->near = 1e-7;
    for (int i = 0; i < TRIES && status == RV_OK && remove_thin(c) > 0; i++)
        status = settle(c, 1);
    return status == RV_OK ? settle(c, 1) : status;
}

/* Room for the mesh: splits and collapses keep V - F / 2. */
static rv_status make_room(const casting *c, rv_mesh **out) {
    size_t faces = c->net.faces + 2 * c->desc->vertices - 2 * c->net.vertices;
    return rvi_mesh_create(c->ctx, c->desc->vertices, faces, false, out);
}

rv_status rvi_remesh_shape(rv_context *ctx, const rvi_remesh *desc, rv_mesh **out) {
    casting c = {.desc = desc, .ctx = ctx, .scale = 1};
    rv_mesh *mesh = NULL;
    rv_status status = start(&c);
    if (status == RV_OK)
        status = make_room(&c, &mesh);
    if (status == RV_OK)
        status = shape_net(&c);
    if (status == RV_OK) {
        memcpy(mesh->points, c.net.at, c.net.vertices * sizeof *c.net.at);
        memcpy(mesh->corners, c.net.corners, 3 * c.net.faces * sizeof(uint32_t));
    } else {
        rv_mesh_destroy(mesh);
        mesh = NULL;
    }
    *out = mesh;
    rvi_half_edges_destroy(&c.net);
    rvi_free(ctx, c.rock);
    rvi_free(ctx, c.names);
    rvi_free(ctx, c.lengths);
    return status;
}
