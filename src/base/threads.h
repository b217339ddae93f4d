/* threads.h: a parallel-for whose result cannot depend on the number of threads. Work is cut into
 * blocks by the size of the map; a block writes only what no other block touches. */
#ifndef RVI_BASE_THREADS_H
#define RVI_BASE_THREADS_H

#include <ravine/ravine.h>

/* Two kinds of work. What begins with rvi_parallel, and rvi_copy, can be cancelled and says so in
 * its status. What begins with rvi_finish always ends: keep it short. */

/* Runs fn(arg, 0) ... fn(arg, blocks - 1), in any order, on all threads of the context.
 * RV_CANCELLED: the user asked to stop, and some blocks did not run. */
rv_status rvi_parallel(rv_context *ctx, int64_t blocks, void (*fn)(void *arg, int64_t block),
                       void *arg);

/* For blocks that may take long, asked inside them: does the user want to stop? Then the block may
 * leave its work undone. Never in what begins with rvi_finish. On the calling thread it asks the
 * user, if it is time to. */
bool rvi_parallel_stopped(rv_context *ctx);

/* The same, but runs only blocks that are not marked in `done`, and marks them. What a stop left
 * out can be run by another call. */
rv_status rvi_parallel_rest(rv_context *ctx, int64_t blocks, bool *done,
                            void (*fn)(void *arg, int64_t block), void *arg);

/* Blocks of which some must follow others. `followers` names those that wait for a block; `waits`
 * says for how many each one waits, and is used up. A call of `run` takes blocks that wait for
 * nothing more, as many at a time as it can run side by side, says of each when it has run, and
 * returns when it has run all that it got. */
enum { RVI_FOLLOWERS = 256 };
typedef struct rvi_taker rvi_taker;
typedef struct rvi_graph {
    int count;
    int *waits, *queue;                               /* room for `count` in each */
    int (*followers)(void *arg, int block, int *out); /* at most RVI_FOLLOWERS; returns how many */
    void (*run)(void *arg, rvi_taker *taker);
    void *arg;
    /* NULL, or called on the calling thread when rvi_progress_look_due says so and no block runs;
     * it calls rvi_progress_look. How often that is depends on the clock: it must change nothing
     * that blocks read. */
    rv_status (*look)(void *arg);
} rvi_graph;
int rvi_take(rvi_taker *taker); /* -1: none now, or others need them; the first time there is one */
void rvi_taken(rvi_taker *taker, int block); /* it has run: those that waited for it may */
rv_status rvi_parallel_graph(rv_context *ctx, const rvi_graph *graph);

/* The same over rows, in blocks of RVI_ROWS rows (the last may be shorter): fn(arg, first, end). */
enum { RVI_ROWS = 16 };
rv_status rvi_parallel_rows(rv_context *ctx, int rows, void (*fn)(void *arg, int first, int end),
                            void *arg);

/* memcpy, in such blocks. RV_CANCELLED: not all of it was copied. */
rv_status rvi_copy(rv_context *ctx, void *to, const void *from, size_t size);

/* The same as rvi_parallel, but all blocks run, even when the user asks to stop or has asked
 * already. */
void rvi_finish(rv_context *ctx, int64_t blocks, void (*fn)(void *arg, int64_t block), void *arg);
void rvi_finish_rows(rv_context *ctx, int rows, void (*fn)(void *arg, int first, int end),
                     void *arg);

typedef struct rvi_pool rvi_pool;
rvi_pool *rvi_context_pool(const rv_context *ctx);
rvi_pool *rvi_pool_create(rv_context *ctx, int threads); /* NULL with the sentence set */
int rvi_pool_threads(const rvi_pool *pool); /* those it was granted, with the caller's */
void rvi_pool_destroy(rvi_pool *pool);

#endif
