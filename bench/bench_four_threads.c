/* bench_four_threads.c: how much faster four threads are than one, by the clock on the wall.
 *
 * Prints one line each: name, seconds on one thread and on four, the best of five turns, and their
 * ratio. bench/wasm.sh runs it as WebAssembly. More than the cores of the machine it cannot be.
 */
#include "bench.h"

enum { TURNS = 5 };

static const struct {
    const char *name, *text; /* the last step counts */
} recipes[] = {
    {"droplets", "terrain size=512 noise droplets drops=100k radius=4cells"},
    {"thermal", "terrain size=1024 noise thermal talus=30 rounds=60"},
    {"rivers", "terrain size=1024 noise rivers steps=15"},
    {"pipes", "terrain size=512 noise pipes rounds=100"},
};

static double started;

static void before(void *user, int index, rv_step_id step) {
    (void)user, (void)index, (void)step;
    started = bench_clock(CLOCK_MONOTONIC);
}

static void after(void *user, int index, const rv_report *report) {
    (void)index, (void)report;
    *(double *)user = bench_clock(CLOCK_MONOTONIC) - started;
}

static double recipe_seconds(const char *text, int threads) {
    double took = 0;
    rv_context *ctx = bench_context(threads);
    rv_watch watch = {.before = before, .after = after, .user = &took};
    bench_check(ctx, rv_recipe_run_text(ctx, text, &watch, NULL));
    rv_context_destroy(ctx);
    return took;
}

/* Of the last frames, when there is water on the rock. */
static double scene_seconds(const char *preset, int threads) {
    enum { FRAMES = 160, COUNTED = 40 };
    rv_context *ctx = bench_context(threads);
    rv_scene *scene;
    bench_check(ctx, rv_scene_create(ctx, preset, &scene));
    for (int i = 0; i < FRAMES; i++) {
        if (i == FRAMES - COUNTED)
            started = bench_clock(CLOCK_MONOTONIC);
        bench_check(ctx, rv_scene_step(scene));
    }
    double took = bench_clock(CLOCK_MONOTONIC) - started;
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
    return took;
}

static void line(const char *name, double (*seconds)(const char *what, int threads),
                 const char *what) {
    double one = 1e9, four = 1e9;
    for (int i = 0; i < TURNS; i++) {
        double a = seconds(what, 1), b = seconds(what, 4);
        one = a < one ? a : one;
        four = b < four ? b : four;
    }
    printf("%-10s %7.3fs %7.3fs  %4.2f times\n", name, one, four, one / four);
    fflush(stdout);
}

int main(void) {
    printf("%-10s %8s %8s\n", "", "1 thread", "4");
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        line(recipes[i].name, recipe_seconds, recipes[i].text);
    line("scene", scene_seconds, "river");
    return 0;
}
