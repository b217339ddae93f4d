/* cmocka.h: stands in for the library of that name, which is there for this machine but not for the
 * one that the tests are cross-compiled for. Has what the tests use; the first failure ends the
 * program. */
#ifndef TESTS_ARM_CMOCKA_H
#define TESTS_ARM_CMOCKA_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    int (*set_up)(void **state);
    int (*tear_down)(void **state);
};

#define cmocka_unit_test(test)                                                                     \
    { #test, test, NULL, NULL }
#define cmocka_unit_test_setup_teardown(test, before, after)                                       \
    { #test, test, before, after }
#define cmocka_run_group_tests(tests, before, after)                                               \
    run_all_tests(tests, sizeof(tests) / sizeof(tests)[0], before, after)
#define cmocka_run_group_tests_name(name, tests, before, after)                                    \
    run_all_tests(tests, sizeof(tests) / sizeof(tests)[0], before, after)

#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) fprintf(stderr, __VA_ARGS__)
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))
#define fail() fail_msg("it failed")
#define skip() return
#define assert_true(c) ((c) ? (void)0 : fail_msg("%s does not hold", #c))
#define assert_false(c) assert_true(!(c))
#define assert_null(p) assert_true((p) == NULL)
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_int_equal(a, b) check_whole((long long)(a), (long long)(b), true, __FILE__, __LINE__)
#define assert_int_not_equal(a, b)                                                                 \
    check_whole((long long)(a), (long long)(b), false, __FILE__, __LINE__)
#define assert_in_range(v, least, most)                                                            \
    assert_true((unsigned long long)(v) >= (unsigned long long)(least) &&                          \
                (unsigned long long)(v) <= (unsigned long long)(most))
#define assert_float_equal(a, b, apart) assert_true((a) - (b) <= (apart) && (b) - (a) <= (apart))
#define assert_return_code(code, error) assert_true((code) >= 0)
#define assert_string_equal(a, b) check_text(a, b, true, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) check_text(a, b, false, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define assert_memory_not_equal(a, b, size) assert_true(memcmp(a, b, size) != 0)

static inline void _fail(const char *file, int line) {
    fprintf(stderr, "%s:%d: failed\n", file, line);
    exit(1);
}

static inline void check_whole(long long a, long long b, bool equal, const char *file, int line) {
    if ((a == b) != equal) {
        fprintf(stderr, "%lld %s %lld\n", a, equal ? "is not" : "is", b);
        _fail(file, line);
    }
}

static inline void check_text(const char *a, const char *b, bool equal, const char *file,
                              int line) {
    if ((strcmp(a, b) == 0) != equal) {
        fprintf(stderr, "\"%s\" %s \"%s\"\n", a, equal ? "is not" : "is", b);
        _fail(file, line);
    }
}

static inline int run_all_tests(const struct CMUnitTest *tests, size_t count,
                                int (*before)(void **state), int (*after)(void **state)) {
    void *group = NULL;
    if (before && before(&group) != 0)
        _fail("before all", 0);
    for (size_t i = 0; i < count; i++) {
        void *state = group;
        printf("%s\n", tests[i].name);
        fflush(stdout);
        if (tests[i].set_up && tests[i].set_up(&state) != 0)
            _fail(tests[i].name, 0);
        tests[i].run(&state);
        if (tests[i].tear_down && tests[i].tear_down(&state) != 0)
            _fail(tests[i].name, 0);
    }
    return after ? after(&group) : 0;
}

#endif
