/* random.h: random numbers. A random number is a hash of (seed, which, when): there is no stream,
 * so the order in which they are drawn does not matter. */
#ifndef RVI_BASE_RANDOM_H
#define RVI_BASE_RANDOM_H

#ifndef __OPENCL_VERSION__
#include <stdint.h>
#endif

/* The 64-bit finaliser "moremur" (P. Evensen, 2019): every input bit moves every output bit. */
static inline uint64_t rvi_mix(uint64_t x) {
    x ^= x >> 27;
    x *= UINT64_C(0x3c79ac492ba7b653);
    x ^= x >> 33;
    x *= UINT64_C(0x1c69b3f74ac4ae35);
    x ^= x >> 27;
    return x;
}

static inline uint64_t rvi_random(uint64_t seed, uint64_t which, uint64_t when) {
    uint64_t x = rvi_mix(seed + UINT64_C(0x9e3779b97f4a7c15));
    x = rvi_mix(x ^ (which + UINT64_C(0x632be59bd9b4e019)));
    return rvi_mix(x ^ (when + UINT64_C(0xd1b54a32d192ed03)));
}

/* 24 of the bits as a float in [0, 1): exact, and never 1. */
static inline float rvi_unit(uint64_t bits) {
    return (float)(bits >> 40) * (1.0f / 16777216.0f);
}

#endif
