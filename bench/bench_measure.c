/* bench_measure.c: how long it takes to measure land, beside the flood that it needs at least.
 *
 * Prints one line a map: seconds of processor time, best of three, on one thread: of measure, of
 * measure with its four pictures, and of flood, which fills the same pits. usage: bench_measure
 * [quick]
 */
#include "bench.h"

#include <string.h>

static double now(void) {
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static double best(rv_context *ctx, rv_terrain *land, rv_step_id step, const void *params) {
    double least = 1e9;
    for (int i = 0; i < 3; i++) {
        double from = now();
        bench_check(ctx, rv_step_run(land, step, params, NULL));
        double took = now() - from;
        least = took < least ? took : least;
    }
    return least;
}

static void measure(rv_context *ctx, int size) {
    rv_terrain *land;
    bench_check(ctx, rv_terrain_create(ctx, &(rv_terrain_desc){size, size, 10.0f}, &land));
    bench_check(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    rv_measure_params p = rv_measure_params_default();
    double cells = (double)size * (double)size;
    double plain = best(ctx, land, RV_STEP_measure, &p);
    p.plots = "bench_measure";
    double plots = best(ctx, land, RV_STEP_measure, &p);
    double flood = best(ctx, land, RV_STEP_flood, NULL);
    printf("measure %5d: %6.2f s, %4.0f ns a cell, %4.1f times a flood; with plots %6.2f s\n", size,
           plain, 1e9 * plain / cells, plain / flood, plots);
    rv_terrain_destroy(land);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    rv_context *ctx = bench_context(1);
    for (int size = 512; size <= (quick ? 512 : 2048); size *= 2)
        measure(ctx, size);
    rv_context_destroy(ctx);
    remove("bench_measure-slope-area.png");
    remove("bench_measure-hypsometry.png");
    remove("bench_measure-landforms.png");
    remove("bench_measure-drainage.png");
    return 0;
}
