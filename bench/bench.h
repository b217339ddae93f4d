/* bench.h: what the bench programs share: clocks, checks, contexts, and the speed of memory. */
#ifndef RAVINE_BENCH_H
#define RAVINE_BENCH_H

#include <ravine/ravine.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Seconds on CLOCK_PROCESS_CPUTIME_ID or CLOCK_MONOTONIC. */
static inline double bench_clock(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void bench_check(const rv_context *ctx, rv_status status) {
    if (status == RV_OK)
        return;
    fprintf(stderr, "%s\n", ctx ? rv_context_error(ctx) : rv_status_text(status));
    exit(1);
}

/* 0 threads: one per core. */
static inline rv_context *bench_context(int threads) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = threads;
    rv_context *ctx = NULL;
    bench_check(NULL, rv_context_create(&desc, &ctx));
    return ctx;
}

/* How many a[i] = b[i] + s c[i] a second one core does over arrays that no cache holds, best of
 * `tries`. Each is 12 bytes, or 16 with the line that is fetched before it is written. */
static inline double bench_triad(int tries) {
    size_t n = (size_t)16 << 20;
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    if (!a || !b || !c)
        bench_check(NULL, RV_ERROR_MEMORY);
    for (size_t i = 0; i < n; i++)
        a[i] = 0.0f, b[i] = (float)i, c[i] = 1.0f;
    double best = 0.0;
    for (int t = 0; t < tries; t++) {
        double start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        for (size_t i = 0; i < n; i++)
            a[i] = b[i] + (float)(t + 1) * c[i];
        double rate = (double)n / (bench_clock(CLOCK_PROCESS_CPUTIME_ID) - start);
        best = rate > best && a[n / 2] > 0.0f ? rate : best;
    }
    free(a);
    free(b);
    free(c);
    return best;
}

#endif
