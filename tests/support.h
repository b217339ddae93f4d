/* support.h: what tests share. Each call fails the running test when the library says no. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

/* cmocka.h needs these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <ravine/ravine.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Comparisons of numbers of any type, which print both values when they fail. Each value is
 * computed once, and they are compared in the type that C would choose. With a NaN all of them
 * fail. */
#define assert_less(a, b) SUPPORT_COMPARE(a, b, SUPPORT_LESS, #a " < " #b)
#define assert_less_equal(a, b) SUPPORT_COMPARE(a, b, SUPPORT_LESS | SUPPORT_EQUAL, #a " <= " #b)
#define assert_greater(a, b) SUPPORT_COMPARE(a, b, SUPPORT_GREATER, #a " > " #b)
#define assert_greater_equal(a, b)                                                                 \
    SUPPORT_COMPARE(a, b, SUPPORT_GREATER | SUPPORT_EQUAL, #a " >= " #b)
#define assert_equal(a, b) SUPPORT_COMPARE(a, b, SUPPORT_EQUAL, #a " == " #b)
#define assert_not_equal(a, b) SUPPORT_COMPARE(a, b, SUPPORT_LESS | SUPPORT_GREATER, #a " != " #b)
#define assert_near(a, b, tolerance)                                                               \
    support_near(a, b, tolerance, "|" #a " - " #b "| < " #tolerance, __FILE__, __LINE__)

/* clang-format off */
#define SUPPORT_COMPARE(a, b, wanted, text)                                                        \
    _Generic((a) + (b),                                                                            \
        float: support_compare_float,                                                              \
        double: support_compare_double,                                                            \
        long double: support_compare_long_double,                                                  \
        unsigned int: support_compare_unsigned,                                                    \
        unsigned long: support_compare_unsigned,                                                   \
        unsigned long long: support_compare_unsigned,                                              \
        int: support_compare_signed,                                                               \
        long: support_compare_signed,                                                              \
        long long: support_compare_signed)(a, b, wanted, text, __FILE__, __LINE__)
/* clang-format on */

enum { SUPPORT_LESS = 1, SUPPORT_EQUAL = 2, SUPPORT_GREATER = 4 };

#define SUPPORT_DEFINE_COMPARE(name, type, form)                                                   \
    static inline void support_compare_##name(type a, type b, int wanted, const char *text,        \
                                              const char *file, int line) {                        \
        int found = a < b ? SUPPORT_LESS : a == b ? SUPPORT_EQUAL : a > b ? SUPPORT_GREATER : 0;   \
        if ((found & wanted) == 0) {                                                               \
            print_error("%s does not hold: the left is " form ", the right is " form "\n", text,   \
                        a, b);                                                                     \
            _fail(file, line);                                                                     \
        }                                                                                          \
    }
SUPPORT_DEFINE_COMPARE(float, float, "%.9g")
SUPPORT_DEFINE_COMPARE(double, double, "%.17g")
SUPPORT_DEFINE_COMPARE(long_double, long double, "%.21Lg")
SUPPORT_DEFINE_COMPARE(signed, long long, "%lld")
SUPPORT_DEFINE_COMPARE(unsigned, unsigned long long, "%llu")

static inline void support_near(double a, double b, double tolerance, const char *text,
                                const char *file, int line) {
    if (!(fabs(a - b) < tolerance)) {
        print_error("%s does not hold: %.17g and %.17g are %.9g apart, not less than %.9g\n", text,
                    a, b, fabs(a - b), tolerance);
        _fail(file, line);
    }
}

/* The short form (RAVINE_SHORT, set by `make check` and for the sanitizers): a test that asks one
 * question of very many cases asks it of fewer; of `count` random numbers, of an eighth. */
static inline bool support_short(void) {
    return getenv("RAVINE_SHORT") != NULL;
}

static inline uint64_t support_cases(uint64_t count) {
    return support_short() ? count / 8 : count;
}

/* The number of the device that tests use: RAVINE_TEST_DEVICE, as `ravine devices` counts, or the
 * first. 0: there is none; one that was asked for must be there. */
static inline int support_device(void) {
    const char *told = getenv("RAVINE_TEST_DEVICE");
    int number = told ? atoi(told) : 1;
    rv_device_info info;
    bool there = rv_device_get(number, &info);
    if (told && !there)
        fail_msg("RAVINE_TEST_DEVICE=%s: there is no such device", told);
    if (there)
        print_message("on %s, %s\n", info.name, info.driver);
    else
        print_message("There is no device here: nothing is compared.\n");
    return there ? number : 0;
}

/* RV_OK, or the test fails with the library's own sentence. */
static inline void support_ok(const rv_context *ctx, rv_status status) {
    if (status != RV_OK) {
        fail_msg("%s: %s", rv_status_text(status), rv_context_error(ctx));
    }
}

static inline rv_context *support_context(int threads) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = threads;
    rv_context *ctx = NULL;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    assert_non_null(ctx);
    return ctx;
}

/* Flat land at 0 m. */
static inline rv_terrain *support_land(rv_context *ctx, int width, int height, float cell) {
    rv_terrain *land = NULL;
    support_ok(ctx,
               rv_terrain_create(
                   ctx, &(rv_terrain_desc){.width = width, .height = height, .cell = cell}, &land));
    return land;
}

/* What a recipe makes, as a terrain to look at. */
static inline rv_terrain *support_run(rv_context *ctx, const char *recipe) {
    rv_terrain *land = NULL;
    support_ok(ctx, rv_recipe_run_text(ctx, recipe, NULL, &land));
    return land;
}

/* Memory that runs out: `left` allocations succeed, the rest fail (negative: none fails). `held`
 * counts what was not given back: it is 0 again after rv_context_destroy, or something leaked. */
typedef struct support_memory {
    atomic_long left;
    atomic_long held;
} support_memory;

static inline void *support_allocate(void *user, size_t size) {
    support_memory *memory = user;
    if (atomic_load(&memory->left) >= 0 && atomic_fetch_sub(&memory->left, 1) <= 0) {
        atomic_store(&memory->left, 0);
        return NULL;
    }
    void *block = malloc(size);
    if (block != NULL) {
        atomic_fetch_add(&memory->held, (long)size);
    }
    return block;
}

static inline void support_release(void *user, void *block, size_t size) {
    support_memory *memory = user;
    atomic_fetch_sub(&memory->held, (long)size);
    free(block);
}

static inline rv_allocator support_allocator(support_memory *memory) {
    return (rv_allocator){.allocate = support_allocate, .release = support_release, .user = memory};
}

#endif
