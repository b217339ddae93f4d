/* touch.c: do two triangles meet? Decided by signs alone (O. Devillers and P. Guigue, Faster
 * triangle-triangle intersection tests, 2002, gives the same signs another order).
 *
 * Two triangles have a point in common just when an edge of one meets the other. Where they share a
 * corner v, they have more than v in common just when the edge opposite to v of one meets the
 * other: what they have in common is convex, so with another point it holds a piece of a ray from
 * v, and follows that ray up to the first of the two opposite edges. Where they share an edge, they
 * have more in common just when they lie in one plane on the same side of it. */
#include "solid/lattice.h"

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
        return folded(t->spots[(not_t + 1) % 3], t->spots[(not_t + 2) % 3], t->spots[not_t],
                      u->spots[not_u]);
    triangle a = rvi_plane_of(t->spots[at_t], t->spots[(at_t + 1) % 3], t->spots[(at_t + 2) % 3]);
    triangle b = rvi_plane_of(u->spots[at_u], u->spots[(at_u + 1) % 3], u->spots[(at_u + 2) % 3]);
    return shared == 1 ? hinged_meet(&a, &b) : separate_meet(&a, &b);
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
