/* Tessellation: near the water the faces become as small as asked for, the good scheme keeps them
 * well shaped, what it changes of the volume is known exactly, and the mesh stays valid. */
#include "solid_shapes.h"

#include "base/context.h"
#include "base/hash.h"
#include "base/random.h"
#include "mesh/tessellate.h"

enum { CONTACTS = 400 };

/* The nearest of all faces, by looking at each. */
static void brute_nearest(const rvi_edit_mesh *s, rvi_contact *c) {
    double best = INFINITY;
    for (uint32_t f = 0; f < s->faces; f++) {
        if (!rvi_edit_has_face(s, f))
            continue;
        double p[3][3], middle = 0;
        for (int k = 0; k < 3; k++) {
            rvi_edit_place(s, s->edges.corners[3 * (size_t)f + (size_t)k], p[k]);
        }
        for (int i = 0; i < 3; i++) {
            double m = (p[0][i] + p[1][i] + p[2][i]) / 3 - c->at[i];
            middle += m * m;
        }
        if (middle < best) {
            best = middle;
            c->face = f;
        }
    }
    rvi_edit_nearest(s, c->at, &c->face, c->weights);
}

/* Particles over a patch of a sphere of radius 1, a little outside. */
static void drops_on_sphere(const rvi_edit_mesh *s, uint64_t seed, double height,
                            rvi_contact *out) {
    for (uint64_t i = 0; i < CONTACTS; i++) {
        double *p = out[i].at, length = 0;
        p[0] = rvi_unit(rvi_random(seed, i, 0)) - 0.5;
        p[1] = rvi_unit(rvi_random(seed, i, 1)) - 0.5;
        p[2] = 1;
        for (int k = 0; k < 3; k++)
            length += p[k] * p[k];
        for (int k = 0; k < 3; k++)
            p[k] *= (1 + height) / sqrt(length);
        brute_nearest(s, &out[i]);
    }
}

static rvi_contact contacts[CONTACTS];

static double farthest_corner(const rvi_edit_mesh *s, const rvi_contact *c) {
    double most = 0;
    for (size_t k = 0; k < 3; k++) {
        double p[3], square = 0;
        rvi_edit_place(s, s->edges.corners[3 * (size_t)c->face + k], p);
        for (int i = 0; i < 3; i++)
            square += (p[i] - c->at[i]) * (p[i] - c->at[i]);
        most = square > most ? square : most;
    }
    return sqrt(most);
}

static void corners_come_near_and_faces_stay_good(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const rvi_tessellation schemes[] = {RVI_TESS_GOOD, RVI_TESS_4_2, RVI_TESS_4_4,
                                               RVI_TESS_3_0};
    double angles[4];
    for (int i = 0; i < 4; i++) {
        rvi_edit_mesh *s = shape_edit(shape_sphere(ctx, 6));
        double limit = 0.06, first = rvi_edit_smallest_angle(s);
        rvi_tess_desc desc = rvi_tess_desc_default(limit);
        desc.scheme = schemes[i];
        rvi_tess_report report;
        rvi_wide before = rvi_edit_volume6(s);
        drops_on_sphere(s, 3, 0.02, contacts);
        support_ok(ctx, rvi_tessellate(s, &desc, contacts, CONTACTS, &report));
        assert_true(rvi_edit_volume6(s) - before == report.volume6);
        shape_check_arrays(s, 2);
        shape_check_mesh(s);
        angles[i] = rvi_edit_smallest_angle(s);
        assert_greater(first, 25);
        assert_less(report.refused, report.splits + report.inserts);
        size_t beyond = 0;
        for (size_t c = 0; c < CONTACTS; c++)
            beyond += farthest_corner(s, &contacts[c]) > limit;
        assert_int_equal(beyond, report.beyond);
        if (schemes[i] != RVI_TESS_3_0)
            assert_int_equal(beyond, 0);
        rvi_edit_destroy(s);
    }
    assert_greater(angles[0], 20);
    assert_greater(angles[0], angles[1]);
    assert_less(angles[3], 5);
    rv_context_destroy(ctx);
}

/* Water over a part of the surface, frame after frame, wears it down unevenly; in the last third it
 * stands elsewhere. Sees that all stays as it should, and returns the least angle there ever was.
 */
static rv_status wear_down(rvi_edit_mesh *s, int frames, bool check, double *least) {
    static uint32_t which[3 * CONTACTS];
    static double to[3 * CONTACTS][3];
    rvi_tess_desc desc = rvi_tess_desc_default(0.12);
    desc.dry = 5;
    *least = 90;
    for (int n = 0; n < frames; n++) {
        rvi_tess_report report;
        rvi_wide before = rvi_edit_volume6(s);
        enum { COUNT = 100 };
        for (uint32_t i = 0; i < COUNT; i++) {
            rvi_contact *c = &contacts[i];
            uint64_t r = rvi_random(4, i, (uint64_t)n);
            c->at[0] = 0.8 * rvi_unit(r) - 0.4 + (n > 2 * frames / 3 ? 0.4 : 0);
            c->at[1] = 0.8 * rvi_unit(r << 24) - 0.4;
            c->at[2] = 1;
            c->face = s->edges.leaving[s->edges.corners[s->edges.twins[0]]] / 3;
            while (rvi_edit_nearest(s, c->at, &c->face, c->weights) > 0.04 * 0.04 && c->at[2] > 0)
                c->at[2] -= 0.01; /* down to the surface */
        }
        rv_status status = rvi_tessellate(s, &desc, contacts, COUNT, &report);
        if (status != RV_OK)
            return status;
        assert_true(rvi_edit_volume6(s) - before == report.volume6);
        assert_int_equal(report.beyond, 0);
        size_t count = 0;
        for (uint32_t i = 0; i < 3 * COUNT; i++) {
            uint32_t v = s->edges.corners[3 * (size_t)contacts[i / 3].face + i % 3];
            bool named = false;
            for (size_t k = 0; k < count && !named; k++)
                named = which[k] == v;
            if (named)
                continue;
            rvi_edit_place(s, v, to[count]);
            to[count][2] -= 0.006 * rvi_unit(rvi_random(5, v, (uint64_t)n));
            which[count++] = v;
        }
        status = rvi_edit_move(s, which, (const double(*)[3])to, count, NULL);
        if (status != RV_OK)
            return status;
        if (check && n % 10 == 0) {
            double angle = rvi_edit_smallest_angle(s);
            *least = angle < *least ? angle : *least;
            shape_check_arrays(s, 2);
            shape_check_mesh(s);
        }
    }
    return RV_OK;
}

static void worn_faces_stay_good(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rvi_edit_mesh *s = shape_edit(shape_sphere(ctx, 12));
    double volume = rvi_edit_volume(s), angle;
    support_ok(ctx, wear_down(s, 120, true, &angle));
    assert_greater(angle, 15);
    assert_less(rvi_edit_volume(s), 0.99 * volume);
    assert_less(s->live_faces, 6000);
    rvi_edit_destroy(s);
    rv_context_destroy(ctx);
}

/* A cube of twelve faces and a thin sheet: drops at one corner make it fine there alone, and after
 * they have gone nearly everything is joined again; flat sides keep the volume to rounding. */
static void coarse_solids_become_fine_and_coarse_again(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int thin = 0; thin < 2; thin++) {
        rv_mesh *mesh = shape_box(ctx, 1, 1, 1);
        shape_scale(mesh, 1, 1, thin ? 0.01 : 1);
        double top = thin ? 0.01 : 1;
        rvi_edit_mesh *s = shape_edit(mesh);
        rvi_tess_desc desc = rvi_tess_desc_default(0.05);
        desc.dry = 3;
        desc.coarse = 0.5;
        rvi_tess_report report;
        double volume = rvi_edit_volume(s);
        for (uint32_t i = 0; i < 50; i++) {
            contacts[i].at[0] = 0.7 + 0.2 * rvi_unit(rvi_random(6, i, 0));
            contacts[i].at[1] = 0.7 + 0.2 * rvi_unit(rvi_random(6, i, 1));
            contacts[i].at[2] = top + 0.01;
            brute_nearest(s, &contacts[i]);
        }
        support_ok(ctx, rvi_tessellate(s, &desc, contacts, 50, &report));
        assert_int_equal(report.beyond, 0);
        size_t fine = s->live_faces;
        assert_greater(fine, 100);
        assert_less(fine, 3000);
        shape_check_arrays(s, 2);
        shape_check_mesh(s);
        for (int n = 0; n < 300; n++)
            support_ok(ctx, rvi_tessellate(s, &desc, NULL, 0, &report));
        assert_less(s->live_faces, fine / 2);
        shape_check_arrays(s, 2);
        shape_check_mesh(s);
        assert_near(rvi_edit_volume(s), volume, 1e-8 * volume);
        rvi_edit_destroy(s);
    }
    rv_context_destroy(ctx);
}

static void threads_change_nothing(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    uint64_t hashes[4];
    for (int i = 0; i < 4; i++) {
        rv_context *ctx = support_context(threads[i]);
        rvi_edit_mesh *s = shape_edit(shape_sphere(ctx, 8));
        double angle;
        support_ok(ctx, wear_down(s, 12, false, &angle));
        rv_mesh *mesh;
        support_ok(ctx, rvi_edit_to_mesh(s, &mesh));
        hashes[i] = rvi_hash(mesh->points, 3 * mesh->vertex_count * sizeof *mesh->points,
                             rvi_hash(mesh->corners, 3 * mesh->face_count * sizeof *mesh->corners,
                                      rvi_hash(contacts, sizeof contacts, 1)));
        rv_mesh_destroy(mesh);
        rvi_edit_destroy(s);
        rv_context_destroy(ctx);
        assert_equal(hashes[i], hashes[0]);
    }
}

static void memory_that_runs_out_leaves_a_valid_mesh(void **state) {
    (void)state;
    size_t failures = 0;
    for (long n = 0; n < 40; n++) {
        support_memory memory = {-1, 0};
        rv_context_desc desc = rv_context_desc_default();
        desc.threads = 1;
        desc.allocator = support_allocator(&memory);
        rv_context *ctx = NULL;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        rvi_edit_mesh *s = shape_edit(shape_sphere(ctx, 4));
        double angle;
        atomic_store(&memory.left, n);
        rv_status status = wear_down(s, 3, false, &angle);
        atomic_store(&memory.left, -1);
        assert_true(status == RV_OK || status == RV_ERROR_MEMORY);
        failures += status != RV_OK;
        shape_check_arrays(s, 2);
        shape_check_mesh(s);
        rvi_edit_destroy(s);
        rv_context_destroy(ctx);
        assert_int_equal(atomic_load(&memory.held), 0);
    }
    assert_greater(failures, 20);
}

static void cancelling_leaves_a_valid_mesh(void **state) {
    (void)state;
    for (int asks = 1; asks < 4; asks++) {
        int left = 1000000;
        rv_context *ctx = shape_impatient(&left);
        rvi_edit_mesh *s = shape_edit(shape_sphere(ctx, 8));
        left = asks;
        double angle;
        rv_status status = wear_down(s, 100000, false, &angle);
        assert_int_equal(status, RV_CANCELLED);
        left = 1000000;
        rvi_progress_begin(ctx, "the check");
        shape_check_arrays(s, 2);
        shape_check_mesh(s);
        rvi_edit_destroy(s);
        rv_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_come_near_and_faces_stay_good),
        cmocka_unit_test(worn_faces_stay_good),
        cmocka_unit_test(coarse_solids_become_fine_and_coarse_again),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(memory_that_runs_out_leaves_a_valid_mesh),
        cmocka_unit_test(cancelling_leaves_a_valid_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
