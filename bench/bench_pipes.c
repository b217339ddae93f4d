/* bench_pipes.c: cell-updates per second of pipes, and the share of memory bandwidth they use.
 *
 * A cell-update is one cell in one round: all pipes, water, sediment and ground. Bytes are counted
 * as what a round must read and write once when nothing stays in the cache, plus the lines that are
 * fetched to be overwritten:
 *     pipes   reads bed, change, depth, limit and the fluxes, writes the fluxes
 *     cells   read fluxes, bed, change, depth, sediment, rest, laid, flow; write change, depth,
 *             sediment (fetched first), rest, limit, laid, flow (read or fetched first)
 * which is 4 (4 + 2 n + 7 + n + 7 + 4) bytes with n = 4 fluxes for eight pipes, 2 for four. The
 * bandwidth is that of a triad a = b + s c over arrays of 64 MB in the same run, at 16 bytes a
 * step. With one thread, time is that of the processor; with more, that of the clock.
 * usage: bench_pipes [quick]
 */
#include "bench.h"

#include <string.h>

/* Cell-updates a second, the best of three; the time of what is not a round is taken away. */
static double measure(int n, int threads, int neighbours, int rounds) {
    clockid_t id = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    rv_context *ctx = bench_context(threads);
    rv_terrain *land;
    bench_check(ctx, rv_terrain_create(ctx, &(rv_terrain_desc){n, n, 10.0f}, &land));
    bench_check(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    rv_pipes_params p = rv_pipes_params_default();
    p.neighbours = neighbours;
    p.time = 1e9f;
    p.rounds = 200; /* until there are rivers */
    bench_check(ctx, rv_step_run(land, RV_STEP_pipes, &p, NULL));
    double best = 0;
    for (int turn = 0; turn < 3; turn++) {
        double took[2];
        for (int k = 0; k < 2; k++) {
            p.rounds = k == 0 ? 1 : 1 + rounds;
            double start = bench_clock(id);
            bench_check(ctx, rv_step_run(land, RV_STEP_pipes, &p, NULL));
            took[k] = bench_clock(id) - start;
        }
        double rate = (double)n * n * rounds / (took[1] - took[0]);
        best = rate > best ? rate : best;
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    return best;
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    double triad = 16.0 * bench_triad(5);
    printf("triad on one core: %.1f GB/s\n", triad / 1e9);
    printf("  map  pipes threads  cell-updates/s  bytes/cell    GB/s  of the triad\n");
    int sizes[] = {512, 1024, 2048, 4096};
    for (int i = 0; i < (quick ? 2 : 4); i++)
        for (int neighbours = 0; neighbours < 2; neighbours++)
            for (int threads = 1; threads <= 2; threads++) {
                int fluxes = neighbours == 0 ? 4 : 2;
                double bytes = 4.0 * (4 + 2 * fluxes + 7 + fluxes + 7 + 4);
                double rate =
                    measure(sizes[i], threads, neighbours, (quick ? 20 : 60) * 512 / sizes[i]);
                printf("%5d %6d %7d  %12.1f M  %10.0f  %6.1f  %11.0f%%\n", sizes[i], 2 * fluxes,
                       threads, rate / 1e6, bytes, rate * bytes / 1e9, 100 * rate * bytes / triad);
                fflush(stdout);
            }
    puts("Teissier, Le Tullier and Poyet on their CPU: 500 x 500 cells in 486 ms, 0.5 M/s");
    return 0;
}
