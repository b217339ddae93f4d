/* context.c: memory with a limit, messages, progress and the wish to stop. */
#include "base/context.h"
#include "base/machine.h"
#include "base/threads.h"

#include <assert.h>
#include <float.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __FAST_MATH__
#error "Ravine cannot be built with fast-math: the same bits everywhere need exact arithmetic."
#endif
#if FLT_EVAL_METHOD != 0
#error "Ravine needs a machine that computes floats as floats, such as x86-64 with SSE."
#endif

enum { ALIGN = 64, SENTENCE = 1024, POLL_MS = 20, PROGRESS_MS = 33, SELDOM = 16 };

struct rv_context {
    rv_context_desc desc;
    rvi_pool *pool;
    size_t used, peak;
    const char *step;
    double done, from, to; /* of the step, and what part of the recipe it is */
    double slice;          /* how much of the step was done since the call before */
    rvi_watcher *watcher;  /* NULL: nobody */
    int64_t asked_ms;      /* when the user was last asked */
    int64_t shown_ms;      /* when they last saw the land */
    int64_t looked_ms;     /* when the last look was over, or the step began */
    double still_since;    /* for a look, in seconds; 0: work does not stand still */
    double look_seconds;   /* how long it does for one, near the least; 0: not known yet */
    bool cancelled, asking, deferred;
    bool no_land;           /* the user looks at none */
    bool inside;            /* the library is at work, no function of the user */
    rvi_float_state caller; /* then: what those run in */
    uint64_t seen[8];       /* see rvi_first_time */
    unsigned seen_count;
    rvi_piped *piped;
    rvi_attached attached;
    char error[SENTENCE];
};

/* Stands before every block of memory, so that releasing it needs no size. */
typedef struct block_head {
    void *base;
    size_t size;
} block_head;

/* ---- the floating-point state of the caller, and the library's own ---- */

rvi_entry rvi_entry_begin(rv_context *ctx) {
    rvi_entry entry = {.ctx = ctx, .caller = rvi_float_state_get()};
    rvi_float_state_set_own();
    if (ctx && !ctx->inside) {
        entry.outermost = true;
        entry.outer = ctx->caller;
        ctx->caller = entry.caller;
        ctx->inside = true;
    }
    return entry;
}

static void forget_piped(rv_context *ctx) {
    for (rvi_piped *next; ctx->piped; ctx->piped = next) {
        next = ctx->piped->next;
        rvi_free(ctx, ctx->piped->data);
        rvi_free(ctx, ctx->piped);
    }
}

rvi_piped **rvi_context_piped(rv_context *ctx) {
    return &ctx->piped;
}

void rvi_entry_end(const rvi_entry *entry) {
    if (entry->outermost) {
        forget_piped(entry->ctx);
        entry->ctx->inside = false;
        entry->ctx->caller = entry->outer;
    }
    rvi_float_state_set(&entry->caller);
}

bool rvi_callback_begin(rv_context *ctx) {
    bool inside = ctx->inside;
    if (inside)
        rvi_float_state_set(&ctx->caller);
    ctx->inside = false;
    return inside;
}

void rvi_callback_end(rv_context *ctx, bool inside) {
    if (inside)
        rvi_float_state_set_own();
    ctx->inside = inside;
}

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

double rvi_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Zeroed: the system gives large blocks page by page as they are used, which is faster than to
 * write them twice, and Ctrl-C need not wait for it. */
static void *plain_allocate(void *user, size_t size) {
    (void)user;
    return calloc(1, size);
}

static void plain_release(void *user, void *memory, size_t size) {
    (void)user;
    (void)size;
    free(memory);
}

rv_context_desc rv_context_desc_default(void) {
    return (rv_context_desc){.threads = 0};
}

rv_status rv_context_open(uint32_t abi, const rv_context_desc *desc, rv_context **out) {
    assert(out);
    *out = NULL;
    if (abi != 0 && abi != rv_abi())
        return RV_ERROR_VERSION;
    rv_context_desc d = desc ? *desc : rv_context_desc_default();
    if (!d.allocator.allocate || !d.allocator.release)
        d.allocator = (rv_allocator){plain_allocate, plain_release, NULL};
    if (d.memory_limit == 0)
        d.memory_limit = rvi_machine_memory();
    if (d.threads <= 0)
        d.threads = rvi_machine_cores();
    if (d.threads > 1024)
        d.threads = 1024;
    rv_context *ctx = d.allocator.allocate(d.allocator.user, sizeof *ctx);
    if (!ctx)
        return RV_ERROR_MEMORY;
    *ctx = (rv_context){.desc = d, .step = "", .to = 1.0};
    ctx->pool = rvi_pool_create(ctx, d.threads);
    if (!ctx->pool) {
        d.allocator.release(d.allocator.user, ctx, sizeof *ctx);
        return RV_ERROR_MEMORY;
    }
    *out = ctx;
    return RV_OK;
}

void rv_context_destroy(rv_context *ctx) {
    if (!ctx)
        return;
    rvi_pool_destroy(ctx->pool);
    if (ctx->attached.what)
        rvi_context_attach(ctx, &(rvi_attached){0});
    assert(ctx->used == 0 && "a terrain, recipe or snapshot outlives its context");
    rv_allocator a = ctx->desc.allocator;
    a.release(a.user, ctx, sizeof *ctx);
}

void rvi_context_attach(rv_context *ctx, const rvi_attached *attached) {
    rvi_attached old = ctx->attached;
    ctx->attached = *attached;
    if (old.what)
        old.close(old.what);
}

const rvi_attached *rvi_context_attached(const rv_context *ctx) {
    return &ctx->attached;
}

rv_status rvi_memory_fetch(rv_context *ctx, void *memory) {
    const rvi_attached *a = &ctx->attached;
    return a->what && memory ? a->fetch(a->what, memory) : RV_OK;
}

bool rvi_memory_hash_rows(const rv_context *ctx, const float *grid, int width, int first, int count,
                          uint64_t *hashes) {
    const rvi_attached *a = &ctx->attached;
    return a->what && a->hash_rows(a->what, grid, width, first, count, hashes);
}

const char *rv_context_error(const rv_context *ctx) {
    return ctx->error;
}

int rv_context_threads(const rv_context *ctx) {
    return rvi_pool_threads(ctx->pool);
}

size_t rv_context_memory_used(const rv_context *ctx) {
    return ctx->used;
}

size_t rv_context_memory_peak(const rv_context *ctx) {
    return ctx->peak;
}

size_t rv_context_memory_limit(const rv_context *ctx) {
    return ctx->desc.memory_limit;
}

size_t rvi_memory_mark(rv_context *ctx) {
    size_t mark = ctx->peak;
    ctx->peak = ctx->used;
    return mark;
}

size_t rvi_memory_since(rv_context *ctx, size_t mark) {
    size_t most = ctx->peak;
    ctx->peak = mark > most ? mark : most;
    return most;
}

rvi_pool *rvi_context_pool(const rv_context *ctx) {
    return ctx->pool;
}

bool rvi_first_time(rv_context *ctx, uint64_t number) {
    enum { MOST = sizeof ctx->seen / sizeof ctx->seen[0] };
    for (unsigned i = 0; i < MOST && i < ctx->seen_count; i++)
        if (ctx->seen[i] == number)
            return false;
    ctx->seen[ctx->seen_count++ % MOST] = number;
    return true;
}

/* A sentence with names too long for it loses its middle, not the reason at its end. */
static void keep_ends(char *sentence, const char *format, va_list args, size_t length) {
    char *whole = malloc(length + 1);
    if (!whole)
        return;
    vsnprintf(whole, length + 1, format, args);
    size_t head = SENTENCE / 2 - 8, tail = SENTENCE - head - 8;
    snprintf(sentence, SENTENCE, "%.*s ... %s", (int)head, whole, whole + length - tail);
    free(whole);
}

rv_status rvi_fail(rv_context *ctx, rv_status status, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(ctx->error, SENTENCE, format, args);
    if (length >= SENTENCE)
        keep_ends(ctx->error, format, again, (size_t)length);
    va_end(again);
    va_end(args);
    return status;
}

void rvi_tell_made(rv_context *ctx, const char *path, uint64_t bytes) {
    if (!ctx->desc.made)
        return;
    bool inside = rvi_callback_begin(ctx);
    ctx->desc.made(ctx->desc.user, path, bytes);
    rvi_callback_end(ctx, inside);
}

void rvi_log(rv_context *ctx, const char *format, ...) {
    if (!ctx->desc.log)
        return;
    char line[SENTENCE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    bool inside = rvi_callback_begin(ctx);
    ctx->desc.log(ctx->desc.user, line);
    rvi_callback_end(ctx, inside);
}

rvi_amount rvi_bytes_text(uint64_t bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024.0 && unit < 4; unit++)
        value /= 1024.0;
    rvi_amount a;
    snprintf(a.text, sizeof a.text, "%.4g %s", value, units[unit]);
    return a;
}

rv_status rvi_memory_check(rv_context *ctx, size_t bytes, const char *what) {
    if (bytes <= ctx->desc.memory_limit - ctx->used)
        return RV_OK;
    return rvi_fail(ctx, RV_ERROR_MEMORY,
                    "%s for %s would exceed the memory limit of %s (%s in use).",
                    rvi_bytes_text(bytes).text, what, rvi_bytes_text(ctx->desc.memory_limit).text,
                    rvi_bytes_text(ctx->used).text);
}

size_t rvi_alloc_size(size_t count, size_t size) {
    bool fits = size == 0 || count <= (SIZE_MAX / 2 - ALIGN - sizeof(block_head)) / size;
    return fits ? count * size + ALIGN + sizeof(block_head) : SIZE_MAX;
}

void *rvi_alloc(rv_context *ctx, size_t count, size_t size, const char *what) {
    size_t whole = rvi_alloc_size(count, size);
    if (whole == SIZE_MAX) {
        rvi_fail(ctx, RV_ERROR_MEMORY, "The memory for %s is more than a machine can address.",
                 what);
        return NULL;
    }
    if (rvi_memory_check(ctx, whole, what) != RV_OK)
        return NULL;
    rv_allocator a = ctx->desc.allocator;
    bool inside = rvi_callback_begin(ctx);
    char *base = a.allocate(a.user, whole);
    rvi_callback_end(ctx, inside);
    if (!base) {
        rvi_fail(ctx, RV_ERROR_MEMORY, "The machine has no %s left for %s.",
                 rvi_bytes_text(whole).text, what);
        return NULL;
    }
    uintptr_t start = (uintptr_t)base + sizeof(block_head);
    char *memory = base + sizeof(block_head) + (ALIGN - start % ALIGN) % ALIGN;
    block_head head = {base, whole};
    memcpy(memory - sizeof head, &head, sizeof head);
    if (a.allocate != plain_allocate)
        memset(memory, 0, count * size);
    ctx->used += whole;
    if (ctx->used > ctx->peak)
        ctx->peak = ctx->used;
    return memory;
}

static block_head head_of(const void *memory) {
    block_head head;
    memcpy(&head, (const char *)memory - sizeof head, sizeof head);
    return head;
}

/* Bytes from there to the end of the block. */
static size_t size_from(const void *memory, const block_head *head) {
    return head->size - (size_t)((const char *)memory - (const char *)head->base);
}

rv_status rvi_memory_take_back(rv_context *ctx, void *memory) {
    rv_status status = rvi_memory_fetch(ctx, memory);
    if (status != RV_OK || !ctx->attached.what || !memory)
        return status;
    block_head head = head_of(memory);
    ctx->attached.forget(ctx->attached.what, memory, size_from(memory, &head));
    return RV_OK;
}

void rvi_free(rv_context *ctx, void *memory) {
    if (!memory)
        return;
    block_head head = head_of(memory);
    if (ctx->attached.what)
        ctx->attached.forget(ctx->attached.what, memory, size_from(memory, &head));
    ctx->used -= head.size;
    bool inside = rvi_callback_begin(ctx);
    ctx->desc.allocator.release(ctx->desc.allocator.user, head.base, head.size);
    rvi_callback_end(ctx, inside);
}

bool rvi_enlarge(rv_context *ctx, void *array, size_t used, size_t room, size_t size,
                 const char *what) {
    void *old, *larger = rvi_alloc(ctx, room, size, what);
    if (larger == NULL)
        return false;
    memcpy(&old, array, sizeof old);
    if (used > 0)
        memcpy(larger, old, used * size);
    rvi_free(ctx, old);
    memcpy(array, &larger, sizeof larger);
    return true;
}

void rvi_progress_begin(rv_context *ctx, const char *step) {
    ctx->step = step;
    ctx->done = ctx->slice = 0.0;
    ctx->asked_ms = ctx->shown_ms = 0;
    ctx->looked_ms = now_ms();
    ctx->still_since = ctx->look_seconds = 0.0;
    ctx->cancelled = false;
}

static rv_status answer(const rv_context *ctx) {
    return ctx->cancelled && !ctx->deferred ? RV_CANCELLED : RV_OK;
}

static rv_status ask(rv_context *ctx, const rv_terrain *land) {
    ctx->asked_ms = now_ms();
    double total = ctx->from + ctx->done * (ctx->to - ctx->from);
    rv_progress now = {ctx->step, ctx->done, total, land};
    ctx->asking = true; /* what the user calls meanwhile must not ask again */
    bool inside = rvi_callback_begin(ctx);
    bool go_on = ctx->desc.progress(ctx->desc.user, &now);
    rvi_callback_end(ctx, inside);
    ctx->asking = false;
    if (!go_on) {
        ctx->cancelled = true;
        rvi_fail(ctx, RV_CANCELLED, "Stopped in %s.", ctx->step[0] ? ctx->step : "the recipe");
    }
    return answer(ctx);
}

rv_status rvi_poll(rv_context *ctx) {
    if (ctx->cancelled)
        return answer(ctx);
    if (!ctx->desc.progress || ctx->asking || now_ms() - ctx->asked_ms < POLL_MS)
        return RV_OK;
    return ask(ctx, NULL);
}

void rvi_stop_defer(rv_context *ctx, bool defer) {
    ctx->deferred = defer;
}

void rvi_progress_watch(rv_context *ctx, rvi_watcher *watcher) {
    ctx->watcher = watcher;
}

bool rvi_watched(const rv_context *ctx) {
    return ctx->watcher != NULL;
}

/* Steps make the land whole for who looks at it, so it must be known before a slice is over: the
 * next is taken to be as long as the last, or a little longer. */
bool rvi_watcher_due(const rv_context *ctx) {
    return ctx->watcher && ctx->done + 1.5 * ctx->slice >= ctx->watcher->at;
}

static bool user_due(const rv_context *ctx) {
    return ctx->desc.progress && now_ms() - ctx->shown_ms >= PROGRESS_MS;
}

static bool user_looks(const rv_context *ctx) {
    return !ctx->no_land && user_due(ctx);
}

void rv_context_progress_land(rv_context *ctx, bool wanted) {
    RVI_ENTRY(ctx);
    ctx->no_land = !wanted;
}

bool rvi_progress_due(const rv_context *ctx) {
    return rvi_watcher_due(ctx) || user_looks(ctx);
}

bool rvi_progress_look_due(rv_context *ctx) {
    if (ctx->still_since != 0.0)
        return true;
    double gone = (double)(now_ms() - ctx->looked_ms);
    if (!user_looks(ctx) || gone < PROGRESS_MS || gone < 1e3 * SELDOM * ctx->look_seconds)
        return false;
    ctx->still_since = rvi_now();
    return true;
}

/* A look may be held up by what has nothing to do with it, as in threads.c. */
rv_status rvi_progress_look(rv_context *ctx, const rv_terrain *land) {
    double seconds = rvi_now() - ctx->still_since, known = ctx->look_seconds;
    ctx->look_seconds =
        known == 0.0 || seconds < known ? seconds : known + 0.125 * (seconds - known);
    ctx->still_since = 0.0;
    rv_status status = ctx->cancelled ? answer(ctx) : ask(ctx, land);
    ctx->shown_ms = ctx->asked_ms;
    ctx->looked_ms = now_ms();
    return status;
}

rv_status rvi_progress(rv_context *ctx, double done, const rv_terrain *land) {
    bool watched = land && rvi_watcher_due(ctx);
    ctx->slice = done > ctx->done ? done - ctx->done : 0.0;
    ctx->done = done;
    if (ctx->cancelled)
        return answer(ctx);
    if (watched && done >= ctx->watcher->at) {
        rv_status seen = ctx->watcher->look(ctx->watcher, done, land);
        if (seen != RV_OK)
            return seen;
    }
    if (!user_due(ctx))
        return RV_OK;
    rv_status status = ask(ctx, ctx->no_land ? NULL : land);
    ctx->shown_ms = ctx->asked_ms;
    return status;
}

void rvi_progress_span(rv_context *ctx, double from, double to) {
    ctx->from = from;
    ctx->to = to;
}
