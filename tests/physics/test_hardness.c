/* test_hardness.c: what every step that erodes must hold of the erosion factor that a program gives
 * as a function of the place (rv_terrain_hardness). */
#include "wear_scene.h"

#include "terrain/erosion_fn.h"
#include "terrain/state.h"

#include <stdio.h>

static const char *const wears[] = {
    "droplets drops=3k",
    "droplets drops=3k border=wall radius=4cells blend=0.5 blur=1cell",
    "droplets drops=3k border=apron margin=12cells",
    "particles drops=3k",
    "particles drops=3k border=wall place=nearest",
    "droplets drops=3k order=batch border=apron margin=12cells",
    "particles drops=3k order=batch",
    "runoff rounds=80",
    "runoff rounds=80 border=wall neighbours=4",
    "pipes time=60",
    "pipes time=60 border=wall neighbours=4 transport=forward",
    "thermal rounds=40 talus=20",
    "thermal rounds=40 talus=20 border=open method=slope",
    "rivers steps=8 time=200k uplift=0 border=open talus=25",
    "rivers steps=8 time=200k uplift=0 border=open diffusion=0.5 slope_power=1.5",
};
enum { WEARS = sizeof wears / sizeof wears[0] };
#define SETTLED "thermal until=settled talus=20"

#define LAYERS_ON "layer name=clay thickness=1 erodibility=0.3 layer name=sand thickness=0.5 "

/* In short form a step wears one of the lands, and each land is worn by some of them. */
static bool left_out(int step, int land, int lands) {
    return support_short() && land != step % lands;
}

typedef struct function {
    rv_erosion_factor_fn fn;
    const void *data;
} function;

/* Hills that `words` have worn where `given` lets them; NULL: everywhere. */
static rv_terrain *worn_land(rv_context *ctx, const char *before, const char *words,
                             const char *more, const function *given, rv_report *report) {
    char text[512];
    snprintf(text, sizeof text,
             "terrain width=40 height=36 noise basis=perlin frequency=10 relief=200 %s", before);
    rv_terrain *land = support_run(ctx, text);
    if (given)
        rv_terrain_hardness(land, given->fn, (void *)(uintptr_t)given->data);
    snprintf(text, sizeof text, "terrain size=2 %s %s", words, more);
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx, text, "test", &recipe));
    support_ok(ctx,
               rv_step_run(land, rv_recipe_step(recipe, 1), rv_recipe_params(recipe, 1), report));
    rv_recipe_destroy(recipe);
    return land;
}

static float full(void *user, float x, float y, float z) {
    (void)user, (void)x, (void)y, (void)z;
    return 1;
}

static float too_much(void *user, float x, float y, float z) {
    (void)user, (void)x, (void)y, (void)z;
    return 7;
}

static float none(void *user, float x, float y, float z) {
    (void)user, (void)x, (void)y, (void)z;
    return -1;
}

static float undefined(void *user, float x, float y, float z) {
    (void)user, (void)x, (void)y, (void)z;
    return NAN;
}

/* A factor of 1 everywhere, or one that counts as 1, changes no bit: on bare rock, where bands and
 * layers are, with one thread or several. */
static void factor_of_one_changes_nothing(void **state) {
    (void)state;
    static const char *const lands[] = {"", LAYERS_ON, "strata thickness=30 hardness=0.9 "};
    for (int k = 0; k < WEARS; k++)
        for (int l = 0; l < 3; l++) {
            if (left_out(k, l, 3))
                continue;
            rv_context *one = support_context(1), *some = support_context(3);
            rv_terrain *plain = worn_land(one, lands[l], wears[k], "", NULL, NULL);
            rv_terrain *with = worn_land(some, lands[l], wears[k], "", &(function){full, 0}, NULL);
            rv_terrain *above =
                worn_land(one, lands[l], wears[k], "", &(function){too_much, 0}, NULL);
            if (rv_terrain_hash(with) != rv_terrain_hash(plain) ||
                rv_terrain_hash(above) != rv_terrain_hash(plain))
                fail_msg("%s%s: a factor of 1 changes the land", lands[l], wears[k]);
            rv_terrain_destroy(plain);
            rv_terrain_destroy(with);
            rv_terrain_destroy(above);
            rv_context_destroy(one);
            rv_context_destroy(some);
        }
}

/* A factor of 0, or one that counts as 0, leaves everything where it is. */
static void factor_of_zero_erodes_nothing(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int k = 0; k <= WEARS; k++)
        for (int l = 0; l < 4; l++) {
            if (left_out(k, l, 4))
                continue;
            const char *words = k < WEARS ? wears[k] : SETTLED;
            rv_report r;
            rv_terrain *still =
                worn_land(ctx, l % 2 ? LAYERS_ON : "", "blur radius=0", "", NULL, NULL);
            rv_terrain *land = worn_land(ctx, l % 2 ? LAYERS_ON : "", words, "",
                                         &(function){l < 2 ? none : undefined, 0}, &r);
            assert_near(r.ledger.eroded, 0, 1e-9 * rv_terrain_volume(still));
            for (size_t i = 0; i < rvi_cells(land); i++) {
                double by = (double)rv_terrain_field(land, "height")[i] -
                            (double)rv_terrain_field(still, "height")[i];
                if (by < 0 || (by > 0 && !strstr(words, "apron"))) /* which brings sediment in */
                    fail_msg("%s: cell %zu rose by %g m", words, i, by);
            }
            rv_terrain_destroy(land);
            rv_terrain_destroy(still);
        }
    rv_context_destroy(ctx);
}

/* What the function is asked for lies on the map; counts the calls. */
static _Atomic int calls, outside;
static float not_below(void *user, float x, float y, float z) {
    calls++;
    outside += !(x >= 0 && x <= 390 && y >= 0 && y <= 350 && z > -500 && z < 1000);
    return z < *(const float *)user || (int)x / 40 % 4 == 0 ? 0.0f : 1.0f;
}

/* Rock stays to the bit in the columns where the function is 0 at any height and, where nothing was
 * laid on it, where it ends below the height at which the function becomes 0; bare or under layers
 * that are taken away above it. */
static void protected_rock_stays(void **state) {
    (void)state;
    static const float lowest = 100;
    rv_context *ctx = support_context(2);
    for (int k = 0; k <= WEARS; k++)
        for (int l = 0; l < 3; l++) {
            const char *words = k < WEARS ? wears[k] : SETTLED;
            const char *on = l ? LAYERS_ON : "", *more = l == 2 ? "give=same" : "";
            int lands = strstr(words, "blend") ? 1 : strstr(words, "rivers") ? 2 : 3;
            if (left_out(k, l, lands) ||
                (l == 2 && strstr(words, "rivers")) ||      /* they lay down nothing */
                (l == 2 && strstr(words, "order=batch")) || /* which knows no give=same */
                (l && strstr(words, "blend"))) /* which lowers layers whatever they are made of */
                continue;
            rv_report r;
            calls = outside = 0;
            rv_terrain *still = worn_land(ctx, on, "blur radius=0", "", NULL, NULL);
            rv_terrain *land = worn_land(ctx, on, words, more, &(function){not_below, &lowest}, &r);
            const float *was = rv_terrain_layer_thickness(still, 0);
            const float *is = rv_terrain_layer_thickness(land, 0);
            int kept = 0;
            for (size_t i = 0; i < rvi_cells(land); i++) {
                bool laid =
                    rv_terrain_field(land, "deposited")[i] > 0; /* rock on rock, but for l = 1 */
                bool low = was[i] < lowest && (l == 1 || !laid);
                bool protected = low || i % 40 / 4 % 4 == 0;
                kept += protected;
                if (protected && is[i] < was[i])
                    fail_msg("%s%s: rock at %g m was worn by %g m", on, words, (double)was[i],
                             (double)(was[i] - is[i]));
            }
            assert_in_range(kept, 100, 1300);
            assert_greater(calls, 0);
            assert_int_equal(outside, 0);
            assert_greater(r.ledger.eroded, 0);
            double open =
                r.ledger.eroded - r.ledger.deposited - r.ledger.left_map - r.ledger.suspended;
            assert_near(open, 0, 1e-6 * r.ledger.eroded);
            double change = rv_terrain_volume(land) - rv_terrain_volume(still);
            assert_near(change, r.ledger.deposited + r.ledger.raised - r.ledger.eroded,
                        1e-5 * r.ledger.eroded);
            rv_terrain_destroy(land);
            rv_terrain_destroy(still);
        }
    rv_context_destroy(ctx);
}

static float waves(int x, int y) {
    return 0.5f + 0.4f * (float)((x * 7 + y * 3) % 11) / 11;
}

/* One minus the hardness of the nearest cell. */
static float mirrored(void *user, float x, float y, float z) {
    (void)user, (void)z;
    return 1 - waves((int)(x / 10 + 0.5f), (int)(y / 10 + 0.5f));
}

/* A function that says what the field `hardness` holds gives the same bare land, to the bit. */
static void function_and_field_are_alike(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int k = 0; k < WEARS; k++) {
        rv_terrain *plain = worn_land(ctx, "", wears[k], "", NULL, NULL);
        rv_terrain *given = worn_land(ctx, "", wears[k], "", &(function){mirrored, 0}, NULL);
        rv_terrain *still = worn_land(ctx, "", "blur radius=0", "", NULL, NULL);
        size_t cells = rvi_cells(still);
        float *hard = calloc(cells, sizeof *hard);
        assert_non_null(hard);
        for (size_t i = 0; i < cells; i++)
            hard[i] = waves((int)(i % 40), (int)(i / 40));
        support_ok(ctx, rv_terrain_field_set(still, "hardness", hard));
        char text[256];
        snprintf(text, sizeof text, "terrain size=2 %s", wears[k]);
        rv_recipe *recipe;
        support_ok(ctx, rv_recipe_parse(ctx, text, "test", &recipe));
        support_ok(
            ctx, rv_step_run(still, rv_recipe_step(recipe, 1), rv_recipe_params(recipe, 1), NULL));
        rv_recipe_destroy(recipe);
        double apart = 0, effect = 0;
        for (size_t i = 0; i < cells; i++) {
            double by_field = (double)rv_terrain_field(still, "height")[i];
            apart += fabs((double)rv_terrain_field(given, "height")[i] - by_field);
            effect += fabs((double)rv_terrain_field(plain, "height")[i] - by_field);
        }
        assert_greater(effect, 0);
        assert_equal(apart, 0);
        free(hard);
        rv_terrain_destroy(plain);
        rv_terrain_destroy(given);
        rv_terrain_destroy(still);
    }
    rv_context_destroy(ctx);
}

static float place(void *user, float x, float y, float z) {
    (void)user;
    return 0.001f * x + 0.00001f * y + 0.0000001f * z;
}

/* Crop and resize leave every place the rock it had, snapshots keep the function, and land that
 * starts over has none. */
static void function_goes_with_the_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 40, 30, 10);
    rv_terrain_hardness(land, place, NULL);
    float here = rvi_erosion_fn(land, 12 * 40 + 16, 50);
    assert_near(here, 0.16 + 0.0012 + 0.000005, 1e-7);
    uint64_t hash = rv_terrain_hash(land);
    rv_snapshot *kept;
    support_ok(ctx, rv_terrain_snapshot(land, &kept));
    rv_crop_params crop = rv_crop_params_default();
    crop.x = 4, crop.y = 2, crop.width = 21, crop.height = 21;
    support_ok(ctx, rv_step_run(land, RV_STEP_crop, &crop, NULL));
    assert_equal(rvi_erosion_fn(land, 10 * 21 + 12, 50), here);
    rv_resize_params resize = rv_resize_params_default();
    resize.size = 41;
    support_ok(ctx, rv_step_run(land, RV_STEP_resize, &resize, NULL));
    assert_near(rvi_erosion_fn(land, 20 * 41 + 24, 50), here, 1e-7);
    support_ok(ctx, rv_terrain_restore(land, kept));
    assert_equal(rvi_erosion_fn(land, 12 * 40 + 16, 50), here);
    rv_terrain_hardness(land, NULL, NULL);
    assert_false(rvi_erosion_fn_there(land));
    assert_equal(rv_terrain_hash(land), hash);
    support_ok(ctx, rv_terrain_restore(land, kept));
    support_ok(ctx, rv_step_run(land, RV_STEP_terrain, NULL, NULL));
    assert_false(rvi_erosion_fn_there(land));
    rv_snapshot_destroy(kept);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_of_one_changes_nothing),
        cmocka_unit_test(factor_of_zero_erodes_nothing),
        cmocka_unit_test(protected_rock_stays),
        cmocka_unit_test(function_and_field_are_alike),
        cmocka_unit_test(function_goes_with_the_land),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
