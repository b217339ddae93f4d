/* drop_scene.h: land to let drops run on, for the tests of droplets. */
#ifndef TESTS_DROP_SCENE_H
#define TESTS_DROP_SCENE_H

#include "wear_scene.h"

#include <stdio.h>

/* ---- a land to work on ---- */

static inline void set_field(scene *s, const char *name, const float *values) {
    support_ok(s->ctx, rv_terrain_field_set(s->land, name, values));
}

/* Rolling land from 0 to `relief` metres with features a third of `size` cells wide. */
static inline void hills_of(scene *s, uint64_t seed, int size, float relief) {
    rv_noise_params p = rv_noise_params_default();
    p.seed = seed;
    p.frequency = 300.0f / (float)size;
    p.octaves = 8;
    p.gain = 0.5f;
    p.relief = relief;
    support_ok(s->ctx, rv_step_run(s->land, RV_STEP_noise, &p, NULL));
}

/* The same on `base` metres, with three features along the longer side. */
static inline void rough_hills(scene *s, uint64_t seed, float base, float relief) {
    hills_of(s, seed, s->width > s->height ? s->width : s->height, relief);
    float *values = calloc(s->cells, sizeof(float));
    assert_non_null(values);
    for (size_t i = 0; i < s->cells; i++)
        values[i] = field(s, "height")[i] + base;
    set_field(s, "height", values);
    free(values);
}

static inline void remember(scene *s) {
    memcpy(s->before, field(s, "height"), s->cells * sizeof(float));
    s->volume = rv_terrain_volume(s->land);
}

static inline void compare(scene *s) {
    for (size_t i = 0; i < s->cells; i++)
        s->change[i] = field(s, "height")[i] - s->before[i];
}

static inline void rain_on(scene *s, const rv_droplets_params *p) {
    remember(s);
    support_ok(s->ctx, rv_step_run(s->land, RV_STEP_droplets, p, &s->report));
    compare(s);
}

/* Many tests hold for both orders. */
static int order = RV_droplets_order_tiles;

/* The parameters of table 6.1 of the thesis, one drop for each cell; lengths below 0 are cells. */
static inline rv_droplets_params thesis(const scene *s) {
    rv_droplets_params p = rv_droplets_params_default();
    p.order = order;
    p.drops = (int64_t)s->cells;
    p.inertia = 0.3f;
    p.capacity = 8;
    p.deposition = 0.2f;
    p.erosion = 0.7f;
    p.evaporation = 0.02f;
    p.radius = -4;
    p.move = -1;
    p.min_slope = 0.01f;
    p.max_path = -64;
    p.blur = -2;
    p.gravity = 10;
    return p;
}

/* ---- figures and their bounds ---- */

static inline void assert_finite(const scene *s) {
    for (size_t i = 0; i < s->cells; i++)
        assert_true(isfinite(field(s, "height")[i]) && isfinite(field(s, "flow")[i]) &&
                    isfinite(field(s, "eroded")[i]) && isfinite(field(s, "deposited")[i]));
}

static inline bool equal_bits(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static inline double mean(const float *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i];
    return sum / (double)count;
}

/* By how much the ledger misses, as a share of what was taken: against the land, and in itself. */
static inline double gap_of(const scene *s, const rv_ledger *l) {
    double change = rv_terrain_volume(s->land) - s->volume;
    double land = fabs(change - l->raised + l->left_map + l->suspended);
    double itself = fabs(l->eroded - l->deposited - l->left_map - l->suspended);
    double gap = fmax(land, itself);
    return l->eroded > 0 ? gap / l->eroded : gap > 0 ? INFINITY : 0;
}

static inline void check_layers(const scene *s) {
    for (int l = 1; l < rv_terrain_layer_count(s->land); l++)
        for (size_t i = 0; i < s->cells; i++)
            assert_greater_equal(rv_terrain_layer_thickness(s->land, l)[i], 0);
}

static inline float all(const scene *s, int x, int y) {
    (void)s;
    (void)x;
    (void)y;
    return 1;
}

/* Writes a field as an image for rain. */
static inline void save_image(scene *s, formula f, const char *file) {
    draw(s, "image", f);
    rv_save_params p = rv_save_params_default();
    p.file = file;
    p.field = "image";
    p.low = 0;
    p.high = 1;
    support_ok(s->ctx, rv_step_run(s->land, RV_STEP_save, &p, NULL));
}

#endif
