/* What noise must be: the same land at any resolution, without lattice, seam or preferred axis. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static rv_terrain *noise_land(rv_context *ctx, int width, int height, float cell,
                              const rv_noise_params *p) {
    rv_terrain *land = support_land(ctx, width, height, cell);
    support_ok(ctx, rv_step_run(land, RV_STEP_noise, p, NULL));
    return land;
}

static const float *heights(const rv_terrain *land) {
    return rv_terrain_field(land, "height");
}

static size_t cells_of(const rv_terrain *land) {
    return (size_t)rv_terrain_width(land) * (size_t)rv_terrain_height(land);
}

/* Every basis, shape and warp there is: calls `check` with each. */
static void for_each_kind(void (*check)(rv_noise_params p)) {
    for (int basis = 0; basis < RV_noise_basis_COUNT; basis++)
        for (int shape = 0; shape < RV_noise_shape_COUNT; shape++)
            for (int warped = 0; warped < 2; warped++) {
                rv_noise_params p = rv_noise_params_default();
                p.basis = basis;
                p.shape = shape;
                p.warp = warped ? 0.5f : 0;
                check(p);
            }
}

static void check_relief(rv_noise_params p) {
    rv_context *ctx = support_context(2);
    p.relief = 1234.5f;
    rv_terrain *land = noise_land(ctx, 90, 70, 20, &p);
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < cells_of(land); i++) {
        low = fminf(low, heights(land)[i]);
        high = fmaxf(high, heights(land)[i]);
    }
    assert_equal(low, 0);
    assert_equal(high, 1234.5f);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_relief_is_met(void **state) {
    (void)state;
    for_each_kind(check_relief);
}

static void check_threads(rv_noise_params p) {
    uint64_t hash = 0;
    const int threads[] = {1, 2, 3, 7};
    for (int i = 0; i < 4; i++) {
        rv_context *ctx = support_context(threads[i]);
        rv_terrain *land = noise_land(ctx, 301, 150, 10, &p);
        hash = i == 0 ? rv_terrain_hash(land) : hash;
        assert_equal(rv_terrain_hash(land), hash);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
}

static void test_threads_do_not_matter(void **state) {
    (void)state;
    for_each_kind(check_threads);
}

/* Cells of 20 m lie on every second cell of 10 m. Octaves that both maps can show agree; only the
 * scale to `relief` differs, since a finer map finds higher summits. */
static void check_resolution(rv_noise_params p) {
    rv_context *ctx = support_context(2);
    p.octaves = 5;
    p.frequency = 1;
    p.crease = 40; /* two cells of 20 m: both can show it */
    rv_terrain *fine = noise_land(ctx, 257, 257, 10, &p);
    rv_terrain *coarse = noise_land(ctx, 129, 129, 20, &p);
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
    for (int y = 0; y < 129; y++)
        for (int x = 0; x < 129; x++) {
            double a = (double)heights(fine)[2 * y * 257 + 2 * x];
            double b = (double)heights(coarse)[y * 129 + x];
            n += 1;
            sx += a;
            sy += b;
            sxx += a * a;
            sxy += a * b;
            syy += b * b;
        }
    double cov = n * sxy - sx * sy, var = n * sxx - sx * sx, scale = cov / var;
    assert_near(scale, 1, 0.05);
    /* Beside that scale nothing differs: the correlation is 1 to the precision of floats. */
    assert_greater(cov * cov / (var * (n * syy - sy * sy)), 1 - 1e-9);
    rv_terrain_destroy(coarse);
    rv_terrain_destroy(fine);
    rv_context_destroy(ctx);
}

static void test_same_land_at_any_resolution(void **state) {
    (void)state;
    for_each_kind(check_resolution);
}

/* With all octaves, what one map cannot show is all that differs. */
static void test_detail_does_not_move_the_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *fine = noise_land(ctx, 513, 513, 5, NULL);
    rv_terrain *coarse = noise_land(ctx, 129, 129, 20, NULL);
    double worst = 0;
    for (int y = 0; y < 129; y++)
        for (int x = 0; x < 129; x++) {
            double a = (double)heights(fine)[4 * y * 513 + 4 * x];
            worst = fmax(worst, fabs(a - (double)heights(coarse)[y * 129 + x]));
        }
    assert_less(worst, 12); /* of 600 m */
    rv_terrain_destroy(coarse);
    rv_terrain_destroy(fine);
    rv_context_destroy(ctx);
}

/* An octave whose features are narrower than a cell is left out; one of no height changes nothing.
 */
static void test_octaves_that_cannot_be_seen(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_noise_params p = rv_noise_params_default();
    p.frequency = 2; /* 500 m: the seventh octave has 7.8 m */
    p.octaves = 6;
    rv_terrain *six = noise_land(ctx, 100, 100, 10, &p);
    p.octaves = 16;
    rv_terrain *many = noise_land(ctx, 100, 100, 10, &p);
    assert_equal(rv_terrain_hash(six), rv_terrain_hash(many));
    p.gain = 0;
    rv_terrain *flat_rest = noise_land(ctx, 100, 100, 10, &p);
    p.octaves = 1;
    rv_terrain *one = noise_land(ctx, 100, 100, 10, &p);
    assert_equal(rv_terrain_hash(flat_rest), rv_terrain_hash(one));
    rv_terrain_destroy(one);
    rv_terrain_destroy(flat_rest);
    rv_terrain_destroy(many);
    rv_terrain_destroy(six);
    rv_context_destroy(ctx);
}

/* Smooth to the second derivative: with cells half as large, second differences are a quarter. A
 * seam between lattice cells would not shrink so. */
static double roughest(rv_context *ctx, int size, float cell, rv_noise_params p) {
    p.octaves = 1;
    p.frequency = 1;
    rv_terrain *land = noise_land(ctx, size, size, cell, &p);
    const float *h = heights(land);
    double worst = 0;
    for (int y = 1; y < size - 1; y++)
        for (int x = 1; x < size - 1; x++) {
            const float *at = h + y * size + x;
            double across = (double)at[-1] + (double)at[1] - 2 * (double)at[0];
            double down = (double)at[-size] + (double)at[size] - 2 * (double)at[0];
            worst = fmax(worst, fmax(fabs(across), fabs(down)));
        }
    rv_terrain_destroy(land);
    return worst;
}

static void test_no_seams(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int basis = 0; basis < RV_noise_basis_COUNT; basis++) {
        rv_noise_params p = rv_noise_params_default();
        p.basis = basis;
        double ratio = roughest(ctx, 201, 20, p) / roughest(ctx, 401, 10, p);
        assert_greater(ratio, 3.5);
        assert_less(ratio, 4.5);
    }
    rv_context_destroy(ctx);
}

/* A crest is as wide as `crease` says, and of the same width in metres at any cell size: it is
 * smooth, too. Musgrave's crests have no width: second differences are only halved. */
static void test_creases_have_a_width(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const int shapes[] = {RV_noise_shape_ridged, RV_noise_shape_billow};
    for (int i = 0; i < 2; i++) {
        rv_noise_params p = rv_noise_params_default();
        p.shape = shapes[i];
        p.crease = 100;
        double round = roughest(ctx, 201, 20, p) / roughest(ctx, 401, 10, p);
        assert_greater(round, 3.3);
        assert_less(round, 4.5);
        p.crease = 0;
        double sharp = roughest(ctx, 201, 20, p) / roughest(ctx, 401, 10, p);
        assert_greater(sharp, 1.7);
        assert_less(sharp, 2.5);
    }
    rv_context_destroy(ctx);
}

/* What comes without a parameter is land: as steep as mountains are, with few slopes beyond 45
 * degrees and no lines of one cell, which would stand out in the second differences across it. */
static void check_first_try(int shape) {
    rv_context *ctx = support_context(2);
    rv_noise_params p = rv_noise_params_default();
    p.shape = shape;
    enum { SIDE = 384 };
    rv_terrain *land = noise_land(ctx, SIDE, SIDE, 10, &p);
    double sum = 0, steep = 0, lines = 0, count = (SIDE - 2) * (SIDE - 2);
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++) {
            const float *at = heights(land) + y * SIDE + x;
            double gx = (double)(at[1] - at[-1]) / 20, gy = (double)(at[SIDE] - at[-SIDE]) / 20;
            double angle = atan(hypot(gx, gy)) * 180 / 3.14159265358979;
            double across = fabs((double)(at[1] + at[-1] - 2 * at[0])) / 10; /* bend, in slope */
            double down = fabs((double)(at[SIDE] + at[-SIDE] - 2 * at[0])) / 10;
            sum += angle;
            steep += angle > 45;
            lines += fmax(across, down) > 0.5;
        }
    assert_greater(sum / count, 10);
    assert_less(sum / count, 25); /* was 32 to 42 */
    assert_less(steep / count, 0.02);
    assert_less(lines / count, 0.002);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_first_try(void **state) {
    (void)state;
    for (int shape = 0; shape < RV_noise_shape_COUNT; shape++)
        check_first_try(shape);
}

/* Sums over the slopes of a map: of squares, and of the second and fourth harmonic of their
 * direction, which are 0 when no direction is preferred. */
typedef struct slopes {
    double all, east, diagonal, cross, between; /* |g|^2 times 1, cos 2a, sin 2a, cos 4a, sin 4a */
} slopes;

static void add_slopes(slopes *s, const rv_terrain *land) {
    int width = rv_terrain_width(land), height = rv_terrain_height(land);
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const float *at = heights(land) + y * width + x;
            double gx = (double)(at[1] - at[-1]), gy = (double)(at[width] - at[-width]);
            double square = gx * gx + gy * gy;
            if (square == 0)
                continue;
            double c = (gx * gx - gy * gy) / square, d = 2 * gx * gy / square;
            s->all += square;
            s->east += square * c;
            s->diagonal += square * d;
            s->cross += square * (c * c - d * d);
            s->between += square * 2 * c * d;
        }
}

static void check_no_axis(rv_noise_params p) {
    rv_context *ctx = support_context(2);
    slopes s = {0};
    p.frequency = 2;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        p.seed = seed;
        rv_terrain *land = noise_land(ctx, 128, 128, 20, &p);
        add_slopes(&s, land);
        rv_terrain_destroy(land);
    }
    assert_less(fabs(s.east), 0.03 * s.all);
    assert_less(fabs(s.diagonal), 0.03 * s.all);
    /* A square lattice favours its own axes; turned lattices do not add up. */
    assert_less(fabs(s.cross), 0.05 * s.all);
    assert_less(fabs(s.between), 0.05 * s.all);
    rv_context_destroy(ctx);
}

static void test_no_preferred_axis(void **state) {
    (void)state;
    for_each_kind(check_no_axis);
}

/* How much the slopes of one octave favour directions that repeat `times` in a turn, whichever way
 * its lattice is turned: 0 not at all, 1 alone. */
static double favoured(const rv_terrain *land, int times) {
    int width = rv_terrain_width(land), height = rv_terrain_height(land);
    double all = 0, c = 0, s = 0;
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const float *at = heights(land) + y * width + x;
            double gx = (double)(at[1] - at[-1]), gy = (double)(at[width] - at[-width]);
            double angle = times * atan2(gy, gx);
            all += gx * gx + gy * gy;
            c += (gx * gx + gy * gy) * cos(angle);
            s += (gx * gx + gy * gy) * sin(angle);
        }
    return hypot(c, s) / all;
}

/* What later steps smooth shows the largest features alone: a lattice of squares, in whose gradient
 * noise directions are uneven by 0.1, would give them straight sides. Chance is 0.01 here. */
static void test_one_octave_has_no_direction(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_noise_params p = rv_noise_params_default();
    p.octaves = 1;
    p.frequency = 10; /* 100 m: 10 cells */
    const int times[] = {2, 4, 6, 8};
    for (int i = 0; i < 4; i++) {
        double sum = 0;
        for (uint64_t seed = 1; seed <= 6; seed++) {
            p.seed = seed;
            rv_terrain *land = noise_land(ctx, 700, 700, 10, &p);
            sum += favoured(land, times[i]) / 6;
            rv_terrain_destroy(land);
        }
        assert_less(sum, 0.03);
    }
    rv_context_destroy(ctx);
}

/* Gradient noise is 0 on its lattice points: along an axis-parallel lattice line rows would be
 * flatter at every wave length. The energy of rows and columns has no such rhythm. */
static double rhythm(const rv_terrain *land, bool columns, double period) {
    int width = rv_terrain_width(land), height = rv_terrain_height(land);
    int lines = columns ? width : height, along = columns ? height : width;
    double mean = 0;
    for (size_t i = 0; i < cells_of(land); i++)
        mean += (double)heights(land)[i] / (double)cells_of(land);
    double all = 0, c = 0, s = 0;
    for (int line = 0; line < lines; line++) {
        double energy = 0;
        for (int i = 0; i < along; i++) {
            int at = columns ? i * width + line : line * width + i;
            energy += pow((double)heights(land)[at] - mean, 2);
        }
        all += energy;
        c += energy * cos(2 * 3.14159265358979 * line / period);
        s += energy * sin(2 * 3.14159265358979 * line / period);
    }
    return sqrt(c * c + s * s) / all;
}

static void test_no_lattice_along_the_axes(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_noise_params p = rv_noise_params_default();
    p.octaves = 1;
    p.frequency = 5; /* 200 m: 20 cells */
    double sum = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        p.seed = seed;
        rv_terrain *land = noise_land(ctx, 600, 600, 10, &p);
        sum += rhythm(land, false, 20) + rhythm(land, true, 20);
        rv_terrain_destroy(land);
    }
    assert_less(sum / 16, 0.04); /* 0.18 with a lattice along the axes */
    rv_context_destroy(ctx);
}

/* Features are as wide as the frequencies say, on each axis. */
static void test_frequency(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_noise_params p = rv_noise_params_default();
    p.octaves = 1;
    p.frequency_x = 4;
    p.frequency_y = 1;
    double gx = 0, gy = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        p.seed = seed;
        rv_terrain *land = noise_land(ctx, 300, 300, 10, &p);
        for (int y = 1; y < 299; y++)
            for (int x = 1; x < 299; x++) {
                const float *at = heights(land) + y * 300 + x;
                gx += pow((double)(at[1] - at[-1]), 2);
                gy += pow((double)(at[300] - at[-300]), 2);
            }
        rv_terrain_destroy(land);
    }
    assert_near(sqrt(gx / gy), 4, 0.4);
    rv_context_destroy(ctx);
}

/* Ridged land is sharp where it is high, billowing land where it is low. */
static double sharpness(int shape) {
    rv_context *ctx = support_context(2);
    rv_noise_params p = rv_noise_params_default();
    p.shape = shape;
    p.octaves = 3;
    p.frequency = 2;
    rv_terrain *land = noise_land(ctx, 300, 300, 10, &p);
    double high = 0, low = 0;
    for (int y = 1; y < 299; y++)
        for (int x = 1; x < 299; x++) {
            const float *at = heights(land) + y * 300 + x;
            double bend = (double)at[-1] + (double)at[1] + (double)at[-300] + (double)at[300] -
                          4 * (double)at[0];
            high = fmax(high, -bend);
            low = fmax(low, bend);
        }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    return high / low;
}

static void test_shapes(void **state) {
    (void)state;
    assert_greater(sharpness(RV_noise_shape_ridged), 1.5);
    assert_less(sharpness(RV_noise_shape_billow), 1 / 1.5);
    double plain = sharpness(RV_noise_shape_plain);
    assert_greater(plain, 0.6);
    assert_less(plain, 1.6);
}

static void test_seeds_are_unrelated(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_noise_params p = rv_noise_params_default();
    p.frequency = 5;
    rv_terrain *a = noise_land(ctx, 400, 400, 10, &p);
    p.seed = 2;
    rv_terrain *b = noise_land(ctx, 400, 400, 10, &p);
    double n = (double)cells_of(a), sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (size_t i = 0; i < cells_of(a); i++) {
        double x = (double)heights(a)[i], y = (double)heights(b)[i];
        sa += x;
        sb += y;
        saa += x * x;
        sbb += y * y;
        sab += x * y;
    }
    double r = (n * sab - sa * sb) / sqrt((n * saa - sa * sa) * (n * sbb - sb * sb));
    assert_less(fabs(r), 0.15);
    rv_terrain_destroy(b);
    rv_terrain_destroy(a);
    rv_context_destroy(ctx);
}

/* set replaces, add adds, multiply multiplies by 0 to 1. */
static void test_modes(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_noise_params p = rv_noise_params_default();
    p.relief = 300;
    rv_terrain *made = noise_land(ctx, 50, 40, 10, &p);
    for (int mode = 0; mode < RV_noise_mode_COUNT; mode++) {
        rv_noise_params base = rv_noise_params_default();
        base.seed = 99;
        rv_terrain *land = noise_land(ctx, 50, 40, 10, &base);
        rv_terrain *before = noise_land(ctx, 50, 40, 10, &base);
        p.mode = mode;
        support_ok(ctx, rv_step_run(land, RV_STEP_noise, &p, NULL));
        for (size_t i = 0; i < cells_of(land); i++) {
            float h = heights(before)[i], n = heights(made)[i];
            float want = mode == RV_noise_mode_set   ? n
                         : mode == RV_noise_mode_add ? h + n
                                                     : h * n / 300;
            assert_near(heights(land)[i], want, 1e-3f);
        }
        rv_terrain_destroy(before);
        rv_terrain_destroy(land);
    }
    rv_terrain_destroy(made);
    rv_context_destroy(ctx);
}

/* Features far narrower than a cell, a map of two cells, no relief: numbers all the same. */
static void test_extremes(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_noise_params p = rv_noise_params_default();
    p.frequency = 1000;
    p.warp = 4;
    p.lacunarity = 4;
    p.octaves = 16;
    rv_terrain *coarse = noise_land(ctx, 40, 30, 100000, &p);
    p.relief = 0;
    rv_terrain *flat = noise_land(ctx, 40, 30, 0.001f, &p);
    rv_terrain *tiny = noise_land(ctx, 2, 1, 10, NULL);
    for (size_t i = 0; i < cells_of(coarse); i++) {
        assert_true(isfinite(heights(coarse)[i]));
        assert_equal(heights(flat)[i], 0);
    }
    assert_true(isfinite(heights(tiny)[0]) && isfinite(heights(tiny)[1]));
    rv_terrain_destroy(tiny);
    rv_terrain_destroy(flat);
    rv_terrain_destroy(coarse);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relief_is_met),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_same_land_at_any_resolution),
        cmocka_unit_test(test_detail_does_not_move_the_land),
        cmocka_unit_test(test_octaves_that_cannot_be_seen),
        cmocka_unit_test(test_no_seams),
        cmocka_unit_test(test_creases_have_a_width),
        cmocka_unit_test(test_first_try),
        cmocka_unit_test(test_no_preferred_axis),
        cmocka_unit_test(test_one_octave_has_no_direction),
        cmocka_unit_test(test_no_lattice_along_the_axes),
        cmocka_unit_test(test_frequency),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_seeds_are_unrelated),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
