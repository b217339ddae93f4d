/* compared_cell.h: arithmetic whose bits show whether a device computes as the processor does. */
#ifndef RVI_DEVICE_COMPARED_CELL_H
#define RVI_DEVICE_COMPARED_CELL_H

#include "base/math.h"
#include "base/random.h"

/* Floats of any size: a random number's bits, without infinities and NaN. */
static inline float rvi_compared_number(uint64_t bits) {
    return rvi_float_from_bits((uint32_t)(bits >> 32) & 0xbfffffffu);
}

/* Products that a fused multiplication would round otherwise, quotients, roots, numbers that are
 * too small to be normal, whole numbers from floats, and the functions of base/math.h. */
static inline float rvi_compared_cell(int i, int round) {
    float a = rvi_compared_number(rvi_random(1, (uint64_t)i, (uint64_t)(3 * round)));
    float b = rvi_compared_number(rvi_random(1, (uint64_t)i, (uint64_t)(3 * round + 1)));
    float c = 1.0f + rvi_unit(rvi_random(1, (uint64_t)i, (uint64_t)(3 * round + 2)));
    switch (round % 8) {
    case 0:
        return a * b + c * c;
    case 1:
        return a / c;
    case 2:
        return sqrtf(a < 0 ? -a : a);
    case 3:
        return (c * c - c) * c + c / 3.0f;
    case 4:
        return 0x1p-126f * c * 0.37f + 0x1p-149f; /* not normal */
    case 5:
        return (float)(int)(c * 1000.0f) - rvi_floorf(c * 100.0f - 150.0f);
    case 6:
        return c / (a * a + 1.0f);
    default:
        return b - a * c;
    }
}

#endif
