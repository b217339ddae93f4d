/* The context: memory within a limit, sentences, and the wish to stop. */
#include "support.h"

#include "base/context.h"
#include "base/threads.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void assert_says(const rv_context *ctx, const char *part) {
    if (strstr(rv_context_error(ctx), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", rv_context_error(ctx), part);
}

static rv_context *limited(size_t limit) {
    rv_context_desc desc = {.threads = 1, .memory_limit = limit};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    return ctx;
}

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* ---- what it is ---- */

static void defaults_suit_the_machine(void **state) {
    (void)state;
    rv_context *ctx;
    assert_int_equal(rv_context_create(NULL, &ctx), RV_OK);
    assert_greater_equal(rv_context_threads(ctx), 1);
    assert_greater(rv_context_memory_limit(ctx), (size_t)1 << 20);
    assert_string_equal(rv_context_error(ctx), "");
    rv_context_destroy(ctx);
    rv_context_destroy(NULL);
    ctx = support_context(3);
    assert_int_equal(rv_context_threads(ctx), 3);
    rv_context_destroy(ctx);
    assert_string_equal(rv_version(), RV_VERSION);
}

static void every_status_has_words(void **state) {
    (void)state;
    for (int a = 0; a <= RV_STATUS_COUNT; a++) {
        const char *text = rv_status_text((rv_status)a);
        assert_non_null(text);
        assert_not_equal(text[0], '\0');
        for (int b = 0; b < a; b++)
            assert_string_not_equal(text, rv_status_text((rv_status)b));
    }
}

static void a_sentence_is_kept(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    assert_int_equal(rvi_fail(ctx, RV_ERROR_INPUT, "%s: line %d.", "here", 7), RV_ERROR_INPUT);
    assert_string_equal(rv_context_error(ctx), "here: line 7.");
    char many[5000];
    memset(many, 'x', sizeof many);
    many[sizeof many - 1] = '\0';
    rvi_fail(ctx, RV_ERROR_INPUT, "%s", many); /* cut, not beyond its room */
    assert_greater(strlen(rv_context_error(ctx)), 100);
    assert_less(strlen(rv_context_error(ctx)), sizeof many);
    rv_context_destroy(ctx);
}

static char last_line[256];

static void keep_line(void *user, const char *line) {
    assert_ptr_equal(user, last_line);
    snprintf(last_line, sizeof last_line, "%s", line);
}

static void who_listens_hears(void **state) {
    (void)state;
    rv_context_desc desc = {.threads = 1, .log = keep_line, .user = last_line};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rvi_log(ctx, "%d cells", 12);
    assert_string_equal(last_line, "12 cells");
    rv_context_destroy(ctx);
    ctx = support_context(1);
    rvi_log(ctx, "nobody listens");
    rv_context_destroy(ctx);
}

/* ---- memory ---- */

static void memory_is_aligned_and_zero(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const size_t sizes[] = {0, 1, 3, 63, 64, 65, 1000, 4096, 100000};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    for (int round = 0; round < 3; round++) { /* the second time there is old dirt */
        unsigned char *blocks[COUNT];
        for (int i = 0; i < COUNT; i++) {
            blocks[i] = rvi_alloc(ctx, sizes[i], 1, "a test");
            assert_non_null(blocks[i]);
            assert_int_equal((uintptr_t)blocks[i] % 64, 0);
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(blocks[i][k], 0);
            memset(blocks[i], 0xa5, sizes[i]);
        }
        for (int i = 0; i < COUNT; i++)
            rvi_free(ctx, blocks[i]);
    }
    rvi_free(ctx, NULL);
    rv_context_destroy(ctx);
}

static void the_limit_holds(void **state) {
    (void)state;
    enum { LIMIT = 1 << 20 };
    rv_context *ctx = limited(LIMIT);
    size_t before = rv_context_memory_peak(ctx);
    assert_null(rvi_alloc(ctx, LIMIT, 1, "a large map"));
    assert_says(ctx, "a large map");
    assert_says(ctx, "memory limit");
    assert_int_equal(rv_context_memory_peak(ctx), before);
    void *half = rvi_alloc(ctx, LIMIT / 2, 1, "half");
    assert_non_null(half);
    assert_null(rvi_alloc(ctx, LIMIT / 2, 1, "the other half"));
    assert_int_equal(rvi_memory_check(ctx, LIMIT / 2, "a check"), RV_ERROR_MEMORY);
    assert_says(ctx, "a check");
    assert_int_equal(rvi_memory_check(ctx, LIMIT / 4, "a check"), RV_OK);
    rvi_free(ctx, half);
    assert_int_equal(rvi_memory_check(ctx, LIMIT / 2, "a check"), RV_OK);
    half = rvi_alloc(ctx, LIMIT / 2, 1, "half again");
    assert_non_null(half);
    rvi_free(ctx, half);
    assert_less_equal(rv_context_memory_peak(ctx), LIMIT);
    rv_context_destroy(ctx);
}

static void sizes_beyond_counting_are_refused(void **state) {
    (void)state;
    rv_context *ctx = limited(SIZE_MAX);
    assert_null(rvi_alloc(ctx, SIZE_MAX, 1, "too much"));
    assert_says(ctx, "too much");
    assert_null(rvi_alloc(ctx, SIZE_MAX / 2, 3, "too much")); /* the product would wrap around */
    assert_null(rvi_alloc(ctx, (size_t)1 << 33, (size_t)1 << 33, "too much"));
    rv_context_destroy(ctx);
}

static void the_peak_is_the_most_held_at_once(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    enum { BLOCK = 1 << 20, EXTRA = 4096 };
    size_t start = rv_context_memory_peak(ctx);
    assert_less(start, 65536);
    void *a = rvi_alloc(ctx, BLOCK, 1, "a"), *b = rvi_alloc(ctx, 2, BLOCK, "b");
    assert_in_range(rv_context_memory_peak(ctx), start + 3 * BLOCK, start + 3 * BLOCK + EXTRA);
    assert_equal(rv_context_memory_used(ctx), rv_context_memory_peak(ctx));
    rvi_free(ctx, a);
    rvi_free(ctx, b);
    assert_equal(rv_context_memory_used(ctx), start);
    a = rvi_alloc(ctx, BLOCK, 1, "a");
    assert_in_range(rv_context_memory_peak(ctx), start + 3 * BLOCK, start + 3 * BLOCK + EXTRA);
    b = rvi_alloc(ctx, 3, BLOCK, "b");
    assert_in_range(rv_context_memory_peak(ctx), start + 4 * BLOCK, start + 4 * BLOCK + EXTRA);
    rvi_free(ctx, a);
    rvi_free(ctx, b);
    rv_context_destroy(ctx);
}

/* An allocator that remembers what it was asked for. */
typedef struct record {
    void *memory;
    size_t size;
} record;

typedef struct book {
    record records[64];
    int count;
} book;

static void *note_allocate(void *user, size_t size) {
    book *b = user;
    assert_less(b->count, 64);
    b->records[b->count] = (record){malloc(size), size};
    return b->records[b->count++].memory;
}

static void note_release(void *user, void *memory, size_t size) {
    book *b = user;
    int i = 0;
    while (i < b->count && b->records[i].memory != memory)
        i++;
    assert_less(i, b->count);
    assert_int_equal(b->records[i].size, size);
    b->records[i] = b->records[--b->count];
    free(memory);
}

static void release_gets_what_allocate_gave(void **state) {
    (void)state;
    book b = {.count = 0};
    rv_context_desc desc = {.threads = 2, .allocator = {note_allocate, note_release, &b}};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    assert_greater(b.count, 0); /* nothing comes from elsewhere */
    void *blocks[10];
    for (size_t i = 0; i < 10; i++)
        blocks[i] = rvi_alloc(ctx, i * 77, 1, "a test");
    for (size_t i = 0; i < 10; i++)
        rvi_free(ctx, blocks[i * 3 % 10]);
    rv_context_destroy(ctx);
    assert_int_equal(b.count, 0);
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        rv_status status = RV_ERROR_MEMORY;
        long n = 0;
        for (; status != RV_OK; n++) {
            support_memory memory = {.left = n};
            rv_context_desc desc = {.threads = threads, .allocator = support_allocator(&memory)};
            rv_context *ctx = (rv_context *)&desc;
            status = rv_context_create(&desc, &ctx);
            if (status == RV_OK) {
                rv_context_destroy(ctx);
            } else {
                assert_int_equal(status, RV_ERROR_MEMORY);
                assert_null(ctx);
            }
            assert_int_equal(memory.held, 0);
            assert_less(n, 100);
        }
        assert_greater(n, 1);
    }
}

static void a_limit_too_small_for_itself_is_refused(void **state) {
    (void)state;
    support_memory memory = {.left = -1};
    rv_context_desc desc = {
        .threads = 2, .memory_limit = 1, .allocator = support_allocator(&memory)};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_ERROR_MEMORY);
    assert_null(ctx);
    assert_int_equal(memory.held, 0);
}

static void a_failed_allocation_says_for_what(void **state) {
    (void)state;
    support_memory memory = {.left = -1};
    rv_context_desc desc = {.threads = 1, .allocator = support_allocator(&memory)};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    memory.left = 0;
    assert_null(rvi_alloc(ctx, 1000, 1, "the flow field"));
    assert_says(ctx, "the flow field");
    memory.left = -1;
    void *block = rvi_alloc(ctx, 1000, 1, "the flow field");
    assert_non_null(block);
    rvi_free(ctx, block);
    rv_context_destroy(ctx);
    assert_int_equal(memory.held, 0);
}

/* ---- progress ---- */

typedef struct listener {
    int calls, inside, deepest;
    bool stop;
    char step[32];
    double done;
    const rv_terrain *land;
    rv_context *ctx;
} listener;

static bool listen(void *user, const rv_progress *now) {
    listener *l = user;
    l->calls++;
    snprintf(l->step, sizeof l->step, "%s", now->step);
    l->done = now->done;
    l->land = now->land;
    return !l->stop;
}

static rv_context *listened(listener *l, rv_progress_fn fn) {
    rv_context_desc desc = {.threads = 2, .progress = fn, .user = l};
    assert_int_equal(rv_context_create(&desc, &l->ctx), RV_OK);
    return l->ctx;
}

static void the_user_is_asked_now_and_then(void **state) {
    (void)state;
    listener l = {0};
    rv_context *ctx = listened(&l, listen);
    rvi_progress_begin(ctx, "noise");
    for (int i = 0; i < 10000; i++)
        assert_int_equal(rvi_poll(ctx), RV_OK);
    assert_greater_equal(l.calls, 1);
    assert_less(l.calls, 100);
    assert_string_equal(l.step, "noise");
    assert_null(l.land);
    pause_ms(60);
    int calls = l.calls;
    assert_int_equal(rvi_poll(ctx), RV_OK);
    assert_int_equal(l.calls, calls + 1);
    rv_terrain *land = support_land(ctx, 4, 4, 1.0f);
    pause_ms(60);
    assert_true(rvi_progress_due(ctx));
    assert_int_equal(rvi_progress(ctx, 0.25, land), RV_OK);
    assert_equal(l.done, 0.25);
    assert_ptr_equal(l.land, land);
    assert_false(rvi_progress_due(ctx));
    rv_context_progress_land(ctx, false);
    pause_ms(60);
    calls = l.calls;
    assert_false(rvi_progress_due(ctx)); /* nobody looks at the land, but they are asked */
    assert_int_equal(rvi_progress(ctx, 0.5, land), RV_OK);
    assert_int_equal(l.calls, calls + 1);
    assert_null(l.land);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void a_stop_holds_until_the_next_step(void **state) {
    (void)state;
    listener l = {.stop = true};
    rv_context *ctx = listened(&l, listen);
    rvi_progress_begin(ctx, "droplets");
    assert_int_equal(rvi_poll(ctx), RV_CANCELLED);
    assert_says(ctx, "droplets");
    l.stop = false;
    int calls = l.calls;
    assert_int_equal(rvi_poll(ctx), RV_CANCELLED); /* once said is enough */
    assert_int_equal(rvi_progress(ctx, 0.5, NULL), RV_CANCELLED);
    assert_int_equal(l.calls, calls);
    rvi_progress_begin(ctx, "noise");
    assert_int_equal(rvi_poll(ctx), RV_OK);
    rv_context_destroy(ctx);
}

/* Looks at the land the way a caller may: by its hash, slowly. */
static bool look_slowly(void *user, const rv_progress *now) {
    listener *l = user;
    l->inside++;
    l->deepest = l->inside > l->deepest ? l->inside : l->deepest;
    if (now->land != NULL && l->inside == 1) {
        pause_ms(60);
        (void)rv_terrain_hash(now->land);
        (void)rv_terrain_volume(now->land);
    }
    l->inside--;
    return true;
}

static void the_user_is_not_asked_while_answering(void **state) {
    (void)state;
    listener l = {0};
    rv_context *ctx = listened(&l, look_slowly);
    rv_terrain *land = support_land(ctx, 64, 64, 1.0f);
    rvi_progress_begin(ctx, "droplets");
    assert_int_equal(rvi_progress(ctx, 0.5, land), RV_OK);
    assert_int_equal(l.deepest, 1);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_suit_the_machine),
        cmocka_unit_test(every_status_has_words),
        cmocka_unit_test(a_sentence_is_kept),
        cmocka_unit_test(who_listens_hears),
        cmocka_unit_test(memory_is_aligned_and_zero),
        cmocka_unit_test(the_limit_holds),
        cmocka_unit_test(sizes_beyond_counting_are_refused),
        cmocka_unit_test(the_peak_is_the_most_held_at_once),
        cmocka_unit_test(release_gets_what_allocate_gave),
        cmocka_unit_test(no_allocation_is_taken_for_granted),
        cmocka_unit_test(a_limit_too_small_for_itself_is_refused),
        cmocka_unit_test(a_failed_allocation_says_for_what),
        cmocka_unit_test(the_user_is_asked_now_and_then),
        cmocka_unit_test(a_stop_holds_until_the_next_step),
        cmocka_unit_test(the_user_is_not_asked_while_answering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
