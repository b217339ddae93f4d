/* bench_runoff.c: cell-updates per second of runoff, and what share of the memory's speed that is.
 *
 * Prints one line a run: map, threads, cell-updates a second, bytes moved for each of them, and the
 * share of the speed of a plain triad a[i] = b[i] + k c[i] over large arrays in the same run. A
 * round reads ground, base, water, sediment, laid, flow (24 bytes) and writes all but base (20);
 * where a write first reads the line, as it does in the triad too, that is not counted in either.
 * Times are CPU times for one thread, wall times else. usage: bench_runoff [quick]
 */
#include "bench.h"

#include <string.h>

enum { BYTES = 44, TURNS = 3 };

static double measure(int size, int threads, int rounds, int neighbours) {
    rv_context *ctx = bench_context(threads);
    clockid_t which = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    double best = 1e9;
    for (int turn = 0; turn < TURNS; turn++) {
        rv_terrain *land;
        rv_terrain_desc shape = {size, size, 10};
        bench_check(ctx, rv_terrain_create(ctx, &shape, &land));
        bench_check(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
        rv_runoff_params p = rv_runoff_params_default();
        p.neighbours = neighbours;
        /* The difference of two runs leaves out what comes before and after the rounds. */
        double seconds[2];
        for (int k = 0; k < 2; k++) {
            p.rounds = k == 0 ? 1 : rounds + 1;
            double start = bench_clock(which);
            bench_check(ctx, rv_step_run(land, RV_STEP_runoff, &p, NULL));
            seconds[k] = bench_clock(which) - start;
        }
        rv_terrain_destroy(land);
        double took = seconds[1] - seconds[0];
        best = took < best ? took : best;
    }
    rv_context_destroy(ctx);
    return (double)size * (double)size * (double)rounds / best;
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    double speed = 12.0 * bench_triad(8);
    printf("triad on one core: %.1f GB/s\n", speed / 1e9);
    printf("  map  neighbours  threads  cell-updates/s  bytes each  share of the triad\n");
    static const int sizes[] = {512, 1024, 2048, 4096};
    for (int i = 0; i < (quick ? 1 : 4); i++)
        for (int threads = 1; threads <= 2; threads++)
            for (int neighbours = 0; neighbours < (sizes[i] == 1024 ? 2 : 1); neighbours++) {
                double rate = measure(sizes[i], threads, sizes[i] > 1024 ? 10 : 40, neighbours);
                printf("%5d  %10d  %7d  %12.1f M  %10d  %17.0f%%\n", sizes[i],
                       neighbours == RV_runoff_neighbours_8 ? 8 : 4, threads, rate / 1e6, BYTES,
                       100 * rate * BYTES / speed);
                fflush(stdout);
            }
    return 0;
}
