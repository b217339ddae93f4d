/* What rain that wind brings must hold to: bookkeeping, symmetry, and wet and dry sides. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 96 };

typedef struct sky {
    rv_context *ctx;
    rv_terrain *land;
} sky;

/* A terrain with the heights of f(x, y), cells of 500 m. */
static sky make(float (*f)(int, int)) {
    sky s = {.ctx = support_context(2)};
    s.land = support_land(s.ctx, SIDE, SIDE, 500);
    float *z = malloc(SIDE * SIDE * sizeof *z);
    assert_non_null(z);
    for (int i = 0; i < SIDE * SIDE; i++)
        z[i] = f(i % SIDE, i / SIDE);
    support_ok(s.ctx, rv_terrain_field_set(s.land, "height", z));
    free(z);
    return s;
}

static void end(sky *s) {
    rv_terrain_destroy(s->land);
    rv_context_destroy(s->ctx);
}

static double figure(const sky *s, const char *name) {
    for (int i = 0; i < rv_terrain_figure_count(s->land); i++)
        if (strcmp(rv_terrain_figure(s->land, i)->name, name) == 0)
            return rv_terrain_figure(s->land, i)->value;
    fail_msg("no figure %s", name);
    return 0;
}

/* What comes falls or leaves. */
static const float *blow(sky *s, float wind) {
    rv_rainfall_params p = rv_rainfall_params_default();
    p.wind = wind;
    support_ok(s->ctx, rv_step_run(s->land, RV_STEP_rainfall, &p, NULL));
    double came = figure(s, "moisture_came"), fell = figure(s, "moisture_fell");
    assert_near(came, fell + figure(s, "moisture_left"), 1e-9 * came);
    assert_greater(fell, 0);
    return rv_terrain_field(s->land, "rain");
}

static double mean_between(const float *rain, int first, int last) {
    double sum = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        sum += i % SIDE >= first && i % SIDE < last ? (double)rain[i] : 0;
    return sum / ((last - first) * SIDE);
}

static float flat(int x, int y) {
    (void)x;
    (void)y;
    return 300;
}

static float ridge(int x, int y) {
    (void)y;
    float d = (float)(x - SIDE / 2) / 12;
    return 2500 * expf(-d * d);
}

static float hills(int x, int y) {
    float a = sinf((float)x * 0.21f + (float)y * 0.05f), b = cosf((float)y * 0.17f);
    return 900 * (2 + a + b * sinf((float)x * 0.07f));
}

static float hills_seen_from_the_east(int x, int y) {
    return hills(SIDE - 1 - x, y);
}

static void test_level_land_gets_even_rain(void **state) {
    (void)state;
    sky s = make(flat);
    for (int wind = 0; wind <= 360; wind += 15) {
        const float *rain = blow(&s, (float)wind);
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_near(rain[i], 1, 1e-5);
    }
    end(&s);
}

/* The side that faces the wind is the wet one, and behind the ridge it is drier than before it. */
static void test_a_ridge_has_a_wet_and_a_dry_side(void **state) {
    (void)state;
    sky s = make(ridge);
    for (int k = 0; k < 2; k++) {
        const float *rain = blow(&s, k ? 90 : 270);
        double west = mean_between(rain, 24, SIDE / 2), east = mean_between(rain, SIDE / 2, 72);
        double far_west = mean_between(rain, 0, 12), far_east = mean_between(rain, 84, SIDE);
        assert_greater(k ? east : west, 1.5 * (k ? west : east));
        assert_less(k ? far_west : far_east, 0.8 * (k ? far_east : far_west));
    }
    end(&s);
}

/* Land and wind as in a mirror give the same rain as in a mirror. */
static void test_a_mirror_changes_nothing(void **state) {
    (void)state;
    const float winds[] = {270, 240, 310};
    for (int k = 0; k < 3; k++) {
        sky a = make(hills), b = make(hills_seen_from_the_east);
        const float *one = blow(&a, winds[k]), *other = blow(&b, 360 - winds[k]);
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_near(one[i], other[i - i % SIDE + SIDE - 1 - i % SIDE], 1e-5);
        end(&a);
        end(&b);
    }
}

/* Half the cell size: the same rain, only finer. */
static void test_the_same_rain_at_any_size(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land[2];
    for (int k = 0; k < 2; k++) {
        char words[160];
        snprintf(words, sizeof words,
                 "terrain size=%d cell=%d noise frequency=0.05 relief=2000 rainfall wind=250",
                 96 << k, 400 >> k);
        land[k] = support_run(ctx, words);
    }
    const float *coarse = rv_terrain_field(land[0], "rain");
    const float *fine = rv_terrain_field(land[1], "rain");
    double gap = 0;
    for (int i = 0; i < 96 * 96; i++) {
        int x = 2 * (i % 96), y = 2 * (i / 96);
        double mean = 0;
        for (int n = 0; n < 4; n++)
            mean += (double)fine[(y + n / 2) * 192 + x + n % 2] / 4;
        gap += (mean - (double)coarse[i]) * (mean - (double)coarse[i]);
    }
    assert_less(sqrt(gap / (96 * 96)), 0.03);
    rv_terrain_destroy(land[0]);
    rv_terrain_destroy(land[1]);
    rv_context_destroy(ctx);
}

static float wall(int x, int y) {
    return x == 40 || y == 60 ? 20000 : 0;
}

/* Moisture stays a number, however steep the land and however little a rise takes. */
static void test_walls_and_extremes(void **state) {
    (void)state;
    static const float ends[][3] = {{10, 0, 100}, {10, 1e6f, 1e7f}, {1e5f, 0, 1e7f}};
    const rv_step_info *step = rv_step_get(RV_STEP_rainfall);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        sky s = make(wall);
        rv_rainfall_params p = rv_rainfall_params_default();
        p.wind = 30;
        p.rise = ends[k][0];
        p.drift = ends[k][1];
        p.recovery = ends[k][2];
        if (rv_word_check(s.ctx, &step->word, &p) == RV_OK) {
            support_ok(s.ctx, rv_step_run(s.land, RV_STEP_rainfall, &p, NULL));
            for (int i = 0; i < SIDE * SIDE; i++)
                assert_true(rv_terrain_field(s.land, "rain")[i] >= 0 &&
                            rv_terrain_field(s.land, "rain")[i] <= 1);
        }
        end(&s);
    }
}

/* Rivers cut deeper on the side that more rain falls on. */
static void test_rivers_take_the_rain(void **state) {
    (void)state;
    double west[2];
    for (int k = 0; k < 2; k++) {
        sky s = make(ridge);
        blow(&s, k ? 90 : 270);
        rv_rivers_params p = rv_rivers_params_default();
        p.rain_field = "rain";
        p.uplift = 0;
        p.border = RV_rivers_border_open;
        support_ok(s.ctx, rv_step_run(s.land, RV_STEP_rivers, &p, NULL));
        west[k] = mean_between(rv_terrain_field(s.land, "eroded"), 24, SIDE / 2);
        end(&s);
    }
    assert_greater(west[0], 1.1 * west[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_level_land_gets_even_rain),
        cmocka_unit_test(test_a_ridge_has_a_wet_and_a_dry_side),
        cmocka_unit_test(test_a_mirror_changes_nothing),
        cmocka_unit_test(test_the_same_rain_at_any_size),
        cmocka_unit_test(test_walls_and_extremes),
        cmocka_unit_test(test_rivers_take_the_rain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
