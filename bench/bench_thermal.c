/* bench_thermal.c: cell-updates per second of the step thermal, beside the machine's memory.
 *
 * Prints one line a run: map, neighbours, threads, millions of cell-updates per second of CPU and
 * of wall time (best of several), the bytes a cell moves, and the share of the memory bandwidth
 * measured in the same run. A cell-update reads a height and writes one: 4 bytes in, 4 out, and 4
 * more that the cache fetches before it writes. Neighbours come from the cache. usage:
 * bench_thermal [quick]
 */
#include "bench.h"

#include <string.h>

static rv_terrain *make_land(rv_context *ctx, int size) {
    rv_terrain *land;
    rv_terrain_desc desc = {size, size, 5120.0f / (float)size};
    bench_check(ctx, rv_terrain_create(ctx, &desc, &land));
    bench_check(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    return land;
}

typedef struct rate {
    double cpu, wall; /* cell-updates a second */
} rate;

/* CPU: a long run less a short one, what the rounds cost without what comes before and after them.
 * Wall: the whole step. */
static rate measure(int size, int threads, int neighbours, int rounds, int tries) {
    rv_context *ctx = bench_context(threads);
    rv_thermal_params p = rv_thermal_params_default();
    p.neighbours = neighbours;
    p.talus = 30.0f;
    double cpu[2] = {1e9, 1e9}, wall[2] = {1e9, 1e9};
    for (int t = 0; t < 2 * tries; t++) {
        rv_terrain *land = make_land(ctx, size);
        p.rounds = t % 2 ? rounds + 2 : 2;
        double c = bench_clock(CLOCK_PROCESS_CPUTIME_ID), w = bench_clock(CLOCK_MONOTONIC);
        bench_check(ctx, rv_step_run(land, RV_STEP_thermal, &p, NULL));
        c = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - c;
        w = bench_clock(CLOCK_MONOTONIC) - w;
        cpu[t % 2] = c < cpu[t % 2] ? c : cpu[t % 2];
        wall[t % 2] = w < wall[t % 2] ? w : wall[t % 2];
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
    double updates = (double)size * (double)size * (double)rounds;
    return (rate){updates / (cpu[1] - cpu[0]), updates / wall[1]};
}

static void measure_settled(int size) {
    rv_context *ctx = bench_context(0);
    rv_terrain *land = make_land(ctx, size);
    rv_thermal_params p = rv_thermal_params_default();
    p.until = RV_thermal_until_settled;
    double c = bench_clock(CLOCK_PROCESS_CPUTIME_ID), w = bench_clock(CLOCK_MONOTONIC);
    bench_check(ctx, rv_step_run(land, RV_STEP_thermal, &p, NULL));
    printf("%5d  until=settled: %.2f s of CPU, %.2f s\n", size,
           bench_clock(CLOCK_PROCESS_CPUTIME_ID) - c, bench_clock(CLOCK_MONOTONIC) - w);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    int tries = quick ? 2 : 6;
    double bandwidth = 16.0 * bench_triad(tries);
    printf("memory: %.1f GB/s on one core (triad, CPU time)\n", bandwidth / 1e9);
    printf("  map  neighbours  threads  M updates/CPU s  M updates/s  B/update  of bandwidth\n");
    const int sizes[] = {512, 1024, 2048, 4096}, ways[] = {8, 4};
    for (int s = 0; s < (quick ? 2 : 4); s++)
        for (int n = 0; n < 2; n++)
            for (int threads = 1; threads <= 2; threads++) {
                int rounds = quick ? 20 : (1 << 26) / (sizes[s] * sizes[s]);
                rate r =
                    measure(sizes[s], threads,
                            n ? RV_thermal_neighbours_4 : RV_thermal_neighbours_8, rounds, tries);
                printf("%5d  %10d  %7d  %15.0f  %11.0f  %8d  %11.0f%%\n", sizes[s], ways[n],
                       threads, r.cpu / 1e6, r.wall / 1e6, 12, 1200.0 * r.cpu / bandwidth);
                fflush(stdout);
            }
    puts("Teissier, Le Tullier and Poyet on their CPU: 500 x 500 cells in 183 ms, 1.4 M/s");
    measure_settled(quick ? 256 : 512);
    return 0;
}
