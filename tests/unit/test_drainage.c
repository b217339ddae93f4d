/* Drainage on land whose answer is known, and against its definition on random land. */
#include "support.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "measure/drainage.h"

enum { SIDE = 33, CELLS = SIDE * SIDE };

static size_t at(int x, int y) {
    return (size_t)y * SIDE + (size_t)x;
}

static bool is_edge(int x, int y) {
    return x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1;
}

static rvi_drainage make(rv_context *ctx, const float *h, const unsigned char *kind) {
    rvi_drainage d;
    support_ok(ctx, rvi_drainage_make(ctx, SIDE, SIDE, h, kind, &d));
    return d;
}

/* What must hold for any land: order, areas, ways that end, levels that never rise on the way. */
static void check_sound(const rvi_drainage *d) {
    size_t cells = (size_t)d->width * (size_t)d->height, holes = 0;
    uint64_t drained = 0;
    bool *seen = calloc(cells, sizeof *seen);
    for (size_t k = 0; k < d->count; k++) {
        size_t c = d->order[k], r = d->receiver[c];
        assert_false(seen[c]);
        seen[c] = true;
        assert_true(seen[r]); /* itself for an outlet */
        assert_less_equal(d->filled[r], d->filled[c]);
        assert_greater_equal(d->area[r], d->area[c]);
        assert_true(k == 0 || d->filled[d->order[k - 1]] <= d->filled[c]);
        drained += r == c ? d->area[c] : 0;
    }
    for (size_t i = 0; i < cells; i++)
        if (!seen[i]) {
            holes++;
            assert_true(isnan(d->filled[i]));
            assert_equal(d->area[i], 0);
            assert_equal(d->receiver[i], i);
        }
    assert_int_equal(d->count + holes, cells);
    assert_int_equal(drained, d->count);
    free(seen);
}

/* w(c) = max(h(c), least w around), the greatest such w that is h at outlets: from above, until
 * nothing changes. */
static void fill_by_definition(const float *h, float *w) {
    for (int i = 0; i < CELLS; i++)
        w[i] = is_edge(i % SIDE, i / SIDE) ? h[i] : INFINITY;
    for (bool changed = true; changed;) {
        changed = false;
        for (int y = 1; y < SIDE - 1; y++)
            for (int x = 1; x < SIDE - 1; x++) {
                float least = INFINITY;
                for (int k = 0; k < 9; k++)
                    least = k == 4 ? least : fminf(least, w[at(x + k % 3 - 1, y + k / 3 - 1)]);
                float now = fmaxf(h[at(x, y)], least);
                changed = changed || now != w[at(x, y)];
                w[at(x, y)] = now;
            }
    }
}

static void test_random_land_fills_as_defined(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static float h[CELLS], w[CELLS];
    for (uint64_t seed = 0; seed < 40; seed++) {
        /* Few levels: many flats and ties. */
        float levels = seed % 2 ? 6.0f : 1e6f;
        for (int i = 0; i < CELLS; i++)
            h[i] = floorf(rvi_unit(rvi_random(seed, (uint64_t)i, 0)) * levels) - 2.0f;
        rvi_drainage d = make(ctx, h, NULL);
        check_sound(&d);
        fill_by_definition(h, w);
        assert_memory_equal(d.filled, w, sizeof w);
        rvi_drainage_free(ctx, &d);
    }
    rv_context_destroy(ctx);
}

static void test_receivers_are_the_steepest(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static float h[CELLS];
    for (int i = 0; i < CELLS; i++)
        h[i] = rvi_unit(rvi_random(3, (uint64_t)i, 0)) * 100.0f;
    rvi_drainage d = make(ctx, h, NULL);
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++) {
            size_t c = at(x, y), r = d.receiver[c];
            double best = 0, got = 0;
            for (int k = 0; k < 9; k++) {
                int dx = k % 3 - 1, dy = k / 3 - 1;
                size_t n = at(x + dx, y + dy);
                double fall = n == c ? 0
                                     : ((double)d.filled[c] - (double)d.filled[n]) /
                                           sqrt((double)(dx * dx + dy * dy));
                best = fmax(best, fall);
                got = n == r ? fall : got;
            }
            assert_greater_equal(got, best * (1 - 1e-6));
            assert_not_equal(r, c);
        }
    rvi_drainage_free(ctx, &d);
    rv_context_destroy(ctx);
}

static void test_tilted_plane_drains_straight(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static float h[CELLS];
    for (int i = 0; i < CELLS; i++)
        h[i] = (float)(i / SIDE) * 2.0f; /* down to the north */
    rvi_drainage d = make(ctx, h, NULL);
    rvi_spread s;
    support_ok(ctx, rvi_spread_make(ctx, &d, 10.0f, &s));
    check_sound(&d);
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++) {
            size_t c = at(x, y);
            assert_int_equal(d.receiver[c], at(x, y - 1));
            assert_int_equal(d.area[c], SIDE - 1 - y);
            assert_near((double)s.slope[c], 0.2, 1e-6);
            assert_near((double)s.direction[c], acos(0.0), 1e-5);
            assert_near(s.area[c], (double)d.area[c], 1e-9);
        }
    rvi_spread_free(ctx, &s);
    rvi_drainage_free(ctx, &d);
    rv_context_destroy(ctx);
}

/* A plane that falls in any direction: its slope and direction come back, and what flows on a line
 * across it is what falls above it. */
static void test_slanted_plane_keeps_its_direction(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static float h[CELLS];
    for (int k = 0; k < 16; k++) {
        double angle = 0.1 + 0.39 * k; /* where it falls to */
        for (int i = 0; i < CELLS; i++)
            h[i] = (float)(-0.3 * 10 * (i % SIDE * cos(angle) - i / SIDE * sin(angle)));
        rvi_drainage d = make(ctx, h, NULL);
        rvi_spread s;
        support_ok(ctx, rvi_spread_make(ctx, &d, 10.0f, &s));
        for (int y = 1; y < SIDE - 1; y++)
            for (int x = 1; x < SIDE - 1; x++) {
                assert_near((double)s.slope[at(x, y)], 0.3, 1e-4);
                double turn =
                    fmod((double)s.direction[at(x, y)] - angle + 13 * acos(-1.0), 2 * acos(-1.0));
                assert_near(turn, acos(-1.0), 1e-3);
            }
        rvi_spread_free(ctx, &s);
        rvi_drainage_free(ctx, &d);
    }
    rv_context_destroy(ctx);
}

/* On a cone water runs straight from the tip: D-infinity says so to what the grid can tell, and
 * through a ring comes what falls inside it. */
static void test_cone_drains_outwards(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static float h[CELLS];
    for (int i = 0; i < CELLS; i++)
        h[i] = (float)(100 - 3 * hypot(i % SIDE - SIDE / 2, i / SIDE - SIDE / 2));
    rvi_drainage d = make(ctx, h, NULL);
    rvi_spread s;
    support_ok(ctx, rvi_spread_make(ctx, &d, 1.0f, &s));
    check_sound(&d);
    double total = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int dx = x - SIDE / 2, dy = y - SIDE / 2;
            total += is_edge(x, y) ? s.area[at(x, y)] : 0;
            if (is_edge(x, y) || dx * dx + dy * dy < 25)
                continue;
            double angle = atan2(-dy, dx), got = (double)s.direction[at(x, y)];
            assert_greater(cos(angle - got), cos(1 / hypot(dx, dy))); /* the grid is coarse */
            assert_near((double)s.slope[at(x, y)], 3, 0.05);
        }
    assert_near(total, CELLS, 1e-9 * CELLS);
    rvi_spread_free(ctx, &s);
    rvi_drainage_free(ctx, &d);
    rv_context_destroy(ctx);
}

static void test_pit_fills_to_its_spill(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static float h[CELLS];
    for (int i = 0; i < CELLS; i++) /* a bowl with a notch in its rim */
        h[i] = (float)-hypot(hypot(i % SIDE - SIDE / 2, i / SIDE - SIDE / 2) - 10, 0.0);
    for (int r = 7; r <= 13; r++)
        h[at(SIDE / 2 + r, SIDE / 2)] = -4;
    rvi_drainage d = make(ctx, h, NULL);
    check_sound(&d);
    size_t lowest = at(SIDE / 2, SIDE / 2), c = lowest;
    assert_equal(d.filled[lowest], -4.0f);
    int steps = 0;
    while (c != at(SIDE / 2 + 10, SIDE / 2) && steps++ < CELLS)
        c = d.receiver[c];
    assert_int_equal(steps, 10); /* straight across the lake to the notch */
    rvi_drainage_free(ctx, &d);
    rv_context_destroy(ctx);
}

/* A channel that winds inwards between walls: one way, through every cell of it. */
static void test_spiral_drains_along_itself(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static float h[CELLS];
    static size_t way[CELLS];
    for (int i = 0; i < CELLS; i++)
        h[i] = 1000.0f;
    int x = 0, y = 1, dx = 1, dy = 0, length = 0;
    for (;;) {
        way[length] = at(x, y);
        h[at(x, y)] = (float)++length * 0.5f;
        int fx = x + 2 * dx, fy = y + 2 * dy;
        bool open = fx >= 0 && fy >= 0 && fx < SIDE && fy < SIDE && h[at(fx, fy)] == 1000.0f &&
                    h[at(x + dx, y + dy)] == 1000.0f && !is_edge(x + dx, y + dy);
        if (!open) {
            int turned = dx;
            dx = -dy;
            dy = turned;
            if (h[at(x + 2 * dx, y + 2 * dy)] != 1000.0f)
                break;
        }
        x += dx;
        y += dy;
    }
    assert_greater(length, 300);
    rvi_drainage d = make(ctx, h, NULL);
    check_sound(&d);
    for (int k = 2; k < length; k++) {
        size_t to = d.receiver[way[k]];
        assert_true(to == way[k - 1] || to == way[k - 2]); /* corners are cut */
        assert_equal(d.filled[way[k]], h[way[k]]);
    }
    rvi_drainage_free(ctx, &d);
    rv_context_destroy(ctx);
}

static void test_holes_and_seas_take_water(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static float h[CELLS];
    static unsigned char kind[CELLS];
    for (int i = 0; i < CELLS; i++) /* a bowl */
        h[i] = (float)hypot(i % SIDE - SIDE / 2, i / SIDE - SIDE / 2);
    size_t middle = at(SIDE / 2, SIDE / 2);
    kind[middle] = RVI_OUTLET;
    rvi_drainage d = make(ctx, h, kind);
    check_sound(&d);
    assert_memory_equal(d.filled, h, sizeof h);
    assert_greater(d.area[middle], CELLS / 2);
    rvi_drainage_free(ctx, &d);
    h[middle] = NAN; /* the same as RVI_HOLE */
    kind[middle] = RVI_LAND;
    d = make(ctx, h, kind);
    check_sound(&d);
    assert_int_equal(d.count, CELLS - 1);
    assert_int_equal(d.receiver[middle + 1], middle + 1);
    rvi_spread s;
    support_ok(ctx, rvi_spread_make(ctx, &d, 1.0f, &s));
    assert_equal(s.area[middle], 0);
    assert_true(isnan(s.slope[middle]));
    rvi_spread_free(ctx, &s);
    rvi_drainage_free(ctx, &d);
    for (int i = 0; i < CELLS; i++)
        kind[i] = RVI_HOLE;
    d = make(ctx, h, kind);
    assert_int_equal(d.count, 0);
    check_sound(&d);
    rvi_drainage_free(ctx, &d);
    rv_context_destroy(ctx);
}

static void test_narrow_and_flat_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const float h[64] = {0};
    static const int sizes[][2] = {{1, 2}, {9, 1}, {2, 2}, {3, 3}, {8, 8}};
    for (size_t k = 0; k < 5; k++) {
        rvi_drainage d;
        support_ok(ctx, rvi_drainage_make(ctx, sizes[k][0], sizes[k][1], h, NULL, &d));
        check_sound(&d);
        rvi_drainage_free(ctx, &d);
    }
    rv_context_destroy(ctx);
}

static void test_memory_that_is_missing(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    desc.memory_limit = 1 << 19;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    float *h = calloc(256 * 256, sizeof *h);
    rvi_drainage d;
    assert_int_equal(rvi_drainage_make(ctx, 256, 256, h, NULL, &d), RV_ERROR_MEMORY);
    assert_null(d.filled);
    rvi_drainage_free(ctx, &d);
    free(h);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_land_fills_as_defined),
        cmocka_unit_test(test_receivers_are_the_steepest),
        cmocka_unit_test(test_tilted_plane_drains_straight),
        cmocka_unit_test(test_slanted_plane_keeps_its_direction),
        cmocka_unit_test(test_cone_drains_outwards),
        cmocka_unit_test(test_pit_fills_to_its_spill),
        cmocka_unit_test(test_spiral_drains_along_itself),
        cmocka_unit_test(test_holes_and_seas_take_water),
        cmocka_unit_test(test_narrow_and_flat_land),
        cmocka_unit_test(test_memory_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
