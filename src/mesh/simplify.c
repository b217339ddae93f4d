/* simplify.c: few triangles that stay near the land.
 *
 * M. Garland and P. Heckbert, Fast polygonal approximation of terrains and height fields, 1995:
 * start with two triangles over the whole map, and as long as a cell lies further than `error` from
 * them, make the worst cell of the worst triangle a vertex and bring the triangles back to
 * Delaunay's condition (C. Lawson, 1977: flip the edges around the new vertex). Each triangle knows
 * its worst cell, a heap knows the worst triangle; only triangles that changed are looked at again.
 *
 *     miss = |w_a (h_a - h) + w_b (h_b - h) + w_c (h_c - h)| / (w_a + w_b + w_c)   metres
 *
 * for a cell of height h in the triangle abc; the weights are whole numbers, twice the areas
 * opposite to each corner. Places are whole numbers too, so that every sign is exact. Rounding
 * moves a miss by less than 2^-50 of the relief; that much is taken off the error that is allowed.
 */
#include "mesh/mesh.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"
#include "base/wide.h"
#include "mesh/half_edges.h"
#include "terrain/state.h"

enum { IDLE = -1, WAITING = -2 };

/* What is known of a triangle. */
typedef struct triangle {
    uint32_t worst; /* the cell of it that is missed most, */
    int32_t place;  /* its place in the heap, IDLE, or WAITING to be looked at */
    double miss;    /* by so many metres */
} triangle;

typedef struct net {
    const rv_terrain *land;
    rv_context *ctx;
    double allowed;       /* metres */
    rvi_half_edges edges; /* of the triangles, without `leaving` */
    triangle *triangles;
    uint32_t *heap;    /* of triangles that miss a cell by too much, the worst first */
    uint32_t *waiting; /* triangles that have changed */
    uint32_t *cells;   /* of the vertices */
    size_t triangle_count, heap_count, waiting_count, vertex_count;
    size_t triangle_room, vertex_room;
} net;

/* ---- Places ---- */

typedef struct place {
    int64_t x, y; /* cells to the east and to the south, with the sign turned to get north */
} place;

static place place_of_cell(const net *n, uint32_t cell) {
    uint32_t width = (uint32_t)n->land->width;
    return (place){cell % width, -(int64_t)(cell / width)};
}

static place place_of(const net *n, uint32_t vertex) {
    return place_of_cell(n, n->cells[vertex]);
}

/* Twice the area of abc, positive when they go counterclockwise. */
static int64_t area(place a, place b, place c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Does d lie inside the circle through a, b, c, which go counterclockwise? */
static bool in_circle(place a, place b, place c, place d) {
    a = (place){a.x - d.x, a.y - d.y};
    b = (place){b.x - d.x, b.y - d.y};
    c = (place){c.x - d.x, c.y - d.y};
    rvi_wide sum = rvi_wide_times(a.x * a.x + a.y * a.y, b.x * c.y - c.x * b.y) +
                   rvi_wide_times(b.x * b.x + b.y * b.y, c.x * a.y - a.x * c.y) +
                   rvi_wide_times(c.x * c.x + c.y * c.y, a.x * b.y - b.x * a.y);
    return sum > 0;
}

/* ---- The heap ---- */

static bool worse(const net *n, uint32_t a, uint32_t b) {
    double x = n->triangles[a].miss, y = n->triangles[b].miss;
    return x > y || (x == y && a < b);
}

static void heap_put(net *n, size_t at, uint32_t t) {
    n->heap[at] = t;
    n->triangles[t].place = (int32_t)at;
}

static void heap_rise(net *n, size_t at, uint32_t t) {
    for (; at > 0 && worse(n, t, n->heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap_put(n, at, n->heap[(at - 1) / 2]);
    heap_put(n, at, t);
}

static void heap_sink(net *n, size_t at, uint32_t t) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n->heap_count)
            break;
        if (child + 1 < n->heap_count && worse(n, n->heap[child + 1], n->heap[child]))
            child++;
        if (!worse(n, n->heap[child], t))
            break;
        heap_put(n, at, n->heap[child]);
        at = child;
    }
    heap_put(n, at, t);
}

static void heap_remove(net *n, uint32_t t) {
    size_t at = (size_t)n->triangles[t].place;
    uint32_t last = n->heap[--n->heap_count];
    n->triangles[t].place = IDLE;
    if (last == t)
        return;
    if (at > 0 && worse(n, last, n->heap[(at - 1) / 2]))
        heap_rise(n, at, last);
    else
        heap_sink(n, at, last);
}

/* ---- The worst cell of a triangle ---- */

static int64_t floor_divide(int64_t a, int64_t b) { /* b > 0 */
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* A row through a triangle: weight k is at[k] + x step[k], and x goes from `first` to `last`. */
typedef struct span {
    int64_t at[3], step[3], first, last;
} span;

static span span_of(const place p[3], int64_t y, int64_t first, int64_t last) {
    span s = {.first = first, .last = last};
    for (int k = 0; k < 3; k++) {
        place a = p[(k + 1) % 3], b = p[(k + 2) % 3];
        s.step[k] = a.y - b.y;
        s.at[k] = (b.x - a.x) * (y - a.y) + (b.y - a.y) * a.x;
        int64_t step = s.step[k];
        if (step > 0) {
            int64_t from = -floor_divide(s.at[k], step);
            s.first = from > s.first ? from : s.first;
        } else if (step < 0) {
            int64_t to = floor_divide(s.at[k], -step);
            s.last = to < s.last ? to : s.last;
        } else if (s.at[k] < 0) {
            s.last = s.first - 1;
        }
    }
    return s;
}

/* Looks for a worse cell in one row; `worst` is the miss times the area. */
static void scan_row(const span *s, const double h[3], const float *row, double *worst,
                     int64_t *at) {
    double w0 = (double)(s->at[0] + s->first * s->step[0]), step0 = (double)s->step[0];
    double w1 = (double)(s->at[1] + s->first * s->step[1]), step1 = (double)s->step[1];
    double w2 = (double)(s->at[2] + s->first * s->step[2]), step2 = (double)s->step[2];
    for (int64_t x = s->first; x <= s->last; x++) {
        double here = (double)row[x];
        double miss = fabs(w0 * (h[0] - here) + w1 * (h[1] - here) + w2 * (h[2] - here));
        if (miss > *worst) {
            *worst = miss;
            *at = x;
        }
        w0 += step0;
        w1 += step1;
        w2 += step2;
    }
}

static rv_status scan(net *n, uint32_t index) {
    triangle *t = &n->triangles[index];
    place p[3];
    double h[3], worst = 0.0;
    for (int k = 0; k < 3; k++) {
        uint32_t vertex = n->edges.corners[3 * index + (uint32_t)k];
        p[k] = place_of(n, vertex);
        h[k] = (double)n->land->surface[n->cells[vertex]];
    }
    int64_t west = p[0].x, east = p[0].x, south = p[0].y, north = p[0].y;
    for (int k = 1; k < 3; k++) {
        west = p[k].x < west ? p[k].x : west;
        east = p[k].x > east ? p[k].x : east;
        south = p[k].y < south ? p[k].y : south;
        north = p[k].y > north ? p[k].y : north;
    }
    for (int64_t y = north; y >= south; y--) {
        span s = span_of(p, y, west, east);
        int64_t at = -1;
        scan_row(&s, h, n->land->surface - y * n->land->width, &worst, &at);
        if (at >= 0)
            t->worst = (uint32_t)(at - y * n->land->width);
        if (y % 64 == 0 && rvi_poll(n->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    t->miss = worst / (double)area(p[0], p[1], p[2]);
    return RV_OK;
}

/* A triangle has changed: what is known about it no longer holds. */
static void touch(net *n, uint32_t t) {
    if (n->triangles[t].place >= 0)
        heap_remove(n, t);
    if (n->triangles[t].place == IDLE) {
        n->triangles[t].place = WAITING;
        n->waiting[n->waiting_count++] = t;
    }
}

static rv_status scan_waiting(net *n) {
    for (size_t i = 0; i < n->waiting_count; i++) {
        uint32_t t = n->waiting[i];
        if (scan(n, t) != RV_OK)
            return RV_CANCELLED;
        n->triangles[t].place = IDLE;
        if (n->triangles[t].miss > 0.0 && !(n->triangles[t].miss <= n->allowed))
            heap_rise(n, n->heap_count++, t);
    }
    n->waiting_count = 0;
    return RV_OK;
}

/* ---- Growing ---- */

static rv_status grow(rv_context *ctx, void *array, size_t count, size_t room, size_t size) {
    return rvi_enlarge(ctx, array, count, room, size, "the triangles of a mesh") ? RV_OK
                                                                                 : RV_ERROR_MEMORY;
}

static size_t larger_room(size_t room, size_t most) {
    size_t twice = room > 0 ? 2 * room : 1024;
    return twice < most ? twice : most;
}

/* Room for a vertex and two triangles more. */
static rv_status make_room(net *n) {
    size_t cells = rvi_cells(n->land);
    rv_status status = RV_OK;
    if (n->vertex_count == n->vertex_room) {
        size_t room = larger_room(n->vertex_room, cells);
        status = grow(n->ctx, &n->cells, n->vertex_count, room, sizeof *n->cells);
        n->vertex_room = status == RV_OK ? room : n->vertex_room;
    }
    if (status != RV_OK || n->triangle_count + 2 <= n->triangle_room)
        return status;
    size_t room = larger_room(n->triangle_room, 2 * cells + 2);
    if (room > RVI_MESH_MOST)
        return rvi_fail(n->ctx, RV_ERROR_MEMORY,
                        "A mesh that keeps to this error may have more than %zu faces.",
                        RVI_MESH_MOST);
    size_t count = n->triangle_count;
    status = grow(n->ctx, &n->triangles, count, room, sizeof *n->triangles);
    if (status == RV_OK)
        status = grow(n->ctx, &n->edges.corners, 3 * count, 3 * room, sizeof(uint32_t));
    if (status == RV_OK)
        status = grow(n->ctx, &n->edges.twins, 3 * count, 3 * room, sizeof(uint32_t));
    if (status == RV_OK)
        status = grow(n->ctx, &n->heap, n->heap_count, room, sizeof *n->heap);
    if (status == RV_OK)
        status = grow(n->ctx, &n->waiting, n->waiting_count, room, sizeof *n->waiting);
    if (status == RV_OK)
        n->triangle_room = room;
    return status;
}

static uint32_t add_triangle(net *n) {
    uint32_t t = (uint32_t)n->triangle_count++;
    n->triangles[t] = (triangle){.place = IDLE};
    for (uint32_t e = 3 * t; e < 3 * t + 3; e++)
        n->edges.twins[e] = RVI_NONE;
    return t;
}

static void set_corners(net *n, uint32_t t, uint32_t a, uint32_t b, uint32_t c) {
    rvi_edge_set_face(&n->edges, 3 * t, a, b, c);
    touch(n, t);
}

/* ---- Inserting a vertex ---- */

/* The new vertex is the last corner of every triangle around it: half-edge 3 t lies opposite. */

/* The vertex p lies in triangle t, abc: it becomes abp, bcp, cap. Returns the half-edge ab. */
static uint32_t split_face(net *n, uint32_t t, uint32_t p) {
    rvi_half_edges *h = &n->edges;
    uint32_t a = h->corners[3 * t], b = h->corners[3 * t + 1], c = h->corners[3 * t + 2];
    uint32_t bc = h->twins[3 * t + 1], ca = h->twins[3 * t + 2];
    uint32_t u = add_triangle(n), v = add_triangle(n);
    set_corners(n, t, a, b, p);
    set_corners(n, u, b, c, p);
    set_corners(n, v, c, a, p);
    rvi_edge_pair(h, 3 * u, bc);
    rvi_edge_pair(h, 3 * v, ca);
    rvi_edge_pair(h, 3 * t + 1, 3 * u + 2);
    rvi_edge_pair(h, 3 * u + 1, 3 * v + 2);
    rvi_edge_pair(h, 3 * v + 1, 3 * t + 2);
    return 3 * t;
}

/* One side of an edge ab that is split: the triangle t, abc, becomes cap; returns the new one, bcp.
 */
static uint32_t split_side(net *n, uint32_t edge, uint32_t p) {
    uint32_t t = edge / 3, u = add_triangle(n);
    rvi_edge_split_side(&n->edges, edge, p, 3 * t + 1, 3 * u + 2);
    touch(n, t);
    touch(n, u);
    return u;
}

/* The vertex p lies on an edge. Returns the first half-edge around p, where there is a first. */
static uint32_t split_edge(net *n, uint32_t edge, uint32_t p) {
    rvi_half_edges *h = &n->edges;
    uint32_t other = h->twins[edge], t = edge / 3;
    uint32_t u = split_side(n, edge, p);
    h->twins[3 * t + 1] = h->twins[3 * u + 2] = RVI_NONE;
    if (other != RVI_NONE) {
        uint32_t s = other / 3, v = split_side(n, other, p);
        rvi_edge_pair(h, 3 * t + 1, 3 * v + 2);
        rvi_edge_pair(h, 3 * s + 1, 3 * u + 2);
    }
    return 3 * u;
}

/* The edge ab of abp, beyond which lies d, becomes dp: adp, whose half-edge ad it was, and dbp. */
static void flip(net *n, uint32_t edge) {
    uint32_t u = n->edges.twins[edge] / 3;
    rvi_edge_flip(&n->edges, edge, 3 * u);
    touch(n, edge / 3);
    touch(n, u);
}

static bool must_flip(const net *n, uint32_t edge) {
    const rvi_half_edges *h = &n->edges;
    uint32_t twin = h->twins[edge];
    return twin != RVI_NONE &&
           in_circle(place_of(n, rvi_edge_from(h, edge)), place_of(n, rvi_edge_to(h, edge)),
                     place_of(n, rvi_edge_opposite(h, edge)),
                     place_of(n, rvi_edge_opposite(h, twin)));
}

/* Walks around the new vertex, counterclockwise from the half-edge opposite to it, and flips what
 * has to be flipped; flips only add to what is still to be walked. */
static void restore(net *n, uint32_t edge) {
    const rvi_half_edges *h = &n->edges;
    uint32_t first = rvi_edge_from(h, edge);
    for (;;) {
        if (must_flip(n, edge)) {
            flip(n, edge);
            continue;
        }
        if (rvi_edge_to(h, edge) == first)
            return;
        uint32_t next = h->twins[rvi_edge_next(edge)];
        if (next == RVI_NONE)
            return;
        edge = rvi_edge_next(next);
    }
}

static rv_status insert(net *n, uint32_t t) {
    rv_status status = make_room(n);
    if (status != RV_OK)
        return status;
    uint32_t p = (uint32_t)n->vertex_count++, cell = n->triangles[t].worst;
    n->cells[p] = cell;
    place at = place_of_cell(n, cell);
    uint32_t on = RVI_NONE;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t edge = 3 * t + k;
        if (area(place_of(n, rvi_edge_from(&n->edges, edge)),
                 place_of(n, rvi_edge_to(&n->edges, edge)), at) == 0)
            on = edge;
    }
    restore(n, on == RVI_NONE ? split_face(n, t, p) : split_edge(n, on, p));
    return scan_waiting(n);
}

/* ---- The whole ---- */

/* Two triangles over the map, split by the diagonal that is nearer to level. */
static rv_status begin(net *n) {
    rv_status status = make_room(n);
    if (status != RV_OK)
        return status;
    uint32_t width = (uint32_t)n->land->width, last = (uint32_t)(rvi_cells(n->land) - 1);
    uint32_t corners[4] = {last + 1 - width, last, width - 1, 0}; /* sw, se, ne, nw */
    memcpy(n->cells, corners, sizeof corners);
    n->vertex_count = 4;
    const float *h = n->land->surface;
    uint32_t turn = fabsf(h[corners[0]] - h[corners[2]]) > fabsf(h[corners[1]] - h[corners[3]]);
    uint32_t t = add_triangle(n), u = add_triangle(n);
    set_corners(n, t, turn, turn + 1, turn + 2);
    set_corners(n, u, turn + 2, (turn + 3) % 4, turn);
    rvi_edge_pair(&n->edges, 3 * t + 2, 3 * u + 2);
    return scan_waiting(n);
}

/* Misses shrink by about the same factor in the same time. */
static double progress(const net *n, double first) {
    double now = n->triangles[n->heap[0]].miss;
    if (!(now > n->allowed) || !(first > now))
        return 0.0;
    double whole = (double)rvi_logf((float)(first / (n->allowed + first * 1e-6)));
    double done = whole > 0 ? (double)rvi_logf((float)(first / now)) / whole : 0.0;
    return done < 1.0 ? done : 1.0;
}

static rv_status refine(net *n) {
    rv_status status = begin(n);
    double first = status == RV_OK && n->heap_count > 0 ? n->triangles[n->heap[0]].miss : 0.0;
    while (status == RV_OK && n->heap_count > 0) {
        status = insert(n, n->heap[0]);
        if (status == RV_OK && n->vertex_count % 256 == 0 && n->heap_count > 0)
            status = rvi_progress(n->ctx, progress(n, first), n->land);
    }
    return status;
}

rv_status rvi_simplify(const rv_terrain *land, double error, rvi_net *out) {
    float low, high;
    rvi_range(land->ctx, land->surface, rvi_cells(land), &low, &high);
    net n = {.land = land, .ctx = land->ctx};
    n.allowed = error - ((double)high - (double)low) * 0x1p-50;
    rv_status status = refine(&n);
    rvi_free(n.ctx, n.heap);
    rvi_free(n.ctx, n.waiting);
    rvi_free(n.ctx, n.triangles);
    rvi_free(n.ctx, n.edges.twins);
    if (status != RV_OK) {
        rvi_free(n.ctx, n.edges.corners);
        rvi_free(n.ctx, n.cells);
        return status;
    }
    out->corners = n.edges.corners;
    out->cells = n.cells;
    out->vertex_count = n.vertex_count;
    out->face_count = n.triangle_count;
    return RV_OK;
}
