/* run.c: a recipe from its first step to its last, with the clock. */
#include "base/file.h"
#include "recipe/parse.h"
#include "steps/step.h"

#include <string.h>
#include <time.h>

enum { SMALL = 1 << 20 }; /* bytes of everything that does not grow with the map */

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static rv_status run_steps(const rv_recipe *recipe, const rv_watch *watch, rv_terrain *land) {
    for (int i = 0; i < recipe->count; i++) {
        const rvi_recipe_step *step = &recipe->steps[i];
        if (watch && watch->before)
            watch->before(watch->user, i, step->id);
        double start = now_seconds();
        rv_report report = {0};
        rv_status status = rv_step_run(land, step->id, step->params, &report);
        if (status != RV_OK)
            return status;
        report.seconds = now_seconds() - start;
        if (watch && watch->after) {
            report.hash = rv_terrain_hash(land);
            watch->after(watch->user, i, &report);
        }
    }
    return RV_OK;
}

/* The first step most often sets a size of its own, so the land before it is as small as can be. */
static rv_status first_land(const rv_recipe *recipe, rv_terrain **land) {
    rv_terrain_desc desc = rv_terrain_desc_default();
    if (recipe->count > 0 && rv_step_get(recipe->steps[0].id)->kind == RV_KIND_make &&
        rv_step_get(recipe->steps[0].id)->flags & RV_SIZES)
        desc.width = desc.height = 2;
    return rv_terrain_create(recipe->ctx, &desc, land);
}

/* Hours of work are not lost to a folder that is not there: where steps will write is looked at
 * before the first one runs. */
static rv_status check_targets(const rv_recipe *recipe) {
    rv_status status = RV_OK;
    for (int i = 0; status == RV_OK && i < recipe->count; i++) {
        const rv_step_info *step = rv_step_get(recipe->steps[i].id);
        for (int k = 0; status == RV_OK && k < step->param_count; k++)
            if (step->kind == RV_KIND_show && step->params[k].type == RV_PARAM_FILE)
                status = rvi_file_check_target(
                    recipe->ctx, rv_param_text(&step->params[k], recipe->steps[i].params));
    }
    return status;
}

rv_status rv_recipe_run(const rv_recipe *recipe, const rv_watch *watch, rv_terrain **out) {
    if (out)
        *out = NULL;
    rv_terrain *land;
    rv_status status = check_targets(recipe);
    if (status == RV_OK)
        status = first_land(recipe, &land);
    if (status != RV_OK)
        return status;
    status = run_steps(recipe, watch, land);
    if (status == RV_OK && out)
        *out = land;
    else
        rv_terrain_destroy(land);
    return status;
}

rv_status rv_recipe_run_text(rv_context *ctx, const char *text, const rv_watch *watch,
                             rv_terrain **out) {
    if (out)
        *out = NULL;
    rv_recipe *recipe;
    rv_status status = rv_recipe_parse(ctx, text, "recipe", &recipe);
    if (status != RV_OK)
        return status;
    status = rv_recipe_run(recipe, watch, out);
    rv_recipe_destroy(recipe);
    return status;
}

/* ---- plans ---- */

/* Counts the fields that a step adds to those in `names`, a list separated by blanks. */
static int add_fields(char *names, size_t room, const char *writes) {
    int added = 0;
    char list[256];
    size_t size = strlen(writes);
    if (size >= sizeof list)
        return 0;
    memcpy(list, writes, size + 1);
    for (char *save, *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        char padded[RVI_NAME + 2];
        size_t n = strlen(name);
        if (strcmp(name, "height") == 0 || strcmp(name, "*") == 0 || n >= RVI_NAME)
            continue;
        padded[0] = ' ';
        memcpy(padded + 1, name, n);
        memcpy(padded + 1 + n, " ", 2);
        if (strstr(names, padded) || strlen(names) + n + 2 > room)
            continue;
        strcat(names, padded + 1);
        added++;
    }
    return added;
}

rv_status rv_recipe_plan(const rv_recipe *recipe, rv_plan *plans) {
    rv_terrain land = {.ctx = recipe->ctx, .planned = true};
    rv_terrain_desc desc = rv_terrain_desc_default();
    rv_status status = check_targets(recipe);
    if (status == RV_OK)
        status = rvi_terrain_reset(&land, desc.width, desc.height, desc.cell);
    char names[1024] = " ";
    int fields = 0;
    for (int i = 0; status == RV_OK && i < recipe->count; i++) {
        const rv_step_info *step = rv_step_get(recipe->steps[i].id);
        size_t held = rvi_cells(&land) * sizeof(float) * (size_t)(1 + fields);
        size_t working;
        status = rvi_step_plan(&land, step->id, recipe->steps[i].params, &working);
        bool sizes = step->flags & RV_SIZES, makes = step->kind == RV_KIND_make;
        if (makes && sizes) {
            fields = 0; /* starts over */
            memcpy(names, " ", 2);
        }
        fields += add_fields(names, sizeof names, step->writes);
        size_t grid = rvi_cells(&land) * sizeof(float);
        /* The old land is there until the new one is; a mask is applied to a copy. */
        size_t more = sizes && (i > 0 || !makes) ? held : 0;
        if (!sizes && (makes || step->kind == RV_KIND_shape) && strstr(names, " mask "))
            more += 2 * grid;
        plans[i] = (rv_plan){step->id, land.width, land.height, land.cell,
                             grid * (size_t)(1 + fields) + more + working + SMALL};
    }
    return status;
}
