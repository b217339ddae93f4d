/* pages.c: the man page and docs/steps.md, from the table of steps. */
#include "cli.h"

#include <string.h>

/* ---- man(7)
 * ---------------------------------------------------------------------------------------- */

/* Letters that troff would read as something else, as it wants them written. */
static void put_roff(const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '\\':
            fputs("\\e", stdout);
            break;
        case '-':
            fputs("\\-", stdout);
            break;
        case '\'':
            fputs("\\(aq", stdout);
            break;
        case '`':
            fputs("\\(ga", stdout);
            break;
        case '^':
            fputs("\\(ha", stdout);
            break;
        case '~':
            fputs("\\(ti", stdout);
            break;
        case '"':
            fputs("\\(dq", stdout);
            break;
        default:
            putchar(*text);
        }
    }
}

/* A line of text; the mark in front keeps a leading dot from being a request. */
static void put_roff_line(const char *text) {
    fputs("\\&", stdout);
    put_roff(text);
    putchar('\n');
}

static void put_tag(const char *bold, const char *italic) {
    fputs(".TP\n\\fB", stdout);
    put_roff(bold);
    fputs("\\fR", stdout);
    if (italic[0]) {
        fputs("\\fI", stdout);
        put_roff(italic);
        fputs("\\fR", stdout);
    }
    putchar('\n');
}

static void man_param(const rv_step_info *step, const rv_param_info *param) {
    char name[CLI_TEXT], value[CLI_TEXT], text[CLI_TEXT];
    cli_default(step, param, value);
    cli_param_text(step, param, text);
    snprintf(name, sizeof name, "%s=", param->name);
    put_tag(name, value);
    put_roff_line(text);
    if (param->option_count == 0)
        return;
    puts(".RS");
    for (int i = 0; i < param->option_count; i++) {
        put_tag(param->options[i].name, "");
        put_roff_line(param->options[i].help);
    }
    puts(".RE");
}

static void man_step(const rv_step_info *step) {
    char text[CLI_TEXT];
    fputs(".SS ", stdout);
    put_roff_line(step->name);
    put_roff_line(step->sentence);
    puts(".br");
    snprintf(text, sizeof text, "Source: %s.", step->source);
    put_roff_line(text);
    puts(".br");
    snprintf(text, sizeof text, "Reads %s, writes %s.", cli_fields(step->reads),
             cli_fields(step->writes));
    put_roff_line(text);
    for (int i = 0; i < step->param_count; i++)
        man_param(step, &step->params[i]);
}

static void man_options(void) {
    puts(".SH OPTIONS");
    for (int i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_option_table[i];
        fputs(".TP\n\\fB", stdout);
        put_roff(option->name);
        fputs("\\fR", stdout);
        if (option->argument)
            printf(" \\fI%s\\fR", option->argument);
        putchar('\n');
        put_roff_line(option->help);
    }
    puts(".TP\n\\fB\\-\\-\\fR\nall words after it are words of the recipe");
}

static void man_exit(void) {
    puts(".SH EXIT STATUS");
    for (int i = 0; i < cli_exit_count; i++) {
        char code[16];
        snprintf(code, sizeof code, "%d", cli_exit_table[i].code);
        put_tag(code, "");
        put_roff_line(cli_exit_table[i].meaning);
    }
}

static void man_head(void) {
    printf(".TH RAVINE 1 \"\" \"Ravine %s\" \"User Commands\"\n", rv_version());
    puts(".SH NAME\n"
         "ravine \\- make terrain and wear it down the way water and gravity do\n"
         ".SH SYNOPSIS\n"
         ".B ravine\n"
         "[\\fIOPTION\\fR ...] \\fIRECIPE\\fB.rv\\fR [\\fISTEP\\fB.\\fIKEY\\fB=\\fIVALUE\\fR ...]\n"
         "[\\fISTEP\\fR [\\fIKEY\\fB=\\fIVALUE\\fR ...] ...]\n"
         ".br\n"
         ".B ravine\n"
         "[\\fIOPTION\\fR ...] \\fISTEP\\fR [\\fIKEY\\fB=\\fIVALUE\\fR ...] [\\fISTEP\\fR ...]\n"
         ".br\n"
         ".B ravine scene\n"
         "\\fINAME\\fR|\\fIFILE\\fR [\\fIKEY\\fB=\\fIVALUE\\fR ...] "
         "[\\fIWORD\\fB.\\fIKEY\\fB=\\fIVALUE\\fR ...]\n"
         ".br\n"
         ".B ravine help\n"
         "[\\fISTEP\\fR]");
}

static void man_description(void) {
    puts(
        ".SH DESCRIPTION\n"
        "A terrain flows through steps: they make heights, reshape them, wear them down and write\n"
        "them to files.\n"
        "A recipe is a list of steps with their parameters.\n"
        "The same words are a file, standard input (the file name \\fB\\-\\fR) or a command line.\n"
        ".PP\n"
        "A word with \\fB=\\fR is a parameter of the step before it.\n"
        "A word without is the next step, or the file that the step before it takes.\n"
        "\\fB#\\fR starts a comment that runs to the end of the line.\n"
        "Counts may end in \\fBk\\fR, \\fBM\\fR or \\fBG\\fR.\n"
        "After a recipe, \\fISTEP\\fB.\\fIKEY\\fB=\\fIVALUE\\fR changes every such step of it.\n"
        ".PP\n"
        "Heights and cells are metres, angles are degrees.\n"
        "The same recipe gives the same bytes on every machine and with any number of threads.\n"
        "For each step that moves material the program says how much was eroded, deposited,\n"
        "left the map, is still suspended in water and was raised from below.");
}

static void man_tail(void) {
    puts(".SH ENVIRONMENT\n"
         ".TP\n\\fBNO_COLOR\\fR\nnothing is coloured when it is set and not empty\n"
         ".TP\n\\fBCOLUMNS\\fR\nwidth of the terminal, for the progress bar\n"
         ".SH EXAMPLES\n"
         ".EX\n"
         "ravine alps.rv\n"
         "ravine alps.rv terrain.size=4096 droplets.seed=2\n"
         "ravine terrain size=512 noise seed=7 droplets drops=200k save alps.png");
    for (int id = 0; id < RV_STEP_COUNT; id++) {
        char example[CLI_TEXT];
        cli_example(rv_step_get((rv_step_id)id), example);
        put_roff_line(example);
    }
    puts(".EE");
}

static void man_scenes(void) {
    puts(".SH SCENES\n"
         "\\fBravine scene\\fR takes a ready scene or a file: a scene in the words below, or a "
         "settings file with lines of m, f, p, d and s.\n"
         "\\fIKEY\\fB=\\fIVALUE\\fR is of the word run, "
         "\\fIWORD\\fB.\\fIKEY\\fB=\\fIVALUE\\fR changes every such word.");
    for (int i = 0; i < rv_scene_word_count(); i++) {
        const rv_step_info *word = rv_scene_word(i);
        fputs(".SS ", stdout);
        put_roff_line(word->name);
        put_roff_line(word->sentence);
        for (int k = 0; k < word->param_count; k++)
            man_param(word, &word->params[k]);
    }
}

void cli_man(void) {
    man_head();
    man_description();
    man_options();
    puts(".SH STEPS");
    for (int id = 0; id < RV_STEP_COUNT; id++)
        man_step(rv_step_get((rv_step_id)id));
    man_scenes();
    man_exit();
    man_tail();
}

/* ---- Markdown
 * --------------------------------------------------------------------------------------- */

static void put_cell(const char *text) {
    for (; *text; text++) {
        if (strchr("|*<\\", *text))
            putchar('\\');
        putchar(*text);
    }
}

static void put_code(const char *text) {
    if (text[0])
        printf("`%s`", text);
}

static void markdown_param(const rv_step_info *step, const rv_param_info *param) {
    char value[CLI_TEXT], range[CLI_TEXT];
    cli_default(step, param, value);
    cli_range(step, param, range);
    printf("| `%s` | ", param->name);
    put_code(value);
    fputs(" | ", stdout);
    put_cell(range);
    fputs(" | ", stdout);
    put_cell(param->help);
    for (int i = 0; i < param->option_count; i++) {
        fputs("<br>", stdout);
        put_code(param->options[i].name);
        fputs(": ", stdout);
        put_cell(param->options[i].help);
    }
    puts(" |");
}

static void markdown_step(const rv_step_info *step) {
    char example[CLI_TEXT];
    cli_example(step, example);
    printf("\n## %s\n\n%s\n\n", step->name, step->sentence);
    printf("Source: %s.\nReads %s, writes %s.\n\n", step->source, cli_fields(step->reads),
           cli_fields(step->writes));
    puts("| parameter | default | range | what it does |\n|---|---|---|---|");
    for (int i = 0; i < step->param_count; i++)
        markdown_param(step, &step->params[i]);
    printf("\n    %s\n", example);
}

void cli_markdown(void) {
    puts("# Steps\n\n"
         "Everything a recipe can say. This page is made by `ravine help --markdown` from\n"
         "`include/ravine/steps.def`; `ravine help STEP` shows the same in a terminal.\n");
    for (int kind = RV_KIND_make; kind <= RV_KIND_order; kind++) {
        printf("- steps that %s:", rv_kind_text((rv_step_kind)kind));
        const char *comma = "";
        for (int id = 0; id < RV_STEP_COUNT; id++) {
            const rv_step_info *step = rv_step_get((rv_step_id)id);
            if (step->kind != (rv_step_kind)kind)
                continue;
            printf("%s [%s](#%s)", comma, step->name, step->name);
            comma = ",";
        }
        puts("");
    }
    for (int id = 0; id < RV_STEP_COUNT; id++)
        markdown_step(rv_step_get((rv_step_id)id));
}

void cli_scene_markdown(void) {
    puts("# Words of scenes\n\n"
         "Everything a scene can say. This page is made by `ravine help scene --markdown` from\n"
         "`src/scene/scene.def`; `ravine help scene` shows the same in a terminal, and\n"
         "[solid.md](solid.md) says how scenes work.");
    for (int i = 0; i < rv_scene_word_count(); i++) {
        const rv_step_info *word = rv_scene_word(i);
        printf("\n## %s\n\n%s\n\n", word->name, word->sentence);
        puts("| parameter | default | range | what it does |\n|---|---|---|---|");
        for (int k = 0; k < word->param_count; k++)
            markdown_param(word, &word->params[k]);
    }
}
