/* intersect.c: do two triangles meet? Decided by signs alone (O. Devillers and P. Guigue, Faster
 * triangle-triangle intersection tests, 2002, gives the same signs another order).
 *
 * Two triangles have a point in common just when an edge of one meets the other. Where they share a
 * corner v, they have more than v in common just when the edge opposite to v of one meets the
 * other: what they have in common is convex, so with another point it holds a piece of a ray from
 * v, and follows that ray up to the first of the two opposite edges. Where they share an edge, they
 * have more in common just when they lie in one plane on the same side of it. */
#include "mesh/intersect.h"

#include "base/vector.h"

typedef rvi_plane triangle; /* with its plane */

/* Have all signs that are not zero the same sign? */
static bool agree(int a, int b, int c) {
    return !((a > 0 || b > 0 || c > 0) && (a < 0 || b < 0 || c < 0));
}

/* ---- In a plane ---- */

static bool between(int64_t a, int64_t b, int64_t c, int64_t d) {
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    return (c < d ? c : d) <= high && (c < d ? d : c) >= low;
}

static bool flat_edges_meet(rvi_flat a, rvi_flat b, rvi_flat c, rvi_flat d) {
    int ac = rvi_turn_sign(a, b, c), ad = rvi_turn_sign(a, b, d);
    int ca = rvi_turn_sign(c, d, a), cb = rvi_turn_sign(c, d, b);
    if (ac == 0 && ad == 0) /* all on one line */
        return between(a.u, b.u, c.u, d.u) && between(a.v, b.v, c.v, d.v);
    return ac * ad <= 0 && ca * cb <= 0;
}

static bool flat_edge_meets(rvi_spot p, rvi_spot q, const triangle *t) {
    int axis = rvi_open_axis(t->a, t->b, t->c);
    rvi_flat a = rvi_flat_of(t->a, axis), b = rvi_flat_of(t->b, axis), c = rvi_flat_of(t->c, axis);
    rvi_flat s = rvi_flat_of(p, axis), e = rvi_flat_of(q, axis);
    return agree(rvi_turn_sign(a, b, s), rvi_turn_sign(b, c, s), rvi_turn_sign(c, a, s)) ||
           flat_edges_meet(s, e, a, b) || flat_edges_meet(s, e, b, c) ||
           flat_edges_meet(s, e, c, a);
}

/* ---- In space ---- */

/* An edge pq and a triangle; `p_side` and `q_side` say where its ends lie. */
static bool edge_meets(rvi_spot p, rvi_spot q, int p_side, int q_side, const triangle *t) {
    if (p_side * q_side > 0)
        return false;
    if (p_side == 0 && q_side == 0)
        return flat_edge_meets(p, q, t);
    int a = rvi_side(p, q, t->a, t->b), b = rvi_side(p, q, t->b, t->c);
    return a * b >= 0 && agree(a, b, rvi_side(p, q, t->c, t->a));
}

static void sides(const triangle *plane, const triangle *t, int out[3]) {
    out[0] = rvi_plane_side(plane, t->a);
    out[1] = rvi_plane_side(plane, t->b);
    out[2] = rvi_plane_side(plane, t->c);
}

static bool apart(const int s[3]) {
    return (s[0] > 0 && s[1] > 0 && s[2] > 0) || (s[0] < 0 && s[1] < 0 && s[2] < 0);
}

static bool any_edge_meets(const triangle *edges, const int s[3], const triangle *t) {
    return edge_meets(edges->a, edges->b, s[0], s[1], t) ||
           edge_meets(edges->b, edges->c, s[1], s[2], t) ||
           edge_meets(edges->c, edges->a, s[2], s[0], t);
}

static bool separate_meet(const triangle *t, const triangle *u) {
    int of_u[3], of_t[3];
    sides(t, u, of_u);
    if (apart(of_u))
        return false;
    sides(u, t, of_t);
    if (apart(of_t))
        return false;
    return any_edge_meets(u, of_u, t) || any_edge_meets(t, of_t, u);
}

/* Both have their shared corner at a. */
static bool hinged_meet(const triangle *t, const triangle *u) {
    int ub = rvi_plane_side(t, u->b), uc = rvi_plane_side(t, u->c);
    if (ub * uc > 0)
        return false;
    int tb = rvi_plane_side(u, t->b), tc = rvi_plane_side(u, t->c);
    if (tb * tc > 0)
        return false;
    return edge_meets(u->b, u->c, ub, uc, t) || edge_meets(t->b, t->c, tb, tc, u);
}

/* They share the edge ab; c and d are their third corners. */
static bool folded(rvi_spot a, rvi_spot b, rvi_spot c, rvi_spot d) {
    if (rvi_side(a, b, c, d) != 0)
        return false;
    int axis = rvi_open_axis(a, b, c);
    rvi_flat s = rvi_flat_of(a, axis), e = rvi_flat_of(b, axis);
    return rvi_turn_sign(s, e, rvi_flat_of(c, axis)) == rvi_turn_sign(s, e, rvi_flat_of(d, axis));
}

/* ---- Mostly they are apart, and doubles are enough to see it ---- */

/* w . x, if rounding cannot have changed its sign, or else 0. The parts of x are differences, which
 * doubles hold exactly; w is what it is. */
static double sure_dot(const double w[3], const double x[3]) {
    double a = w[0] * x[0], b = w[1] * x[1], c = w[2] * x[2], sum = a + b + c;
    double bound = (rvi_size_of(a) + rvi_size_of(b) + rvi_size_of(c)) * 0x1p-50;
    return sum > bound || sum < -bound ? sum : 0;
}

/* Is a plane through their common corner, at right angles to the line between their middles,
 * between them? */
static bool surely_hinged_apart(const rvi_spot t[3], const rvi_spot u[3]) {
    double x[4][3], w[3];
    rvi_spot_way(t[0], t[1], x[0]);
    rvi_spot_way(t[0], t[2], x[1]);
    rvi_spot_way(u[0], u[1], x[2]);
    rvi_spot_way(u[0], u[2], x[3]);
    for (int i = 0; i < 3; i++)
        w[i] = (x[0][i] + x[1][i]) - (x[2][i] + x[3][i]);
    return sure_dot(w, x[0]) > 0 && sure_dot(w, x[1]) > 0 && sure_dot(w, x[2]) < 0 &&
           sure_dot(w, x[3]) < 0;
}

/* Is such a plane through one of the corners? */
static bool surely_apart(const rvi_spot t[3], const rvi_spot u[3]) {
    double x[3][3], w[3] = {0, 0, 0}, low = 0;
    size_t lowest = 0;
    for (size_t k = 0; k < 3; k++) {
        double to[3];
        rvi_spot_way(t[k], u[k], to);
        for (int i = 0; i < 3; i++)
            w[i] += to[i];
    }
    for (size_t k = 0; k < 3; k++) { /* that of u which is the nearest to t */
        rvi_spot_way(t[0], u[k], x[k]);
        double along = rvi_dot3(w, x[k]);
        lowest = k == 0 || along < low ? k : lowest;
        low = k == 0 || along < low ? along : low;
    }
    for (size_t k = 0; k < 3; k++) {
        double to[3];
        rvi_spot_way(u[lowest], t[k], to);
        if (!(sure_dot(w, to) < 0))
            return false;
        rvi_spot_way(u[lowest], u[k], to);
        if (k != lowest && !(sure_dot(w, to) > 0))
            return false;
    }
    return true;
}

/* Do the two faces at the edge ab go different ways from it, by more than a right angle? Each part
 * of a normal is rounded by at most 2^-52 of its sizes. */
static bool surely_unfolded(rvi_spot a, rvi_spot b, rvi_spot c, rvi_spot d) {
    rvi_plane n = rvi_plane_of(a, b, c), m = rvi_plane_of(a, b, d);
    double sum = 0, bound = 0;
    for (int i = 0; i < 3; i++) {
        sum += n.normal[i] * m.normal[i];
        bound += n.sizes[i] * m.sizes[i];
    }
    return sum < -bound * 0x1p-48;
}

/* ---- All of it ---- */

static bool meet_at_edge(const rvi_triangle *t, const rvi_triangle *u, size_t not_t, size_t not_u) {
    rvi_spot a = t->spots[(not_t + 1) % 3], b = t->spots[(not_t + 2) % 3];
    return !surely_unfolded(a, b, t->spots[not_t], u->spots[not_u]) &&
           folded(a, b, t->spots[not_t], u->spots[not_u]);
}

bool rvi_triangles_meet(const rvi_triangle *t, const rvi_triangle *u) {
    const uint32_t *p = t->vertices, *q = u->vertices;
    size_t shared = 0, at_t = 0, at_u = 0, not_t = 3, not_u = 3; /* sums of places give the rest */
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            if (p[i] == q[k]) {
                shared++;
                at_t = i;
                at_u = k;
                not_t -= i;
                not_u -= k;
            }
    if (shared == 3)
        return true;
    if (shared == 2)
        return meet_at_edge(t, u, not_t, not_u);
    rvi_spot a[3], b[3];
    for (size_t k = 0; k < 3; k++) {
        a[k] = t->spots[(at_t + k) % 3];
        b[k] = u->spots[(at_u + k) % 3];
    }
    if (shared == 1 ? surely_hinged_apart(a, b) : surely_apart(a, b))
        return false;
    triangle first = rvi_plane_of(a[0], a[1], a[2]), second = rvi_plane_of(b[0], b[1], b[2]);
    return shared == 1 ? hinged_meet(&first, &second) : separate_meet(&first, &second);
}

static rvi_triangle face_of(const rvi_lattice *l, size_t face) {
    const uint32_t *v = l->mesh->corners + 3 * face;
    return (rvi_triangle){{v[0], v[1], v[2]}, {l->spots[v[0]], l->spots[v[1]], l->spots[v[2]]}};
}

bool rvi_face_flat(const rvi_lattice *l, size_t face) {
    rvi_triangle t = face_of(l, face);
    return rvi_triangle_flat(&t);
}

bool rvi_faces_meet(const rvi_lattice *l, size_t f, size_t g) {
    rvi_triangle t = face_of(l, f), u = face_of(l, g);
    return rvi_triangles_meet(&t, &u);
}
