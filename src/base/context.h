/* context.h: what every call hands on: memory, threads, messages, the wish to stop. */
#ifndef RVI_BASE_CONTEXT_H
#define RVI_BASE_CONTEXT_H

#include "base/float_state.h"

#include <ravine/ravine.h>

#if defined(__GNUC__)
#ifdef _WIN32 /* where printf alone would mean that of an old C library */
#define RVI_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define RVI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif
#else
#define RVI_PRINTF(text, first)
#endif

/* Every public function that computes begins with RVI_ENTRY(ctx): until it returns, this thread
 * computes in the library's floating-point state (float_state.h), and then in the caller's again.
 * ctx NULL: it has none, and calls no function of the user. */
typedef struct rvi_entry {
    rv_context *ctx;
    rvi_float_state caller;
    rvi_float_state outer; /* what the context held: a callback may call the library, too */
    bool outermost;
} rvi_entry;
rvi_entry rvi_entry_begin(rv_context *ctx);
void rvi_entry_end(const rvi_entry *entry);

/* What came out of a pipe, which can be read once only: kept until the call of the library ends in
 * which it was read, for a plan looks at its start and the run reads it. */
typedef struct rvi_piped {
    struct rvi_piped *next;
    unsigned char *data;
    size_t size;
    char path[];
} rvi_piped;
rvi_piped **rvi_context_piped(rv_context *ctx);
#define RVI_ENTRY(ctx)                                                                             \
    __attribute__((cleanup(rvi_entry_end))) const rvi_entry entry_ = rvi_entry_begin(ctx);         \
    (void)entry_

/* Around every call of a function of the user, which runs in the state its program had set. Not for
 * the erosion factor: what it gives becomes part of the land, and must not depend on that. */
bool rvi_callback_begin(rv_context *ctx); /* what it returns goes to the end */
void rvi_callback_end(rv_context *ctx, bool inside);

/* Sets the sentence that rv_context_error() returns, and returns `status` for `return
 * rvi_fail(...)`. */
rv_status rvi_fail(rv_context *ctx, rv_status status, const char *format, ...) RVI_PRINTF(3, 4);

/* One line for the user, when they listen. */
/* A file has been written: rv_context_desc.made. */
void rvi_tell_made(rv_context *ctx, const char *path, uint64_t bytes);
void rvi_log(rv_context *ctx, const char *format, ...) RVI_PRINTF(2, 3);

/* Zeroed memory for `count` things of `size` bytes, aligned to 64. NULL: over the limit or out of
 * memory, and the sentence is set ("... for the flow field"); return RV_ERROR_MEMORY then. */
void *rvi_alloc(rv_context *ctx, size_t count, size_t size, const char *what);
void rvi_free(rv_context *ctx, void *memory); /* NULL is fine */
/* Bytes that rvi_alloc takes from the limit for that; SIZE_MAX: more than can be addressed. */
size_t rvi_alloc_size(size_t count, size_t size);
/* The sum; SIZE_MAX when it is more than can be addressed. */
static inline size_t rvi_add_sizes(size_t a, size_t b) {
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* Makes the array that the pointer at `array` points to larger: `used` things are kept, the rest is
 * zero. False: there is no memory, the sentence is set, and the array is as it was. */
bool rvi_enlarge(rv_context *ctx, void *array, size_t used, size_t room, size_t size,
                 const char *what);

/* How much was held at most since? The first begins anew, and what it returns goes to the second.
 */
size_t rvi_memory_mark(rv_context *ctx);
size_t rvi_memory_since(rv_context *ctx, size_t mark);
/* A number of bytes for sentences, such as 1.5 MiB. */
typedef struct rvi_amount {
    char text[32];
} rvi_amount;
rvi_amount rvi_bytes_text(uint64_t bytes);

/* Says no when `bytes` more would break the limit, before anything is allocated. */
rv_status rvi_memory_check(rv_context *ctx, size_t bytes, const char *what);

/* Asks the user, at most every 20 ms, whether to go on: RV_OK or RV_CANCELLED. Only on the thread
 * that called the library. Long loops outside rvi_parallel call it. */
rv_status rvi_poll(rv_context *ctx);
/* The same for loops over cells: asks at some of their turns only. */
static inline rv_status rvi_poll_at(rv_context *ctx, size_t turn) {
    return turn % 65536 == 0 ? rvi_poll(ctx) : RV_OK;
}

/* Defers a stop: the user is still asked, but rvi_poll returns RV_OK until the stop is no longer
 * deferred. So work that can be cancelled, such as rvi_parallel, runs to its end. */
void rvi_stop_defer(rv_context *ctx, bool defer);

/* What a context has beside the processor (device/device.h). It is told of memory that is freed,
 * and closed with the context. */
typedef struct rvi_attached {
    void *what; /* NULL: nothing */
    /* Its copies of `size` bytes from `memory` on do not count any more. */
    void (*forget)(void *what, const void *memory, size_t size);
    /* What it has made of the memory there comes back to it. */
    rv_status (*fetch)(void *what, void *memory);
    /* Where it has a newer copy of the grid there, the hashes of `count` rows of `width` floats,
     * the first of which is row `first`, and the seeds 0, 1, 2 ... False: it has not, or it fails.
     */
    bool (*hash_rows)(void *what, const float *grid, int width, int first, int count,
                      uint64_t *hashes);
    void (*close)(void *what);
} rvi_attached;
void rvi_context_attach(rv_context *ctx, const rvi_attached *attached);
const rvi_attached *rvi_context_attached(const rv_context *ctx);
/* Where what is attached has a newer copy of this memory, from rvi_alloc or NULL, it comes back.
 * Whoever reads grids of land outside a step of the device asks for it first. */
rv_status rvi_memory_fetch(rv_context *ctx, void *memory);
/* What is attached hashes rows of a grid, if it has a newer copy of it. */
bool rvi_memory_hash_rows(const rv_context *ctx, const float *grid, int width, int first, int count,
                          uint64_t *hashes);
/* The same as rvi_memory_fetch, and the host is going to change it. */
rv_status rvi_memory_take_back(rv_context *ctx, void *memory);

/* Is this number new to the context? Some of the last ones are known again. */
bool rvi_first_time(rv_context *ctx, uint64_t number);

double rvi_now(void); /* seconds of a clock that never jumps; for telling how long things took */

/* Names the step; a stop from before is forgotten, so calls that can be stopped begin with it. */
void rvi_progress_begin(rv_context *ctx, const char *step);
/* Sets how far the step is; calls the user with a whole terrain (or NULL). */
rv_status rvi_progress(rv_context *ctx, double done, const rv_terrain *land);
/* What part of the whole the next step is: from `from` to `to`, both 0 to 1. */
void rvi_progress_span(rv_context *ctx, double from, double to);
bool rvi_progress_due(const rv_context *ctx); /* would rvi_progress hand out the land now? */
/* In the midst of a slice that takes long: shall the user see the land before it is over? From the
 * first time that it says so until rvi_progress_look, work stands still: where that takes long it
 * is seldom.
 */
bool rvi_progress_look_due(rv_context *ctx);
rv_status rvi_progress_look(rv_context *ctx, const rv_terrain *land);

/* Who sees the land while a step runs, besides the user: called between two slices once `at` of the
 * step is done, 0 to 1, with how much is done then; sets `at` anew. When that is depends on the
 * work alone, never on the clock. */
typedef struct rvi_watcher {
    rv_status (*look)(struct rvi_watcher *watcher, double done, const rv_terrain *land);
    void *user;
    double at;
} rvi_watcher;
bool rvi_watcher_due(const rv_context *ctx);                    /* would it see the land now? */
bool rvi_watched(const rv_context *ctx);                        /* is there one? */
void rvi_progress_watch(rv_context *ctx, rvi_watcher *watcher); /* NULL: nobody any more */

#endif
