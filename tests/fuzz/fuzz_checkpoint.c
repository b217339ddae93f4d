/* fuzz_checkpoint.c: any bytes as a checkpoint. */
#include "base/context.h"
#include "formats/checkpoint.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static rv_context *ctx;
    if (!ctx) {
        rv_context_desc desc = rv_context_desc_default();
        desc.threads = 1;
        desc.memory_limit = (size_t)64 << 20;
        if (rv_context_create(&desc, &ctx) != RV_OK)
            abort();
    }
    rvi_checkpoint out;
    if (rvi_checkpoint_decode(ctx, "fuzz", data, size, &out) == RV_OK) {
        rv_recipe *recipe;
        if (rv_recipe_parse(ctx, out.text, "fuzz", &recipe) == RV_OK)
            rv_recipe_destroy(recipe);
        rv_terrain_destroy(out.land);
        rvi_free(ctx, out.text);
    }
    return 0;
}
