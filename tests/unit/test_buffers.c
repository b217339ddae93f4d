/* Working memory: what a list says it takes is what it takes, and all of it goes again. */
#include "support.h"

#include "base/buffers.h"
#include "base/context.h"

#include <stdint.h>
#include <string.h>

static void what_is_listed_is_allocated(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    size_t before = rv_context_memory_peak(ctx);
    float *a = NULL, *own = NULL;
    double *b = NULL;
    rvi_buffers list = {.count = 0};
    rvi_buffers_add(&list, &a, 1000, sizeof *a, "a");
    rvi_buffers_own(&list, &own);
    rvi_buffers_add(&list, &b, 77, sizeof *b, "b");
    size_t bytes = rvi_buffers_bytes(&list);
    assert_greater_equal(bytes, 1000 * sizeof *a + 77 * sizeof *b);
    support_ok(ctx, rvi_buffers_alloc(&list, ctx));
    assert_true(a && b && !own);
    for (int i = 0; i < 1000; i++)
        assert_equal(a[i], 0.0f);
    assert_int_equal(rv_context_memory_peak(ctx), before + bytes);
    own = rvi_alloc(ctx, 5, sizeof *own, "own");
    rvi_buffers_free(&list, ctx);
    assert_true(!a && !b && !own);
    assert_int_equal(list.count, 0);
    rv_context_destroy(ctx); /* would find what was left */
}

static void what_was_taken_over_stays(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    int *a = NULL;
    rvi_buffers list = {.count = 0};
    rvi_buffers_add(&list, &a, 9, sizeof *a, "a");
    support_ok(ctx, rvi_buffers_alloc(&list, ctx));
    int *taken = a;
    a = NULL;
    rvi_buffers_free(&list, ctx);
    taken[8] = 1;
    rvi_free(ctx, taken);
    rv_context_destroy(ctx);
}

/* Of calls that free what they took only the largest counts, of what is kept all. */
static void what_passes_counts_once(void **state) {
    (void)state;
    rvi_buffers list = {.count = 0};
    rvi_buffers_pass(&list, 100);
    rvi_buffers_pass(&list, 70);
    assert_int_equal(rvi_buffers_bytes(&list), 100);
    rvi_buffers_keep(&list, 5);
    rvi_buffers_keep(&list, 6);
    rvi_buffers_pass(&list, 200);
    assert_int_equal(rvi_buffers_bytes(&list), 211);
    char *none = NULL;
    rvi_buffers_add(&list, &none, SIZE_MAX / 4, 8, "too much");
    assert_equal(rvi_buffers_bytes(&list), SIZE_MAX);
}

static void a_list_without_memory_leaves_nothing(void **state) {
    (void)state;
    rv_context_desc desc = {.threads = 1, .memory_limit = 1 << 20};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    char *a = NULL, *b = NULL, *c = NULL;
    rvi_buffers list = {.count = 0};
    rvi_buffers_add(&list, &a, 1000, 1, "a");
    rvi_buffers_add(&list, &b, 2 << 20, 1, "too much");
    rvi_buffers_add(&list, &c, 1000, 1, "c");
    assert_int_equal(rvi_buffers_alloc(&list, ctx), RV_ERROR_MEMORY);
    assert_non_null(strstr(rv_context_error(ctx), "too much"));
    assert_true(a && !b && !c);
    rvi_buffers_free(&list, ctx);
    assert_null(a);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_listed_is_allocated),
        cmocka_unit_test(what_was_taken_over_stays),
        cmocka_unit_test(what_passes_counts_once),
        cmocka_unit_test(a_list_without_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
