/* list.c: the recipes and scenes that come with Ravine, by name. */
#include "cli.h"

#include <string.h>

int cli_preset(const char *name) {
    for (int i = 0; i < rv_recipe_preset_count(); i++)
        if (strcmp(name, rv_recipe_preset_name(i)) == 0)
            return i;
    return -1;
}

void cli_list(void) {
    puts("Recipes: ravine NAME [STEP.KEY=VALUE ...]");
    for (int i = 0; i < rv_recipe_preset_count(); i++) {
        const char *text = rv_recipe_preset_text(i); /* "# NAME.rv: what it makes" */
        const char *colon = strchr(text, ':'), *end = strchr(text, '\n');
        int size = colon && end && colon < end ? (int)(end - colon) - 2 : 0;
        printf("  %-11s %.*s\n", rv_recipe_preset_name(i), size, size > 0 ? colon + 2 : "");
    }
    puts("Scenes: ravine scene NAME [WORD.KEY=VALUE ...]");
    for (int i = 0; i < rv_scene_preset_count(); i++)
        printf("  %s\n", rv_scene_preset_name(i));
}
