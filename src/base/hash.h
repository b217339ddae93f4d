/* hash.h: a 64-bit hash of bytes. */
#ifndef RVI_BASE_HASH_H
#define RVI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Of any bytes, the same on every machine (input is read as little-endian words). */
uint64_t rvi_hash(const void *data, size_t size, uint64_t seed);

#endif
