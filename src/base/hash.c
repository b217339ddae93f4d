/* hash.c: a 64-bit hash of bytes, read as little-endian words on every machine. */
#include "base/hash.h"

#include "base/hash_words.h"

static uint64_t word(const unsigned char *p, size_t bytes) {
    uint64_t w = 0;
    for (size_t i = 0; i < bytes; i++)
        w |= (uint64_t)p[i] << (8 * i);
    return w;
}

uint64_t rvi_hash(const void *data, size_t size, uint64_t seed) {
    const unsigned char *p = data;
    uint64_t h = rvi_hash_begin((uint64_t)size, seed);
    size_t left = size;
    for (; left >= 8; left -= 8, p += 8)
        h = rvi_hash_word(h, word(p, 8));
    return rvi_hash_end(h, word(p, left));
}
