/* bench_thermal.c: cell-updates per second of the step thermal, beside the machine's memory.
 *
 * Prints one line a run: map, neighbours, threads, millions of cell-updates per second of CPU and
 * of wall time (best of several), the bytes a cell moves, and the share of the memory bandwidth
 * measured in the same run. A cell-update reads a height and writes one: 4 bytes in, 4 out, and 4
 * more that the cache fetches before it writes. Neighbours come from the cache. usage:
 * bench_thermal [quick]
 */
#include <ravine/ravine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double clock_of(clockid_t id) {
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

/* Bytes a second of a[i] = b[i] + s c[i] over arrays that no cache holds, on one core: 16 bytes
 * each, with the fetch before the write. */
static double measure_triad(int tries) {
    size_t n = (size_t)16 << 20;
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    if (!a || !b || !c) {
        fprintf(stderr, "no memory for the triad\n");
        exit(1);
    }
    for (size_t i = 0; i < n; i++)
        a[i] = 0.0f, b[i] = (float)i, c[i] = 1.0f;
    double best = 0.0;
    for (int t = 0; t < tries; t++) {
        double start = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        for (size_t i = 0; i < n; i++)
            a[i] = b[i] + (float)(t + 1) * c[i];
        double rate = 16.0 * (double)n / (clock_of(CLOCK_PROCESS_CPUTIME_ID) - start);
        best = rate > best && a[n / 2] > 0.0f ? rate : best;
    }
    free(a);
    free(b);
    free(c);
    return best;
}

static rv_terrain *make_land(rv_context *ctx, int size) {
    rv_terrain *land;
    rv_terrain_desc desc = {size, size, 5120.0f / (float)size};
    check(ctx, rv_terrain_create(ctx, &desc, &land));
    check(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    return land;
}

typedef struct rate {
    double cpu, wall; /* cell-updates a second */
} rate;

/* CPU: a long run less a short one, what the rounds cost without what comes before and after them.
 * Wall: the whole step. */
static rate measure(int size, int threads, int neighbours, int rounds, int tries) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = threads;
    rv_context *ctx;
    if (rv_context_create(&desc, &ctx) != RV_OK)
        exit(1);
    rv_thermal_params p = rv_thermal_params_default();
    p.neighbours = neighbours;
    p.talus = 30.0f;
    double cpu[2] = {1e9, 1e9}, wall[2] = {1e9, 1e9};
    for (int t = 0; t < 2 * tries; t++) {
        rv_terrain *land = make_land(ctx, size);
        p.rounds = t % 2 ? rounds + 2 : 2;
        double c = clock_of(CLOCK_PROCESS_CPUTIME_ID), w = clock_of(CLOCK_MONOTONIC);
        check(ctx, rv_step_run(land, RV_STEP_thermal, &p, NULL));
        c = clock_of(CLOCK_PROCESS_CPUTIME_ID) - c;
        w = clock_of(CLOCK_MONOTONIC) - w;
        cpu[t % 2] = c < cpu[t % 2] ? c : cpu[t % 2];
        wall[t % 2] = w < wall[t % 2] ? w : wall[t % 2];
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
    double updates = (double)size * (double)size * (double)rounds;
    return (rate){updates / (cpu[1] - cpu[0]), updates / wall[1]};
}

static void measure_settled(int size) {
    rv_context *ctx;
    rv_context_create(NULL, &ctx);
    rv_terrain *land = make_land(ctx, size);
    rv_thermal_params p = rv_thermal_params_default();
    p.until = RV_thermal_until_settled;
    double c = clock_of(CLOCK_PROCESS_CPUTIME_ID), w = clock_of(CLOCK_MONOTONIC);
    check(ctx, rv_step_run(land, RV_STEP_thermal, &p, NULL));
    printf("%5d  until=settled: %.2f s of CPU, %.2f s\n", size,
           clock_of(CLOCK_PROCESS_CPUTIME_ID) - c, clock_of(CLOCK_MONOTONIC) - w);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    int tries = quick ? 2 : 6;
    double bandwidth = measure_triad(tries);
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
    measure_settled(quick ? 256 : 512);
    return 0;
}
