/* describe.c: what the table of steps says, in words. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

void *cli_defaults(const rv_step_info *step) {
    void *params = malloc(step->params_size ? step->params_size : 1);
    if (params)
        rv_word_default(step, params);
    return params;
}

void cli_value(const rv_param_info *param, const void *params, char out[CLI_TEXT]) {
    out[0] = '\0';
    rv_param_print(param, params, out, CLI_TEXT);
}

static bool is_text(const rv_param_info *param) {
    return param->type == RV_PARAM_TEXT || param->type == RV_PARAM_FILE;
}

void cli_default(const rv_step_info *step, const rv_param_info *param, char out[CLI_TEXT]) {
    out[0] = '\0';
    if (param->required || (is_text(param) && (!param->text || !param->text[0]))) {
        snprintf(out, CLI_TEXT, "%s", param->required ? "" : "none");
        return;
    }
    void *params = cli_defaults(step);
    if (params)
        cli_value(param, params, out);
    free(params);
}

/* Both words of a switch, as recipes say them. */
static void switch_range(const rv_step_info *step, const rv_param_info *param, char out[CLI_TEXT]) {
    char words[2][CLI_TEXT] = {"", ""};
    void *params = cli_defaults(step);
    for (int i = 0; params && i < 2; i++) {
        rv_param_set(param, params, i == 0, NULL);
        cli_value(param, params, words[i]);
    }
    free(params);
    snprintf(out, CLI_TEXT, "%.30s, %.30s", words[0], words[1]);
}

static void choice_range(const rv_param_info *param, char out[CLI_TEXT]) {
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < param->option_count && used < CLI_TEXT; i++)
        used += (size_t)snprintf(out + used, CLI_TEXT - used, "%s%s", i ? ", " : "",
                                 param->options[i].name);
}

void cli_range(const rv_step_info *step, const rv_param_info *param, char out[CLI_TEXT]) {
    char low[32], high[32];
    switch (param->type) {
    case RV_PARAM_REAL:
    case RV_PARAM_INT:
    case RV_PARAM_COUNT:
        cli_number(param->low, low);
        cli_number(param->high, high);
        snprintf(out, CLI_TEXT, "%s to %s%s%s", low, high, param->unit[0] ? " " : "", param->unit);
        break;
    case RV_PARAM_SEED:
        snprintf(out, CLI_TEXT, "a whole number");
        break;
    case RV_PARAM_SWITCH:
        switch_range(step, param, out);
        break;
    case RV_PARAM_CHOICE:
        choice_range(param, out);
        break;
    case RV_PARAM_VECTOR:
        cli_number(param->low, low);
        cli_number(param->high, high);
        snprintf(out, CLI_TEXT, "x/y/z, each %s to %s%s%s", low, high, param->unit[0] ? " " : "",
                 param->unit);
        break;
    case RV_PARAM_TEXT:
        snprintf(out, CLI_TEXT, "a name");
        break;
    case RV_PARAM_FILE:
        snprintf(out, CLI_TEXT, "a file name%s", param->required ? ", must be given" : "");
        break;
    }
}

void cli_param_text(const rv_step_info *step, const rv_param_info *param, char out[CLI_TEXT]) {
    char range[CLI_TEXT];
    cli_range(step, param, range);
    if (param->type == RV_PARAM_CHOICE) /* its options follow */
        snprintf(out, CLI_TEXT, "%s", param->help);
    else
        snprintf(out, CLI_TEXT, "%.300s (%.200s)", param->help, range);
}

const char *cli_fields(const char *fields) {
    if (strcmp(fields, "*") == 0)
        return "every field";
    return fields[0] ? fields : "no field";
}

const rv_param_info *cli_bare_file(const rv_step_info *step) {
    bool takes = step->param_count > 0 && step->params[0].type == RV_PARAM_FILE;
    return takes ? &step->params[0] : NULL;
}

/* The next option of a choice or switch, so that an example shows something that is not usual. */
static void other_option(const rv_step_info *step, const rv_param_info *param, char out[CLI_TEXT]) {
    int options = param->type == RV_PARAM_SWITCH ? 2 : param->option_count;
    void *params = cli_defaults(step);
    out[0] = '\0';
    if (params) {
        rv_param_set(param, params, ((int)param->def + 1) % options, NULL);
        cli_value(param, params, out);
    }
    free(params);
}

/* One parameter to show how they are written: another choice if there is one, else a default. */
static void example_param(const rv_step_info *step, char out[CLI_TEXT]) {
    char value[CLI_TEXT];
    out[0] = '\0';
    for (int i = 0; i < step->param_count; i++) {
        const rv_param_info *param = &step->params[i];
        if (param->type == RV_PARAM_CHOICE || param->type == RV_PARAM_SWITCH) {
            other_option(step, param, value);
            snprintf(out, CLI_TEXT, " %s=%.100s", param->name, value);
            return;
        }
        if (out[0] || is_text(param) || rv_param_automatic(param))
            continue;
        cli_default(step, param, value);
        snprintf(out, CLI_TEXT, " %s=%.100s", param->name, value);
    }
}

void cli_example(const rv_step_info *step, char out[CLI_TEXT]) {
    if (step->kind == RV_KIND_order) {
        snprintf(out, CLI_TEXT,
                 "ravine terrain size=256 noise repeat 5 droplets 2k end save land.png");
        return;
    }
    const rv_param_info *file = cli_bare_file(step);
    bool needs_land = step->kind != RV_KIND_make;
    bool starts = step->kind == RV_KIND_make && (step->flags & RV_SIZES);
    char param[CLI_TEXT];
    example_param(step, param);
    const char *name = "";
    if (file && (file->required || step->kind == RV_KIND_limit))
        name = step->kind == RV_KIND_show ? " picture.png" : " image.png";
    snprintf(out, CLI_TEXT, "ravine %s%s%s%s%.100s%s", starts ? "" : "terrain size=256 ",
             needs_land ? "noise seed=7 " : "", step->name, name, param,
             step->kind == RV_KIND_show ? "" : " save land.png");
}

bool cli_has_drops(const rv_step_info *step) {
    for (int i = 0; i < step->param_count; i++)
        if (strcmp(step->params[i].name, "drops") == 0)
            return true;
    return false;
}
