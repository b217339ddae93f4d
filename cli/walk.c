/* walk.c: the one walk over the tables of steps and of words of scenes. Help, man page, Markdown,
 * JSON, completion and the list of words are writers on this walk. */
#include "cli.h"

#include <stdlib.h>

/* ---- what a parameter may be ---- */

static void numbers_range(const rv_param_info *param, const char *before, char out[CLI_TEXT]) {
    char low[32], high[32];
    cli_number(param->low, low);
    cli_number(param->high, high);
    snprintf(out, CLI_TEXT, "%s%s to %s%s%s%s", before, low, high, param->unit[0] ? " " : "",
             param->unit, param->in_cells ? ", or in cells" : "");
}

static void options_range(const rv_param_info *param, char out[CLI_TEXT]) {
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < param->option_count && used < CLI_TEXT; i++)
        used += (size_t)snprintf(out + used, CLI_TEXT - used, "%s%s", i ? ", " : "",
                                 param->options[i].name);
}

static void describe_range(const rv_param_info *param, char out[CLI_TEXT]) {
    switch (param->type) {
    case RV_PARAM_REAL:
    case RV_PARAM_INT:
    case RV_PARAM_COUNT:
        numbers_range(param, "", out);
        break;
    case RV_PARAM_VECTOR:
        numbers_range(param, "x/y/z, each ", out);
        break;
    case RV_PARAM_SEED:
        snprintf(out, CLI_TEXT, "a whole number");
        break;
    case RV_PARAM_SWITCH:
        snprintf(out, CLI_TEXT, "yes, no");
        break;
    case RV_PARAM_CHOICE:
        options_range(param, out);
        break;
    case RV_PARAM_TEXT:
        snprintf(out, CLI_TEXT, "a name");
        break;
    case RV_PARAM_FILE:
        snprintf(out, CLI_TEXT, "a file name%s", param->required ? ", must be given" : "");
        break;
    }
}

static void describe_param(cli_visit *at) {
    const rv_param_info *param = at->param;
    const char *text = rv_param_text(param, at->defaults);
    describe_range(param, at->range);
    if (param->required)
        at->value[0] = '\0';
    else if (text && !text[0])
        snprintf(at->value, CLI_TEXT, "none");
    else
        cli_value(param, at->defaults, at->value);
    if (param->option_count > 0)
        snprintf(at->text, CLI_TEXT, "%s", param->help);
    else
        snprintf(at->text, CLI_TEXT, "%.300s (%.200s)", param->help, at->range);
}

/* ---- the walk ---- */

static void call(void (*part)(const cli_visit *at), const cli_visit *at) {
    if (part)
        part(at);
}

static void walk_word(cli_visit *at, const cli_writer *writer) {
    void *defaults = cli_defaults(at->word);
    if (!defaults)
        return;
    at->defaults = defaults;
    call(writer->word, at);
    for (int i = 0; i < at->word->param_count; i++) {
        at->param = &at->word->params[i];
        at->param_index = i;
        describe_param(at);
        call(writer->param, at);
        for (int k = 0; writer->option && k < at->param->option_count; k++)
            writer->option(at, &at->param->options[k]);
        call(writer->param_end, at);
    }
    call(writer->word_end, at);
    at->index++;
    free(defaults);
}

static void walk_step(cli_visit *at, const rv_step_info *step, const cli_writer *writer) {
    at->step = step;
    at->word = &step->word;
    walk_word(at, writer);
}

void cli_walk_step(const rv_step_info *step, const cli_writer *writer) {
    cli_visit at = {.user = writer->user};
    walk_step(&at, step, writer);
}

void cli_walk_steps(const cli_writer *writer) {
    cli_visit at = {.user = writer->user};
    for (int id = 0; id < RV_STEP_COUNT; id++)
        walk_step(&at, rv_step_get((rv_step_id)id), writer);
}

void cli_walk_kind(rv_step_kind kind, const cli_writer *writer) {
    cli_visit at = {.user = writer->user};
    for (int id = 0; id < RV_STEP_COUNT; id++)
        if (rv_step_get((rv_step_id)id)->kind == kind)
            walk_step(&at, rv_step_get((rv_step_id)id), writer);
}

void cli_walk_scene(const cli_writer *writer) {
    cli_visit at = {.user = writer->user};
    for (int i = 0; i < rv_scene_word_count(); i++) {
        at.word = rv_scene_word(i);
        walk_word(&at, writer);
    }
}
