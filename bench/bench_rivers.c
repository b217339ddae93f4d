/* bench_rivers.c: cells a second for each time step of rivers, and for drain.
 *
 * Prints one line a map: best of three, in seconds of processor time, on one thread, and what a
 * cell costs beside one of the smallest map. Rivers are measured from raw noise, with its lakes,
 * and on land they have worn already. For comparison: what copying the heights alone takes. Then
 * 40 time steps of stream power from raw noise, every one on the cells of the map, by the number of
 * threads: seconds on the clock, best of three. usage: bench_rivers [quick | threads [SIZE...]]
 */
#include "bench.h"

#include <string.h>

static double now(void) {
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static double best(rv_context *ctx, rv_terrain *land, const rv_snapshot *start, rv_step_id step,
                   const void *params) {
    double least = 1e9;
    for (int i = 0; i < 3; i++) {
        bench_check(ctx, rv_terrain_restore(land, start));
        double from = now();
        bench_check(ctx, rv_step_run(land, step, params, NULL));
        double took = now() - from;
        least = took < least ? took : least;
    }
    return least;
}

/* Seconds of one time step: what ten more of them take, a tenth of it. */
static double one_step(rv_context *ctx, rv_terrain *land, const rv_snapshot *start) {
    rv_rivers_params p = rv_rivers_params_default();
    p.time = 20000.0f;
    p.steps = 1;
    double few = best(ctx, land, start, RV_STEP_rivers, &p);
    p.time = 220000.0f;
    p.steps = 11;
    return (best(ctx, land, start, RV_STEP_rivers, &p) - few) / 10;
}

static double copying(const rv_terrain *land, size_t cells) {
    double least = 1e9;
    float *to = malloc(cells * sizeof *to);
    for (int i = 0; to && i < 5; i++) {
        double from = now();
        memcpy(to, rv_terrain_field(land, "height"), cells * sizeof *to);
        double took = now() - from;
        least = took < least ? took : least;
    }
    printf("%s", to && to[cells / 2] > 1e30f ? "?" : ""); /* the copy counts */
    free(to);
    return least;
}

static double first[3];

static void line(int which, const char *name, int size, double seconds, double copy) {
    double cells = (double)size * (double)size, each = 1e9 * seconds / cells;
    first[which] = first[which] > 0 ? first[which] : each;
    printf("%-16s %5d: %6.2f million cells a second, %6.1f ns a cell, %.2f of that at 512, "
           "%4.0f times a copy\n",
           name, size, 1e-6 * cells / seconds, each, each / first[which], seconds / copy);
    fflush(stdout);
}

static void measure(rv_context *ctx, int size) {
    rv_terrain *land;
    bench_check(ctx, rv_terrain_create(ctx, &(rv_terrain_desc){size, size, 30.0f}, &land));
    rv_noise_params noise = rv_noise_params_default();
    noise.frequency = 0.15f;
    noise.relief = 500.0f;
    bench_check(ctx, rv_step_run(land, RV_STEP_noise, &noise, NULL));
    rv_snapshot *raw, *worn;
    bench_check(ctx, rv_terrain_snapshot(land, &raw));
    double copy = copying(land, (size_t)size * (size_t)size);
    line(0, "rivers on noise", size, one_step(ctx, land, raw), copy);
    line(2, "drain", size, best(ctx, land, raw, RV_STEP_drain, NULL), copy);
    rv_rivers_params p = rv_rivers_params_default();
    p.steps = 40;
    bench_check(ctx, rv_step_run(land, RV_STEP_rivers, &p, NULL));
    bench_check(ctx, rv_terrain_snapshot(land, &worn));
    line(1, "rivers on worn", size, one_step(ctx, land, worn), copy);
    rv_snapshot_destroy(raw);
    rv_snapshot_destroy(worn);
    rv_terrain_destroy(land);
}

/* ---- by threads ---- */

static double on_the_clock(rv_context *ctx, rv_terrain *land, const rv_snapshot *start,
                           const rv_rivers_params *p, int tries) {
    double least = 1e9;
    for (int i = 0; i < tries; i++) {
        bench_check(ctx, rv_terrain_restore(land, start));
        double from = bench_clock(CLOCK_MONOTONIC);
        bench_check(ctx, rv_step_run(land, RV_STEP_rivers, p, NULL));
        double took = bench_clock(CLOCK_MONOTONIC) - from;
        least = took < least ? took : least;
    }
    return least;
}

static double measure_threads(int size, int threads, float slope_power, int steps) {
    rv_context *ctx = bench_context(threads);
    rv_terrain *land;
    bench_check(ctx, rv_terrain_create(ctx, &(rv_terrain_desc){size, size, 30.0f}, &land));
    rv_noise_params noise = rv_noise_params_default();
    noise.frequency = 0.15f;
    noise.relief = 500.0f;
    bench_check(ctx, rv_step_run(land, RV_STEP_noise, &noise, NULL));
    rv_snapshot *raw;
    bench_check(ctx, rv_terrain_snapshot(land, &raw));
    rv_rivers_params p = rv_rivers_params_default();
    p.source = 0.0f;
    p.steps = steps;
    p.slope_power = slope_power;
    double seconds = on_the_clock(ctx, land, raw, &p, size > 1024 ? 1 : 3);
    rv_snapshot_destroy(raw);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    return seconds;
}

static void by_threads(int size) {
    rv_context *all = bench_context(0);
    int cores = rv_context_threads(all), steps = 40;
    rv_context_destroy(all);
    for (int n = 1; n <= 2; n++) {
        double one = 0.0;
        for (int threads = 1; threads <= cores; threads *= 2) {
            double seconds = measure_threads(size, threads, (float)n, steps);
            one = threads == 1 ? seconds : one;
            double moved = steps * (double)size * (double)size;
            printf("%5d, n = %d, %2d threads: %6.2f s for %d steps, %6.2f million cell-steps a "
                   "second, %6.1f ns a cell-step of a thread, %.2f times one thread\n",
                   size, n, threads, seconds, steps, 1e-6 * moved / seconds,
                   1e9 * seconds * threads / moved, one / seconds);
            fflush(stdout);
        }
    }
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        for (int i = 2; i < argc; i++)
            by_threads(atoi(argv[i]));
        if (argc == 2)
            by_threads(1024);
        return 0;
    }
    rv_context *ctx = bench_context(1);
    for (int size = 512; size <= (quick ? 512 : 4096); size *= 2)
        measure(ctx, size);
    rv_context_destroy(ctx);
    by_threads(quick ? 512 : 1024);
    return 0;
}
