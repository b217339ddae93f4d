/* lanes_check.c: the least and the greatest of lanes.h are a < b ? a : b and a > b ? a : b to the
 * bit, for zeros of either sign and for what is not a number, too; and roots are those of sqrtf. */
#include "base/lanes.h"

#include <stdio.h>

static float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t to_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static int compare(const char *what, float a, float b, float expected, rvi_v4 given) {
    int wrong = 0;
    for (int k = 0; k < 4; k++)
        if (to_bits(given[k]) != to_bits(expected)) {
            printf("%s of %08x and %08x: lane %d is %08x, not %08x\n", what, (unsigned)to_bits(a),
                   (unsigned)to_bits(b), k, (unsigned)to_bits(given[k]),
                   (unsigned)to_bits(expected));
            wrong = 1;
        }
    return wrong;
}

int main(void) {
    /* 0, the smallest, 1, the largest, infinity, two that are not numbers; and below 0. */
    static const uint32_t kinds[] = {0x00000000, 0x00000001, 0x3f800000, 0x7f7fffff,
                                     0x7f800000, 0x7fc00000, 0x7fc12345};
    enum { KINDS = 2 * sizeof kinds / sizeof kinds[0] };
    volatile float values[KINDS]; /* volatile: computed when it runs */
    for (int i = 0; i < KINDS; i++)
        values[i] = from_bits(kinds[i / 2] | (i % 2 ? UINT32_C(1) << 31 : 0));
    int wrong = 0;
    for (int i = 0; i < KINDS; i++) {
        float a = values[i];
        if (a >= 0) /* what is not a number may have any bits */
            wrong |= compare("the root", a, a, sqrtf(a), rvi_v4_sqrt(rvi_v4_all(a)));
        for (int j = 0; j < KINDS; j++) {
            float b = values[j];
            rvi_v4 as = rvi_v4_all(a), bs = rvi_v4_all(b);
            wrong |= compare("the least", a, b, a < b ? a : b, rvi_v4_min(as, bs));
            wrong |= compare("the greatest", a, b, a > b ? a : b, rvi_v4_max(as, bs));
        }
    }
    return wrong;
}
