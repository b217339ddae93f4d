/* math.h: the functions that libm does not compute alike everywhere, from + - * / and bits alone.
 *
 * They work in double and round once to float. Every result is within 0.501 units in the last place
 * of the true value, subnormal ones included: nearly always it is the float nearest to it. NaN
 * gives NaN. What loops over cells call is inline and has no branches, so that it can be
 * vectorised.
 *
 * Method: the argument is reduced to a short interval, where a polynomial is left.
 *     sin, cos   x = n pi/2 + r, |r| <= pi/4, Taylor to r^13 and r^12
 *     atan       t = x, (x - 1) / (x + 1) or -1 / x, |t| <= tan(pi/8), Chebyshev
 *     exp        x = n ln 2 + r, |r| <= ln(2) / 2, Taylor to r^11, times 2^n
 *     log        x = 2^n m, log m = 2 atanh((m - 1) / (m + 1)), Taylor
 */
#ifndef RVI_BASE_MATH_H
#define RVI_BASE_MATH_H

#ifndef __OPENCL_VERSION__
#include <stdint.h>
#include <string.h>
#endif

#define RVI_PI 3.14159265358979323846

float rvi_atan2f(float y, float x); /* signs of zeros and infinities as in C's annex F */
float rvi_logf(float x);            /* -infinity at 0, NaN below */
float rvi_powf(float x, float y);   /* x >= 0, NaN below; 1 when x is 1 or y is 0 */

static inline float rvi_minf(float a, float b) {
    return a < b ? a : b;
}
static inline float rvi_maxf(float a, float b) {
    return a > b ? a : b;
}
static inline double rvi_max(double a, double b) {
    return a > b ? a : b;
}
static inline int rvi_mini(int a, int b) {
    return a < b ? a : b;
}
static inline int rvi_maxi(int a, int b) {
    return a > b ? a : b;
}
static inline float rvi_clampf(float x, float low, float high) {
    return rvi_minf(rvi_maxf(x, low), high);
}

/* 0 up to `low`, 1 from `high` on, in between without a kink. */
static inline float rvi_smoothstep(float low, float high, float x) {
    float t = rvi_clampf((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

#ifdef __OPENCL_VERSION__
#define RVI_NAN nan(0u)
#define RVI_INFINITE INFINITY
static inline uint64_t rvi_bits_of(double x) {
    return as_ulong(x);
}
static inline double rvi_from_bits(uint64_t bits) {
    return as_double(bits);
}
static inline uint32_t rvi_bits_of_float(float x) {
    return as_uint(x);
}
static inline float rvi_float_from_bits(uint32_t bits) {
    return as_float(bits);
}
#else
#define RVI_GRID /* says in OpenCL C that a pointer points to a grid */
#define RVI_CALLED                                                                                 \
    static inline /* says in OpenCL C that it is compiled once, not where it is called */
#define RVI_CONSTANT static const /* of a table that kernels have, too */
#define RVI_NAN __builtin_nanf("")
#define RVI_INFINITE __builtin_inff()
static inline uint64_t rvi_bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double rvi_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint32_t rvi_bits_of_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float rvi_float_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#endif

/* Added to a double below 2^51 it leaves no room behind the point: the sum is rounded to a whole
 * number, which stands in its low bits. */
#define RVI_ROUND 0x1.8p52

/* Exact for |x| < 2^51. */
static inline double rvi_floor(double x) {
    double whole = (x + RVI_ROUND) - RVI_ROUND;
    return whole > x ? whole - 1 : whole;
}

/* Exact for every x. From 2^23 on floats are whole. */
static inline float rvi_floorf(float x) {
    float size = x < 0 ? -x : x;
    float whole = (size + 0x1p23f) - 0x1p23f;
    whole = x < 0 ? -whole : whole;
    whole = whole > x ? whole - 1 : whole;
    return size < 0x1p23f && x != 0 ? whole : x;
}

/* The pieces of sin and cos: n pi/2 + r = x. The first part of pi/2 has 33 bits, so that its
 * product with n is exact. */
typedef struct rvi_turn {
    uint64_t quarter; /* n, of which the last two bits count */
    double sin, cos;  /* of r */
} rvi_turn;

static inline rvi_turn rvi_turn_of(float x) {
    double sum = x * (2 / RVI_PI) + RVI_ROUND;
    double n = sum - RVI_ROUND;
    double r = (x - n * 0x1.921fb544p0) - n * 0x1.0b4611a626331p-34;
    double q = r * r;
    double s = 1.0 / 39916800 - q * (1.0 / 6227020800);
    s = 1.0 / 5040 - q * (1.0 / 362880 - q * s);
    s = r - r * q * (1.0 / 6 - q * (1.0 / 120 - q * s));
    double c = 1.0 / 40320 - q * (1.0 / 3628800 - q * (1.0 / 479001600));
    c = 1 - q * (1.0 / 2 - q * (1.0 / 24 - q * (1.0 / 720 - q * c)));
    return (rvi_turn){rvi_bits_of(sum), s, c};
}

/* |x| <= 1e6; NaN beyond, where a float hardly says more than a turn. */
static inline float rvi_sinf(float x) {
    rvi_turn turn = rvi_turn_of(x);
    double y = turn.quarter & 1 ? turn.cos : turn.sin;
    y = turn.quarter & 2 ? -y : y;
    y = x == 0 ? x : y; /* keeps the sign of zero */
    return (float)(x >= -1e6f && x <= 1e6f ? y : (double)RVI_NAN);
}

static inline float rvi_cosf(float x) {
    rvi_turn turn = rvi_turn_of(x);
    double y = turn.quarter & 1 ? turn.sin : turn.cos;
    y = (turn.quarter + 1) & 2 ? -y : y;
    return (float)(x >= -1e6f && x <= 1e6f ? y : (double)RVI_NAN);
}

/* atan(t) for |t| <= tan(pi/8), relative error 2^-35. */
static inline double rvi_atan_short(double t) {
    double q = t * t;
    double p = -0.0845619288694049602 + q * 0.0470734814196802017;
    p = -0.142815887726541241 + q * (0.110404892272182403 + q * p);
    p = -0.333333320976093859 + q * (0.199998838565513028 + q * p);
    return t * (0.999999999978398776 + q * p);
}

static inline float rvi_atanf(float x) {
    double a = x < 0 ? -(double)x : x;
    double top = a > 0.41421356 ? a - 1 : a, low = a > 0.41421356 ? a + 1 : 1;
    double base = a > 0.41421356 ? RVI_PI / 4 : 0;
    top = a > 2.41421356 ? -1 : top;
    low = a > 2.41421356 ? a : low;
    base = a > 2.41421356 ? RVI_PI / 2 : base;
    double y = base + rvi_atan_short(top / low);
    y = x < 0 ? -y : y;
    return x == 0 ? x : (float)y; /* keeps the sign of zero */
}

/* rvi_atan2f(), for kernels. */
static inline float rvi_angle(float y, float x) {
    const float most = 0x1.fffffep127f;
    if (x != x || y != y)
        return x + y;
    double a = y < 0 ? -(double)y : y, b = x < 0 ? -(double)x : x;
    if (a > most && b > most) { /* both infinite: on a diagonal */
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
    angle = rvi_bits_of_float(x) >> 31 ? RVI_PI - angle : angle;
    return (float)(rvi_bits_of_float(y) >> 31 ? -angle : angle);
}

/* 2^n, -1022 <= n <= 1023, for n + RVI_ROUND. */
static inline double rvi_two_to(double rounded) {
    return rvi_from_bits((rvi_bits_of(rounded) + 1023) << 52);
}

/* exp(x) for |x| < 700, relative error 2^-43. */
static inline double rvi_exp_double(double x) {
    double sum = x * 1.44269504088896340736 + RVI_ROUND;
    double n = sum - RVI_ROUND;
    double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
    double p = 1.0 / 362880 + r * (1.0 / 3628800 + r * (1.0 / 39916800));
    p = 1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320 + r * p));
    p = 1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * p));
    p = 1 + r * (1 + r * (1.0 / 2 + r * p));
    return p * rvi_two_to(sum);
}

/* log(x) for finite x > 0, relative error 2^-47. */
static inline double rvi_log_double(float x) {
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

/* rvi_powf(), for kernels. */
static inline float rvi_power(float x, float y) {
    const float most = 0x1.fffffep127f;
    if (y == 0 || x == 1)
        return 1;
    if (!(x >= 0) || y != y)
        return RVI_NAN;
    if (x == 0 || x > most)
        return (x == 0) == (y > 0) ? 0 : RVI_INFINITE;
    double power = y * rvi_log_double(x);
    power = power < -110 ? -110 : power;
    power = power > 90 ? 90 : power;
    return (float)rvi_exp_double(power);
}

/* 0 below -104, infinite above 88.8. */
static inline float rvi_expf(float x) {
    double clamped = x < -110 ? -110 : x;
    clamped = clamped > 90 ? 90 : clamped;
    return (float)rvi_exp_double(clamped);
}

#endif
