/* preset_shapes.c: slopes, beds, basins and tubes, with noise that makes them look natural. */
#include "scene/preset_shapes.h"

#include "base/math.h"
#include "base/random.h"

#include <math.h>

/* ---- pieces ---- */

static double smooth_step(double low, double high, double x) {
    double t = (x - low) / (high - low);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

/* The smaller or larger of two, round where they meet over the width w. */
static double soft_min(double a, double b, double w) {
    double h = w - fabs(a - b);
    h = h > 0 ? h / w : 0;
    return (a < b ? a : b) - 0.25 * w * h * h;
}
static double soft_max(double a, double b, double w) {
    return -soft_min(-a, -b, w);
}

static double sine(double x) {
    return (double)rvi_sinf((float)x);
}

/* Gradient noise in space or, with two axes, on the ground; about -1 to 1 (K. Perlin, Improving
 * noise, 2002). */
static double gradient_at(uint64_t seed, const int64_t cell[3], const double from[3], int axes) {
    uint64_t bits = rvi_mix(seed + (uint64_t)cell[0] * UINT64_C(0x8da6b343) +
                            (uint64_t)cell[1] * UINT64_C(0xd8163841000) +
                            (uint64_t)cell[2] * UINT64_C(0xcb1ab31f000000));
    double sum = 0;
    for (int k = 0; k < axes; k++)
        sum += ((double)(bits >> (16 * k) & 0xffff) / 32767.5 - 1) * from[k];
    return sum;
}

static double noise(uint64_t seed, const double at[3], double size, int axes) {
    int64_t cell[3] = {0};
    double part[3], fade[3], sum = 0;
    for (int k = 0; k < axes; k++) {
        double x = at[k] / size, whole = rvi_floor(x);
        cell[k] = (int64_t)whole;
        part[k] = x - whole;
        fade[k] = part[k] * part[k] * part[k] * (part[k] * (part[k] * 6 - 15) + 10);
    }
    for (int i = 0; i < 1 << axes; i++) {
        double weight = 1, from[3];
        int64_t corner[3] = {0};
        for (int k = 0; k < axes; k++) {
            int up = i >> k & 1;
            corner[k] = cell[k] + up;
            from[k] = part[k] - up;
            weight *= up ? fade[k] : 1 - fade[k];
        }
        sum += weight * gradient_at(seed, corner, from, axes);
    }
    return sum;
}

static double rough(uint64_t seed, const double at[3], double size) {
    return noise(seed, at, size, 3) + 0.5 * noise(seed + 1, at, 0.47 * size, 3);
}
static double rough_ground(uint64_t seed, const double at[3], double size) {
    return noise(seed, at, size, 2) + 0.5 * noise(seed + 1, at, 0.47 * size, 2);
}

/* How far a place is from the line between two points, on the ground or in space. */
static double off_line(const double at[3], const double a[3], const double b[3], int axes) {
    double along = 0, square = 0, off = 0;
    for (int k = 0; k < axes; k++) {
        along += (at[k] - a[k]) * (b[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    double t = along / square;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int k = 0; k < axes; k++) {
        double d = at[k] - (a[k] + t * (b[k] - a[k]));
        off += d * d;
    }
    return sqrt(off);
}

/* ---- river: a winding bed that falls to the east ---- */

static double river_middle(double x) {
    return 0.60 + 0.17 * sine(3.9 * x + 0.5) + 0.03 * sine(8.7 * x + 1.0);
}

/* Across the bed: the bend makes it lean. */
static double off_river(const double at[3]) {
    double slope = (river_middle(at[0] + 0.01) - river_middle(at[0] - 0.01)) / 0.02;
    return fabs(at[1] - river_middle(at[0])) / sqrt(1 + slope * slope);
}

double rvi_shape_river(const double at[3]) {
    double off = off_river(at), bed = 1 - smooth_step(0.07, 0.25, off);
    double fall = 0.50 - 0.07 * at[0] - 0.012 * sine(5.1 * at[0]);
    double hills = 0.055 * rough_ground(11, at, 0.42) + 0.05 * smooth_step(0.2, 0.6, off);
    double stones = 0.012 * rough_ground(13, at, 0.13);
    return at[2] - (fall + (1 - bed) * hills + stones - 0.18 * bed);
}

double rvi_length_river(const double at[3]) {
    double deep = smooth_step(0.02, 0.25, -rvi_shape_river(at));
    return 1 + 2.3 * rvi_max(smooth_step(0.14, 0.50, off_river(at)), deep);
}

/* ---- lake: a basin on a slope, and a notch in its rim ---- */

static const double LAKE[2] = {0.80, 0.70};

static double off_lake(const double at[3]) {
    double x = (at[0] - LAKE[0]) / 1.15, y = at[1] - LAKE[1];
    double away = sqrt(x * x + y * y);
    return away + 0.05 * rough_ground(21, at, 0.35);
}

/* The path of the water: into the basin from the west, out to the east. */
static double lake_middle(double x) {
    return 0.70 + 0.07 * sine(3.9 * x - 0.6);
}

static double off_stream(const double at[3]) {
    return fabs(at[1] - lake_middle(at[0]));
}

double rvi_shape_lake(const double at[3]) {
    double slope = 0.54 - 0.12 * at[0] - 0.10 * smooth_step(1.15, 1.7, at[0]);
    double away = off_lake(at), off = off_stream(at);
    double rim = 0.12 * (1 - smooth_step(0.08, 0.26, fabs(away - 0.44)));
    double notch = 1 - smooth_step(0.05, 0.19, off);
    double east = smooth_step(0.9, 1.15, at[0]);
    double west = 1 - smooth_step(0.3, 0.5, at[0]);
    double hills = 0.045 * rough_ground(23, at, 0.45) + 0.010 * rough_ground(25, at, 0.12);
    double land = slope + rim + hills * (1 - 0.7 * notch);
    land -= notch * (east * (0.025 + rim) + west * (0.06 + 0.6 * rim));
    double floor = 0.54 - 0.12 * LAKE[0] - 0.20 + 0.006 * rough_ground(27, at, 0.15);
    double basin = 1 - smooth_step(0.20, 0.42, away);
    return at[2] - (land + basin * (floor - land));
}

double rvi_length_lake(const double at[3]) {
    double deep = smooth_step(0.02, 0.3, -rvi_shape_lake(at));
    double dry = smooth_step(0.40, 0.75, off_lake(at)) * smooth_step(0.12, 0.4, off_stream(at));
    return 1 + 1.2 * rvi_max(dry, deep);
}

double rvi_length_detailed_lake(const double at[3]) {
    double deep = smooth_step(0.02, 0.3, -rvi_shape_lake(at));
    double dry = smooth_step(0.36, 0.70, off_lake(at)) * smooth_step(0.10, 0.40, off_stream(at));
    return 1 + 2.8 * rvi_max(dry, deep);
}

/* ---- tube: a block, and a bent tube from its top to its east side ---- */

static const double TUBE[5][3] = {{0.42, 0.60, 1.20},
                                  {0.44, 0.60, 0.86},
                                  {0.57, 0.60, 0.62},
                                  {0.82, 0.60, 0.44},
                                  {1.40, 0.60, 0.29}};

static double off_tube(const double at[3]) {
    double off = 1e300;
    for (int k = 0; k < 4; k++)
        off = soft_min(off, off_line(at, TUBE[k], TUBE[k + 1], 3), 0.03);
    /* Wider where the water comes in. */
    return off - 0.16 - 0.10 * smooth_step(0.85, 1.06, at[2]);
}

double rvi_shape_tube(const double at[3]) {
    double tube = off_tube(at) + 0.014 * rough(31, at, 0.16);
    return -tube;
}

double rvi_length_tube(const double at[3]) {
    return 1 + 3.2 * smooth_step(0.02, 0.3, off_tube(at));
}

/* ---- two sources: two valleys that join ---- */

static const double FORK[4][3] = {{0.0, 0.30, 0}, {0.0, 1.12, 0}, {1.02, 0.68, 0}, {2.2, 0.74, 0}};

static double off_fork(const double at[3]) {
    double bent[3] = {at[0], at[1] + 0.05 * sine(5.3 * at[0]) + 0.02 * sine(11.7 * at[0]), 0};
    double first = off_line(bent, FORK[0], FORK[2], 2),
           second = off_line(bent, FORK[1], FORK[2], 2);
    double joined = off_line(bent, FORK[2], FORK[3], 2) - 0.02;
    return soft_min(soft_min(first, second, 0.05), joined, 0.05);
}

double rvi_shape_two_sources(const double at[3]) {
    double off = off_fork(at), bed = 1 - smooth_step(0.05, 0.21, off);
    double fall = 0.50 - 0.08 * at[0] - 0.012 * sine(4.7 * at[0]);
    double hills = 0.05 * rough_ground(41, at, 0.40) + 0.05 * smooth_step(0.15, 0.45, off);
    double stones = 0.010 * rough_ground(43, at, 0.12);
    return at[2] - (fall + (1 - bed) * hills + stones - 0.15 * bed);
}

double rvi_length_two_sources(const double at[3]) {
    double deep = smooth_step(0.02, 0.25, -rvi_shape_two_sources(at));
    return 1 + 2.3 * rvi_max(smooth_step(0.12, 0.45, off_fork(at)), deep);
}

/* ---- arch: a fin of rock across a stream, with an opening for it ---- */

static double arch_ground(const double at[3]) {
    double off = fabs(at[1] - 0.60 - 0.06 * sine(4.0 * at[0] + 0.8));
    double bed = 1 - smooth_step(0.07, 0.24, off);
    double fall = 0.38 - 0.07 * at[0];
    double hills = 0.04 * rough_ground(51, at, 0.4) + 0.04 * smooth_step(0.2, 0.5, off);
    return at[2] - (fall + (1 - bed) * hills + 0.009 * rough_ground(53, at, 0.12) - 0.15 * bed);
}

/* The opening: an upright oval, along x. */
static double off_opening(const double at[3]) {
    double y = (at[1] - 0.60 - 0.06 * sine(4.0 * at[0] + 0.8)) / 0.80, z = (at[2] - 0.36) / 1.25;
    return sqrt(y * y + z * z) - 0.255;
}

double rvi_shape_arch(const double at[3]) {
    double lean = at[0] - 0.92 - 0.06 * sine(3.0 * at[1]) + 0.05 * (at[2] - 0.4);
    double thick = 0.19 - 0.10 * smooth_step(0.45, 0.95, at[2]);
    double top = at[2] - 0.93 - 0.05 * sine(4.6 * at[1] + 1.0) - 0.05 * rough_ground(57, at, 0.3);
    double fin = soft_max(fabs(lean) - thick, top, 0.16) + 0.022 * rough(55, at, 0.22);
    fin = soft_max(fin, -(off_opening(at) + 0.016 * rough(59, at, 0.2)), 0.08);
    return soft_min(arch_ground(at), fin, 0.10);
}

double rvi_length_arch(const double at[3]) {
    double deep = smooth_step(0.02, 0.25, -rvi_shape_arch(at));
    double fin = smooth_step(0.15, 0.6, fabs(at[0] - 0.92));
    return 1 + 1.8 * rvi_max(fin * smooth_step(0.14, 0.5, fabs(at[1] - 0.60)), deep);
}

/* ---- cave: a chimney, a throat, a chamber and a mouth ---- */

static double off_cave(const double at[3]) {
    static const double top[3] = {0.45, 0.60, 1.2}, throat[3] = {0.47, 0.60, 0.70};
    static const double chamber[3] = {0.66, 0.60, 0.37}, mouth[3] = {1.6, 0.60, 0.26};
    /* A funnel that narrows down to the throat, a flat chamber, a passage out. */
    double funnel = off_line(at, top, throat, 3) - 0.085 - 0.10 * smooth_step(0.78, 1.0, at[2]);
    double neck = off_line(at, throat, chamber, 3) - 0.095;
    double x = (at[0] - chamber[0]) / 1.35, y = (at[1] - chamber[1]) / 1.25,
           z = (at[2] - chamber[2]) / 0.72;
    double hall = (sqrt((x * x + y * y) + z * z) - 0.245) * 0.85;
    double passage = off_line(at, chamber, mouth, 3) - 0.13 - 0.05 * smooth_step(0.95, 1.25, at[0]);
    return soft_min(soft_min(funnel, neck, 0.08), soft_min(hall, passage, 0.10), 0.10);
}

double rvi_shape_cave(const double at[3]) {
    double hill = 0.96 - 0.10 * at[0] - 0.16 * smooth_step(0.7, 1.3, at[0]) +
                  0.05 * rough_ground(61, at, 0.35);
    /* Around the chimney the ground dips, so that water flows to it. */
    double x = at[0] - 0.45, y = at[1] - 0.60;
    hill -= 0.10 * (1 - smooth_step(0.08, 0.36, sqrt(x * x + y * y)));
    return soft_max(at[2] - hill, -(off_cave(at) + 0.018 * rough(63, at, 0.17)), 0.05);
}

double rvi_length_cave(const double at[3]) {
    return 1 + 2.4 * smooth_step(0.04, 0.32, off_cave(at));
}
