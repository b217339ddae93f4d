/* test_device_water.c: water of scenes has the processor's bits on a device. Runs on PoCL
 * or on a GPU (RAVINE_TEST_DEVICE), and says so when there is none. */
#include "device_pair.h"

#include "base/context.h"
#include "base/random.h"
#include "mesh/mesh.h"
#include "scene/preset.h"
#include "water/sph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t chance = 1;

static int below(int n) {
    return (int)(rvi_random(23, chance++, 0) % (uint64_t)n);
}

static double between(double low, double high) {
    return low + (high - low) * (double)rvi_unit(rvi_random(23, chance++, 1));
}

/* RAVINE_WATERS=1000 tries more of them. */
static uint64_t cases(uint64_t count) {
    const char *more = getenv("RAVINE_WATERS");
    return more ? strtoull(more, NULL, 10) : support_cases(count);
}

/* ---- Random water ---- */

enum { MOST = 2500, BOX = 24 }; /* particles; spacings along a side */

typedef struct random_water {
    rvi_sph_desc desc;
    bool rock;
    size_t count;
    double (*places)[3];
    float speed;
    double *sediments;
    rvi_sph_source source; /* rate 0: none */
} random_water;

/* In a corner of the box, on one place, in one cell, outside of it by less than a float, or
 * anywhere. */
static void draw_places(random_water *r, int kind) {
    double s = (double)r->desc.spacing, edge = 0.2 * s;
    for (size_t i = 0; i < r->count; i++)
        for (int k = 0; k < 3; k++) {
            double size = r->desc.high[k] - r->desc.low[k], high = size - edge;
            double at = between(edge, high);
            if (kind == 1)
                at = 0.5 * size + between(0, 0.9 * s);
            else if (kind == 2)
                at = 0.5 * size;
            else if (kind == 3)
                at = below(2) ? edge * 1.0001 : high * 0.9999;
            else if (kind == 4)
                at = edge * 1.01 + between(0, 0.25 * size);
            r->places[i][k] = r->desc.low[k] + at;
        }
}

static void draw_water(random_water *r) {
    static const int counts[] = {1, 2, 15, 16, 17, 100, 511, 513, 1500};
    rvi_sph_desc *d = &r->desc;
    int kind = below(6);
    *d = rvi_sph_desc_default();
    d->spacing = (float)between(0.005, 0.5);
    for (int k = 0; k < 3; k++) {
        d->low[k] = between(-1, 1);
        d->high[k] = d->low[k] + (double)d->spacing * between(5, BOX);
        d->gravity[k] = below(4) ? d->gravity[k] : (float)between(-5, 5);
        d->open[k][0] = below(5) == 0;
        d->open[k][1] = below(5) == 0;
    }
    d->wall = below(4) ? RVI_SPH_COMPLETE : RVI_SPH_PENALTY;
    d->penalty_reach = d->spacing;
    d->tension = below(2) ? 0.0f : (float)between(0, 10);
    d->friction = (float)between(0, 1);
    d->courant = (float)between(0.1, 0.9);
    d->most = MOST;
    r->rock = below(2) != 0;
    r->count = (size_t)counts[below(kind == 1 || kind == 2 ? 6 : 9)];
    r->speed = below(3) ? 0.0f : (float)between(0, 20) * d->spacing;
    draw_places(r, kind);
    for (size_t i = 0; i < r->count; i++)
        r->sediments[i] = below(2) ? between(0, 1e-3) * pow((double)d->spacing, 3) : 0.0;
    r->source = (rvi_sph_source){.rate = below(2) ? 0 : between(10, 20000)};
    for (int k = 0; k < 3; k++) {
        r->source.low[k] = d->low[k] + (double)d->spacing;
        r->source.size[k] = 3 * (double)d->spacing;
        r->source.speed[k] = (float)between(-2, 2);
    }
}

/* A tetrahedron in the middle of the box. */
static const double rock_points[12] = {0.5, 0.3, 0.2, 0.8, 0.3, 0.2, 0.6, 0.7, 0.2, 0.6, 0.4, 0.7};
static const uint32_t corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

static double rock_point(const rvi_sph_desc *d, size_t i) {
    return d->low[i % 3] + rock_points[i] * (d->high[i % 3] - d->low[i % 3]);
}

static rv_mesh *make_rock(rv_context *ctx, const rvi_sph_desc *d) {
    rv_mesh *mesh = NULL;
    support_ok(ctx, rvi_mesh_create(ctx, 4, 4, false, &mesh));
    for (size_t i = 0; i < 12; i++)
        mesh->points[i] = rock_point(d, i);
    memcpy(mesh->corners, corners, sizeof corners);
    return mesh;
}

static rvi_sph *make_water(rv_context *ctx, const random_water *r) {
    rvi_sph *water;
    rv_mesh *rock = r->rock ? make_rock(ctx, &r->desc) : NULL;
    support_ok(ctx, rvi_sph_create(ctx, &r->desc, rock, &water));
    rv_mesh_destroy(rock);
    for (size_t i = 0; i < r->count; i++) /* but for those in the rock */
        (void)rvi_sph_add(water, r->places[i], (const float[3]){r->speed, -r->speed, r->speed},
                          r->sediments[i]);
    if (r->source.rate > 0)
        (void)rvi_sph_add_source(water, &r->source);
    return water;
}

#define SAME(field) same_bits(#field, a.field, b.field, a.count * sizeof *a.field)

static void same_bits(const char *what, const void *a, const void *b, size_t bytes) {
    if (bytes > 0 && memcmp(a, b, bytes) != 0)
        fail_msg("%s differ on the device", what);
}

static void compare_waters(rvi_sph *first, rvi_sph *second) {
    support_ok(device, rvi_sph_fetch(second));
    rvi_sph_view a = rvi_sph_view_of(first), b = rvi_sph_view_of(second);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(&a.time, &b.time, sizeof a.time);
    assert_memory_equal(&a.step, &b.step, sizeof a.step);
    assert_int_equal(a.iterations[0], b.iterations[0]);
    assert_int_equal(a.iterations[1], b.iterations[1]);
    SAME(places);
    SAME(speeds);
    SAME(sediments);
    SAME(numbers);
    SAME(ages);
    if (a.time > 0) {
        SAME(densities);
        SAME(pressures);
    }
}

/* A step and a drift on both; false: it is unstable on both. */
static bool step_both(rvi_sph *waters[2], const rvi_sph_drift *drift) {
    rv_context *contexts[2] = {processor, device};
    rv_status status[2];
    for (int i = 0; i < 2; i++) {
        status[i] = rvi_sph_step(waters[i], 0.1f);
        if (status[i] == RV_OK)
            support_ok(contexts[i], rvi_sph_drift_sediment(waters[i], drift));
    }
    assert_int_equal(status[0], status[1]);
    if (status[0] == RV_OK)
        return true;
    assert_int_equal(status[0], RV_ERROR_INTERNAL);
    assert_string_equal(rv_context_error(processor), rv_context_error(device));
    return false;
}

/* The rock is moved by so many spacings upwards, and pushes particles away. */
static void move_rock(rv_context *ctx, rvi_sph *water, float by) {
    static rvi_touch touches[MOST];
    const rvi_sph_desc *d = rvi_sph_desc_of(water);
    float reach = rvi_sph_rock(water)->reach;
    rvi_wall_change faces[4];
    size_t pushed, trapped;
    for (size_t f = 0; f < 4; f++) {
        faces[f] = (rvi_wall_change){.face = (uint32_t)f};
        for (size_t i = 0; i < 9; i++)
            faces[f].at[i / 3][i % 3] = rock_point(d, 3 * corners[3 * f + i / 3] + i % 3) +
                                        (i % 3 == 2 ? (double)(by * d->spacing) : 0);
    }
    support_ok(ctx, rvi_sph_touch_rock(water, reach, touches));
    support_ok(ctx, rvi_sph_change_rock(water, faces, 4));
    rvi_sph_push_out(water, touches, reach, 8, &pushed, &trapped);
}

/* In between, the host takes particles away, changes what others have, or moves the rock. */
static void change_both(rvi_sph *waters[2], bool rock) {
    float by = (float)between(-3, 4);
    uint8_t leaves[MOST] = {0};
    size_t count = rvi_sph_view_of(waters[0]).count;
    int kind = below(6);
    for (size_t i = 0; i < count; i++)
        leaves[i] = below(9) == 0;
    for (int w = 0; w < 2; w++) {
        support_ok(device, rvi_sph_fetch(waters[w]));
        for (size_t i = 0; i < count && kind == 0; i++)
            if (leaves[i])
                rvi_sph_set_sediment(waters[w], i, 1e-7);
        if (kind == 1)
            rvi_sph_remove(waters[w], leaves);
        if (kind == 2 && rock)
            move_rock(w ? device : processor, waters[w], by);
    }
}

static void random_waters_are_the_same(void **state) {
    (void)state;
    double places[MOST][3], sediments[MOST];
    for (uint64_t n = 0; device && n < cases(20); n++) {
        random_water r = {.places = places, .sediments = sediments};
        draw_water(&r);
        rvi_sph *waters[2] = {make_water(processor, &r), make_water(device, &r)};
        rvi_sph_drift drift = {.settle = (float)between(0, 1),
                               .spread = (float)between(0, 1e-2),
                               .most = 0.3 * pow((double)r.desc.spacing, 3)};
        compare_waters(waters[0], waters[1]);
        bool stable = true;
        for (int step = 0; step < 8 && stable; step++) {
            stable = step_both(waters, &drift);
            if (below(2))
                compare_waters(waters[0], waters[1]);
            if (stable)
                change_both(waters, r.rock);
        }
        compare_waters(waters[0], waters[1]);
        rvi_sph_destroy(waters[0]);
        rvi_sph_destroy(waters[1]);
    }
}

/* Rock comes where only water was. */
static void rock_moves_on_both(void **state) {
    (void)state;
    random_water r = {.desc = rvi_sph_desc_default(), .rock = true};
    r.desc.high[0] = r.desc.high[1] = r.desc.high[2] = 0.4;
    r.desc.most = MOST;
    if (!device)
        return;
    rvi_sph *waters[2] = {make_water(processor, &r), make_water(device, &r)};
    for (int i = 0; i < 2; i++)
        support_ok(i ? device : processor,
                   rvi_sph_fill(waters[i], (const double[3]){0.16, 0.06, 0.1},
                                (const double[3]){0.36, 0.26, 0.36}));
    for (int step = 0; step < 6; step++) {
        assert_true(step_both(waters, &(rvi_sph_drift){.settle = 1, .most = 1}));
        for (int i = 0; i < 2 && step % 2 == 0; i++)
            move_rock(i ? device : processor, waters[i], 3.0f - 2.0f * (float)step);
        compare_waters(waters[0], waters[1]);
    }
    rvi_sph_destroy(waters[0]);
    rvi_sph_destroy(waters[1]);
}

/* ---- Scenes ---- */

static uint64_t hash_of(rv_scene *scene) {
    rv_frame now;
    assert_int_equal(rv_scene_info(scene, &now), RV_OK);
    return now.hash;
}

static void step_scene(rv_context *ctx, rv_scene *scene, int frames) {
    for (int i = 0; i < frames; i++)
        support_ok(ctx, rv_scene_step(scene));
}

/* On the device from a checkpoint of frame 0: their rock takes long to make. */
static void presets_are_the_same(void **state) {
    (void)state;
    size_t count = support_short() ? 2 : rvi_preset_count();
    for (size_t p = 0; device && p < count; p++) {
        char text[128];
        rv_scene *scene, *there;
        snprintf(text, sizeof text, "preset name=%s", rvi_preset_get(p)->name);
        support_ok(processor, rv_scene_parse(processor, text, "scene", &scene));
        support_ok(processor, rv_scene_start(scene));
        support_ok(processor, rv_scene_save(scene, "preset.checkpoint"));
        support_ok(device, rv_scene_resume(device, "preset.checkpoint", &there));
        step_scene(processor, scene, 3);
        step_scene(device, there, 3);
        if (hash_of(scene) != hash_of(there))
            fail_msg("another result on the device: %s", text);
        rv_scene_destroy(scene);
        rv_scene_destroy(there);
    }
}

static rv_scene *start_lake(rv_context *ctx) {
    rv_scene *scene;
    support_ok(ctx,
               rv_scene_parse(ctx, "preset name=two_sources particles max=600", "scene", &scene));
    return scene;
}

/* A checkpoint of one goes on with the other, and back. */
static void scenes_go_on_elsewhere(void **state) {
    (void)state;
    if (!device)
        return;
    rv_scene *all = start_lake(processor), *part = start_lake(device);
    step_scene(processor, all, 12);
    for (int i = 0; i < 3; i++) {
        rv_context *now = i % 2 ? processor : device, *next = i % 2 ? device : processor;
        step_scene(now, part, 4);
        support_ok(now, rv_scene_save(part, "water.checkpoint"));
        rv_scene_destroy(part);
        support_ok(next, rv_scene_resume(next, "water.checkpoint", &part));
    }
    assert_int_equal(hash_of(all), hash_of(part));
    rv_scene_destroy(all);
    rv_scene_destroy(part);
}

/* The context changes its device while the scene runs; and the scene what it looks at. */
static void devices_change_between_frames(void **state) {
    (void)state;
    if (!device)
        return;
    rv_context *ctx = support_context(2);
    rv_scene *all = start_lake(processor), *part = start_lake(ctx);
    rv_particles seen;
    step_scene(processor, all, 10);
    for (int i = 0; i < 5; i++) {
        support_ok(ctx, rv_context_use_device(ctx, i % 2 * device_number));
        step_scene(ctx, part, 2);
        if (i == 2)
            support_ok(ctx, rv_scene_particles(part, &seen));
    }
    assert_int_equal(hash_of(all), hash_of(part));
    rv_scene_destroy(all);
    rv_scene_destroy(part);
    rv_context_destroy(ctx);
}

/* Too little memory there: the processor does it, from the start or when lists have grown. */
static void little_memory_is_no_failure(void **state) {
    (void)state;
    double places[MOST][3], sediments[MOST];
    random_water r = {.desc = rvi_sph_desc_default(), .places = places, .sediments = sediments};
    r.desc.most = 300;
    for (r.count = 0; r.count < 300; r.count++) {
        sediments[r.count] = 0;
        for (int k = 0; k < 3; k++)
            places[r.count][k] = 0.3 + between(0, 0.04);
    }
    const uint64_t limits[] = {1000, 600000, 900000, 1200000};
    for (size_t l = 0; device && l < sizeof limits / sizeof limits[0]; l++) {
        rv_context_device_limit(device, limits[l]);
        rvi_sph *waters[2] = {make_water(processor, &r), make_water(device, &r)};
        for (int step = 0; step < 4; step++)
            (void)step_both(waters, &(rvi_sph_drift){.settle = 1, .most = 1});
        compare_waters(waters[0], waters[1]);
        rvi_sph_destroy(waters[0]);
        rvi_sph_destroy(waters[1]);
        rv_context_device_limit(device, 0);
    }
}

/* ---- Stops ---- */

static bool stop_at_times(void *user, const rv_progress *now) {
    (void)now;
    return ++*(int *)user % 3 != 0;
}

/* A step that is stopped has moved no particle: those after it are as if it had not been. */
static void stopped_steps_change_nothing(void **state) {
    (void)state;
    if (!device)
        return;
    int asked = 0, stops = 0, steps = 0;
    rv_context_desc desc = rv_context_desc_default();
    desc.progress = stop_at_times;
    desc.user = &asked;
    desc.threads = 2;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    support_ok(ctx, rv_context_use_device(ctx, device_number));
    random_water r = {.desc = rvi_sph_desc_default()};
    rvi_sph *waters[2] = {make_water(processor, &r), make_water(ctx, &r)};
    for (int i = 0; i < 2; i++)
        support_ok(i ? ctx : processor,
                   rvi_sph_fill(waters[i], (const double[3]){0}, (const double[3]){0.2, 0.2, 0.3}));
    while (stops < 2 || steps < 4) {
        rvi_progress_begin(ctx, "a step");
        rv_status status = rvi_sph_step(waters[1], 1);
        stops += status == RV_CANCELLED;
        steps += status == RV_OK;
        assert_true(status == RV_OK || status == RV_CANCELLED);
        if (status == RV_OK)
            support_ok(processor, rvi_sph_step(waters[0], 1));
    }
    compare_waters(waters[0], waters[1]);
    rvi_sph_destroy(waters[0]);
    rvi_sph_destroy(waters[1]);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_waters_are_the_same),
        cmocka_unit_test(rock_moves_on_both),
        cmocka_unit_test(presets_are_the_same),
        cmocka_unit_test(scenes_go_on_elsewhere),
        cmocka_unit_test(little_memory_is_no_failure),
        cmocka_unit_test(devices_change_between_frames),
        cmocka_unit_test(stopped_steps_change_nothing),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
