/* The wall index: the inside test against the winding number, at all kinds of points; and an index
 * whose faces were changed gives the same bits as a new one. */
#include "solid_shapes.h"

#include "base/random.h"
#include "water/wall_index.h"

#include <math.h>
#include <string.h>

static const double origin[3] = {0};
static const float box[3] = {1, 1, 1};

/* ---- Meshes ---- */

static rv_mesh *make_cube(rv_context *ctx) {
    return shape_block(ctx, (const double[3]){0.25, 0.25, 0.25},
                       (const double[3]){0.75, 0.75, 0.5});
}

/* A net of m by n quads that closes on itself both ways. */
static rv_mesh *make_ring(rv_context *ctx, size_t m, size_t n,
                          void (*place)(double u, double v, double out[3])) {
    rv_mesh *mesh = NULL;
    support_ok(ctx, rvi_mesh_create(ctx, m * n, 2 * m * n, false, &mesh));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            place((double)i / (double)m, (double)j / (double)n, mesh->points + 3 * (i * n + j));
            uint32_t a = (uint32_t)(i * n + j), b = (uint32_t)((i + 1) % m * n + j);
            uint32_t c = (uint32_t)((i + 1) % m * n + (j + 1) % n);
            uint32_t d = (uint32_t)(i * n + (j + 1) % n);
            const uint32_t two[6] = {a, b, c, a, c, d};
            memcpy(mesh->corners + 6 * (i * n + j), two, sizeof two);
        }
    return mesh;
}

static void place_torus(double u, double v, double out[3]) {
    double a = 2 * 3.14159265358979 * u, b = 2 * 3.14159265358979 * v, r = 0.3 + 0.12 * cos(b);
    out[0] = 0.5 + r * cos(a);
    out[1] = 0.5 + r * sin(a);
    out[2] = 0.5 + 0.12 * sin(b);
}

/* A pipe along x: v goes once around its section, outside there and inside back. */
static void place_tube(double u, double v, double out[3]) {
    double a = 2 * 3.14159265358979 * u;
    double x = v < 0.5 ? 0.1 + 1.6 * v : 0.9 - 1.6 * (v - 0.5);
    double r = v < 0.5 ? 0.35 : 0.25;
    out[0] = x;
    out[1] = 0.5 + r * cos(a);
    out[2] = 0.5 + r * sin(a);
}

/* A block of land with sides and a base that reach out of the box. */
static rv_mesh *make_land(rv_context *ctx) {
    rv_terrain *land = support_land(ctx, 24, 24, 0.05f);
    float heights[24 * 24];
    for (size_t i = 0; i < 24 * 24; i++)
        heights[i] = 0.2f + 0.4f * rvi_unit(rvi_random(7, i, 0));
    support_ok(ctx, rv_terrain_field_set(land, "height", heights));
    rv_mesh *mesh = NULL;
    support_ok(ctx, rvi_mesh_of_land(land, 0, 1, &mesh));
    rv_terrain_destroy(land);
    return mesh;
}

/* ---- Inside ---- */

static double nearest_plane(const rvi_wall_index *w, const float p[3]) {
    rvi_touch touch;
    return rvi_wall_index_nearest(w, p, w->reach, &touch) ? (double)touch.distance : 1;
}

static void check_point(const rvi_wall_index *w, const float p[3]) {
    if (nearest_plane(w, p) < 1e-6)
        return; /* on the surface either answer is right */
    if (rvi_wall_index_inside(w, p) != rvi_wall_index_winding(w, p))
        fail_msg("(%g, %g, %g) is %sside", (double)p[0], (double)p[1], (double)p[2],
                 rvi_wall_index_winding(w, p) ? "in" : "out");
}

/* Random points; corners of the mesh, and points that share some coordinates with them, which lie
 * in the planes of faces and on the lines of edges. */
static size_t check_inside(rv_context *ctx, const rv_mesh *mesh, float reach) {
    rvi_wall_index w;
    support_ok(ctx, rvi_wall_index_create(ctx, mesh, origin, box, reach, &w));
    size_t inside = 0;
    for (uint64_t n = 0; n < 1500; n++) {
        float p[3], q[3];
        size_t v = (size_t)(rvi_random(2, n, 0) % mesh->vertex_count);
        for (size_t i = 0; i < 3; i++) {
            p[i] = rvi_unit(rvi_random(1, n, i));
            bool same = rvi_random(3, n, i) % 2 == 0;
            q[i] = same ? (float)mesh->points[3 * v + i] : p[i];
        }
        check_point(&w, p);
        check_point(&w, q);
        inside += rvi_wall_index_inside(&w, p);
    }
    rvi_wall_index_destroy(&w);
    return inside;
}

static void inside_is_inside(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_mesh *meshes[] = {make_cube(ctx), make_ring(ctx, 24, 12, place_torus),
                         make_ring(ctx, 16, 12, place_tube), make_land(ctx)};
    for (size_t i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            const float reaches[] = {0.02f, 0.07f, 0.3f};
            size_t inside = check_inside(ctx, meshes[i], reaches[k]);
            assert_greater(inside, 30);
            assert_less(inside, 1400);
        }
    for (size_t i = 0; i < 4; i++)
        rv_mesh_destroy(meshes[i]);
    rv_context_destroy(ctx);
}

/* Of a cube the answer is known. */
static void cube_is_known(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_mesh *cube = make_cube(ctx);
    rvi_wall_index w;
    support_ok(ctx, rvi_wall_index_create(ctx, cube, origin, box, 0.03f, &w));
    for (uint64_t n = 0; n < 4000; n++) {
        float p[3];
        bool in = true, on = false;
        for (size_t i = 0; i < 3; i++) {
            float high = i == 2 ? 0.5f : 0.75f;
            p[i] = (float)(rvi_random(1, n, i) % 33) / 32; /* often on planes of the cube */
            in = in && p[i] > 0.25f && p[i] < high;
            on = on || p[i] == 0.25f || p[i] == high;
        }
        if (!on)
            assert_int_equal(rvi_wall_index_inside(&w, p), in);
        else if (!in && nearest_plane(&w, p) > 0.01)
            assert_false(rvi_wall_index_inside(&w, p));
    }
    rvi_wall_index_destroy(&w);
    rv_mesh_destroy(cube);
    rv_context_destroy(ctx);
}

/* ---- Changes ---- */

static rvi_wall_change change_of(const rv_mesh *mesh, size_t face) {
    rvi_wall_change c = {.face = (uint32_t)face};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 3; i++)
            c.at[k][i] = mesh->points[3 * (size_t)mesh->corners[3 * face + k] + i];
    return c;
}

static void compare_touches(const rvi_touch *a, const rvi_touch *b) {
    assert_int_equal(a->face, b->face);
    assert_memory_equal(&a->distance, &b->distance, sizeof a->distance);
    assert_memory_equal(a->away, b->away, sizeof a->away);
    assert_memory_equal(a->weights, b->weights, sizeof a->weights);
}

static void compare(const rvi_wall_index *a, const rvi_wall_index *b, uint64_t seed) {
    for (uint64_t n = 0; n < 200; n++) {
        float p[3], far[2] = {a->reach, b->reach}, shares[2][RVI_TOUCHES];
        for (size_t i = 0; i < 3; i++)
            p[i] = rvi_unit(rvi_random(seed, n, i));
        rvi_touch one, two, many[2][RVI_TOUCHES];
        bool found = rvi_wall_index_nearest(a, p, a->reach, &one);
        assert_int_equal(found, rvi_wall_index_nearest(b, p, b->reach, &two));
        if (found)
            compare_touches(&one, &two);
        assert_int_equal(found, rvi_wall_index_nearest_by(b, p, b->reach, (uint32_t)n % 50, &two));
        if (found)
            compare_touches(&one, &two);
        int count = rvi_wall_index_around(a, p, &far[0], many[0], shares[0]);
        assert_int_equal(count, rvi_wall_index_around(b, p, &far[1], many[1], shares[1]));
        for (int k = 0; k < count; k++)
            compare_touches(&many[0][k], &many[1][k]);
        assert_memory_equal(&far[0], &far[1], sizeof far[0]);
        assert_memory_equal(shares[0], shares[1], (size_t)count * sizeof(float));
        if (nearest_plane(a, p) > 1e-6) {
            assert_int_equal(rvi_wall_index_inside(a, p), rvi_wall_index_inside(b, p));
            assert_int_equal(rvi_wall_index_inside(a, p), rvi_wall_index_winding(a, p));
        }
    }
}

static void move_some(rv_mesh *mesh, uint64_t round, double far, uint8_t *moved) {
    memset(moved, 0, mesh->vertex_count);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (rvi_random(5, v, round) % 3 != 0)
            continue;
        moved[v] = 1;
        for (size_t i = 0; i < 3; i++)
            mesh->points[3 * v + i] += far * ((double)rvi_unit(rvi_random(round, v, i + 9)) - 0.5);
    }
}

/* An index whose faces have changed is as one that is made anew. */
static void change_and_compare(rv_context *ctx, rvi_wall_index *w, const rv_mesh *mesh,
                               const rvi_wall_change *changes, size_t count, uint64_t round) {
    rvi_wall_index anew;
    support_ok(ctx, rvi_wall_index_change(w, changes, count));
    support_ok(ctx, rvi_wall_index_create(ctx, mesh, origin, box, 0.04f, &anew));
    compare(w, &anew, round);
    rvi_wall_index_destroy(&anew);
}

static void moved_faces_are_found(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    const double distances[] = {0.001, 0.02, 0.05};
    for (int k = 0; k < 3; k++) {
        rv_mesh *mesh = make_ring(ctx, 24, 12, place_torus);
        rvi_wall_index w;
        support_ok(ctx, rvi_wall_index_create(ctx, mesh, origin, box, 0.04f, &w));
        uint8_t moved[24 * 12];
        rvi_wall_change changes[2 * 24 * 12];
        for (uint64_t round = 0; round < 12; round++) {
            size_t count = 0;
            move_some(mesh, round, distances[k], moved);
            for (size_t f = 0; f < mesh->face_count; f++) {
                const uint32_t *c = mesh->corners + 3 * f;
                if (moved[c[0]] || moved[c[1]] || moved[c[2]])
                    changes[count++] = change_of(mesh, f);
            }
            change_and_compare(ctx, &w, mesh, changes, count, round);
        }
        rvi_wall_index_destroy(&w);
        rv_mesh_destroy(mesh);
    }
    rv_context_destroy(ctx);
}

/* Each move is shorter than the slack, and all together are longer than the reach. */
static void faces_that_creep_are_found(void **state) {
    (void)state;
    static const int threads[] = {1, 3};
    for (int k = 0; k < 2; k++) {
        rv_context *ctx = support_context(threads[k]);
        rv_mesh *mesh = make_ring(ctx, 24, 12, place_torus);
        rvi_wall_index w;
        support_ok(ctx, rvi_wall_index_create(ctx, mesh, origin, box, 0.04f, &w));
        rvi_wall_change changes[2 * 24 * 12];
        for (uint64_t round = 0; round < 40; round++) {
            for (size_t v = 0; v < mesh->vertex_count; v++)
                for (size_t i = 0; i < 3; i++)
                    mesh->points[3 * v + i] += 0.002 * (double)rvi_unit(rvi_random(v, 3, i));
            for (size_t f = 0; f < mesh->face_count; f++)
                changes[f] = change_of(mesh, f);
            change_and_compare(ctx, &w, mesh, changes, mesh->face_count, round);
        }
        rvi_wall_index_destroy(&w);
        rv_mesh_destroy(mesh);
        rv_context_destroy(ctx);
    }
}

/* A face is divided into three with new numbers, far beyond those there were, and joined again.
 */
static void faces_come_and_go(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_mesh *one = make_cube(ctx);
    rvi_wall_index w, anew;
    support_ok(ctx, rvi_wall_index_create(ctx, one, origin, box, 0.05f, &w));
    rvi_wall_change changes[36];
    size_t count = 0;
    for (uint32_t f = 0; f < 12; f++) {
        rvi_wall_change whole = change_of(one, f);
        double middle[3];
        for (int i = 0; i < 3; i++)
            middle[i] = (whole.at[0][i] + whole.at[1][i] + whole.at[2][i]) / 3;
        for (uint32_t k = 0; k < 3; k++) {
            changes[count] = whole;
            changes[count].face = k == 0 ? f : 1000 + 2 * f + k;
            memcpy(changes[count++].at[k], middle, sizeof middle);
        }
    }
    support_ok(ctx, rvi_wall_index_change(&w, changes, count));
    support_ok(ctx, rvi_wall_index_create_of(ctx, changes, count, origin, box, 0.05f, &anew));
    compare(&w, &anew, 1);
    rvi_wall_index_destroy(&anew);
    for (size_t k = 0; k < count; k++) {
        changes[k].gone = changes[k].face >= 12;
        if (!changes[k].gone)
            changes[k] = change_of(one, changes[k].face);
    }
    support_ok(ctx, rvi_wall_index_change(&w, changes, count));
    support_ok(ctx, rvi_wall_index_create(ctx, one, origin, box, 0.05f, &anew));
    compare(&w, &anew, 2);
    rvi_wall_index_destroy(&anew);
    rvi_wall_index_destroy(&w);
    rv_mesh_destroy(one);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside_is_inside),      cmocka_unit_test(cube_is_known),
        cmocka_unit_test(moved_faces_are_found), cmocka_unit_test(faces_that_creep_are_found),
        cmocka_unit_test(faces_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
