/* sort.c: a radix sort, from the lowest digits to the highest; digits that are all alike are left
 * out. */
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
