/* fuzz.h: what fuzz targets share: a context of little memory, and an end where something is wrong.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <ravine/ravine.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(bool holds) {
    if (!holds)
        abort();
}

/* The same for all inputs, which must leave nothing in it. */
static inline rv_context *fuzz_context(void) {
    static rv_context *ctx;
    const rv_context_desc desc = {.threads = 1, .memory_limit = 64 << 20};
    demand(ctx != NULL || rv_context_create(&desc, &ctx) == RV_OK);
    return ctx;
}

#endif
