/* The check of meshes: each kind of fault is found where it is and nothing else is told, what
 * nearly touches is valid, what touches is not; and the exact answers are those of other
 * mathematics. */
#include "support.h"

#include "base/random.h"
#include "mesh/mesh.h"
#include "mesh/shells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Meshes by hand ---- */

typedef struct sketch {
    double points[512][3];
    uint32_t faces[512][3];
    size_t vertices, count;
} sketch;

static uint32_t add_point(sketch *s, double x, double y, double z) {
    double point[3] = {x, y, z};
    memcpy(s->points[s->vertices], point, sizeof point);
    return (uint32_t)s->vertices++;
}

static void add_face(sketch *s, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t face[3] = {a, b, c};
    memcpy(s->faces[s->count++], face, sizeof face);
}

/* A tetrahedron over the corner at x, y, z; outward faces when size > 0, inward when `turned`. */
static void add_tetrahedron(sketch *s, double x, double y, double z, double size, bool turned) {
    uint32_t o = add_point(s, x, y, z), a = add_point(s, x + size, y, z);
    uint32_t b = add_point(s, x, y + size, z), c = add_point(s, x, y, z + size);
    size_t first = s->count;
    add_face(s, o, b, a);
    add_face(s, o, a, c);
    add_face(s, o, c, b);
    add_face(s, a, b, c);
    for (size_t f = first; turned && f < s->count; f++) {
        uint32_t swap = s->faces[f][1];
        s->faces[f][1] = s->faces[f][2];
        s->faces[f][2] = swap;
    }
}

static void add_box(sketch *s, const double low[3], const double high[3]) {
    uint32_t first = (uint32_t)s->vertices;
    for (int i = 0; i < 8; i++)
        add_point(s, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
    static const uint32_t sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 6; i++) {
        const uint32_t *q = sides[i];
        add_face(s, first + q[0], first + q[1], first + q[2]);
        add_face(s, first + q[0], first + q[2], first + q[3]);
    }
}

static rv_mesh *mesh_of(rv_context *ctx, const sketch *s) {
    rv_mesh *mesh;
    support_ok(ctx, rvi_mesh_create(ctx, s->vertices, s->count, false, &mesh));
    memcpy(mesh->points, s->points, s->vertices * sizeof s->points[0]);
    memcpy(mesh->corners, s->faces, s->count * sizeof s->faces[0]);
    return mesh;
}

typedef struct faults {
    size_t count, of[RV_FAULT_COUNT];
    rv_fault first, list[4096];
} faults;

static void keep(void *user, const rv_fault *fault) {
    faults *f = user;
    if (f->count == 0)
        f->first = *fault;
    if (f->count < 4096)
        f->list[f->count] = *fault;
    f->count++;
    f->of[fault->kind]++;
}

static faults check(rv_context *ctx, const sketch *s) {
    faults found = {0};
    rv_mesh *mesh = mesh_of(ctx, s);
    support_ok(ctx, rv_mesh_check(mesh, keep, &found));
    rv_mesh_destroy(mesh);
    return found;
}

static void expect(const faults *found, rv_fault_kind kind, size_t count) {
    if (found->count == count && found->of[kind] == count)
        return;
    char text[256] = "nothing";
    if (found->count > 0)
        rv_fault_print(&found->first, text, sizeof text);
    fail_msg("expected %zu faults of kind %d, got %zu of it, %zu in all: %s", count, (int)kind,
             found->of[kind], found->count, text);
}

/* ---- Every kind of fault ---- */

static void good_meshes_have_no_faults(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    sketch s = {.vertices = 0};
    add_tetrahedron(&s, 0, 0, 0, 1, false);
    faults found = check(ctx, &s);
    expect(&found, RV_FAULT_OPEN_EDGE, 0);
    add_tetrahedron(&s, 5, 0, 0, 1, false); /* two bodies */
    add_box(&s, (double[3]){10, 10, 10}, (double[3]){20, 20, 20});
    add_tetrahedron(&s, 12, 12, 12, 2, true);        /* a hollow */
    add_tetrahedron(&s, 12.1, 12.1, 12.1, 1, false); /* and a body in it */
    add_point(&s, 100, 100, 100);                    /* of no face */
    found = check(ctx, &s);
    expect(&found, RV_FAULT_OPEN_EDGE, 0);
    rv_context_destroy(ctx);
}

static void faults_of_edges_are_found(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    sketch s = {.vertices = 0};
    add_tetrahedron(&s, 0, 0, 0, 1, false);
    s.count = 3; /* without its slanting face */
    faults found = check(ctx, &s);
    expect(&found, RV_FAULT_OPEN_EDGE, 3);
    char text[256];
    rv_fault_print(&found.first, text, sizeof text);
    assert_string_equal(text, "The edge from vertex 3 to 2 at (0.5, 0.5, 0) has a face on one side "
                              "only, face 1.");
    s = (sketch){.vertices = 0};
    add_tetrahedron(&s, 0, 0, 0, 1, false);
    uint32_t turned[3] = {1, 3, 2};
    memcpy(s.faces[3], turned, sizeof turned);
    found = check(ctx, &s);
    expect(&found, RV_FAULT_TURNED_FACE, 3);
    assert_int_equal(found.first.other, 3);
    /* Two tetrahedra that share an edge by its vertices, and two that share a vertex. */
    for (uint32_t shared = 1; shared <= 2; shared++) {
        s = (sketch){.vertices = 0};
        add_tetrahedron(&s, 0, 0, 0, 1, false);
        uint32_t at[4];
        for (uint32_t k = 0; k < 4; k++)
            at[k] = k < shared ? (k == 0 ? 0 : 3)
                               : add_point(&s, k == 2 ? 0 : -1, k == 2 ? -1 : 0, k == 1 ? -1 : 0);
        add_face(&s, at[0], at[2], at[1]);
        add_face(&s, at[0], at[1], at[3]);
        add_face(&s, at[0], at[3], at[2]);
        add_face(&s, at[1], at[2], at[3]);
        found = check(ctx, &s);
        assert_int_equal(found.of[shared == 2 ? RV_FAULT_CROWDED_EDGE : RV_FAULT_PINCHED_VERTEX],
                         1);
        assert_int_equal(found.of[RV_FAULT_CROSSING_FACES], 0);
        assert_true(found.first.vertex[0] == 0 || found.first.vertex[1] == 0);
    }
    rv_context_destroy(ctx);
}

/* A vertex on an edge, with a face of no area that closes the gap; the faces on both sides of it
 * lie on each other. */
static void faces_without_area_are_found(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    sketch s = {.vertices = 0};
    add_tetrahedron(&s, 0, 0, 0, 3, false);
    uint32_t m = add_point(&s, 1, 2, 0); /* on the edge from vertex 1 to 2 */
    s.count = 3;
    add_face(&s, 1, m, 3);
    add_face(&s, m, 2, 3);
    add_face(&s, 1, 2, m);
    faults found = check(ctx, &s);
    assert_int_equal(found.of[RV_FAULT_FLAT_FACE], 1);
    assert_int_equal(found.of[RV_FAULT_CROSSING_FACES], 2);
    assert_int_equal(found.count, 3);
    assert_int_equal(found.first.face, 5);
    add_face(&s, 0, 0, 1);
    found = check(ctx, &s);
    assert_int_equal(found.of[RV_FAULT_FLAT_FACE], 2);
    rv_context_destroy(ctx);
}

static void wrong_ways_out_are_found(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    sketch s = {.vertices = 0};
    add_tetrahedron(&s, 0, 0, 0, 1, true);
    faults found = check(ctx, &s);
    expect(&found, RV_FAULT_INSIDE_OUT, 1);
    s = (sketch){.vertices = 0}; /* a body inside a body */
    add_box(&s, (double[3]){0, 0, 0}, (double[3]){9, 9, 9});
    add_tetrahedron(&s, 3, 3, 3, 1, false);
    found = check(ctx, &s);
    expect(&found, RV_FAULT_INSIDE_OUT, 1);
    assert_int_equal(found.first.face, 12);
    s = (sketch){.vertices = 0}; /* a hollow beside a body, straight below its corners */
    add_box(&s, (double[3]){0, 0, 0}, (double[3]){9, 9, 9});
    add_tetrahedron(&s, 9, 9, -3, 1, true);
    found = check(ctx, &s);
    expect(&found, RV_FAULT_INSIDE_OUT, 1);
    s = (sketch){.vertices = 0}; /* a hollow below, beside the edge and diagonal of the base */
    add_box(&s, (double[3]){0, 0, 0}, (double[3]){9, 9, 9});
    add_tetrahedron(&s, 4, 4, -3, 1, true);
    found = check(ctx, &s);
    expect(&found, RV_FAULT_INSIDE_OUT, 1);
    rv_context_destroy(ctx);
}

/* ---- Near and touching ---- */

/* Two tetrahedra whose only common point, if any, is made by `gap`. */
static void what_touches_is_a_fault(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const double gaps[] = {0, 0x1p-30, -0x1p-30};
    static const size_t expected[] = {1, 0, 1}; /* some, none, some */
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < 3; i++) {
            double g = gaps[i];
            sketch s = {.vertices = 0};
            add_box(&s, (double[3]){0, 0, 0}, (double[3]){2, 2, 2});
            if (kind == 0) /* a corner on a side */
                add_tetrahedron(&s, 0.5, 0.75, 2 + g, 1, false);
            if (kind == 1) /* a side on a side */
                add_box(&s, (double[3]){0.5, 0.5, 2 + g}, (double[3]){1, 1, 3});
            if (kind == 2) /* an edge on an edge */
                add_box(&s, (double[3]){2 + g, 0.5, 2 + g}, (double[3]){3, 1, 3});
            if (kind == 3) /* a corner on a corner */
                add_tetrahedron(&s, 2 + g, 2 + g, 2 + g, 1, false);
            faults found = check(ctx, &s);
            assert_int_equal(found.count > 0, expected[i]);
            assert_int_equal(found.count, found.of[RV_FAULT_CROSSING_FACES]);
        }
    rv_context_destroy(ctx);
}

static void what_cuts_itself_is_found(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    sketch s = {.vertices = 0}; /* the top of a box pushed out through its base */
    add_box(&s, (double[3]){0, 0, 0}, (double[3]){2, 2, 2});
    uint32_t m = add_point(&s, 1, 1, -1);
    static const uint32_t top[4] = {4, 5, 7, 6};
    s.faces[2][0] = s.faces[3][0] = 0; /* both faces of the top go */
    memmove(s.faces[2], s.faces[4], (s.count - 4) * sizeof s.faces[0]);
    s.count -= 2;
    for (int k = 0; k < 4; k++)
        add_face(&s, top[k], top[(k + 1) % 4], m);
    faults found = check(ctx, &s);
    assert_greater(found.count, 0);
    assert_equal(found.count, found.of[RV_FAULT_CROSSING_FACES]);
    s.points[m][2] = 0x1p-30; /* just above the base */
    found = check(ctx, &s);
    expect(&found, RV_FAULT_CROSSING_FACES, 0);
    s.points[m][2] = 0; /* a dent down to the base */
    found = check(ctx, &s);
    assert_greater(found.count, 0);
    assert_equal(found.count, found.of[RV_FAULT_CROSSING_FACES]);
    s = (sketch){.vertices = 0}; /* one face twice, and its back */
    add_tetrahedron(&s, 0, 0, 0, 1, false);
    add_face(&s, 1, 2, 3);
    found = check(ctx, &s);
    assert_int_equal(found.of[RV_FAULT_CROSSING_FACES], 1);
    rv_context_destroy(ctx);
}

static void blocks_of_land_are_valid(void **state) {
    (void)state;
    static const char *const recipes[] = {
        "terrain width=2 height=2 noise",
        "terrain width=50 height=37 cell=0.3 noise frequency=400 relief=400",
        "terrain size=60 faults profile=step count=30 relief=3000",
        "terrain width=40 height=70 noise droplets drops=2000 radius=1cell",
    };
    rv_context *ctx = support_context(2);
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        rv_terrain *land = support_run(ctx, recipes[i]);
        for (int error = 0; error < 20; error += 8) {
            rv_mesh *mesh;
            faults found = {0};
            support_ok(ctx, rv_mesh_from_terrain(land, (float)error, 0.5f, &mesh));
            support_ok(ctx, rv_mesh_check(mesh, keep, &found));
            expect(&found, RV_FAULT_OPEN_EDGE, 0);
            rv_mesh_destroy(mesh);
        }
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* ---- Other mathematics for the same answers, in small whole numbers ---- */

typedef struct vec {
    long long x, y, z;
} vec;

static vec minus(vec a, vec b) {
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long long dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool zero(vec a) {
    return a.x == 0 && a.y == 0 && a.z == 0;
}

static bool separates(vec axis, const vec *t, const vec *u) {
    long long low[2], high[2];
    for (int n = 0; n < 2; n++) {
        const vec *p = n == 0 ? t : u;
        low[n] = high[n] = dot(axis, p[0]);
        for (int k = 1; k < 3; k++) {
            long long d = dot(axis, p[k]);
            low[n] = d < low[n] ? d : low[n];
            high[n] = d > high[n] ? d : high[n];
        }
    }
    return high[0] < low[1] || high[1] < low[0];
}

/* Two convex bodies are apart when a plane lies between them: one of those along their sides and
 * edges. */
static bool apart_by_planes(const vec *t, const vec *u) {
    vec e[3], f[3];
    for (int k = 0; k < 3; k++) {
        e[k] = minus(t[(k + 1) % 3], t[k]);
        f[k] = minus(u[(k + 1) % 3], u[k]);
    }
    vec n = cross(e[0], e[1]), m = cross(f[0], f[1]);
    if (separates(n, t, u) || separates(m, t, u))
        return true;
    for (int i = 0; i < 3; i++) {
        if (separates(cross(n, e[i]), t, u) || separates(cross(m, f[i]), t, u))
            return true;
        for (int k = 0; k < 3; k++)
            if (separates(cross(e[i], f[k]), t, u))
                return true;
    }
    return false;
}

/* Does the direction r lie between the directions u and v, which are not parallel? */
static bool in_angle(vec r, vec u, vec v) {
    vec n = cross(u, v);
    return dot(r, n) == 0 && dot(cross(u, r), n) >= 0 && dot(cross(r, v), n) >= 0;
}

/* Triangles with a common corner at [0]: have their angles there a direction in common? */
static bool angles_meet(const vec *t, const vec *u) {
    vec a = minus(t[1], t[0]), b = minus(t[2], t[0]), c = minus(u[1], u[0]), d = minus(u[2], u[0]);
    vec r = cross(cross(a, b), cross(c, d)), back = {-r.x, -r.y, -r.z};
    if (zero(r))
        return in_angle(a, c, d) || in_angle(b, c, d) || in_angle(c, a, b) || in_angle(d, a, b);
    return (in_angle(r, a, b) && in_angle(r, c, d)) ||
           (in_angle(back, a, b) && in_angle(back, c, d));
}

/* Triangles with a common edge from [0] to [1]. */
static bool fold_meets(const vec *t, const vec *u) {
    vec e = minus(t[1], t[0]), n = cross(e, minus(t[2], t[0])), m = cross(e, minus(u[2], u[0]));
    return zero(cross(n, m)) && dot(n, m) > 0;
}

static vec random_vec(uint64_t n, uint64_t k, uint64_t range) {
    uint64_t r = rvi_random(7, n, k);
    return (vec){(long long)(r % range), (long long)(r / 97 % range),
                 (long long)(r / 9409 % range)};
}

static void pairs_are_judged_as_by_other_mathematics(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    size_t met[3] = {0}, apart[3] = {0};
    sketch s = {.vertices = 6, .count = 2};
    rv_mesh *mesh = mesh_of(ctx, &s);
    rvi_spot spots[6];
    rvi_lattice l = {.ctx = ctx, .mesh = mesh, .spots = spots};
    for (uint64_t n = 0; n < 200000; n++) {
        uint64_t range = n % 2 ? 4 : 12;
        size_t shared = n % 3;
        vec p[6];
        for (uint64_t k = 0; k < 6; k++)
            p[k] = random_vec(n, k, range);
        for (size_t k = 0; k < shared; k++)
            p[3 + k] = p[k];
        if (zero(cross(minus(p[1], p[0]), minus(p[2], p[0]))) ||
            zero(cross(minus(p[4], p[3]), minus(p[5], p[3]))))
            continue;
        for (uint32_t k = 0; k < 6; k++) {
            spots[k] = (rvi_spot){p[k].x, p[k].y, p[k].z};
            uint32_t turn = k < 3 ? (k + (uint32_t)n) % 3 : 3 + (k + (uint32_t)(n / 3)) % 3;
            mesh->corners[turn] = k >= 3 && k - 3 < shared ? k - 3 : k;
        }
        bool want = shared == 0   ? !apart_by_planes(p, p + 3)
                    : shared == 1 ? angles_meet(p, p + 3)
                                  : fold_meets(p, p + 3);
        bool got = rvi_faces_meet(&l, 0, 1), again = rvi_faces_meet(&l, 1, 0);
        if (got != want || again != want)
            fail_msg("pair %d: %d and %d, but %d is right", (int)n, got, again, want);
        (want ? met : apart)[shared]++;
    }
    for (int i = 0; i < 3; i++) {
        assert_greater(met[i], 500);
        assert_greater(apart[i], 500);
    } /* both answers were asked for */
    rv_mesh_destroy(mesh);
    rv_context_destroy(ctx);
}

/* On spots that lie nearly or wholly in a plane, far from each other. */
static void signs_are_exact_near_planes(void **state) {
    (void)state;
    size_t signs[3] = {0};
    for (uint64_t n = 0; n < 100000; n++) {
        rvi_spot p[4];
        for (uint64_t k = 0; k < 3; k++) {
            uint64_t most = (uint64_t)RVI_LATTICE_MOST;
            p[k].x = (int64_t)(rvi_random(8, n, 3 * k) % most) - RVI_LATTICE_MOST / 2;
            p[k].y = (int64_t)(rvi_random(8, n, 3 * k + 1) % most) - RVI_LATTICE_MOST / 2;
            p[k].z = (int64_t)(rvi_random(8, n, 3 * k + 2) % most) - RVI_LATTICE_MOST / 2;
        }
        /* In the plane, by a parallelogram, and then a step or none above or below it. */
        int off = (int)(n % 3) - 1;
        p[3] = (rvi_spot){p[1].x + p[2].x - p[0].x, p[1].y + p[2].y - p[0].y,
                          p[1].z + p[2].z - p[0].z + off};
        rvi_flat a = rvi_flat_of(p[0], 2), b = rvi_flat_of(p[1], 2), c = rvi_flat_of(p[2], 2);
        int want = off * rvi_turn_sign(a, b, c);
        assert_int_equal(rvi_side(p[0], p[1], p[2], p[3]), want);
        assert_int_equal(rvi_side(p[1], p[0], p[2], p[3]), -want);
        signs[want + 1]++;
    }
    assert_greater(signs[0], 1000);
    assert_greater(signs[1], 1000);
    assert_greater(signs[2], 1000);
}

/* ---- All pairs against the tree ---- */

static void every_pair_is_found(void **state) {
    (void)state;
    size_t compared = 0;
    for (uint64_t n = 0; n < 60; n++) {
        rv_context *one = support_context(1), *three = support_context(3);
        sketch s = {.vertices = 90};
        for (uint64_t v = 0; v < 90; v++) { /* small triangles here and there */
            vec p = random_vec(n + 1000, v, 30), at = random_vec(n + 2000, v / 3, 60 + 3 * n);
            s.points[v][0] = (double)(p.x + at.x);
            s.points[v][1] = (double)(p.y + at.y);
            s.points[v][2] = (double)(p.z + at.z) / 4;
        }
        for (uint32_t v = 0; v < 90; v += 3)
            add_face(&s, v, v + 1, v + 2);
        for (uint32_t v = 0; v < 60; v += 3) { /* some that hang on them */
            add_face(&s, v + 1, v, (v + 4) % 90);
            add_face(&s, v + 2, (v + 3) % 90, (v + 4) % 90);
        }
        faults found = check(one, &s), again = check(three, &s);
        assert_int_equal(found.count, again.count);
        rv_mesh *mesh = mesh_of(one, &s);
        rvi_lattice l;
        support_ok(one, rvi_lattice_create(mesh, &l));
        assert_equal(l.moved, 0.0);
        bool pairs[70][70] = {{false}};
        size_t count = 0, most = 0;
        for (size_t i = 0; i < found.count; i++) {
            assert_memory_equal(&found.list[i].at, &again.list[i].at, sizeof found.list[i].at);
            assert_int_equal(found.list[i].face, again.list[i].face);
            if (found.list[i].kind == RV_FAULT_CROSSING_FACES)
                pairs[found.list[i].face][found.list[i].other] = true;
        }
        for (size_t f = 0; f < 70; f++) {
            size_t here = 0;
            for (size_t g = 0; g < 70; g++) {
                bool meet = f != g && !rvi_face_flat(&l, f) && !rvi_face_flat(&l, g) &&
                            rvi_faces_meet(&l, f, g);
                here += meet;
                count += meet && f < g;
                assert_true(meet || !pairs[f][g]);
            }
            most = here > most ? here : most;
        }
        if (most <= 16)
            assert_int_equal(found.of[RV_FAULT_CROSSING_FACES], count);
        compared += most <= 16;
        rvi_lattice_destroy(&l);
        rv_mesh_destroy(mesh);
        rv_context_destroy(one);
        rv_context_destroy(three);
    }
    assert_greater_equal(compared, 20);
}

/* The finest lattice that reaches far enough moves no coordinate by more than half a step. */
static void rounding_is_small(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const double sizes[] = {0, 1e-320, 1e-30, 0.1, 1, 1234.5, 1e30, 1.7e308};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        sketch s = {.vertices = 0};
        add_tetrahedron(&s, 0, 0, 0, sizes[i], false);
        rv_mesh *mesh = mesh_of(ctx, &s);
        rvi_lattice l;
        support_ok(ctx, rvi_lattice_create(mesh, &l));
        assert_less_equal(llabs(l.spots[1].x), RVI_LATTICE_MOST);
        assert_true(sizes[i] < 1e-200 || llabs(l.spots[1].x) > RVI_LATTICE_MOST / 2);
        assert_less_equal(l.moved, l.step / 2);
        rvi_lattice_destroy(&l);
        faults found = {0};
        support_ok(ctx, rv_mesh_check(mesh, keep, &found));
        expect(&found, RV_FAULT_FLAT_FACE, sizes[i] < 1e-310 ? 4 : 0);
        rv_mesh_destroy(mesh);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_meshes_have_no_faults),
        cmocka_unit_test(faults_of_edges_are_found),
        cmocka_unit_test(faces_without_area_are_found),
        cmocka_unit_test(wrong_ways_out_are_found),
        cmocka_unit_test(what_touches_is_a_fault),
        cmocka_unit_test(what_cuts_itself_is_found),
        cmocka_unit_test(blocks_of_land_are_valid),
        cmocka_unit_test(pairs_are_judged_as_by_other_mathematics),
        cmocka_unit_test(signs_are_exact_near_planes),
        cmocka_unit_test(every_pair_is_found),
        cmocka_unit_test(rounding_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
