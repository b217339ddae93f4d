/* What must hold for droplets: nothing is lost, water runs down, limits are kept, and neither the
 * tiles nor the threads that run the drops show in the land. Figures that a bound is set for are
 * printed. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a land to work on ---- */

typedef struct scene {
    rv_context *ctx;
    rv_terrain *land;
    int width, height;
    size_t cells;
    float *before, *change; /* the surface when the last step began, and what the step did */
    double volume;          /* of the land when it began */
    rv_report report;
} scene;

static scene scene_on(rv_context *ctx, int width, int height) {
    scene s = {.ctx = ctx, .land = support_land(ctx, width, height, 10), .width = width};
    s.height = height;
    s.cells = (size_t)width * (size_t)height;
    s.before = calloc(s.cells, sizeof(float));
    s.change = calloc(s.cells, sizeof(float));
    assert_non_null(s.before);
    assert_non_null(s.change);
    return s;
}

static scene scene_make(int width, int height) {
    return scene_on(support_context(2), width, height);
}

static void scene_end(scene *s) {
    rv_terrain_destroy(s->land);
    rv_context_destroy(s->ctx);
    free(s->before);
    free(s->change);
}

static const float *field(const scene *s, const char *name) {
    const float *values = rv_terrain_field(s->land, name);
    assert_non_null(values);
    return values;
}

static void set_field(scene *s, const char *name, const float *values) {
    support_ok(s->ctx, rv_terrain_field_set(s->land, name, values));
}

/* A field from a formula. */
typedef float (*formula)(const scene *s, int x, int y);

static void draw(scene *s, const char *name, formula f) {
    float *values = calloc(s->cells, sizeof(float));
    assert_non_null(values);
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            values[y * s->width + x] = f(s, x, y);
    set_field(s, name, values);
    free(values);
}

/* Rolling land with three features along the longer side. */
static void hills(scene *s, uint64_t seed, float base, float relief) {
    rv_noise_params p = rv_noise_params_default();
    int side = s->width > s->height ? s->width : s->height;
    p.seed = seed;
    p.frequency = 300.0f / (float)side;
    p.relief = relief;
    support_ok(s->ctx, rv_step_run(s->land, RV_STEP_noise, &p, NULL));
    if (base == 0)
        return;
    float *values = calloc(s->cells, sizeof(float));
    assert_non_null(values);
    for (size_t i = 0; i < s->cells; i++)
        values[i] = field(s, "height")[i] + base;
    set_field(s, "height", values);
    free(values);
}

static void remember(scene *s) {
    memcpy(s->before, field(s, "height"), s->cells * sizeof(float));
    s->volume = rv_terrain_volume(s->land);
}

static void compare(scene *s) {
    for (size_t i = 0; i < s->cells; i++)
        s->change[i] = field(s, "height")[i] - s->before[i];
}

static void rain_on(scene *s, const rv_droplets_params *p) {
    remember(s);
    support_ok(s->ctx, rv_step_run(s->land, RV_STEP_droplets, p, &s->report));
    compare(s);
}

/* ---- figures and their bounds ---- */

static void below(const char *what, double value, double bound) {
    print_message("  %s: %.4g (below %.4g)\n", what, value, bound);
    if (!(value < bound))
        fail_msg("%s: %.9g is not below %.9g", what, value, bound);
}

static void above(const char *what, double value, double bound) {
    print_message("  %s: %.4g (above %.4g)\n", what, value, bound);
    if (!(value > bound))
        fail_msg("%s: %.9g is not above %.9g", what, value, bound);
}

static void assert_finite(const scene *s) {
    for (size_t i = 0; i < s->cells; i++)
        assert_true(isfinite(field(s, "height")[i]) && isfinite(field(s, "flow")[i]) &&
                    isfinite(field(s, "eroded")[i]) && isfinite(field(s, "deposited")[i]));
}

static bool same_bits(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static double mean(const float *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i];
    return sum / (double)count;
}

/* ---- 1. nothing vanishes ---- */

enum { MASK = 1, HARD = 2, LAYERS = 4 };

static float across(const scene *s, int x, int y) { /* 0 in the west, 1 in the east */
    (void)y;
    return (float)x / (float)(s->width - 1);
}

static float down(const scene *s, int x, int y) { /* 0 in the north, 1 in the south */
    (void)x;
    return (float)y / (float)(s->height - 1);
}

static float stripes(const scene *s, int x, int y) { /* none of it, then up to 3 m */
    (void)s;
    (void)y;
    return x % 12 < 4 ? 0 : (float)(x % 12 - 3) * 0.375f;
}

static void limit(scene *s, int limits) {
    if (limits & LAYERS) {
        float *thick = calloc(s->cells, sizeof(float));
        assert_non_null(thick);
        for (int i = 0; i < (int)s->cells; i++)
            thick[i] = stripes(s, i % s->width, i / s->width);
        rv_layer_desc clay = {"clay", 0.2f, 40}, sand = {"sand", 1, 30};
        support_ok(s->ctx, rv_terrain_layer_add(s->land, &clay, thick));
        for (int i = 0; i < (int)s->cells; i++)
            thick[i] = stripes(s, i / s->width, 0);
        support_ok(s->ctx, rv_terrain_layer_add(s->land, &sand, thick));
        free(thick);
    }
    if (limits & MASK)
        draw(s, "mask", across);
    if (limits & HARD)
        draw(s, "hardness", down);
}

/* By how much the ledger misses, as a share of what was taken: against the land, and in itself. */
static double ledger_gap(const scene *s, const rv_ledger *l) {
    double change = rv_terrain_volume(s->land) - s->volume;
    double land = fabs(change + l->carried_off + l->afloat);
    double itself = fabs(l->taken - l->laid - l->carried_off - l->afloat);
    double gap = fmax(land, itself);
    return l->taken > 0 ? gap / l->taken : gap > 0 ? INFINITY : 0;
}

static void check_layers(const scene *s) {
    for (int l = 1; l < rv_terrain_layer_count(s->land); l++)
        for (size_t i = 0; i < s->cells; i++)
            assert_true(rv_terrain_layer_thickness(s->land, l)[i] >= 0);
}

/* One run with everything that may move material; returns the gap of its ledger. */
static double mass_gap(int border, float blend, int limits, float base, int64_t drops) {
    scene s = scene_make(48, 56);
    hills(&s, 3, base, 100);
    limit(&s, limits);
    rv_droplets_params p = rv_droplets_params_default();
    p.border = border;
    p.blend = blend;
    p.drops = drops;
    p.max_path = 24;
    rain_on(&s, &p);
    double gap = ledger_gap(&s, &s.report.ledger);
    assert_true(s.report.ledger.taken > 0);
    if (border == RV_droplets_border_wall)
        assert_true(s.report.ledger.carried_off == 0);
    assert_finite(&s);
    check_layers(&s);
    scene_end(&s);
    return gap;
}

/* All borders, drop counts and limits; prints what misses more than 1e-6. */
static void check_mass(float blend, float base) {
    static const char *borders[] = {"open", "wall", "apron"};
    static const int limits[] = {0, MASK, HARD, LAYERS, MASK | HARD, MASK | HARD | LAYERS};
    static const int64_t drops[] = {1, 10, RV_AUTO_INT};
    double worst = 0;
    int wrong = 0;
    for (int border = 0; border < 3; border++)
        for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++)
            for (size_t d = 0; d < 3; d++) {
                double gap = mass_gap(border, blend, limits[l], base, drops[d]);
                worst = fmax(worst, gap);
                wrong += !(gap <= 1e-6);
                if (!(gap <= 1e-6))
                    print_message("  border=%s blend=%g%s%s%s base=%g drops=%d misses %.3g\n",
                                  borders[border], (double)blend, limits[l] & MASK ? " mask" : "",
                                  limits[l] & HARD ? " hardness" : "",
                                  limits[l] & LAYERS ? " layers" : "", (double)base, (int)drops[d],
                                  gap);
            }
    print_message("  largest gap of a ledger: %.3g of what was taken\n", worst);
    assert_int_equal(wrong, 0);
}

static void nothing_vanishes(void **state) {
    (void)state;
    check_mass(0, 0);
}

static void nothing_vanishes_on_a_high_base(void **state) {
    (void)state;
    check_mass(0, 5000);
}

static void nothing_vanishes_in_the_blend(void **state) {
    (void)state;
    check_mass(0.5f, 0);
}

static void nothing_vanishes_in_the_blend_on_a_high_base(void **state) {
    (void)state;
    check_mass(0.5f, 5000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_vanishes),
        cmocka_unit_test(nothing_vanishes_on_a_high_base),
        cmocka_unit_test(nothing_vanishes_in_the_blend),
        cmocka_unit_test(nothing_vanishes_in_the_blend_on_a_high_base),
    };
    return cmocka_run_group_tests_name("droplets", tests, NULL, NULL);
}
