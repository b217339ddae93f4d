/* What is measured is what is there: surfaces and networks whose answer is known, land of which
 * nothing can be said, real elevation data, and noise. */
#include "support.h"

#include "base/random.h"
#include "measure/survey.h"
#include "terrain/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- land from a function ---- */

typedef double (*height_fn)(double x, double y); /* metres from the middle of the map */

static rv_terrain *make_land(rv_context *ctx, int width, int height, float cell, height_fn h) {
    rv_terrain *land = support_land(ctx, width, height, cell);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            land->surface[y * width + x] = (float)h((x - 0.5 * (width - 1)) * (double)cell,
                                                    (y - 0.5 * (height - 1)) * (double)cell);
    return land;
}

static rvi_survey *survey_of(const rv_terrain *land, uint32_t channel) {
    rvi_survey *survey;
    support_ok(land->ctx, rvi_survey_make(land, 0, channel, &survey));
    return survey;
}

static void near(double value, double want, double within) {
    if (!(fabs(value - want) <= within))
        fail_msg("%.9g is not within %g of %.9g", value, within, want);
}

/* ---- slope, curvature, heights ---- */

static double plane(double x, double y) {
    return 0.3 * x + 0.4 * y + 7.0;
}

static void a_tilted_plane(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_land(ctx, 61, 47, 5.0f, plane);
    rvi_survey *s = survey_of(land, 10);
    near(s->surface.slope.mean, 0.5, 1e-5);
    near(s->surface.slope.percentile[0], 0.5, 1e-4);
    near(s->surface.slope.percentile[4], 0.5, 1e-4);
    near(s->surface.curvature.mean, 0.0, 1e-6);
    near(s->surface.integral, 0.5, 1e-5);
    near(s->surface.curve[50], 0.5, 0.01);
    near(s->surface.curve[0], 1.0, 1e-9);
    near(s->surface.curve[100], 0.0, 1e-9);
    near(s->surface.mean, 7.0, 1e-4);
    near(s->ground.high - s->ground.low, 0.3 * 300 + 0.4 * 230, 1e-3);
    assert_equal(s->pits.fill, 0.0);
    assert_equal(s->pits.deep, 0.0);
    near(s->forms.share[6], 1.0, 0.0); /* nothing but slope */
    rvi_survey_free(ctx, s);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static double southwards(double x, double y) {
    (void)x;
    return -y;
}

/* Water runs side by side: each cell drains those north of it, so length is as area. */
static void parallel_streams(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = make_land(ctx, 40, 900, 1.0f, southwards);
    rvi_survey *s = survey_of(land, 100);
    near(s->network.hack, 1.0, 0.01);
    near(s->network.orders, 1, 0);
    assert_true(isnan(s->network.bifurcation) && isnan(s->network.length_ratio));
    near(s->concavity.limited.slope, 0.0, 1e-4); /* one slope for every area */
    near(s->concavity.eight.slope, 0.0, 1e-4);
    near(s->network.share, 38 * 800.0 / (40 * 900.0), 1e-9);
    rvi_survey_free(ctx, s);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static double cone(double x, double y) {
    return 1000.0 - 0.7 * sqrt(x * x + y * y);
}

static double bowl(double x, double y) {
    return (x * x + y * y) / (2 * 400.0);
}

static double sphere(double x, double y) {
    return sqrt(5000.0 * 5000.0 - x * x - y * y);
}

static void cone_bowl_and_sphere(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = make_land(ctx, 81, 81, 10.0f, cone);
    rvi_survey *s = survey_of(land, 50);
    near(s->surface.slope.percentile[2], 0.7, 0.001);
    near(s->surface.slope.percentile[0], 0.7, 0.007);
    near(s->surface.slope.percentile[4], 0.7, 0.007);
    assert_int_equal(s->forms.form[40 * 81 + 40], 2); /* a peak */
    assert_equal(s->pits.fill, 0.0);
    rvi_survey_free(ctx, s);
    rv_terrain_destroy(land);
    land = make_land(ctx, 81, 81, 10.0f, bowl); /* 1/R along both axes: 2/R, exactly */
    s = survey_of(land, 50);
    near(s->surface.curvature.percentile[0], 2 / 400.0, 1e-5);
    near(s->surface.curvature.percentile[4], 2 / 400.0, 1e-5);
    rvi_survey_free(ctx, s);
    rv_terrain_destroy(land);
    land = make_land(ctx, 41, 41, 10.0f, sphere); /* its cap is nearly such a bowl */
    s = survey_of(land, 50);
    near(s->surface.curvature.percentile[2], -2 / 5000.0, 2e-5);
    rvi_survey_free(ctx, s);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- landforms ---- */

static double pit(double x, double y) {
    return -cone(x, y);
}
static double ridge(double x, double y) {
    (void)y;
    return -fabs(x);
}
static double valley(double x, double y) {
    (void)y;
    return fabs(x);
}
static double level(double x, double y) {
    return 0.001 * x + 0.002 * y;
}
static double shoulder(double x, double y) {
    (void)y;
    return x > 0 ? -x : 0;
}
static double footslope(double x, double y) {
    (void)y;
    return x > 0 ? x : 0;
}
static double spur(double x, double y) {
    return -x - 0.5 * fabs(y);
}
static double hollow(double x, double y) {
    return -x + 0.5 * fabs(y);
}

static void ten_landforms(void **state) {
    (void)state;
    static const height_fn shapes[] = {level, cone,   ridge,     shoulder, spur,
                                       plane, hollow, footslope, valley,   pit};
    static const char *const names[] = {"flat",  "peak",   "ridge",     "shoulder", "spur",
                                        "slope", "hollow", "footslope", "valley",   "pit"};
    rv_context *ctx = support_context(2);
    for (int k = 0; k < RVI_LANDFORMS; k++) {
        rv_terrain *land = make_land(ctx, 51, 51, 30.0f, shapes[k]);
        rvi_ground ground;
        rvi_landforms forms;
        support_ok(ctx, rvi_ground_make(land, 0, &ground));
        support_ok(ctx, rvi_landforms_measure(&ground, 20, 1.0f, &forms));
        int form = forms.form[25 * 51 + 25];
        if (form != k + 1 || strcmp(rvi_landform_names[form], names[k]) != 0)
            fail_msg("a %s is taken for a %s", names[k], rvi_landform_names[form]);
        double sum = 0.0;
        for (int i = 1; i <= RVI_LANDFORMS; i++)
            sum += forms.share[i];
        near(sum, 1.0, 1e-12);
        assert_int_equal(forms.form[0], 0); /* corners see only three ways */
        rvi_landforms_free(&ground, &forms);
        rvi_ground_free(&ground);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* ---- slope over area ---- */

/* K A^m S^n = U everywhere, as rivers with uplift end up: S = ks A^-0.45 along the receivers. The
 * land is built up along a drainage, which then is that of the land, after some rounds. */
static rv_terrain *stream_power(rv_context *ctx, int size, double theta) {
    rv_terrain *land = support_land(ctx, size, size, 50.0f);
    for (int i = 0; i < size * size; i++)
        land->surface[i] = rvi_unit(rvi_random(9, (uint64_t)i, 0));
    for (int round = 0; round < 40; round++) {
        rvi_drainage d;
        support_ok(ctx, rvi_drainage_make(ctx, size, size, land->surface, NULL, &d));
        for (size_t k = 0; k < d.count; k++) {
            size_t i = d.order[k], to = d.receiver[i];
            size_t apart = i > to ? i - to : to - i;
            double length = apart == 0 ? 0 : apart == 1 || apart == (size_t)size ? 50.0 : 70.7107;
            double slope = 0.8 * pow(d.area[i], -theta);
            land->surface[i] = (float)((to == i ? 0.0 : land->surface[to]) + slope * length);
        }
        rvi_drainage_free(ctx, &d);
    }
    return land;
}

static void concavity_of_steady_rivers(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (double theta = 0.3; theta < 0.65; theta += 0.15) {
        rv_terrain *land = stream_power(ctx, 160, theta);
        rvi_survey *s = survey_of(land, 100);
        near(-s->concavity.limited.slope, theta, 0.02);
        assert_greater(s->concavity.limited.r2, 0.95);
        /* The other one is low, but not by more than a quarter. */
        assert_less(-s->concavity.eight.slope, theta);
        assert_greater(-s->concavity.eight.slope, 0.75 * theta);
        assert_less(s->pits.fill, 1e-6);
        assert_less(s->pits.uphill, 1e-3);
        rvi_survey_free(ctx, s);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* ---- networks by hand ---- */

/* A network on a map of one long row: cells next to each other in a stream, streams anywhere. */
enum { TREE = 4096 };

typedef struct tree {
    rvi_ground ground;
    rvi_drainage drainage;
    uint32_t receiver[TREE], order[TREE], area[TREE];
    float z[TREE], filled[TREE];
    unsigned char kind[TREE], counts[TREE];
} tree;

static tree *tree_make(rv_context *ctx) {
    tree *t = calloc(1, sizeof *t);
    memset(t->counts, 1, sizeof t->counts);
    t->ground = (rvi_ground){.ctx = ctx,
                             .width = TREE,
                             .height = 1,
                             .cell = 10.0,
                             .z = t->z,
                             .kind = t->kind,
                             .counts = t->counts,
                             .low = 0.0,
                             .high = 1.0};
    t->drainage = (rvi_drainage){.width = TREE,
                                 .height = 1,
                                 .filled = t->filled,
                                 .receiver = t->receiver,
                                 .order = t->order,
                                 .area = t->area};
    return t;
}

/* A stream of Strahler order w with `length` cells for order 1 and `growth` times as many for each
 * higher one; `branches` streams of the order below meet at its upper end. Cells are added from the
 * outlet up, so that receivers stand first; returns what it drains. */
static uint32_t grow(tree *t, uint32_t below, int order, int branches, int length, int growth) {
    int cells = length;
    for (int w = 1; w < order; w++)
        cells *= growth;
    uint32_t first = (uint32_t)t->drainage.count, last = first + (uint32_t)cells - 1, drained = 0;
    assert_less(last, TREE);
    for (uint32_t i = first; i <= last; i++) {
        t->receiver[i] = i == first ? below : i - 1;
        t->order[i] = i;
    }
    if (first == below)
        t->receiver[first] = first;
    t->drainage.count = last + 1;
    for (int b = 0; order > 1 && b < branches; b++)
        drained += grow(t, last, order - 1, branches, length, growth);
    for (uint32_t i = last + 1; i-- > first;)
        t->area[i] = ++drained;
    return drained;
}

static void hortons_ratios(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int branches = 2; branches <= 4; branches++)
        for (int growth = 1; growth <= 3; growth++) {
            tree *t = tree_make(ctx);
            rvi_network n;
            grow(t, 0, 4, branches, 6, growth);
            for (size_t i = t->drainage.count; i < TREE; i++)
                t->counts[i] = 0;
            t->ground.count = t->drainage.count;
            support_ok(ctx, rvi_network_measure(&t->ground, &t->drainage, 1, &n));
            assert_int_equal(n.orders, 4);
            double streams = 1.0, cells = 6.0 * growth * growth * growth;
            for (int w = 4; w >= 1; w--) {
                near(n.streams[w], streams, 0.0);
                /* One of the branches lies beside what it runs into, the others across a corner. */
                double out = w == 4 ? -1.0 : (branches - 1) * (sqrt(2.0) - 1) / branches;
                near(n.lengths[w], 10.0 * (cells + out), 1e-4);
                streams *= branches;
                cells /= growth;
            }
            near(n.bifurcation, branches, 1e-4);
            near(n.length_ratio, growth, 0.06 * growth);
            rvi_network_free(&t->ground, &n);
            free(t);
        }
    rv_context_destroy(ctx);
}

/* Two side streams join a stream of order 2 along its way: that makes no higher order. */
static void side_streams_do_not_count(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    tree *t = tree_make(ctx);
    rvi_network n;
    grow(t, 0, 2, 2, 5, 2);
    grow(t, 3, 1, 0, 5, 1);
    grow(t, 3, 1, 0, 5, 1);
    t->ground.count = t->drainage.count;
    for (size_t i = t->drainage.count; i < TREE; i++)
        t->counts[i] = 0;
    support_ok(ctx, rvi_network_measure(&t->ground, &t->drainage, 1, &n));
    assert_int_equal(n.orders, 2);
    near(n.streams[1], 4.0, 0.0);
    near(n.streams[2], 1.0, 0.0);
    assert_int_equal(n.order[0], 2);
    assert_int_equal(n.order[t->drainage.count - 1], 1);
    rvi_network_free(&t->ground, &n);
    free(t);
    rv_context_destroy(ctx);
}

/* In a perfect tree of single cells each higher one drains twice as much, and half as many do. */
static void exceedance_of_a_perfect_tree(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    tree *t = tree_make(ctx);
    double exponent, spread;
    double parts[TREE];
    grow(t, 0, 12, 2, 1, 1);
    assert_int_equal(t->drainage.count, TREE - 1);
    t->counts[TREE - 1] = 0;
    /* The line goes up to 1 % of the map: to 256 cells, far from the end of the tree. */
    t->ground.count = 25600;
    for (int i = 0; i < TREE; i++)
        parts[i] = t->area[i];
    support_ok(ctx, rvi_exceedance_measure(&t->ground, t->area, NULL, &exponent));
    support_ok(ctx, rvi_exceedance_measure(&t->ground, NULL, parts, &spread));
    near(exponent, 1.0, 0.03);
    assert_equal(exponent, spread);
    t->ground.count = TREE;
    support_ok(ctx, rvi_exceedance_measure(&t->ground, t->area, NULL, &exponent));
    assert_true(isfinite(exponent));
    t->ground.count = 1000;
    support_ok(ctx, rvi_exceedance_measure(&t->ground, t->area, NULL, &exponent));
    assert_true(isnan(exponent)); /* from 10 to 10 cells there is no line */
    free(t);
    rv_context_destroy(ctx);
}

/* ---- spectra ---- */

/* All waves that fit, with random phases and power as k^-b. */
static void add_waves(rv_terrain *land, double b, uint64_t seed) {
    enum { N = 64 };
    static float table[N];
    for (int i = 0; i < N; i++)
        table[i] = (float)cos(2 * 3.14159265358979 * i / N);
    for (int v = -N / 2 + 1; v < N / 2; v++)
        for (int u = 0; u < N / 2; u++) {
            if (u == 0 && v <= 0)
                continue;
            float size = (float)(100 * pow(u * u + v * v, -b / 4));
            int phase = (int)(rvi_random(seed, (uint64_t)(u + N), (uint64_t)(v + N)) % N);
            for (int y = 0; y < N; y++)
                for (int x = 0; x < N; x++)
                    land->surface[y * N + x] += size * table[(u * x + v * y + phase) & (N - 1)];
        }
}

static void spectral_slopes(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int b = 0; b <= 4; b += 2) {
        double sum = 0.0; /* there are few long waves, so that one land says little */
        for (uint64_t seed = 1; seed <= 6; seed++) {
            rv_terrain *land = support_land(ctx, 64, 64, 10.0f);
            rvi_ground ground;
            rvi_spectrum spectrum;
            add_waves(land, b, seed);
            support_ok(ctx, rvi_ground_make(land, 0, &ground));
            support_ok(ctx, rvi_spectrum_measure(&ground, &spectrum));
            assert_int_equal(spectrum.window, 64);
            sum += spectrum.slope / 6;
            rvi_ground_free(&ground);
            rv_terrain_destroy(land);
        }
        near(sum, b, 0.2 + 0.03 * b); /* the window lets some of the longest waves leak */
    }
    rv_terrain *land = support_land(ctx, 200, 300, 10.0f); /* white noise: the same for all k */
    for (int i = 0; i < 200 * 300; i++)
        land->surface[i] = rvi_unit(rvi_random(5, (uint64_t)i, 0));
    rvi_survey *s = survey_of(land, 100);
    assert_int_equal(s->spectrum.window, 128);
    near(s->spectrum.slope, 0.0, 0.3);
    near(s->surface.curvature.kurtosis, 3.0, 0.4); /* sums of many are nearly Gaussian */
    near(s->surface.curvature.skew, 0.0, 0.1);
    rvi_survey_free(ctx, s);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- distributions ---- */

static void distributions(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    enum { COUNT = 1001 };
    static float values[COUNT];
    rvi_distribution d;
    for (int i = 0; i < COUNT; i++) /* -500 ... 500 in a mixed order: 389 and 1001 share nothing */
        values[i] = (float)(i * 389 % COUNT - 500);
    support_ok(ctx, rvi_distribution_of(ctx, values, COUNT, &d));
    for (int i = 0; i < COUNT; i++)
        assert_equal(values[i], (float)(i - 500));
    near(d.mean, 0.0, 1e-9);
    near(d.skew, 0.0, 1e-9);
    near(d.kurtosis, 1.8, 0.001); /* of a uniform distribution */
    near(d.deviation, sqrt((COUNT * (double)COUNT - 1) / 12), 1e-6);
    for (int k = 0; k < RVI_PERCENTILES; k++)
        near(d.percentile[k], -500 + 10 * rvi_percentiles[k], 1e-6);
    float same[3] = {2.0f, 2.0f, 2.0f};
    support_ok(ctx, rvi_distribution_of(ctx, same, 3, &d));
    assert_equal(d.mean, 2.0);
    assert_true(isnan(d.skew));
    assert_true(isnan(d.kurtosis));
    support_ok(ctx, rvi_distribution_of(ctx, same, 0, &d));
    assert_true(isnan(d.mean) && isnan(d.percentile[2]));
    rvi_line_sums sums = {0};
    assert_true(isnan(rvi_line_fit(&sums, 2).slope));
    rvi_line_add(&sums, 1.0, 5.0, 1.0);
    rvi_line_add(&sums, 3.0, 9.0, 2.0);
    near(rvi_line_fit(&sums, 2).slope, 2.0, 1e-12);
    near(rvi_line_fit(&sums, 2).start, 3.0, 1e-12);
    near(rvi_line_fit(&sums, 2).r2, 1.0, 1e-12);
    assert_true(isnan(rvi_line_fit(&sums, 3).slope));
    rv_context_destroy(ctx);
}

/* ---- land of which little or nothing can be said ---- */

static const rv_figure *figure(const rv_terrain *land, const char *name) {
    for (int i = 0; i < rv_terrain_figure_count(land); i++)
        if (strcmp(rv_terrain_figure(land, i)->name, name) == 0)
            return rv_terrain_figure(land, i);
    fail_msg("there is no figure %s", name);
    return NULL;
}

static void measure(rv_terrain *land) {
    support_ok(land->ctx, rv_step_run(land, RV_STEP_measure, NULL, NULL));
    for (int i = 0; i < rv_terrain_figure_count(land); i++)
        if (isinf(rv_terrain_figure(land, i)->value))
            fail_msg("%s is infinite", rv_terrain_figure(land, i)->name);
}

static double nothing(double x, double y) {
    (void)x;
    (void)y;
    return 42.0;
}

static void flat_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = make_land(ctx, 90, 80, 10.0f, nothing);
    measure(land);
    static const char *const undefined[] = {
        "fill",          "deep_pits",          "channel_pits",   "channel_uphill",
        "concavity_8",   "concavity",          "area_exponent",  "area_exponent_dinf",
        "hack_exponent", "bifurcation_ratio",  "length_ratio",   "hypsometric_integral",
        "slope_skew",    "curvature_kurtosis", "spectral_slope", "drainage_density"};
    for (size_t i = 0; i < sizeof undefined / sizeof undefined[0]; i++)
        if (!isnan(figure(land, undefined[i])->value))
            fail_msg("%s of flat land is %g", undefined[i], figure(land, undefined[i])->value);
    near(figure(land, "relief")->value, 0.0, 0.0);
    near(figure(land, "slope_p95")->value, 0.0, 0.0);
    near(figure(land, "landform_flat")->value, 100.0, 0.0);
    near(figure(land, "river_checks_passed")->value, 0.0, 0.0);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void narrow_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const int sizes[][2] = {{1, 2}, {1, 500}, {500, 1}, {2, 2}, {2, 300}, {3, 3}, {5, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        rv_terrain *land = make_land(ctx, sizes[i][0], sizes[i][1], 10.0f, cone);
        measure(land);
        assert_true(isnan(figure(land, "concavity_8")->value));
        assert_true(isnan(figure(land, "spectral_slope")->value));
        assert_equal(isnan(figure(land, "fill")->value), sizes[i][0] < 3 || sizes[i][1] < 3);
        rv_measure_params p = rv_measure_params_default();
        p.border = 4096; /* nothing is left */
        support_ok(ctx, rv_step_run(land, RV_STEP_measure, &p, NULL));
        near(figure(land, "cells")->value, 0.0, 0.0);
        assert_true(isnan(figure(land, "relief")->value));
        assert_true(isnan(figure(land, "channel_share")->value));
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* ---- holes ---- */

static void write_floats(const char *path, const float *values, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(values, sizeof *values, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void holes_are_outlets_and_do_not_count(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { N = 33 };
    static float bowls[N * N];
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            bowls[y * N + x] = (float)bowl((x - 16) * 10.0, (y - 16) * 10.0);
    write_floats("bowl.r32", bowls, N * N);
    for (int y = 15; y <= 17; y++)
        for (int x = 15; x <= 17; x++)
            bowls[y * N + x] = NAN;
    bowls[0] = NAN;
    write_floats("holes.r32", bowls, N * N);
    rv_terrain *whole = support_run(ctx, "open bowl.r32 cell=10 holes=keep");
    measure(whole);
    assert_null(rv_terrain_field(whole, "hole"));
    assert_greater(figure(whole, "fill")->value, 10.0);
    rv_terrain *land = (rv_terrain *)ctx;
    assert_int_equal(rv_recipe_run_text(ctx, "open holes.r32 cell=10", NULL, &land),
                     RV_ERROR_INPUT);
    assert_non_null(strstr(rv_context_error(ctx), "row 0, column 0"));
    land = support_run(ctx, "open holes.r32 cell=10 holes=keep");
    const float *hole = rv_terrain_field(land, "hole"), *z = rv_terrain_field(land, "height");
    assert_non_null(hole);
    for (int i = 0; i < N * N; i++) {
        assert_equal(hole[i], isnan(bowls[i]) ? 1.0f : 0.0f);
        if (!isnan(bowls[i]))
            assert_equal(z[i], bowls[i]);
    }
    /* As high as the lowest cell around it, and each hole has its own. */
    assert_equal(z[16 * N + 16], bowls[16 * N + 14]);
    assert_equal(z[15 * N + 17], z[16 * N + 16]);
    assert_equal(z[0], bowls[N + 1]);
    measure(land);
    near(figure(land, "cells")->value, N * N - 10, 0.0);
    near(figure(land, "holes")->value, 10, 0.0);
    near(figure(land, "fill")->value, 0.0, 0.0); /* the bowl runs out through the hole */
    near(figure(land, "curvature_p5")->value, 2 / 400.0, 1e-5);
    near(figure(land, "curvature_p95")->value, 2 / 400.0, 1e-5); /* no edge of a hole is seen */
    rv_terrain_destroy(land);
    rv_terrain_destroy(whole);
    for (int i = 0; i < N * N; i++)
        bowls[i] = NAN;
    write_floats("holes.r32", bowls, N * N);
    assert_int_equal(rv_recipe_run_text(ctx, "open holes.r32 holes=keep", NULL, &land),
                     RV_ERROR_INPUT);
    rv_context_destroy(ctx);
}

/* ---- real land and noise ---- */

#ifdef RAVINE_PNG
static void real_land_passes_and_noise_does_not(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_measure_params all = rv_measure_params_default();
    all.require = "river_checks:5";
    static const char *const real[] = {"andes.png", "appalachian.png"};
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "open %s/tests/data/%s", RAVINE_SOURCE_DIR, real[i]);
        rv_terrain *land = support_run(ctx, text);
        support_ok(ctx, rv_step_run(land, RV_STEP_measure, &all, NULL));
        measure(land);
        near(figure(land, "spectral_slope")->value, 3.7, 0.7); /* 3.1 to 4.3 in real land */
        near(figure(land, "area_exponent")->value, 0.53, 0.1); /* 0.47 to 0.62 */
        near(figure(land, "hack_exponent")->value, 0.53, 0.12);
        near(figure(land, "bifurcation_ratio")->value, 4.5, 1.5);
        rv_terrain_destroy(land);
    }
    static const char *const noise[] = {"seed=1", "seed=2", "seed=3 shape=ridged", "seed=4 warp=1"};
    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "terrain size=256 cell=90 noise relief=2500 frequency=0.2 gain=0.5 %s", noise[i]);
        rv_terrain *land = support_run(ctx, text);
        measure(land);
        assert_less_equal(figure(land, "river_checks_passed")->value, 1.0);
        assert_int_equal(rv_step_run(land, RV_STEP_measure, &all, NULL), RV_ERROR_UNMET);
        assert_non_null(strstr(rv_context_error(ctx), "deep_pits"));
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}
#endif

/* Water does not care about the unit of heights and cells: river checks stay as they are. */
static void river_checks_have_no_unit(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_run(ctx, "terrain size=128 cell=16 noise seed=5 relief=1024");
    measure(land);
    rv_terrain *large = support_land(ctx, 128, 128, 64.0f);
    for (int i = 0; i < 128 * 128; i++)
        large->surface[i] = 8.0f * land->surface[i]; /* exact */
    measure(large);
    for (int i = 0; i < rv_terrain_figure_count(land); i++)
        if (rv_figure_is_check(rv_terrain_figure(land, i)))
            near(rv_terrain_figure(large, i)->value, rv_terrain_figure(land, i)->value, 1e-5);
    near(figure(large, "drainage_density")->value, figure(land, "drainage_density")->value / 4,
         1e-6);
    rv_terrain_destroy(large);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void what_is_required_must_be_understood(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = make_land(ctx, 40, 40, 10.0f, cone);
    rv_measure_params p = rv_measure_params_default();
    static const char *const wrong[] = {"river_checks",   "river_checks:",   "river_checks:0",
                                        "river_checks:6", "river_checks:55", "5"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        p.require = wrong[i];
        assert_int_equal(rv_step_run(land, RV_STEP_measure, &p, NULL), RV_ERROR_USAGE);
    }
    p.require = "river_checks:2"; /* a cone has no pits, and no channels to speak of */
    p.channel = 1000000;
    support_ok(ctx, rv_step_run(land, RV_STEP_measure, &p, NULL));
    p.require = "river_checks:3";
    assert_int_equal(rv_step_run(land, RV_STEP_measure, &p, NULL), RV_ERROR_UNMET);
    assert_non_null(strstr(rv_context_error(ctx), "2 of 5"));
    assert_non_null(strstr(rv_context_error(ctx), "channel_uphill is not defined"));
    assert_greater(rv_terrain_figure_count(land), 0); /* what was found is told all the same */
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tilted_plane),
        cmocka_unit_test(parallel_streams),
        cmocka_unit_test(cone_bowl_and_sphere),
        cmocka_unit_test(ten_landforms),
        cmocka_unit_test(concavity_of_steady_rivers),
        cmocka_unit_test(hortons_ratios),
        cmocka_unit_test(side_streams_do_not_count),
        cmocka_unit_test(exceedance_of_a_perfect_tree),
        cmocka_unit_test(spectral_slopes),
        cmocka_unit_test(distributions),
        cmocka_unit_test(flat_land),
        cmocka_unit_test(narrow_land),
        cmocka_unit_test(holes_are_outlets_and_do_not_count),
#ifdef RAVINE_PNG
        cmocka_unit_test(real_land_passes_and_noise_does_not),
#endif
        cmocka_unit_test(river_checks_have_no_unit),
        cmocka_unit_test(what_is_required_must_be_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
