/* The same scene elsewhere wears the same, and so does a scene of another size when speeds and
 * times are those of that size. */
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct place {
    double size;       /* m: of the box */
    double move[3];    /* m */
    const char *words; /* more of the scene */
    bool far;          /* is the place that of the file of the rock, and not of the word model? */
} place;

/* A block whose corners are multiples of 1/8, in a box of 1 m. */
static void write_block(const place *p) {
    FILE *file = fopen("block.obj", "w");
    assert_non_null(file);
    for (int i = 0; i < 8; i++) {
        double x = i & 1 ? 0.75 : 0.25, y = i & 2 ? 0.75 : 0.25, z = i & 4 ? 0.375 : 0.125;
        fprintf(file, "v %.17g %.17g %.17g\n", p->far ? p->size * x + p->move[0] : x,
                p->far ? p->size * y + p->move[1] : y, p->far ? p->size * z + p->move[2] : z);
    }
    fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
    assert_int_equal(fclose(file), 0);
}

typedef struct text {
    char words[2048];
    size_t size;
} text;

static void say(text *t, const char *words) {
    t->size += (size_t)snprintf(t->words + t->size, sizeof t->words - t->size, " %s", words);
}

static void put(text *t, const char *key, double value) {
    t->size +=
        (size_t)snprintf(t->words + t->size, sizeof t->words - t->size, " %s=%.17g", key, value);
}

static void put_place(text *t, const char *key, const place *p, double x, double y, double z) {
    t->size += (size_t)snprintf(t->words + t->size, sizeof t->words - t->size,
                                " %s=%.17g/%.17g/%.17g", key, p->size * x + p->move[0],
                                p->size * y + p->move[1], p->size * z + p->move[2]);
}

/* Water that falls and is poured on the block. By Froude's law lengths go with the size, times and
 * speeds with its root; the stress is the root of a shear rate. */
static void describe(text *t, const place *p) {
    double speed = sqrt(p->size), stress = 1 / sqrt(speed);
    const place size = {.size = p->size}, fast = {.size = speed};
    say(t, "box");
    put_place(t, "low", p, 0, 0, 0);
    put_place(t, "high", p, 1, 1, 1);
    say(t, "model block.obj");
    if (!p->far) {
        put_place(t, "scale", &size, 1, 1, 1);
        put_place(t, "move", p, 0, 0, 0);
    }
    say(t, "water");
    put_place(t, "low", p, 0.25, 0.25, 0.5);
    put_place(t, "high", p, 0.75, 0.75, 0.75);
    say(t, "source");
    put_place(t, "at", p, 0.25, 0.25, 0.875);
    put_place(t, "size", &size, 0.25, 0.25, 0.125);
    put(t, "rate", 2000 / speed);
    put_place(t, "speed", &fast, 0.5, 0.25, -1);
    say(t, "particles max=1000");
    put(t, "spacing", p->size * 0.046875);
    put(t, "viscosity", 0x1p-20 * p->size * speed);
    say(t, "material name=hard");
    put(t, "critical", 0.5 * stress);
    put(t, "rate", 0.015625 * speed / stress);
    say(t, "material name=soft");
    put(t, "critical", 0.25 * stress);
    put(t, "rate", 0.03125 * speed / stress);
    say(t, "region shape=layers material=hard");
    put_place(t, "at", p, 0.5, 0.5, 0.25);
    put(t, "size", p->size * 0.0625);
    put(t, "wobble", p->size * 0.03125);
    put(t, "wave", p->size * 0.25);
    say(t, "wear");
    put(t, "deposit", 1 / speed);
    say(t, "tessellate");
    put(t, "limit", p->size * 0.09375);
    say(t, p->words != NULL ? p->words : "");
}

typedef struct worn {
    rv_frame now;
    double eroded, deposited; /* as shares of the volume of the box */
} worn;

/* The rock is saved, and the water shown, where the scene stands. */
static void check_place(rv_context *ctx, const rv_scene *scene, const place *p) {
    rv_mesh *rock = NULL;
    rv_particles water;
    support_ok(ctx, rv_scene_mesh(scene, &rock));
    support_ok(ctx, rv_scene_particles(scene, &water));
    const double *points = rv_mesh_points(rock);
    for (int k = 0; k < 3; k++) {
        assert_equal(water.origin[k], p->move[k]);
        for (size_t i = 0; i < rv_mesh_vertex_count(rock); i++)
            assert_near(points[3 * i + (size_t)k], p->move[k] + p->size * 0.5, p->size * 0.5);
    }
    rv_mesh_destroy(rock);
}

static worn wear(place p) {
    text t = {.size = 0};
    rv_context *ctx = support_context(1);
    rv_scene *scene = NULL;
    worn out = {.eroded = 0};
    write_block(&p);
    describe(&t, &p);
    support_ok(ctx, rv_scene_parse(ctx, t.words, "test", &scene));
    for (int i = 0; i < 60; i++)
        support_ok(ctx, rv_scene_step(scene));
    support_ok(ctx, rv_scene_info(scene, &out.now));
    check_place(ctx, scene, &p);
    double volume = p.size * p.size * p.size;
    out.eroded = out.now.ledger.eroded / volume;
    out.deposited = out.now.ledger.deposited / volume;
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
    print_message("  %g m at (%g, %g, %g): eroded %.9g, deposited %.9g, %zu faces\n", p.size,
                  p.move[0], p.move[1], p.move[2], out.eroded, out.deposited, out.now.faces);
    return out;
}

/* Of places that numbers hold exactly, so that nothing at all may change. */
static void place_does_not_matter(void **state) {
    (void)state;
    static const double places[][3] = {
        {131072, 0, 0}, {-262144, 393216, 4096}, {991232, -999424, 991232}};
    static const double sizes[] = {1, 0x1p-8, 4096};
    for (size_t s = 0; s < (support_short() ? 1 : 3); s++) {
        worn here = wear((place){.size = sizes[s]});
        assert_greater(here.eroded, 1e-3);
        for (size_t i = 0; i < 3; i++)
            for (int far = 0; far < 2; far++) {
                place p = {.size = sizes[s], .far = far};
                memcpy(p.move, places[i], sizeof p.move);
                worn there = wear(p);
                assert_near(there.eroded, here.eroded, 1e-12 * here.eroded);
                assert_near(there.deposited, here.deposited, 1e-12 * here.deposited);
                assert_equal(there.now.hash, here.now.hash);
            }
    }
}

/* Other places round the corners of the rock. */
static void any_place_wears_as_much(void **state) {
    (void)state;
    worn here = wear((place){.size = 1});
    for (int far = 0; far < 2; far++) {
        worn there = wear((place){1, {123456.789, -987654.321, 1e6 - 1}, NULL, far});
        assert_near(there.eroded, here.eroded, 1e-3 * here.eroded);
    }
}

/* Sizes whose roots are powers of two scale every number exactly. */
static void size_does_not_matter(void **state) {
    (void)state;
    static const char *const waters[] = {"", "particles.solver=wcsph", "particles.wall=penalty"};
    for (size_t n = 0; n < 3; n++) {
        worn here = wear((place){.size = 1, .words = waters[n]});
        for (double size = 0x1p-12; size <= 0x1p16; size *= support_short() ? 4096 : 16) {
            worn there = wear((place){.size = size, .words = waters[n]});
            assert_near(there.eroded, here.eroded, 1e-12 * here.eroded);
            assert_near(there.deposited, here.deposited, 1e-12 * here.deposited);
            assert_equal(there.now.faces, here.now.faces);
            assert_near(there.now.time, here.now.time * sqrt(size), 1e-12 * there.now.time);
        }
    }
}

/* Other sizes round all numbers, which decides where faces are divided: edges of the block are
 * equally long. */
static void any_size_wears_as_much(void **state) {
    (void)state;
    worn here = wear((place){.size = 1});
    for (double size = 1e-3; size < 2e4; size *= 10) {
        worn there = wear((place){.size = size});
        assert_near(there.eroded, here.eroded, 0.05 * here.eroded);
    }
}

static void resumed_where_it_stood(void **state) {
    (void)state;
    text t = {.size = 0};
    rv_context *ctx = support_context(1);
    rv_scene *scene = NULL, *again = NULL;
    rv_frame now, then;
    place p = {.size = 1, .move = {1000.1, -2000.2, 3000.3}};
    write_block(&p);
    describe(&t, &p);
    support_ok(ctx, rv_scene_parse(ctx, t.words, "test", &scene));
    for (int i = 0; i < 20; i++) {
        support_ok(ctx, rv_scene_step(scene));
        if (i == 9)
            support_ok(ctx, rv_scene_save(scene, "moved.ck"));
    }
    support_ok(ctx, rv_scene_resume(ctx, "moved.ck", &again));
    for (int i = 10; i < 20; i++)
        support_ok(ctx, rv_scene_step(again));
    support_ok(ctx, rv_scene_info(scene, &now));
    support_ok(ctx, rv_scene_info(again, &then));
    assert_equal(then.hash, now.hash);
    check_place(ctx, again, &p);
    rv_scene_destroy(scene);
    rv_scene_destroy(again);
    rv_context_destroy(ctx);
}

/* Sentences name places as the scene does. */
static void sentences_tell_where(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    place p = {.size = 1, .move = {1000, -2000, 3000}, .far = true};
    write_block(&p);
    rv_scene *scene = NULL;
    support_ok(ctx, rv_scene_parse(ctx,
                                   "box low=1000/-2000/3000 high=1001/-1999/3001 model block.obj "
                                   "source at=1000.5/-1999.5/3000.25",
                                   "test", &scene));
    assert_int_equal(rv_scene_start(scene), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(ctx), "(1000.5, -1999.5, 3000.25)"));
    rv_scene_destroy(scene);
    support_ok(ctx, rv_scene_parse(ctx,
                                   "box low=1000/-2000/3000 high=1001/-1999/3001 "
                                   "model block.obj reverse=yes",
                                   "test", &scene));
    assert_int_equal(rv_scene_start(scene), RV_ERROR_INPUT);
    assert_non_null(strstr(rv_context_error(ctx), "at (1000."));
    rv_scene_plan plan;
    rv_scene_destroy(scene);
    support_ok(ctx,
               rv_scene_parse(ctx, "box low=1000/-2000/3000 high=1001/-1999/3001", "test", &scene));
    support_ok(ctx, rv_scene_plan_run(scene, &plan));
    assert_equal(plan.low[1], -2000);
    assert_equal(plan.high[2], 3001);
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(place_does_not_matter),  cmocka_unit_test(any_place_wears_as_much),
        cmocka_unit_test(size_does_not_matter),   cmocka_unit_test(any_size_wears_as_much),
        cmocka_unit_test(resumed_where_it_stood), cmocka_unit_test(sentences_tell_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
