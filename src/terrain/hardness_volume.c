/* hardness_volume.c: hardness of the bedrock as a function of x, y and z.
 *
 * Samples lie on a lattice: sample (i, j, k) at x = i step_x, y = j step_y, z = low + k step_z;
 * between them hardness is trilinear, and beyond the ends it is that of the end.
 *
 * Noise (K. Perlin, Improving noise, SIGGRAPH 2002: gradients to the middles of the 12 edges of a
 * cube, quintic fade) is a sum of octaves, each twice as fine and half as strong as the one before:
 *
 *     n = sum of 2^-i p(R_i 2^i q + s_i) / sum of 2^-i,   q = (x / step_x, y / step_y, z / step_z)
 *     hardness = noise smoothstep(-0.2, 0.2, n)
 *
 * R_i turns the lattice about the vertical, each octave by another angle, and s_i is random. Half
 * of the rock is nearly as hard as `noise` says or not hard at all.
 */
#include "terrain/hardness_volume.h"
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"

#include <string.h>

enum { SAMPLES_MOST = 1 << 30, OCTAVES_MOST = 8 };

/* ---- samples ---- */

/* The sample below a place along an axis, and the part of the way to the next. */
static int32_t find(double at, int32_t count, double *part) {
    double last = (double)(count - 1);
    at = at > 0.0 ? at < last ? at : last : 0.0; /* NaN: 0 */
    int32_t i = (int32_t)at;
    i = i == count - 1 && i > 0 ? i - 1 : i;
    *part = at - (double)i;
    return i;
}

static double mix(double a, double b, double part) {
    return a + part * (b - a);
}

static float sampled(const rvi_hardness_volume *v, double x, double y, double z) {
    double px, py, pz, value[2];
    size_t i = (size_t)find(x / v->step_x, v->columns, &px);
    size_t j = (size_t)find(y / v->step_y, v->rows, &py);
    size_t k = (size_t)find((z - v->low) / v->step_z, v->slices, &pz);
    size_t east = v->columns > 1, south = v->rows > 1 ? (size_t)v->columns : 0;
    size_t slice = (size_t)v->columns * (size_t)v->rows;
    for (size_t up = 0; up < 2; up++) {
        const float *at =
            v->values + (v->slices > 1 ? k + up : k) * slice + j * (size_t)v->columns + i;
        value[up] = mix(mix((double)at[0], (double)at[east], px),
                        mix((double)at[south], (double)at[south + east], px), py);
    }
    return (float)mix(value[0], value[1], pz);
}

/* ---- noise ---- */

static float fade(float t) {
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

static float between(float a, float b, float part) {
    return a + part * (b - a);
}

/* The 12 directions to the middles of the edges of a cube, four of them twice. */
static const float GRADIENTS[16][3] = {
    {1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}, {1, 0, 1}, {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1},
    {0, 1, 1}, {0, -1, 1}, {0, 1, -1}, {0, -1, -1}, {1, 1, 0}, {-1, 1, 0}, {0, -1, 1}, {0, -1, -1},
};

static float slope(uint64_t which, float x, float y, float z) {
    const float *g = GRADIENTS[which];
    return g[0] * x + g[1] * y + g[2] * z;
}

/* Which gradient a lattice point has. It is asked so often that it has one round of mixing, which
 * is enough for four bits. */
static uint64_t gradient(uint64_t point) {
    point = (point ^ point >> 29) * UINT64_C(0x3c79ac492ba7b653);
    return (point ^ point >> 32) * UINT64_C(0x1c69b3f74ac4ae35) >> 60;
}

static float perlin(uint64_t key, double x, double y, double z) {
    const uint64_t east = UINT64_C(0x9e3779b97f4a7c15), south = UINT64_C(0x632be59bd9b4e019),
                   up = UINT64_C(0xd1b54a32d192ed03);
    double left = rvi_floor(x), top = rvi_floor(y), low = rvi_floor(z);
    uint64_t corner = key + (uint64_t)(int64_t)left * east + (uint64_t)(int64_t)top * south +
                      (uint64_t)(int64_t)low * up;
    float fx = (float)(x - left), fy = (float)(y - top), fz = (float)(z - low);
    float u = fade(fx), v = fade(fy), row[4];
    for (int i = 0; i < 4; i++) {
        uint64_t line = corner + (i & 1 ? south : 0) + (i & 2 ? up : 0);
        float dy = fy - (float)(i & 1), dz = fz - (float)(i >> 1);
        row[i] = between(slope(gradient(line), fx, dy, dz),
                         slope(gradient(line + east), fx - 1.0f, dy, dz), u);
    }
    return between(between(row[0], row[1], v), between(row[2], row[3], v), fade(fz));
}

/* Cosine and sine of the turn of each octave: steps of the golden section of half a turn. */
static const double TURNS[OCTAVES_MOST][2] = {
    {0.975917, 0.218143},  {-0.556964, 0.830536},  {-0.572257, -0.820074}, {0.971707, -0.236188},
    {-0.131988, 0.991251}, {-0.876049, -0.482222}, {0.766904, -0.641761},  {0.320235, 0.947338},
};

static float noisy(const rvi_hardness_volume *v, double x, double y, double z) {
    float sum = 0.0f, all = 0.0f, share = 1.0f;
    double fine = 1.0;
    x /= v->step_x;
    y /= v->step_y;
    z /= v->step_z;
    for (int i = 0; i < v->octaves; i++) {
        uint64_t draw = rvi_mix(v->seed + (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15));
        double c = TURNS[i][0] * fine, s = TURNS[i][1] * fine;
        double shift = 1024.0 * (double)rvi_unit(draw);
        sum += share *
               perlin(draw, c * x - s * y + shift, s * x + c * y - shift, fine * z + 0.5 * shift);
        all += share;
        share *= 0.5f;
        fine *= 2.0;
    }
    return v->noise * rvi_smoothstep(-0.2f, 0.2f, sum / all);
}

float rvi_volume_hardness(const rvi_hardness_volume *v, double x, double y, float z) {
    double height = (double)rvi_maxf(-1e9f, rvi_minf(z, 1e9f));
    x += v->x;
    y += v->y;
    return v->octaves > 0 ? noisy(v, x, y, height) : sampled(v, x, y, height);
}

/* ---- as a field ---- */

bool rvi_volume_shows(const rv_terrain *land, const char *name) {
    return strcmp(name, "hardness") == 0 && rvi_volume_there(land) && !rvi_values_there(land, name);
}

typedef struct surfacing {
    const rv_terrain *land;
    float *out;
} surfacing;

static void surface_rows(void *arg, int first, int end) {
    const surfacing *s = arg;
    const rv_terrain *land = s->land;
    double cell = (double)land->cell;
    for (int y = first; y < end; y++)
        for (int x = 0; x < land->width; x++) {
            size_t i = (size_t)y * (size_t)land->width + (size_t)x;
            s->out[i] = rvi_volume_hardness(&land->volume, cell * x, cell * y,
                                            land->layers[0].thickness[i]);
        }
}

rv_status rvi_volume_surface(const rv_terrain *land, float *out) {
    surfacing s = {land, out};
    return rvi_parallel_rows(land->ctx, land->height, surface_rows, &s);
}

/* ---- checks ---- */

static bool is_within(double value, double least, double most) {
    return value >= least && value <= most;
}

bool rvi_volume_too_large(uint64_t slices, uint64_t rows, uint64_t columns) {
    return slices > SAMPLES_MOST || rows > SAMPLES_MOST || columns > SAMPLES_MOST ||
           slices * rows > SAMPLES_MOST || slices * rows * columns > SAMPLES_MOST;
}

bool rvi_volume_right(const rvi_hardness_volume *v) {
    bool none = v->slices == 0 && v->rows == 0 && v->columns == 0;
    bool some = v->slices > 0 && v->rows > 0 && v->columns > 0 &&
                !rvi_volume_too_large((uint64_t)v->slices, (uint64_t)v->rows, (uint64_t)v->columns);
    if (none && v->octaves == 0)
        return true; /* there is none, and nobody looks at the rest */
    return (v->octaves == 0 ? some : none) && is_within(v->octaves, 0, OCTAVES_MOST) &&
           is_within((double)v->noise, 0.0, 1.0) && is_within(v->x, -1e12, 1e12) &&
           is_within(v->y, -1e12, 1e12) && is_within(v->low, -1e9, 1e9) &&
           is_within(v->step_x, 1e-6, 1e12) && is_within(v->step_y, 1e-6, 1e12) &&
           is_within(v->step_z, 1e-6, 1e12) && is_within(v->x / v->step_x, -1e12, 1e12) &&
           is_within(v->y / v->step_y, -1e12, 1e12) && is_within(v->low / v->step_z, -1e12, 1e12);
}
