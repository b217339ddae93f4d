/* bench_one_core.c: seconds of processor time that steps and frames of a scene take on one thread.
 *
 * Prints one line each: name and seconds, the best of three. bench/wasm.sh runs it as a program and
 * as WebAssembly and compares.
 */
#include "bench.h"

static double now(void) {
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static const struct {
    const char *name, *text; /* the last step counts */
} recipes[] = {
    {"noise", "terrain size=1024 noise"},
    {"droplets", "terrain size=512 noise droplets drops=100k radius=4cells"},
    {"runoff", "terrain size=512 noise runoff rounds=40"},
    {"particles", "terrain size=512 noise particles drops=100k"},
    {"thermal", "terrain size=1024 noise thermal talus=30 rounds=30"},
    {"rivers", "terrain size=512 noise rivers steps=15"},
    {"drain", "terrain size=1024 noise drain"},
    {"pipes", "terrain size=512 noise pipes rounds=100"},
};

static double started;

static void before(void *user, int index, rv_step_id step) {
    (void)user, (void)index, (void)step;
    started = now();
}

static void after(void *user, int index, const rv_report *report) {
    (void)index, (void)report;
    *(double *)user = now() - started;
}

static double recipe_seconds(const char *text) {
    double took = 0;
    rv_context *ctx = bench_context(1);
    rv_watch watch = {.before = before, .after = after, .user = &took};
    bench_check(ctx, rv_recipe_run_text(ctx, text, &watch, NULL));
    rv_context_destroy(ctx);
    return took;
}

/* Of the last frames, when there is water on the rock. */
static double scene_seconds(const char *preset) {
    enum { FRAMES = 120, COUNTED = 40 };
    rv_context *ctx = bench_context(1);
    rv_scene *scene;
    bench_check(ctx, rv_scene_create(ctx, preset, &scene));
    for (int i = 0; i < FRAMES; i++) {
        if (i == FRAMES - COUNTED)
            started = now();
        bench_check(ctx, rv_scene_step(scene));
    }
    double took = now() - started;
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
    return took;
}

static void line(const char *name, double (*seconds)(const char *what), const char *what) {
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        double took = seconds(what);
        best = took < best ? took : best;
    }
    printf("%s %.4f\n", name, best);
    fflush(stdout);
}

int main(void) {
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        line(recipes[i].name, recipe_seconds, recipes[i].text);
    line("scene", scene_seconds, "river");
    return 0;
}
