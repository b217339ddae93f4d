/* test_strata.c: bands lie where the formula says, whatever the resolution, and what wears the land
 * takes less of the hard ones. */
#include "base/context.h"
#include "formats/checkpoint.h"
#include "support.h"
#include "terrain/bands.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static rv_terrain *banded(rv_context *ctx, int width, int height, float cell,
                          const rv_strata_params *p) {
    rv_terrain *land = support_land(ctx, width, height, cell);
    support_ok(ctx, rv_step_run(land, RV_STEP_strata, p, NULL));
    return land;
}

static rv_strata_params plain_bands(void) { /* level, of 50 m, soft and hard by turns */
    rv_strata_params p = rv_strata_params_default();
    p.thickness = 50;
    p.vary = p.tilt = p.fold = p.wobble = 0;
    p.hardness = 0.75f;
    return p;
}

static void level_bands_lie_one_above_the_other(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_strata_params p = plain_bands();
    rv_terrain *land = banded(ctx, 4, 4, 1, &p);
    for (int z = -5000; z < 5000; z++) {
        int band = (int)floor(((double)z + 0.5) / 50);
        float want = band % 2 ? 0.25f : 1.0f;
        assert_equal(rvi_strata_softness(&land->strata, 17, 3, (float)z + 0.5f), want);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* The height of an edge by the formula in strata.c, without wobble. */
static void tilted_and_folded_edges(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const float tilts[] = {0, 7, 30, 75}, directions[] = {0, 45, 90, 200, 360};
    for (int t = 0; t < 4; t++)
        for (int d = 0; d < 5; d++) {
            rv_strata_params p = plain_bands();
            p.tilt = tilts[t];
            p.direction = directions[d];
            p.fold = 33;
            p.fold_length = 700;
            rv_terrain *land = banded(ctx, 4, 4, 1, &p);
            double a = (double)tilts[t] * acos(-1) / 180,
                   b = (double)directions[d] * acos(-1) / 180;
            for (int i = 0; i < 400; i++) {
                double x = 37.0 * (i % 20), y = 53.0 * (i / 20);
                double along = x * sin(b) - y * cos(b); /* north is up: -y */
                double edge = 33 * sin(2 * acos(-1) * along / 700) - along * tan(a);
                float got;
                rvi_strata_row(&land->strata, x, y, 1, 1, &got);
                assert_near((double)got, edge, 1e-3 + 1e-6 * fabs(edge));
                double thick = 50 / cos(a);
                for (int k = -3; k < 3; k++) { /* above and below each edge */
                    float z = (float)(edge + k * thick);
                    float up = rvi_strata_softness(&land->strata, x, y, z + 0.1f);
                    float down = rvi_strata_softness(&land->strata, x, y, z - 0.1f);
                    assert_equal(up, k % 2 ? 0.25f : 1.0f);
                    assert_equal(down, k % 2 ? 1.0f : 0.25f);
                }
            }
            rv_terrain_destroy(land);
        }
    rv_context_destroy(ctx);
}

static void wobble_and_variety_stay_in_bounds(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_strata_params p = plain_bands();
    p.wobble = 40;
    p.vary = 1;
    rv_terrain *land = banded(ctx, 4, 4, 1, &p);
    float low = 0, high = 0, thin = 1e9f, thick = 0;
    static float row[400];
    for (int y = 0; y < 100; y++) {
        rvi_strata_row(&land->strata, 0, 100.0 * y, 25, 400, row);
        for (int i = 0; i < 400; i++) {
            low = row[i] < low ? row[i] : low;
            high = row[i] > high ? row[i] : high;
        }
    }
    assert_greater_equal(low, -40.001f);
    assert_less_equal(high, 40.001f);
    assert_less(low, -15);
    assert_greater(high, 15);
    int start = 0, hard = 0;
    for (int z = 1; z < 64 * 500; z++) { /* tenths of a metre, all 64 bands */
        float was = rvi_strata_band(&land->strata, 0.1f * (float)(z - 1));
        float is = rvi_strata_band(&land->strata, 0.1f * (float)z);
        assert_true(is == 1.0f || (is >= 0.25f && is <= 0.625f));
        hard += is < 1.0f;
        if (was == is)
            continue;
        float span = 0.1f * (float)(z - start);
        if (start > 0) {
            thin = span < thin ? span : thin;
            thick = span > thick ? span : thick;
        }
        start = z;
    }
    printf("bands of %g to %g m, %g hard\n", (double)thin, (double)thick, hard / (64 * 500.0));
    assert_greater_equal(thin, 9.8f);
    assert_less_equal(thick, 90.2f);
    assert_greater(thick, 60);
    assert_less(thin, 40);
    assert_greater(hard, 0.42 * 64 * 500);
    assert_less(hard, 0.58 * 64 * 500);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A slope to the south under rain, each band of which takes the same water. */
static double worn(rv_terrain *land, int side, float cell, bool hard) {
    const float *eroded = rv_terrain_field(land, "eroded");
    const rvi_strata *s = &land->strata;
    double sum = 0, count = 0;
    for (int y = side / 5; y < side - side / 5; y++)
        for (int x = side / 8; x < side - side / 8; x++) {
            double px = (double)cell * x, py = (double)cell * y;
            float z = 1000 - 0.5f * cell * (float)y;
            bool is = rvi_strata_softness(s, px, py, z) < 1;
            if (is != hard)
                continue;
            sum += (double)eroded[y * side + x];
            count += 1;
        }
    return sum / count;
}

static rv_terrain *worn_slope(rv_context *ctx, int side, float cell, float hardness, int drops) {
    rv_strata_params p = plain_bands();
    p.thickness = 150;
    p.tilt = 5;
    p.direction = 70;
    p.hardness = hardness;
    rv_terrain *land = banded(ctx, side, side, cell, &p);
    float *h = malloc((size_t)(side * side) * sizeof(float));
    assert_non_null(h);
    for (int i = 0; i < side * side; i++)
        h[i] = 1000 - 0.5f * cell * (float)(i / side);
    support_ok(ctx, rv_terrain_field_set(land, "height", h));
    free(h);
    rv_droplets_params d = rv_droplets_params_default();
    d.drops = drops;
    d.radius = 20;
    d.move = 10;
    support_ok(ctx, rv_step_run(land, RV_STEP_droplets, &d, NULL));
    return land;
}

static void hard_bands_wear_less(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const float hardness[] = {0, 0.5f, 0.9f, 1};
    double last = 10;
    for (int k = 0; k < 4; k++) {
        rv_terrain *land = worn_slope(ctx, 160, 10, hardness[k], 1000);
        if (k == 0) {
            assert_false(rvi_strata_there(land));
            rv_terrain_destroy(land);
            continue;
        }
        double share = worn(land, 160, 10, true) / worn(land, 160, 10, false);
        printf("hardness %g: hard bands lose %.3f of what soft ones do\n", (double)hardness[k],
               share);
        assert_less(share, last);
        assert_less(share, 1 - 0.3 * (double)hardness[k]);
        last = share;
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* Rock that cannot be worn at all stays, to the bit, where no drop's plane reaches out of it. */
static void unwearable_rock_stays(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_strata_params p = plain_bands();
    p.hardness = 1;
    p.thickness = 5000; /* band -1, from -5000 to 0 m, is hard */
    for (int layered = 0; layered < 2; layered++) {
        rv_terrain *land = support_run(ctx, "terrain size=80 noise level low=-2000 high=-1000");
        if (layered)
            support_ok(ctx, rv_step_run(land, RV_STEP_layer, NULL, NULL));
        static float rock[80 * 80];
        memcpy(rock, rv_terrain_layer_thickness(land, 0), sizeof rock);
        support_ok(ctx, rv_step_run(land, RV_STEP_strata, &p, NULL));
        rv_report report = {0};
        support_ok(ctx, rv_step_run(land, RV_STEP_droplets, NULL, &report));
        assert_memory_equal(rock, rv_terrain_layer_thickness(land, 0), sizeof rock);
        assert_equal(report.ledger.eroded > 0, layered); /* the soil above is as soft as ever */
        double l = report.ledger.deposited + report.ledger.left_map + report.ledger.suspended;
        assert_less_equal(fabs(report.ledger.eroded - l), 1e-6 * report.ledger.eroded);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* Bands are metres: more cells show the same ones. Cutting the map does not move them. */
static void cells_do_not_matter(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    const char *text = "terrain width=101 height=81 cell=20 noise strata fold=50 tilt=10 ";
    static const char *const more[] = {"", "resize width=201", "crop x=10 y=20",
                                       "crop x=4 crop x=6 y=20"};
    rv_terrain *lands[4];
    for (int k = 0; k < 4; k++) {
        char recipe[200];
        snprintf(recipe, sizeof recipe, "%s%s", text, more[k]);
        lands[k] = support_run(ctx, recipe);
    }
    float first[60], same[120], cut[50], twice[50];
    rvi_strata_row(&lands[0]->strata, 200, 400, 20, 60, first);
    rvi_strata_row(&lands[1]->strata, 200, 400, 10, 120, same);
    rvi_strata_row(&lands[2]->strata, 0, 0, 20, 50, cut);
    rvi_strata_row(&lands[3]->strata, 0, 0, 20, 50, twice);
    for (int i = 0; i < 50; i++) {
        assert_equal(first[i], same[2 * i]);
        assert_equal(first[i], cut[i]);
        assert_equal(first[i], twice[i]);
    }
    /* What wears by them is alike too. */
    rv_terrain *coarse = worn_slope(ctx, 81, 20, 0.9f, 1000);
    rv_terrain *fine = worn_slope(ctx, 161, 10, 0.9f, 1000);
    double a = worn(coarse, 81, 20, true) / worn(coarse, 81, 20, false);
    double b = worn(fine, 161, 10, true) / worn(fine, 161, 10, false);
    printf("hard beside soft: %.3f at 20 m, %.3f at 10 m\n", a, b);
    assert_near(a, b, 0.15);
    for (int k = 0; k < 4; k++)
        rv_terrain_destroy(lands[k]);
    rv_terrain_destroy(coarse);
    rv_terrain_destroy(fine);
    rv_context_destroy(ctx);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    for (int layered = 0; layered < 2; layered++) {
        uint64_t first = 0;
        for (int k = 0; k < 4; k++) {
            rv_context *ctx = support_context(threads[k]);
            rv_terrain *land =
                support_run(ctx, layered ? "terrain width=97 height=130 noise strata fold=30 layer "
                                           "droplets drops=2k border=apron margin=20cells"
                                         : "terrain width=97 height=130 noise strata fold=30 "
                                           "droplets drops=2k border=apron margin=20cells");
            first = k ? first : rv_terrain_hash(land);
            assert_equal(rv_terrain_hash(land), first);
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
        }
    }
}

/* A plateau of level bands whose west side sinks: rivers that cut through several bands in a time
 * step take each at its own rate. */
static rv_terrain *plateau(rv_context *ctx, int steps) {
    char text[512];
    snprintf(text, sizeof text,
             "terrain width=96 height=48 cell=50 level low=995 high=1000 "
             "noise mode=add relief=5 frequency=2 strata thickness=40 vary=0 tilt=0 wobble=0 "
             "rivers time=400k steps=%d uplift=0 erosion=8 border=west base=0 diffusion=0 talus=90 "
             "vary=0 wander=0 source=0.001",
             steps);
    return support_run(ctx, text);
}

static void rivers_cut_bands_alike_in_few_steps(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *few = plateau(ctx, 60), *many = plateau(ctx, 800);
    const float *a = rv_terrain_field(few, "height"), *b = rv_terrain_field(many, "height");
    double sum = 0.0, apart = 0.0, cells = 96.0 * 48.0;
    for (int i = 0; i < 96 * 48; i++) {
        sum += (double)a[i] - (double)b[i];
        apart += fabs((double)a[i] - (double)b[i]);
    }
    assert_near(sum / cells, 0.0, 2.0);
    assert_near(apart / cells, 0.0, 10.0);
    rv_terrain_destroy(few);
    rv_terrain_destroy(many);
    rv_context_destroy(ctx);
}

/* In steady state S = (U / (K factor))^(1/n), with m = 0: hard bands are as much steeper as that
 * says, where neither end of a slope is near an edge of bands. */
static void check_steady_bands(float slope_power) {
    rv_context *ctx = support_context(2);
    char text[512];
    snprintf(text, sizeof text,
             "terrain width=160 height=3 cell=10 strata thickness=50 vary=0 tilt=0 wobble=0 "
             "hardness=0.75 rivers time=20M steps=4000 uplift=0.05 erosion=0.5 area_power=0 "
             "slope_power=%g border=west diffusion=0 talus=90 vary=0 wander=0 source=0",
             (double)slope_power);
    rv_terrain *land = support_run(ctx, text);
    const float *h = rv_terrain_field(land, "height");
    int seen[2] = {0};
    for (int x = 161; x < 319; x++) { /* the row in the middle */
        double low = (double)h[x - 1], high = (double)h[x], from = floor(low / 50) * 50;
        bool hard = (int)floor(low / 50) % 2 != 0;
        if (low < from + 2 || high > from + 48)
            continue;
        double want = pow(0.1 / (hard ? 0.25 : 1.0), 1 / (double)slope_power);
        assert_near((high - low) / 10 / want, 1, 0.01);
        seen[hard]++;
    }
    assert_true(seen[0] > 10 && seen[1] > 5);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void slopes_in_steady_state_follow_the_bands(void **state) {
    (void)state;
    check_steady_bands(1.0f);
    check_steady_bands(1.5f);
}

/* How far it is down to the next band: there is another one below, and not before. */
static void the_next_band_lies_as_deep_as_told(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_run(ctx, "terrain size=12 strata vary=1 tilt=0 wobble=0");
    const rvi_strata *s = &land->strata;
    for (int i = -5000; i < 5000; i++) {
        float z = 1.37f * (float)i;
        double left = rvi_band_left(s->edge, s->thickness, z);
        assert_true(left > 0.0 && left < 2.0 * (double)s->thickness);
        float inside = rvi_strata_band(s, z), next = rvi_strata_band(s, (float)((double)z - left));
        float before = rvi_strata_band(s, (float)((double)z - left + 0.02 * (double)s->thickness));
        assert_true((inside < 1.0f) != (next < 1.0f));
        assert_true(left < 0.02 * (double)s->thickness || before == inside);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Land can be as high as a float can say: every place has a band. The sanitizer looks at the
 * numbers on the way. */
static void any_height_has_a_band(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const float heights[] = {0.0f, -0.0f, 1e-40f, 1e9f, 0x1p31f, 0x1p63f, 1e30f, FLT_MAX};
    rv_terrain *land =
        support_run(ctx, "terrain size=12 noise strata thickness=0.1 tilt=80 fold=9");
    const rvi_strata *s = &land->strata;
    for (size_t k = 0; k < sizeof heights / sizeof heights[0]; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            float z = (float)sign * heights[k];
            float factor = rvi_strata_band(s, z);
            assert_true(factor >= 0.0f && factor <= 1.0f);
            assert_true(rvi_band_left(s->edge, s->thickness, z) > 0.0);
            factor = rvi_strata_softness(s, 1e6, -1e6, z);
            assert_true(factor >= 0.0f && factor <= 1.0f);
        }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* The same through all that wears rock, and from a checkpoint; files of such land are refused. */
static void heights_of_any_size(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    float high[12 * 12];
    for (int i = 0; i < 12 * 12; i++)
        high[i] = i % 2 ? 1e30f : -1e30f + (float)(i / 12) * 1e28f;
    for (int id = 0; id < RV_STEP_COUNT; id++) {
        if (rv_step_get((rv_step_id)id)->kind != RV_KIND_WEAR)
            continue;
        rv_terrain *land = support_run(ctx, "terrain size=12 strata");
        support_ok(ctx, rv_terrain_field_set(land, "height", high));
        rv_status status = rv_step_run(land, (rv_step_id)id, NULL, NULL);
        if (status != RV_OK) /* then there is a sentence */
            assert_greater(strlen(rv_context_error(ctx)), 0);
        rv_terrain_destroy(land);
    }
    rv_terrain *land = support_run(ctx, "terrain size=12 strata");
    support_ok(ctx, rv_terrain_field_set(land, "height", high));
    char words[64];
    snprintf(words, sizeof words, "# Ravine %s\nterrain thermal rounds=3", rv_version());
    rvi_checkpoint saved = {.land = land, .text = words, .numbers = {1, 1}};
    support_ok(ctx, rvi_checkpoint_write(ctx, "high.ck", &saved));
    support_ok(ctx, rv_recipe_resume(ctx, "high.ck", NULL, NULL));
    rv_save_params save = rv_save_params_default();
    static const char *const files[] = {"high.npy", "high.r32"};
    for (size_t k = 0; k < 2; k++) {
        char text[64];
        save.file = files[k];
        support_ok(ctx, rv_step_run(land, RV_STEP_save, &save, NULL));
        snprintf(text, sizeof text, "open %s strata thermal", files[k]);
        assert_int_equal(rv_recipe_run_text(ctx, text, NULL, NULL), RV_ERROR_INPUT);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Bands are part of the terrain: of its hash, of snapshots and checkpoints; a new land has none. */
static void bands_belong_to_the_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_run(ctx, "terrain size=20 noise layer");
    uint64_t bare = rv_terrain_hash(land);
    rv_strata_params p = rv_strata_params_default();
    support_ok(ctx, rv_step_run(land, RV_STEP_strata, &p, NULL));
    uint64_t hash = rv_terrain_hash(land);
    assert_not_equal(hash, bare);
    rv_snapshot *snapshot;
    support_ok(ctx, rv_terrain_snapshot(land, &snapshot));
    rvi_checkpoint saved = {.land = land, .text = "noise"}, got;
    support_ok(ctx, rvi_checkpoint_write(ctx, "bands.ck", &saved));
    support_ok(ctx, rvi_checkpoint_read(ctx, "bands.ck", &got));
    assert_equal(rv_terrain_hash(got.land), hash);
    assert_equal(rv_terrain_layer(got.land, 1).colour, rv_terrain_layer(land, 1).colour);
    rv_terrain_destroy(got.land);
    rvi_free(ctx, got.text);
    remove("bands.ck");
    p.seed++;
    support_ok(ctx, rv_step_run(land, RV_STEP_strata, &p, NULL));
    assert_not_equal(rv_terrain_hash(land), hash);
    support_ok(ctx, rv_terrain_restore(land, snapshot));
    assert_equal(rv_terrain_hash(land), hash);
    p.hardness = 0; /* the end of all bands */
    support_ok(ctx, rv_step_run(land, RV_STEP_strata, &p, NULL));
    assert_equal(rv_terrain_hash(land), bare);
    support_ok(ctx, rv_terrain_restore(land, snapshot));
    support_ok(ctx, rv_step_run(land, RV_STEP_terrain, NULL, NULL));
    assert_false(rvi_strata_there(land));
    rv_snapshot_destroy(snapshot);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_bands_lie_one_above_the_other),
        cmocka_unit_test(tilted_and_folded_edges),
        cmocka_unit_test(wobble_and_variety_stay_in_bounds),
        cmocka_unit_test(hard_bands_wear_less),
        cmocka_unit_test(unwearable_rock_stays),
        cmocka_unit_test(cells_do_not_matter),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(any_height_has_a_band),
        cmocka_unit_test(rivers_cut_bands_alike_in_few_steps),
        cmocka_unit_test(slopes_in_steady_state_follow_the_bands),
        cmocka_unit_test(the_next_band_lies_as_deep_as_told),
        cmocka_unit_test(heights_of_any_size),
        cmocka_unit_test(bands_belong_to_the_land),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
