/* Threads: every block runs once, and what comes out does not depend on how many share the work. */
#include "support.h"

#include "base/context.h"
#include "base/random.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "terrain/state.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static const int THREADS[] = {1, 2, 3, 7, 64};
enum { THREAD_COUNTS = sizeof THREADS / sizeof THREADS[0], MOST_BLOCKS = 1000 };

/* ---- every block once ---- */

typedef struct tally {
    atomic_int runs[MOST_BLOCKS];
    atomic_int all;
    long pause; /* nanoseconds that a slow block takes */
} tally;

static void count_block(void *arg, int64_t block) {
    tally *t = arg;
    atomic_fetch_add(&t->runs[block], 1);
    atomic_fetch_add(&t->all, 1);
}

static void every_block_runs_once(void **state) {
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 3, 63, 64, 65, 1000};
    for (int k = 0; k < THREAD_COUNTS; k++) {
        rv_context *ctx = support_context(THREADS[k]);
        for (int round = 0; round < 20; round++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                tally t = {.all = 0};
                support_ok(ctx, rvi_parallel(ctx, counts[i], count_block, &t));
                assert_int_equal(t.all, counts[i]);
                for (int64_t b = 0; b < counts[i]; b++)
                    assert_int_equal(t.runs[b], 1);
            }
        rv_context_destroy(ctx);
    }
}

static void count_rows(void *arg, int first, int end) {
    tally *t = arg;
    assert(first % RVI_ROWS == 0 && end > first && end - first <= RVI_ROWS);
    for (int y = first; y < end; y++)
        atomic_fetch_add(&t->runs[y], 1);
}

static void every_row_runs_once(void **state) {
    (void)state;
    static const int counts[] = {0, 1, 15, 16, 17, 31, 32, 33, 1000};
    for (int k = 0; k < THREAD_COUNTS; k++) {
        rv_context *ctx = support_context(THREADS[k]);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            tally t = {.all = 0};
            support_ok(ctx, rvi_parallel_rows(ctx, counts[i], count_rows, &t));
            for (int y = 0; y < MOST_BLOCKS; y++)
                assert_int_equal(t.runs[y], y < counts[i]);
        }
        rv_context_destroy(ctx);
    }
}

/* What a block writes is seen by the caller and by the blocks of the next call. */
typedef struct chain {
    double *from, *to;
} chain;

static void smear(void *arg, int64_t block) {
    const chain *c = arg;
    double left = block > 0 ? c->from[block - 1] : 0;
    double right = block < MOST_BLOCKS - 1 ? c->from[block + 1] : 0;
    c->to[block] = 0.25 * (left + right) + 0.5 * c->from[block];
}

static void calls_follow_each_other(void **state) {
    (void)state;
    static double want[MOST_BLOCKS];
    for (int k = 0; k < THREAD_COUNTS; k++) {
        rv_context *ctx = support_context(THREADS[k]);
        double a[MOST_BLOCKS] = {[500] = 1.0}, b[MOST_BLOCKS];
        chain c = {a, b};
        for (int i = 0; i < 200; i++) {
            support_ok(ctx, rvi_parallel(ctx, MOST_BLOCKS, smear, &c));
            c = (chain){c.to, c.from};
        }
        if (k == 0)
            memcpy(want, c.from, sizeof want);
        assert_memory_equal(c.from, want, sizeof want);
        rv_context_destroy(ctx);
    }
}

/* ---- blocks that follow others ---- */

/* A triangle of blocks: block (row, k) waits for (row - 1, k - 1) and (row - 1, k). Each adds up
 * what those before it had, so that one that runs too early is seen. */
enum { TRIANGLE_ROWS = 40, TRIANGLE = TRIANGLE_ROWS * (TRIANGLE_ROWS + 1) / 2 };

typedef struct triangle {
    tally t;
    double value[TRIANGLE];
    int most; /* blocks that a thread takes at a time */
} triangle;

static void place_of(int block, int *row, int *k) {
    *row = 0;
    while ((*row + 1) * (*row + 2) / 2 <= block)
        (*row)++;
    *k = block - *row * (*row + 1) / 2;
}

static int triangle_followers(void *arg, int block, int *out) {
    (void)arg;
    int row, k;
    place_of(block, &row, &k);
    if (row + 1 == TRIANGLE_ROWS)
        return 0;
    out[0] = block + row + 1;
    out[1] = block + row + 2;
    return 2;
}

static void triangle_run(void *arg, int block) {
    triangle *p = arg;
    int row, k;
    place_of(block, &row, &k);
    double sum = row == 0 ? 1.0 : 0.0;
    if (k > 0)
        sum += p->value[block - row - 1];
    if (k < row)
        sum += p->value[block - row];
    p->value[block] = sum;
    count_block(&p->t, block);
}

/* As many at a time as it gets, but no more than asked for. */
static void triangle_run_some(void *arg, rvi_taker *taker) {
    const triangle *p = arg;
    int blocks[TRIANGLE], count;
    do {
        for (count = 0; count < p->most && (blocks[count] = rvi_take(taker)) >= 0;)
            count++;
        for (int i = 0; i < count; i++)
            triangle_run(arg, blocks[i]);
        for (int i = count; i-- > 0;)
            rvi_taken(taker, blocks[i]);
    } while (count > 0);
}

static rv_status run_triangle(rv_context *ctx, triangle *p) {
    static int waits[TRIANGLE], queue[TRIANGLE];
    int next[RVI_FOLLOWERS];
    memset(waits, 0, sizeof waits);
    for (int i = 0; i < TRIANGLE; i++)
        for (int n = triangle_followers(p, i, next); n > 0; n--)
            waits[next[n - 1]]++;
    return rvi_parallel_graph(
        ctx, &(rvi_graph){TRIANGLE, waits, queue, triangle_followers, triangle_run_some, p, NULL});
}

static void blocks_follow_those_they_wait_for(void **state) {
    (void)state;
    static triangle p;
    for (int i = 0; i < THREAD_COUNTS; i++) {
        rv_context *ctx = support_context(THREADS[i]);
        for (int round = 0; round < 20; round++) {
            memset(&p, 0, sizeof p);
            p.most = 1 + round % 5;
            support_ok(ctx, run_triangle(ctx, &p));
            for (int b = 0; b < TRIANGLE; b++)
                assert_int_equal(p.t.runs[b], 1);
            double sum = 0; /* of a row of Pascal's triangle */
            for (int k = 0; k < TRIANGLE_ROWS; k++)
                sum += p.value[TRIANGLE - 1 - k];
            assert_equal(sum, ldexp(1, TRIANGLE_ROWS - 1));
        }
        rv_context_destroy(ctx);
    }
}

static int no_followers(void *arg, int block, int *out) {
    (void)arg, (void)block, (void)out;
    return 0;
}

/* Blocks that take a while, and who looks in between. */
enum { WATCHED = 200 };

typedef struct watched {
    rv_context *ctx;
    tally t;
    atomic_int running;
    int looks, seen; /* by the user */
} watched;

static void run_watched(void *arg, rvi_taker *taker) {
    watched *w = arg;
    for (int block; (block = rvi_take(taker)) >= 0; rvi_taken(taker, block)) {
        atomic_fetch_add(&w->running, 1);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        count_block(&w->t, block);
        atomic_fetch_sub(&w->running, 1);
    }
}

static rv_status look_at_watched(void *arg) {
    watched *w = arg;
    w->looks++;
    assert_int_equal(w->running, 0);
    return rvi_progress_look(w->ctx, NULL);
}

static bool see_watched(void *user, const rv_progress *now) {
    (void)now;
    ((watched *)user)->seen++;
    return true;
}

static void nothing_runs_while_somebody_looks(void **state) {
    (void)state;
    for (int i = 0; i < THREAD_COUNTS; i++) {
        int waits[WATCHED] = {0}, queue[WATCHED], times = 0;
        watched w = {.looks = 0};
        rv_context_desc desc = {.threads = THREADS[i], .progress = see_watched, .user = &w};
        assert_int_equal(rv_context_create(&desc, &w.ctx), RV_OK);
        rvi_progress_begin(w.ctx, "droplets");
        for (; w.looks == 0 && times < 100; times++) /* many cores are done before the first look */
            support_ok(w.ctx,
                       rvi_parallel_graph(w.ctx, &(rvi_graph){WATCHED, waits, queue, no_followers,
                                                              run_watched, &w, look_at_watched}));
        for (int b = 0; b < WATCHED; b++)
            assert_int_equal(w.t.runs[b], times);
        assert_greater_equal(w.looks, 1);
        assert_greater_equal(w.seen, w.looks);
        rv_context_destroy(w.ctx);
    }
}

/* Blocks that wait for nothing, and how many one thread had at a time. */
enum { ALONE = 27 };

typedef struct alone {
    atomic_int runs[ALONE];
    atomic_int most, empty_calls;
} alone;

static void run_alone(void *arg, rvi_taker *taker) {
    alone *a = arg;
    int blocks[ALONE + 1], count = 0;
    while ((blocks[count] = rvi_take(taker)) >= 0)
        atomic_fetch_add(&a->runs[blocks[count++]], 1);
    atomic_fetch_add(&a->empty_calls, count == 0);
    int most = atomic_load(&a->most);
    while (count > most && !atomic_compare_exchange_weak(&a->most, &most, count))
        ;
    while (count > 0)
        rvi_taken(taker, blocks[--count]);
}

static void threads_share_the_blocks(void **state) {
    (void)state;
    for (int i = 0; i < THREAD_COUNTS; i++) {
        rv_context *ctx = support_context(THREADS[i]);
        for (int round = 0; round < 20; round++) {
            int waits[ALONE] = {0}, queue[ALONE];
            alone a = {.most = 0};
            support_ok(ctx, rvi_parallel_graph(ctx, &(rvi_graph){ALONE, waits, queue, no_followers,
                                                                 run_alone, &a, NULL}));
            for (int b = 0; b < ALONE; b++)
                assert_int_equal(a.runs[b], 1);
            assert_int_equal(a.empty_calls, 0);
            if (THREADS[i] > 1) /* there are two at least */
                assert_true(a.most <= (ALONE + 1) / 2);
            else
                assert_int_equal(a.most, ALONE);
        }
        rv_context_destroy(ctx);
    }
}

/* ---- sums and ranges ---- */

static float *random_values(size_t count) {
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = rvi_random(1, i, 0);
        values[i] = ldexpf(rvi_unit(bits) - 0.5f, (int)(bits % 20));
    }
    return values;
}

static void sums_and_ranges_are_right(void **state) {
    (void)state;
    enum { MOST = 1000003 };
    static const size_t counts[] = {1, 2, 7, 8, 9, 15, 16, 65535, 65536, 65537, 131079, MOST};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    float *values = random_values(MOST);
    double sums[COUNTS];
    for (int k = 0; k < THREAD_COUNTS; k++) {
        rv_context *ctx = support_context(THREADS[k]);
        for (size_t i = 0; i < COUNTS; i++) {
            long double want = 0, size = 0;
            float least = INFINITY, most = -INFINITY, low, high;
            for (size_t j = 0; j < counts[i]; j++) {
                want += (long double)values[j];
                size += fabsl((long double)values[j]);
                least = fminf(least, values[j]);
                most = fmaxf(most, values[j]);
            }
            double sum = rvi_sum(ctx, values, counts[i]);
            assert_less_equal(fabsl((long double)sum - want), 1e-13L * size);
            sums[i] = k == 0 ? sum : sums[i];
            assert_memory_equal(&sum, &sums[i], sizeof sum);
            rvi_range(ctx, values, counts[i], &low, &high);
            assert_equal(low, least);
            assert_equal(high, most);
        }
        rv_context_destroy(ctx);
    }
    free(values);
}

/* The extremes are found wherever they are, and so is every value of a sum. */
static void no_cell_is_left_out(void **state) {
    (void)state;
    enum { COUNT = 65536 + 65536 + 13 };
    rv_context *ctx = support_context(3);
    float *values = calloc(COUNT, sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i<COUNT; i += i> 16 && i < COUNT - 16 ? 4099 : 1) {
        float low, high;
        values[i] = 3.0f;
        rvi_range(ctx, values, COUNT, &low, &high);
        assert_equal(low, 0.0f);
        assert_equal(high, 3.0f);
        assert_equal(rvi_sum(ctx, values, COUNT), 3.0);
        values[i] = -3.0f;
        rvi_range(ctx, values, COUNT, &low, &high);
        assert_equal(low, -3.0f);
        assert_equal(high, 0.0f);
        values[i] = 0.0f;
    }
    free(values);
    rv_context_destroy(ctx);
}

/* More cells than one part of a sum has (8192 x 8192); untouched pages of zeros cost nothing. */
static void large_maps_are_summed_whole(void **state) {
    (void)state;
    const size_t count = ((size_t)1 << 26) + 5;
    float *values = calloc(count, sizeof *values);
    assert_non_null(values);
    values[0] = 1.0f;
    values[count / 2] = 2.0f;
    values[count - 6] = 4.0f; /* last of the first part, and first and last of the second */
    values[count - 5] = 8.0f;
    values[count - 1] = -16.0f;
    for (int threads = 1; threads <= 2; threads++) {
        rv_context *ctx = support_context(threads);
        float low, high;
        assert_equal(rvi_sum(ctx, values, count), -1.0);
        rvi_range(ctx, values, count, &low, &high);
        assert_equal(low, -16.0f);
        assert_equal(high, 8.0f);
        rv_context_destroy(ctx);
    }
    free(values);
}

/* ---- stopping ---- */

static int answers_left;

static bool stop_when_none_left(void *user, const rv_progress *now) {
    (void)user;
    (void)now;
    return answers_left-- > 0;
}

static rv_context *stoppable(int threads) {
    rv_context_desc desc = {.threads = threads, .progress = stop_when_none_left};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    return ctx;
}

static void count_slowly(void *arg, int64_t block) {
    const tally *t = arg;
    nanosleep(&(struct timespec){.tv_nsec = t->pause}, NULL);
    count_block(arg, block);
}

static void a_stop_comes_soon_and_passes(void **state) {
    (void)state;
    for (int k = 0; k < THREAD_COUNTS; k++) {
        rv_context *ctx = stoppable(THREADS[k]);
        for (int answers = 0; answers < 3; answers++) {
            tally t = {.pause = 500000L * THREADS[k]}; /* half a second in all */
            answers_left = answers;
            rvi_progress_begin(ctx, "a test");
            assert_int_equal(rvi_parallel(ctx, MOST_BLOCKS, count_slowly, &t), RV_CANCELLED);
            assert_less(t.all, MOST_BLOCKS / 2);
            for (int b = 0; b < MOST_BLOCKS; b++)
                assert_less_equal(t.runs[b], 1);
            assert_non_null(strstr(rv_context_error(ctx), "a test"));
            int ran = t.all;
            answers_left = 1000000;
            assert_int_equal(rvi_parallel(ctx, MOST_BLOCKS, count_block, &t), RV_CANCELLED);
            assert_int_equal(t.all, ran); /* still stopped: nothing runs */
            rvi_progress_begin(ctx, "another test");
            t = (tally){.all = 0};
            support_ok(ctx, rvi_parallel(ctx, MOST_BLOCKS, count_block, &t));
            assert_int_equal(t.all, MOST_BLOCKS);
        }
        rv_context_destroy(ctx);
    }
}

static void what_must_be_finished_is(void **state) {
    (void)state;
    for (int k = 0; k < THREAD_COUNTS; k++) {
        rv_context *ctx = stoppable(THREADS[k]);
        for (int before = 0; before < 2; before++) {
            tally t = {.pause = 50000L * THREADS[k]};
            answers_left = 0;
            rvi_progress_begin(ctx, "a test");
            if (before) /* the stop came earlier, or comes meanwhile */
                while (rvi_poll(ctx) == RV_OK)
                    continue;
            rvi_finish(ctx, MOST_BLOCKS, count_slowly, &t);
            for (int b = 0; b < MOST_BLOCKS; b++)
                assert_int_equal(t.runs[b], 1);
            assert_int_equal(rvi_poll(ctx), RV_CANCELLED);
        }
        rv_context_destroy(ctx);
    }
}

/* What a stop left out, and only that, runs in another call. */
static void the_rest_can_run_later(void **state) {
    (void)state;
    for (int k = 0; k < THREAD_COUNTS; k++) {
        rv_context *ctx = stoppable(THREADS[k]);
        tally t = {.pause = 500000L * THREADS[k]};
        bool done[MOST_BLOCKS] = {false};
        answers_left = 1;
        rvi_progress_begin(ctx, "a test");
        assert_int_equal(rvi_parallel_rest(ctx, MOST_BLOCKS, done, count_slowly, &t), RV_CANCELLED);
        assert_less(t.all, MOST_BLOCKS / 2);
        for (int b = 0; b < MOST_BLOCKS; b++)
            assert_int_equal(t.runs[b], done[b]);
        rvi_stop_defer(ctx, true);
        support_ok(ctx, rvi_parallel_rest(ctx, MOST_BLOCKS, done, count_block, &t));
        for (int b = 0; b < MOST_BLOCKS; b++)
            assert_int_equal(t.runs[b], 1);
        rvi_stop_defer(ctx, false);
        rv_context_destroy(ctx);
    }
}

/* A stop that is deferred cancels nothing, whenever it comes, and counts afterwards. */
static void a_deferred_stop_waits(void **state) {
    (void)state;
    enum { SIZE = 5 << 20 };
    char *from = malloc(SIZE), *to = calloc(1, SIZE);
    assert_true(from && to);
    memset(from, 7, SIZE);
    for (int k = 0; k < THREAD_COUNTS; k++)
        for (int answers = 0; answers < 3; answers++) {
            rv_context *ctx = stoppable(THREADS[k]);
            tally t = {.pause = 50000L * THREADS[k]};
            answers_left = answers;
            rvi_progress_begin(ctx, "a test");
            rvi_stop_defer(ctx, true);
            while (answers_left >= 0) /* the user is asked all the same */
                assert_int_equal(rvi_poll(ctx), RV_OK);
            support_ok(ctx, rvi_parallel(ctx, MOST_BLOCKS, count_slowly, &t));
            assert_int_equal(t.all, MOST_BLOCKS);
            memset(to, 0, SIZE);
            support_ok(ctx, rvi_copy(ctx, to, from, SIZE));
            assert_memory_equal(to, from, SIZE);
            support_ok(ctx, rvi_progress(ctx, 0.5, NULL));
            rvi_stop_defer(ctx, false);
            assert_int_equal(rvi_poll(ctx), RV_CANCELLED);
            memset(to, 0, SIZE);
            assert_int_equal(rvi_copy(ctx, to, from, SIZE), RV_CANCELLED);
            assert_int_equal(to[SIZE - 1], 0);
            rv_context_destroy(ctx);
        }
    free(from);
    free(to);
}

static void a_stop_ends_blocks_that_wait(void **state) {
    (void)state;
    static triangle p;
    for (int i = 0; i < THREAD_COUNTS; i++) {
        rv_context *ctx = stoppable(THREADS[i]);
        for (int round = 0; round < 5; round++) {
            memset(&p, 0, sizeof p);
            answers_left = 1; /* yes at the start, then no as soon as a block of the caller ends */
            rvi_progress_begin(ctx, "a test");
            rv_status status = RV_OK;
            for (int again = 0; status == RV_OK && again < 100000; again++) {
                memset(&p, 0, sizeof p);
                p.most = 2;
                status = run_triangle(ctx, &p);
            }
            assert_int_equal(status, RV_CANCELLED);
            for (int b = 0; b < TRIANGLE; b++)
                assert_less_equal(p.t.runs[b], 1);
            answers_left = 1000000;
            rvi_progress_begin(ctx, "another test");
            memset(&p, 0, sizeof p);
            p.most = 2;
            support_ok(ctx, run_triangle(ctx, &p));
            assert_int_equal(p.t.all, TRIANGLE);
        }
        rv_context_destroy(ctx);
    }
}

/* Sums, ranges, hashes and volumes are whole even for someone who asked to stop. */
static void a_stop_leaves_no_half_number(void **state) {
    (void)state;
    enum { SIDE = 600 };
    float *values = random_values(SIDE * SIDE);
    for (int threads = 1; threads <= 3; threads++) {
        rv_context *ctx = stoppable(threads);
        answers_left = 1000000;
        rv_terrain *land = support_land(ctx, SIDE, SIDE, 2.0f);
        support_ok(ctx, rv_terrain_field_set(land, "height", values));
        double sum = rvi_sum(ctx, values, SIDE * SIDE), volume = rv_terrain_volume(land);
        uint64_t hash = rv_terrain_hash(land);
        float low, high, low_then, high_then;
        rvi_range(ctx, values, SIDE * SIDE, &low, &high);
        for (int answers = 0; answers < 3; answers++) {
            answers_left = answers;
            rvi_progress_begin(ctx, "a test");
            assert_equal(rvi_sum(ctx, values, SIDE * SIDE), sum);
            rvi_range(ctx, values, SIDE * SIDE, &low_then, &high_then);
            assert_equal(low_then, low);
            assert_equal(high_then, high);
            assert_equal(rv_terrain_hash(land), hash);
            assert_equal(rv_terrain_volume(land), volume);
            rvi_terrain_sum_layers(land);
            assert_equal(rv_terrain_hash(land), hash);
        }
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
    free(values);
}

/* The longest time between two calls. */
typedef struct gap {
    double last, longest;
} gap;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool note_time(void *user, const rv_progress *now) {
    gap *g = user;
    (void)now;
    double then = seconds();
    g->longest = fmax(g->longest, then - g->last);
    g->last = then;
    return true;
}

static double longest_gap(int threads) {
    gap g = {.last = seconds()};
    rv_context_desc desc = {.threads = threads, .progress = note_time, .user = &g};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rvi_progress_begin(ctx, "a test");
    tally t = {.pause = 1000000};
    support_ok(ctx, rvi_parallel(ctx, 300 * threads, count_slowly, &t));
    rv_context_destroy(ctx);
    return g.longest;
}

static void the_user_is_asked_ten_times_a_second(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        double least = INFINITY; /* a busy machine may let one try wait */
        for (int tries = 0; tries < 5 && !(least < 0.1); tries++)
            least = fmin(least, longest_gap(threads));
        assert_less(least, 0.1);
    }
}

/* ---- work that was little and then is not ---- */

typedef struct meeting {
    pthread_t caller;
    atomic_bool is_long, met;
    int blocks; /* of the caller */
} meeting;

/* The caller's blocks after its first wait for one of another thread, for at most ten seconds. */
static void meet_block(void *arg, int64_t block) {
    (void)block;
    meeting *m = arg;
    if (!atomic_load(&m->is_long))
        return;
    if (!pthread_equal(pthread_self(), m->caller)) {
        atomic_store(&m->met, true);
        return;
    }
    int most = m->blocks++ == 0 ? 1 : 10000;
    for (int ms = 0; ms < most && !atomic_load(&m->met); ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void what_becomes_long_is_shared(void **state) {
    (void)state;
    for (int threads = 2; threads <= 4; threads += 2) {
        rv_context *ctx = support_context(threads);
        meeting m = {.caller = pthread_self()};
        for (int i = 0; i < 100; i++)
            support_ok(ctx, rvi_parallel(ctx, 8, meet_block, &m));
        atomic_store(&m.is_long, true);
        support_ok(ctx, rvi_parallel(ctx, 8, meet_block, &m));
        assert_true(m.met);
        rv_context_destroy(ctx);
    }
}

/* Contexts share nothing: many of them work one after the other and side by side. */
static void contexts_come_and_go(void **state) {
    (void)state;
    enum { CONTEXTS = 16 };
    rv_context *ctx[CONTEXTS];
    for (int i = 0; i < CONTEXTS; i++)
        ctx[i] = support_context(1 + i % 5);
    for (int i = 0; i < CONTEXTS; i++) {
        tally t = {.all = 0};
        support_ok(ctx[i], rvi_parallel(ctx[i], 100, count_block, &t));
        assert_int_equal(t.all, 100);
    }
    for (int i = 0; i < CONTEXTS; i++)
        rv_context_destroy(ctx[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_runs_once),
        cmocka_unit_test(every_row_runs_once),
        cmocka_unit_test(calls_follow_each_other),
        cmocka_unit_test(blocks_follow_those_they_wait_for),
        cmocka_unit_test(threads_share_the_blocks),
        cmocka_unit_test(nothing_runs_while_somebody_looks),
        cmocka_unit_test(sums_and_ranges_are_right),
        cmocka_unit_test(no_cell_is_left_out),
        cmocka_unit_test(large_maps_are_summed_whole),
        cmocka_unit_test(a_stop_comes_soon_and_passes),
        cmocka_unit_test(a_stop_ends_blocks_that_wait),
        cmocka_unit_test(what_must_be_finished_is),
        cmocka_unit_test(the_rest_can_run_later),
        cmocka_unit_test(a_deferred_stop_waits),
        cmocka_unit_test(a_stop_leaves_no_half_number),
        cmocka_unit_test(the_user_is_asked_ten_times_a_second),
        cmocka_unit_test(what_becomes_long_is_shared),
        cmocka_unit_test(contexts_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
