/* heap.h: whole numbers of which the least comes first, four below each. */
#ifndef RVI_BASE_HEAP_H
#define RVI_BASE_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A key that orders as the level does, then by `then`. */
static inline uint64_t rvi_level_key(float level, size_t then) {
    uint32_t bits;
    float plain = level + 0.0f; /* no -0 */
    memcpy(&bits, &plain, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 0x80000000;
    return (uint64_t)bits << 32 | then;
}

/* There must be room for one more. */
static inline void rvi_heap_push(uint64_t *heap, size_t *count, uint64_t key) {
    size_t i = (*count)++;
    while (i > 0 && heap[(i - 1) / 4] > key) {
        heap[i] = heap[(i - 1) / 4];
        i = (i - 1) / 4;
    }
    heap[i] = key;
}

/* There must be at least one. */
static inline uint64_t rvi_heap_pop(uint64_t *heap, size_t *count) {
    uint64_t first = heap[0], key = heap[--*count];
    size_t i = 0;
    for (size_t child = 1; child < *count; child = 4 * i + 1) {
        size_t end = child + 4 < *count ? child + 4 : *count, least = child;
        for (size_t k = child + 1; k < end; k++)
            least = heap[k] < heap[least] ? k : least;
        if (heap[least] >= key)
            break;
        heap[i] = heap[least];
        i = least;
    }
    heap[i] = key;
    return first;
}

#endif
