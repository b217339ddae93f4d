/* fuzz_settings.c: any text as a settings file: words that a scene can read, or a sentence. */
#include "fuzz.h"

#include "base/context.h"
#include "scene/scene_setup.h"
#include "scene/settings.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    char *text = malloc(size + 1), *words;
    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    (void)rvi_settings_are(text);
    if (rvi_settings_read(ctx, text, "fuzz", &words) == RV_OK) {
        rvi_words scene;
        demand(rvi_words_parse(ctx, &rvi_scene_vocabulary, words, strlen(words), "words", false,
                               &scene) == RV_OK);
        rvi_words_free(&scene);
        rvi_free(ctx, words);
    }
    free(text);
    return 0;
}
