/* Any bytes as an array of NumPy: heights or a sentence, and no more memory than allowed. */
#include "fuzz.h"

#include "base/context.h"
#include "formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    rvi_source source = {.name = "fuzz.npy", .data = data, .size = size, .total = size};
    rvi_image image = {0};
    if (rvi_format_npy.decode(ctx, &source, &image) == RV_OK)
        rvi_free(ctx, image.values);
    return 0;
}
