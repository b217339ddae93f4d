/* Water never stops: scenes at random, with a new seed in each run. */
#include "support.h"

#include "random_scene.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* Runs some frames, each of which must be sound. The scheme 3-0 keeps the long edges of a face, so
 * that all it becomes lie beside each other, and each is tested against each: of one scene in some
 * hundreds 100 frames take 5 s. What takes longer is left out, and said. */
static void run(rv_context *ctx, const char *words, int frames) {
    enum { MOST_S = 10 };
    rv_scene *scene = NULL;
    rv_frame now = {0};
    clock_t begin = clock();
    int i = 0;
    support_ok(ctx, rv_scene_parse(ctx, words, "random", &scene));
    support_ok(ctx, rv_scene_start(scene));
    for (; i < frames && clock() - begin < MOST_S * CLOCKS_PER_SEC; i++) {
        double before = now.time;
        support_ok(ctx, rv_scene_step(scene));
        assert_true(random_scene_is_sound(scene, before));
        support_ok(ctx, rv_scene_info(scene, &now));
    }
    if (i < frames)
        print_message("    cut after %d frames and %d s\n", i, MOST_S);
    rv_scene_destroy(scene);
}

/* Few particles touch, so that conjugate gradients are exact after two iterations: what is left of
 * the residual is rounding, and another direction made of it leads anywhere. */
static void converged_water_goes_on(void **state) {
    (void)state;
    static const struct {
        const char *words;
        int frames;
    } scenes[] = {
        {"preset name=river particles spacing=0.02118", 20},
        {"preset name=river particles spacing=0.0738318 friction=127.622 wall=penalty", 90},
        {"box model block.obj water low=0.172/0.131/0.32 high=0.419/0.306/0.6 particles "
         "spacing=0.0642",
         50},
        {"box model block.obj source at=0.25/0.3/0.8 size=0.2/0.2/0.1 rate=1360 "
         "speed=0.69/0.84/-0.97 particles max=762 spacing=0.06 wall=penalty",
         50},
    };
    assert_true(random_scene_write_block());
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        rv_context *ctx = support_context(1);
        run(ctx, scenes[i].words, scenes[i].frames);
        rv_context_destroy(ctx);
    }
}

/* RAVINE_SEED repeats a run. */
static void no_scene_stops(void **state) {
    (void)state;
    const char *told = getenv("RAVINE_SEED");
    uint64_t seed = told != NULL ? strtoull(told, NULL, 10) : rvi_mix((uint64_t)time(NULL)) >> 32;
    assert_true(random_scene_write_block());
    for (uint64_t i = 0; i < support_cases(60); i++) {
        rv_context *ctx = support_context(1);
        random_scene r = random_scene_draw(seed + i, 0.12, 1.5);
        print_message("RAVINE_SEED=%" PRIu64 ": ravine scene - <<< '%s'\n", seed + i, r.words);
        run(ctx, r.words, support_short() ? 20 : 100);
        rv_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converged_water_goes_on),
        cmocka_unit_test(no_scene_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
