/* sph_lanes.h: particles side by side, LANES of them at a time. Included by sph_passes.h, once for
 * each vector unit: UNIT is the attribute that lets a function use it.
 *
 * A lane belongs to one particle and adds up in the order of that particle's list: how many lanes
 * there are changes no bit. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define HOT RVI_HOT UNIT

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t whole __attribute__((vector_size(4 * LANES)));

typedef struct four { /* the four numbers of each particle */
    lanes x, y, z, w;
} four;

static HOT lanes load(const float *from) {
    lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

static HOT void store(float *to, lanes v) {
    memcpy(to, &v, sizeof v);
}

static HOT lanes all(float x) {
    return x - (lanes){0};
}

/* Whole numbers of 16 bits: half the memory. */
typedef int16_t halves __attribute__((vector_size(2 * LANES)));

static HOT lanes load_halves(const int16_t *from) {
#if LANES == 16 /* gcc finds it by halves only */
    return (lanes)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const void *)from)));
#else
    halves v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(__builtin_convertvector(v, whole), lanes);
#endif
}

/* To the nearest, those between two away from 0: x and -x stay opposites. */
static HOT void store_halves(int16_t *to, lanes x) {
    lanes half = (lanes)(((whole)x & INT32_MIN) | (whole)all(0.5f));
    whole near = __builtin_convertvector(x + half, whole);
#if LANES == 16
    _mm256_storeu_si256((void *)to, _mm512_cvtepi32_epi16((__m512i)near));
#else
    halves v = __builtin_convertvector(near, halves);
    memcpy(to, &v, sizeof v);
#endif
}

static HOT lanes where(whole mask, lanes v) { /* and 0 elsewhere */
    return (lanes)(mask & (whole)v);
}

/* Columns hold twice the numbers of particles: an address may have eight times what is in a
 * register added to it, so that sixteen bytes a particle need no shift. */
static HOT float number_of(const float *from, uint32_t twice) {
    float x;
    memcpy(&x, (const char *)from + 2 * (size_t)twice, sizeof x);
    return x;
}

static HOT rvi_v4 four_of(const rvi_v4 *from, uint32_t twice) {
    return *(const rvi_v4 *)(const void *)((const char *)from + 8 * (size_t)twice);
}

#if LANES == 16
static HOT lanes root(lanes v) {
    return (lanes)_mm512_sqrt_ps((__m512)v);
}

static HOT lanes larger(lanes a, lanes b) {
    return (lanes)_mm512_max_ps((__m512)a, (__m512)b);
}

static HOT lanes numbers_of(const float *from, const uint32_t *twice) {
    return (lanes)_mm512_i32gather_ps(_mm512_loadu_si512(twice), from, 2);
}

static HOT __m512 every_fourth(const rvi_v4 *from, const uint32_t *twice) {
    __m512 v = _mm512_castps128_ps512((__m128)four_of(from, twice[0]));
    v = _mm512_insertf32x4(v, (__m128)four_of(from, twice[4]), 1);
    v = _mm512_insertf32x4(v, (__m128)four_of(from, twice[8]), 2);
    return _mm512_insertf32x4(v, (__m128)four_of(from, twice[12]), 3);
}

static HOT four fours_of(const rvi_v4 *from, const uint32_t *twice) {
    __m512 a = every_fourth(from, twice), b = every_fourth(from, twice + 1);
    __m512 c = every_fourth(from, twice + 2), d = every_fourth(from, twice + 3);
    __m512d xy0 = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
    __m512d xy1 = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
    __m512d zw0 = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
    __m512d zw1 = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
    return (four){.x = (lanes)_mm512_unpacklo_pd(xy0, xy1),
                  .y = (lanes)_mm512_unpackhi_pd(xy0, xy1),
                  .z = (lanes)_mm512_unpacklo_pd(zw0, zw1),
                  .w = (lanes)_mm512_unpackhi_pd(zw0, zw1)};
}

static HOT void store_fourth(rvi_v4 *to, __m512 v) {
    to[0] = (rvi_v4)_mm512_castps512_ps128(v);
    to[4] = (rvi_v4)_mm512_extractf32x4_ps(v, 1);
    to[8] = (rvi_v4)_mm512_extractf32x4_ps(v, 2);
    to[12] = (rvi_v4)_mm512_extractf32x4_ps(v, 3);
}

static HOT void store_threes(rvi_v4 *to, lanes x, lanes y, lanes z) {
    __m512 zero = _mm512_setzero_ps();
    __m512d xy0 = _mm512_castps_pd(_mm512_unpacklo_ps((__m512)x, (__m512)y));
    __m512d xy1 = _mm512_castps_pd(_mm512_unpackhi_ps((__m512)x, (__m512)y));
    __m512d z0 = _mm512_castps_pd(_mm512_unpacklo_ps((__m512)z, zero));
    __m512d z1 = _mm512_castps_pd(_mm512_unpackhi_ps((__m512)z, zero));
    store_fourth(to, _mm512_castpd_ps(_mm512_unpacklo_pd(xy0, z0)));
    store_fourth(to + 1, _mm512_castpd_ps(_mm512_unpackhi_pd(xy0, z0)));
    store_fourth(to + 2, _mm512_castpd_ps(_mm512_unpacklo_pd(xy1, z1)));
    store_fourth(to + 3, _mm512_castpd_ps(_mm512_unpackhi_pd(xy1, z1)));
}
#elif LANES == 8
static HOT lanes root(lanes v) {
    return (lanes)_mm256_sqrt_ps((__m256)v);
}

static HOT lanes larger(lanes a, lanes b) {
    return (lanes)_mm256_max_ps((__m256)a, (__m256)b);
}

/* By single loads: the instruction that gathers is slow on many processors. */
static HOT lanes numbers_of(const float *from, const uint32_t *twice) {
    return (lanes){number_of(from, twice[0]), number_of(from, twice[1]), number_of(from, twice[2]),
                   number_of(from, twice[3]), number_of(from, twice[4]), number_of(from, twice[5]),
                   number_of(from, twice[6]), number_of(from, twice[7])};
}

static HOT __m256 every_fourth(const rvi_v4 *from, const uint32_t *twice) {
    __m256 v = _mm256_castps128_ps256((__m128)four_of(from, twice[0]));
    return _mm256_insertf128_ps(v, (__m128)four_of(from, twice[4]), 1);
}

static HOT four fours_of(const rvi_v4 *from, const uint32_t *twice) {
    __m256 a = every_fourth(from, twice), b = every_fourth(from, twice + 1);
    __m256 c = every_fourth(from, twice + 2), d = every_fourth(from, twice + 3);
    __m256d xy0 = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
    __m256d xy1 = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
    __m256d zw0 = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
    __m256d zw1 = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
    return (four){.x = (lanes)_mm256_unpacklo_pd(xy0, xy1),
                  .y = (lanes)_mm256_unpackhi_pd(xy0, xy1),
                  .z = (lanes)_mm256_unpacklo_pd(zw0, zw1),
                  .w = (lanes)_mm256_unpackhi_pd(zw0, zw1)};
}
#else
static HOT lanes root(lanes v) {
    return rvi_v4_sqrt(v);
}

static HOT lanes larger(lanes a, lanes b) {
    return rvi_v4_max(a, b);
}

static HOT lanes numbers_of(const float *from, const uint32_t *twice) {
    return (lanes){number_of(from, twice[0]), number_of(from, twice[1]), number_of(from, twice[2]),
                   number_of(from, twice[3])};
}

static HOT four fours_of(const rvi_v4 *from, const uint32_t *twice) {
    rvi_v4 a = four_of(from, twice[0]), b = four_of(from, twice[1]);
    rvi_v4 c = four_of(from, twice[2]), d = four_of(from, twice[3]);
    rvi_v4 xy0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    rvi_v4 xy1 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    rvi_v4 zw0 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    rvi_v4 zw1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return (four){.x = __builtin_shufflevector(xy0, xy1, 0, 1, 4, 5),
                  .y = __builtin_shufflevector(xy0, xy1, 2, 3, 6, 7),
                  .z = __builtin_shufflevector(zw0, zw1, 0, 1, 4, 5),
                  .w = __builtin_shufflevector(zw0, zw1, 2, 3, 6, 7)};
}
#endif

#if LANES != 16
static HOT void store_threes(rvi_v4 *to, lanes x, lanes y, lanes z) {
    for (int l = 0; l < LANES; l++)
        to[l] = (rvi_v4){x[l], y[l], z[l], 0};
}
#endif

/* The way from neighbours to the particles at `at`. */
typedef struct way {
    lanes x, y, z;
    lanes square; /* of its length */
} way;

static HOT way way_from(const four *at, const four *n) {
    way d = {.x = at->x - n->x, .y = at->y - n->y, .z = at->z - n->z};
    d.square = (d.x * d.x + d.y * d.y) + d.z * d.z;
    return d;
}
