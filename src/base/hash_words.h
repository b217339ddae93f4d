/* hash_words.h: how rvi_hash() goes over bytes, word by word, for the processor and for devices. */
#ifndef RVI_BASE_HASH_WORDS_H
#define RVI_BASE_HASH_WORDS_H

#include "base/random.h"

static inline uint64_t rvi_hash_begin(uint64_t size, uint64_t seed) {
    return rvi_mix(rvi_mix(seed) ^ size);
}

static inline uint64_t rvi_hash_word(uint64_t h, uint64_t word) {
    h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
    return h ^ h >> 32;
}

/* rest: the bytes after the last whole word. */
static inline uint64_t rvi_hash_end(uint64_t h, uint64_t rest) {
    return rvi_mix(h ^ rest);
}

#endif
