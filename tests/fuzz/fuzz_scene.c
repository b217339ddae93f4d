/* fuzz_scene.c: any text as a scene: it prints and reads back as the same, and can be set up
 * without its models; or there is a sentence. Nothing is run. */
#include "fuzz.h"

#include "base/context.h"
#include "scene/scene_setup.h"

#include <string.h>

static char *print(const rv_scene *scene, int *size) {
    *size = rv_scene_print(scene, NULL, 0);
    char *text = *size >= 0 ? malloc((size_t)*size + 1) : NULL;
    if (text != NULL)
        rv_scene_print(scene, text, (size_t)*size + 1);
    return text;
}

static void look_at(rv_context *ctx, const rv_scene *scene) {
    int size, again_size;
    rv_scene *same;
    char *text = print(scene, &size);
    if (text == NULL)
        return; /* the end of a line in a name */
    demand(rv_scene_parse(ctx, text, "again", &same) == RV_OK);
    char *again = print(same, &again_size);
    demand(again != NULL && again_size == size && memcmp(text, again, (size_t)size) == 0);
    rv_scene_destroy(same);
    rvi_words words;
    static const double box[6] = {0, 0, 0, 1, 1, 1};
    rvi_scene_setup setup;
    demand(rvi_words_parse(ctx, &rvi_scene_vocabulary, text, (size_t)size, "words", false,
                           &words) == RV_OK);
    if (rvi_scene_set_up(&words, "fuzz", "", box, &setup) == RV_OK)
        rvi_scene_setup_free(ctx, &setup);
    rvi_words_free(&words);
    free(text);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    char *text = malloc(size + 1);
    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    rv_scene *scene;
    if (rv_scene_parse(ctx, text, "fuzz", &scene) == RV_OK) {
        look_at(ctx, scene);
        rv_scene_destroy(scene);
    }
    free(text);
    return 0;
}
