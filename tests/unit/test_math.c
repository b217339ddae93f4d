/* The functions of base/math.h against libm's double ones, which err a thousand million times less
 * than a float can show. */
#include "support.h"

#include "base/math.h"
#include "base/random.h"

#include <stdio.h>

static const double BOUND = 0.501; /* units in the last place, as the header promises */

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Distance between neighbouring floats at `value`. */
static double spacing(double value) {
    int exponent;
    frexp(value, &exponent);
    return fabs(value) < 0x1p-126 ? 0x1p-149 : ldexp(1, exponent - 24);
}

static double error_of(float got, double want) {
    float nearest = (float)want;
    if (isnan(want))
        return isnan(got) ? 0 : INFINITY;
    if (isinf(nearest) || isinf(got))
        return got == nearest ? 0 : INFINITY;
    if (want == 0)
        return got == 0 && !signbit(got) == !signbit(want) ? 0 : INFINITY;
    return fabs(got - want) / spacing(want);
}

/* Over every kind of float: all exponents, both signs, subnormals, zeros, infinities. */
static void compare(const char *name, float (*ours)(float), double (*theirs)(double), float low,
                    float high) {
    double worst = 0;
    float where = 0;
    const uint64_t apart = support_short() ? 16381 : 2039; /* primes */
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += apart) {
        float x = float_of((uint32_t)bits);
        if (!(x >= low && x <= high))
            continue;
        double error = error_of(ours(x), theirs((double)x));
        if (error > worst) {
            worst = error;
            where = x;
        }
    }
    if (worst > BOUND)
        print_error("%s is wrong by %g units in the last place at %a\n", name, worst, where);
    assert_less_equal(worst, BOUND);
    assert_true(isnan(ours(NAN)));
}

/* The header's functions are inline; a pointer to each. */
static float sin_of(float x) {
    return rvi_sinf(x);
}
static float cos_of(float x) {
    return rvi_cosf(x);
}
static float atan_of(float x) {
    return rvi_atanf(x);
}
static float exp_of(float x) {
    return rvi_expf(x);
}
static float floor_of(float x) {
    return rvi_floorf(x);
}

static void test_every_kind_of_float(void **state) {
    (void)state;
    compare("sin", sin_of, sin, -1e6f, 1e6f);
    compare("cos", cos_of, cos, -1e6f, 1e6f);
    compare("atan", atan_of, atan, -INFINITY, INFINITY);
    compare("exp", exp_of, exp, -INFINITY, INFINITY);
    compare("log", rvi_logf, log, -0.0f, INFINITY);
    compare("floor", floor_of, floor, -INFINITY, INFINITY);
}

static void test_angles_densely(void **state) {
    (void)state;
    for (int i = -400000; i <= 400000; i++) {
        float x = (float)i * 0x1p-16f;
        assert_less_equal(error_of(rvi_sinf(x), sin((double)x)), BOUND);
        assert_less_equal(error_of(rvi_cosf(x), cos((double)x)), BOUND);
    }
}

/* Where a function crosses zero its relative error is the hardest. */
static void test_near_multiples_of_a_quarter_turn(void **state) {
    (void)state;
    for (int n = -600000; n <= 600000; n += 7) {
        float x = (float)(n * (RVI_PI / 2));
        float next = nextafterf(x, INFINITY);
        assert_less_equal(error_of(rvi_sinf(x), sin((double)x)), BOUND);
        assert_less_equal(error_of(rvi_cosf(x), cos((double)x)), BOUND);
        assert_less_equal(error_of(rvi_sinf(next), sin((double)next)), BOUND);
        assert_less_equal(error_of(rvi_cosf(next), cos((double)next)), BOUND);
    }
}

static void test_values_known_exactly(void **state) {
    (void)state;
    assert_equal(rvi_sinf(0), 0);
    assert_true(!signbit(rvi_sinf(0.0f)));
    assert_true(signbit(rvi_sinf(-0.0f)));
    assert_equal(rvi_cosf(0), 1);
    assert_equal(rvi_cosf(-0.0f), 1);
    assert_true(signbit(rvi_atanf(-0.0f)));
    assert_equal(rvi_atanf(-0.0f), 0);
    assert_equal(rvi_atanf(1), (float)(RVI_PI / 4));
    assert_equal(rvi_atanf(INFINITY), (float)(RVI_PI / 2));
    assert_equal(rvi_atanf(-INFINITY), -(float)(RVI_PI / 2));
    assert_equal(rvi_expf(0), 1);
    assert_equal(rvi_expf(-INFINITY), 0);
    assert_true(isinf(rvi_expf(INFINITY)));
    assert_equal(rvi_expf(-104), 0);
    assert_true(isinf(rvi_expf(88.8f)));
    assert_equal(rvi_logf(1), 0);
    assert_true(!signbit(rvi_logf(1)));
    assert_equal(rvi_logf(0), -INFINITY);
    assert_equal(rvi_logf(-0.0f), -INFINITY);
    assert_true(isnan(rvi_logf(-1)) && isnan(rvi_logf(-INFINITY)) && isinf(rvi_logf(INFINITY)));
    assert_true(isnan(rvi_sinf(INFINITY)) && isnan(rvi_cosf(-INFINITY)));
    assert_true(isnan(rvi_sinf(2e6f)) && isnan(rvi_cosf(-2e6f)));
}

static void test_atan2_on_axes(void **state) {
    (void)state;
    const float values[] = {0.0f, -0.0f, 1, -1, INFINITY, -INFINITY, 0x1p-149f, -0x1p-149f, 3e38f};
    const size_t count = sizeof values / sizeof values[0];
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            float y = values[i], x = values[k];
            assert_less_equal(error_of(rvi_atan2f(y, x), atan2((double)y, (double)x)), BOUND);
        }
        assert_true(isnan(rvi_atan2f(values[i], NAN)) && isnan(rvi_atan2f(NAN, values[i])));
    }
}

static void test_atan2_everywhere(void **state) {
    (void)state;
    for (uint64_t i = 0, cases = support_cases(2000000); i < cases; i++) {
        uint64_t bits = rvi_random(1, i, 0);
        uint32_t a = (uint32_t)bits, b = (uint32_t)(bits >> 32);
        if (i % 2) { /* of about one size, where the angle is not that of an axis */
            b = (b & 0x807fffffu) | (a & 0x7f800000u);
        }
        float y = float_of(a), x = float_of(b);
        assert_less_equal(error_of(rvi_atan2f(y, x), atan2((double)y, (double)x)), BOUND);
    }
}

static void test_pow(void **state) {
    (void)state;
    for (int n = -149; n <= 127; n++)
        assert_equal(rvi_powf(2, (float)n), ldexpf(1, n));
    for (int n = 1; n <= 4096; n++) {
        assert_equal(rvi_powf((float)n, 2), (float)n * (float)n);
        assert_equal(rvi_powf((float)n * (float)n, 0.5f), (float)n);
        assert_equal(rvi_powf((float)n, 1), (float)n);
    }
    const float values[] = {0.0f, 0x1p-149f, 0.5f, 1, 1.0000001f, 2, 3e38f, INFINITY};
    const float powers[] = {0.0f, -0.0f, 1, -1, 0.5f, -0.5f, 1e30f, -1e30f, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (size_t k = 0; k < sizeof powers / sizeof powers[0]; k++) {
            double want = pow((double)values[i], (double)powers[k]);
            assert_less_equal(error_of(rvi_powf(values[i], powers[k]), want), BOUND);
        }
    }
    assert_equal(rvi_powf(NAN, 0), 1);
    assert_equal(rvi_powf(1, NAN), 1);
    assert_true(isnan(rvi_powf(NAN, 1)) && isnan(rvi_powf(2, NAN)) && isnan(rvi_powf(-2, 2)));
}

static void test_pow_everywhere(void **state) {
    (void)state;
    for (uint64_t i = 0, cases = support_cases(2000000); i < cases; i++) {
        uint64_t bits = rvi_random(2, i, 0);
        float x = float_of((uint32_t)bits & 0x7f7fffffu);
        /* A power that keeps the result within the range of floats, now and then beyond it. */
        double share = ((double)(bits >> 32) * 0x1p-32 - 0.5) * 200;
        float y = (float)(share / log((double)x));
        assert_less_equal(error_of(rvi_powf(x, y), pow((double)x, (double)y)), BOUND);
    }
}

/* Growing functions never step back between neighbouring floats. */
static void test_monotone(void **state) {
    (void)state;
    for (uint64_t i = 0, cases = support_cases(1000000); i < cases; i++) {
        float x = float_of((uint32_t)rvi_random(3, i, 0));
        if (isnan(x))
            continue;
        float next = nextafterf(x, INFINITY);
        assert_greater_equal(rvi_atanf(next), rvi_atanf(x));
        assert_greater_equal(rvi_expf(next), rvi_expf(x));
        assert_true(x < 0 || rvi_logf(next) >= rvi_logf(x));
        assert_greater_equal(rvi_floorf(next), rvi_floorf(x));
    }
}

static void test_floor_of_doubles(void **state) {
    (void)state;
    for (uint64_t i = 0, cases = support_cases(1000000); i < cases; i++) {
        uint64_t bits = rvi_random(4, i, 0);
        double x = ldexp((double)(int64_t)bits, -(int)(13 + bits % 60));
        assert_equal(rvi_floor(x), floor(x));
    }
    assert_equal(rvi_floor(-0.5), -1);
    assert_equal(rvi_floor(3), 3);
    assert_equal(rvi_floor(-3), -3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_float),
        cmocka_unit_test(test_angles_densely),
        cmocka_unit_test(test_near_multiples_of_a_quarter_turn),
        cmocka_unit_test(test_values_known_exactly),
        cmocka_unit_test(test_atan2_on_axes),
        cmocka_unit_test(test_atan2_everywhere),
        cmocka_unit_test(test_pow),
        cmocka_unit_test(test_pow_everywhere),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_floor_of_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
