/* The flow graph against the drainage, which floods cell by cell: the same levels, whether basins
 * or cells are flooded; ways that end, in an order that has donors first. */
#include "support.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "measure/drainage.h"
#include "measure/flowgraph.h"

enum { WIDTH = 131, HEIGHT = 117, CELLS = WIDTH * HEIGHT };

static float land[CELLS];
static double h[CELLS];
static unsigned char fixed[CELLS];

/* Bumps some cells wide, or with `rough` pits everywhere, or with `levels` flats. */
static void make_land(uint64_t seed, float rough, float levels) {
    for (int i = 0; i < CELLS; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        double wave = sin(x * 0.31 + (double)seed) + sin(y * 0.23 - (double)seed * 0.7) +
                      sin((x + y) * 0.17) + sin((x - 2 * y) * 0.11);
        float z = (float)(20 * wave) + rough * rvi_unit(rvi_random(seed, (uint64_t)i, 0));
        land[i] = levels > 0 ? floorf(z * levels) / levels : z;
        h[i] = (double)land[i];
        fixed[i] = x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1;
    }
}

static void check_order(const rvi_flow *f) {
    static bool seen[CELLS];
    memset(seen, 0, sizeof seen);
    for (size_t k = CELLS; k-- > 0;) {
        size_t c = f->order[k], to = rvi_flow_receiver(f, c);
        assert_false(seen[c]);
        seen[c] = true;
        assert_true(seen[to]);
        assert_equal(to == c, fixed[c] != 0);
    }
}

static void check(rvi_flow *f, rv_context *ctx) {
    f->h = h;
    f->fixed = fixed;
    support_ok(ctx, rvi_flow_route(f));
    check_order(f);
    rvi_drainage d;
    support_ok(ctx, rvi_drainage_make(ctx, WIDTH, HEIGHT, land, NULL, &d));
    for (size_t i = 0; i < CELLS; i++) {
        double level = f->lakes && f->lake[i] == RVI_FLOODED ? f->level[i] : h[i];
        assert_equal(level, (double)d.filled[i]);
        assert_equal(rvi_flow_drowned(f, i), d.filled[i] > land[i]);
    }
    rvi_drainage_free(ctx, &d);
}

static void start(rv_context *ctx, rvi_flow *f, rvi_buffers *buffers) {
    *buffers = (rvi_buffers){.count = 0};
    rvi_flow_prepare(f, ctx, WIDTH, HEIGHT, buffers);
    support_ok(ctx, rvi_buffers_alloc(buffers, ctx));
    rvi_flow_begin(f);
}

static void test_levels_are_those_of_the_flood(void **state) {
    (void)state;
    rv_context *ctx = support_context(3);
    rvi_flow f;
    rvi_buffers buffers;
    start(ctx, &f, &buffers);
    for (uint64_t seed = 0; seed < 24; seed++) {
        static const float rough[] = {0, 0.5f, 3, 60};
        f.wander = seed % 2 ? 1.0f : 0.0f;
        f.seed = seed;
        make_land(seed, rough[seed % 4], seed % 3 == 2 ? 0.4f : 0);
        check(&f, ctx);
    }
    make_land(0, 0, 1e-6f); /* flat */
    check(&f, ctx);
    rvi_buffers_free(&buffers, ctx);
    rv_context_destroy(ctx);
}

/* On a slope that falls between two directions chance takes both, in shares that are right. */
static void test_chance_keeps_the_direction(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_flow f;
    rvi_buffers buffers;
    start(ctx, &f, &buffers);
    for (int k = 0; k <= 4; k++) {
        double angle = k * acos(-1.0) / 16, east = 0, south = 0;
        make_land(0, 0, 0);
        for (int i = 0; i < CELLS; i++)
            h[i] = -(i % WIDTH * cos(angle) + i / WIDTH * sin(angle));
        f.h = h;
        f.fixed = fixed;
        f.wander = 1;
        for (f.when = 0; f.when < 4; f.when++) {
            support_ok(ctx, rvi_flow_route(&f));
            for (size_t i = 0; i < CELLS; i++) {
                ptrdiff_t to = (ptrdiff_t)rvi_flow_receiver(&f, i) - (ptrdiff_t)i;
                south += to >= WIDTH - 1;
                east += to == 1 || to == WIDTH + 1;
            }
        }
        assert_near(atan2(south, east), angle, 0.05);
    }
    rvi_buffers_free(&buffers, ctx);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_are_those_of_the_flood),
        cmocka_unit_test(test_chance_keeps_the_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
