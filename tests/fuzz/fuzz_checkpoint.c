/* fuzz_checkpoint.c: any bytes, with the right hash behind them, as a checkpoint. */
#include "fuzz.h"

#include "base/archive.h"
#include "base/context.h"
#include "formats/checkpoint.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    uint64_t hash;
    uint8_t *bytes = malloc(size + sizeof hash);
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    hash = rvi_bytes_hash(ctx, bytes, size);
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
