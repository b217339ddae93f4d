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
#include "mesh/simplify.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math.h"
#include "base/reduce.h"
#include "base/wide.h"
#include "mesh/half_edges.h"
#include "mesh/mesh.h"
#include "terrain/state.h"

enum { IDLE = -1, WAITING = -2 };

/* What is known of a triangle. */
typedef struct triangle {
    uint32_t worst; /* the cell of it that is missed most */
    int32_t place;  /* its place in the heap, IDLE, or WAITING to be looked at */
} triangle;

/* A triangle that misses a cell by too much, and by how much: beside each other, so that comparing
 * looks nowhere else. */
typedef struct missed {
    double miss; /* metres */
    uint32_t triangle;
} missed;

typedef struct work {
    const rv_terrain *land;
    rv_context *ctx;
    double allowed;       /* metres */
    rvi_half_edges edges; /* of the triangles, without `leaving` */
    triangle *triangles;
    missed *heap;      /* the worst first */
    uint32_t *waiting; /* triangles that have changed */
    uint32_t *cells;   /* of the vertices */
    size_t triangle_count, heap_count, waiting_count, vertex_count;
    size_t triangle_room, vertex_room;
} work;

/* ---- Places ---- */

typedef struct place {
    int64_t x, y; /* cells to the east and to the north; the first row has y = 0 */
} place;

static place place_of_cell(const work *w, uint32_t cell) {
    uint32_t width = (uint32_t)w->land->width;
    return (place){cell % width, -(int64_t)(cell / width)};
}

static place place_of(const work *w, uint32_t vertex) {
    return place_of_cell(w, w->cells[vertex]);
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

static bool worse(const missed *a, const missed *b) {
    return a->miss > b->miss || (a->miss == b->miss && a->triangle < b->triangle);
}

static void heap_put(work *w, size_t at, missed m) {
    w->heap[at] = m;
    w->triangles[m.triangle].place = (int32_t)at;
}

static void heap_rise(work *w, size_t at, missed m) {
    for (; at > 0 && worse(&m, &w->heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap_put(w, at, w->heap[(at - 1) / 2]);
    heap_put(w, at, m);
}

static void heap_sink(work *w, size_t at, missed m) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= w->heap_count)
            break;
        if (child + 1 < w->heap_count && worse(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!worse(&w->heap[child], &m))
            break;
        heap_put(w, at, w->heap[child]);
        at = child;
    }
    heap_put(w, at, m);
}

static void heap_remove(work *w, uint32_t t) {
    size_t at = (size_t)w->triangles[t].place;
    missed last = w->heap[--w->heap_count];
    w->triangles[t].place = IDLE;
    if (last.triangle == t)
        return;
    if (at > 0 && worse(&last, &w->heap[(at - 1) / 2]))
        heap_rise(w, at, last);
    else
        heap_sink(w, at, last);
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

/* Finds the worst cell of a triangle, and by how much it is missed. */
static rv_status scan(work *w, uint32_t index, double *miss) {
    triangle *t = &w->triangles[index];
    place p[3];
    double h[3], worst = 0.0;
    for (int k = 0; k < 3; k++) {
        uint32_t vertex = w->edges.corners[3 * index + (uint32_t)k];
        p[k] = place_of(w, vertex);
        h[k] = (double)w->land->surface[w->cells[vertex]];
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
        scan_row(&s, h, w->land->surface - y * w->land->width, &worst, &at);
        if (at >= 0)
            t->worst = (uint32_t)(at - y * w->land->width);
        if (y % 64 == 0 && rvi_poll(w->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    *miss = worst / (double)area(p[0], p[1], p[2]);
    return RV_OK;
}

/* A triangle has changed: what is known about it no longer holds. */
static void touch(work *w, uint32_t t) {
    if (w->triangles[t].place >= 0)
        heap_remove(w, t);
    if (w->triangles[t].place == IDLE) {
        w->triangles[t].place = WAITING;
        w->waiting[w->waiting_count++] = t;
    }
}

static rv_status scan_waiting(work *w) {
    for (size_t i = 0; i < w->waiting_count; i++) {
        uint32_t t = w->waiting[i];
        double miss;
        if (scan(w, t, &miss) != RV_OK)
            return RV_CANCELLED;
        w->triangles[t].place = IDLE;
        if (miss > 0.0 && !(miss <= w->allowed))
            heap_rise(w, w->heap_count++, (missed){miss, t});
    }
    w->waiting_count = 0;
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
static rv_status make_room(work *w) {
    size_t cells = rvi_cells(w->land);
    rv_status status = RV_OK;
    if (w->vertex_count == w->vertex_room) {
        size_t room = larger_room(w->vertex_room, cells);
        status = grow(w->ctx, &w->cells, w->vertex_count, room, sizeof *w->cells);
        w->vertex_room = status == RV_OK ? room : w->vertex_room;
    }
    if (status != RV_OK || w->triangle_count + 2 <= w->triangle_room)
        return status;
    size_t room = larger_room(w->triangle_room, 2 * cells + 2);
    if (room > RVI_MESH_MOST)
        return rvi_fail(w->ctx, RV_ERROR_MEMORY,
                        "A mesh that keeps to this error may have more than %zu faces.",
                        RVI_MESH_MOST);
    size_t count = w->triangle_count;
    status = grow(w->ctx, &w->triangles, count, room, sizeof *w->triangles);
    if (status == RV_OK)
        status = grow(w->ctx, &w->edges.corners, 3 * count, 3 * room, sizeof(uint32_t));
    if (status == RV_OK)
        status = grow(w->ctx, &w->edges.twins, 3 * count, 3 * room, sizeof(uint32_t));
    if (status == RV_OK)
        status = grow(w->ctx, &w->heap, w->heap_count, room, sizeof *w->heap);
    if (status == RV_OK)
        status = grow(w->ctx, &w->waiting, w->waiting_count, room, sizeof *w->waiting);
    if (status == RV_OK)
        w->triangle_room = room;
    return status;
}

static uint32_t add_triangle(work *w) {
    uint32_t t = (uint32_t)w->triangle_count++;
    w->triangles[t] = (triangle){.place = IDLE};
    for (uint32_t e = 3 * t; e < 3 * t + 3; e++)
        w->edges.twins[e] = RVI_NONE;
    return t;
}

static void set_corners(work *w, uint32_t t, uint32_t a, uint32_t b, uint32_t c) {
    rvi_edge_set_face(&w->edges, 3 * t, a, b, c);
    touch(w, t);
}

/* ---- Inserting a vertex ---- */

/* The new vertex is the last corner of every triangle around it: half-edge 3 t lies opposite. */

/* The vertex p lies in triangle t, abc: it becomes abp, bcp, cap. Returns the half-edge ab. */
static uint32_t split_face(work *w, uint32_t t, uint32_t p) {
    rvi_half_edges *h = &w->edges;
    uint32_t a = h->corners[3 * t], b = h->corners[3 * t + 1], c = h->corners[3 * t + 2];
    uint32_t bc = h->twins[3 * t + 1], ca = h->twins[3 * t + 2];
    uint32_t u = add_triangle(w), v = add_triangle(w);
    set_corners(w, t, a, b, p);
    set_corners(w, u, b, c, p);
    set_corners(w, v, c, a, p);
    rvi_edge_pair(h, 3 * u, bc);
    rvi_edge_pair(h, 3 * v, ca);
    rvi_edge_pair(h, 3 * t + 1, 3 * u + 2);
    rvi_edge_pair(h, 3 * u + 1, 3 * v + 2);
    rvi_edge_pair(h, 3 * v + 1, 3 * t + 2);
    return 3 * t;
}

/* One side of an edge ab that is split: the triangle t, abc, becomes cap; returns the new one, bcp.
 */
static uint32_t split_side(work *w, uint32_t edge, uint32_t p) {
    uint32_t t = edge / 3, u = add_triangle(w);
    rvi_edge_split_side(&w->edges, edge, p, 3 * t + 1, 3 * u + 2);
    touch(w, t);
    touch(w, u);
    return u;
}

/* The vertex p lies on an edge. Returns the first half-edge around p, where there is a first. */
static uint32_t split_edge(work *w, uint32_t edge, uint32_t p) {
    rvi_half_edges *h = &w->edges;
    uint32_t other = h->twins[edge], t = edge / 3;
    uint32_t u = split_side(w, edge, p);
    h->twins[3 * t + 1] = h->twins[3 * u + 2] = RVI_NONE;
    if (other != RVI_NONE) {
        uint32_t s = other / 3, v = split_side(w, other, p);
        rvi_edge_pair(h, 3 * t + 1, 3 * v + 2);
        rvi_edge_pair(h, 3 * s + 1, 3 * u + 2);
    }
    return 3 * u;
}

/* The edge ab of abp, beyond which lies d, becomes dp: adp, whose half-edge ad it was, and dbp. */
static void flip(work *w, uint32_t edge) {
    uint32_t u = w->edges.twins[edge] / 3;
    rvi_edge_flip(&w->edges, edge, 3 * u);
    touch(w, edge / 3);
    touch(w, u);
}

static bool must_flip(const work *w, uint32_t edge) {
    const rvi_half_edges *h = &w->edges;
    uint32_t twin = h->twins[edge];
    return twin != RVI_NONE &&
           in_circle(place_of(w, rvi_edge_from(h, edge)), place_of(w, rvi_edge_to(h, edge)),
                     place_of(w, rvi_edge_opposite(h, edge)),
                     place_of(w, rvi_edge_opposite(h, twin)));
}

/* Walks around the new vertex, counterclockwise from the half-edge opposite to it, and flips what
 * has to be flipped; flips only add to what is still to be walked. */
static void restore(work *w, uint32_t edge) {
    const rvi_half_edges *h = &w->edges;
    uint32_t first = rvi_edge_from(h, edge);
    for (;;) {
        if (must_flip(w, edge)) {
            flip(w, edge);
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

static rv_status insert(work *w, uint32_t t) {
    rv_status status = make_room(w);
    if (status != RV_OK)
        return status;
    uint32_t p = (uint32_t)w->vertex_count++, cell = w->triangles[t].worst;
    w->cells[p] = cell;
    place at = place_of_cell(w, cell);
    uint32_t on = RVI_NONE;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t edge = 3 * t + k;
        if (area(place_of(w, rvi_edge_from(&w->edges, edge)),
                 place_of(w, rvi_edge_to(&w->edges, edge)), at) == 0)
            on = edge;
    }
    restore(w, on == RVI_NONE ? split_face(w, t, p) : split_edge(w, on, p));
    return scan_waiting(w);
}

/* ---- The whole ---- */

/* Two triangles over the map, split by the diagonal that is nearer to level. */
static rv_status begin(work *w) {
    rv_status status = make_room(w);
    if (status != RV_OK)
        return status;
    uint32_t width = (uint32_t)w->land->width, last = (uint32_t)(rvi_cells(w->land) - 1);
    uint32_t corners[4] = {last + 1 - width, last, width - 1, 0}; /* sw, se, ne, nw */
    memcpy(w->cells, corners, sizeof corners);
    w->vertex_count = 4;
    const float *h = w->land->surface;
    uint32_t turn = fabsf(h[corners[0]] - h[corners[2]]) > fabsf(h[corners[1]] - h[corners[3]]);
    uint32_t t = add_triangle(w), u = add_triangle(w);
    set_corners(w, t, turn, turn + 1, turn + 2);
    set_corners(w, u, turn + 2, (turn + 3) % 4, turn);
    rvi_edge_pair(&w->edges, 3 * t + 2, 3 * u + 2);
    return scan_waiting(w);
}

/* Misses shrink by about the same factor in the same time. */
static double progress(const work *w, double first) {
    double now = w->heap[0].miss;
    if (!(now > w->allowed) || !(first > now))
        return 0.0;
    double whole = (double)rvi_logf((float)(first / (w->allowed + first * 1e-6)));
    double done = whole > 0 ? (double)rvi_logf((float)(first / now)) / whole : 0.0;
    return done < 1.0 ? done : 1.0;
}

static rv_status refine(work *w) {
    rv_status status = begin(w);
    double first = status == RV_OK && w->heap_count > 0 ? w->heap[0].miss : 0.0;
    while (status == RV_OK && w->heap_count > 0) {
        status = insert(w, w->heap[0].triangle);
        if (status == RV_OK && w->vertex_count % 256 == 0 && w->heap_count > 0)
            status = rvi_progress(w->ctx, progress(w, first), w->land);
    }
    return status;
}

rv_status rvi_simplify(const rv_terrain *land, double error, rvi_simplified *out) {
    float low, high;
    rvi_range(land->ctx, land->surface, rvi_cells(land), &low, &high);
    work w = {.land = land, .ctx = land->ctx};
    w.allowed = error - ((double)high - (double)low) * 0x1p-50;
    rv_status status = refine(&w);
    rvi_free(w.ctx, w.heap);
    rvi_free(w.ctx, w.waiting);
    rvi_free(w.ctx, w.triangles);
    rvi_free(w.ctx, w.edges.twins);
    if (status != RV_OK) {
        rvi_free(w.ctx, w.edges.corners);
        rvi_free(w.ctx, w.cells);
        return status;
    }
    out->corners = w.edges.corners;
    out->cells = w.cells;
    out->vertex_count = w.vertex_count;
    out->face_count = w.triangle_count;
    return RV_OK;
}
