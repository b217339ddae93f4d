/* What faults must be: straight or round, with the profile that was asked for, in every direction.
 */
#include "support.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static rv_faults_params one_fault(int along, int profile) {
    rv_faults_params p = rv_faults_params_default();
    p.count = 1;
    p.along = along;
    p.profile = profile;
    p.relief = 100;
    p.width = 500;
    return p;
}

static rv_terrain *fault_land(rv_context *ctx, int width, int height, float cell,
                              const rv_faults_params *p) {
    rv_terrain *land = support_land(ctx, width, height, cell);
    support_ok(ctx, rv_step_run(land, RV_STEP_faults, p, NULL));
    return land;
}

static const float *heights(const rv_terrain *land) {
    return rv_terrain_field(land, "height");
}

/* Every kind of fault, same bits from any number of threads, all of the relief. */
static void test_threads_and_relief(void **state) {
    (void)state;
    for (int along = 0; along < RV_faults_along_COUNT; along++)
        for (int profile = 0; profile < RV_faults_profile_COUNT; profile++) {
            rv_faults_params p = one_fault(along, profile);
            p.count = 37;
            uint64_t hash = 0;
            const int threads[] = {1, 2, 3, 7};
            for (int i = 0; i < 4; i++) {
                rv_context *ctx = support_context(threads[i]);
                rv_terrain *land = fault_land(ctx, 300, 83, 20, &p);
                hash = i == 0 ? rv_terrain_hash(land) : hash;
                assert_equal(rv_terrain_hash(land), hash);
                float low = INFINITY, high = -INFINITY;
                for (int k = 0; k < 300 * 83; k++) {
                    low = fminf(low, heights(land)[k]);
                    high = fmaxf(high, heights(land)[k]);
                }
                assert_equal(low, 0);
                assert_equal(high, 100);
                rv_terrain_destroy(land);
                rv_context_destroy(ctx);
            }
        }
}

/* Where one step fault cuts between neighbours of a row or column; returns how many places. */
enum { N = 160, MOST = 4 * N };
static int cuts(const rv_terrain *land, double at[MOST][2]) {
    const float *h = heights(land);
    int count = 0;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            assert_true(h[y * N + x] == 0 || h[y * N + x] == 100);
            if (x > 0 && h[y * N + x] != h[y * N + x - 1] && count < MOST) {
                at[count][0] = x - 0.5;
                at[count++][1] = y;
            }
            if (y > 0 && h[y * N + x] != h[y * N + x - N] && count < MOST) {
                at[count][0] = x;
                at[count++][1] = y - 0.5;
            }
        }
    return count;
}

/* All cuts of a line lie within a cell of one straight line. */
static void test_lines_are_straight(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_faults_params p = one_fault(RV_faults_along_line, RV_faults_profile_step);
    static double at[MOST][2];
    for (p.seed = 1; p.seed <= 30; p.seed++) {
        rv_terrain *land = fault_land(ctx, N, N, 10, &p);
        int count = cuts(land, at);
        assert_greater(count, 0);
        assert_less(count, 2 * N);
        double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
        for (int i = 0; i < count; i++) {
            mx += at[i][0] / count;
            my += at[i][1] / count;
        }
        for (int i = 0; i < count; i++) {
            xx += (at[i][0] - mx) * (at[i][0] - mx);
            xy += (at[i][0] - mx) * (at[i][1] - my);
            yy += (at[i][1] - my) * (at[i][1] - my);
        }
        double direction = 0.5 * atan2(2 * xy, xx - yy);
        for (int i = 0; i < count; i++)
            assert_near((at[i][1] - my) * cos(direction), (at[i][0] - mx) * sin(direction), 1);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* Solves the normal equations of a circle x^2 + y^2 = a x + b y + c through the cuts (I. Kasa,
 * 1976). */
static void fit_circle(double at[MOST][2], int count, double *cx, double *cy, double *radius) {
    double m[3][4] = {{0}};
    for (int i = 0; i < count; i++) {
        double row[4] = {at[i][0], at[i][1], 1, at[i][0] * at[i][0] + at[i][1] * at[i][1]};
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                m[j][k] += row[j] * row[k];
    }
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            if (i != j) {
                double f = m[i][j] / m[j][j];
                for (int k = 0; k < 4; k++)
                    m[i][k] -= f * m[j][k];
            }
    *cx = m[0][3] / m[0][0] / 2;
    *cy = m[1][3] / m[1][1] / 2;
    *radius = sqrt(m[2][3] / m[2][2] + *cx * *cx + *cy * *cy);
}

static void test_circles_are_round(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_faults_params p = one_fault(RV_faults_along_circle, RV_faults_profile_step);
    static double at[MOST][2];
    int seen = 0, raised_inside = 0;
    for (p.seed = 1; p.seed <= 60; p.seed++) {
        rv_terrain *land = support_land(ctx, N, N, 10);
        support_ok(ctx, rv_step_run(land, RV_STEP_faults, &p, NULL));
        int count = cuts(land, at);
        if (count > 60) { /* enough of it is on the map */
            double cx, cy, radius;
            fit_circle(at, count, &cx, &cy, &radius);
            for (int i = 0; i < count; i++)
                assert_near(hypot(at[i][0] - cx, at[i][1] - cy), radius, 1.5);
            assert_greater(radius, 0.04 * N);
            assert_less(radius, 0.55 * N);
            int x = (int)fmin(fmax(cx, 0), N - 1), y = (int)fmin(fmax(cy, 0), N - 1);
            raised_inside += heights(land)[y * N + x] == 100;
            seen++;
        }
        rv_terrain_destroy(land);
    }
    assert_greater(seen, 20);
    assert_greater(raised_inside, seen / 5);
    assert_less(raised_inside, seen - seen / 5);
    rv_context_destroy(ctx);
}

/* Two faults displace by 1 and `shrink`: the four heights are their sums. */
static void test_displacement_shrinks(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_faults_params p = one_fault(RV_faults_along_line, RV_faults_profile_step);
    p.count = 2;
    p.shrink = 0.25f;
    const float want[] = {0, 20, 80, 100}; /* of 1.25 to either side */
    int seen = 0;
    for (p.seed = 1; p.seed <= 40; p.seed++) {
        rv_terrain *land = fault_land(ctx, N, N, 10, &p);
        int found[4] = {0};
        for (int i = 0; i < N * N; i++)
            for (int k = 0; k < 4; k++)
                found[k] |= fabsf(heights(land)[i] - want[k]) < 1e-3f;
        if (found[0] && found[1] && found[2] && found[3]) { /* they cross on the map */
            for (int i = 0; i < N * N; i++) {
                int known = 0;
                for (int k = 0; k < 4; k++)
                    known |= fabsf(heights(land)[i] - want[k]) < 1e-3f;
                assert_true(known);
            }
            seen++;
        }
        rv_terrain_destroy(land);
    }
    assert_greater(seen, 5);
    rv_context_destroy(ctx);
}

/* Any sum of waves of length w obeys lap h = -(2 pi / w)^2 (h - c). */
static void test_wave_length(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const int profiles[] = {RV_faults_profile_sin, RV_faults_profile_cos};
    for (int k = 0; k < 2; k++) {
        rv_faults_params p = one_fault(RV_faults_along_line, profiles[k]);
        p.count = 20;
        p.width = 400;
        rv_terrain *land = fault_land(ctx, N, N, 10, &p);
        double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
        for (int y = 1; y < N - 1; y++)
            for (int x = 1; x < N - 1; x++) {
                const float *at = heights(land) + y * N + x;
                double h = (double)at[0];
                double lap =
                    ((double)at[-1] + (double)at[1] + (double)at[-N] + (double)at[N] - 4 * h) / 100;
                n += 1;
                sx += h;
                sy += lap;
                sxx += h * h;
                sxy += h * lap;
                syy += lap * lap;
            }
        double cov = n * sxy - sx * sy, var = n * sxx - sx * sx;
        double wave = 2 * PI / sqrt(-cov / var);
        assert_near(wave / 400, 1, 0.01);
        assert_greater(cov * cov / (var * (n * syy - sy * sy)), 0.999);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static double slope_at(const float *at, int width, double cell) {
    double gx = (double)(at[1] - at[-1]), gy = (double)(at[width] - at[-width]);
    return sqrt(gx * gx + gy * gy) / (2 * cell);
}

/* atan: rises all the way, and where it is steepest by relief / (pi width) metres a metre. */
static void test_atan_profile(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_faults_params p = one_fault(RV_faults_along_line, RV_faults_profile_atan);
    p.width = 40;
    for (p.seed = 1; p.seed <= 10; p.seed++) {
        rv_terrain *land = fault_land(ctx, N, N, 10, &p);
        double steepest = 0;
        const float *h = heights(land);
        int up = 0, down = 0;
        for (int y = 1; y < N - 1; y++)
            for (int x = 1; x < N - 1; x++) {
                steepest = fmax(steepest, slope_at(h + y * N + x, N, 10));
                up += h[y * N + x] < h[y * N + x + 1];
                down += h[y * N + x] > h[y * N + x + 1];
            }
        assert_true(up == 0 || down == 0);
        double ratio = steepest / (100 / (PI * 40));
        assert_greater(ratio, 0.9);
        assert_less(ratio, 1.35); /* the map ends before atan does */
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* bump: sqrt(-log(1 - h)) is the distance in widths, whose slope is 1 / width everywhere. */
static void test_bump_profile(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_faults_params p = one_fault(RV_faults_along_line, RV_faults_profile_bump);
    p.width = 200;
    static float distance[N * N];
    int seen = 0;
    for (p.seed = 1; p.seed <= 10; p.seed++) {
        rv_terrain *land = fault_land(ctx, N, N, 10, &p);
        for (int i = 0; i < N * N; i++)
            distance[i] = (float)sqrt(-log(fmax(1e-9, 1 - (double)heights(land)[i] / 100)));
        for (int y = 1; y < N - 1; y++)
            for (int x = 1; x < N - 1; x++)
                if (distance[y * N + x] > 0.4f && distance[y * N + x] < 1.5f) {
                    assert_near(slope_at(distance + y * N + x, N, 10) * 200, 1, 0.03);
                    seen++;
                }
        rv_terrain_destroy(land);
    }
    assert_greater(seen, 10000);
    rv_context_destroy(ctx);
}

/* Directions of single waves fall evenly into bins; the axes lie in the middle of bins 0 and 4. */
static void test_every_direction_alike(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_faults_params p = one_fault(RV_faults_along_line, RV_faults_profile_sin);
    int bins[8] = {0}, seeds = 800;
    for (p.seed = 1; p.seed <= (uint64_t)seeds; p.seed++) {
        rv_terrain *land = fault_land(ctx, 48, 48, 20, &p);
        double xx = 0, xy = 0, yy = 0;
        for (int y = 1; y < 47; y++)
            for (int x = 1; x < 47; x++) {
                const float *at = heights(land) + y * 48 + x;
                double gx = (double)(at[1] - at[-1]), gy = (double)(at[48] - at[-48]);
                xx += gx * gx;
                xy += gx * gy;
                yy += gy * gy;
            }
        double angle = 0.5 * atan2(2 * xy, xx - yy) / PI + 1 + 1.0 / 16;
        bins[(int)((angle - floor(angle)) * 8) % 8]++;
        rv_terrain_destroy(land);
    }
    double chi = 0;
    for (int i = 0; i < 8; i++)
        chi += pow(bins[i] - seeds / 8.0, 2) / (seeds / 8.0);
    assert_less(chi, 18.5); /* 1 in 100 of fair draws is above */
    rv_context_destroy(ctx);
}

/* Many faults make land whose slopes prefer no direction either. */
static void test_no_preferred_axis(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int along = 0; along < RV_faults_along_COUNT; along++) {
        rv_faults_params p = one_fault(along, RV_faults_profile_atan);
        p.count = 60;
        p.width = 60;
        double all = 0, east = 0, diagonal = 0, cross = 0;
        for (p.seed = 1; p.seed <= 60; p.seed++) {
            rv_terrain *land = fault_land(ctx, 96, 96, 20, &p);
            for (int y = 1; y < 95; y++)
                for (int x = 1; x < 95; x++) {
                    const float *at = heights(land) + y * 96 + x;
                    double gx = (double)(at[1] - at[-1]), gy = (double)(at[96] - at[-96]);
                    double square = gx * gx + gy * gy + 1e-30;
                    double c = (gx * gx - gy * gy) / square, d = 2 * gx * gy / square;
                    all += square;
                    east += square * c;
                    diagonal += square * d;
                    cross += square * (c * c - d * d);
                }
            rv_terrain_destroy(land);
        }
        assert_less(fabs(east), 0.05 * all);
        assert_less(fabs(diagonal), 0.05 * all);
        assert_less(fabs(cross), 0.05 * all);
    }
    rv_context_destroy(ctx);
}

/* Set, add and multiply mean the same as with noise. */
static void test_modes(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_faults_params p = one_fault(RV_faults_along_line, RV_faults_profile_atan);
    rv_terrain *made = fault_land(ctx, 50, 40, 10, &p);
    for (int mode = 0; mode < RV_faults_mode_COUNT; mode++) {
        rv_terrain *land = support_land(ctx, 50, 40, 10), *before = support_land(ctx, 50, 40, 10);
        support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
        support_ok(ctx, rv_step_run(before, RV_STEP_noise, NULL, NULL));
        p.mode = mode;
        support_ok(ctx, rv_step_run(land, RV_STEP_faults, &p, NULL));
        for (int i = 0; i < 50 * 40; i++) {
            float h = heights(before)[i], f = heights(made)[i];
            float want = mode == RV_faults_mode_set   ? f
                         : mode == RV_faults_mode_add ? h + f
                                                      : h * f / 100;
            assert_near(heights(land)[i], want, 1e-3f);
        }
        rv_terrain_destroy(before);
        rv_terrain_destroy(land);
    }
    rv_terrain_destroy(made);
    rv_context_destroy(ctx);
}

/* A width of a hair on cells of 100 km: numbers all the same. */
static void test_extremes(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int along = 0; along < RV_faults_along_COUNT; along++)
        for (int profile = 0; profile < RV_faults_profile_COUNT; profile++) {
            rv_faults_params p = one_fault(along, profile);
            p.width = 0.1f;
            p.count = 5;
            rv_terrain *land = fault_land(ctx, 40, 30, 100000, &p);
            for (int i = 0; i < 1200; i++)
                assert_true(isfinite(heights(land)[i]));
            rv_terrain_destroy(land);
            p.width = 100000;
            land = fault_land(ctx, 1, 3, 0.001f, &p);
            for (int i = 0; i < 3; i++)
                assert_true(isfinite(heights(land)[i]));
            rv_terrain_destroy(land);
        }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_relief), cmocka_unit_test(test_lines_are_straight),
        cmocka_unit_test(test_circles_are_round),  cmocka_unit_test(test_displacement_shrinks),
        cmocka_unit_test(test_wave_length),        cmocka_unit_test(test_atan_profile),
        cmocka_unit_test(test_bump_profile),       cmocka_unit_test(test_every_direction_alike),
        cmocka_unit_test(test_no_preferred_axis),  cmocka_unit_test(test_modes),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
