/* Any bytes as a sidecar: a scale in range or a sentence. What was read and is printed again reads
 * as the same. */
#include "fuzz.h"

#include "base/context.h"
#include "formats/sidecar.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    rvi_sidecar read, again;
    if (rvi_sidecar_parse(ctx, "fuzz", (const char *)data, size, &read) != RV_OK)
        return 0;
    if (read.width < 0 || read.width > 65536 || read.low > read.high || read.cell <= 0.0f)
        abort();
    if (read.width == 0 || read.height == 0 || isnan(read.low + read.high + read.cell))
        return 0;
    char text[RVI_SIDECAR_SIZE];
    size_t printed = rvi_sidecar_print(&read, "npy", "height", 1, text);
    if (rvi_sidecar_parse(ctx, "fuzz", text, printed, &again) != RV_OK ||
        memcmp(&read.low, &again.low, sizeof read.low) != 0 || read.high != again.high ||
        read.cell != again.cell || read.width != again.width || read.height != again.height)
        abort();
    return 0;
}
