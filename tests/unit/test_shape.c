/* The steps that reshape or limit land, and the blur and sampling under them. */
#include "support.h"

#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"
#include "terrain/resample.h"
#include "terrain/smooth.h"
#include "terrain/state.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* Rough land in `low` to `high`, the same for the same seed. */
static void fill(float *values, size_t count, uint64_t seed, float low, float high) {
    for (size_t i = 0; i < count; i++)
        values[i] = low + (high - low) * rvi_unit(rvi_random(seed, i, 0));
}

static rv_terrain *rough_land(rv_context *ctx, int width, int height, float cell) {
    rv_terrain *land = support_land(ctx, width, height, cell);
    float *values = malloc(rvi_cells(land) * sizeof *values);
    fill(values, rvi_cells(land), 5, -100, 900);
    support_ok(ctx, rv_terrain_field_set(land, "height", values));
    free(values);
    return land;
}

static double sum_of(const float *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i];
    return sum;
}

static void range_of(const float *values, size_t count, float *low, float *high) {
    *low = *high = values[0];
    for (size_t i = 1; i < count; i++) {
        *low = fminf(*low, values[i]);
        *high = fmaxf(*high, values[i]);
    }
}

/* ---- blur ---- */

static rv_status smooth(rv_context *ctx, float *values, int width, int height, float sigma) {
    rvi_smoother s;
    rvi_buffers buffers = {.count = 0};
    rvi_smoother_prepare(&s, ctx, width, height, sigma, &buffers);
    rv_status status = rvi_buffers_alloc(&buffers, ctx);
    if (status == RV_OK)
        status = rvi_smoother_run(&s, values);
    rvi_buffers_free(&buffers, ctx);
    return status;
}

static void test_blur_keeps_the_sum(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const int sizes[][2] = {{67, 45}, {1, 33}, {33, 1}, {2, 2}, {16, 16}, {3, 200}};
    const float sigmas[] = {0.3f, 1, 2.7f, 9, 40, 1e4f, 1e8f};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t k = 0; k < sizeof sigmas / sizeof sigmas[0]; k++) {
            size_t count = (size_t)sizes[s][0] * (size_t)sizes[s][1];
            float *values = malloc(count * sizeof *values);
            fill(values, count, s, 0, 1000);
            double before = sum_of(values, count);
            support_ok(ctx, smooth(ctx, values, sizes[s][0], sizes[s][1], sigmas[k]));
            assert_less_equal(fabs(sum_of(values, count) - before), 1e-6 * before);
            free(values);
        }
    rv_context_destroy(ctx);
}

static void test_blur_leaves_flat_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    float values[40 * 30];
    for (int i = 0; i < 40 * 30; i++)
        values[i] = 1234.567f;
    const float sigmas[] = {7, 12, 90};
    for (int k = 0; k < 3; k++) {
        support_ok(ctx, smooth(ctx, values, 40, 30, sigmas[k]));
        for (int i = 0; i < 40 * 30; i++)
            assert_equal(values[i], 1234.567f);
    }
    /* Nor does far away land change it: what is flat for ten sigma is still flat there. */
    static float wide[400 * 20];
    for (int i = 0; i < 400 * 20; i++)
        wide[i] = i % 400 < 300 ? 1234.567f : 4321.0f + (float)(i % 7);
    support_ok(ctx, smooth(ctx, wide, 400, 20, 12));
    for (int i = 0; i < 400 * 20; i++)
        if (i % 400 < 180)
            assert_equal(wide[i], 1234.567f);
    rv_context_destroy(ctx);
}

/* The variance of what a single point becomes is sigma^2 on each axis. */
static void test_blur_has_its_sigma(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { N = 201 };
    static float values[N * N];
    const float sigmas[] = {0.2f, 0.5f, 1, 3, 10, 20};
    for (size_t k = 0; k < sizeof sigmas / sizeof sigmas[0]; k++) {
        memset(values, 0, sizeof values);
        values[(N / 2) * N + N / 2] = 1;
        support_ok(ctx, smooth(ctx, values, N, N, sigmas[k]));
        double across = 0, down = 0, want = (double)sigmas[k] * (double)sigmas[k];
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                double v = (double)values[y * N + x];
                across += v * (x - N / 2) * (x - N / 2);
                down += v * (y - N / 2) * (y - N / 2);
            }
        assert_near(across / want, 1, 0.04);
        assert_near(down / want, 1, 0.04);
    }
    rv_context_destroy(ctx);
}

/* Far wider than the map, a blur leaves only the mean. */
static void test_blur_ends_in_the_mean(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    float values[50 * 20];
    fill(values, 50 * 20, 9, 0, 1000);
    double mean = sum_of(values, 50 * 20) / (50 * 20);
    support_ok(ctx, smooth(ctx, values, 50, 20, 1e6f));
    for (int i = 0; i < 50 * 20; i++)
        assert_near((double)values[i], mean, 0.1);
    rv_context_destroy(ctx);
}

static void test_blur_has_no_direction(void **state) {
    (void)state;
    rv_context *ctx = support_context(3);
    enum { W = 53, H = 38 };
    static float a[W * H], east[W * H], south[W * H];
    const float sigmas[] = {3.3f, 8.7f, 33.3f, 500};
    for (size_t k = 0; k < sizeof sigmas / sizeof sigmas[0]; k++) {
        fill(a, W * H, 2, -500, 500);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                east[y * W + x] = a[y * W + (W - 1 - x)];
                south[y * W + x] = a[(H - 1 - y) * W + x];
            }
        support_ok(ctx, smooth(ctx, a, W, H, sigmas[k]));
        support_ok(ctx, smooth(ctx, east, W, H, sigmas[k]));
        support_ok(ctx, smooth(ctx, south, W, H, sigmas[k]));
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                assert_equal(a[y * W + x], east[y * W + (W - 1 - x)]);
                assert_equal(a[y * W + x], south[(H - 1 - y) * W + x]);
            }
    }
    rv_context_destroy(ctx);
}

/* Waves that fit a mirrored map become smaller by exp(-sigma^2 (1 - cos w)), and stay waves: within
 * 0.8 % of their height, whichever way the kernel is made. */
static void test_blur_is_a_gaussian(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { N = 240 };
    static float values[N * N];
    const double pi = 3.14159265358979;
    for (float sigma = 2; sigma < 100; sigma *= 1.37f)
        for (int waves = 1; waves < N; waves += 1 + waves / 2) {
            double w = pi * waves / N;
            for (int i = 0; i < N * N; i++)
                values[i] = (float)(100 * cos(w * (i % N + 0.5)));
            support_ok(ctx, smooth(ctx, values, N, N, sigma));
            double response = exp(-(double)sigma * (double)sigma * (1 - cos(w)));
            for (int i = 0; i < N * N; i += 7)
                assert_near((double)values[i], 100 * response * cos(w * (i % N + 0.5)), 0.8);
        }
    rv_context_destroy(ctx);
}

/* A blur invents no height above the highest or below the lowest. */
static void test_blur_stays_in_range(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static float values[90 * 70];
    for (float sigma = 1; sigma < 300; sigma *= 2.1f) {
        for (int i = 0; i < 90 * 70; i++)
            values[i] = i % 90 < 40 ? -321.5f : 1e4f;
        support_ok(ctx, smooth(ctx, values, 90, 70, sigma));
        float low, high;
        range_of(values, 90 * 70, &low, &high);
        assert_greater_equal(low, -321.5f * (1 + 1e-6f));
        assert_less_equal(high, 1e4f * (1 + 1e-6f));
    }
    rv_context_destroy(ctx);
}

/* However wide the blur, it takes no longer. */
static void test_blur_takes_no_longer(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    enum { N = 700 };
    float *values = malloc(N * N * sizeof *values);
    double best[2] = {1e9, 1e9};
    const float sigmas[2] = {7.9f, 300};
    for (int k = 0; k < 6; k++) {
        fill(values, N * N, 3, 0, 1000);
        clock_t begun = clock(); /* of the processor */
        support_ok(ctx, smooth(ctx, values, N, N, sigmas[k % 2]));
        best[k % 2] = fmin(best[k % 2], (double)(clock() - begun) / CLOCKS_PER_SEC);
    }
    assert_less(best[1], 4 * best[0]);
    free(values);
    rv_context_destroy(ctx);
}

/* The radius is in metres, the amount blends, and nothing is gained or lost. */
static void test_blur_step(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *fine = rough_land(ctx, 40, 30, 10), *full = rough_land(ctx, 40, 30, 10);
    rv_terrain *before = rough_land(ctx, 40, 30, 10), *coarse = rough_land(ctx, 40, 30, 20);
    rv_blur_params p = rv_blur_params_default();
    p.radius = 30;
    support_ok(ctx, rv_step_run(full, RV_STEP_blur, &p, NULL));
    p.amount = 0.25f;
    support_ok(ctx, rv_step_run(fine, RV_STEP_blur, &p, NULL));
    p = (rv_blur_params){.radius = 60, .amount = 1};
    support_ok(ctx, rv_step_run(coarse, RV_STEP_blur, &p, NULL));
    for (size_t i = 0; i < rvi_cells(full); i++) {
        assert_equal(full->surface[i], coarse->surface[i]);
        float want = 0.75f * before->surface[i] + 0.25f * full->surface[i];
        assert_near(fine->surface[i], want, 1e-3f);
    }
    rv_terrain_destroy(coarse);
    rv_terrain_destroy(before);
    rv_terrain_destroy(full);
    rv_terrain_destroy(fine);
    rv_context_destroy(ctx);
}

/* ---- level ---- */

static void test_level(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const float ends[][2] = {{0, 1000}, {-123.456f, 8848.86f}, {500, -500}, {7, 7}};
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        rv_terrain *land = rough_land(ctx, 37, 41, 10), *before = rough_land(ctx, 37, 41, 10);
        rv_level_params p = {.low = ends[k][0], .high = ends[k][1]};
        support_ok(ctx, rv_step_run(land, RV_STEP_level, &p, NULL));
        float low, high;
        range_of(land->surface, rvi_cells(land), &low, &high);
        assert_equal(low, fminf(p.low, p.high));
        assert_equal(high, fmaxf(p.low, p.high));
        for (size_t i = 1; i < rvi_cells(land); i++) { /* the order of heights stays, or turns */
            float rise = before->surface[i] - before->surface[i - 1];
            float now = land->surface[i] - land->surface[i - 1];
            assert_true(p.low < p.high ? rise * now >= 0 : rise * now <= 0);
        }
        rv_terrain_destroy(before);
        rv_terrain_destroy(land);
    }
    rv_terrain *flat = support_land(ctx, 5, 4, 1);
    support_ok(ctx, rv_step_run(flat, RV_STEP_level, &(rv_level_params){100, 200}, NULL));
    for (int i = 0; i < 20; i++)
        assert_equal(flat->surface[i], 100);
    rv_terrain_destroy(flat);
    rv_context_destroy(ctx);
}

/* Upper layers ride on bedrock that moves. */
static void test_level_keeps_layers(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 9, 7, 10);
    float sand[63];
    fill(sand, 63, 3, 0, 5);
    support_ok(ctx,
               rv_terrain_layer_add(
                   land, &(rv_layer_desc){.name = "sand", .erodibility = 1, .talus = 30}, sand));
    support_ok(ctx, rv_step_run(land, RV_STEP_level, &(rv_level_params){0, 100}, NULL));
    float low, high;
    range_of(land->surface, 63, &low, &high);
    assert_less(fabsf(low), 1e-4f);
    assert_near(high, 100, 1e-4f);
    assert_memory_equal(rv_terrain_layer_thickness(land, 1), sand, sizeof sand);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- crop ---- */

static void test_crop(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = rough_land(ctx, 20, 15, 10), *before = rough_land(ctx, 20, 15, 10);
    float sand[300], wet[300];
    fill(sand, 300, 1, 0, 5);
    fill(wet, 300, 2, 0, 1);
    support_ok(ctx,
               rv_terrain_layer_add(
                   land, &(rv_layer_desc){.name = "sand", .erodibility = 0.5f, .talus = 30}, sand));
    support_ok(ctx, rv_terrain_field_set(land, "wet", wet));
    rv_crop_params p = {.x = 3, .y = 4, .width = 10, .height = RV_AUTO_INT};
    support_ok(ctx, rv_step_run(land, RV_STEP_crop, &p, NULL));
    assert_int_equal(rv_terrain_width(land), 10);
    assert_int_equal(rv_terrain_height(land), 11);
    assert_equal(rv_terrain_cell(land), 10);
    assert_equal(rv_terrain_layer(land, 1).erodibility, 0.5f);
    for (int y = 0; y < 11; y++)
        for (int x = 0; x < 10; x++) {
            int i = y * 10 + x, from = (y + 4) * 20 + x + 3;
            assert_equal(rv_terrain_layer_thickness(land, 0)[i], before->surface[from]);
            assert_equal(rv_terrain_layer_thickness(land, 1)[i], sand[from]);
            assert_equal(rv_terrain_field(land, "wet")[i], wet[from]);
            assert_equal(land->surface[i], before->surface[from] + sand[from]);
        }
    rv_terrain_destroy(before);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A margin goes from all sides before the rectangle is laid out: as many metres, in whole cells, or
 * as many cells. */
static void test_crop_margin(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *before = rough_land(ctx, 20, 15, 10);
    const float cell = rv_terrain_cell(before);
    const float margins[] = {-3.0f, 3.0f * cell, 2.6f * cell, 3.4f * cell};
    for (size_t i = 0; i < sizeof margins / sizeof margins[0]; i++) {
        rv_terrain *land = rough_land(ctx, 20, 15, 10);
        rv_crop_params p = {
            .x = 1, .y = 2, .width = RV_AUTO_INT, .height = 5, .margin = margins[i]};
        support_ok(ctx, rv_step_run(land, RV_STEP_crop, &p, NULL));
        assert_int_equal(rv_terrain_width(land), 13);
        assert_int_equal(rv_terrain_height(land), 5);
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 13; x++)
                assert_equal(land->surface[y * 13 + x], before->surface[(y + 5) * 20 + x + 4]);
        rv_terrain_destroy(land);
    }
    rv_terrain_destroy(before);
    rv_context_destroy(ctx);
}

static void test_crop_says_no(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 20, 15, 10);
    uint64_t hash = rv_terrain_hash(land);
    const rv_crop_params bad[] = {
        {.x = 20, .y = 0, .width = RV_AUTO_INT, .height = RV_AUTO_INT},
        {.x = 0, .y = 15, .width = RV_AUTO_INT, .height = RV_AUTO_INT},
        {.x = 11, .y = 0, .width = 10, .height = 5},
        {.x = 0, .y = 11, .width = 5, .height = 5},
        {.x = 65535, .y = 65535, .width = 65536, .height = 65536},
        {.width = RV_AUTO_INT, .height = RV_AUTO_INT, .margin = -7.5f},
        {.x = 19, .y = 14, .width = 1, .height = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(rv_step_run(land, RV_STEP_crop, &bad[i], NULL), RV_ERROR_USAGE);
        if (i < 6)
            assert_non_null(strstr(rv_context_error(ctx), "20 x 15"));
        assert_equal(rv_terrain_hash(land), hash);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- resize ---- */

static void check_size(const rv_terrain *land, int width, int height, double cell) {
    assert_int_equal(rv_terrain_width(land), width);
    assert_int_equal(rv_terrain_height(land), height);
    assert_near((double)rv_terrain_cell(land) / cell, 1, 1e-6);
}

static void test_resize_keeps_the_extent(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const struct {
        int from_width, from_height;
        rv_resize_params p;
        int width, height;
        double cell;
    } cases[] = {
        {101, 51, {.size = 201, .width = RV_AUTO_INT}, 201, 101, 5},
        {101, 51, {.size = RV_AUTO_INT, .width = 21}, 21, 11, 50},
        {51, 101, {.size = 201, .width = RV_AUTO_INT}, 101, 201, 5},
        {51, 101, {.size = 7, .width = 201}, 201, 401, 2.5},
        {101, 51, {.size = RV_AUTO_INT, .width = RV_AUTO_INT}, 101, 51, 10},
        {1, 11, {.size = 21, .width = RV_AUTO_INT}, 1, 21, 5},
        {11, 1, {.size = 21, .width = RV_AUTO_INT}, 21, 1, 5},
        {2, 1000, {.size = 10, .width = RV_AUTO_INT}, 1, 10, 1110},
        {2, 2, {.size = 33, .width = RV_AUTO_INT}, 33, 33, 0.3125},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int filter = 0; filter < RV_resize_filter_COUNT; filter++) {
            rv_terrain *land = rough_land(ctx, cases[i].from_width, cases[i].from_height, 10);
            rv_resize_params p = cases[i].p;
            p.filter = filter;
            support_ok(ctx, rv_step_run(land, RV_STEP_resize, &p, NULL));
            check_size(land, cases[i].width, cases[i].height, cases[i].cell);
            for (size_t k = 0; k < rvi_cells(land); k++)
                assert_true(isfinite(land->surface[k]));
            rv_terrain_destroy(land);
        }
    rv_context_destroy(ctx);
}

static void test_resize_says_no(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 1, 20, 10), *tall = support_land(ctx, 2, 60000, 10);
    rv_resize_params p = {.size = RV_AUTO_INT, .width = 5};
    assert_int_equal(rv_step_run(land, RV_STEP_resize, &p, NULL), RV_ERROR_USAGE);
    p = (rv_resize_params){.size = 1, .width = RV_AUTO_INT};
    assert_int_equal(rv_step_run(land, RV_STEP_resize, &p, NULL), RV_ERROR_USAGE);
    p = (rv_resize_params){.size = RV_AUTO_INT, .width = 65536};
    assert_int_equal(rv_step_run(tall, RV_STEP_resize, &p, NULL), RV_ERROR_USAGE);
    check_size(land, 1, 20, 10);
    rv_terrain_destroy(tall);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Finer: cells that were there keep their height, whatever the filter. */
static void test_resize_passes_through_old_cells(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int filter = 0; filter < RV_resize_filter_COUNT; filter++) {
        rv_terrain *land = rough_land(ctx, 33, 21, 10), *before = rough_land(ctx, 33, 21, 10);
        rv_resize_params p = {.size = 97, .width = RV_AUTO_INT, .filter = filter};
        support_ok(ctx, rv_step_run(land, RV_STEP_resize, &p, NULL));
        check_size(land, 97, 61, 10.0 / 3);
        for (int y = 0; y < 21; y++)
            for (int x = 0; x < 33; x++)
                assert_equal(land->surface[3 * y * 97 + 3 * x], before->surface[y * 33 + x]);
        rv_terrain_destroy(before);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* A slope stays a slope, up to the edges, finer or coarser. */
static void test_resample_keeps_a_plane(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { W = 61, H = 41 };
    float plane[W * H];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            plane[y * W + x] = 100 + 6.0f * (float)x / (W - 1) - 4.0f * (float)y / (H - 1);
    const int sizes[][2] = {{121, 81}, {100, 77}, {31, 21}, {21, 11}, {37, 30}, {13, 9}, {2, 2}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int filter = 0; filter < RVI_FILTER_NEAREST; filter++) {
            int w = sizes[k][0], h = sizes[k][1];
            float *to = malloc((size_t)w * (size_t)h * sizeof *to);
            support_ok(ctx, rvi_resample(ctx, plane, W, H, to, w, h, (rvi_filter)filter));
            for (int y = 0; y < h; y++)
                for (int x = 0; x < w; x++) {
                    double want = 100 + 6.0 * x / (w - 1) - 4.0 * y / (h - 1);
                    assert_near((double)to[y * w + x], want, 0.02);
                }
            free(to);
        }
    rv_context_destroy(ctx);
}

/* Coarser: what is finer than the new cells is averaged, not picked at random. */
static void test_resample_averages(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { N = 257, M = 33 };
    static float checks[N * N], to[M * M];
    for (int i = 0; i < N * N; i++)
        checks[i] = (i / N + i % N) % 2 ? 1.0f : 0.0f;
    for (int filter = 0; filter < RVI_FILTER_NEAREST; filter++) {
        support_ok(ctx, rvi_resample(ctx, checks, N, N, to, M, M, (rvi_filter)filter));
        for (int y = 1; y < M - 1; y++)
            for (int x = 1; x < M - 1; x++)
                assert_near(to[y * M + x], 0.5f, 0.01f);
    }
    float one;
    support_ok(ctx, rvi_resample(ctx, checks, N, N, &one, 1, 1, RVI_FILTER_CUBIC));
    assert_near(one, 0.5f, 1e-4f);
    rv_context_destroy(ctx);
}

static void test_resample_filters(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { N = 23, M = 58 };
    static float from[N * N], to[M * M];
    fill(from, N * N, 4, 0, 1);
    float low, high, now_low, now_high;
    range_of(from, N * N, &low, &high);
    support_ok(ctx, rvi_resample(ctx, from, N, N, to, M, M, RVI_FILTER_LINEAR));
    range_of(to, M * M, &now_low, &now_high);
    assert_greater_equal(now_low, low);
    assert_less_equal(now_high, high);
    support_ok(ctx, rvi_resample(ctx, from, N, N, to, M, M, RVI_FILTER_NEAREST));
    for (int i = 0; i < M * M; i++) { /* only values that were there */
        int found = 0;
        for (int k = 0; k < N * N && !found; k++)
            found = to[i] == from[k];
        assert_true(found);
    }
    /* Keys's cubic is exact for parabolas away from the edges. */
    for (int i = 0; i < N * N; i++)
        from[i] = (float)((i % N) * (i % N) + 2 * (i / N) * (i % N));
    support_ok(ctx, rvi_resample(ctx, from, N, N, to, M, M, RVI_FILTER_CUBIC));
    for (int y = 6; y < M - 6; y++)
        for (int x = 6; x < M - 6; x++) {
            double px = x * (double)(N - 1) / (M - 1), py = y * (double)(N - 1) / (M - 1);
            assert_near((double)to[y * M + x], px * px + 2 * py * px, 1e-3);
        }
    rv_context_destroy(ctx);
}

/* No thickness below 0 and no mask beyond 0 to 1, though a cubic overshoots. */
static void test_resize_keeps_ranges(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = rough_land(ctx, 30, 30, 10);
    float edges[900];
    for (int i = 0; i < 900; i++)
        edges[i] = rvi_unit(rvi_random(8, (uint64_t)i, 0)) < 0.5f ? 0.0f : 1.0f;
    support_ok(ctx,
               rv_terrain_layer_add(
                   land, &(rv_layer_desc){.name = "sand", .erodibility = 1, .talus = 30}, edges));
    support_ok(ctx, rv_terrain_field_set(land, "mask", edges));
    rv_resize_params p = {.size = 111, .width = RV_AUTO_INT, .filter = RV_resize_filter_cubic};
    support_ok(ctx, rv_step_run(land, RV_STEP_resize, &p, NULL));
    float low, high;
    range_of(rv_terrain_layer_thickness(land, 1), rvi_cells(land), &low, &high);
    assert_greater_equal(low, 0);
    assert_less_equal(high, 1);
    range_of(rv_terrain_field(land, "mask"), rvi_cells(land), &low, &high);
    assert_greater_equal(low, 0);
    assert_less_equal(high, 1);
    for (size_t i = 0; i < rvi_cells(land); i++)
        assert_equal(land->surface[i], rv_terrain_layer_thickness(land, 0)[i] +
                                           rv_terrain_layer_thickness(land, 1)[i]);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- mask and hardness ---- */

/* Writes values as an image of raw floats. */
static void write_image(rv_context *ctx, const char *file, int width, int height,
                        const float *values) {
    rv_terrain *land = support_land(ctx, width, height, 1);
    support_ok(ctx, rv_terrain_field_set(land, "height", values));
    rv_save_params p = rv_save_params_default();
    p.file = file;
    support_ok(ctx, rv_step_run(land, RV_STEP_save, &p, NULL));
    rv_terrain_destroy(land);
}

/* A white spot on black, far from the edges, on a map of a few cells: rounding must not leave less
 * than nothing at the edges, where there would be rain below 0 and sediment of less than none. */
static void test_stretched_images_keep_ranges(void **state) {
    (void)state;
    enum { SIDE = 64 };
    rv_context *ctx = support_context(1);
    float image[SIDE * SIDE];
    rv_mask_params mask = rv_mask_params_default();
    mask.file = "spot.npy";
    for (int spot = 1; spot < 40; spot++) {
        for (int i = 0; i < SIDE * SIDE; i++) {
            int x = i % SIDE - 20, y = i / SIDE - 30;
            image[i] = x * x + y * y < spot ? 1.0f : 0.0f;
        }
        write_image(ctx, mask.file, SIDE, SIDE, image);
        rv_terrain *land = support_land(ctx, 2 + spot % 3, 2 + spot % 5, 10);
        support_ok(ctx, rv_step_run(land, RV_STEP_mask, &mask, NULL));
        float low, high;
        range_of(rv_terrain_field(land, "mask"), rvi_cells(land), &low, &high);
        assert_greater_equal(low, 0);
        assert_less_equal(high, 1);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void test_mask_and_hardness(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    float image[12];
    fill(image, 12, 6, 0, 1);
    write_image(ctx, "limit.npy", 4, 3, image);
    rv_terrain *land = support_land(ctx, 4, 3, 10), *wide = support_land(ctx, 31, 21, 10);
    rv_mask_params mask = rv_mask_params_default();
    rv_hardness_params hardness = rv_hardness_params_default();
    mask.file = hardness.file = "limit.npy";
    hardness.invert = true;
    support_ok(ctx, rv_step_run(land, RV_STEP_mask, &mask, NULL));
    support_ok(ctx, rv_step_run(land, RV_STEP_hardness, &hardness, NULL));
    support_ok(ctx, rv_step_run(wide, RV_STEP_mask, &mask, NULL));
    for (int i = 0; i < 12; i++) {
        assert_equal(rv_terrain_field(land, "mask")[i], image[i]);
        assert_equal(rv_terrain_field(land, "hardness")[i], 1 - image[i]);
        /* Stretched over the map: corner on corner, thirds and halves on every tenth cell. */
        assert_equal(rv_terrain_field(wide, "mask")[(i / 4) * 10 * 31 + (i % 4) * 10], image[i]);
    }
    mask.file = hardness.file = "";
    support_ok(ctx, rv_step_run(land, RV_STEP_mask, &mask, NULL));
    support_ok(ctx, rv_step_run(land, RV_STEP_hardness, &hardness, NULL));
    assert_null(rv_terrain_field(land, "mask"));
    assert_null(rv_terrain_field(land, "hardness"));
    rv_terrain_destroy(wide);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_mask_says_no(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 4, 3, 10);
    float image[12] = {0, 0.5f, 1, 1, 0, 1.5f};
    write_image(ctx, "over.npy", 4, 3, image);
    rv_mask_params mask = rv_mask_params_default();
    mask.file = "over.npy";
    assert_int_equal(rv_step_run(land, RV_STEP_mask, &mask, NULL), RV_ERROR_INPUT);
    assert_non_null(strstr(rv_context_error(ctx), "over.npy"));
    assert_non_null(strstr(rv_context_error(ctx), "row 1, column 1"));
    mask.file = "missing.npy";
    assert_int_equal(rv_step_run(land, RV_STEP_mask, &mask, NULL), RV_ERROR_INPUT);
    assert_null(rv_terrain_field(land, "mask"));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Full effect where the mask is white, none where it is black, half between. */
static void test_mask_limits_what_follows(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = rough_land(ctx, 30, 20, 10), *free_land = rough_land(ctx, 30, 20, 10);
    rv_terrain *before = rough_land(ctx, 30, 20, 10);
    float mask[600];
    for (int i = 0; i < 600; i++)
        mask[i] = (float)(i % 30 / 10) * 0.5f;
    support_ok(ctx, rv_terrain_field_set(land, "mask", mask));
    support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    support_ok(ctx, rv_step_run(free_land, RV_STEP_noise, NULL, NULL));
    for (int i = 0; i < 600; i++) {
        float a = before->surface[i], b = free_land->surface[i];
        if (mask[i] == 0)
            assert_equal(land->surface[i], a);
        else if (mask[i] == 1)
            assert_equal(land->surface[i], b);
        else
            assert_near(land->surface[i], 0.5f * (a + b), 1e-3f);
    }
    rv_terrain_destroy(before);
    rv_terrain_destroy(free_land);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- all of them ---- */

static uint64_t hash_with(int threads) {
    rv_context *ctx = support_context(threads);
    rv_terrain *land = rough_land(ctx, 131, 77, 10);
    support_ok(ctx, rv_step_run(land, RV_STEP_blur, NULL, NULL));
    support_ok(ctx, rv_step_run(land, RV_STEP_level, NULL, NULL));
    rv_resize_params resize = {.size = 200, .width = RV_AUTO_INT};
    support_ok(ctx, rv_step_run(land, RV_STEP_resize, &resize, NULL));
    rv_crop_params crop = {.x = 5, .y = 6, .width = 150, .height = 70};
    support_ok(ctx, rv_step_run(land, RV_STEP_crop, &crop, NULL));
    resize = (rv_resize_params){.size = 99, .width = RV_AUTO_INT};
    support_ok(ctx, rv_step_run(land, RV_STEP_resize, &resize, NULL));
    uint64_t hash = rv_terrain_hash(land);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    return hash;
}

static void test_threads_do_not_matter(void **state) {
    (void)state;
    uint64_t hash = hash_with(1);
    assert_equal(hash_with(2), hash);
    assert_equal(hash_with(3), hash);
    assert_equal(hash_with(7), hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blur_keeps_the_sum),
        cmocka_unit_test(test_blur_leaves_flat_land),
        cmocka_unit_test(test_blur_has_its_sigma),
        cmocka_unit_test(test_blur_ends_in_the_mean),
        cmocka_unit_test(test_blur_has_no_direction),
        cmocka_unit_test(test_blur_is_a_gaussian),
        cmocka_unit_test(test_blur_stays_in_range),
        cmocka_unit_test(test_blur_takes_no_longer),
        cmocka_unit_test(test_blur_step),
        cmocka_unit_test(test_level),
        cmocka_unit_test(test_level_keeps_layers),
        cmocka_unit_test(test_crop),
        cmocka_unit_test(test_crop_margin),
        cmocka_unit_test(test_crop_says_no),
        cmocka_unit_test(test_resize_keeps_the_extent),
        cmocka_unit_test(test_resize_says_no),
        cmocka_unit_test(test_resize_passes_through_old_cells),
        cmocka_unit_test(test_resample_keeps_a_plane),
        cmocka_unit_test(test_resample_averages),
        cmocka_unit_test(test_resample_filters),
        cmocka_unit_test(test_resize_keeps_ranges),
        cmocka_unit_test(test_stretched_images_keep_ranges),
        cmocka_unit_test(test_mask_and_hardness),
        cmocka_unit_test(test_mask_says_no),
        cmocka_unit_test(test_mask_limits_what_follows),
        cmocka_unit_test(test_threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
