/* device_hash.cl: hashes of the rows of a grid, as rvi_hash() makes them: an item a row. */
#include "device/prelude.cl"
#include "base/hash_words.h"

__kernel void hash_rows(__global const uint *restrict grid, __global ulong *restrict hashes, int width,
                        int first, int count) {
    int y = (int)get_global_id(0), x = 0;
    if (y >= count)
        return;
    __global const uint *row = grid + (size_t)(first + y) * (size_t)width;
    ulong h = rvi_hash_begin((ulong)width * sizeof *row, (ulong)y);
    for (; x + 1 < width; x += 2)
        h = rvi_hash_word(h, (ulong)row[x + 1] << 32 | row[x]);
    hashes[y] = rvi_hash_end(h, x < width ? row[x] : 0);
}
