/* An edited mesh: whatever is done to it, it stays closed, manifold, the right way out and
 * meets itself nowhere, and its volume is known exactly. */
#include "solid_shapes.h"

#include "base/context.h"
#include "base/hash.h"
#include "base/random.h"

#include <stdio.h>

enum { SHAPES = 5 };

static rv_mesh *make_shape(rv_context *ctx, int which, long *euler) {
    *euler = which == 1 || which == 3 ? 0 : 2;
    rv_mesh *mesh;
    switch (which) {
    case 0:
        return shape_sphere(ctx, 6);
    case 1:
        return shape_torus(ctx, 20, 10, 0.4);
    case 2:
        return shape_box(ctx, 5, 5, 5);
    case 3:
        return shape_tube(ctx, 16);
    default:
        mesh = shape_box(ctx, 12, 12, 1);
        shape_scale(mesh, 1, 1, 0.001);
        return mesh;
    }
}

/* A half-edge of a live face. */
static uint32_t some_edge(const rvi_edit_mesh *s, uint64_t n) {
    uint32_t e = (uint32_t)(rvi_random(1, n, 0) % (3 * s->faces));
    while (s->edges.corners[e] == RVI_NONE)
        e = (e + 1) % (uint32_t)(3 * s->faces);
    return e;
}

static rvi_done some_operation(rvi_edit_mesh *s, uint64_t n, int *kind) {
    uint32_t e = some_edge(s, n);
    uint64_t dice = rvi_random(1, n, 1) % 100;
    double w = rvi_unit(rvi_random(1, n, 2)), u = rvi_unit(rvi_random(1, n, 3));
    double weights[3] = {w, (1 - w) * u, (1 - w) * (1 - u)};
    *kind = dice < 30 ? 0 : dice < 45 ? 1 : dice < 65 ? 2 : 3;
    switch (*kind) {
    case 0:
        return rvi_edit_split(s, e, NULL);
    case 1:
        return rvi_edit_insert(s, e / 3, weights, NULL);
    case 2:
        return rvi_edit_flip(s, e);
    default:
        return rvi_edit_collapse(s, e, (rvi_collapse_to)(n % 3));
    }
}

static void operations_keep_the_mesh_valid(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    size_t done[4] = {0}, refused[4] = {0};
    for (int shape = 0; shape < SHAPES; shape++) {
        long euler;
        rvi_edit_mesh *s = shape_edit(make_shape(ctx, shape, &euler));
        shape_check_arrays(s, euler);
        for (uint64_t n = 0; n < 600; n++) {
            int kind;
            rvi_wide before = rvi_edit_volume6(s);
            rvi_done result = some_operation(s, n + 10000 * (uint64_t)shape, &kind);
            (result == RVI_DONE ? done : refused)[kind]++;
            if (result == RVI_REFUSED)
                assert_true(before == rvi_edit_volume6(s));
            if (n % 50 == 0)
                shape_check_arrays(s, euler);
            if (n < 40 || n % 40 == 0)
                shape_check_mesh(s);
        }
        shape_check_arrays(s, euler);
        rvi_edit_destroy(s);
    }
    for (int kind = 0; kind < 4; kind++)
        if (done[kind] < 100)
            fail_msg("operation %d: %zu done, %zu refused", kind, done[kind], refused[kind]);
    assert_greater(refused[2], 50);
    assert_greater(refused[3], 50); /* both answers were asked for */
    rv_context_destroy(ctx);
}

/* All vertices in use. */
static size_t live_vertices(const rvi_edit_mesh *s, uint32_t *out) {
    size_t count = 0;
    for (uint32_t v = 0; v < s->vertices; v++)
        if (s->edges.leaving[v] != RVI_NONE)
            out[count++] = v;
    return count;
}

/* Random ways of up to `far` metres for all vertices. */
static size_t random_moves(rvi_edit_mesh *s, uint64_t n, double far, uint32_t *which,
                           double (*to)[3]) {
    size_t count = live_vertices(s, which);
    for (size_t i = 0; i < count; i++) {
        rvi_edit_place(s, which[i], to[i]);
        for (uint64_t k = 0; k < 3; k++)
            to[i][k] += far * (2.0 * rvi_unit(rvi_random(n, which[i], k)) - 1);
    }
    return count;
}

static uint32_t which[20000];
static double to[20000][3];

static void moves_keep_the_mesh_valid(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int shape = 0; shape < SHAPES; shape++) {
        long euler;
        rvi_edit_mesh *s = shape_edit(make_shape(ctx, shape, &euler));
        size_t refused = 0, asked = 0;
        for (uint64_t n = 0; n < 24; n++) {
            double far = n % 3 == 0 ? 0.01 : n % 3 == 1 ? 0.1 : 1;
            size_t stayed, count = random_moves(s, n, far, which, to);
            support_ok(ctx, rvi_edit_move(s, which, (const double(*)[3])to, count, &stayed));
            shape_check_arrays(s, euler);
            shape_check_mesh(s);
            refused += stayed;
            asked += count;
        }
        assert_greater(refused, 0);
        assert_less(refused, asked);
        assert_int_equal(s->refused_moves, refused);
        rvi_edit_destroy(s);
    }
    rv_context_destroy(ctx);
}

/* ---- Faces that would meet ---- */

/* Moves one vertex again and again; nothing meets, whatever happens. */
static void push(rvi_edit_mesh *s, uint32_t vertex, const double by[3], int times, long euler) {
    for (int n = 0; n < times; n++) {
        double at[1][3];
        rvi_edit_place(s, vertex, at[0]);
        for (int k = 0; k < 3; k++)
            at[0][k] += by[k];
        support_ok(s->ctx, rvi_edit_move(s, &vertex, (const double(*)[3])at, 1, NULL));
        shape_check_arrays(s, euler);
        shape_check_mesh(s);
    }
}

/* A vertex of a sphere is pushed through to the other side (figure 6.9 of the document). */
static void a_poke_stops_within(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_edit_mesh *s = shape_edit(shape_sphere(ctx, 6));
    uint32_t top = 0;
    for (uint32_t v = 0; v < s->vertices; v++)
        top = s->spots[v].z > s->spots[top].z ? v : top;
    double first[3], last[3];
    rvi_edit_place(s, top, first);
    push(s, top, (double[3]){0, 0, -2.5}, 40, 2);
    rvi_edit_place(s, top, last);
    assert_greater(last[2], -1);
    assert_less(last[2], -0.5); /* deep in, but not out again */
    assert_greater(s->refused_moves, 0);
    rvi_edit_destroy(s);
    rv_context_destroy(ctx);
}

/* Two meshes in one, the second moved by `x` and, where `hollow`, inside out. */
static rv_mesh *two_meshes(rv_mesh *a, rv_mesh *b, double x, double z, bool hollow) {
    rv_mesh *out;
    support_ok(a->ctx, rvi_mesh_create(a->ctx, a->vertex_count + b->vertex_count,
                                       a->face_count + b->face_count, false, &out));
    memcpy(out->points, a->points, 3 * a->vertex_count * sizeof *out->points);
    memcpy(out->corners, a->corners, 3 * a->face_count * sizeof *out->corners);
    for (size_t i = 0; i < 3 * b->vertex_count; i++)
        out->points[3 * a->vertex_count + i] = b->points[i] + (i % 3 == 0 ? x : i % 3 == 2 ? z : 0);
    for (size_t i = 0; i < 3 * b->face_count; i++) {
        size_t from = hollow && i % 3 > 0 ? i - i % 3 + 3 - i % 3 : i;
        out->corners[3 * a->face_count + i] = b->corners[from] + (uint32_t)a->vertex_count;
    }
    rv_mesh_destroy(a);
    rv_mesh_destroy(b);
    return out;
}

/* How far apart the vertices of the first `count` and the others are along x. */
static double gap_along_x(const rvi_edit_mesh *s, uint32_t count) {
    double left = -1e9, right = 1e9, p[3];
    for (uint32_t v = 0; v < s->vertices; v++) {
        rvi_edit_place(s, v, p);
        if (v < count)
            left = p[0] > left ? p[0] : left;
        else
            right = p[0] < right ? p[0] : right;
    }
    return right - left;
}

static void what_grows_together_stops_before_it_touches(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rvi_edit_mesh *s =
        shape_edit(two_meshes(shape_sphere(ctx, 6), shape_sphere(ctx, 6), 2.5, 0, false));
    uint32_t half = (uint32_t)s->vertices / 2;
    assert_int_equal(s->shells, 2);
    double gap = gap_along_x(s, half);
    for (int n = 0; n < 25; n++) { /* both grow away from their middles */
        size_t count = live_vertices(s, which);
        for (size_t i = 0; i < count; i++) {
            rvi_edit_place(s, which[i], to[i]);
            double middle = which[i] < half ? 0 : 2.5;
            for (int k = 0; k < 3; k++)
                to[i][k] += 0.03 * (to[i][k] - (k == 0 ? middle : 0));
        }
        support_ok(ctx, rvi_edit_move(s, which, (const double(*)[3])to, count, NULL));
        shape_check_arrays(s, 4);
        shape_check_mesh(s);
    }
    assert_less(gap_along_x(s, half), gap / 10);
    assert_greater(s->refused_moves, 0);
    rvi_edit_destroy(s);
    s = shape_edit(shape_tube(ctx, 16)); /* the bore closes */
    double volume = rvi_edit_volume(s);
    for (int n = 0; n < 40; n++) {
        size_t count = 0;
        for (uint32_t v = 0; v < s->vertices; v++) {
            rvi_edit_place(s, v, to[count]);
            if (v % 12 < 9 || v % 12 > 11) /* three of the twelve of the section are within */
                continue;
            to[count][0] *= 0.9;
            to[count][1] *= 0.9;
            which[count++] = v;
        }
        support_ok(ctx, rvi_edit_move(s, which, (const double(*)[3])to, count, NULL));
        shape_check_arrays(s, 0);
        shape_check_mesh(s);
    }
    assert_greater(rvi_edit_volume(s), 2 * volume);
    rvi_edit_destroy(s);
    rv_context_destroy(ctx);
}

/* ---- Shells ---- */

/* Six vertices, so thin in z that it passes through walls in one move. */
static rv_mesh *thin_octahedron(rv_context *ctx, double wide, double high) {
    rv_mesh *mesh;
    support_ok(ctx, rvi_mesh_create(ctx, 6, 8, false, &mesh));
    for (int i = 0; i < 6; i++)
        mesh->points[3 * i + i / 2] = (i % 2 ? -1 : 1) * (i / 2 == 2 ? high : wide);
    for (uint32_t f = 0; f < 8; f++) {
        uint32_t x = f & 1, y = 2 + (f >> 1 & 1), z = 4 + (f >> 2);
        bool odd = (f & 1) ^ (f >> 1 & 1) ^ (f >> 2);
        uint32_t corners[3] = {x, odd ? z : y, odd ? y : z};
        memcpy(mesh->corners + 3 * f, corners, sizeof corners);
    }
    return mesh;
}

/* Eight small ones come down on a large face whose vertices are to move, too, but may not: it meets
 * more than the test of one face writes down, far from each other. */
static void a_face_that_stays_meets_many(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_mesh *mesh = shape_box(ctx, 1, 1, 1);
    for (int i = 0; i < 8; i++)
        mesh = two_meshes(mesh, thin_octahedron(ctx, 0.03, 0.03), 0.2 * i - 0.7, 1.031, false);
    rvi_edit_mesh *s = shape_edit(mesh);
    memset(s->fixed, 1, 8);
    for (int n = 0; n < 4; n++) {
        size_t count = live_vertices(s, which);
        for (size_t i = 0; i < count; i++) {
            rvi_edit_place(s, which[i], to[i]);
            to[i][2] -= 0.01;
        }
        support_ok(ctx, rvi_edit_move(s, which, (const double(*)[3])to, count, NULL));
        shape_check_arrays(s, 18);
        shape_check_mesh(s);
    }
    rvi_edit_destroy(s);
    rv_context_destroy(ctx);
}

/* Nothing meets anything afterwards, and yet a hollow would be outside or a body inside out. */
static void nothing_passes_through(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_edit_mesh *s = shape_edit(
        two_meshes(shape_box(ctx, 1, 1, 1), thin_octahedron(ctx, 0.2, 0.001), 0, 0.99, true));
    uint32_t hollow[6];
    rvi_wide before = rvi_edit_volume6(s);
    for (uint32_t i = 0; i < 6; i++) {
        hollow[i] = 8 + i;
        rvi_edit_place(s, 8 + i, to[i]);
        to[i][2] += 0.02;
    }
    size_t refused;
    support_ok(ctx, rvi_edit_move(s, hollow, (const double(*)[3])to, 6, &refused));
    assert_int_equal(refused, 6);
    assert_true(rvi_edit_volume6(s) == before);
    shape_check_arrays(s, 4);
    shape_check_mesh(s);
    rvi_edit_destroy(s);
    s = shape_edit(thin_octahedron(ctx, 1, 0.001)); /* its poles change places */
    uint32_t poles[2] = {4, 5};
    for (int i = 0; i < 2; i++)
        rvi_edit_place(s, poles[1 - i], to[i]);
    support_ok(ctx, rvi_edit_move(s, poles, (const double(*)[3])to, 2, &refused));
    assert_greater(refused, 0);
    shape_check_arrays(s, 2);
    shape_check_mesh(s);
    rvi_edit_destroy(s);
    rv_context_destroy(ctx);
}

/* A peak with a small hollow in it cannot be joined away. */
static void operations_pass_over_nothing(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int hollow = 0; hollow < 2; hollow++) {
        rv_mesh *peak = shape_box(ctx, 2, 2, 1);
        uint32_t top = 0;
        for (uint32_t v = 0; v < peak->vertex_count; v++)
            if (peak->points[3 * v] == 0 && peak->points[3 * v + 1] == 0 &&
                peak->points[3 * v + 2] == 1)
                top = v;
        peak->points[3 * top + 2] = 2;
        if (hollow)
            peak = two_meshes(peak, thin_octahedron(ctx, 0.05, 0.05), 0, 1.4, true);
        rvi_edit_mesh *s = shape_edit(peak);
        uint32_t first = s->edges.leaving[top], e = first, joined = 0;
        do {
            uint32_t next = rvi_edge_around(&s->edges, e);
            if (rvi_edit_collapse(s, e, RVI_AT_END) == RVI_DONE) {
                joined = 1;
                break;
            }
            e = next;
        } while (e != first);
        assert_int_equal(joined, !hollow);
        shape_check_arrays(s, hollow ? 4 : 2);
        shape_check_mesh(s);
        rvi_edit_destroy(s);
    }
    rv_context_destroy(ctx);
}

/* ---- Limits ---- */

static void fixed_vertices_stay_and_the_lattice_ends(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_edit_mesh *s = shape_edit(shape_box(ctx, 1, 1, 1));
    s->fixed[0] = 1;
    rvi_spot stays = s->spots[0];
    double most = (double)RVI_LATTICE_MOST * s->step;
    for (int n = 0; n < 40; n++) { /* it grows until the lattice ends */
        size_t refused, count = live_vertices(s, which);
        for (size_t i = 0; i < count; i++) {
            rvi_edit_place(s, which[i], to[i]);
            for (int k = 0; k < 3; k++)
                to[i][k] *= 3;
        }
        support_ok(ctx, rvi_edit_move(s, which, (const double(*)[3])to, count, &refused));
        assert_greater(refused, 0);
    }
    assert_memory_equal(&stays, &s->spots[0], sizeof stays);
    double far = 0, p[3];
    for (uint32_t v = 0; v < 8; v++) {
        rvi_edit_place(s, v, p);
        for (int k = 0; k < 3; k++)
            far = fabs(p[k]) > far ? fabs(p[k]) : far;
    }
    assert_less_equal(far, most);
    assert_greater(far, most / 4);
    assert_greater_equal(most, 16);
    shape_check_arrays(s, 2);
    shape_check_mesh(s);
    uint32_t one = 5;
    double bad[1][3] = {{NAN, 0, 0}};
    size_t refused;
    rvi_wide before = rvi_edit_volume6(s);
    support_ok(ctx, rvi_edit_move(s, &one, (const double(*)[3])bad, 1, &refused));
    bad[0][0] = INFINITY;
    support_ok(ctx, rvi_edit_move(s, &one, (const double(*)[3])bad, 1, &refused));
    assert_true(refused == 1 && before == rvi_edit_volume6(s));
    memset(s->fixed, 1, s->vertices);
    for (uint32_t e = 0; e < 36; e++) {
        assert_equal(rvi_edit_split(s, e, NULL), RVI_REFUSED);
        assert_equal(rvi_edit_flip(s, e), RVI_REFUSED);
        assert_equal(rvi_edit_collapse(s, e, RVI_AT_END), RVI_REFUSED);
    }
    rvi_edit_destroy(s);
    rv_context_destroy(ctx);
}

static void what_is_no_solid_is_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_mesh *mesh = shape_box(ctx, 2, 2, 2);
    mesh->face_count--;
    rvi_edit_mesh *s;
    assert_int_equal(rvi_edit_create(mesh, &s), RV_ERROR_INPUT);
    assert_null(s);
    assert_non_null(strstr(rv_context_error(ctx), "has a face on one side only"));
    mesh->face_count++;
    rv_mesh_destroy(mesh);
    rv_context_destroy(ctx);
}

/* ---- The grid ---- */

typedef struct visits {
    uint8_t seen[20000];
    size_t count;
} visits;

static bool see(void *user, uint32_t face) {
    visits *v = user;
    assert_int_equal(v->seen[face], 0);
    v->seen[face] = 1;
    v->count++;
    return true;
}

/* Faces of all sizes, boxes of all sizes: found is what a look at each face finds. */
static void the_grid_finds_every_face(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_edit_mesh *s = shape_edit(shape_box(ctx, 1, 1, 1));
    for (uint64_t n = 0; n < 500; n++) /* ever finer in one corner */
        rvi_edit_split(s, some_edge(s, n) % (uint32_t)(6 + n), NULL);
    for (uint64_t n = 0; n < 500; n++) {
        visits v = {.count = 0};
        rvi_box box;
        size_t want = 0;
        rvi_spot p = s->spots[rvi_random(3, n, 0) % s->vertices];
        int32_t c[3] = {rvi_box_place(p.x), rvi_box_place(p.y), rvi_box_place(p.z)};
        for (uint64_t k = 0; k < 3; k++) {
            int32_t half = (int32_t)(rvi_random(3, n, 1 + k) >> (34 + rvi_random(3, n, 9) % 28));
            box.low[k] = c[k] > half ? c[k] - half : 0;
            box.high[k] = c[k] + half < (1 << 30) ? c[k] + half : 1 << 30;
        }
        rvi_grid_visit(&s->grid, &box, see, &v);
        for (uint32_t f = 0; f < s->faces; f++) {
            bool meets = rvi_boxes_meet(&s->grid.boxes[f], &box);
            assert_int_equal(v.seen[f], meets);
            want += meets;
        }
        assert_int_equal(v.count, want);
    }
    rvi_edit_destroy(s);
    rv_context_destroy(ctx);
}

/* ---- Threads, memory, cancelling ---- */

/* Moves and operations by turns. */
static rv_status live_a_little(rvi_edit_mesh *s, uint64_t rounds) {
    for (uint64_t n = 0; n < rounds; n++) {
        size_t count = random_moves(s, n, 0.05, which, to);
        rv_status status = rvi_edit_move(s, which, (const double(*)[3])to, count, NULL);
        for (uint64_t k = 0; k < 20 && status == RV_OK; k++) {
            int kind;
            if (some_operation(s, 100 * n + k, &kind) == RVI_NO_MEMORY)
                status = RV_ERROR_MEMORY;
        }
        if (status != RV_OK)
            return status;
    }
    return RV_OK;
}

static void threads_change_nothing(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    uint64_t hashes[4];
    for (int i = 0; i < 4; i++) {
        rv_context *ctx = support_context(threads[i]);
        rvi_edit_mesh *s = shape_edit(shape_torus(ctx, 24, 12, 0.4));
        support_ok(ctx, live_a_little(s, 8));
        rv_mesh *mesh;
        support_ok(ctx, rvi_edit_to_mesh(s, &mesh));
        hashes[i] = rvi_hash(mesh->points, 3 * mesh->vertex_count * sizeof *mesh->points,
                             rvi_hash(mesh->corners, 3 * mesh->face_count * sizeof *mesh->corners,
                                      s->refused_moves));
        rv_mesh_destroy(mesh);
        rvi_edit_destroy(s);
        rv_context_destroy(ctx);
        assert_equal(hashes[i], hashes[0]);
    }
}

/* Whichever allocation fails, the mesh is valid afterwards. */
static void memory_that_runs_out_leaves_a_valid_mesh(void **state) {
    (void)state;
    size_t failures = 0;
    for (long n = 0; n < 120; n++) {
        support_memory memory = {-1, 0};
        rv_context_desc desc = rv_context_desc_default();
        desc.threads = 1;
        desc.allocator = support_allocator(&memory);
        rv_context *ctx = NULL;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        rv_mesh *mesh = shape_box(ctx, 2, 2, 2);
        rvi_edit_mesh *s = NULL;
        if (n >= 40) /* then the edited mesh is there */
            support_ok(ctx, rvi_edit_create(mesh, &s));
        atomic_store(&memory.left, n >= 40 ? n - 40 : n);
        rv_status status = s != NULL ? live_a_little(s, 6) : rvi_edit_create(mesh, &s);
        atomic_store(&memory.left, -1);
        assert_true(status == RV_OK || status == RV_ERROR_MEMORY);
        failures += status != RV_OK;
        if (s != NULL) {
            shape_check_arrays(s, 2);
            shape_check_mesh(s);
        }
        rvi_edit_destroy(s);
        rv_mesh_destroy(mesh);
        rv_context_destroy(ctx);
        assert_int_equal(atomic_load(&memory.held), 0);
    }
    assert_greater(failures, 60);
}

static void cancelling_leaves_a_valid_mesh(void **state) {
    (void)state;
    for (int asks = 1; asks < 4; asks++) {
        int left = 1000000;
        rv_context *ctx = shape_impatient(&left);
        rvi_edit_mesh *s = shape_edit(shape_torus(ctx, 100, 40, 0.4));
        left = asks;
        rv_status status = RV_OK;
        for (uint64_t n = 0; status == RV_OK; n++) {
            size_t count = random_moves(s, n, 0.02, which, to);
            status = rvi_edit_move(s, which, (const double(*)[3])to, count, NULL);
        }
        assert_int_equal(status, RV_CANCELLED);
        left = 1000000;
        rvi_progress_begin(ctx, "the check");
        shape_check_arrays(s, 0);
        shape_check_mesh(s);
        rvi_edit_destroy(s);
        rv_context_destroy(ctx);
    }
}

/* ---- What changed ---- */

static void changes_are_told_once(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_edit_mesh *s = shape_edit(shape_box(ctx, 4, 4, 4));
    const uint32_t *faces;
    assert_int_equal(rvi_edit_changed(s, &faces), s->faces);
    assert_int_equal(rvi_edit_changed(s, &faces), 0);
    uint32_t twin = s->edges.twins[30];
    assert_int_equal(rvi_edit_split(s, 30, NULL), RVI_DONE);
    assert_int_equal(rvi_edit_changed(s, &faces), 4);
    assert_true(faces[0] == 10 || faces[1] == 10 || twin / 3 == faces[0]);
    assert_int_equal(faces[2], s->faces - 2);
    assert_int_equal(faces[3], s->faces - 1);
    uint32_t v = s->edges.corners[0];
    double at[1][3];
    rvi_edit_place(s, v, at[0]);
    for (int k = 0; k < 3; k++)
        at[0][k] *= 0.99;
    support_ok(ctx, rvi_edit_move(s, &v, (const double(*)[3])at, 1, NULL));
    size_t count = rvi_edit_changed(s, &faces), around = 0;
    for (uint32_t f = 0; f < s->faces; f++)
        for (uint32_t k = 0; k < 3; k++)
            around += s->edges.corners[3 * f + k] == v;
    assert_int_equal(count, around);
    rvi_edit_destroy(s);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_keep_the_mesh_valid),
        cmocka_unit_test(moves_keep_the_mesh_valid),
        cmocka_unit_test(a_poke_stops_within),
        cmocka_unit_test(what_grows_together_stops_before_it_touches),
        cmocka_unit_test(a_face_that_stays_meets_many),
        cmocka_unit_test(nothing_passes_through),
        cmocka_unit_test(operations_pass_over_nothing),
        cmocka_unit_test(fixed_vertices_stay_and_the_lattice_ends),
        cmocka_unit_test(what_is_no_solid_is_refused),
        cmocka_unit_test(the_grid_finds_every_face),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(memory_that_runs_out_leaves_a_valid_mesh),
        cmocka_unit_test(cancelling_leaves_a_valid_mesh),
        cmocka_unit_test(changes_are_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
