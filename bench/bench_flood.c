/* bench_flood.c: cells a second for lakes, and what bands in the rock cost drops.
 *
 * Prints one line a map: best of three, in seconds of processor time. The flood runs on one thread.
 * usage: bench_flood [quick]
 */
#include "bench.h"

#include <string.h>

/* Seconds of processor time that a step takes on the land of a snapshot, best of three. */
static double best(rv_context *ctx, rv_terrain *land, const rv_snapshot *start, rv_step_id step,
                   const void *params) {
    double least = 1e9;
    for (int i = 0; i < 3; i++) {
        bench_check(ctx, rv_terrain_restore(land, start));
        double from = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        bench_check(ctx, rv_step_run(land, step, params, NULL));
        double took = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - from;
        least = took < least ? took : least;
    }
    return least;
}

static void measure(rv_context *ctx, int size) {
    rv_terrain *land;
    bench_check(ctx, rv_terrain_create(ctx, &(rv_terrain_desc){size, size, 10.0f}, &land));
    bench_check(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    rv_snapshot *start, *banded;
    bench_check(ctx, rv_terrain_snapshot(land, &start));
    bench_check(ctx, rv_step_run(land, RV_STEP_strata, NULL, NULL));
    bench_check(ctx, rv_terrain_snapshot(land, &banded));
    double cells = (double)size * (double)size;
    double flood = best(ctx, land, start, RV_STEP_flood, NULL);
    printf("flood %5d: %6.2f million cells a second\n", size, 1e-6 * cells / flood);
    if (size <= 1024) {
        rv_droplets_params p = rv_droplets_params_default();
        p.drops = 100000;
        double plain = best(ctx, land, start, RV_STEP_droplets, &p);
        double slow = best(ctx, land, banded, RV_STEP_droplets, &p);
        printf("drops %5d: %6.0f thousand a second, with bands %6.0f: %.2f times as slow\n", size,
               1e-3 * (double)p.drops / plain, 1e-3 * (double)p.drops / slow, slow / plain);
    }
    rv_snapshot_destroy(start);
    rv_snapshot_destroy(banded);
    rv_terrain_destroy(land);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    rv_context *ctx = bench_context(1);
    for (int size = 512; size <= (quick ? 512 : 4096); size *= 2)
        measure(ctx, size);
    rv_context_destroy(ctx);
    return 0;
}
