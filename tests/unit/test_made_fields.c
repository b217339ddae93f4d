/* test_made_fields.c: noise, faults and cone make fields for the steps that take them. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 48 };

static rv_terrain *run(rv_context *ctx, const char *words) {
    return support_run(ctx, words);
}

/* From 0 to 1, and the land stays as it was. */
static void test_a_field_instead_of_heights(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const makers[] = {"noise field=f", "faults field=f", "cone field=f"};
    for (int k = 0; k < 3; k++) {
        char words[128];
        snprintf(words, sizeof words, "terrain size=48 noise seed=9 %s", makers[k]);
        rv_terrain *plain = run(ctx, "terrain size=48 noise seed=9"), *land = run(ctx, words);
        const float *f = rv_terrain_field(land, "f");
        float low = INFINITY, high = -INFINITY;
        assert_memory_equal(rv_terrain_field(land, "height"), rv_terrain_field(plain, "height"),
                            SIDE * SIDE * sizeof(float));
        for (int i = 0; i < SIDE * SIDE; i++) {
            low = fminf(low, f[i]);
            high = fmaxf(high, f[i]);
        }
        assert_equal(low, 0);
        assert_equal(high, 1);
        rv_terrain_destroy(plain);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* Modes combine with the field that is there; a mask holds. */
static void test_modes_and_masks(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *one = run(ctx, "terrain size=48 cone field=f");
    rv_terrain *two = run(ctx, "terrain size=48 cone field=f cone field=f mode=add");
    rv_terrain *square = run(ctx, "terrain size=48 cone field=f cone field=f mode=multiply");
    rv_terrain *half =
        run(ctx, "terrain size=48 noise select name=mask where=\"height > 300\" cone "
                 "field=f");
    const float *f = rv_terrain_field(one, "f"), *mask = rv_terrain_field(half, "mask");
    for (int i = 0; i < SIDE * SIDE; i++) {
        assert_near(rv_terrain_field(two, "f")[i], fmin(1, 2 * (double)f[i]), 1e-6);
        assert_near(rv_terrain_field(square, "f")[i], f[i] * f[i], 1e-6);
        assert_near(rv_terrain_field(half, "f")[i], mask[i] * f[i], 1e-6);
    }
    rv_terrain_destroy(one);
    rv_terrain_destroy(two);
    rv_terrain_destroy(square);
    rv_terrain_destroy(half);
    rv_context_destroy(ctx);
}

/* A mask that is made anew, and hardness that is added twice: steps that follow keep their ledger,
 * which is checked after each. */
static void test_what_acts_at_once_is_a_share(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = run(ctx, "terrain size=48 cone field=g cone field=mask");
    assert_memory_equal(rv_terrain_field(land, "mask"), rv_terrain_field(land, "g"),
                        SIDE * SIDE * sizeof(float));
    rv_terrain_destroy(land);
    rv_terrain_destroy(run(ctx, "terrain size=48 noise noise field=hardness noise field=hardness "
                                "mode=add seed=2 noise field=mask noise field=mask mode=add "
                                "droplets drops=300 particles drops=300 rivers steps=5"));
    rv_context_destroy(ctx);
}

static void test_names_are_checked_before_work_starts(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const refused[][2] = {
        {"terrain size=48 noise field=flow", "field of other steps"},
        {"terrain size=48 faults field=aspect", "no name for a field"},
        {"terrain size=48 layer cone field=soil", "is a layer"},
        {"terrain size=48 layer noise layer=soil field=f", "not both"},
    };
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        assert_int_equal(rv_recipe_run_text(ctx, refused[k][0], NULL, NULL), RV_ERROR_USAGE);
        assert_non_null(strstr(rv_context_error(ctx), refused[k][1]));
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_field_instead_of_heights),
        cmocka_unit_test(test_modes_and_masks),
        cmocka_unit_test(test_what_acts_at_once_is_a_share),
        cmocka_unit_test(test_names_are_checked_before_work_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
