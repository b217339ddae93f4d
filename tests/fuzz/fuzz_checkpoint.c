/* fuzz_checkpoint.c: any bytes, with the right hash behind them, as a checkpoint. */
#include "base/context.h"
#include "formats/archive.h"
#include "formats/checkpoint.h"

#include <stdlib.h>
#include <string.h>

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
    uint64_t hash;
    uint8_t *bytes = malloc(size + sizeof hash);
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    hash = rvi_archive_hash(bytes, size);
    memcpy(bytes + size, &hash, sizeof hash);
    rvi_checkpoint out;
    if (rvi_checkpoint_decode(ctx, "fuzz", bytes, size + sizeof hash, &out) == RV_OK) {
        rv_recipe *recipe;
        if (rv_recipe_parse(ctx, out.text, "fuzz", &recipe) == RV_OK)
            rv_recipe_destroy(recipe);
        rv_terrain_destroy(out.land);
        rvi_free(ctx, out.text);
    }
    free(bytes);
    return 0;
}
