/* inputs.c: which files a recipe reads, and whether one of its steps would replace them. */
#include "recipe/inputs.h"
#include "base/file.h"

/* The files that a step names, one after the other; NULL: there are no more. */
static const char *next_file(const rv_recipe *recipe, int step, int *param) {
    const rv_word_info *word = &rv_step_get(rv_recipe_step(recipe, step))->word;
    while (*param < word->param_count) {
        const rv_param_info *p = &word->params[(*param)++];
        const char *path =
            p->type == RV_PARAM_FILE ? rv_param_text(p, rv_recipe_params(recipe, step)) : "";
        if (path[0])
            return path;
    }
    return NULL;
}

static bool writes(const rv_recipe *recipe, int step) {
    return rv_step_get(rv_recipe_step(recipe, step))->kind == RV_KIND_SHOW;
}

/* Does a step before this one write the file? */
static bool is_made(const rv_recipe *recipe, int before, const char *path) {
    for (int i = 0; i < before; i++) {
        int param = 0;
        const char *other;
        while (writes(recipe, i) && (other = next_file(recipe, i, &param)) != NULL)
            if (rvi_path_same(path, other))
                return true;
    }
    return false;
}

static rv_status check_one(const rv_recipe *recipe, int step, const char *path) {
    rv_step_id id = rv_recipe_step(recipe, step);
    const char *way =
        id == RV_STEP_save ? "name another one, or say overwrite=yes" : "name another one";
    if (recipe->file && rvi_path_same(path, recipe->file))
        return rvi_fail(recipe->ctx, RV_ERROR_OUTPUT,
                        "%s: is the recipe itself and was not changed; %s.", path, way);
    for (int i = 0; i < step; i++) {
        int param = 0;
        const char *other;
        while (!writes(recipe, i) && (other = next_file(recipe, i, &param)) != NULL)
            if (rvi_path_same(path, other) && !is_made(recipe, i, other))
                return rvi_fail(recipe->ctx, RV_ERROR_OUTPUT,
                                "%s: is read by %s in this recipe and was not changed; %s.", path,
                                rv_step_get(rv_recipe_step(recipe, i))->word.name, way);
    }
    return RV_OK;
}

static rv_status check_step(const rv_recipe *recipe, int step) {
    rv_status status = RV_OK;
    const char *path;
    for (int param = 0; status == RV_OK && (path = next_file(recipe, step, &param)) != NULL;)
        status = check_one(recipe, step, path);
    return status;
}

static bool may_overwrite(const rv_recipe *recipe, int step) {
    const rv_save_params *p = rv_recipe_params(recipe, step);
    return rv_recipe_step(recipe, step) == RV_STEP_save && p->overwrite;
}

rv_status rvi_recipe_check_inputs(const rv_recipe *recipe) {
    for (int i = 0; i < rv_recipe_count(recipe); i++) {
        bool asks = writes(recipe, i) && !may_overwrite(recipe, i);
        rv_status status = asks ? check_step(recipe, i) : RV_OK;
        if (status != RV_OK)
            return rvi_place_fail(recipe->ctx, &recipe->words.list[i].at, status);
    }
    return RV_OK;
}
