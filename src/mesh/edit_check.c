/* edit_check.c: would a change leave the mesh valid? Decided exactly. It was valid before, so that
 * only faces that are new or have moved can meet others.
 *
 * A shell can also get to the wrong side of another without meeting it, when a change sweeps over
 * all of it at once. Operations sweep the tetrahedra between their old faces and one spot: as no
 * other shell meets the old or the new faces, it was swept over just when any of its vertices lies
 * in one of them. After moves, rays count which shells are around each one that has others near. */
#include "mesh/edit_mesh.h"

#include <math.h>

#include "base/math.h"
#include "base/vector.h"
#include "mesh/shells.h"

/* ---- Faces against all others ---- */

/* By steps of the lattice. */
static void widen(rvi_box *box, int64_t by) {
    const int64_t most = rvi_box_place(RVI_LATTICE_MOST);
    for (int i = 0; i < 3; i++) {
        int64_t low = box->low[i] - (by >> RVI_BOX_BITS) - 1;
        int64_t high = box->high[i] + (by >> RVI_BOX_BITS) + 1;
        box->low[i] = (int32_t)(low > 0 ? low : 0);
        box->high[i] = (int32_t)(high < most ? high : most);
    }
}

typedef struct meeting {
    const rvi_edit_mesh *edit;
    rvi_triangle triangle;
    uint32_t face;
    uint32_t *out;
    size_t count;
} meeting;

/* Keeps the lowest numbers, in order, whatever the order of the visits. */
static void keep_lowest(meeting *m, uint32_t face) {
    size_t at = m->count;
    if (at == RVI_PARTNERS && m->out[--at] < face)
        return;
    m->count = at + 1 > m->count ? at + 1 : m->count;
    for (; at > 0 && m->out[at - 1] > face; at--)
        m->out[at] = m->out[at - 1];
    m->out[at] = face;
}

/* Of faces that bear the last stamp the lower tests the higher. */
static void test_pair(meeting *m, uint32_t g, const rvi_triangle *t) {
    const rvi_edit_mesh *edit = m->edit;
    bool stamped = edit->marks[g] == edit->stamp;
    if (stamped && (g < m->face || rvi_triangle_flat(t)))
        return; /* a face without area is reported by its own test */
    if (rvi_triangles_meet(&m->triangle, t))
        keep_lowest(m, g);
}

size_t rvi_face_folds(const rvi_edit_mesh *edit, uint32_t face, uint32_t out[RVI_PARTNERS]) {
    meeting m = {.edit = edit, .triangle = rvi_edit_triangle(edit, face), .face = face, .out = out};
    if (rvi_triangle_flat(&m.triangle)) {
        out[0] = face;
        return 1;
    }
    for (uint32_t e = 3 * face; e < 3 * face + 3; e++) {
        uint32_t g = edit->edges.twins[e] / 3;
        rvi_triangle t = rvi_edit_triangle(edit, g);
        test_pair(&m, g, &t);
    }
    return m.count;
}

/* ---- How far faces are apart ---- */

/* Differences of spots are exact in doubles, and rounding changes the sums by far less than a step,
 * which is taken off. */
static double gap_in_steps(double low, const double w[3]) {
    double sizes = rvi_size_of(w[0]) + rvi_size_of(w[1]) + rvi_size_of(w[2]);
    return low < INFINITY && low > sizes ? low / sizes - 1 : 0;
}

/* The least that the vectors 0 and 1 reach along w, and the vectors 2 and 3 against it. */
static double room_across(const double w[3], double x[4][3]) {
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        double far = (k < 2 ? 1 : -1) * rvi_dot3(w, x[k]);
        least = far < least ? far : least;
    }
    return gap_in_steps(least, w);
}

/* Two faces with a common corner, the first of each: a plane through it separates them while every
 * corner moves by less than half of what is returned along each axis. The planes tried lie in the
 * middle between an edge of one and an edge of the other, until one leaves `enough`. */
static double room_at_corner(const rvi_spot t[3], const rvi_spot u[3], double enough) {
    double x[4][3], unit[4][3], best = 0;
    for (int k = 0; k < 4; k++) {
        rvi_spot_way(t[0], k < 2 ? t[k + 1] : u[k - 1], x[k]);
        double size = rvi_length3(x[k]);
        for (int i = 0; i < 3; i++)
            unit[k][i] = x[k][i] / size;
    }
    for (int n = 0; n < 4 && (best < enough || !(best > 0)); n++) {
        const double *a = unit[n / 2], *b = unit[2 + n % 2];
        const double w[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        best = rvi_max(best, room_across(w, x));
    }
    return best;
}

/* Between planes at right angles to w. */
static double gap_along(const double w[3], double x[6][3]) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 6; k++) {
        double far = rvi_dot3(w, x[k]);
        low[k / 3] = far < low[k / 3] ? far : low[k / 3];
        high[k / 3] = far > high[k / 3] ? far : high[k / 3];
    }
    return gap_in_steps(rvi_max(low[1] - high[0], low[0] - high[1]), w);
}

/* Along the normal of a face, and at right angles to that and each of its edges. */
static double gap_beside(double p[3][3], double x[6][3]) {
    double edge[3][3], normal[3], w[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            edge[k][i] = p[(k + 1) % 3][i] - p[k][i];
    rvi_cross3(edge[0], edge[1], normal);
    double best = gap_along(normal, x);
    for (int k = 0; k < 3; k++) {
        rvi_cross3(edge[k], normal, w);
        best = rvi_max(best, gap_along(w, x));
    }
    return best;
}

/* The same for two faces without a common corner: the gap between planes at right angles to the
 * line between their middles, to an axis, or to a direction from their normals and edges. */
static double gap(const rvi_spot t[3], const rvi_spot u[3], double enough) {
    double x[6][3], w[3] = {0, 0, 0};
    for (int k = 0; k < 6; k++) {
        rvi_spot_way(t[0], k < 3 ? t[k] : u[k - 3], x[k]);
        for (int i = 0; i < 3; i++)
            w[i] += k < 3 ? -x[k][i] : x[k][i];
    }
    double best = gap_along(w, x);
    for (int axis = 0; axis < 3 && best < enough; axis++)
        best = rvi_max(best, gap_along((const double[3]){axis == 0, axis == 1, axis == 2}, x));
    for (int face = 0; face < 2 && best < enough; face++)
        best = rvi_max(best, gap_beside(x + 3 * face, x));
    return best;
}

/* 0: they may meet. */
static double room_between(const rvi_triangle *t, const rvi_triangle *u, double enough) {
    rvi_spot a[3], b[3];
    size_t shared = 0, at_t = 0, at_u = 0;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            if (t->vertices[i] == u->vertices[k]) {
                shared++;
                at_t = i;
                at_u = k;
            }
    for (size_t k = 0; k < 3; k++) {
        a[k] = t->spots[(at_t + k) % 3];
        b[k] = u->spots[(at_u + k) % 3];
    }
    return shared == 0 ? gap(a, b, enough) : room_at_corner(a, b, enough);
}

typedef struct survey {
    meeting meeting;
    double room; /* the least between the face and others */
} survey;

static bool test_near(void *user, uint32_t g) {
    survey *v = user;
    const rvi_edit_mesh *edit = v->meeting.edit;
    uint32_t face = v->meeting.face;
    if (g == face)
        return true;
    rvi_triangle t = rvi_edit_triangle(edit, g);
    const uint32_t *beside = edit->edges.twins + 3 * (size_t)face;
    if (g == beside[0] / 3 || g == beside[1] / 3 || g == beside[2] / 3) {
        test_pair(&v->meeting, g, &t);
        return true;
    }
    double room = room_between(&v->meeting.triangle, &t, v->room);
    v->room = room < v->room ? room : v->room;
    if (!(room > 0))
        test_pair(&v->meeting, g, &t);
    return true;
}

size_t rvi_face_meets(rvi_edit_mesh *edit, uint32_t face, int64_t margin,
                      uint32_t out[RVI_PARTNERS]) {
    meeting m = {.edit = edit, .triangle = rvi_edit_triangle(edit, face), .face = face, .out = out};
    edit->safe[face] = 0;
    if (rvi_triangle_flat(&m.triangle)) {
        out[0] = face;
        return 1;
    }
    survey v = {.meeting = m, .room = (double)margin};
    rvi_box box = edit->grid.boxes[face];
    widen(&box, margin);
    rvi_grid_visit(&edit->grid, &box, test_near, &v);
    edit->safe[face] = edit->travel + (int64_t)(v.room / 2);
    return v.meeting.count;
}

static bool forget_safety(void *user, uint32_t g) {
    rvi_edit_mesh *edit = user;
    edit->safe[g] = 0;
    return true;
}

void rvi_faces_came(rvi_edit_mesh *edit, const uint32_t *faces, size_t count) {
    if (edit->margin == 0 || count == 0)
        return;
    rvi_box box = edit->grid.boxes[faces[0]];
    for (size_t i = 1; i < count; i++)
        rvi_box_include(&box, &edit->grid.boxes[faces[i]]);
    widen(&box, edit->margin);
    rvi_grid_visit(&edit->grid, &box, forget_safety, edit);
}

/* ---- Patches ---- */

static rvi_triangle fresh_triangle(const rvi_edit_mesh *edit, const rvi_replacement *p, size_t i) {
    rvi_triangle t;
    for (size_t k = 0; k < 3; k++) {
        uint32_t v = t.vertices[k] = p->fresh[i][k];
        t.spots[k] = v == p->vertex ? p->spot : edit->spots[v];
    }
    return t;
}

typedef struct trial {
    const rvi_edit_mesh *edit;
    const rvi_replacement *patch;
    rvi_triangle triangles[RVI_REPLACE_MOST]; /* the faces that come, */
    rvi_box boxes[RVI_REPLACE_MOST];          /* the box of each, */
    rvi_box box;                              /* and of all */
    uint32_t shell;
    bool clear;
} trial;

/* Faces that are stamped are those to be replaced. */
static bool try_fresh(void *user, uint32_t g) {
    trial *t = user;
    if (t->edit->marks[g] == t->edit->stamp)
        return true;
    const rvi_box *box = &t->edit->grid.boxes[g];
    rvi_triangle other = rvi_edit_triangle(t->edit, g);
    for (size_t i = 0; i < t->patch->count && t->clear; i++)
        t->clear =
            !rvi_boxes_meet(&t->boxes[i], box) || !rvi_triangles_meet(&t->triangles[i], &other);
    return t->clear;
}

static bool within(rvi_spot p, const rvi_triangle *t, rvi_spot d) {
    rvi_spot a = t->spots[0], b = t->spots[1], c = t->spots[2];
    int whole = rvi_side(a, b, c, d);
    return whole != 0 && rvi_side(a, b, c, p) * whole >= 0 && rvi_side(a, d, b, p) * whole >= 0 &&
           rvi_side(b, d, c, p) * whole >= 0 && rvi_side(c, d, a, p) * whole >= 0;
}

static bool try_shell(void *user, uint32_t g) {
    trial *t = user;
    if (t->edit->shell[g] == t->shell)
        return true;
    rvi_spot p = t->edit->spots[t->edit->edges.corners[3 * (size_t)g]];
    for (size_t i = 0; i < t->patch->olds && t->clear; i++) {
        rvi_triangle old = rvi_edit_triangle(t->edit, t->patch->old[i]);
        t->clear = !within(p, &old, t->patch->spot);
    }
    return t->clear;
}

/* Is no other shell swept over? */
static bool sweeps_over_none(trial *t) {
    const rvi_replacement *p = t->patch;
    rvi_triangle at = {.spots = {p->spot, p->spot, p->spot}};
    rvi_box box = rvi_triangle_box(&at);
    for (size_t i = 0; i < p->olds; i++)
        rvi_box_include(&box, &t->edit->grid.boxes[p->old[i]]);
    t->shell = t->edit->shell[p->old[0]];
    rvi_grid_visit(&t->edit->grid, &box, try_shell, t);
    return t->clear;
}

/* Does the shell stay the right way out? */
static bool volume_stays(const rvi_edit_mesh *edit, rvi_replacement *p, const rvi_triangle *fresh) {
    rvi_spot origin = {0, 0, 0};
    p->volume6 = 0;
    for (size_t i = 0; i < p->count; i++)
        p->volume6 += rvi_volume(origin, fresh[i].spots[0], fresh[i].spots[1], fresh[i].spots[2]);
    for (size_t i = 0; i < p->olds; i++)
        p->volume6 -= rvi_edit_face_volume6(edit, p->old[i]);
    uint32_t shell = edit->shell[p->old[0]];
    rvi_wide after = rvi_wide_plus(edit->volumes[shell], p->volume6);
    return rvi_wide_sign(after) == (edit->hollow[shell] ? -1 : 1);
}

/* Is the triangle turned from the old face by a right angle or more? */
static bool is_turned(const rvi_edit_mesh *edit, const rvi_triangle *t, uint32_t face) {
    rvi_triangle u = rvi_edit_triangle(edit, face);
    rvi_plane a = rvi_plane_of(t->spots[0], t->spots[1], t->spots[2]);
    rvi_plane b = rvi_plane_of(u.spots[0], u.spots[1], u.spots[2]);
    return !(rvi_dot3(a.normal, b.normal) > 0);
}

/* Have the new faces an area, are they turned the right way, and do none of them meet? */
static bool fit_each_other(trial *t) {
    const rvi_replacement *p = t->patch;
    for (size_t i = 0; i < p->count; i++) {
        rvi_triangle *fresh = &t->triangles[i];
        *fresh = fresh_triangle(t->edit, p, i);
        if (rvi_triangle_flat(fresh) || is_turned(t->edit, fresh, p->like[i]))
            return false;
        for (size_t k = 0; k < i; k++)
            if (rvi_triangles_meet(fresh, &t->triangles[k]))
                return false;
        t->boxes[i] = rvi_triangle_box(fresh);
        if (i == 0)
            t->box = t->boxes[0];
        rvi_box_include(&t->box, &t->boxes[i]);
    }
    return true;
}

bool rvi_replacement_fits(rvi_edit_mesh *edit, rvi_replacement *p) {
    trial t;
    t.edit = edit;
    t.patch = p;
    t.clear = true;
    if (!fit_each_other(&t))
        return false;
    uint32_t stamp = rvi_edit_stamp(edit);
    for (size_t i = 0; i < p->olds; i++)
        edit->marks[p->old[i]] = stamp;
    rvi_grid_visit(&edit->grid, &t.box, try_fresh, &t);
    return t.clear && volume_stays(edit, p, t.triangles) &&
           (edit->shells == 1 || sweeps_over_none(&t));
}

/* ---- Shells after moves ---- */

typedef struct ray {
    const rvi_edit_mesh *edit;
    rvi_spot from;
    uint32_t shell;
    int sum;
    bool lonely;
} ray;

static bool find_other(void *user, uint32_t g) {
    ray *r = user;
    r->lonely = r->edit->shell[g] == r->shell;
    return r->lonely;
}

static bool pass_face(void *user, uint32_t g) {
    ray *r = user;
    if (r->edit->shell[g] != r->shell) {
        rvi_triangle t = rvi_edit_triangle(r->edit, g);
        r->sum += rvi_ray_passes(&t, r->from);
    }
    return true;
}

static bool shell_stays(const rvi_edit_mesh *edit, uint32_t shell, int64_t reach) {
    if (rvi_wide_sign(edit->volumes[shell]) != (edit->hollow[shell] ? -1 : 1))
        return false;
    if (edit->shells == 1)
        return true;
    rvi_spot p = edit->spots[edit->edges.corners[3 * (size_t)edit->anchors[shell]]];
    ray r = {.edit = edit, .from = p, .shell = shell, .lonely = true};
    int64_t c[3] = {p.x, p.y, p.z};
    rvi_box near, up;
    for (int i = 0; i < 3; i++) {
        int64_t low = c[i] - 2 * reach, high = c[i] + 2 * reach;
        near.low[i] = rvi_box_place(low < -RVI_LATTICE_MOST ? -RVI_LATTICE_MOST : low);
        near.high[i] = rvi_box_place(high > RVI_LATTICE_MOST ? RVI_LATTICE_MOST : high);
        up.low[i] = up.high[i] = rvi_box_place(c[i]);
    }
    rvi_grid_visit(&edit->grid, &near, find_other, &r);
    if (r.lonely)
        return true;
    up.high[2] = rvi_box_place(RVI_LATTICE_MOST);
    rvi_grid_visit(&edit->grid, &up, pass_face, &r);
    return r.sum == (edit->hollow[shell] ? 1 : 0);
}

bool rvi_shells_stay(const rvi_edit_mesh *edit, int64_t reach) {
    for (uint32_t i = 0; i < edit->shells; i++)
        if (!shell_stays(edit, i, reach))
            return false;
    return true;
}
