/* pthread.h: the threads that base/threads.c asks for, in WebAssembly, whose C library has no such
 * header of its own.
 *
 * With atomic instructions (the preset wasm-threads) they are those that JavaScript has lent: see
 * pthread_lent.c. Without, the machine has one: none is granted, so nobody has to wait for another.
 */
#ifndef RVI_WASM_PTHREAD_H
#define RVI_WASM_PTHREAD_H

#ifdef __wasm_atomics__

typedef unsigned pthread_t;
typedef struct pthread_mutex_t {
    _Atomic int state;
} pthread_mutex_t;
typedef struct pthread_cond_t {
    _Atomic int changes;
} pthread_cond_t;

int pthread_create(pthread_t *thread, const void *how, void *(*work)(void *arg), void *arg);
pthread_t pthread_self(void);
int pthread_equal(pthread_t a, pthread_t b);
int pthread_join(pthread_t thread, void **result);
int pthread_mutex_init(pthread_mutex_t *lock, const void *how);
int pthread_mutex_lock(pthread_mutex_t *lock);
int pthread_mutex_unlock(pthread_mutex_t *lock);
int pthread_mutex_destroy(pthread_mutex_t *lock);
int pthread_cond_init(pthread_cond_t *change, const void *how);
int pthread_cond_wait(pthread_cond_t *change, pthread_mutex_t *lock);
int pthread_cond_signal(pthread_cond_t *change);
int pthread_cond_broadcast(pthread_cond_t *change);
int pthread_cond_destroy(pthread_cond_t *change);
int pthread_lent_np(void);  /* how many threads JavaScript has lent */
int pthread_cores_np(void); /* how many run at the same time, as far as it knows */

#else

#include <errno.h>
#include <stdlib.h>

typedef char pthread_t, pthread_mutex_t, pthread_cond_t;

static inline int pthread_create(pthread_t *thread, const void *how, void *(*work)(void *arg),
                                 void *arg) {
    (void)thread, (void)how, (void)work, (void)arg;
    return EAGAIN;
}

static inline pthread_t pthread_self(void) {
    return 0;
}

static inline int pthread_equal(pthread_t a, pthread_t b) {
    return a == b;
}

static inline int pthread_join(pthread_t thread, void **result) {
    (void)thread, (void)result;
    return ESRCH;
}

static inline int pthread_mutex_init(pthread_mutex_t *lock, const void *how) {
    (void)lock, (void)how;
    return 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *lock) {
    (void)lock;
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *lock) {
    (void)lock;
    return 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *lock) {
    (void)lock;
    return 0;
}

static inline int pthread_cond_init(pthread_cond_t *change, const void *how) {
    (void)change, (void)how;
    return 0;
}

/* Nobody else could end the wait. */
static inline int pthread_cond_wait(pthread_cond_t *change, pthread_mutex_t *lock) {
    (void)change, (void)lock;
    abort();
}

static inline int pthread_cond_signal(pthread_cond_t *change) {
    (void)change;
    return 0;
}

static inline int pthread_cond_broadcast(pthread_cond_t *change) {
    (void)change;
    return 0;
}

static inline int pthread_cond_destroy(pthread_cond_t *change) {
    (void)change;
    return 0;
}

static inline int pthread_lent_np(void) {
    return 0;
}

static inline int pthread_cores_np(void) {
    return 1;
}

#endif
#endif
