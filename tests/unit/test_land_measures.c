/* The measures of tests/land_measures.h on maps whose answer is known. */
#include "land_measures.h"

enum { SIDE = 96, CELLS = SIDE * SIDE };

/* Waves in one direction: all energy lies there. */
static land_evenness waves(double degrees) {
    static double map[CELLS];
    double angle = degrees * 3.14159265358979 / 180;
    for (int i = 0; i < CELLS; i++)
        map[i] = sin(0.3 * (i % SIDE * cos(angle) + i / SIDE * sin(angle)));
    return land_evenness_of(map, SIDE, SIDE);
}

static void test_evenness(void **state) {
    (void)state;
    const double ways[] = {0, 45, 90, 135, 180, 225, 315, -45};
    for (int i = 0; i < 8; i++) {
        land_evenness e = waves(ways[i]);
        bool diagonal = i % 2 == 1 || i >= 6;
        assert_near(e.diagonal, diagonal ? 4 : 0, 1e-9);
        assert_near(e.axis, diagonal ? 0 : 4, 1e-9);
    }
    land_evenness between = waves(22.5);
    assert_near(between.diagonal + between.axis, 0, 0.2);
    static double
        round[CELLS]; /* a cone leads everywhere; the measure leaves out the edges of a map */
    for (int i = 0; i < CELLS; i++)
        round[i] = fmin(hypot(i % SIDE - 47.5, i / SIDE - 47.5), 40);
    land_evenness even = land_evenness_of(round, SIDE, SIDE);
    assert_near(even.diagonal, 1, 0.02);
    assert_near(even.axis, 1, 0.02);
}

static void test_agreement(void **state) {
    (void)state;
    const double a[] = {1, 2, 3, 4}, b[] = {3, 5, 7, 9}, c[] = {4, 3, 2, 1};
    land_agreement same = land_agreement_of(a, a, 4, 10), line = land_agreement_of(a, b, 4, 10);
    assert_near(same.correlation, 1, 1e-12);
    assert_equal(same.difference, 0);
    assert_near(same.rms[0], sqrt(7.5), 1e-12);
    assert_near(line.correlation, 1, 1e-12);
    assert_near(line.difference, sqrt(54.0 / 4) / 10, 1e-12);
    assert_near(land_agreement_of(a, c, 4, 1).correlation, -1, 1e-12);
}

/* A step that adds the height of a place is the same at any cell size: block means agree. */
static void test_change_of_two_sizes(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    const char *step = "noise basis=perlin seed=2 mode=add relief=100";
    land_pair coarse = land_pair_make(ctx, "terrain size=64 cell=20 noise basis=perlin", step);
    land_pair fine = land_pair_make(ctx, "terrain size=128 cell=10 noise basis=perlin", step);
    land_agreement good = land_agreement_at(&coarse, &fine, 32, 100);
    assert_less(good.difference, 0.005);
    assert_greater(good.correlation, 0.999);
    land_pair other = land_pair_make(ctx, "terrain size=64 cell=20 noise basis=perlin",
                                     "noise basis=perlin seed=3 mode=add relief=100");
    assert_less(land_agreement_at(&other, &fine, 32, 100).correlation, 0.9);
    /* The block of 2 x 2 cells around the cell in the third row and column. */
    double *means = land_change(&coarse, 32), mean = 0;
    for (int y = 1; y <= 3; y++)
        for (int x = 1; x <= 3; x++) {
            int i = y * 64 + x;
            double part = (x == 2 ? 1 : 0.5) * (y == 2 ? 1 : 0.5);
            mean += part * ((double)coarse.after[i] - (double)coarse.before[i]) / 4;
        }
    assert_near(means[32 + 1], mean, 1e-9);
    free(means);
    land_pair_free(&coarse);
    land_pair_free(&fine);
    land_pair_free(&other);
    rv_context_destroy(ctx);
}

static void test_pits(void **state) {
    (void)state;
    float z[CELLS];
    for (int i = 0; i < CELLS; i++)
        z[i] = (float)(i % SIDE); /* falls to the west */
    assert_int_equal(land_pits(z, SIDE, SIDE, 0), 0);
    z[20 * SIDE + 40] = 20;                     /* 19 deep: it spills over 39 */
    z[60 * SIDE + 30] = z[60 * SIDE + 31] = 23; /* one pit of two cells, 6 deep */
    z[70 * SIDE + 50] = 46;                     /* 3 deep */
    z[SIDE * 10] = -9;                          /* at the edge: no pit */
    assert_int_equal(land_pits(z, SIDE, SIDE, 5), 2);
    assert_int_equal(land_pits(z, SIDE, SIDE, 2), 3);
    assert_int_equal(land_pits(z, SIDE, SIDE, 18.9), 1);
    assert_int_equal(land_pits(z, SIDE, SIDE, 19.1), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evenness),
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_change_of_two_sizes),
        cmocka_unit_test(test_pits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
