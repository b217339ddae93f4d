/* What must hold for the land that drops and particles leave, with no parameter told: it is the
 * same at half the cell size, favours no direction of the grid, and has no pit that was not there.
 */
#include "land_measures.h"
#include "wear_scene.h"

static const char *const steps[] = {"droplets", "droplets order=batch", "particles",
                                    "particles order=batch"};
enum { STEPS = sizeof steps / sizeof steps[0] };

static land_pair pair_of(rv_context *ctx, const char *size, const char *shape, const char *step) {
    char start[256];
    snprintf(start, sizeof start, "terrain %s noise seed=3 relief=400 frequency=0.8 %s", size,
             shape);
    return land_pair_make(ctx, start, step);
}

/* 2560 m of land in cells of 20 and of 10 m. */
static void finer_cells_give_the_same_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int k = 0; k < STEPS; k++) {
        land_pair coarse = pair_of(ctx, "size=128 cell=20", "", steps[k]);
        land_pair fine = pair_of(ctx, "size=256 cell=10", "", steps[k]);
        land_agreement same = land_agreement_at(&coarse, &fine, 64, 400);
        print_message("  %s: change %.3g and %.3g m\n", steps[k], same.rms[0], same.rms[1]);
        assert_greater(same.rms[0], 1);
        above("correlation of the change", same.correlation, 0.97);
        below("difference of the change, as a share of the relief", same.difference, 0.02);
        land_pair_free(&coarse);
        land_pair_free(&fine);
    }
    rv_context_destroy(ctx);
}

/* Cells far wider than the radius that is meant: a drop erodes what the cells can show, but takes
 * no more than on finer ones. 7.7 km of land in cells of 80 and of 40 m. */
static void coarse_cells_wear_as_little(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int k = 0; k < STEPS; k++) {
        land_pair coarse = pair_of(ctx, "size=96 cell=80", "relief=1500 octaves=6", steps[k]);
        land_pair fine = pair_of(ctx, "size=192 cell=40", "relief=1500 octaves=6", steps[k]);
        land_agreement same = land_agreement_at(&coarse, &fine, 48, 1500);
        print_message("  %s: change %.3g and %.3g m\n", steps[k], same.rms[0], same.rms[1]);
        assert_greater(same.rms[0], 1);
        above("correlation of the change", same.correlation, 0.97);
        below("difference of the change, as a share of the relief", same.difference, 0.02);
        assert_near(same.rms[0] / same.rms[1], 1, 0.15);
        const land_pair *both[] = {&coarse, &fine};
        for (int i = 0; i < 2; i++)
            assert_less_equal(land_pits(both[i]->after, both[i]->width, both[i]->height, 5),
                              land_pits(both[i]->before, both[i]->width, both[i]->height, 5));
        land_pair_free(&coarse);
        land_pair_free(&fine);
    }
    rv_context_destroy(ctx);
}

static void no_direction_is_favoured_and_no_pit_dug(void **state) {
    (void)state;
    static const char *const shapes[] = {"", "shape=ridged", "shape=billow", "strata"};
    rv_context *ctx = support_context(2);
    for (int k = 0; k < STEPS; k++) {
        double diagonal = 0; /* of all four, for each has few valleys and they run somewhere */
        for (int i = 0; i < 4; i++) {
            land_pair pair = pair_of(ctx, "size=192 cell=10", shapes[i], steps[k]);
            land_evenness even = land_pair_evenness(&pair);
            int before = land_pits(pair.before, pair.width, pair.height, 5);
            int after = land_pits(pair.after, pair.width, pair.height, 5);
            print_message("  %s %s: pits deeper than 5 m %d, then %d\n", steps[k], shapes[i],
                          before, after);
            diagonal += even.diagonal / 4;
            assert_less_equal(after, before);
            land_pair_free(&pair);
        }
        below("energy of the diagonals", diagonal, 1.15);
        above("energy of the diagonals", diagonal, 0.9);
    }
    rv_context_destroy(ctx);
}

/* What a drop carries at its end stays on the land, however short its path. */
static void nothing_stays_suspended(void **state) {
    (void)state;
    static const char *const short_paths[] = {
        "droplets max_path=4cells border=wall", "droplets max_path=4cells border=wall order=batch",
        "particles max_path=4 border=wall", "particles max_path=4 border=wall order=batch"};
    rv_context *ctx = support_context(2);
    for (int k = 0; k < STEPS; k++) {
        char words[256];
        snprintf(words, sizeof words, "terrain size=96 noise %s", short_paths[k]);
        rv_terrain *land = support_run(ctx, words);
        rv_ledger ledger = rv_terrain_ledger(land);
        above("eroded, m3", ledger.eroded, 1000);
        below("share of it that stays suspended", ledger.suspended / ledger.eroded, 0.01);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finer_cells_give_the_same_land),
        cmocka_unit_test(coarse_cells_wear_as_little),
        cmocka_unit_test(no_direction_is_favoured_and_no_pit_dug),
        cmocka_unit_test(nothing_stays_suspended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
