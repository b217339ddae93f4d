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

float rvi_logf(float x) {
    if (!(x > 0))
        return x == 0 ? -__builtin_inff() : __builtin_nanf("");
    return x > FLT_MAX ? x : (float)rvi_log_double(x);
}

float rvi_powf(float x, float y) {
    return rvi_power(x, y);
}
