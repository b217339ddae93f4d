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
#include <ravine/ravine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_on(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(rv_context *ctx, rv_status status) {
    if (status == RV_OK)
        return;
    fprintf(stderr, "%s\n", rv_context_error(ctx));
    exit(1);
}

/* Bytes a second of one core. */
static double measure_triad(void) {
    enum { COUNT = 16 << 20 };
    float *a = malloc(COUNT * sizeof *a), *b = malloc(COUNT * sizeof *b);
    float *c = malloc(COUNT * sizeof *c);
    if (!a || !b || !c)
        exit(1);
    for (int i = 0; i < COUNT; i++) {
        a[i] = 0;
        b[i] = (float)i;
        c[i] = 1;
    }
    double best = 0;
    for (int turn = 0; turn < 5; turn++) {
        double start = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < COUNT; i++)
            a[i] = b[i] + (float)turn * c[i];
        double rate = 16.0 * COUNT / (seconds_on(CLOCK_PROCESS_CPUTIME_ID) - start);
        best = rate > best ? rate : best;
    }
    if (a[COUNT / 2] < 0)
        puts("no");
    free(a);
    free(b);
    free(c);
    return best;
}

/* Cell-updates a second, the best of three; the time of what is not a round is taken away. */
static double measure(int n, int threads, int neighbours, int rounds) {
    clockid_t id = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = threads;
    rv_context *ctx;
    check(NULL, rv_context_create(&desc, &ctx));
    rv_terrain *land;
    check(ctx, rv_terrain_create(ctx, &(rv_terrain_desc){n, n, 10.0f}, &land));
    check(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    rv_pipes_params p = rv_pipes_params_default();
    p.neighbours = neighbours;
    p.time = 1e9f;
    p.rounds = 200; /* until there are rivers */
    check(ctx, rv_step_run(land, RV_STEP_pipes, &p, NULL));
    double best = 0;
    for (int turn = 0; turn < 3; turn++) {
        double took[2];
        for (int k = 0; k < 2; k++) {
            p.rounds = k == 0 ? 1 : 1 + rounds;
            double start = seconds_on(id);
            check(ctx, rv_step_run(land, RV_STEP_pipes, &p, NULL));
            took[k] = seconds_on(id) - start;
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
    double triad = measure_triad();
    printf("triad on one core: %.1f GB/s\n", triad / 1e9);
    printf("  map  pipes threads  cell-updates/s  bytes/cell    GB/s  of the triad\n");
    int sizes[] = {512, 1024, 2048};
    for (int i = 0; i < (quick ? 2 : 3); i++)
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
    return 0;
}
