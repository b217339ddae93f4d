/* The skin of a solid: whatever is done to it, it stays closed, manifold, the right way out and
 * meets itself nowhere, and its volume is known exactly. */
#include "solid_shapes.h"

#include "base/random.h"

#include <stdio.h>

enum { SHAPES = 5 };

static rv_mesh *make_shape(rv_context *ctx, int which, long *euler) {
    *euler = which == 1 || which == 3 ? 0 : 2;
    rv_mesh *mesh;
    switch (which) {
    case 0:
        return shape_sphere(ctx, 6);
    case 1:
        return shape_torus(ctx, 20, 10, 0.4);
    case 2:
        return shape_box(ctx, 5, 5, 5);
    case 3:
        return shape_tube(ctx, 16);
    default:
        mesh = shape_box(ctx, 12, 12, 1);
        shape_scale(mesh, 1, 1, 0.001);
        return mesh;
    }
}

/* A half-edge of a live face. */
static uint32_t some_edge(const rvi_skin *s, uint64_t n) {
    uint32_t e = (uint32_t)(rvi_random(1, n, 0) % (3 * s->faces));
    while (s->corners[e] == RVI_NOBODY)
        e = (e + 1) % (uint32_t)(3 * s->faces);
    return e;
}

static rvi_done some_operation(rvi_skin *s, uint64_t n, int *kind) {
    uint32_t e = some_edge(s, n);
    uint64_t dice = rvi_random(1, n, 1) % 100;
    double w = rvi_unit(rvi_random(1, n, 2)), u = rvi_unit(rvi_random(1, n, 3));
    double weights[3] = {w, (1 - w) * u, (1 - w) * (1 - u)};
    *kind = dice < 30 ? 0 : dice < 45 ? 1 : dice < 65 ? 2 : 3;
    switch (*kind) {
    case 0:
        return rvi_skin_split(s, e, NULL);
    case 1:
        return rvi_skin_insert(s, e / 3, weights, NULL);
    case 2:
        return rvi_skin_flip(s, e);
    default:
        return rvi_skin_collapse(s, e);
    }
}

static void operations_keep_the_skin_whole(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    size_t done[4] = {0}, refused[4] = {0};
    for (int shape = 0; shape < SHAPES; shape++) {
        long euler;
        rvi_skin *s = shape_skin(make_shape(ctx, shape, &euler));
        shape_check_arrays(s, euler);
        for (uint64_t n = 0; n < 1200; n++) {
            int kind;
            rvi_wide before = rvi_skin_volume6(s);
            rvi_done result = some_operation(s, n + 10000 * (uint64_t)shape, &kind);
            (result == RVI_DONE ? done : refused)[kind]++;
            if (result == RVI_REFUSED)
                assert_true(before == rvi_skin_volume6(s));
            if (n % 50 == 0)
                shape_check_arrays(s, euler);
            if (n < 100 || n % 50 == 0)
                shape_check_mesh(s);
        }
        shape_check_arrays(s, euler);
        rvi_skin_destroy(s);
    }
    for (int kind = 0; kind < 4; kind++)
        if (done[kind] < 200)
            fail_msg("operation %d: %zu done, %zu refused", kind, done[kind], refused[kind]);
    assert_true(refused[2] > 50 && refused[3] > 50); /* both answers were asked for */
    rv_context_destroy(ctx);
}

/* All vertices of a skin that are alive. */
static size_t live_vertices(const rvi_skin *s, uint32_t *out) {
    size_t count = 0;
    for (uint32_t v = 0; v < s->vertices; v++)
        if (s->leaving[v] != RVI_NOBODY)
            out[count++] = v;
    return count;
}

/* Random ways of up to `far` metres for all vertices. */
static size_t random_moves(rvi_skin *s, uint64_t n, double far, uint32_t *which, double (*to)[3]) {
    size_t count = live_vertices(s, which);
    for (size_t i = 0; i < count; i++) {
        rvi_skin_place(s, which[i], to[i]);
        for (uint64_t k = 0; k < 3; k++)
            to[i][k] += far * (2.0 * rvi_unit(rvi_random(n, which[i], k)) - 1);
    }
    return count;
}

static uint32_t which[20000];
static double to[20000][3];

static void moves_keep_the_skin_whole(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int shape = 0; shape < SHAPES; shape++) {
        long euler;
        rvi_skin *s = shape_skin(make_shape(ctx, shape, &euler));
        size_t refused = 0, asked = 0;
        for (uint64_t n = 0; n < 60; n++) {
            double far = n % 3 == 0 ? 0.01 : n % 3 == 1 ? 0.1 : 1;
            size_t stayed, count = random_moves(s, n, far, which, to);
            support_ok(ctx, rvi_skin_move(s, which, (const double(*)[3])to, count, &stayed));
            shape_check_arrays(s, euler);
            shape_check_mesh(s);
            refused += stayed;
            asked += count;
        }
        assert_true(refused > 0 && refused < asked);
        assert_int_equal(s->refused_moves, refused);
        rvi_skin_destroy(s);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_keep_the_skin_whole),
        cmocka_unit_test(moves_keep_the_skin_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
