/* The weights of brush.h against equation 5.9 of the thesis, written down plainly in doubles. */
#include "support.h"

#include <math.h>

#include "base/random.h"
#include "wear/brush.h"

enum { SIDE = 2 * RVI_BRUSH_RADIUS + 5, PLACES = 60 };

static const float radii[] = {1, 1.5f, 2, 3, 4, 6, 7.5f, 8, 17.3f, 31.99f, 32, 64};
enum { RADII = sizeof radii / sizeof radii[0] };

/* Large: 36 kB. */
static rvi_brush brush;
static float weights[RVI_BRUSH_RUNS * RVI_LANES];

/* Corners of the cell, its middle, places a hair beside the next cell, and random ones. */
static void place(int i, float *u, float *v) {
    static const float ends[] = {0, 0x1p-24f, 0.25f, 0.5f, 0.75f, 1 - 0x1p-24f};
    if (i < 36) {
        *u = ends[i % 6];
        *v = ends[i / 6];
        return;
    }
    *u = rvi_unit(rvi_random(1, (uint64_t)i, 0));
    *v = rvi_unit(rvi_random(1, (uint64_t)i, 1));
}

static double plain_weight(double radius, int dx, int dy, double u, double v) {
    double distance = sqrt((dx - u) * (dx - u) + (dy - v) * (dy - v));
    return distance < radius ? radius - distance : 0;
}

static double plain_sum(double radius, double u, double v) {
    double sum = 0;
    for (int dy = -SIDE / 2; dy <= SIDE / 2; dy++)
        for (int dx = -SIDE / 2; dx <= SIDE / 2; dx++)
            sum += plain_weight(radius, dx, dy, u, v);
    return sum;
}

/* The weight that the brush gives to a cell, and how often it names it. */
static double listed_weight(int dx, int dy, int *times) {
    double weight = 0;
    *times = 0;
    for (int i = 0; i < brush.run_count * RVI_LANES; i++)
        if (brush.dx[i] == (float)dx && brush.dy[i] == (float)dy) {
            weight += (double)weights[i];
            ++*times;
        }
    return weight;
}

static void weights_are_equation_5_9(void **state) {
    (void)state;
    double worst = 0, worst_sum = 0;
    for (int r = 0; r < RADII; r++) {
        double more = fmax(1, (double)radii[r] / 32); /* floats to add up along a side */
        rvi_brush_make(&brush, radii[r]);
        int far = (int)radii[r] + 2;
        int apart = (radii[r] > 10 ? 7 : 1) * (support_short() ? 5 : 1);
        for (int i = 0; i < PLACES; i += apart) {
            float u, v;
            place(i, &u, &v);
            double sum = (double)rvi_brush_weigh(&brush, u, v, weights);
            double want = plain_sum((double)radii[r], (double)u, (double)v);
            worst_sum = fmax(worst_sum, fabs(sum / want - 1) / more);
            for (int dy = -far; dy <= far; dy++)
                for (int dx = -far; dx <= far; dx++) {
                    int times;
                    double got = listed_weight(dx, dy, &times);
                    double w = plain_weight((double)radii[r], dx, dy, (double)u, (double)v);
                    if (times > 1 || (times == 0 && w > 0))
                        fail_msg("radius %g: cell (%d, %d) is listed %d times", (double)radii[r],
                                 dx, dy, times);
                    worst = fmax(worst, fabs(got / sum - w / want));
                }
        }
    }
    print_message("  largest error of a weight %.2g, of the sum %.2g\n", worst, worst_sum);
    assert_less(worst, 1e-6);
    assert_less(worst_sum, 1e-6);
}

/* Drops take from runs of eight cells in memory: lane k of a run must be the k-th cell, and lanes
 * that stand for no cell must take exactly nothing, wherever the drop is. */
static void lanes_are_cells_or_weigh_nothing(void **state) {
    (void)state;
    for (int r = 0; r < RADII; r++) {
        rvi_brush_make(&brush, radii[r]);
        assert_in_range(brush.run_count, 1, RVI_BRUSH_RUNS);
        for (int p = 0; p < PLACES; p++) {
            float u, v;
            place(p, &u, &v);
            float sum = rvi_brush_weigh(&brush, u, v, weights);
            double total = 0;
            for (int i = 0; i < brush.run_count * RVI_LANES; i++) {
                const rvi_run *run = &brush.runs[i / RVI_LANES];
                bool cell = brush.dx[i] == (float)(run->dx + i % RVI_LANES) &&
                            brush.dy[i] == (float)run->dy;
                if (!cell)
                    assert_equal(weights[i], 0);
                assert_greater_equal(weights[i], 0);
                assert_less_equal(weights[i], radii[r]);
                total += (double)weights[i];
            }
            assert_near(total / (double)sum, 1, 1e-6 * fmax(1, (double)radii[r] / 32));
        }
    }
}

/* Drops of two tiles run side by side only when their reaches cannot meet. */
static void reach_covers_every_lane(void **state) {
    (void)state;
    for (int r = 0; r < RADII; r++) {
        rvi_brush_make(&brush, radii[r]);
        for (int i = 0; i < brush.run_count; i++) {
            const rvi_run *run = &brush.runs[i];
            assert_greater_equal(run->dx, -brush.reach);
            assert_less_equal(run->dx + RVI_LANES - 1, brush.reach);
            assert_greater_equal(run->dy, -brush.reach);
            assert_less_equal(run->dy, brush.reach);
        }
    }
}

/* Turned by a quarter or mirrored, the disc is the same one. */
static void weights_have_the_symmetry_of_a_disc(void **state) {
    (void)state;
    for (int r = 0; r < RADII; r++) {
        rvi_brush_make(&brush, radii[r]);
        int far = (int)radii[r] + 1, times;
        for (int y = -far; y <= far; y += radii[r] > 10 ? 5 : 1)
            for (int x = -far; x <= far; x += radii[r] > 10 ? 5 : 1) {
                rvi_brush_weigh(&brush, 0.25f, 0.625f, weights);
                double w = listed_weight(x, y, &times);
                rvi_brush_weigh(&brush, 0.75f, 0.625f, weights);
                assert_equal(listed_weight(1 - x, y, &times), w);
                rvi_brush_weigh(&brush, 0.25f, 0.375f, weights);
                assert_equal(listed_weight(x, 1 - y, &times), w);
                rvi_brush_weigh(&brush, 0.625f, 0.25f, weights);
                assert_equal(listed_weight(y, x, &times), w);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_equation_5_9),
        cmocka_unit_test(lanes_are_cells_or_weigh_nothing),
        cmocka_unit_test(reach_covers_every_lane),
        cmocka_unit_test(weights_have_the_symmetry_of_a_disc),
    };
    return cmocka_run_group_tests_name("brush", tests, NULL, NULL);
}
