/* threads.c: a pool of threads that share out numbered blocks of work.
 *
 * Who takes which block is left to chance; what comes out is not, because a block's work depends on
 * its number alone. The calling thread works too, and asks the user between its blocks.
 *
 * Blocks beside each other go to the same thread from round to round, whose cache holds what they
 * work on; who is done with its own helps the others.
 *
 * Rounds of work may be shorter than waking a thread takes. So who waits looks for a short while
 * before it sleeps, if there is a core for it; a short round calls no more threads than there are
 * cores, and no round waits for workers that have not joined it when its blocks are done; and the
 * caller does alone what took it no longer than to wake others when it did the same before. What it
 * works on may lie in the cache of one core and be far from the other: of rounds that are not long
 * both ways are tried, and the faster one is taken.
 */
#include "base/threads.h"
#include "base/context.h"
#include "base/float_state.h"
#include "base/machine.h"
#include "base/math.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* What `state` is made of: how many workers are at work, whether more may join, and the number of
 * the round. */
enum { INSIDE = (1 << 12) - 1, OPEN = 1 << 12, ROUND = 1 << 13 };

/* Looks before one sleeps: some hundred microseconds, as what the caller does between two rounds
 * takes. To wake a thread on another core takes ten or twenty of the caller's. */
#if defined(__x86_64__)
enum { LOOKS = 4000 };
#else
enum { LOOKS = 60000 }; /* without an instruction to rest in between */
#endif

/* Seconds of work that are never worth the call of others, and of work that always is. */
static const double LITTLE_WORK = 0.5e-6, ENOUGH_WORK = 200e-6;

/* Seconds of work from which on more threads than cores do not matter. */
static const double MUCH_WORK = 2e-3;

/* What is known of some work: seconds for each of its blocks. */
typedef struct known_work {
    void (*what)(void);
    double own;     /* of the caller for one that it took, the last time */
    double with[2]; /* of the whole round: done alone, and with others; 0: not tried yet */
    unsigned turns;
} known_work;

enum { TRY = 32 }; /* rounds after which the slower way is tried again */

enum { KNOWN = 256 };

/* The blocks of a thread, on cache lines of their own. */
typedef struct share {
    rvi_pool *pool;
    int number;
    atomic_llong next;
    int64_t end;
    char apart[96];
} share;

struct rvi_pool {
    rv_context *ctx;
    pthread_t *workers;
    share *shares; /* the caller's is the first */
    int worker_count;
    int at_once; /* threads that have a core each, the caller's among them: only these look */
    /* of the caller alone: */
    known_work known[KNOWN];
    double little;   /* seconds of work that are not worth the call of others */
    double patience; /* seconds after which they are called after all */
    double began;
    int64_t taken; /* blocks, by the caller in this round */
    bool called;   /* others may join it */
    bool busy;     /* a round goes on */
    pthread_mutex_t lock;
    pthread_cond_t start, start_rest, finish, ready; /* start_rest: of those without a core */
    atomic_ullong state;                             /* a round begins with the lock held */
    int asleep;                                      /* of those with a core; guarded by lock */
    bool quit;                                       /* guarded by lock */
    int parts;                                       /* shares, constant during a round */
    int64_t blocks;                                  /* the work, constant during a round */
    void (*fn)(void *arg, int64_t block);
    void *arg;
    bool whole; /* run all blocks, whatever the user wishes */
    pthread_t caller;
    atomic_bool stop;
};

/* No further block is begun, and nobody waits for one any more. */
static void stop_all(rvi_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->stop, true);
    pthread_cond_broadcast(&pool->ready);
    pthread_mutex_unlock(&pool->lock);
}

static void ask_user(rvi_pool *pool) {
    if (rvi_poll(pool->ctx) != RV_OK && !pool->whole)
        stop_all(pool);
}

bool rvi_parallel_stopped(rv_context *ctx) {
    rvi_pool *pool = rvi_context_pool(ctx);
    if (pthread_equal(pthread_self(), pool->caller))
        ask_user(pool);
    return atomic_load_explicit(&pool->stop, memory_order_relaxed);
}

static void wake(pthread_cond_t *who, int count, int64_t wanted) {
    if (wanted >= count && count > 0)
        pthread_cond_broadcast(who);
    for (int64_t i = 0; i < wanted && wanted < count; i++)
        pthread_cond_signal(who);
}

/* Lets the workers in, as many as there are blocks for, and cores if there is little to do. */
static void open_round(rvi_pool *pool, double seconds) {
    int64_t wanted = pool->blocks - 1;
    pool->called = true;
    pthread_mutex_lock(&pool->lock);
    unsigned long long round = atomic_load(&pool->state) / ROUND + 1;
    atomic_store(&pool->state, round * ROUND + OPEN);
    wake(&pool->start, pool->asleep, wanted);
    if (seconds > MUCH_WORK)
        wake(&pool->start_rest, pool->worker_count + 1 - pool->at_once,
             wanted - (pool->at_once - 1));
    pthread_mutex_unlock(&pool->lock);
}

/* Between two blocks of the caller. */
static void look_up(rvi_pool *pool) {
    pool->taken++;
    ask_user(pool);
    if (pool->called || pool->worker_count == 0 || pool->taken >= pool->blocks)
        return;
    double seconds = rvi_now() - pool->began;
    if (seconds > pool->patience)
        open_round(pool, seconds / (double)pool->taken * (double)pool->blocks);
}

static void take_blocks(rvi_pool *pool, share *from, bool caller) {
    while (!atomic_load_explicit(&pool->stop, memory_order_relaxed)) {
        int64_t block = atomic_fetch_add_explicit(&from->next, 1, memory_order_relaxed);
        if (block >= from->end)
            return;
        pool->fn(pool->arg, block);
        if (caller)
            look_up(pool);
    }
}

/* One's own first, then what is left of the others'. */
static void take_all(rvi_pool *pool, int number) {
    for (int i = 0; i < pool->parts; i++)
        take_blocks(pool, &pool->shares[(number + i) % pool->parts], number == 0);
}

static void rest_a_moment(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static int cores_at_hand(void) {
#if defined(__wasm__)
    return pthread_cores_np();
#else
    return rvi_machine_cores();
#endif
}

static unsigned long long round_of(unsigned long long state) {
    return state / ROUND;
}

/* Waits for a round after `seen`; returns false when there will be none. */
static bool await_round(rvi_pool *pool, int number, unsigned long long seen) {
    bool looks = number < pool->at_once;
    for (int i = 0; looks && i < LOOKS; i++) {
        if (round_of(atomic_load_explicit(&pool->state, memory_order_relaxed)) != seen)
            return true;
        rest_a_moment();
    }
    pthread_mutex_lock(&pool->lock);
    pool->asleep += looks;
    while (!pool->quit && round_of(atomic_load(&pool->state)) == seen)
        pthread_cond_wait(looks ? &pool->start : &pool->start_rest, &pool->lock);
    pool->asleep -= looks;
    bool goes_on = !pool->quit;
    pthread_mutex_unlock(&pool->lock);
    return goes_on;
}

/* False: the round is over. Sets which one it was. */
static bool join_round(rvi_pool *pool, unsigned long long *seen) {
    unsigned long long state = atomic_load(&pool->state);
    do
        *seen = round_of(state);
    while ((state & OPEN) != 0 && !atomic_compare_exchange_weak(&pool->state, &state, state + 1));
    return (state & OPEN) != 0;
}

static void leave_round(rvi_pool *pool) {
    unsigned long long state = atomic_fetch_sub(&pool->state, 1);
    if ((state & OPEN) == 0 && (state & INSIDE) == 1) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_signal(&pool->finish);
        pthread_mutex_unlock(&pool->lock);
    }
}

static void *work(void *arg) {
    const share *own = arg;
    unsigned long long seen = 0;
    while (await_round(own->pool, own->number, seen))
        if (join_round(own->pool, &seen)) {
            rvi_float_state_set_own(); /* a thread begins with that of the one that made it */
            take_all(own->pool, own->number);
            leave_round(own->pool);
        }
    return NULL;
}

rvi_pool *rvi_pool_create(rv_context *ctx, int threads) {
    rvi_pool *pool = rvi_alloc(ctx, 1, sizeof *pool, "the threads");
    if (!pool)
        return NULL;
    pool->ctx = ctx;
    pool->workers = rvi_alloc(ctx, (size_t)threads, sizeof *pool->workers, "the threads");
    pool->shares = rvi_alloc(ctx, (size_t)threads, sizeof *pool->shares, "the threads");
    if (!pool->workers || !pool->shares) {
        rvi_free(ctx, pool->shares);
        rvi_free(ctx, pool->workers);
        rvi_free(ctx, pool);
        return NULL;
    }
    for (int i = 0; i < threads; i++) {
        pool->shares[i].pool = pool;
        pool->shares[i].number = i;
    }
    pool->at_once = rvi_mini(threads, cores_at_hand());
    pool->little = pool->at_once > 1 ? LITTLE_WORK : MUCH_WORK; /* on one core nobody gains */
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->start_rest, NULL);
    pthread_cond_init(&pool->finish, NULL);
    pthread_cond_init(&pool->ready, NULL);
    /* A machine that grants fewer threads than asked for still gives the same result. */
    while (pool->worker_count < threads - 1 &&
           pthread_create(&pool->workers[pool->worker_count], NULL, work,
                          &pool->shares[pool->worker_count + 1]) == 0)
        pool->worker_count++;
    return pool;
}

int rvi_pool_threads(const rvi_pool *pool) {
    return pool->worker_count + 1;
}

void rvi_pool_destroy(rvi_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->start);
    pthread_cond_broadcast(&pool->start_rest);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->worker_count; i++)
        pthread_join(pool->workers[i], NULL);
    pthread_cond_destroy(&pool->ready);
    pthread_cond_destroy(&pool->finish);
    pthread_cond_destroy(&pool->start_rest);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->lock);
    rvi_free(pool->ctx, pool->shares);
    rvi_free(pool->ctx, pool->workers);
    rvi_free(pool->ctx, pool);
}

/* Lets no more in, and waits for those who are. */
static void close_round(rvi_pool *pool) {
    atomic_fetch_sub(&pool->state, OPEN);
    for (int i = 0; pool->at_once > 1 && i < LOOKS; i++) {
        if ((atomic_load(&pool->state) & INSIDE) == 0)
            return;
        rest_a_moment();
    }
    pthread_mutex_lock(&pool->lock);
    while ((atomic_load(&pool->state) & INSIDE) > 0)
        pthread_cond_wait(&pool->finish, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static known_work *find_known(rvi_pool *pool, void (*what)(void)) {
    uint32_t number = (uint32_t)(uintptr_t)what * 2654435761u;
    known_work *known = &pool->known[number >> 16 & (KNOWN - 1)];
    if (known->what != what)
        *known = (known_work){.what = what, .own = 1.0};
    return known;
}

/* Shall others be called for that much work? */
static bool shall_call(rvi_pool *pool, known_work *known, double expected) {
    const double *with = known->with;
    bool calls = expected > pool->little;
    pool->patience = pool->little;
    if (!calls || expected > ENOUGH_WORK)
        return calls;
    calls = !(with[1] > 0 && with[0] > 0 && with[0] < with[1]);
    if (++known->turns % TRY == 0 || (with[0] == 0 && with[1] > 0))
        calls = !calls;
    pool->patience = calls ? pool->little : 2 * expected;
    return calls;
}

/* Near the least: a round may be held up by what has nothing to do with it. */
static void learn(double *known, double seconds) {
    *known = *known == 0 || seconds < *known ? seconds : *known + 0.125 * (seconds - *known);
}

/* In as many parts as there are threads that are expected: who has none of its own helps. */
static void share_out(rvi_pool *pool, int64_t blocks, int parts) {
    pool->parts = parts;
    for (int i = 0; i < parts; i++) {
        atomic_store_explicit(&pool->shares[i].next, blocks * i / parts, memory_order_relaxed);
        pool->shares[i].end = blocks * (i + 1) / parts;
    }
}

/* `what` tells this work from others, as far as it can be told. */
static void run_blocks(rvi_pool *pool, int64_t blocks, void (*fn)(void *arg, int64_t block),
                       void *arg, void (*what)(void), bool whole) {
    assert(!pool->busy && (atomic_load(&pool->state) & OPEN) == 0 &&
           "parallel work inside parallel work");
    known_work *known = find_known(pool, what);
    double expected = (double)blocks * known->own;
    pool->busy = true;
    share_out(pool, blocks, expected > MUCH_WORK ? pool->worker_count + 1 : pool->at_once);
    pool->blocks = blocks;
    pool->fn = fn;
    pool->arg = arg;
    pool->whole = whole;
    pool->taken = 0;
    pool->called = false;
    pool->caller = pthread_self();
    atomic_store(&pool->stop, false);
    if (pool->worker_count == 0 || blocks < 2) {
        take_all(pool, 0);
        pool->busy = false;
        return;
    }
    pool->began = rvi_now();
    bool calls = shall_call(pool, known, expected);
    if (calls)
        open_round(pool, expected);
    take_all(pool, 0);
    if (pool->taken > 0)
        known->own = (rvi_now() - pool->began) / (double)pool->taken;
    if (pool->called)
        close_round(pool);
    if (pool->called == calls)
        learn(&known->with[calls], (rvi_now() - pool->began) / (double)blocks);
    pool->busy = false;
}

static rv_status run_parallel(rv_context *ctx, int64_t blocks, void (*fn)(void *arg, int64_t block),
                              void *arg, void (*what)(void)) {
    rv_status status = rvi_poll(ctx);
    if (status != RV_OK)
        return status;
    rvi_pool *pool = rvi_context_pool(ctx);
    run_blocks(pool, blocks, fn, arg, what, false);
    return atomic_load(&pool->stop) ? RV_CANCELLED : RV_OK;
}

rv_status rvi_parallel(rv_context *ctx, int64_t blocks, void (*fn)(void *arg, int64_t block),
                       void *arg) {
    return run_parallel(ctx, blocks, fn, arg, (void (*)(void))fn);
}

void rvi_finish(rv_context *ctx, int64_t blocks, void (*fn)(void *arg, int64_t block), void *arg) {
    run_blocks(rvi_context_pool(ctx), blocks, fn, arg, (void (*)(void))fn, true);
}

typedef struct copy_work {
    char *to;
    const char *from;
    size_t size;
} copy_work;

enum { COPIED = 1 << 20 };

static void copy_block(void *arg, int64_t block) {
    const copy_work *w = arg;
    size_t first = (size_t)block * COPIED, left = w->size - first;
    memcpy(w->to + first, w->from + first, left < COPIED ? left : COPIED);
}

rv_status rvi_copy(rv_context *ctx, void *to, const void *from, size_t size) {
    copy_work w = {to, from, size};
    return rvi_parallel(ctx, (int64_t)((size + COPIED - 1) / COPIED), copy_block, &w);
}

typedef struct rest_work {
    bool *done;
    void (*fn)(void *arg, int64_t block);
    void *arg;
} rest_work;

static void run_rest(void *arg, int64_t block) {
    const rest_work *w = arg;
    if (w->done[block])
        return;
    w->fn(w->arg, block);
    w->done[block] = true;
}

rv_status rvi_parallel_rest(rv_context *ctx, int64_t blocks, bool *done,
                            void (*fn)(void *arg, int64_t block), void *arg) {
    rest_work w = {done, fn, arg};
    return run_parallel(ctx, blocks, run_rest, &w, (void (*)(void))fn);
}

typedef struct graph_work {
    const rvi_graph *graph;
    rvi_pool *pool;
    int workers;
    atomic_bool still;      /* none is begun until `look` has looked */
    atomic_int ready, left; /* blocks that wait for nothing more, and all that nobody has taken; */
    int head, tail;         /* the queue of the first; */
    int running;            /* blocks; all these change with the lock held */
} graph_work;

struct rvi_taker {
    graph_work *w;
    bool caller;
    int first;   /* the block for which `run` was called; -1: it has it */
    int running; /* of this thread */
};

/* A thread takes no more than its share of those that run or could: the others need work, too. */
static int take_ready(rvi_taker *t) {
    graph_work *w = t->w;
    int block = -1;
    pthread_mutex_lock(&w->pool->lock);
    int ready = w->tail - w->head, most = (w->running + ready + w->workers - 1) / w->workers;
    if (ready > 0 && t->running < most) {
        block = w->graph->queue[w->head++];
        w->running++;
        t->running++;
        atomic_fetch_sub(&w->ready, 1);
        if (atomic_fetch_sub(&w->left, 1) == 1)
            pthread_cond_broadcast(&w->pool->ready);
    }
    pthread_mutex_unlock(&w->pool->lock);
    return block;
}

/* Is it time to let nothing run, or has the caller said so? */
static bool stands_still(rvi_taker *t) {
    graph_work *w = t->w;
    if (t->caller && w->graph->look && !atomic_load(&w->still) &&
        rvi_progress_look_due(w->pool->ctx)) {
        pthread_mutex_lock(&w->pool->lock);
        atomic_store(&w->still, true);
        pthread_cond_broadcast(&w->pool->ready);
        pthread_mutex_unlock(&w->pool->lock);
    }
    return atomic_load(&w->still);
}

int rvi_take(rvi_taker *t) {
    int block = t->first;
    t->first = -1;
    if (block >= 0 || atomic_load_explicit(&t->w->ready, memory_order_relaxed) == 0)
        return block;
    return atomic_load(&t->w->pool->stop) || stands_still(t) ? -1 : take_ready(t);
}

void rvi_taken(rvi_taker *t, int block) {
    graph_work *w = t->w;
    int followers[RVI_FOLLOWERS], count = w->graph->followers(w->graph->arg, block, followers);
    int before = 0;
    pthread_mutex_lock(&w->pool->lock);
    before = w->tail;
    for (int i = 0; i < count; i++)
        if (--w->graph->waits[followers[i]] == 0)
            w->graph->queue[w->tail++] = followers[i];
    w->running--;
    t->running--;
    atomic_fetch_add(&w->ready, w->tail - before);
    if (w->tail > before)
        pthread_cond_broadcast(&w->pool->ready);
    pthread_mutex_unlock(&w->pool->lock);
}

/* Is there something to take, or will there never be? */
static bool await_over(graph_work *w) {
    return atomic_load(&w->ready) > 0 || atomic_load(&w->left) == 0 || atomic_load(&w->still) ||
           atomic_load(&w->pool->stop);
}

static void await_ready(graph_work *w) {
    for (int i = 0; w->pool->at_once > 1 && i < LOOKS; i++) {
        if (await_over(w))
            return;
        rest_a_moment();
    }
    pthread_mutex_lock(&w->pool->lock);
    while (!await_over(w))
        pthread_cond_wait(&w->pool->ready, &w->pool->lock);
    pthread_mutex_unlock(&w->pool->lock);
}

static void run_ready(void *arg, int64_t worker) {
    (void)worker;
    graph_work *w = arg;
    bool caller = pthread_equal(pthread_self(), w->pool->caller);
    rvi_taker taker = {.w = w, .caller = caller, .first = -1};
    while (atomic_load(&w->left) > 0 && !rvi_parallel_stopped(w->pool->ctx) &&
           !stands_still(&taker)) {
        taker.first = take_ready(&taker);
        if (taker.first >= 0)
            w->graph->run(w->graph->arg, &taker);
        else
            await_ready(w);
    }
}

rv_status rvi_parallel_graph(rv_context *ctx, const rvi_graph *graph) {
    rvi_pool *pool = rvi_context_pool(ctx);
    graph_work w = {.graph = graph, .pool = pool};
    w.workers = pool->at_once > 1 ? pool->at_once : pool->worker_count + 1;
    for (int i = 0; i < graph->count; i++)
        if (graph->waits[i] == 0)
            graph->queue[w.tail++] = i;
    atomic_init(&w.ready, w.tail);
    atomic_init(&w.left, graph->count);
    atomic_init(&w.still, false);
    rv_status status = rvi_parallel(ctx, w.workers, run_ready, &w);
    while (status == RV_OK && atomic_load(&w.still)) {
        status = graph->look(graph->arg);
        atomic_store(&w.still, false);
        if (status == RV_OK && atomic_load(&w.left) > 0)
            status = rvi_parallel(ctx, w.workers, run_ready, &w);
    }
    return status;
}

typedef struct row_work {
    void (*fn)(void *arg, int first, int end);
    void *arg;
    int rows;
} row_work;

static void run_rows(void *arg, int64_t block) {
    const row_work *w = arg;
    int first = (int)block * RVI_ROWS;
    int end = first + RVI_ROWS;
    w->fn(w->arg, first, end < w->rows ? end : w->rows);
}

static int64_t row_blocks(int rows) {
    return (rows + RVI_ROWS - 1) / RVI_ROWS;
}

rv_status rvi_parallel_rows(rv_context *ctx, int rows, void (*fn)(void *arg, int first, int end),
                            void *arg) {
    row_work w = {fn, arg, rows};
    return run_parallel(ctx, row_blocks(rows), run_rows, &w, (void (*)(void))fn);
}

void rvi_finish_rows(rv_context *ctx, int rows, void (*fn)(void *arg, int first, int end),
                     void *arg) {
    row_work w = {fn, arg, rows};
    run_blocks(rvi_context_pool(ctx), row_blocks(rows), run_rows, &w, (void (*)(void))fn, true);
}
