/* Any bytes as an EXR: heights or a sentence, and no more memory than allowed. */
#include "fuzz.h"

#include "base/context.h"
#include "formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    rvi_source source = {.name = "fuzz.exr", .data = data, .size = size, .total = size};
    rvi_image image = {0}, header = {0};
    rv_status looked = rvi_format_exr.read_header(ctx, &source, &header);
    if (rvi_format_exr.decode(ctx, &source, &image) == RV_OK) {
        demand(looked == RV_OK && header.width == image.width && header.height == image.height);
        rvi_free(ctx, image.values);
    }
    return 0;
}
