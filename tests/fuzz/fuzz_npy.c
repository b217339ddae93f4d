/* Any bytes as an array of NumPy: heights or a sentence, and no more memory than allowed. */
#include "base/context.h"
#include "formats/format.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static rv_context *ctx;
    const rv_context_desc desc = {.threads = 1, .memory_limit = 64 << 20};
    if (ctx == NULL && rv_context_create(&desc, &ctx) != RV_OK)
        abort();
    rvi_source source = {.name = "fuzz.npy", .data = data, .size = size, .total = size};
    rvi_image image = {0};
    if (rvi_format_npy.decode(ctx, &source, &image) == RV_OK)
        rvi_free(ctx, image.values);
    return 0;
}
