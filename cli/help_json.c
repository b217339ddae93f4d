/* help_json.c: `ravine help --json`: all that Ravine knows, as one document for programs.
 * docs/help.schema.json says what is in it. */
#include "cli.h"

#include <string.h>

static void put_text(const char *key, const char *text) {
    printf(",\"%s\":", key);
    cli_json_text(stdout, text);
}

static void put_first(const char *key, const char *text) {
    printf("{\"%s\":", key);
    cli_json_text(stdout, text);
}

static void put_comma(int index) {
    fputs(index > 0 ? ",\n" : "\n", stdout);
}

/* "height mask" as ["height","mask"]. */
static void put_names(const char *key, const char *names) {
    printf(",\"%s\":[", key);
    for (const char *at = names; *at;) {
        size_t size = strcspn(at, " ");
        printf("%s\"%.*s\"", at == names ? "" : ",", (int)size, at);
        at += size + strspn(at + size, " ");
    }
    putchar(']');
}

/* ---- steps and words ---- */

static void put_word(const cli_visit *at) {
    put_comma(at->index);
    put_first("name", at->word->name);
    put_text("sentence", at->word->sentence);
    if (at->step) {
        char example[CLI_TEXT];
        cli_example(at->step, example);
        put_text("also", rv_step_also(at->step->id));
        put_text("kind", rv_kind_name(at->step->kind));
        put_text("source", at->step->source);
        put_names("reads", at->step->reads);
        put_names("writes", at->step->writes);
        printf(",\"resizes\":%s", at->step->flags & RV_STEP_FLAG_RESIZES ? "true" : "false");
        put_text("example", example);
    }
    fputs(",\"parameters\":[", stdout);
}

static void put_range(const rv_param_info *param) {
    switch (param->type) {
    case RV_PARAM_REAL:
    case RV_PARAM_INT:
    case RV_PARAM_COUNT:
    case RV_PARAM_VECTOR:
        fputs(",\"min\":", stdout);
        cli_json_real(stdout, param->low);
        fputs(",\"max\":", stdout);
        cli_json_real(stdout, param->high);
        break;
    case RV_PARAM_SEED:
        fputs(",\"min\":0,\"max\":18446744073709551615", stdout);
        break;
    case RV_PARAM_SWITCH:
    case RV_PARAM_CHOICE:
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE:
        break;
    }
}

static void put_param(const cli_visit *at) {
    const rv_param_info *param = at->param;
    put_comma(at->param_index);
    put_first("name", param->name);
    put_text("type", cli_type(param->type));
    fputs(",\"default\":", stdout);
    cli_json_value(stdout, param, at->defaults);
    printf(",\"auto\":%s,\"required\":%s", rv_param_has_auto(param) ? "true" : "false",
           param->required ? "true" : "false");
    put_range(param);
    if (param->type == RV_PARAM_FILE)
        printf(",\"writes\":%s", param->writes ? "true" : "false");
    if (param->in_cells)
        fputs(",\"in_cells\":true", stdout);
    put_text("unit", param->unit);
    put_text("help", param->help);
    if (param->option_count > 0)
        fputs(",\"options\":[", stdout);
}

static void put_option(const cli_visit *at, const rv_option_info *option) {
    fputs(option == at->param->options ? "" : ",", stdout);
    put_first("name", option->name);
    put_text("help", option->help);
    putchar('}');
}

static void end_param(const cli_visit *at) {
    fputs(at->param->option_count > 0 ? "]}" : "}", stdout);
}

static void end_word(const cli_visit *at) {
    (void)at;
    fputs("]}", stdout);
}

/* ---- the rest ---- */

static void put_kinds(void) {
    for (int kind = 0; kind < RV_KIND_COUNT; kind++) {
        put_comma(kind);
        put_first("name", rv_kind_name((rv_step_kind)kind));
        put_text("text", rv_kind_text((rv_step_kind)kind));
        putchar('}');
    }
}

static void put_fields(void) {
    for (int i = 0; i < rv_field_count(); i++) {
        const rv_field_info *field = rv_field_get(i);
        put_comma(i);
        put_first("name", field->name);
        put_text("unit", field->unit);
        put_text("meaning", field->meaning);
        putchar('}');
    }
}

static void put_options(void) {
    for (int i = 0; i < cli_option_count; i++) {
        put_comma(i);
        put_first("name", cli_option_table[i].name);
        put_text("argument", cli_option_table[i].argument);
        put_text("help", cli_option_table[i].help);
        putchar('}');
    }
}

static void put_exits(void) {
    for (int i = 0; i < cli_exit_count; i++) {
        put_comma(i);
        printf("{\"code\":%d", cli_exit_table[i].code);
        put_text("meaning", cli_exit_table[i].meaning);
        putchar('}');
    }
}

void cli_help_json(void) {
    static const cli_writer writer = {.word = put_word,
                                      .param = put_param,
                                      .option = put_option,
                                      .param_end = end_param,
                                      .word_end = end_word};
    put_first("version", rv_version());
    fputs(",\n\"kinds\":[", stdout);
    put_kinds();
    fputs("],\n\"fields\":[", stdout);
    put_fields();
    fputs("],\n\"steps\":[", stdout);
    cli_walk_steps(&writer);
    fputs("],\n\"scene_words\":[", stdout);
    cli_walk_scene(&writer);
    fputs("],\n\"options\":[", stdout);
    put_options();
    fputs("],\n\"exit_codes\":[", stdout);
    put_exits();
    puts("]}");
}
