/* options.c: sorts the command line into options and words. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const cli_command cli_command_table[] = {
    {"devices", "ravine devices", "list the GPUs and other devices that `--device` can use",
     " gpu gpus opencl cuda device "},
    {"list", "ravine list",
     "list the recipes and scenes that come with Ravine; `ravine alps` runs one",
     " recipes presets examples scenes "},
    {"resume", "ravine resume FILE",
     "continue a run from its checkpoint: the FILE that --checkpoint named",
     " continue restart checkpoint "},
    {"scene", "ravine scene NAME|FILE [frames=N] [save=OUT.obj] [WORD.KEY=VALUE ...]",
     "let water made of particles erode closed meshes", " sph "},
    {"solid", "ravine solid check FILE.obj", "say whether a mesh is closed and does not cut itself",
     " manifold watertight "},
    {"studio", "ravine studio [RECIPE.rv] [--port N] [--no-open]",
     "open the studio in the browser, with this machine behind it",
     " gui ui window app browser editor viewer web server "},
    {"sweep", "ravine sweep RECIPE STEP.KEY=VALUES ... --csv TABLE.csv [--jobs N]",
     "run a recipe with many values: noise.seed=1..100, rivers.erosion=4,8,16, "
     "noise.gain=0.3..0.5..0.1; each run gets a folder in TABLE and a row in TABLE.csv, and "
     "TABLE.png shows all; the same command goes on where it was stopped",
     " batch vary matrix "},
    {"help", "ravine help [STEP|COMMAND ...]", "explain steps and commands", " man usage docs "},
};
const int cli_command_count = (int)(sizeof cli_command_table / sizeof cli_command_table[0]);

const cli_command *cli_command_find(const char *name) {
    for (int i = 0; i < cli_command_count; i++)
        if (strcmp(name, cli_command_table[i].name) == 0)
            return &cli_command_table[i];
    return NULL;
}

int cli_command_meant(const char *word) {
    char spaced[32];
    int size = snprintf(spaced, sizeof spaced, " %.29s ", word);
    for (int i = 0; i < size; i++)
        spaced[i] =
            (char)(spaced[i] >= 'A' && spaced[i] <= 'Z' ? spaced[i] + 'a' - 'A' : spaced[i]);
    for (int i = 0; i < cli_command_count && !strchr(word, ' ') && *word; i++)
        if (strstr(cli_command_table[i].also, spaced))
            return cli_fail(2, "There is no step \"%.40s\"; see `ravine %s`.", word,
                            cli_command_table[i].name);
    return 0;
}

const cli_option cli_option_table[] = {
    {"--threads", "N",
     "use N threads, 1 to 1024; any number gives the same result (default: one per core)",
     CLI_PAGE_NONE},
    {"--memory", "SIZE",
     "use at most SIZE bytes of memory, such as 512M or 4G (default: 90 % of what the machine or "
     "container allows)",
     CLI_PAGE_NONE},
    {"--device", "cpu|gpu|auto|N",
     "run on a GPU the steps, and the water of scenes, that can, with the same result; N is a "
     "number of `ravine devices` (default: cpu)",
     CLI_PAGE_NONE},
    {"--device-memory", "SIZE",
     "use at most SIZE bytes of the device's memory; steps that need more run on the processor "
     "(default: 90 % of it)",
     CLI_PAGE_NONE},
    {"--quiet", NULL, "print nothing but errors", CLI_PAGE_NONE},
    {"--json", NULL,
     "print one JSON object for each step to standard output, one per line; after help: all "
     "steps, words and fields as one JSON document",
     CLI_PAGE_NONE},
    {"--dry-run", NULL,
     "show the plan, the memory it needs and about how long it will take; write nothing",
     CLI_PAGE_NONE},
    {"--until", "STEP",
     "leave out all steps of a recipe after STEP; of several, STEP#2 is the second", CLI_PAGE_NONE},
    {"--without", "STEP", "leave out every STEP, or STEP#2; may be given several times",
     CLI_PAGE_NONE},
    {"--keep", NULL,
     "the first Ctrl-C ends the running step where it stands and goes on with the steps that save "
     "and show; the second stops the run",
     CLI_PAGE_NONE},
    {"--checkpoint", "FILE",
     "save the run to FILE between steps, so that `ravine resume FILE` can continue from there",
     CLI_PAGE_NONE},
    {"--every", "SECONDS", "time between two checkpoints (default: 60)", CLI_PAGE_NONE},
    {"--csv", "FILE", "after sweep: the table to write", CLI_PAGE_NONE},
    {"--jobs", "N", "after sweep: N runs at a time (default: as many as cores and memory allow)",
     CLI_PAGE_NONE},
    {"--port", "N", "after studio: serve the page on port N (default: any that is free)",
     CLI_PAGE_NONE},
    {"--no-open", NULL, "after studio: print the address and open no browser", CLI_PAGE_NONE},
    {"--help", NULL, "the same as the word help", CLI_PAGE_HELP},
    {"--version", NULL, "show the version", CLI_PAGE_VERSION},
    {"--man", NULL, "after help: the man page", CLI_PAGE_MAN},
    {"--markdown", NULL, "after help: all steps as a Markdown page", CLI_PAGE_MARKDOWN},
    {"--completion", NULL,
     "after help: the completion script for bash, or for zsh or fish: `ravine help --completion "
     "fish`",
     CLI_PAGE_COMPLETION},
    {"--words", NULL, "after help: every word that Ravine knows, one per line", CLI_PAGE_WORDS},
};
const int cli_option_count = (int)(sizeof cli_option_table / sizeof cli_option_table[0]);

static bool is_argument(const char *word, const char *name, size_t size) {
    return strncmp(word, name, size) == 0 && name[size] == '\0';
}

/* `size` letters of `word` are the option; a value may follow after '='. */
static const cli_option *find_option(const char *word, size_t size) {
    if (is_argument(word, "-h", size))
        return find_option("--help", strlen("--help"));
    if (is_argument(word, "-v", size) || is_argument(word, "-V", size))
        return find_option("--version", strlen("--version"));
    for (int i = 0; i < cli_option_count; i++)
        if (is_argument(word, cli_option_table[i].name, size))
            return &cli_option_table[i];
    return NULL;
}

/* The beginning of an option counts as nearer than any typing error. */
static const char *nearest_option(const char *word) {
    const char *nearest = cli_option_table[0].name;
    int least = cli_distance(word, nearest);
    for (int i = 0; i < cli_option_count; i++) {
        const char *name = cli_option_table[i].name;
        if (strlen(word) > strlen("--") && strncmp(word, name, strlen(word)) == 0)
            return name;
        int distance = cli_distance(word, name);
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    return nearest;
}

static int read_whole(const cli_option *option, const char *value, int most, int *out) {
    char *end;
    errno = 0;
    long n = strtol(value, &end, 10);
    if (errno || end == value || *end || n < 1 || n > most)
        return cli_fail(2, "%s takes a whole number from 1 to %d, not \"%.60s\".", option->name,
                        most, value);
    *out = (int)n;
    return 0;
}

static int read_device(const char *value, int *device) {
    static const struct {
        const char *name;
        int device;
    } names[] = {{"cpu", RV_DEVICE_CPU}, {"gpu", RV_DEVICE_GPU}, {"auto", RV_DEVICE_AUTO}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value, names[i].name) == 0) {
            *device = names[i].device;
            return 0;
        }
    char *end;
    errno = 0;
    long n = strtol(value, &end, 10);
    if (errno || end == value || *end || n < 1 || n > 64)
        return cli_fail(2,
                        "--device takes cpu, gpu, auto or a number of `ravine devices`, not "
                        "\"%.60s\".",
                        value);
    *device = (int)n;
    return 0;
}

/* 4G, 1.5g, 512MiB, 100000: letters are powers of 1024. */
static int read_memory(const cli_option *option, const char *value, size_t *memory) {
    static const char letters[] = "KMGT";
    char *end = NULL;
    double bytes = value[0] >= '0' && value[0] <= '9' ? strtod(value, &end) : 0.0;
    bool good = bytes > 0.0 && value[1] != 'x' && value[1] != 'X';
    if (good && *end) {
        const char *letter = strchr(letters, *end >= 'a' ? *end - 'a' + 'A' : *end);
        for (long i = 0; letter && i <= letter - letters; i++)
            bytes *= 1024.0;
        const char *rest = letter ? end + 1 : end;
        good =
            letter && (strcmp(rest, "") == 0 || strcmp(rest, "B") == 0 || strcmp(rest, "iB") == 0);
    }
    if (!good || bytes < 1.0 || bytes > (double)(SIZE_MAX / 2))
        return cli_fail(2, "%s takes a size such as 512M or 4G, not \"%.60s\".", option->name,
                        value);
    *memory = (size_t)bytes;
    return 0;
}

static int read_seconds(const char *value, double *seconds) {
    char *end;
    *seconds = strtod(value, &end);
    if (end == value || *end || !(*seconds >= 0.0 && *seconds <= 1e9))
        return cli_fail(2, "--every takes a number of seconds, not \"%.60s\".", value);
    return 0;
}

static int take_option(cli_options *o, const cli_option *option, const char *value) {
    if (option->page != CLI_PAGE_NONE && o->page <= CLI_PAGE_HELP)
        o->page = option->page;
    if (strcmp(option->name, "--threads") == 0)
        return read_whole(option, value, 1024, &o->threads);
    if (strcmp(option->name, "--memory") == 0)
        return read_memory(option, value, &o->memory);
    if (strcmp(option->name, "--device-memory") == 0)
        return read_memory(option, value, &o->device_memory);
    if (strcmp(option->name, "--device") == 0)
        return read_device(value, &o->device);
    if (strcmp(option->name, "--every") == 0)
        return read_seconds(value, &o->every);
    if (strcmp(option->name, "--port") == 0)
        return read_whole(option, value, 65535, &o->port);
    if (strcmp(option->name, "--jobs") == 0)
        return read_whole(option, value, 1024, &o->jobs);
    if (strcmp(option->name, "--csv") == 0)
        o->csv = value;
    if (strcmp(option->name, "--checkpoint") == 0)
        o->checkpoint = value;
    if (strcmp(option->name, "--until") == 0)
        o->until = value;
    if (strcmp(option->name, "--without") == 0) {
        if (o->without_count == CLI_WITHOUT)
            return cli_fail(2, "--without may be given %d times.", CLI_WITHOUT);
        o->without[o->without_count++] = value;
    }
    o->keep |= strcmp(option->name, "--keep") == 0;
    o->quiet |= strcmp(option->name, "--quiet") == 0;
    o->json |= strcmp(option->name, "--json") == 0;
    o->dry_run |= strcmp(option->name, "--dry-run") == 0;
    o->no_open |= strcmp(option->name, "--no-open") == 0;
    return 0;
}

static int read_option(cli_options *o, int argc, char **argv, int *at) {
    const char *word = argv[*at];
    size_t size = strcspn(word, "=");
    const cli_option *option = find_option(word, size);
    if (!option)
        return cli_fail(2, "%.60s is not an option; the nearest is %s.", word,
                        nearest_option(word));
    const char *value = word[size] ? word + size + 1 : NULL;
    if (value && !option->argument)
        return cli_fail(2, "%s takes no value.", option->name);
    if (!value && option->argument) {
        if (*at + 1 >= argc)
            return cli_fail(2, "%s needs a value: %s %s.", option->name, option->name,
                            option->argument);
        value = argv[++*at];
    }
    return take_option(o, option, value);
}

int cli_options_read(cli_options *o, int argc, char **argv) {
    *o = (cli_options){.words = argv, .every = 60.0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            while (++i < argc)
                o->words[o->count++] = argv[i];
            break;
        }
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            o->words[o->count++] = argv[i];
            continue;
        }
        int code = read_option(o, argc, argv, &i);
        if (code != 0)
            return code;
    }
    return 0;
}
