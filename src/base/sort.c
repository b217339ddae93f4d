/* sort.c: a radix sort, from the lowest digits to the highest; digits that are all alike are left
 * out. Once for keys that bring a value along, once for floats, which need a quarter of the room.
 */
#include "base/sort.h"

#include <string.h>

#include "base/context.h"

enum { BITS = 11, DIGITS = 1 << BITS, PASSES = (64 + BITS - 1) / BITS, POLL = 1 << 18 };

static size_t digit_of(uint64_t key, int pass) {
    return (size_t)(key >> (BITS * pass)) & (DIGITS - 1);
}

/* Where the items with each digit begin; false: it is always the same, or the user wants to stop.
 */
static bool count_digits(rv_context *ctx, const rvi_keyed *items, size_t count, int pass,
                         size_t starts[DIGITS]) {
    memset(starts, 0, DIGITS * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        starts[digit_of(items[i].key, pass)]++;
        if (i % POLL == 0 && rvi_poll(ctx) != RV_OK)
            return false;
    }
    if (starts[digit_of(items[0].key, pass)] == count)
        return false;
    size_t before = 0;
    for (size_t d = 0; d < DIGITS; d++) {
        size_t here = starts[d];
        starts[d] = before;
        before += here;
    }
    return true;
}

rv_status rvi_sort(rv_context *ctx, rvi_keyed *items, size_t count) {
    if (count < 2)
        return RV_OK;
    size_t starts[DIGITS];
    rvi_keyed *other = rvi_alloc(ctx, count, sizeof *other, "sorting");
    if (other == NULL)
        return RV_ERROR_MEMORY;
    rvi_keyed *from = items, *to = other;
    rv_status status = RV_OK;
    for (int pass = 0; pass < PASSES && status == RV_OK; pass++) {
        if (!count_digits(ctx, from, count, pass, starts)) {
            status = rvi_poll(ctx);
            continue;
        }
        for (size_t i = 0; i < count && status == RV_OK; i++) {
            to[starts[digit_of(from[i].key, pass)]++] = from[i];
            if (i % POLL == 0)
                status = rvi_poll(ctx);
        }
        rvi_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (status == RV_OK && from != items)
        memcpy(items, from, count * sizeof *items);
    rvi_free(ctx, other);
    return status;
}

/* ---- floats ---- */

enum { FLOAT_PASSES = 3 };

/* Numbers that order as the floats do, and back. */
static uint32_t key_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static float value_of(uint32_t key) {
    uint32_t bits = key >> 31 ? key & 0x7fffffffu : ~key;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* All values to keys, and how often each digit of each pass stands there. */
static rv_status take_keys(rv_context *ctx, const float *values, size_t count, uint32_t *keys,
                           size_t starts[FLOAT_PASSES][DIGITS]) {
    memset(starts, 0, FLOAT_PASSES * sizeof starts[0]);
    for (size_t i = 0; i < count; i++) {
        keys[i] = key_of(values[i]);
        for (int pass = 0; pass < FLOAT_PASSES; pass++)
            starts[pass][digit_of(keys[i], pass)]++;
        if (i % POLL == 0 && rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
    }
    for (int pass = 0; pass < FLOAT_PASSES; pass++)
        for (size_t d = 0, before = 0; d < DIGITS; d++) {
            size_t here = starts[pass][d];
            starts[pass][d] = before;
            before += here;
        }
    return RV_OK;
}

/* An odd number of passes ends in the other half. */
static rv_status sort_keys(rv_context *ctx, uint32_t *keys, size_t count,
                           size_t starts[FLOAT_PASSES][DIGITS]) {
    uint32_t *from = keys, *to = keys + count;
    for (int pass = 0; pass < FLOAT_PASSES; pass++) {
        for (size_t i = 0; i < count; i++) {
            to[starts[pass][digit_of(from[i], pass)]++] = from[i];
            if (i % POLL == 0 && rvi_poll(ctx) != RV_OK)
                return RV_CANCELLED;
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    return RV_OK;
}

rv_status rvi_sort_floats(rv_context *ctx, float *values, size_t count) {
    if (count < 2)
        return RV_OK;
    size_t starts[FLOAT_PASSES][DIGITS];
    uint32_t *keys = rvi_alloc(ctx, count, 2 * sizeof *keys, "sorting");
    if (keys == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = take_keys(ctx, values, count, keys, starts);
    if (status == RV_OK)
        status = sort_keys(ctx, keys, count, starts);
    for (size_t i = 0; status == RV_OK && i < count; i++) {
        values[i] = value_of(keys[count + i]);
        if (i % POLL == 0)
            status = rvi_poll(ctx);
    }
    rvi_free(ctx, keys);
    return status;
}
