/* math.c: the functions of math.h that no loop over cells waits for. */
#include "base/math.h"

#include <float.h>

float rvi_atan2f(float y, float x) {
    return rvi_angle(y, x);
}

float rvi_logf(float x) {
    if (!(x > 0))
        return x == 0 ? -__builtin_inff() : __builtin_nanf("");
    return x > FLT_MAX ? x : (float)rvi_log_double(x);
}

float rvi_powf(float x, float y) {
    return rvi_power(x, y);
}
