/* The comparisons of support.h: they hold where C's own do, and a failing one prints both values
 * and its place. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void holds(void **state) {
    (void)state;
    const size_t size = 3;
    int count = 0;
    assert_less(-1, 1);
    assert_less(size, (size_t)4);
    assert_greater(0.1f, 0.1); /* compared as doubles */
    assert_less_equal(2.5f, 2.5f);
    assert_greater(INT64_MAX, INT64_MAX - 1); /* a double cannot tell these apart */
    assert_greater(UINT64_MAX, UINT64_MAX - 1);
    assert_greater_equal(1e300, 1e300);
    assert_equal(-0.0, 0.0);
    assert_not_equal(1.0f, 1.0000001f);
    assert_near(1.0, 1.001, 0.01);
    assert_equal(++count, 1);
    assert_equal(count, 1); /* computed once */
}

/* ---- each of these fails ---- */

static const double nan_value = (double)NAN;

static void less(void **state) {
    (void)state;
    assert_less(1.5f + 1, 2.5f);
}

static void less_equal(void **state) {
    (void)state;
    assert_less_equal(-7, -8);
}

static void greater(void **state) {
    (void)state;
    assert_greater((size_t)11, (size_t)12);
}

static void greater_equal(void **state) {
    (void)state;
    assert_greater_equal(0.25, 0.75);
}

static void equal(void **state) {
    (void)state;
    assert_equal(1.0f, 1.0000001f);
}

static void not_equal(void **state) {
    (void)state;
    assert_not_equal(42, 40 + 2);
}

static void near_by(void **state) {
    (void)state;
    assert_near(1.25, 1.5, 0.25); /* as far apart as the tolerance is too far */
}

static void less_nan(void **state) {
    (void)state;
    assert_less(nan_value, 1.0);
}

static void not_equal_nan(void **state) {
    (void)state;
    assert_not_equal(nan_value, 1.0);
}

static void near_nan(void **state) {
    (void)state;
    assert_near(nan_value, 1.0, 0.5);
}

static const struct {
    struct CMUnitTest test;
    const char *says;
} failing[] = {
    {cmocka_unit_test(less), "1.5f + 1 < 2.5f does not hold: the left is 2.5, the right is 2.5\n"},
    {cmocka_unit_test(less_equal), "-7 <= -8 does not hold: the left is -7, the right is -8\n"},
    {cmocka_unit_test(greater), "does not hold: the left is 11, the right is 12\n"},
    {cmocka_unit_test(greater_equal), "does not hold: the left is 0.25, the right is 0.75\n"},
    {cmocka_unit_test(equal), "does not hold: the left is 1, the right is 1.00000012\n"},
    {cmocka_unit_test(not_equal), "42 != 40 + 2 does not hold: the left is 42, the right is 42\n"},
    {cmocka_unit_test(near_by),
     "|1.25 - 1.5| < 0.25 does not hold: 1.25 and 1.5 are 0.25 apart, not less than 0.25\n"},
    {cmocka_unit_test(less_nan), "does not hold: the left is nan, the right is 1\n"},
    {cmocka_unit_test(not_equal_nan), "does not hold: the left is nan, the right is 1\n"},
    {cmocka_unit_test(near_nan), "does not hold: nan and 1 are nan apart, not less than 0.5\n"},
};

/* Runs one of them in a process of its own and reads what it prints. */
static void fails_and_says(const struct CMUnitTest *test, const char *says) {
    fflush(NULL);
    pid_t child = fork();
    assert_return_code(child, 0);
    if (child == 0) {
        const struct CMUnitTest tests[] = {*test};
        bool open =
            freopen("said.txt", "w", stdout) != NULL && dup2(STDOUT_FILENO, STDERR_FILENO) >= 0;
        _exit(open && cmocka_run_group_tests(tests, NULL, NULL) == 1 && fflush(NULL) == 0 ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0); /* exactly one test ran and failed */

    char said[4096] = "";
    FILE *file = fopen("said.txt", "r");
    assert_non_null(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    if (strstr(said, says) == NULL || strstr(said, "test_support.c") == NULL)
        fail_msg("expected \"%s\" and the place, but it said:\n%s", says, said);
}

static void failures_print_both_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++)
        fails_and_says(&failing[i].test, failing[i].says);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds),
        cmocka_unit_test(failures_print_both_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
