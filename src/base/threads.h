/* threads.h: a parallel-for whose result cannot depend on the number of threads. Work is cut into
 * blocks by the size of the map; a block writes only what no other block touches. */
#ifndef RVI_BASE_THREADS_H
#define RVI_BASE_THREADS_H

#include <ravine/ravine.h>

/* Runs fn(arg, 0) ... fn(arg, blocks - 1), in any order, on all threads of the context.
 * RV_CANCELLED: the user asked to stop, and some blocks did not run. */
rv_status rvi_parallel(rv_context *ctx, int64_t blocks, void (*fn)(void *arg, int64_t block),
                       void *arg);

/* The same over rows, in blocks of RVI_ROWS rows (the last may be shorter): fn(arg, first, end). */
enum { RVI_ROWS = 16 };
rv_status rvi_parallel_rows(rv_context *ctx, int rows, void (*fn)(void *arg, int first, int end),
                            void *arg);

/* The same for any number of threads: added over fixed blocks in a fixed order, in doubles.
 * count is at least 1. Both always finish, even when the user asks to stop. */
double rvi_sum(rv_context *ctx, const float *values, size_t count);
void rvi_range(rv_context *ctx, const float *values, size_t count, float *low, float *high);

typedef struct rvi_pool rvi_pool;
rvi_pool *rvi_context_pool(const rv_context *ctx);
rvi_pool *rvi_pool_create(rv_context *ctx, int threads); /* NULL with the sentence set */
void rvi_pool_destroy(rvi_pool *pool);

#endif
