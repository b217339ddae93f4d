/* cmocka.h: stands in for the library of that name, which is there for this machine but not for the
 * one that the tests are cross-compiled for. Has what tests/arm/check_arm.sh builds uses; the first
 * failure ends the program. */
#ifndef TESTS_ARM_CMOCKA_H
#define TESTS_ARM_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(test)                                                                     \
    { #test, test }
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    run_all_tests(tests, sizeof(tests) / sizeof(tests)[0])

#define print_error(...) fprintf(stderr, __VA_ARGS__)
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))
#define assert_true(c) ((c) ? (void)0 : fail_msg("%s does not hold", #c))
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_int_equal(a, b) assert_true((a) == (b))

static inline void _fail(const char *file, int line) {
    fprintf(stderr, "%s:%d: failed\n", file, line);
    exit(1);
}

static inline int run_all_tests(const struct CMUnitTest *tests, size_t count) {
    for (size_t i = 0; i < count; i++) {
        void *state = NULL;
        tests[i].run(&state);
        printf("%s: ok\n", tests[i].name);
    }
    return 0;
}

#endif
