/* bench_rivers.c: cells a second for each time step of rivers, and for drain.
 *
 * Prints one line a map: best of three, in seconds of processor time, on one thread, and what a
 * cell costs beside one of the smallest map. Rivers are measured from raw noise, with its lakes,
 * and on land they have worn already. For comparison: what copying the heights alone takes. usage:
 * bench_rivers [quick]
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

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    rv_context *ctx = bench_context(1);
    for (int size = 512; size <= (quick ? 512 : 4096); size *= 2)
        measure(ctx, size);
    rv_context_destroy(ctx);
    return 0;
}
