/* The bent cells of the coarsest level of rivers: what it begins with comes from the place that
 * what it changed goes back to. */
#include "support.h"

#include <math.h>

#include "steps/rivers/river_cell.h"

/* How far a cell's place is from where it should be, in cells. */
static double missed(int width, int height, uint64_t seed, int x, int y) {
    double place_x, place_y, from_x, from_y;
    rvi_level_bent(width, height, seed, x, y, &place_x, &place_y);
    assert_greater_equal(place_x, 0);
    assert_less_equal(place_x, width - 1);
    assert_greater_equal(place_y, 0);
    assert_less_equal(place_y, height - 1);
    rvi_level_bend(width, height, seed, 1, place_x, place_y, &from_x, &from_y);
    return hypot(from_x - x, from_y - y);
}

/* Where rows bend most sharply a few cells come near it only. */
static void test_what_is_bent_goes_back(void **state) {
    (void)state;
    double far = 0, all = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        int width = 32 + (int)(seed * 37 % 90), height = 32 + (int)(seed * 53 % 70);
        int wrong = 0;
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                double by = missed(width, height, seed, x, y);
                wrong += by > 0.1;
                assert_less(by, 4); /* than which no cell lies farther off */
            }
        far += wrong;
        all += width * height;
        assert_less(wrong, 0.05 * width * height);
    }
    assert_less(far, 0.01 * all);
}

/* Rivers leave the map where the coarsest level has it that they do. */
static void test_the_edge_is_straight(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++)
        for (int i = 0; i < 50; i++) {
            double x, y;
            rvi_level_bent(50, 50, seed, i, seed % 2 ? 0 : 49, &x, &y);
            assert_equal(x, i);
            assert_equal(y, seed % 2 ? 0 : 49);
            rvi_level_bent(50, 50, seed, seed % 2 ? 0 : 49, i, &x, &y);
            assert_equal(x, seed % 2 ? 0 : 49);
            assert_equal(y, i);
        }
}

/* Places that are near each other stay so: rows bend, they do not break. */
static void test_rows_bend_smoothly(void **state) {
    (void)state;
    double far = 0;
    for (uint64_t seed = 0; seed < 100; seed++)
        for (int i = 0; i < 90; i++) {
            double x, y, next_x, next_y;
            rvi_level_bend(100, 100, seed, 1, 5 + i, 40, &x, &y);
            rvi_level_bend(100, 100, seed, 1, 5 + i + 0.01, 40, &next_x, &next_y);
            assert_less(hypot(next_x - x, next_y - y), 0.03);
            far = fmax(far, hypot(x - 5 - i, y - 40));
        }
    assert_greater(far, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_bent_goes_back),
        cmocka_unit_test(test_the_edge_is_straight),
        cmocka_unit_test(test_rows_bend_smoothly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
