/* Tessellation: near the water the faces become as small as asked for, the good scheme keeps them
 * well shaped, what it changes of the volume is known exactly, and the skin stays whole. */
#include "solid_shapes.h"

#include "base/random.h"
#include "solid/tessellate.h"

#include <stdio.h>

enum { CONTACTS = 400 };

/* The nearest of all faces, by looking at each. */
static void brute_nearest(const rvi_skin *s, rvi_contact *c) {
    double best = INFINITY;
    for (uint32_t f = 0; f < s->faces; f++) {
        if (!rvi_skin_has_face(s, f))
            continue;
        double p[3][3], middle = 0;
        for (int k = 0; k < 3; k++) {
            rvi_skin_place(s, s->corners[3 * (size_t)f + (size_t)k], p[k]);
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
    rvi_skin_nearest(s, c->at, &c->face, c->weights);
}

/* Particles over a patch of a sphere of radius 1, a little outside. */
static void drops_on_sphere(const rvi_skin *s, uint64_t seed, double height, rvi_contact *out) {
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

static double farthest_corner(const rvi_skin *s, const rvi_contact *c) {
    double most = 0;
    for (size_t k = 0; k < 3; k++) {
        double p[3], square = 0;
        rvi_skin_place(s, s->corners[3 * (size_t)c->face + k], p);
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
        rvi_skin *s = shape_skin(shape_sphere(ctx, 6));
        double limit = 0.06, first = rvi_skin_smallest_angle(s);
        rvi_tess_desc desc = rvi_tess_desc_default(limit);
        desc.scheme = schemes[i];
        rvi_tess_report report;
        rvi_wide before = rvi_skin_volume6(s);
        drops_on_sphere(s, 3, 0.02, contacts);
        support_ok(ctx, rvi_tessellate(s, &desc, contacts, CONTACTS, &report));
        assert_true(rvi_skin_volume6(s) - before == report.volume6);
        shape_check_arrays(s, 2);
        shape_check_mesh(s);
        angles[i] = rvi_skin_smallest_angle(s);
        printf("scheme %d: %zu faces, %zu splits %zu inserts %zu flips %zu refused %zu beyond, "
               "angle %.1f of %.1f\n",
               (int)schemes[i], s->live_faces, report.splits, report.inserts, report.flips,
               report.refused, report.beyond, angles[i], first);
        size_t beyond = 0;
        for (size_t c = 0; c < CONTACTS; c++)
            beyond += farthest_corner(s, &contacts[c]) > limit;
        assert_int_equal(beyond, report.beyond);
        if (schemes[i] != RVI_TESS_3_0)
            assert_int_equal(beyond, 0);
        rvi_skin_destroy(s);
    }
    assert_true(angles[0] > 20 && angles[0] > angles[1] && angles[3] < 5);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_come_near_and_faces_stay_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
