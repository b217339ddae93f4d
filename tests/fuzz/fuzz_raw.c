/* Any bytes as .r16 and .r32; the first four are the size that a sidecar would tell. */
#include "fuzz.h"

#include "base/context.h"
#include "formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    if (size < 4)
        return 0;
    rvi_source source = {.name = "fuzz",
                         .data = data + 4,
                         .size = size - 4,
                         .total = size - 4,
                         .width = data[0] | data[1] << 8,
                         .height = data[2] | data[3] << 8};
    rvi_image image = {0};
    if (rvi_format_r16.decode(ctx, &source, &image) == RV_OK)
        rvi_free(ctx, image.values);
    if (rvi_format_r32.decode(ctx, &source, &image) == RV_OK)
        rvi_free(ctx, image.values);
    return 0;
}
