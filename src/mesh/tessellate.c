/* tessellate.c: divides the faces of a mesh where the water is.
 *
 * The scheme GOOD halves longest edges (M.-C. Rivara, Algorithms for refining triangular grids,
 * 1984): from the face it goes across its longest edge to the neighbour, and on while that has a
 * longer one, and halves the edge that is the longest of both its faces; the least angle of flat
 * parts never falls below half of what it was. Then edges between faces that lie nearly in a plane
 * are flipped where that widens the least angle (C. Lawson, 1977). Where no water has been for a
 * while, short edges of nearly flat places collapse again.
 *
 * The schemes 3-0, 4-2 and 4-4 are made of the same operations, so that each is tested exactly. */
#include "mesh/tessellate.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"
#include "base/vector.h"

enum {
    TRIES = 96,
    FLIPS = 24,
    BLOCK = 256,
    POLL = 16,
    SWEEP = 16,
    AGAIN = 8,
    WALK = 64,
    PASSES = 8,
    FINEST = 4096
};

/* Faces with angles below 25 degrees are repaired: by flips where the fold is below 40 degrees, and
 * by collapses that turn no face by more. */
#define SHARP_COS 0.9063
#define FOLD_COS 0.766
#define TURN_COS 0.766

typedef struct work {
    rvi_edit_mesh *edit;
    const rvi_tess_desc *desc;
    rvi_contact *contacts;
    size_t count;
    uint8_t *beyond; /* of contacts */
    rvi_tess_report *report;
} work;

rvi_tess_desc rvi_tess_desc_default(double limit) {
    return (rvi_tess_desc){.scheme = RVI_TESS_GOOD,
                           .limit = limit,
                           .least = limit / 8,
                           .dry = 30,
                           .coarse = limit,
                           .flat_cos = 0.998,
                           .off = 0.15 * limit};
}

/* ---- Lengths and angles, in metres ---- */

static void corner_places(const rvi_edit_mesh *edit, uint32_t face, double out[3][3]) {
    for (size_t k = 0; k < 3; k++)
        rvi_edit_place(edit, edit->edges.corners[3 * (size_t)face + k], out[k]);
}

static double square_between(const double a[3], const double b[3]) {
    double way[3];
    rvi_minus3(a, b, way);
    return rvi_dot3(way, way);
}

static double edge_square(const rvi_edit_mesh *edit, uint32_t e) {
    double a[3], b[3];
    rvi_edit_place(edit, rvi_edge_from(&edit->edges, e), a);
    rvi_edit_place(edit, rvi_edge_to(&edit->edges, e), b);
    return square_between(a, b);
}

/* The cosine of the smallest angle of a triangle, which is the greatest. 1: it has no area. */
static double sharpest(const double p[3][3]) {
    double most = -1;
    for (int k = 0; k < 3; k++) {
        double u[3], v[3];
        rvi_minus3(p[(k + 1) % 3], p[k], u);
        rvi_minus3(p[(k + 2) % 3], p[k], v);
        double lengths = sqrt(rvi_dot3(u, u) * rvi_dot3(v, v));
        double cosine = lengths > 0 ? rvi_dot3(u, v) / lengths : 1;
        most = cosine > most ? cosine : most;
    }
    return most;
}

static void normal_of(const double p[3][3], double out[3]) {
    rvi_normal3(p[0], p[1], p[2], out);
    double length = rvi_length3(out);
    for (int k = 0; k < 3; k++)
        out[k] = length > 0 ? out[k] / length : 0;
}

enum { PARTS = 64 }; /* that all faces are cut into */

typedef struct sharpness {
    const rvi_edit_mesh *edit;
    double most[PARTS];
} sharpness;

static void find_sharpest(void *arg, int64_t part) {
    sharpness *a = arg;
    uint64_t faces = a->edit->faces, f = faces * (uint64_t)part / PARTS;
    for (a->most[part] = -1; f < faces * ((uint64_t)part + 1) / PARTS; f++)
        if (rvi_edit_has_face(a->edit, (uint32_t)f)) {
            double p[3][3];
            corner_places(a->edit, (uint32_t)f, p);
            double cosine = sharpest((const double(*)[3])p);
            a->most[part] = cosine > a->most[part] ? cosine : a->most[part];
        }
}

double rvi_edit_smallest_angle(const rvi_edit_mesh *edit) {
    double most = 0.5; /* no triangle has all its angles above 60 degrees */
    sharpness a = {.edit = edit};
    rvi_finish(edit->ctx, PARTS, find_sharpest, &a);
    for (int i = 0; i < PARTS; i++)
        most = a.most[i] > most ? a.most[i] : most;
    double sine = most < 1 ? sqrt(1 - most * most) : 0;
    return (double)rvi_atan2f((float)sine, (float)most) * 180 / RVI_PI;
}

/* ---- The nearest face ---- */

/* Weights of the corners at the place of a segment from corner i to k that is nearest. */
static void on_edge(const double p[3][3], const double at[3], int i, int k, double weights[3]) {
    double along[3], to[3];
    rvi_minus3(p[k], p[i], along);
    rvi_minus3(at, p[i], to);
    double square = rvi_dot3(along, along), t = square > 0 ? rvi_dot3(along, to) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    weights[0] = weights[1] = weights[2] = 0;
    weights[i] = 1 - t;
    weights[k] = t;
}

static double place_square(const double p[3][3], const double weights[3], const double at[3]) {
    double place[3];
    for (int k = 0; k < 3; k++)
        place[k] = weights[0] * p[0][k] + weights[1] * p[1][k] + weights[2] * p[2][k];
    return square_between(place, at);
}

/* The nearest place of a triangle: below the point, or else on the nearest of its edges. */
static double nearest_place(const double p[3][3], const double at[3], double weights[3]) {
    double u[3], v[3], to[3];
    rvi_minus3(p[1], p[0], u);
    rvi_minus3(p[2], p[0], v);
    rvi_minus3(at, p[0], to);
    double uu = rvi_dot3(u, u), uv = rvi_dot3(u, v), vv = rvi_dot3(v, v), ut = rvi_dot3(u, to),
           vt = rvi_dot3(v, to);
    double whole = uu * vv - uv * uv;
    double b = whole > 0 ? (vv * ut - uv * vt) / whole : -1;
    double c = whole > 0 ? (uu * vt - uv * ut) / whole : -1;
    if (b >= 0 && c >= 0 && b + c <= 1) {
        weights[0] = 1 - b - c;
        weights[1] = b;
        weights[2] = c;
        return place_square(p, weights, at);
    }
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        double w[3];
        on_edge(p, at, i, (i + 1) % 3, w);
        double square = place_square(p, w, at);
        if (square < best) {
            best = square;
            for (int k = 0; k < 3; k++)
                weights[k] = w[k];
        }
    }
    return best;
}

static double face_square(const rvi_edit_mesh *edit, uint32_t face, const double at[3],
                          double weights[3]) {
    double p[3][3];
    corner_places(edit, face, p);
    return nearest_place((const double(*)[3])p, at, weights);
}

/* The best of the faces around a vertex. Ties go to the lower number. */
static void try_around(const rvi_edit_mesh *edit, uint32_t vertex, const double at[3],
                       uint32_t *face, double *square, double weights[3]) {
    uint32_t first = edit->edges.leaving[vertex], e = first;
    do {
        double w[3], here = face_square(edit, e / 3, at, w);
        if (here < *square || (here == *square && e / 3 < *face)) {
            *square = here;
            *face = e / 3;
            for (int k = 0; k < 3; k++)
                weights[k] = w[k];
        }
        e = rvi_edge_around(&edit->edges, e);
    } while (e != first);
}

double rvi_edit_nearest(const rvi_edit_mesh *edit, const double point[3], uint32_t *face,
                        double weights[3]) {
    double square = face_square(edit, *face, point, weights);
    for (int steps = 0; steps < WALK; steps++) {
        uint32_t here = *face;
        for (uint32_t k = 0; k < 3; k++)
            try_around(edit, edit->edges.corners[3 * (size_t)here + k], point, face, &square,
                       weights);
        if (*face == here)
            break;
    }
    return square;
}

/* ---- Longest edges ---- */

/* An order of all edges by length in which no two are equal. */
static bool longer(const rvi_edit_mesh *edit, uint32_t e, uint32_t g) {
    double a = edge_square(edit, e), b = edge_square(edit, g);
    if (a != b)
        return a > b;
    uint32_t e0 = rvi_edge_from(&edit->edges, e), e1 = rvi_edge_to(&edit->edges, e);
    uint32_t g0 = rvi_edge_from(&edit->edges, g), g1 = rvi_edge_to(&edit->edges, g);
    uint32_t e_low = e0 < e1 ? e0 : e1, g_low = g0 < g1 ? g0 : g1;
    if (e_low != g_low)
        return e_low > g_low;
    return (e0 < e1 ? e1 : e0) > (g0 < g1 ? g1 : g0);
}

static uint32_t longest_edge(const rvi_edit_mesh *edit, uint32_t face) {
    uint32_t e = 3 * face;
    if (longer(edit, e + 1, e))
        e = longer(edit, e + 2, e + 1) ? e + 2 : e + 1;
    else
        e = longer(edit, e + 2, e) ? e + 2 : e;
    return e;
}

/* Goes to ever longer edges until one is the longest of both its faces. */
static uint32_t terminal_edge(const rvi_edit_mesh *edit, uint32_t face) {
    uint32_t e = longest_edge(edit, face);
    for (;;) {
        uint32_t beyond = longest_edge(edit, edit->edges.twins[e] / 3);
        if (beyond == edit->edges.twins[e])
            return e;
        e = beyond;
    }
}

/* ---- Flips ---- */

static bool flip_widens(const rvi_edit_mesh *edit, uint32_t e, double flat_cos) {
    uint32_t twin = edit->edges.twins[e];
    double a[3], b[3], c[3], d[3], n[3], m[3], now[2][3][3], then[2][3][3];
    rvi_edit_place(edit, rvi_edge_from(&edit->edges, e), a);
    rvi_edit_place(edit, rvi_edge_to(&edit->edges, e), b);
    rvi_edit_place(edit, edit->edges.corners[rvi_edge_before(e)], c);
    rvi_edit_place(edit, edit->edges.corners[rvi_edge_before(twin)], d);
    for (int k = 0; k < 3; k++) {
        now[0][0][k] = now[1][1][k] = then[1][2][k] = a[k];
        now[0][1][k] = now[1][0][k] = then[0][2][k] = b[k];
        now[0][2][k] = then[0][0][k] = then[1][1][k] = c[k];
        now[1][2][k] = then[0][1][k] = then[1][0][k] = d[k];
    }
    normal_of((const double(*)[3])now[0], n);
    normal_of((const double(*)[3])now[1], m);
    if (!(rvi_dot3(n, m) >= flat_cos))
        return false;
    double sharp[4];
    for (int i = 0; i < 2; i++) {
        sharp[i] = sharpest((const double(*)[3])now[i]);
        sharp[2 + i] = sharpest((const double(*)[3])then[i]);
    }
    double before = sharp[0] > sharp[1] ? sharp[0] : sharp[1];
    double after = sharp[2] > sharp[3] ? sharp[2] : sharp[3];
    return after < before - 0.01; /* enough to be worth it, so that there is no end of flips */
}

/* Flips the edges opposite to a new vertex, and those that come to lie there. */
static rvi_done flip_around(work *w, uint32_t vertex) {
    rvi_edit_mesh *edit = w->edit;
    for (int flips = 0; flips < FLIPS; flips++) {
        uint32_t first = edit->edges.leaving[vertex], e = first, found = RVI_NONE;
        do {
            uint32_t opposite = rvi_edge_next(e);
            if (flip_widens(edit, opposite, w->desc->flat_cos))
                found = opposite;
            e = rvi_edge_around(&edit->edges, e);
        } while (e != first && found == RVI_NONE);
        if (found == RVI_NONE)
            return RVI_DONE;
        rvi_done done = rvi_edit_flip(edit, found);
        if (done == RVI_NO_MEMORY)
            return done;
        if (done == RVI_REFUSED) {
            w->report->refused++;
            return RVI_DONE;
        }
        w->report->flips++;
    }
    return RVI_DONE;
}

/* ---- Schemes ---- */

static rvi_done count_split(work *w, uint32_t e, uint32_t *middle) {
    double least = 2 * w->desc->least, fine = FINEST * w->edit->step;
    least = least > fine ? least : fine;
    if (edge_square(w->edit, e) < least * least)
        return RVI_REFUSED;
    rvi_done done = rvi_edit_split(w->edit, e, middle);
    w->report->splits += done == RVI_DONE;
    w->report->refused += done == RVI_REFUSED;
    return done;
}

static rvi_done divide_good(work *w, uint32_t face) {
    uint32_t middle;
    rvi_done done = count_split(w, terminal_edge(w->edit, face), &middle);
    return done == RVI_DONE ? flip_around(w, middle) : done;
}

/* A vertex at the nearest place, or in the middle where that is too close to an edge. */
static rvi_done divide_3_0(work *w, uint32_t face, const double weights[3]) {
    static const double middle[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    bool inside = weights[0] > 0.15 && weights[1] > 0.15 && weights[2] > 0.15;
    double shortest = INFINITY, least = 2 * w->desc->least;
    for (uint32_t e = 3 * face; e < 3 * face + 3; e++) {
        double square = edge_square(w->edit, e);
        shortest = square < shortest ? square : shortest;
    }
    if (shortest < least * least)
        return RVI_REFUSED;
    rvi_done done = rvi_edit_insert(w->edit, face, inside ? weights : middle, NULL);
    w->report->inserts += done == RVI_DONE;
    w->report->refused += done == RVI_REFUSED;
    return done;
}

/* Splits the edge between two vertices; for 4-4 also the one that this made in the neighbour. */
static rvi_done divide_side(work *w, uint32_t from, uint32_t to, uint32_t *middle) {
    rvi_edit_mesh *edit = w->edit;
    uint32_t e = rvi_edge_between(&edit->edges, from, to),
             far = edit->edges.corners[rvi_edge_before(edit->edges.twins[e])];
    rvi_done done = count_split(w, e, middle);
    if (done != RVI_DONE || w->desc->scheme != RVI_TESS_4_4)
        return done;
    done = count_split(w, rvi_edge_between(&edit->edges, *middle, far), NULL);
    return done == RVI_NO_MEMORY ? done : RVI_DONE;
}

/* Splits the edges one after the other, and flips the edge from the first middle to its opposite
 * corner, so that it joins the other two middles. What is refused is left undivided. */
static rvi_done divide_4(work *w, uint32_t face) {
    rvi_edit_mesh *edit = w->edit;
    uint32_t corners[3], middles[3];
    bool made[3];
    for (uint32_t k = 0; k < 3; k++)
        corners[k] = edit->edges.corners[3 * (size_t)face + k];
    for (uint32_t k = 0; k < 3; k++) {
        rvi_done done = divide_side(w, corners[k], corners[(k + 1) % 3], &middles[k]);
        if (done == RVI_NO_MEMORY)
            return done;
        made[k] = done == RVI_DONE;
    }
    if (!made[0] && !made[1] && !made[2])
        return RVI_REFUSED;
    if (!made[0] || !made[1] || !made[2])
        return RVI_DONE;
    rvi_done done = rvi_edit_flip(edit, rvi_edge_between(&edit->edges, middles[0], corners[2]));
    w->report->flips += done == RVI_DONE;
    w->report->refused += done == RVI_REFUSED;
    return done == RVI_NO_MEMORY ? done : RVI_DONE;
}

static rvi_done divide(work *w, uint32_t face, const double weights[3]) {
    switch (w->desc->scheme) {
    case RVI_TESS_3_0:
        return divide_3_0(w, face, weights);
    case RVI_TESS_4_2:
    case RVI_TESS_4_4:
        return divide_4(w, face);
    case RVI_TESS_GOOD:
        return divide_good(w, face);
    case RVI_TESS_NONE:
        break;
    }
    return RVI_REFUSED;
}

/* ---- Contacts ---- */

static bool corners_near(const rvi_edit_mesh *edit, uint32_t face, const double at[3],
                         double limit) {
    double p[3][3];
    corner_places(edit, face, p);
    for (int k = 0; k < 3; k++)
        if (square_between(p[k], at) > limit * limit)
            return false;
    return true;
}

static void wet_corners(rvi_edit_mesh *edit, uint32_t face) {
    for (uint32_t k = 0; k < 3; k++)
        edit->wet[edit->edges.corners[3 * (size_t)face + k]] = edit->round;
}

static rvi_done divide_at(work *w, rvi_contact *c) {
    rvi_edit_mesh *edit = w->edit;
    double limit = w->desc->limit;
    rvi_done done = RVI_DONE;
    for (int tries = 0; tries < TRIES && done == RVI_DONE; tries++) {
        if (edit->born[c->face] == edit->round)
            rvi_edit_nearest(edit, c->at, &c->face, c->weights);
        if (corners_near(edit, c->face, c->at, limit) ||
            face_square(edit, c->face, c->at, c->weights) >= limit * limit)
            break;
        done = divide(w, c->face, c->weights);
    }
    return done == RVI_NO_MEMORY ? done : RVI_DONE;
}

typedef struct search {
    const rvi_edit_mesh *edit;
    rvi_contact *contact;
    double best;
} search;

static bool try_nearer(void *user, uint32_t face) {
    search *f = user;
    double weights[3], square = face_square(f->edit, face, f->contact->at, weights);
    if (square < f->best || (square == f->best && face < f->contact->face)) {
        f->best = square;
        f->contact->face = face;
        for (int k = 0; k < 3; k++)
            f->contact->weights[k] = weights[k];
    }
    return true;
}

/* The nearest of all faces, where the one that was known has vanished: in boxes that grow until a
 * face is found that is nearer than the box is wide. */
static void search_all(const rvi_edit_mesh *edit, rvi_contact *c, double reach) {
    search f = {edit, c, INFINITY};
    for (int turns = 0; turns < 64 && !(f.best <= reach * reach); turns++, reach *= 2) {
        rvi_box box;
        for (int k = 0; k < 3; k++) {
            double most = (double)RVI_LATTICE_MOST, low = (c->at[k] - reach) / edit->step,
                   high = (c->at[k] + reach) / edit->step;
            low = low > -most ? low < most ? low : most : -most;
            high = high > -most ? high < most ? high : most : -most;
            box.low[k] = rvi_box_place((int64_t)rvi_floor(low));
            box.high[k] = rvi_box_place((int64_t)rvi_floor(high) + 1);
        }
        f.best = INFINITY;
        rvi_grid_visit(&edit->grid, &box, try_nearer, &f);
    }
}

static void find_again(void *arg, int64_t block) {
    work *w = arg;
    const rvi_edit_mesh *edit = w->edit;
    size_t end = ((size_t)block + 1) * BLOCK;
    for (size_t i = (size_t)block * BLOCK; i < end && i < w->count; i++) {
        rvi_contact *c = &w->contacts[i];
        if (!rvi_edit_has_face(edit, c->face))
            search_all(edit, c, w->desc->limit);
        else if (edit->born[c->face] == edit->round)
            rvi_edit_nearest(edit, c->at, &c->face, c->weights);
        w->beyond[i] = !corners_near(edit, c->face, c->at, w->desc->limit);
    }
}

/* ---- Where water has left ---- */

/* Are all faces around a vertex nearly in a plane, and are it and its neighbours dry? */
static bool is_flat_and_dry(const work *w, uint32_t vertex) {
    const rvi_edit_mesh *edit = w->edit;
    uint32_t first = edit->edges.leaving[vertex], e = first;
    double normal[3], p[3][3];
    if (edit->fixed[vertex] || edit->round - edit->wet[vertex] <= w->desc->dry)
        return false;
    corner_places(edit, first / 3, p);
    normal_of((const double(*)[3])p, normal);
    do {
        double n[3];
        if (edit->round - edit->wet[rvi_edge_to(&edit->edges, e)] <= w->desc->dry)
            return false;
        corner_places(edit, e / 3, p);
        normal_of((const double(*)[3])p, n);
        if (!(rvi_dot3(n, normal) >= w->desc->flat_cos))
            return false;
        e = rvi_edge_around(&edit->edges, e);
    } while (e != first);
    return true;
}

/* If the vertex went to the other end of the edge: would no angle be smaller than the smallest now
 * or 20 degrees, and no edge longer than twice those that collapse? */
static bool collapse_is_good(const work *w, uint32_t edge) {
    const rvi_edit_mesh *edit = w->edit;
    uint32_t keep = rvi_edge_to(&edit->edges, edge), e = edge;
    double to[3], p[3][3], before = 0.9397, after = 0;
    rvi_edit_place(edit, keep, to);
    do {
        corner_places(edit, e / 3, p);
        double sharp = sharpest((const double(*)[3])p);
        before = sharp > before ? sharp : before;
        uint32_t k = e % 3, b = edit->edges.corners[rvi_edge_next(e)],
                 c = edit->edges.corners[rvi_edge_before(e)];
        if (b != keep && c != keep) {
            for (int i = 0; i < 3; i++)
                p[k][i] = to[i];
            sharp = sharpest((const double(*)[3])p);
            after = sharp > after ? sharp : after;
            if (square_between(to, p[(k + 1) % 3]) > 4 * w->desc->coarse * w->desc->coarse)
                return false;
        }
        e = rvi_edge_around(&edit->edges, e);
    } while (e != edge);
    return after <= before;
}

/* The shortest edge of a vertex that can collapse, or RVI_NONE. */
static uint32_t edge_to_collapse(const work *w, uint32_t vertex) {
    const rvi_edit_mesh *edit = w->edit;
    uint32_t first = edit->edges.leaving[vertex], e = first, best = RVI_NONE;
    double least = w->desc->coarse * w->desc->coarse;
    do {
        double square = edge_square(edit, e);
        if (square < least && collapse_is_good(w, e)) {
            least = square;
            best = e;
        }
        e = rvi_edge_around(&edit->edges, e);
    } while (e != first);
    return best;
}

/* Every call looks at a part of the vertices that were not there from the beginning. */
static rv_status collapse_dry(work *w) {
    rvi_edit_mesh *edit = w->edit;
    size_t made = edit->vertices - edit->originals, looks = made / SWEEP + 1;
    for (size_t i = 0; i < looks && made > 0; i++) {
        edit->sweep = (edit->sweep + 1) % (uint32_t)made;
        uint32_t v = (uint32_t)edit->originals + edit->sweep;
        if (i % POLL == 0 && rvi_poll(edit->ctx) != RV_OK)
            return RV_CANCELLED;
        if (edit->edges.leaving[v] == RVI_NONE || !is_flat_and_dry(w, v))
            continue;
        uint32_t edge = edge_to_collapse(w, v);
        if (edge == RVI_NONE)
            continue;
        rvi_done done = rvi_edit_collapse(edit, edge, RVI_AT_END);
        if (done == RVI_NO_MEMORY)
            return RV_ERROR_MEMORY;
        w->report->collapses += done == RVI_DONE;
        w->report->refused += done == RVI_REFUSED;
    }
    return RV_OK;
}

/* ---- Faces with sharp angles ---- */

/* The cosine of the smallest angle around an edge, now and after it collapsed to a place. Infinite:
 * edges would be longer than the limit and than all there now, or faces would turn too much. */
static double judge_collapse(const work *w, uint32_t edge, const double at[3], double *now) {
    const rvi_edit_mesh *edit = w->edit;
    double most = -1, allowed = w->desc->limit * w->desc->limit, reach = 0;
    uint32_t ends[2] = {rvi_edge_from(&edit->edges, edge), rvi_edge_to(&edit->edges, edge)};
    *now = -1;
    for (int n = 0; n < 2; n++) {
        uint32_t first = edit->edges.leaving[ends[n]], e = first;
        do {
            double p[3][3], before[3], after[3], square = edge_square(edit, e);
            corner_places(edit, e / 3, p);
            double sharp = sharpest((const double(*)[3])p);
            *now = sharp > *now ? sharp : *now;
            allowed = square > allowed ? square : allowed;
            uint32_t b = rvi_edge_to(&edit->edges, e), c = edit->edges.corners[rvi_edge_before(e)];
            if (b != ends[1 - n] && c != ends[1 - n]) {
                double way[3], off;
                normal_of((const double(*)[3])p, before);
                rvi_minus3(at, p[e % 3], way);
                off = rvi_dot3(way, before);
                if (off > w->desc->off || off < -w->desc->off)
                    return INFINITY; /* or corners of boxes would be cut off */
                for (int i = 0; i < 3; i++)
                    p[e % 3][i] = at[i];
                normal_of((const double(*)[3])p, after);
                sharp = sharpest((const double(*)[3])p);
                most = sharp > most ? sharp : most;
                square = square_between(at, p[(e + 1) % 3]);
                reach = square > reach ? square : reach;
                if (rvi_dot3(before, after) < TURN_COS)
                    return INFINITY;
            }
            e = rvi_edge_around(&edit->edges, e);
        } while (e != first);
    }
    return reach <= allowed ? most : INFINITY;
}

/* Collapses an edge to the place that leaves the widest angles, if they are wider than now. */
static rvi_done collapse_short(work *w, uint32_t edge) {
    rvi_edit_mesh *edit = w->edit;
    double places[3][3], best = INFINITY, now = 0;
    int choice = -1;
    rvi_edit_place(edit, rvi_edge_to(&edit->edges, edge), places[RVI_AT_END]);
    rvi_edit_place(edit, rvi_edge_from(&edit->edges, edge), places[RVI_AT_START]);
    for (int i = 0; i < 3; i++)
        places[RVI_AT_MIDDLE][i] = (places[RVI_AT_END][i] + places[RVI_AT_START][i]) / 2;
    for (int n = 0; n < 3; n++) {
        double sharp = judge_collapse(w, edge, places[n], &now);
        if (sharp < best) {
            best = sharp;
            choice = n;
        }
    }
    if (choice < 0 || !(best < now - 0.005))
        return RVI_REFUSED;
    return rvi_edit_collapse(edit, edge, (rvi_collapse_to)choice);
}

/* A face with a sharp angle: flips one of its edges, the longest first, or collapses one, the
 * shortest first. */
static rvi_done repair(work *w, uint32_t face) {
    rvi_edit_mesh *edit = w->edit;
    uint32_t edges[3] = {3 * face, 3 * face + 1, 3 * face + 2};
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && longer(edit, edges[k], edges[k - 1]); k--) {
            uint32_t swap = edges[k];
            edges[k] = edges[k - 1];
            edges[k - 1] = swap;
        }
    rvi_done done = RVI_REFUSED;
    for (int i = 0; i < 3 && done == RVI_REFUSED; i++)
        if (flip_widens(edit, edges[i], FOLD_COS))
            done = rvi_edit_flip(edit, edges[i]);
    w->report->flips += done == RVI_DONE;
    for (int i = 3; i-- > 0 && done == RVI_REFUSED;) {
        done = collapse_short(w, edges[i]);
        w->report->collapses += done == RVI_DONE;
    }
    return done;
}

/* Looks at the faces from `first` on that are marked so. */
static rv_status repair_marked(work *w, uint8_t mark, size_t first, size_t end) {
    rvi_edit_mesh *edit = w->edit;
    size_t seen = 0;
    for (size_t at = first; at < end; at++) {
        const uint8_t *next = memchr(edit->shapes + at, mark, end - at);
        if (next == NULL)
            break;
        at = (size_t)(next - edit->shapes);
        edit->shapes[at] = RVI_SHAPE_GOOD;
        if (!rvi_edit_has_face(edit, (uint32_t)at))
            continue;
        double p[3][3];
        corner_places(edit, (uint32_t)at, p);
        if (sharpest((const double(*)[3])p) > SHARP_COS) {
            rvi_done done = repair(w, (uint32_t)at);
            if (done == RVI_NO_MEMORY)
                return RV_ERROR_MEMORY;
            if (done == RVI_REFUSED)
                edit->shapes[at] = RVI_SHAPE_SHARP;
        }
        if (seen++ % BLOCK == 0 && rvi_poll(edit->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

/* All that have changed, and a part of those that could not be repaired: their neighbours change.
 */
static rv_status repair_changed(work *w) {
    size_t faces = w->edit->faces, turn = w->edit->round % AGAIN;
    rv_status status = repair_marked(w, RVI_SHAPE_CHANGED, 0, faces);
    if (status == RV_OK)
        status =
            repair_marked(w, RVI_SHAPE_SHARP, faces * turn / AGAIN, faces * (turn + 1) / AGAIN);
    return status;
}

/* ---- All of it ---- */

/* Divides at the contacts that need it, then finds the faces of all. What is divided for one
 * contact can replace the face of another, so this is repeated while something is beyond the limit.
 */
static rv_status divide_all(work *w) {
    rvi_edit_mesh *edit = w->edit;
    int64_t blocks = (int64_t)((w->count + BLOCK - 1) / BLOCK);
    rv_status status = rvi_parallel(edit->ctx, blocks, find_again, w);
    for (int pass = 0; pass < PASSES && status == RV_OK && w->desc->scheme != RVI_TESS_NONE;
         pass++) {
        size_t made = edit->live_faces, divided = 0;
        for (size_t i = 0; i < w->count; i++) {
            if (!w->beyond[i])
                continue;
            if (divide_at(w, &w->contacts[i]) != RVI_DONE)
                return RV_ERROR_MEMORY;
            if (divided++ % POLL == 0 && rvi_poll(edit->ctx) != RV_OK)
                return RV_CANCELLED;
        }
        if (divided > 0)
            status = rvi_parallel(edit->ctx, blocks, find_again, w);
        if (edit->live_faces == made)
            break;
    }
    for (size_t i = 0; i < w->count && status == RV_OK; i++) {
        w->report->beyond += w->beyond[i];
        wet_corners(edit, w->contacts[i].face);
    }
    return status;
}

rv_status rvi_tessellate(rvi_edit_mesh *edit, const rvi_tess_desc *desc, rvi_contact *contacts,
                         size_t count, rvi_tess_report *out) {
    rvi_wide before = rvi_edit_volume6(edit);
    *out = (rvi_tess_report){.splits = 0};
    work w = {.edit = edit, .desc = desc, .contacts = contacts, .count = count, .report = out};
    w.beyond = rvi_alloc(edit->ctx, count, 1, "the contacts of water and rock");
    if (w.beyond == NULL)
        return RV_ERROR_MEMORY;
    edit->round++;
    rv_status status = desc->scheme == RVI_TESS_GOOD ? repair_changed(&w) : RV_OK;
    if (status == RV_OK)
        status = divide_all(&w);
    if (status == RV_OK && desc->scheme == RVI_TESS_GOOD)
        status = collapse_dry(&w);
    rvi_free(edit->ctx, w.beyond);
    out->volume6 = rvi_wide_plus(rvi_edit_volume6(edit), -before);
    return status;
}
