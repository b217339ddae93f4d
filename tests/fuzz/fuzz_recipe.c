/* Any text as a recipe: steps with values in range, or a sentence. What was read is printed, read
 * again as the same, and planned; nothing is run. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A quote or the end of a line in a text is nothing that a recipe can say. */
static bool can_be_said(const rv_param_info *param, const void *params) {
    const char *text = rv_param_text(param, params);
    return text == NULL || strpbrk(text, "\"\n") == NULL;
}

static bool same(const rv_param_info *param, const void *a, const void *b) {
    const char *text = rv_param_text(param, a);
    if (text != NULL)
        return strcmp(text, rv_param_text(param, b)) == 0;
    if (param->type == RV_PARAM_SEED)
        return rv_param_seed(param, a) == rv_param_seed(param, b);
    double x = rv_param_number(param, a), y = rv_param_number(param, b);
    return x == y || (isnan(x) && isnan(y));
}

/* One step as a text of its own, and back. */
static void print_and_read(rv_context *ctx, rv_step_id id, const void *params, char *text,
                           size_t room) {
    const rv_step_info *step = rv_step_get(id);
    size_t used = (size_t)snprintf(text, room, "%s", step->word.name);
    for (int i = 0; i < step->word.param_count; i++) {
        const rv_param_info *param = &step->word.params[i];
        if (!can_be_said(param, params))
            return;
        used += (size_t)snprintf(text + used, room - used, " %s=", param->name);
        int size = rv_param_print(param, params, text + used, room - used);
        demand(size >= 0 && used + (size_t)size < room);
        demand(strlen(text + used) == (size_t)size);
        used += (size_t)size;
    }
    rv_recipe *again;
    demand(rv_recipe_parse(ctx, text, "again", &again) == RV_OK);
    demand(rv_recipe_count(again) == 1 && rv_recipe_step(again, 0) == id);
    for (int i = 0; i < step->word.param_count; i++)
        demand(same(&step->word.params[i], params, rv_recipe_params(again, 0)));
    rv_recipe_destroy(again);
}

static void look_at(rv_context *ctx, const rv_recipe *recipe, size_t size) {
    int count = rv_recipe_count(recipe);
    size_t room = 2 * size + 4096;
    char *text = malloc(room);
    rv_plan *plans = calloc((size_t)count + 1, sizeof *plans);
    demand(text != NULL && plans != NULL);
    for (int i = 0; i < count; i++) {
        rv_step_id id = rv_recipe_step(recipe, i);
        const void *params = rv_recipe_params(recipe, i);
        demand(rv_word_check(ctx, &rv_step_get(id)->word, params) == RV_OK);
        print_and_read(ctx, id, params, text, room);
    }
    if (rv_recipe_plan(recipe, plans) == RV_OK)
        for (int i = 0; i < count; i++)
            demand(plans[i].width >= 1 && plans[i].width <= 65536 && plans[i].height >= 1 &&
                   plans[i].height <= 65536 && plans[i].cell > 0.0f && plans[i].memory > 0);
    else
        demand(rv_context_error(ctx)[0] != '\0');
    free(plans);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static rv_context *ctx;
    const rv_context_desc desc = {.threads = 1, .memory_limit = 4 << 20};
    demand(ctx != NULL || rv_context_create(&desc, &ctx) == RV_OK);
    char *text = malloc(size + 1);
    demand(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    rv_recipe *recipe;
    if (rv_recipe_parse(ctx, text, "fuzz.rv", &recipe) == RV_OK) {
        look_at(ctx, recipe, size);
        rv_recipe_destroy(recipe);
    } else {
        demand(recipe == NULL && rv_context_error(ctx)[0] != '\0');
    }
    free(text);
    return 0;
}
