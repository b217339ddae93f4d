/* lanes.h: vectors of four floats, with the same bits from every build. */
#ifndef RVI_BASE_LANES_H
#define RVI_BASE_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

/* Must become part of its caller, which may be built for several vector units. */
#if defined(__GNUC__)
#define RVI_HOT inline __attribute__((always_inline))
#else
#define RVI_HOT inline
#endif

/* Must stay a function of its own: in one function that is too large the compilers of browsers keep
 * next to nothing in registers. */
#if defined(__GNUC__)
#define RVI_APART __attribute__((noinline))
#else
#define RVI_APART
#endif

/* Four lanes at a time: what every vector unit has, down to the browser's. */
typedef float rvi_v4 __attribute__((vector_size(16)));
typedef int32_t rvi_m4 __attribute__((vector_size(16)));

static RVI_HOT rvi_v4 rvi_v4_load(const float *from) {
    rvi_v4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

static RVI_HOT void rvi_v4_store(float *to, rvi_v4 v) {
    memcpy(to, &v, sizeof v);
}

static RVI_HOT rvi_v4 rvi_v4_all(float x) {
    return (rvi_v4){x, x, x, x};
}

/* Where some of a mix is not used, clang would mix otherwise, so that browsers find no single
 * instruction for it: they are told that all is used. */
#if defined(__wasm_simd128__)
#define RVI_USE_ALL(v) __asm__("" : "+r"(v))
#else
#define RVI_USE_ALL(v) ((void)0)
#endif

typedef struct rvi_four { /* four vectors of x, y, z */
    rvi_v4 x, y, z;
} rvi_four;

/* Of four that stand in x, y, z and something else. */
static RVI_HOT rvi_four rvi_four_from(rvi_v4 a, rvi_v4 b, rvi_v4 c, rvi_v4 d) {
    rvi_v4 xy0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    rvi_v4 xy1 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    rvi_v4 z0 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    rvi_v4 z1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    RVI_USE_ALL(z0);
    RVI_USE_ALL(z1);
    return (rvi_four){__builtin_shufflevector(xy0, xy1, 0, 1, 4, 5),
                      __builtin_shufflevector(xy0, xy1, 2, 3, 6, 7),
                      __builtin_shufflevector(z0, z1, 0, 1, 4, 5)};
}

/* Roots, and a < b ? a : b and a > b ? a : b. The instructions mean just that, also for zeros of
 * either sign, but not every compiler finds them. */
#if defined(__SSE__)
static RVI_HOT rvi_v4 rvi_v4_sqrt(rvi_v4 v) {
    return _mm_sqrt_ps(v);
}

static RVI_HOT rvi_v4 rvi_v4_min(rvi_v4 a, rvi_v4 b) {
    return __builtin_ia32_minps(a, b);
}

static RVI_HOT rvi_v4 rvi_v4_max(rvi_v4 a, rvi_v4 b) {
    return __builtin_ia32_maxps(a, b);
}
#elif defined(__wasm_simd128__)
static RVI_HOT rvi_v4 rvi_v4_sqrt(rvi_v4 v) {
    return (rvi_v4)wasm_f32x4_sqrt((v128_t)v);
}

/* pmin(x, y) is y < x ? y : x, pmax(x, y) is x < y ? y : x. */
static RVI_HOT rvi_v4 rvi_v4_min(rvi_v4 a, rvi_v4 b) {
    return (rvi_v4)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
}

static RVI_HOT rvi_v4 rvi_v4_max(rvi_v4 a, rvi_v4 b) {
    return (rvi_v4)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
}
#else
static RVI_HOT rvi_v4 rvi_v4_sqrt(rvi_v4 v) {
    for (int k = 0; k < 4; k++)
        v[k] = sqrtf(v[k]);
    return v;
}

static RVI_HOT rvi_v4 rvi_v4_select(rvi_m4 m, rvi_v4 yes, rvi_v4 no) {
    return (rvi_v4)((m & (rvi_m4)yes) | (~m & (rvi_m4)no));
}

static RVI_HOT rvi_v4 rvi_v4_min(rvi_v4 a, rvi_v4 b) {
    return rvi_v4_select(a < b, a, b);
}

static RVI_HOT rvi_v4 rvi_v4_max(rvi_v4 a, rvi_v4 b) {
    return rvi_v4_select(a > b, a, b);
}
#endif

/* The eight lanes of a sum, in the one order that everyone keeps. */
static RVI_HOT float rvi_lane_sum(rvi_v4 low, rvi_v4 high) {
    rvi_v4 s = low + high;
    return (s[0] + s[2]) + (s[1] + s[3]);
}

#endif
