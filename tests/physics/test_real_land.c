/* What steps that wear land do by default to real land, 16 km of the Andes in cells of 85 m: they
 * favour no direction of the grid and dig no pits. First, that the measure of it is right. */
#include "land_measures.h"
#include "wear_scene.h"

enum { SIDE = 256 };

#define ANDES "open " RAVINE_SOURCE_DIR "/tests/data/andes.png "

/* Furrows `wide` cells wide through a map, in all directions or along the diagonals. */
static double *furrows(double wide, bool diagonal) {
    double *map = calloc(SIDE * SIDE, sizeof *map);
    assert_non_null(map);
    for (uint32_t n = 0, bits = 1; n < 240; n++) {
        bits = bits * 1664525 + 1013904223;
        double angle = (diagonal ? 45 + 90 * (n % 2) : n * 137 % 360) / 180.0 * 3.14159265358979;
        double x0 = (double)(bits >> 24), y0 = (double)(bits >> 16 & 255);
        for (int i = 0; i < SIDE * SIDE; i++) {
            double dx = i % SIDE - x0, dy = i / SIDE - y0;
            double beside = (dy * cos(angle) - dx * sin(angle)) / (0.5 * wide);
            double along = (dx * cos(angle) + dy * sin(angle)) / 50;
            if (fabs(beside) < 4 && fabs(along) < 2)
                map[i] -= exp(-beside * beside - along * along);
        }
    }
    return map;
}

static void furrows_of_all_directions_are_even(void **state) {
    (void)state;
    for (int wide = 2; wide <= 6; wide += support_short() ? 4 : 1) {
        double *map = furrows(wide, false), *diagonals = furrows(wide, true);
        land_evenness even = land_evenness_of(map, SIDE, SIDE);
        land_evenness uneven = land_evenness_of(diagonals, SIDE, SIDE);
        print_message("  %d cells wide: diagonal %.3f, axis %.3f\n", wide, even.diagonal,
                      even.axis);
        assert_near(even.diagonal, 1, 0.1);
        assert_near(even.axis, 1, 0.1);
        above("where all run along the diagonals", uneven.diagonal, 1.3);
        free(map);
        free(diagonals);
    }
}

static void no_direction_is_favoured_and_no_pit_dug(void **state) {
    (void)state;
    static const char *const steps[] = {"droplets", "particles", "particles order=batch",
                                        "runoff",   "pipes",     "thermal"};
    rv_context *ctx = support_context(2);
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        land_pair pair = land_pair_make(ctx, ANDES "crop x=32 y=32 width=192 height=192", steps[k]);
        land_evenness even = land_pair_evenness(&pair);
        int before = land_pits(pair.before, pair.width, pair.height, 5);
        int after = land_pits(pair.after, pair.width, pair.height, 5);
        print_message("  %s: diagonal %.2f, pits deeper than 5 m %d, then %d\n", steps[k],
                      even.diagonal, before, after);
        below("energy of the diagonals", even.diagonal, 1.15);
        above("energy of the diagonals", even.diagonal, 0.9);
        assert_less_equal(after, before);
        land_pair_free(&pair);
    }
    rv_context_destroy(ctx);
}

/* Where a land has slopes of some direction the change has it too. Thermal moves ground in few
 * places, the steepest, and of drawn Andes those face north and south; billow has few valleys. */
static void the_land_gives_the_direction_not_the_grid(void **state) {
    (void)state;
    static const char *const andes = ANDES "crop x=64 y=64 width=97 height=97 resize width=385";
    static const char *const billow = "terrain size=192 cell=20 noise shape=billow";
    const struct {
        const char *step, *start;
    } cases[] = {{"thermal", andes},
                 {"thermal", billow},
                 {"particles", billow},
                 {"particles order=batch", billow}};
    rv_context *ctx = support_context(2);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        land_directions d = land_directions_of(ctx, cases[k].start, cases[k].step);
        below("energy of the diagonals, the step's own", d.own, 1.15);
        above("energy of the diagonals, the step's own", d.own, 0.9);
    }
    rv_context_destroy(ctx);
}

/* 8 km in cells of 85 and of 43 m, far wider than the discs that drops and particles erode in
 * nature. */
static void finer_cells_give_the_same_land(void **state) {
    (void)state;
    static const char *const steps[] = {"droplets", "particles", "particles order=batch"};
    rv_context *ctx = support_context(2);
    for (int k = 0; k < 3; k++) {
        land_pair coarse =
            land_pair_make(ctx, ANDES "crop x=32 y=32 width=160 height=160", steps[k]);
        land_pair fine = land_pair_make(ctx,
                                        ANDES "crop x=32 y=32 width=161 height=161 resize "
                                              "width=321 crop width=320 height=320",
                                        steps[k]);
        land_agreement same = land_agreement_at(&coarse, &fine, 80, 3000);
        above("correlation of the change", same.correlation, 0.97);
        below("difference of the change, as a share of the relief", same.difference, 0.02);
        land_pair_free(&coarse);
        land_pair_free(&fine);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(furrows_of_all_directions_are_even),
        cmocka_unit_test(no_direction_is_favoured_and_no_pit_dug),
        cmocka_unit_test(the_land_gives_the_direction_not_the_grid),
        cmocka_unit_test(finer_cells_give_the_same_land),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
