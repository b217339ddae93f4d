/* drop_fall.c: the squares that drops fall on (see drop_fall.h). */
#include "wear/drop_fall.h"

#include <math.h>

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* So many squares of a length, whatever rounding says. */
static int squares_in(double length, double side) {
    return (int)ceil(length / side - 1e-5);
}

/* On land that is smaller than a square few drops would hit; more squares than can be counted help
 * nobody. */
rvi_fall_squares rvi_fall_squares_of(int width, int height, int margin, double unit,
                                     uint64_t seed) {
    rvi_fall_squares f = {.seed = seed, .width = width, .height = height, .margin = margin};
    double side = rvi_max(RVI_FALL_SQUARE * unit, 4.0);
    f.side = fmin(side, fmin((double)width, (double)height));
    f.before = squares_in((double)margin, f.side);
    f.across = f.before + squares_in((double)width - (double)margin, f.side);
    f.down = f.before + squares_in((double)height - (double)margin, f.side);
    uint64_t squares = (uint64_t)f.across * (uint64_t)f.down;
    f.first = rvi_random(seed, 0, RVI_DRAW_FIRST) % squares;
    f.stride = (uint64_t)((double)squares * 0.6180339887) + 1; /* the golden section */
    while (common_divisor(f.stride, squares) != 1)
        f.stride++;
    return f;
}
