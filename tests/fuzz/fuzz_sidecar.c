/* Any bytes as a sidecar: a scale in range or a sentence. What was read and is printed again reads
 * as the same. */
#include "fuzz.h"

#include "base/context.h"
#include "formats/sidecar.h"

#include <math.h>
#include <string.h>

static bool same_place(const rvi_georeference *a, const rvi_georeference *b) {
    bool same = a->x == b->x && a->y == b->y && a->step_x == b->step_x && a->step_y == b->step_y &&
                a->key_count == b->key_count && a->double_count == b->double_count &&
                strcmp(a->text, b->text) == 0 && strcmp(a->prj, b->prj) == 0;
    for (int i = 0; same && i < a->key_count; i++)
        same = a->keys[i] == b->keys[i];
    for (int i = 0; same && i < a->double_count; i++)
        same = a->doubles[i] == b->doubles[i];
    return same;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    rvi_sidecar sidecar, again;
    if (rvi_sidecar_parse(ctx, "fuzz", (const char *)data, size, &sidecar) != RV_OK)
        return 0;
    rvi_scale read = sidecar.scale, second;
    if (read.width < 0 || read.width > 65536 || read.low > read.high || read.cell <= 0.0f)
        abort();
    for (int i = 0; i < sidecar.previous_count; i++)
        if (!sidecar.previous[i].hashed || sidecar.previous[i].low > sidecar.previous[i].high)
            abort();
    char text[RVI_SIDECAR_SIZE];
    const rvi_sidecar_field field = {"height", "m", "height"};
    size_t printed = rvi_sidecar_print(&sidecar, "npy", &field, 1, text);
    if (rvi_sidecar_parse(ctx, "fuzz", text, printed, &again) != RV_OK ||
        again.previous_count != sidecar.previous_count)
        abort();
    for (int i = -1; i < sidecar.previous_count; i++) {
        read = i < 0 ? sidecar.scale : sidecar.previous[i];
        second = i < 0 ? again.scale : again.previous[i];
        if (memcmp(&read.low, &second.low, sizeof read.low) != 0 ||
            memcmp(&read.high, &second.high, sizeof read.high) != 0 ||
            memcmp(&read.cell, &second.cell, sizeof read.cell) != 0 || read.width != second.width ||
            read.height != second.height || read.hashed != second.hashed ||
            read.data_hash != second.data_hash || read.curve != second.curve ||
            !same_place(&read.geo, &second.geo))
            abort();
    }
    return 0;
}
