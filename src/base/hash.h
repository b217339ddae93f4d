/* hash.h: a 64-bit hash of bytes. */
#ifndef RVI_BASE_HASH_H
#define RVI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Files are hashed in parts of so many bytes, one after the other: the hash of each is the seed of
 * the next. */
enum { RVI_HASH_PART = 1 << 16 };

/* Of any bytes, the same on every machine (input is read as little-endian words). */
uint64_t rvi_hash(const void *data, size_t size, uint64_t seed);

#endif
