/* Any bytes as a PNG: a picture or a sentence, and no more memory than allowed. */
#include "base/context.h"
#include "formats/format.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static rv_context *ctx;
    const rv_context_desc desc = {.threads = 1, .memory_limit = 64 << 20};
    if (ctx == NULL && rv_context_create(&desc, &ctx) != RV_OK)
        abort();
    const rvi_format *format = rvi_format_find("fuzz.png");
    rvi_source source = {.name = "fuzz.png", .data = data, .size = size, .total = size};
    rvi_image image = {0};
    if (format != NULL && format->decode(ctx, &source, &image) == RV_OK)
        rvi_free(ctx, image.values);
    return 0;
}
