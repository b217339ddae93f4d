/* How high a drop may fill the ground, against the rule written down plainly: the lowest cell
 * around is the lowest of exactly those, wherever on the map and however narrow it is. */
#include "support.h"

#include <math.h>

#include "base/random.h"
#include "wear/fill_level.h"

enum { MOST = 14 };

static float plain_lowest(const rvi_fill_ground *g, int x, int y, int reach) {
    float low = INFINITY;
    for (int cy = y - reach; cy <= y + 1 + reach; cy++)
        for (int cx = x - reach; cx <= x + 1 + reach; cx++)
            if (cx >= 0 && cy >= 0 && cx < g->width && cy < g->height)
                low = fminf(low, g->h[(size_t)cy * g->stride + (size_t)cx]);
    return low;
}

/* Beside the map everything is lower: who looks there is found out. */
static void fill(float *h, int width, int height, int stride) {
    for (int y = 0; y <= MOST; y++)
        for (int x = 0; x < stride; x++)
            h[y * stride + x] = x < width && y < height
                                    ? rvi_unit(rvi_random(7, (uint64_t)(y * stride + x), 0))
                                    : -100.0f;
}

static void the_lowest_around_is_found_everywhere(void **state) {
    (void)state;
    static const float nears[] = {1.0f, 1.3f, 3.0f};
    float h[(MOST + 1) * (MOST + 4)];
    for (int width = 2; width <= MOST; width++)
        for (int height = 2; height <= MOST; height += 3) {
            rvi_fill_ground g = {h, (size_t)(width + 4), width, height};
            fill(h, width, height, width + 4);
            for (int n = 0; n < 3; n++)
                for (int i = 0; i < (width - 1) * (height - 1); i++) {
                    int x = i % (width - 1), y = i / (width - 1);
                    int reach = nears[n] > 1.0f ? (int)ceilf(nears[n]) + 2 : 1;
                    float moves = 1.0f + (float)(reach + 1) / 2.0f;
                    /* It came from far above: only the slope beside lower ground holds it. */
                    float expected = plain_lowest(&g, x, y, reach) + moves * 0.25f;
                    assert_equal(rvi_fill_level(&g, x, y, nears[n], 2.0f, 50.0f, 49.75f), expected);
                }
        }
}

static void nothing_is_filled_above_where_the_drop_came_from(void **state) {
    (void)state;
    float h[8 * 8];
    rvi_fill_ground g = {h, 8, 8, 8};
    for (int i = 0; i < 64; i++)
        h[i] = 10.0f;
    assert_equal(rvi_fill_level(&g, 3, 3, 1.0f, 1.0f, 10.5f, 10.0f), 10.5f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_around_is_found_everywhere),
        cmocka_unit_test(nothing_is_filled_above_where_the_drop_came_from),
    };
    return cmocka_run_group_tests_name("fill_level", tests, NULL, NULL);
}
