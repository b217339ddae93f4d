/* recipe_presets.c: the recipes that come with Ravine: the files of recipes/. */
#include <ravine/ravine.h>

#include <assert.h>

static const struct {
    const char *name, *text;
} presets[] = {
#include "recipe/recipe_presets.inc"
};

int rv_recipe_preset_count(void) {
    return (int)(sizeof presets / sizeof presets[0]);
}

const char *rv_recipe_preset_name(int index) {
    assert(index >= 0 && index < rv_recipe_preset_count());
    return presets[index].name;
}

const char *rv_recipe_preset_text(int index) {
    assert(index >= 0 && index < rv_recipe_preset_count());
    return presets[index].text;
}
