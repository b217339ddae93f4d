/* What water does to land by default, with runoff and with pipes: it favours no direction of the
 * grid, makes the same land of cells of half the size, digs no pits, and comes to an end. And how
 * wide the channels are that steps cut. */
#include "land_measures.h"

static const char *const waters[] = {"runoff rounds=300", "pipes time=300"};

static land_pair land_at(rv_context *ctx, int size, int cell, const char *noise, const char *step) {
    char start[128];
    snprintf(start, sizeof start, "terrain size=%d cell=%d noise %s", size, cell, noise);
    return land_pair_make(ctx, start, step);
}

static void no_direction_of_the_grid_shows(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int k = 0; k < 2; k++) {
        int size = support_short() ? 128 : 256;
        land_pair pair = land_at(ctx, size, 2560 / size, "relief=500", waters[k]);
        land_evenness even = land_pair_evenness(&pair);
        print_message("%s: diagonal %.2f, axis %.2f\n", waters[k], even.diagonal, even.axis);
        assert_less(even.diagonal, 1.15);
        assert_greater(even.diagonal, 0.9);
        int before = land_pits(pair.before, pair.width, pair.height, 5);
        assert_less_equal(land_pits(pair.after, pair.width, pair.height, 5), before);
        land_pair_free(&pair);
    }
    rv_context_destroy(ctx);
}

static void cells_of_half_the_size_make_the_same_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    int size = support_short() ? 64 : 128;
    for (int k = 0; k < 2; k++) {
        land_pair coarse = land_at(ctx, size, 20, "octaves=6 relief=300", waters[k]);
        land_pair fine = land_at(ctx, 2 * size, 10, "octaves=6 relief=300", waters[k]);
        land_agreement same = land_agreement_at(&coarse, &fine, size / 2, 300);
        print_message("%s: change %.2f and %.2f m, difference %.2f %%, correlation %.3f\n",
                      waters[k], same.rms[0], same.rms[1], 100 * same.difference, same.correlation);
        assert_less(same.difference, 0.02);
        assert_greater(same.correlation, 0.97);
        land_pair_free(&coarse);
        land_pair_free(&fine);
    }
    rv_context_destroy(ctx);
}

/* In metres; of the narrowest tenth also in cells. */
static double channel_width(rv_context *ctx, int cell, const char *step, double *narrow) {
    double cells[2];
    land_pair pair = land_at(ctx, 1920 / cell, cell, "relief=400", step);
    land_channel_widths(&pair, 120 / cell, cells);
    print_message("%s, cells of %d m: channels %.0f m wide, of the narrowest tenth %.1f cells\n",
                  step, cell, cells[1] * cell, cells[0]);
    *narrow = cells[0];
    land_pair_free(&pair);
    return cells[1] * cell;
}

/* A channel is about as wide in metres whatever the cells are, and never a slot one cell wide. */
static void channels_have_a_width_in_metres(void **state) {
    (void)state;
    static const char *const steps[] = {"runoff rounds=300", "pipes time=300", "particles"};
    rv_context *ctx = support_context(2);
    double narrow;
    for (int k = 0; k < 3; k++) {
        double coarse = channel_width(ctx, 20, steps[k], &narrow);
        assert_greater(narrow, 2);
        double fine = channel_width(ctx, 10, steps[k], &narrow);
        assert_greater(narrow, 3);
        assert_greater(fine / coarse, 0.7); /* three of the coarse cells are 60 m */
        assert_less(fine / coarse, 1.1);
    }
    channel_width(ctx, 10, "runoff rounds=300 width=0", &narrow);
    assert_less(narrow, 2); /* the paper's slots are seen as such */
    rv_context_destroy(ctx);
}

/* On gentle slopes water carries little: rivers do not cut down to the lowest point of the map. */
static void water_does_not_cut_without_end(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    land_pair pair = land_pair_make(ctx, "terrain size=96 noise relief=600", "runoff rounds=3000");
    float deepest = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < pair.width * pair.height; i++) {
        deepest = fmaxf(deepest, pair.before[i] - pair.after[i]);
        low = fminf(low, pair.before[i]);
        high = fmaxf(high, pair.before[i]);
    }
    print_message("cut %.0f m deep into a relief of %.0f m\n", (double)deepest,
                  (double)(high - low));
    assert_less(deepest, 0.3f * (high - low));
    land_pair_free(&pair);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_direction_of_the_grid_shows),
        cmocka_unit_test(cells_of_half_the_size_make_the_same_land),
        cmocka_unit_test(channels_have_a_width_in_metres),
        cmocka_unit_test(water_does_not_cut_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
