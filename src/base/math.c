/* math.c: the functions of math.h that no loop over cells waits for. */
#include "base/math.h"

#include <float.h>

static float with_sign(double size, float sign) {
    return (float)(__builtin_signbit(sign) ? -size : size);
}

float rvi_atan2f(float y, float x) {
    if (x != x || y != y)
        return x + y;
    double a = y < 0 ? -(double)y : y, b = x < 0 ? -(double)x : x;
    if (a > FLT_MAX && b > FLT_MAX) { /* both infinite: on a diagonal */
        a = b = 1;
    }
    double base = 0, top = a, low = b > 0 ? b : 1;
    if (a > 2.41421356 * b) {
        base = RVI_PI / 2;
        top = -b;
        low = a;
    } else if (a > 0.41421356 * b) {
        base = RVI_PI / 4;
        top = a - b;
        low = a + b;
    }
    double angle = base + rvi_atan_short(top / low);
    return with_sign(__builtin_signbit(x) ? RVI_PI - angle : angle, y);
}

/* log(x) for finite x > 0, relative error 2^-47. */
static double log_double(float x) {
    uint64_t bits = rvi_bits_of(x); /* a double is never subnormal here */
    /* m between sqrt(1/2) and sqrt(2): so a logarithm near 0 has n = 0 and loses no digits. */
    int64_t n = ((int64_t)(bits - UINT64_C(0x3fe6a09e667f3bcd))) >> 52;
    double m = rvi_from_bits(bits - ((uint64_t)n << 52));
    double s = (m - 1) / (m + 1), q = s * s;
    double p = 1.0 / 15 + q * (1.0 / 17 + q * (1.0 / 19));
    p = 1.0 / 9 + q * (1.0 / 11 + q * (1.0 / 13 + q * p));
    p = 1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * p));
    return (double)n * 0.693147180559945309417 + 2 * (s + s * q * p);
}

float rvi_logf(float x) {
    if (!(x > 0))
        return x == 0 ? -__builtin_inff() : __builtin_nanf("");
    return x > FLT_MAX ? x : (float)log_double(x);
}

float rvi_powf(float x, float y) {
    if (y == 0 || x == 1)
        return 1;
    if (!(x >= 0) || y != y)
        return __builtin_nanf("");
    if (x == 0 || x > FLT_MAX)
        return (x == 0) == (y > 0) ? 0 : __builtin_inff();
    double power = y * log_double(x);
    power = power < -110 ? -110 : power;
    power = power > 90 ? 90 : power;
    return (float)rvi_exp_double(power);
}
