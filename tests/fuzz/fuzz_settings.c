/* fuzz_settings.c: any text as a settings file: words that a scene can read, or a sentence. */
#include "base/context.h"
#include "recipe/scene_setup.h"
#include "recipe/settings.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static rv_context *ctx;
    if (!ctx) {
        rv_context_desc desc = rv_context_desc_default();
        desc.threads = 1;
        desc.memory_limit = (size_t)64 << 20;
        demand(rv_context_create(&desc, &ctx) == RV_OK);
    }
    char *text = malloc(size + 1), *words;
    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    (void)rvi_settings_are(text);
    if (rvi_settings_read(ctx, text, "fuzz", &words) == RV_OK) {
        rv_recipe *scene;
        demand(rvi_words_parse(ctx, &rvi_scene_vocabulary, words, strlen(words), "words", &scene) ==
               RV_OK);
        rv_recipe_destroy(scene);
        rvi_free(ctx, words);
    }
    free(text);
    return 0;
}
