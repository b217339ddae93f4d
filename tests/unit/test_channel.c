/* What is spread over the width of a channel: nothing is lost, all directions are alike, and the
 * width is a length. */
#include "support.h"
#include "wear/channel.h"

#include <string.h>

enum { SIZE = 64, ROOM = SIZE * SIZE };

/* The spread of one cell that asks for 1, in a map of width x height. */
static float *spread_one(float wide, float cell, int width, int height, int x, int y) {
    static float from[ROOM], grids[2][ROOM];
    memset(from, 0, sizeof from);
    from[y * width + x] = 1.0f;
    rv_context *ctx = support_context(2);
    rvi_channel s = rvi_channel_of(wide, cell);
    const rvi_channel_grid shape = {width, height, 0, (size_t)width};
    float *to = grids[0], *spare = grids[1];
    assert_int_equal(rvi_channel_spread(ctx, &s, &shape, from, &to, &spare), RV_OK);
    rv_context_destroy(ctx);
    return to;
}

static void nothing_is_lost_at_a_border(void **state) {
    (void)state;
    static const int sizes[][2] = {{64, 64}, {1, 40}, {40, 1}, {3, 2}, {1, 1}};
    for (int k = 0; k < 5; k++)
        for (int cell = 1; cell <= 16; cell *= 4) {
            int w = sizes[k][0], h = sizes[k][1];
            const float *to = spread_one(60, (float)cell, w, h, 0, h / 2);
            double sum = 0;
            for (int i = 0; i < w * h; i++) {
                assert_greater_equal(to[i], 0);
                sum += (double)to[i];
            }
            assert_near(sum, 1, 1e-5);
        }
}

/* A quarter of the width is the standard deviation, at any cell size; three cells are the least. */
static void the_width_is_a_length(void **state) {
    (void)state;
    static const float cells[] = {20, 10, 7, 5, 40};
    for (int k = 0; k < 5; k++) {
        const float *to = spread_one(60, cells[k], SIZE, SIZE, 32, 32);
        double across = 0, along = 0;
        for (int i = 0; i < ROOM; i++) {
            double x = (double)cells[k] * (i % SIZE - 32), y = (double)cells[k] * (i / SIZE - 32);
            across += x * x * (double)to[i];
            along += y * y * (double)to[i];
        }
        double wanted = k == 4 ? 30 : 15;
        assert_near(sqrt(across), wanted, 0.1);
        assert_near(sqrt(along), wanted, 0.1);
    }
}

/* What cell a asks of b, b asks of a: what comes off finds its way back. */
static void both_ways_are_alike(void **state) {
    (void)state;
    float there = spread_one(60, 5, SIZE, SIZE, 2, 9)[13 * SIZE + 6];
    float back = spread_one(60, 5, SIZE, SIZE, 6, 13)[9 * SIZE + 2];
    assert_greater(there, 0);
    assert_near(there, back, 1e-7);
}

/* A bell is as high at 45 degrees as along the axes. */
static void all_directions_are_alike(void **state) {
    (void)state;
    for (int far = 5; far <= 20; far += 5) { /* 3, 4 and 5 are a right triangle */
        const float *to = spread_one(60, 1.5f, SIZE, SIZE, 32, 32);
        float axis = to[32 * SIZE + 32 + far];
        float turned = to[(32 + far * 4 / 5) * SIZE + 32 + far * 3 / 5];
        assert_near(turned / to[32 * SIZE + 32], axis / to[32 * SIZE + 32], 0.02);
    }
}

static void no_width_spreads_nothing(void **state) {
    (void)state;
    assert_int_equal(rvi_channel_of(0, 10).count, 0);
    assert_int_equal(rvi_channel_of(1e6f, 1e-3f).count, RVI_CHANNEL_LEVELS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_at_a_border), cmocka_unit_test(the_width_is_a_length),
        cmocka_unit_test(both_ways_are_alike),         cmocka_unit_test(all_directions_are_alike),
        cmocka_unit_test(no_width_spreads_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
