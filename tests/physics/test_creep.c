/* What the law of diffusion says about slopes that creep, however far ground creeps in one time
 * step: `number` is D dt / cell^2. */
#include "base/random.h"
#include "river_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double numbers[] = {0.1, 1, 2, 4, 10, 30, 100};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* Nothing but one time step of creep; cells below 0 m are the sea, and stay. */
static rv_rivers_params creep(double number, double cell) {
    rv_rivers_params p = bare();
    p.border = RV_rivers_border_wall;
    p.uplift = p.erosion = 0;
    p.sea = 0;
    p.steps = 1;
    p.diffusion = 1;
    p.time = (float)(number * cell * cell);
    return p;
}

static void set(world *w, const char *field, const float *values) {
    support_ok(w->ctx, rv_terrain_field_set(w->land, field, values));
}

/* x exp(-r^2 / 2 s^2) widens to s^2 + 2 D t, and falls by the square of how much. */
static void test_a_bump_widens_as_the_law_says(void **state) {
    (void)state;
    enum { SIDE = 161, MIDDLE = SIDE / 2 };
    for (int k = 0; k < NUMBERS; k++) {
        double before = 400, after = before + 2 * numbers[k];
        world w = make(SIDE, 1, 0);
        float *h = malloc(w.cells * sizeof *h);
        for (int i = 0; i < SIDE * SIDE; i++) {
            double x = i % SIDE - MIDDLE, y = i / SIDE - MIDDLE;
            h[i] = (float)(10 + 0.1 * x * exp(-(x * x + y * y) / (2 * before)));
        }
        h[0] = -1; /* far away */
        set(&w, "height", h);
        rv_rivers_params p = creep(numbers[k], w.cell);
        run(&w, &p);
        double most = 0, fall = pow(before / after, 2);
        for (int i = 0; i < SIDE * SIDE; i++) {
            double x = i % SIDE - MIDDLE, y = i / SIDE - MIDDLE;
            double want = 10 + 0.1 * fall * x * exp(-(x * x + y * y) / (2 * after));
            if (hypot(x, y) < 60)
                most = fmax(most, fabs((double)height(&w)[i] - want));
        }
        assert_less(most, 0.06);
        free(h);
        end(&w);
    }
}

/* In so many small time steps that each cell gives its neighbours no more than a fraction. */
static void creep_slowly(double *h, const float *was, int side, double number) {
    size_t cells = (size_t)side * (size_t)side;
    int times = (int)ceil(number / 0.05);
    double *next = malloc(cells * sizeof *next);
    for (size_t i = 0; i < cells; i++)
        h[i] = (double)was[i];
    for (int t = 0; t < times; t++) {
        for (int i = 0; i < side * side; i++) {
            int x = i % side, y = i / side;
            double sum = (x > 0 ? h[i - 1] - h[i] : 0) + (x + 1 < side ? h[i + 1] - h[i] : 0) +
                         (y > 0 ? h[i - side] - h[i] : 0) + (y + 1 < side ? h[i + side] - h[i] : 0);
            next[i] = was[i] < 0 ? h[i] : h[i] + number / times * sum;
        }
        memcpy(h, next, cells * sizeof *h);
    }
    free(next);
}

/* A plain around one cell that stays sinks to it as much from the north as from the west, in a
 * funnel, and by as much as the law says. In one part rows come before columns; of several, rows
 * and columns come first in turns, which halves what is left of that. */
static void test_ground_sinks_to_one_cell_from_all_sides(void **state) {
    (void)state;
    enum { SIDE = 49, MIDDLE = SIDE / 2, CELLS = SIDE * SIDE };
    static float h[CELLS];
    static double want[CELLS];
    for (int k = 0; k < NUMBERS; k++) {
        world w = make(SIDE, 2, 0);
        for (int i = 0; i < CELLS; i++)
            h[i] = i == MIDDLE * SIDE + MIDDLE ? -0.001f : 1.0f;
        set(&w, "height", h);
        rv_rivers_params p = creep(numbers[k], w.cell);
        run(&w, &p);
        creep_slowly(want, h, SIDE, numbers[k]);
        double wrong = 0, round = 0;
        for (int i = 0; i < CELLS; i++) {
            int x = i % SIDE, y = i / SIDE;
            double got = (double)height(&w)[i];
            wrong = fmax(wrong, fabs(got - want[i]));
            round = fmax(round, fabs(got - (double)height(&w)[x * SIDE + y]));
            assert_near(got, (double)height(&w)[y * SIDE + SIDE - 1 - x], 1e-5);
            assert_near(got, (double)height(&w)[(SIDE - 1 - y) * SIDE + x], 1e-5);
        }
        assert_less(wrong, 0.25);
        assert_less(round, numbers[k] > 1 ? 0.14 : 0.22);
        end(&w);
    }
}

enum { AS_IT_IS, EAST_TO_WEST, NORTH_TO_SOUTH, ROWS_TO_COLUMNS };

static int turned(int i, int side, int how) {
    int x = i % side, y = i / side;
    return how == EAST_TO_WEST      ? y * side + side - 1 - x
           : how == NORTH_TO_SOUTH  ? (side - 1 - y) * side + x
           : how == ROWS_TO_COLUMNS ? x * side + y
                                    : i;
}

/* Rough land with lakes of the sea and a mask, creeping, laid on the map in another direction. */
static void creep_turned(int k, int side, int how, float *out) {
    world w = make(side, 1, 0);
    float *h = malloc(w.cells * sizeof *h), *mask = malloc(w.cells * sizeof *mask);
    for (int i = 0; i < side * side; i++) {
        float dice = rvi_unit(rvi_random((uint64_t)k, (uint64_t)i, 1));
        h[turned(i, side, how)] =
            dice < 0.01f ? -1.0f : rvi_unit(rvi_random((uint64_t)k, (uint64_t)i, 2));
        mask[turned(i, side, how)] = i / 7 % 5 && i / side / 6 % 4 ? 1.0f : 0.5f;
    }
    set(&w, "height", h);
    if (k & 1)
        set(&w, "mask", mask);
    rv_rivers_params p = creep(numbers[k % NUMBERS], w.cell);
    run(&w, &p);
    for (int i = 0; i < side * side; i++)
        out[i] = height(&w)[turned(i, side, how)];
    free(h);
    free(mask);
    end(&w);
}

/* Which way the map lies makes no difference: mirrored the same but for rounding, and with rows
 * for columns far less than the land has relief. */
static void test_turned_land_creeps_alike(void **state) {
    (void)state;
    enum { SIDE = 40, CELLS = SIDE * SIDE };
    static float land[4][CELLS];
    for (int k = 0; k < 2 * NUMBERS; k++) {
        double most = 0;
        for (int how = 0; how < 4; how++)
            creep_turned(k, SIDE, how, land[how]);
        for (int i = 0; i < CELLS; i++) {
            assert_near(land[EAST_TO_WEST][i], land[AS_IT_IS][i], 1e-5);
            assert_near(land[NORTH_TO_SOUTH][i], land[AS_IT_IS][i], 1e-5);
            most = fmax(most, fabs((double)(land[ROWS_TO_COLUMNS][i] - land[AS_IT_IS][i])));
        }
        assert_less(most, 0.3);
    }
}

/* Where both sides along the edge and the land behind an outlet rise from it, they do so alike:
 * rivers cut no slot along the edge or across it. Returns how many outlets were looked at. */
static int look_at_outlets(const world *w) {
    const float *h = height(w);
    int side = w->side, seen = 0;
    for (int k = 0; k < 4; k++)
        for (int at = 2; at < side - 2; at++) {
            int along = k & 1 ? side : 1, inwards = (k & 1 ? 1 : side) * (k & 2 ? -1 : 1);
            int i = at * along + (k & 2 ? (side - 1) * abs(inwards) : 0);
            double one = (double)(h[i - along] - h[i]), other = (double)(h[i + along] - h[i]);
            double in = (double)(h[i + inwards] - h[i]);
            if (fmin(fmin(one, other), in) <= 0 || fmax(one, other) < 0.3)
                continue;
            assert_less(in, 2 * 0.5 * (one + other));
            assert_greater(in, 0.5 * 0.5 * (one + other));
            seen++;
        }
    return seen;
}

static void test_no_slot_at_an_outlet(void **state) {
    (void)state;
    static const double cells[] = {0.5, 0.7, 1, 1.5, 2};
    static const int sides[] = {48, 64, 96, 120}, steps[] = {5, 20, 60}, reliefs[] = {3, 12, 40};
    int seen = 0, count = (int)support_cases(48);
    for (int k = 0; k < count; k++) {
        char recipe[200];
        world w = {.ctx = support_context(2), .side = sides[k % 4]};
        snprintf(recipe, sizeof recipe,
                 "terrain size=%d cell=%g noise seed=%d frequency=20 relief=%d rivers steps=%d",
                 w.side, cells[k % 5], k, reliefs[k / 3 % 3], steps[k % 3]);
        w.land = support_run(w.ctx, recipe);
        seen += look_at_outlets(&w);
        end(&w);
    }
    assert_greater(seen, count / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bump_widens_as_the_law_says),
        cmocka_unit_test(test_ground_sinks_to_one_cell_from_all_sides),
        cmocka_unit_test(test_turned_land_creeps_alike),
        cmocka_unit_test(test_no_slot_at_an_outlet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
