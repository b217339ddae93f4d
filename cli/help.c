/* help.c: `ravine help` and `ravine help STEP`, from the table of steps. */
#include "cli.h"

#include <string.h>

enum { WIDTH = 80, NAME = 13, VALUE = 26 };

void cli_usage(FILE *out) {
    fputs("usage: ravine RECIPE.rv [STEP.KEY=VALUE ...] [STEP [KEY=VALUE ...] ...]\n"
          "       ravine STEP [KEY=VALUE ...] [STEP ...]\n",
          out);
    for (int i = 0; i < cli_command_count; i++)
        fprintf(out, "       %s\n", cli_command_table[i].usage);
    fputs("for example: ravine terrain size=512 noise seed=7 droplets save land.png\n", out);
}

/* Prints from column `at` on, breaking at blanks outside parentheses; further lines begin at column
 * `indent`. */
static void put_wrapped(int at, int indent, const char *text) {
    while (*text) {
        int size = (int)strcspn(text, text[0] == '(' ? ")" : " ");
        size += (int)strcspn(text + size, " "); /* the parenthesis, and a comma after it */
        if (at > indent && at + 1 + size > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            putchar(' ');
            at++;
        }
        at += printf("%.*s", size, text);
        text += size;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* "  name   text": the name fills `indent` columns, or stands on a line of its own. */
static void put_entry(int margin, int indent, const char *name, const char *text) {
    int used = printf("%*s%s", margin, "", name);
    if (used + 2 > indent) {
        putchar('\n');
        used = 0;
    }
    printf("%*s", indent - used, "");
    put_wrapped(indent, indent, text);
}

static void put_heading(const char *text) {
    bool bold = cli_colour(stdout);
    printf("%s%s%s\n", bold ? "\033[1m" : "", text, bold ? "\033[0m" : "");
}

/* ---- the overview ---- */

static void put_name(const cli_visit *at) {
    put_entry(2, NAME, at->word->name, at->word->sentence);
}

static void put_steps(void) {
    static const cli_writer writer = {.word = put_name};
    for (int kind = 0; kind < RV_KIND_COUNT; kind++) {
        char heading[CLI_TEXT];
        snprintf(heading, sizeof heading, "Steps that %s", rv_kind_text((rv_step_kind)kind));
        puts("");
        put_heading(heading);
        cli_walk_kind((rv_step_kind)kind, &writer);
    }
}

static void put_commands(void) {
    puts("");
    put_heading("Commands");
    for (int i = 0; i < cli_command_count; i++)
        put_entry(2, NAME, cli_command_table[i].name, cli_command_table[i].help);
}

static void put_options(void) {
    puts("");
    put_heading("Options");
    for (int i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        char name[CLI_TEXT];
        snprintf(name, sizeof name, "%s%s%s", option->name, option->argument ? " " : "",
                 option->argument ? option->argument : "");
        put_entry(2, 18, name, option->help);
    }
}

static void put_overview(void) {
    puts("Ravine makes terrain and erodes it as water and gravity do.\n");
    cli_usage(stdout);
    puts("");
    put_wrapped(
        0, 0,
        "A recipe is a list of steps, in a file or on the command line. A word with = is a "
        "parameter of the step before it; a word without = is the next step, or the file "
        "that a step such as save takes. STEP.KEY=VALUE changes every such step of the recipe, "
        "STEP#2.KEY=VALUE the second of them. Counts may end in k, M or G. The file - is standard "
        "input.");
    put_steps();
    put_commands();
    put_options();
    puts("");
    put_heading("Exit codes");
    for (int i = 0; i < cli_exit_count; i++) {
        char code[16];
        snprintf(code, sizeof code, "%d", cli_exit_table[i].code);
        put_entry(2, 7, code, cli_exit_table[i].meaning);
    }
    puts("");
    put_heading("Examples");
    puts("  ravine alps\n"
         "  ravine alps resize.size=1024 noise#1.seed=2 --without render\n"
         "  ravine terrain size=512 noise seed=7 droplets drops=200k save alps.png\n"
         "  ravine help droplets");
}

/* ---- one step ---- */

static void put_param(const cli_visit *at) {
    char name[2 * CLI_TEXT];
    snprintf(name, sizeof name, "%s=%s", at->param->name, at->value);
    put_entry(2, VALUE, name, at->text);
}

static void put_option(const cli_visit *at, const rv_option_info *option) {
    (void)at;
    put_entry(4, VALUE, option->name, option->help);
}

static void put_step(const cli_visit *at) {
    put_heading(at->word->name);
    put_entry(0, 2, "", at->word->sentence);
    puts("");
    if (rv_step_also(at->step->id)[0])
        put_entry(2, NAME, "also", rv_step_also(at->step->id));
    put_entry(2, NAME, "source", at->step->source);
    put_entry(2, NAME, "reads", cli_fields(at->step->reads));
    put_entry(2, NAME, "writes", cli_fields(at->step->writes));
    puts("");
    put_heading("Parameters, with their defaults");
}

static void end_step(const cli_visit *at) {
    char example[CLI_TEXT];
    const rv_param_info *file = cli_bare_file(at->word);
    if (file)
        printf("  %s= may be left out before the name.\n", file->name);
    puts("");
    put_heading("Example");
    cli_example(at->step, example);
    printf("  %s\n", example);
}

/* ---- scenes ---- */

static void put_word(const cli_visit *at) {
    if (at->index > 0)
        puts("");
    put_entry(0, NAME, at->word->name, at->word->sentence);
}

static void put_scene(void) {
    put_heading("scene");
    put_entry(0, 2, "", "Water made of particles erodes closed meshes, frame by frame.");
    puts("");
    put_wrapped(
        0, 0,
        "After `ravine scene` comes the name of a preset, or a file: a scene in the words "
        "below, or a settings file with lines of m, f, p, d and s. KEY=VALUE then sets a "
        "parameter of the word run, and WORD.KEY=VALUE one of every such word of the scene.");
    puts("");
    put_heading("Words, with the defaults of their parameters");
    static const cli_writer writer = {.word = put_word, .param = put_param, .option = put_option};
    cli_walk_scene(&writer);
    puts("");
    put_heading("Example");
    puts("  ravine scene river frames=20 particles.max=2000 save=river.obj");
}

static void put_command(const cli_command *command) {
    put_heading(command->name);
    put_entry(0, 2, "", command->usage);
    puts("");
    char text[CLI_TEXT];
    snprintf(text, sizeof text, "%c%s.", command->help[0] - 'a' + 'A', command->help + 1);
    put_wrapped(0, 0, text);
}

static int unknown_step(const char *name) {
    for (int i = 0; i < rv_scene_word_count(); i++)
        if (strcmp(name, rv_scene_word(i)->name) == 0)
            return cli_fail(2, "%s is a word of scenes: see `ravine help scene`.", name);
    rv_context *ctx; /* the library knows the nearest step, and what else people call steps */
    rv_params *none;
    if (rv_context_create(NULL, &ctx) != RV_OK)
        return cli_fail(5, "There is not enough memory.");
    rv_params_create(ctx, name, &none);
    int code = cli_fail(2, "%s", rv_context_error(ctx));
    rv_context_destroy(ctx);
    return code;
}

int cli_help(int count, char **names) {
    static const cli_writer writer = {
        .word = put_step, .param = put_param, .option = put_option, .word_end = end_step};
    if (count == 0)
        put_overview();
    for (int i = 0; i < count; i++)
        if (!rv_step_find(names[i]) && !cli_command_find(names[i]))
            return cli_command_meant(names[i]) ? 2 : unknown_step(names[i]);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            puts("");
        if (rv_step_find(names[i]))
            cli_walk_step(rv_step_find(names[i]), &writer);
        else if (strcmp(names[i], "scene") == 0)
            put_scene();
        else
            put_command(cli_command_find(names[i]));
    }
    return 0;
}
