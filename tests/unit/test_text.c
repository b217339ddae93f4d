/* Numbers and words: what people write is read as C reads it, whatever the locale, and what is no
 * number is refused. */
#include "support.h"

#include "base/random.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double number(const char *text) {
    double value;
    if (!rvi_text_number(text, strlen(text), &value))
        fail_msg("\"%s\" is a number", text);
    return value;
}

static void numbers_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0.0},
        {"12", 12.0},
        {"-3.5", -3.5},
        {"+7", 7.0},
        {".5", 0.5},
        {"-.5", -0.5},
        {"5.", 5.0},
        {"0.1", 0.1},
        {"1e-3", 1e-3},
        {"1E3", 1e3},
        {"1e+3", 1e3},
        {"2.5e2", 250.0},
        {"800k", 800e3},
        {"2M", 2e6},
        {"1G", 1e9},
        {"1.5k", 1500.0},
        {"-2k", -2000.0},
        {"007", 7.0},
        {"1e0", 1.0},
        {"1e22", 1e22},
        {"0e999", 0.0},
        {"0.000000000000000000001e21", 1.0},
        {"100000000000000000000e-20", 1.0},
        {"999999999999999", 999999999999999.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (number(cases[i].text) != cases[i].value)
            fail_msg("\"%s\" is %.17g, not %.17g", cases[i].text, cases[i].value,
                     number(cases[i].text));
    assert_true(signbit(number("-0")));
}

static void what_is_no_number_is_refused(void **state) {
    (void)state;
    static const char *const cases[] = {
        "",     "-",    "+",     ".",     "-.",       "e5",  "1e",  "1e-",  "1e+",   "1x",
        "0x10", "nan",  "inf",   "1 ",    " 1",       "1 2", "--1", "1-",   "1.2.3", "1..2",
        "1kk",  "1k2",  "1e5.5", "1e5e5", "infinity", "k",   "-k",  ".k",   "1,5",   "1_000",
        "1ek",  "1e-M", "1e+G",  "auto",  "\t1",      "1\n", "NaN", "-inf", "1e k",  "0b1",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value;
        if (rvi_text_number(cases[i], strlen(cases[i]), &value))
            fail_msg("\"%s\" is read as %g", cases[i], value);
    }
}

static void only_the_given_letters_count(void **state) {
    (void)state;
    double value;
    uint64_t whole;
    assert_true(rvi_text_number("123456", 3, &value));
    assert_equal(value, 123.0);
    assert_true(rvi_text_number("12x", 2, &value));
    assert_equal(value, 12.0);
    assert_true(rvi_text_number("1e55", 3, &value));
    assert_equal(value, 1e5);
    assert_false(rvi_text_number("1e5", 2, &value));
    assert_false(rvi_text_number("5", 0, &value));
    assert_true(rvi_text_uint("123456", 3, &whole));
    assert_equal(whole, 123);
    assert_true(rvi_text_is("noisey", 5, "noise"));
    assert_false(rvi_text_is("noise", 4, "noise") || rvi_text_is("noise", 5, "noisey"));
}

/* A decimal of up to 15 digits and a power of ten up to 22 are both doubles, so that one exactly
 * rounded operation gives the nearest double: no other result is right. */
static void short_decimals_are_read_like_strtod(void **state) {
    (void)state;
    for (uint64_t n = 0, cases = support_cases(200000); n < cases; n++) {
        char text[64], digits[24];
        int count = 1 + (int)(rvi_random(1, n, 0) % 15);
        int point = (int)(rvi_random(1, n, 1) % (uint64_t)(count + 1)); /* digits after it */
        int power = (int)(rvi_random(1, n, 2) % 45) - 22;               /* of the last digit */
        for (int i = 0; i < count; i++)
            digits[i] = (char)('0' + rvi_random(1, n, 3 + (uint64_t)i) % 10);
        snprintf(text, sizeof text, "%s%.*s.%.*se%d", n % 2 ? "-" : "", count - point, digits,
                 point, digits + count - point, power + point);
        if (number(text) != strtod(text, NULL))
            fail_msg("%s is %.17g, not %.17g", text, strtod(text, NULL), number(text));
    }
}

/* Seventeen digits tell all doubles apart, so that each comes back to the last bit: small, large
 * and subnormal ones; nineteen digits are read as the nearest double, too. */
static void seventeen_digits_bring_back_every_double(void **state) {
    (void)state;
    for (uint64_t n = 0, cases = support_cases(100000); n < cases; n++) {
        char text[64];
        uint64_t bits = rvi_random(3, n, 0);
        double value;
        if (n % 3 == 0) /* of the size that places have */
            bits = (bits & UINT64_C(0x800fffffffffffff)) | (1000 + rvi_random(3, n, 1) % 50) << 52;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, n % 2 ? "%.17g" : "%.19g", value);
        if (number(text) != value)
            fail_msg("%s is %.17g", text, number(text));
    }
    static const char *const ends[] = {"4.9406564584124654e-324", "2.4703282292062327e-324",
                                       "2.4703282292062328e-324", "1.7976931348623157e308",
                                       "9007199254740993",        "9007199254740995",
                                       "2.2250738585072011e-308", "18014398509481985"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (number(ends[i]) != strtod(ends[i], NULL))
            fail_msg("%s is %.17g", ends[i], number(ends[i]));
}

static void a_count_is_the_number_it_says(void **state) {
    (void)state;
    for (int n = 1; n < 20000; n++) {
        char text[32];
        snprintf(text, sizeof text, "%d.%03dk", n / 1000, n % 1000);
        if (number(text) != n)
            fail_msg("%s is %.17g", text, number(text));
        snprintf(text, sizeof text, "%d.%06dM", n / 1000, n % 1000);
        if (number(text) != n / 1000 * 1e6 + n % 1000)
            fail_msg("%s is %.17g", text, number(text));
    }
}

static void long_decimals_are_near(void **state) {
    (void)state;
    for (uint64_t n = 0, cases = support_cases(100000); n < cases; n++) {
        char text[80];
        int power = (int)(rvi_random(2, n, 0) % 560) - 280;
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)rvi_random(2, n, 1),
                 (unsigned long long)rvi_random(2, n, 2), power);
        double want = strtod(text, NULL), got = number(text);
        if (!(fabs(got - want) <= 1e-13 * fabs(want)))
            fail_msg("%s is %.17g, not %.17g", text, want, got);
    }
    char many[3000];
    memset(many, '9', sizeof many);
    memcpy(many + 1500, "e-1500", 7);
    assert_near(number(many), 1.0, 1e-13);
    memset(many, '0', sizeof many);
    many[1] = '.';
    memcpy(many + 1500, "1e1499", 7);
    assert_near(number(many), 1.0, 1e-13);
}

/* What no double can hold is refused or infinite, so that every range check refuses it. */
static void numbers_beyond_all_are_no_numbers(void **state) {
    (void)state;
    static const char *const huge[] = {"1e400",  "1e309",  "9e99999999999",
                                       "1e308k", "-1e400", "2e308"};
    for (size_t i = 0; i < sizeof huge / sizeof huge[0]; i++) {
        double value = INFINITY;
        if (rvi_text_number(huge[i], strlen(huge[i]), &value) && !isinf(value))
            fail_msg("%s is read as %g", huge[i], value);
    }
    assert_equal(number("1e-400"), 0.0);
    assert_equal(number("1e-99999999999"), 0.0);
}

static void whole_numbers_are_exact(void **state) {
    (void)state;
    uint64_t value;
    for (uint64_t n = 0; n < 10000; n++) {
        char text[32];
        uint64_t want = rvi_random(3, n, 0) >> (n % 64);
        int size = snprintf(text, sizeof text, "%llu", (unsigned long long)want);
        assert_true(rvi_text_uint(text, (size_t)size, &value));
        assert_equal(value, want);
    }
    assert_true(rvi_text_uint("18446744073709551615", 20, &value));
    assert_equal(value, UINT64_MAX);
    assert_true(rvi_text_uint("00018446744073709551615", 23, &value));
    assert_equal(value, UINT64_MAX);
    static const char *const not [] = {
        "18446744073709551616",
        "18446744073709551620",
        "99999999999999999999",
        "100000000000000000000",
        "",
        "-1",
        "+1",
        "1.0",
        "1k",
        " 1",
        "1 ",
        "0x1",
        "1e3",
        "a",
    };
    for (size_t i = 0; i < sizeof not / sizeof not [0]; i++)
        if (rvi_text_uint(not [i], strlen(not [i]), &value))
            fail_msg("\"%s\" is read as %llu", not [i], (unsigned long long)value);
}

static int distance(const char *a, const char *b) {
    return rvi_text_distance(a, strlen(a), b);
}

static void one_slip_is_one(void **state) {
    (void)state;
    assert_int_equal(distance("noise", "noise"), 0);
    assert_int_equal(distance("noize", "noise"), 1);
    assert_int_equal(distance("nose", "noise"), 1);
    assert_int_equal(distance("nooise", "noise"), 1);
    assert_int_equal(distance("niose", "noise"), 1); /* two letters swapped */
    assert_int_equal(distance("onise", "noise"), 1);
    assert_int_equal(distance("noies", "noise"), 1);
    assert_int_equal(distance("", "noise"), 5);
    assert_int_equal(distance("noise", ""), 5);
    assert_int_equal(distance("", ""), 0);
    assert_int_equal(distance("abc", "xyz"), 3);
    assert_int_equal(rvi_text_distance("noisexx", 5, "noise"), 0);
    /* Ten swapped pairs are ten slips. */
    assert_int_equal(distance("badcfehgjilknmporqts", "abcdefghijklmnopqrst"), 10);
}

static void random_word(uint64_t n, char *out) {
    size_t size = (size_t)(rvi_random(4, n, 0) % 12);
    for (size_t i = 0; i < size; i++)
        out[i] = (char)('a' + rvi_random(4, n, 1 + i) % 3);
    out[size] = '\0';
}

static void distances_are_distances(void **state) {
    (void)state;
    for (uint64_t n = 0; n < 20000; n++) {
        char a[16], b[16];
        random_word(2 * n, a);
        random_word(2 * n + 1, b);
        int d = distance(a, b), longer = (int)(strlen(a) > strlen(b) ? strlen(a) : strlen(b));
        assert_int_equal(d, distance(b, a));
        assert_int_equal(distance(a, a), 0);
        assert_int_equal(d == 0, strcmp(a, b) == 0);
        assert_greater_equal(d, abs((int)strlen(a) - (int)strlen(b)));
        assert_less_equal(d, longer);
    }
}

/* Words of any length are safe, and nothing that long is a slip of a short word. */
static void long_words_are_far(void **state) {
    (void)state;
    char text[300];
    for (size_t size = 1; size < sizeof text; size++) {
        memset(text, 'n', size);
        text[size] = '\0';
        int d = distance(text, "noise"), back = distance("noise", text);
        assert_int_equal(d, back);
        if (size >= 40)
            assert_greater_equal(d, 35);
    }
}

static void ends_are_found(void **state) {
    (void)state;
    assert_true(rvi_text_ends("alps.png", ".png"));
    assert_true(rvi_text_ends("ALPS.PNG", ".png"));
    assert_true(rvi_text_ends("alps.png", ".PnG"));
    assert_true(rvi_text_ends(".png", ".png"));
    assert_true(rvi_text_ends("alps", ""));
    assert_false(rvi_text_ends("alps.pn", ".png"));
    assert_false(rvi_text_ends("png", ".png"));
    assert_false(rvi_text_ends("", ".png"));
    assert_false(rvi_text_ends("alps.png ", ".png"));
    assert_false(rvi_text_ends("alps[png", "{png")); /* only letters have two cases */
}

static void vectors_are_three_numbers(void **state) {
    (void)state;
    double v[3];
    assert_true(rvi_text_vector("1/-2.5/3e2", 10, v));
    assert_equal(v[0], 1);
    assert_equal(v[1], -2.5);
    assert_equal(v[2], 300);
    static const char *const wrong[] = {"",     "1",       "1/2",    "1/2/",
                                        "/1/2", "1/2/3/4", "1/2/3 ", "a/b/c"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(rvi_text_vector(wrong[i], strlen(wrong[i]), v));
    assert_true(rvi_text_vector("1/2/34", 5, v));
    assert_equal(v[2], 3); /* no farther than told */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_three_numbers),
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(only_the_given_letters_count),
        cmocka_unit_test(short_decimals_are_read_like_strtod),
        cmocka_unit_test(seventeen_digits_bring_back_every_double),
        cmocka_unit_test(a_count_is_the_number_it_says),
        cmocka_unit_test(long_decimals_are_near),
        cmocka_unit_test(numbers_beyond_all_are_no_numbers),
        cmocka_unit_test(whole_numbers_are_exact),
        cmocka_unit_test(one_slip_is_one),
        cmocka_unit_test(distances_are_distances),
        cmocka_unit_test(long_words_are_far),
        cmocka_unit_test(ends_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
