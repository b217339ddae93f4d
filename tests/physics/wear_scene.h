/* wear_scene.h: a land to wear, for the tests of several steps. */
#ifndef TESTS_WEAR_SCENE_H
#define TESTS_WEAR_SCENE_H

#include "support.h"

#include <math.h>
#include <string.h>

typedef struct scene {
    rv_context *ctx;
    rv_terrain *land;
    int width, height;
    size_t cells;
    float *before, *change; /* the surface when the last step began, and what the step did to it */
    double volume;          /* of the land when it began */
    rv_report report;
} scene;

typedef float (*formula)(const scene *s, int x, int y);

static inline scene scene_of_cells(rv_context *ctx, int width, int height, float cell) {
    scene s = {.ctx = ctx, .width = width, .height = height};
    s.land = support_land(ctx, width, height, cell);
    s.cells = (size_t)width * (size_t)height;
    s.before = calloc(s.cells, sizeof(float));
    s.change = calloc(s.cells, sizeof(float));
    assert_non_null(s.before);
    assert_non_null(s.change);
    return s;
}

static inline scene scene_with(rv_context *ctx, int width, int height) {
    return scene_of_cells(ctx, width, height, 10);
}

static inline scene scene_make(int width, int height) {
    return scene_with(support_context(2), width, height);
}

static inline void scene_end(scene *s) {
    rv_terrain_destroy(s->land);
    rv_context_destroy(s->ctx);
    free(s->before);
    free(s->change);
}

static inline const float *field(const scene *s, const char *name) {
    const float *values = rv_terrain_field(s->land, name);
    assert_non_null(values);
    return values;
}

static inline float *from_formula(const scene *s, formula f) {
    float *values = calloc(s->cells, sizeof(float));
    assert_non_null(values);
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            values[y * s->width + x] = f(s, x, y);
    return values;
}

static inline void draw(scene *s, const char *name, formula f) {
    float *values = from_formula(s, f);
    support_ok(s->ctx, rv_terrain_field_set(s->land, name, values));
    free(values);
}

/* Rolling land with three features along the longer side. */
static inline void hills(scene *s, uint64_t seed, float base, float relief) {
    rv_noise_params p = rv_noise_params_default();
    int side = s->width > s->height ? s->width : s->height;
    p.seed = seed;
    p.frequency = 300.0f / (float)side;
    p.relief = relief;
    support_ok(s->ctx, rv_step_run(s->land, RV_STEP_noise, &p, NULL));
    float *values = calloc(s->cells, sizeof(float));
    assert_non_null(values);
    for (size_t i = 0; i < s->cells; i++)
        values[i] = field(s, "height")[i] + base;
    support_ok(s->ctx, rv_terrain_field_set(s->land, "height", values));
    free(values);
}

static inline rv_status wear_status(scene *s, rv_step_id step, const void *params) {
    memcpy(s->before, field(s, "height"), s->cells * sizeof(float));
    s->volume = rv_terrain_volume(s->land);
    rv_status status = rv_step_run(s->land, step, params, &s->report);
    for (size_t i = 0; i < s->cells; i++)
        s->change[i] = field(s, "height")[i] - s->before[i];
    return status;
}

static inline void wear(scene *s, rv_step_id step, const void *params) {
    support_ok(s->ctx, wear_status(s, step, params));
}

/* ---- figures and their bounds ---- */

static inline void below(const char *what, double value, double bound) {
    print_message("  %s: %.4g (below %.4g)\n", what, value, bound);
    if (!(value < bound))
        fail_msg("%s: %.9g is not below %.9g", what, value, bound);
}

static inline void above(const char *what, double value, double bound) {
    print_message("  %s: %.4g (above %.4g)\n", what, value, bound);
    if (!(value > bound))
        fail_msg("%s: %.9g is not above %.9g", what, value, bound);
}

static inline bool same_bits(const scene *s, const char *name, const float *other) {
    return memcmp(field(s, name), other, s->cells * sizeof(float)) == 0;
}

/* By how much the ledger misses, as a share of what was taken: against the land, and in itself. */
static inline double ledger_gap(const scene *s) {
    const rv_ledger *l = &s->report.ledger;
    double change = rv_terrain_volume(s->land) - s->volume;
    double carried = l->left_map + l->suspended - l->before;
    double gap = fmax(fabs(change - l->raised + carried), fabs(l->eroded - l->deposited - carried));
    return l->eroded > 0 ? gap / l->eroded : gap > 0 ? INFINITY : 0;
}

/* ---- what limits the wear ---- */

enum { MASK = 1, HARD = 2, LAYERS = 4 };

static inline float across(const scene *s, int x, int y) { /* 0 in the west, 1 in the east */
    (void)y;
    return (float)x / (float)(s->width - 1);
}

static inline float down(const scene *s, int x, int y) { /* 0 in the north, 1 in the south */
    (void)x;
    return (float)y / (float)(s->height - 1);
}

static inline float stripes(const scene *s, int x, int y) { /* none of it, then up to 3 m */
    (void)s;
    (void)y;
    return x % 12 < 4 ? 0 : (float)(x % 12 - 3) * 0.375f;
}

static inline float turned_stripes(const scene *s, int x, int y) {
    return stripes(s, y, x);
}

static inline void add_layer(scene *s, const char *name, float erodibility, formula f) {
    float *thick = from_formula(s, f);
    rv_layer_desc desc = {.name = name, .erodibility = erodibility, .talus = 40};
    support_ok(s->ctx, rv_terrain_layer_add(s->land, &desc, thick));
    free(thick);
}

static inline void limit(scene *s, int limits) {
    if (limits & LAYERS) {
        add_layer(s, "clay", 0.2f, stripes);
        add_layer(s, "sand", 1, turned_stripes);
    }
    if (limits & MASK)
        draw(s, "mask", across);
    if (limits & HARD)
        draw(s, "hardness", down);
}

static inline void assert_sound(const scene *s) {
    for (int l = 1; l < rv_terrain_layer_count(s->land); l++)
        for (size_t i = 0; i < s->cells; i++)
            assert_greater_equal(rv_terrain_layer_thickness(s->land, l)[i], 0);
    for (int f = 0; f < rv_terrain_field_count(s->land); f++)
        for (size_t i = 0; i < s->cells; i++)
            assert_greater_equal(field(s, rv_terrain_field_name(s->land, f))[i], 0);
    for (size_t i = 0; i < s->cells; i++)
        assert_true(isfinite(field(s, "height")[i]));
}

/* Mean height, before the step, of what a field counts. */
static inline double mean_height(const scene *s, const char *name) {
    double sum = 0, weight = 0;
    for (size_t i = 0; i < s->cells; i++) {
        weight += (double)field(s, name)[i];
        sum += (double)field(s, name)[i] * (double)s->before[i];
    }
    assert_greater(weight, 0);
    return sum / weight;
}

static inline float lowest(const float *values, size_t count) {
    float low = values[0];
    for (size_t i = 1; i < count; i++)
        low = values[i] < low ? values[i] : low;
    return low;
}

static inline float half(const scene *s, int x, int y) { /* 0 in the west half, 1 in the east */
    (void)y;
    return x < s->width / 2 ? 0 : 1;
}

static inline float one(const scene *s, int x, int y) {
    (void)s;
    (void)x;
    (void)y;
    return 1;
}

static inline float east_slope(const scene *s, int x, int y) { /* falls to the east by 640 m */
    (void)y;
    return 640.0f * (1 - (float)x / (float)(s->width - 1));
}

static inline float valley(const scene *s, int x,
                           int y) { /* falls to the east between two slopes */
    return 8.0f * (float)abs(y - s->height / 2) + 4.0f * (float)(s->width - 1 - x);
}

static inline float bowl(const scene *s, int x, int y) { /* 30 m deep, in a slope */
    float dx = (float)x - 24, dy = (float)y - 32;
    return east_slope(s, x, y) / 8 - 30 * expf(-(dx * dx + dy * dy) / 50);
}

/* How deep water would stand in the deepest pit when all are full to the brim. */
static inline double pit_depth(const scene *s) {
    const float *h = field(s, "height");
    float *water = calloc(s->cells, sizeof(float));
    assert_non_null(water);
    int count = (int)s->cells;
    for (int i = 0; i < count; i++) {
        int x = i % s->width, y = i / s->width;
        bool edge = x == 0 || y == 0 || x == s->width - 1 || y == s->height - 1;
        water[i] = edge ? h[i] : INFINITY;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < 2 * count; k++) {
            int i = k < count ? k : 2 * count - 1 - k;
            for (int n = 0; n < 9; n++) {
                int x = i % s->width + n % 3 - 1, y = i / s->width + n / 3 - 1;
                if (x < 0 || y < 0 || x >= s->width || y >= s->height)
                    continue;
                float level = fmaxf(h[i], water[y * s->width + x]);
                changed = changed || level < water[i];
                water[i] = fminf(level, water[i]);
            }
        }
    }
    double depth = 0;
    for (int i = 0; i < count; i++)
        depth = fmax(depth, (double)water[i] - (double)h[i]);
    free(water);
    return depth;
}

#endif
