/* pages.c: the man page, docs/steps.md and docs/scenes.md, from the tables. */
#include "cli.h"

#include <string.h>

/* ---- man(7) ---- */

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

static void man_word(const cli_visit *at) {
    fputs(".SS ", stdout);
    put_roff_line(at->word->name);
    put_roff_line(at->word->sentence);
    if (!at->step)
        return;
    char text[CLI_TEXT];
    puts(".br");
    snprintf(text, sizeof text, "Source: %s.", at->step->source);
    put_roff_line(text);
    puts(".br");
    snprintf(text, sizeof text, "Reads %s, writes %s.", cli_fields(at->step->reads),
             cli_fields(at->step->writes));
    put_roff_line(text);
}

static void man_param(const cli_visit *at) {
    char name[CLI_TEXT];
    snprintf(name, sizeof name, "%s=", at->param->name);
    put_tag(name, at->value);
    put_roff_line(at->text);
    if (at->param->option_count > 0)
        puts(".RS");
}

static void man_choice(const cli_visit *at, const rv_option_info *option) {
    (void)at;
    put_tag(option->name, "");
    put_roff_line(option->help);
}

static void man_param_end(const cli_visit *at) {
    if (at->param->option_count > 0)
        puts(".RE");
}

static void man_fields(void) {
    puts(".SH FIELDS\nWhat steps read and write beside the layers.");
    for (int i = 0; i < rv_field_count(); i++) {
        const rv_field_info *field = rv_field_get(i);
        char text[CLI_TEXT];
        put_tag(field->name, "");
        snprintf(text, sizeof text, "%s%s%s%s", field->meaning, field->unit[0] ? " (" : "",
                 field->unit, field->unit[0] ? ")" : "");
        put_roff_line(text);
    }
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
    puts(".TP\n\\fB\\-\\-\\fR\nall words after it belong to the recipe");
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
         "ravine \\- make terrain and erode it as water and gravity do\n"
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
         ".B ravine sweep\n"
         "\\fIRECIPE\\fR \\fISTEP\\fB.\\fIKEY\\fB=\\fIVALUES\\fR ... \\fB\\-\\-csv\\fR "
         "\\fITABLE\\fB.csv\\fR\n"
         ".br\n"
         ".B ravine studio\n"
         "[\\fIRECIPE\\fB.rv\\fR]\n"
         ".br\n"
         ".B ravine help\n"
         "[\\fISTEP\\fR]");
}

static void man_description(void) {
    puts(
        ".SH DESCRIPTION\n"
        "A recipe runs steps on a terrain: they make heights, reshape them, erode them and write\n"
        "them to files.\n"
        "A recipe is a list of steps with their parameters.\n"
        "The same words are a file, standard input (the file name \\fB\\-\\fR) or a command line.\n"
        ".PP\n"
        "A word with \\fB=\\fR is a parameter of the step before it.\n"
        "A word without \\fB=\\fR is the next step, or the file that the step before it takes.\n"
        "\\fB#\\fR starts a comment that runs to the end of the line.\n"
        "Counts may end in \\fBk\\fR, \\fBM\\fR or \\fBG\\fR.\n"
        "After a recipe, \\fISTEP\\fB.\\fIKEY\\fB=\\fIVALUE\\fR changes every such step of it.\n"
        ".PP\n"
        "\\fBravine sweep\\fR runs a recipe with many values of its parameters, such as\n"
        "\\fBnoise.seed=1..100\\fR or \\fBrivers.erosion=4,8,16\\fR: each run has a folder in\n"
        "\\fITABLE\\fR and a row in \\fITABLE\\fB.csv\\fR, and \\fITABLE\\fB.png\\fR shows "
        "all.\n"
        "The same command goes on where it was stopped.\n"
        ".PP\n"
        "Heights and cells are metres, angles are degrees.\n"
        "The same recipe gives the same bytes on every machine and with any number of threads.\n"
        "For each step that moves material the program says how much was eroded, deposited,\n"
        "left the map, is still suspended in water and was raised from below.");
}

static void man_example(const cli_visit *at) {
    char example[CLI_TEXT];
    cli_example(at->step, example);
    put_roff_line(example);
}

static void man_tail(void) {
    puts(".SH ENVIRONMENT\n"
         ".TP\n\\fBNO_COLOR\\fR\nif it is set and not empty, nothing is coloured\n"
         ".TP\n\\fBCOLUMNS\\fR\nwidth of the terminal, for the progress bar\n"
         ".SH EXAMPLES\n"
         ".EX\n"
         "ravine alps.rv\n"
         "ravine alps.rv terrain.size=4096 droplets.seed=2\n"
         "ravine terrain size=512 noise seed=7 droplets drops=200k save alps.png");
    static const cli_writer writer = {.word = man_example};
    cli_walk_steps(&writer);
    puts(".EE");
}

static void man_scenes_head(void) {
    puts(".SH SCENES\n"
         "\\fBravine scene\\fR takes the name of a preset or a file: a scene in the words below, "
         "or a "
         "settings file with lines of m, f, p, d and s.\n"
         "\\fIKEY\\fB=\\fIVALUE\\fR sets a parameter of the word run, "
         "\\fIWORD\\fB.\\fIKEY\\fB=\\fIVALUE\\fR one of every such word.");
}

void cli_man(void) {
    static const cli_writer writer = {
        .word = man_word, .param = man_param, .option = man_choice, .param_end = man_param_end};
    man_head();
    man_description();
    man_options();
    puts(".SH STEPS");
    cli_walk_steps(&writer);
    man_fields();
    man_scenes_head();
    cli_walk_scene(&writer);
    man_exit();
    man_tail();
}

/* ---- Markdown ---- */

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

static void markdown_word(const cli_visit *at) {
    printf("\n## %s\n\n%s\n\n", at->word->name, at->word->sentence);
    if (at->step)
        printf("Source: %s.\nReads %s, writes %s.\n\n", at->step->source,
               cli_fields(at->step->reads), cli_fields(at->step->writes));
    puts("| parameter | default | range | what it does |\n|---|---|---|---|");
}

static void markdown_param(const cli_visit *at) {
    printf("| `%s` | ", at->param->name);
    put_code(at->value);
    fputs(" | ", stdout);
    put_cell(at->range);
    fputs(" | ", stdout);
    put_cell(at->param->help);
}

static void markdown_choice(const cli_visit *at, const rv_option_info *option) {
    (void)at;
    fputs("<br>", stdout);
    put_code(option->name);
    fputs(": ", stdout);
    put_cell(option->help);
}

static void markdown_param_end(const cli_visit *at) {
    (void)at;
    puts(" |");
}

static void markdown_word_end(const cli_visit *at) {
    char example[CLI_TEXT];
    if (!at->step)
        return;
    cli_example(at->step, example);
    printf("\n    %s\n", example);
}

static const cli_writer markdown_writer = {.word = markdown_word,
                                           .param = markdown_param,
                                           .option = markdown_choice,
                                           .param_end = markdown_param_end,
                                           .word_end = markdown_word_end};

static void markdown_link(const cli_visit *at) {
    printf("%s [%s](#%s)", at->index > 0 ? "," : "", at->word->name, at->word->name);
}

static void markdown_fields(void) {
    puts("\n# Fields\n\n"
         "What steps read and write beside the layers; one number for each cell.\n\n"
         "| field | unit | what it is |\n|---|---|---|");
    for (int i = 0; i < rv_field_count(); i++) {
        const rv_field_info *field = rv_field_get(i);
        printf("| `%s` | %s | ", field->name, field->unit);
        put_cell(field->meaning);
        puts(" |");
    }
}

void cli_markdown(void) {
    static const cli_writer links = {.word = markdown_link};
    puts("# Steps\n\n"
         "Everything a recipe can say. This page is made by `ravine help --markdown` from\n"
         "`include/ravine/steps.def`; `ravine help STEP` shows the same in a terminal.\n");
    for (int kind = 0; kind < RV_KIND_COUNT; kind++) {
        printf("- steps that %s:", rv_kind_text((rv_step_kind)kind));
        cli_walk_kind((rv_step_kind)kind, &links);
        puts("");
    }
    cli_walk_steps(&markdown_writer);
    markdown_fields();
}

void cli_scene_markdown(void) {
    puts("# Words of scenes\n\n"
         "Everything a scene can say. This page is made by `ravine help scene --markdown` from\n"
         "`src/scene/scene.def`; `ravine help scene` shows the same in a terminal, and\n"
         "[solid.md](solid.md) says how scenes work.");
    cli_walk_scene(&markdown_writer);
}
