/* pthread_lent.c: threads in WebAssembly, with nothing but its atomic instructions.
 *
 * A module cannot start threads. JavaScript starts workers beforehand and lends them: each has an
 * instance of the module on the one memory and a stack of its own, calls rvi_thread_lend() and then
 * rvi_thread_work(), where it sleeps until pthread_create() hands it something to do.
 * studio/wasm/threads.mjs is the other side.
 *
 * Threads are told apart by where their stacks lie: each has STACK bytes at a multiple of STACK,
 * and so has the first, whose stack lies below everything else.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nobody waits for another longer than PATIENCE, in ns, without a look whether one has failed. */
enum { STACK = 1 << 20, MOST = 255, PATIENCE = 100000000 };

enum { IDLE = 1, BUSY, DONE }; /* what a lent thread does */

typedef struct lent_thread {
    atomic_int state;
    pthread_t self;
    void *(*work)(void *arg);
    void *arg;
} lent_thread;

static lent_thread lent[MOST];
static atomic_int lent_count, cores = 1;
static atomic_bool failed;

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int rvi_thread_lend(void);
EXPORTED void rvi_thread_work(int number);
EXPORTED void rvi_thread_fail(void);
EXPORTED void rvi_thread_cores(int count);

/* V8's first compiler, as in Node 20, mistakes variables that are needed after these instructions
 * for others, and threads hang. In functions of their own nothing is needed after them. */
#define APART static __attribute__((noinline))

APART void sleep_while(atomic_int *at, int value, int64_t ns) {
    __builtin_wasm_memory_atomic_wait32((int *)at, value, ns);
}

APART void wake_one(atomic_int *at) {
    __builtin_wasm_memory_atomic_notify((int *)at, 1);
}

APART void wake_all(atomic_int *at) {
    __builtin_wasm_memory_atomic_notify((int *)at, UINT32_MAX);
}

static void wait_while(atomic_int *at, int value) {
    if (atomic_load(&failed))
        __builtin_trap();
    sleep_while(at, value, PATIENCE);
}

/* ---- what JavaScript calls on a thread that it lends ---- */

/* The number for rvi_thread_work; -1: there are too many. */
int rvi_thread_lend(void) {
    int number = atomic_load(&lent_count);
    do
        if (number == MOST)
            return -1;
    while (!atomic_compare_exchange_weak(&lent_count, &number, number + 1));
    lent[number].self = pthread_self();
    atomic_store(&lent[number].state, IDLE);
    return number;
}

/* Does not return. */
void rvi_thread_work(int number) {
    lent_thread *me = &lent[number];
    for (;;) {
        int state;
        while ((state = atomic_load(&me->state)) != BUSY)
            sleep_while(&me->state, state, -1);
        me->work(me->arg);
        atomic_store(&me->state, DONE);
        wake_all(&me->state);
    }
}

/* After a trap: those who wait for this thread fail, too, instead of waiting for ever. */
void rvi_thread_fail(void) {
    atomic_store(&failed, true);
}

/* How many the machine has: threads that have one each look for work before they sleep. */
void rvi_thread_cores(int count) {
    atomic_store(&cores, count > 1 ? count : 1);
}

/* ---- what base/threads.c calls ---- */

int pthread_lent_np(void) {
    return atomic_load(&lent_count);
}

int pthread_cores_np(void) {
    return atomic_load(&cores);
}

int pthread_create(pthread_t *thread, const void *how, void *(*work)(void *arg), void *arg) {
    (void)how;
    for (int i = 0; i < pthread_lent_np(); i++) {
        if (atomic_load(&lent[i].state) != IDLE)
            continue;
        lent[i].work = work;
        lent[i].arg = arg;
        atomic_store(&lent[i].state, BUSY);
        wake_all(&lent[i].state);
        *thread = lent[i].self;
        return 0;
    }
    return EAGAIN;
}

pthread_t pthread_self(void) {
    volatile char here;
    return (uintptr_t)&here / STACK;
}

int pthread_equal(pthread_t a, pthread_t b) {
    return a == b;
}

int pthread_join(pthread_t thread, void **result) {
    (void)result;
    for (int i = 0; i < pthread_lent_np(); i++) {
        if (lent[i].self != thread)
            continue;
        while (atomic_load(&lent[i].state) == BUSY)
            wait_while(&lent[i].state, BUSY);
        atomic_store(&lent[i].state, IDLE);
        return 0;
    }
    return ESRCH;
}

/* ---- locks: 0 is free, 1 is held, 2 is held and somebody may sleep ---- */

int pthread_mutex_init(pthread_mutex_t *lock, const void *how) {
    (void)how;
    atomic_init(&lock->state, 0);
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t *lock) {
    int state = 0;
    if (atomic_compare_exchange_strong(&lock->state, &state, 1))
        return 0;
    while (atomic_exchange(&lock->state, 2) != 0)
        wait_while(&lock->state, 2);
    return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *lock) {
    if (atomic_exchange(&lock->state, 0) == 2)
        wake_one(&lock->state);
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *lock) {
    (void)lock;
    return 0;
}

/* ---- conditions: a count of changes, which may also seem to have changed when none did ---- */

int pthread_cond_init(pthread_cond_t *change, const void *how) {
    (void)how;
    atomic_init(&change->changes, 0);
    return 0;
}

int pthread_cond_wait(pthread_cond_t *change, pthread_mutex_t *lock) {
    int seen = atomic_load(&change->changes);
    pthread_mutex_unlock(lock);
    wait_while(&change->changes, seen);
    return pthread_mutex_lock(lock);
}

int pthread_cond_signal(pthread_cond_t *change) {
    atomic_fetch_add(&change->changes, 1);
    wake_one(&change->changes);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *change) {
    atomic_fetch_add(&change->changes, 1);
    wake_all(&change->changes);
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *change) {
    (void)change;
    return 0;
}
