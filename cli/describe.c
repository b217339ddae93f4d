/* describe.c: values of parameters, fields and examples in words. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

void *cli_defaults(const rv_word_info *word) {
    void *params = calloc(1, word->params_size ? word->params_size : 1);
    if (params)
        rv_word_default(word, params);
    return params;
}

void cli_value(const rv_param_info *param, const void *params, char out[CLI_TEXT]) {
    out[0] = '\0';
    rv_param_print(param, params, out, CLI_TEXT);
}

const char *cli_type(rv_param_type type) {
    static const char *const names[] = {
        [RV_PARAM_REAL] = "real", [RV_PARAM_INT] = "int",       [RV_PARAM_COUNT] = "count",
        [RV_PARAM_SEED] = "seed", [RV_PARAM_SWITCH] = "switch", [RV_PARAM_CHOICE] = "choice",
        [RV_PARAM_TEXT] = "text", [RV_PARAM_FILE] = "file",     [RV_PARAM_VECTOR] = "vector",
    };
    return names[type];
}

const char *cli_fields(const char *fields) {
    if (strcmp(fields, "*") == 0)
        return "every field";
    return fields[0] ? fields : "no field";
}

const rv_param_info *cli_bare_file(const rv_word_info *word) {
    bool takes = word->param_count > 0 && word->params[0].type == RV_PARAM_FILE;
    return takes ? &word->params[0] : NULL;
}

/* One parameter to show how they are written: another choice if there is one, else a default. */
static void example_param(const rv_word_info *word, char out[CLI_TEXT]) {
    char value[CLI_TEXT];
    void *params = cli_defaults(word);
    out[0] = '\0';
    for (int i = 0; params && i < word->param_count; i++) {
        const rv_param_info *param = &word->params[i];
        bool choice = param->type == RV_PARAM_CHOICE || param->type == RV_PARAM_SWITCH;
        if (choice)
            rv_param_set_number(param, params, ((int)param->def + 1) % ((int)param->high + 1));
        else if (out[0] || rv_param_text(param, params) || param->required ||
                 rv_param_has_auto(param))
            continue;
        cli_value(param, params, value);
        snprintf(out, CLI_TEXT, " %s=%.100s", param->name, value);
        if (choice)
            break;
    }
    free(params);
}

void cli_example(const rv_step_info *step, char out[CLI_TEXT]) {
    if (step->kind == RV_KIND_ORDER) {
        snprintf(out, CLI_TEXT,
                 "ravine terrain size=256 noise repeat 5 droplets 2k end save land.png");
        return;
    }
    const rv_param_info *file = cli_bare_file(&step->word);
    bool needs_land = step->kind != RV_KIND_MAKE;
    bool starts = step->kind == RV_KIND_MAKE && (step->flags & RV_STEP_FLAG_RESIZES);
    char param[CLI_TEXT];
    example_param(&step->word, param);
    const char *name = "";
    if (file && (file->required || step->kind == RV_KIND_LIMIT))
        name = strcmp(file->name, "folder") == 0 ? " folder"
               : step->kind == RV_KIND_SHOW      ? " picture.png"
                                                 : " image.png";
    snprintf(out, CLI_TEXT, "ravine %s%s%s%s%.100s%s", starts ? "" : "terrain size=256 ",
             needs_land ? "noise seed=7 " : "", step->word.name, name, param,
             step->kind == RV_KIND_SHOW ? "" : " save land.png");
}

bool cli_has_drops(const rv_step_info *step) {
    for (int i = 0; i < step->word.param_count; i++)
        if (strcmp(step->word.params[i].name, "drops") == 0)
            return true;
    return false;
}
