/* reduce.c: one number from many, over fixed blocks in a fixed order. */
#include "base/reduce.h"
#include "base/sum_order.h"
#include "base/threads.h"

enum { LANES = RVI_SUM_LANES, BLOCK = RVI_SUM_BLOCK, BLOCKS = 1 << 10, PART = BLOCK * BLOCKS };

typedef struct reduction {
    const float *values;
    const double *first, *second;
    size_t count;
    double sums[BLOCKS];
    float lows[BLOCKS], highs[BLOCKS];
} reduction;

static size_t block_end(const reduction *r, int64_t block) {
    size_t end = ((size_t)block + 1) * BLOCK;
    return end < r->count ? end : r->count;
}

static void sum_block(void *arg, int64_t block) {
    reduction *r = arg;
    size_t i = (size_t)block * BLOCK, end = block_end(r, block);
    double lanes[LANES] = {0};
    for (; i + LANES <= end; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            lanes[k] += (double)r->values[i + k];
    for (size_t k = 0; i < end; i++, k++)
        lanes[k] += (double)r->values[i];
    r->sums[block] = rvi_sum_of_lanes(lanes);
}

static void difference_block(void *arg, int64_t block) {
    reduction *r = arg;
    size_t i = (size_t)block * BLOCK, end = block_end(r, block);
    double lanes[LANES] = {0};
    for (; i + LANES <= end; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            lanes[k] += r->first[i + k] - (r->second ? r->second[i + k] : 0.0);
    for (size_t k = 0; i < end; i++, k++)
        lanes[k] += r->first[i] - (r->second ? r->second[i] : 0.0);
    r->sums[block] = rvi_sum_of_lanes(lanes);
}

static void range_block(void *arg, int64_t block) {
    reduction *r = arg;
    size_t i = (size_t)block * BLOCK, end = block_end(r, block);
    float low = r->values[i], high = low;
    for (; i < end; i++) {
        float v = r->values[i];
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    r->lows[block] = low;
    r->highs[block] = high;
}

/* Runs `fn` over all blocks of the reduction; returns how many there are. */
static int64_t reduce(rv_context *ctx, reduction *r, void (*fn)(void *arg, int64_t block)) {
    int64_t blocks = (int64_t)((r->count + BLOCK - 1) / BLOCK);
    rvi_finish(ctx, blocks, fn, r);
    return blocks;
}

double rvi_sum(rv_context *ctx, const float *values, size_t count) {
    double total = 0.0;
    for (size_t i = 0; i < count; i += PART) {
        reduction r = {.values = values + i, .count = count - i < PART ? count - i : PART};
        int64_t blocks = reduce(ctx, &r, sum_block);
        for (int64_t b = 0; b < blocks; b++)
            total += r.sums[b];
    }
    return total;
}

double rvi_sum_difference(rv_context *ctx, const double *first, const double *second,
                          size_t count) {
    double total = 0.0;
    for (size_t i = 0; i < count; i += PART) {
        reduction r = {.first = first + i, .second = second ? second + i : NULL};
        r.count = count - i < PART ? count - i : PART;
        int64_t blocks = reduce(ctx, &r, difference_block);
        for (int64_t b = 0; b < blocks; b++)
            total += r.sums[b];
    }
    return total;
}

void rvi_range(rv_context *ctx, const float *values, size_t count, float *low, float *high) {
    *low = *high = values[0];
    for (size_t i = 0; i < count; i += PART) {
        reduction r = {.values = values + i, .count = count - i < PART ? count - i : PART};
        int64_t blocks = reduce(ctx, &r, range_block);
        for (int64_t b = 0; b < blocks; b++) {
            *low = r.lows[b] < *low ? r.lows[b] : *low;
            *high = r.highs[b] > *high ? r.highs[b] : *high;
        }
    }
    *low += 0.0f; /* of the two zeros always the same, whatever the order */
    *high += 0.0f;
}
