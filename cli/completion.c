/* completion.c: the completion script for bash and the list of all words, from the table of steps.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static void put_name(const cli_visit *at) {
    printf("%s%s", at->index > 0 ? " " : "", at->word->name);
}

static void put_option_names(bool pages) {
    const char *blank = "";
    for (int i = 0; i < cli_option_count; i++) {
        if ((cli_option_table[i].page > CLI_PAGE_VERSION) != pages)
            continue;
        printf("%s%s", blank, cli_option_table[i].name);
        blank = " ";
    }
}

/* Words of scenes have names of their own among the cases. */
static const char *prefix(const cli_visit *at) {
    return at->step ? "" : "scene:";
}

static void put_keys(const cli_visit *at) {
    printf("    %s%s) echo '", prefix(at), at->word->name);
}

static void put_key(const cli_visit *at) {
    printf("%s%s=", at->param_index > 0 ? " " : "", at->param->name);
}

static void end_case(const cli_visit *at) {
    (void)at;
    puts("' ;;");
}

static void put_scene_names(void) {
    fputs("_ravine_scenes='", stdout);
    for (int i = 0; i < rv_scene_preset_count(); i++)
        printf("%s%s", i ? " " : "", rv_scene_preset_name(i));
    puts("'");
}

/* A file is completed by name, a choice by its options, a switch by its two words. */
static void put_values(const cli_visit *at) {
    const rv_param_info *param = at->param;
    bool choice = param->type == RV_PARAM_CHOICE || param->type == RV_PARAM_SWITCH;
    if (param->type != RV_PARAM_FILE && !choice && !rv_param_has_auto(param))
        return;
    printf("    %s%s.%s) echo '", prefix(at), at->word->name, param->name);
    if (param->type == RV_PARAM_FILE)
        fputs("FILE", stdout);
    for (const char *word = at->range; choice && *word;) {
        size_t size = strcspn(word, ", ");
        printf("%.*s ", (int)size, word);
        word += size + strspn(word + size, ", ");
    }
    fputs(rv_param_has_auto(param) ? "auto" : "", stdout);
    puts("' ;;");
}

static void put_cases(const char *function, const cli_writer *writer) {
    printf("%s() {\n    case $1 in\n", function);
    cli_walk_steps(writer);
    cli_walk_scene(writer);
    puts("    esac\n}\n");
}

static void put_bare_file(const cli_visit *at) {
    const char **bar = at->user;
    if (!cli_bare_file(at->word))
        return;
    printf("%s%s", *bar, at->word->name);
    *bar = " | ";
}

static void put_bare_files(void) {
    const char *bar = "";
    const cli_writer writer = {.word = put_bare_file, .user = &bar};
    fputs("_ravine_takes_file() {\n    case $1 in\n    ", stdout);
    cli_walk_steps(&writer);
    puts(") return 0 ;;\n    esac\n    return 1\n}\n");
}

static const char script[] =
    "# Adds the candidates in $1 that begin with $2.\n"
    "_ravine_add() {\n"
    "    local word\n"
    "    for word in $1; do\n"
    "        [[ $word == \"$2\"* ]] && COMPREPLY+=(\"$word\")\n"
    "    done\n"
    "}\n"
    "\n"
    "_ravine_add_files() {\n"
    "    local name\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    while IFS= read -r name; do\n"
    "        COMPREPLY+=(\"$name\")\n"
    "    done < <(compgen -f -- \"$1\")\n"
    "}\n"
    "\n"
    "# The value of $1 (STEP.KEY), begun with $2.\n"
    "_ravine_add_value() {\n"
    "    local values\n"
    "    values=$(_ravine_values \"$1\")\n"
    "    if [[ $values == FILE ]]; then\n"
    "        _ravine_add_files \"$2\"\n"
    "    else\n"
    "        _ravine_add \"$values\" \"$2\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "# After `ravine scene`: $1 is the word that was begun, $2 how many there are.\n"
    "_ravine_scene() {\n"
    "    local key word keys\n"
    "    if [[ $1 == -* ]]; then\n"
    "        _ravine_add \"$_ravine_options\" \"$1\"\n"
    "    elif [[ $1 == *=* ]]; then\n"
    "        key=${1%%=*}\n"
    "        [[ $key == *.* ]] || key=run.$key\n"
    "        _ravine_add_value \"scene:$key\" \"${1#*=}\"\n"
    "        if [[ $COMP_WORDBREAKS != *=* ]]; then\n"
    "            COMPREPLY=(\"${COMPREPLY[@]/#/${1%%=*}=}\")\n"
    "        fi\n"
    "    elif (($2 == 2)); then\n"
    "        _ravine_add \"$_ravine_scenes\" \"$1\"\n"
    "        _ravine_add_files \"$1\"\n"
    "    elif [[ $1 == *.* ]]; then\n"
    "        word=${1%%.*}\n"
    "        keys=$(_ravine_keys \"scene:$word\")\n"
    "        _ravine_add \"$word.${keys// / $word.}\" \"$1\"\n"
    "    else\n"
    "        _ravine_add \"$(_ravine_keys scene:run) $_ravine_scene_words\" \"$1\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "_ravine() {\n"
    "    local words=() count=0 i word last step='' current key\n"
    "    COMPREPLY=()\n"
    "    # Bash cuts words at '=': put them together again.\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        last=''\n"
    "        ((count > 0)) && last=${words[count - 1]}\n"
    "        if [[ $last && ($word == =* || $last == *=) ]]; then\n"
    "            words[count - 1]=$last$word\n"
    "        else\n"
    "            words[count]=$word\n"
    "            count=$((count + 1))\n"
    "        fi\n"
    "    done\n"
    "    ((count > 0)) || return\n"
    "    current=${words[count - 1]}\n"
    "    for ((i = 0; i < count - 1; i++)); do\n"
    "        [[ \" $_ravine_steps \" == *\" ${words[i]} \"* ]] && step=${words[i]}\n"
    "    done\n"
    "    last=''\n"
    "    ((count > 1)) && last=${words[count - 2]}\n"
    "    if [[ $last == --threads || $last == --memory ]]; then\n"
    "        return\n"
    "    elif [[ ${words[0]} == help ]] && ((count > 1)); then\n"
    "        _ravine_add \"$_ravine_steps scene $_ravine_pages\" \"$current\"\n"
    "    elif [[ ${words[0]} == scene ]] && ((count > 1)); then\n"
    "        _ravine_scene \"$current\" \"$count\"\n"
    "    elif [[ $current == -* ]]; then\n"
    "        _ravine_add \"$_ravine_options\" \"$current\"\n"
    "    elif [[ $current == *=* ]]; then\n"
    "        key=${current%%=*}\n"
    "        [[ $key == *.* ]] || key=$step.$key\n"
    "        _ravine_add_value \"$key\" \"${current#*=}\"\n"
    "        if [[ $COMP_WORDBREAKS != *=* ]]; then\n"
    "            COMPREPLY=(\"${COMPREPLY[@]/#/${current%%=*}=}\")\n"
    "        fi\n"
    "    elif [[ $current == *.* && \" $_ravine_steps \" == *\" ${current%%.*} \"* ]]; then\n"
    "        key=$(_ravine_keys \"${current%%.*}\")\n"
    "        _ravine_add \"${current%%.*}.${key// / ${current%%.*}.}\" \"$current\"\n"
    "    else\n"
    "        [[ $step ]] || _ravine_add help \"$current\"\n"
    "        ((count > 1)) || _ravine_add \"scene studio\" \"$current\"\n"
    "        [[ $step ]] && _ravine_add \"$(_ravine_keys \"$step\")\" \"$current\"\n"
    "        _ravine_add \"$_ravine_steps\" \"$current\"\n"
    "        if [[ -z $step ]] || _ravine_takes_file \"$step\"; then\n"
    "            _ravine_add_files \"$current\"\n"
    "        fi\n"
    "    fi\n"
    "    if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *= ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "complete -F _ravine ravine\n";

void cli_completion(void) {
    static const cli_writer names = {.word = put_name}, values = {.param = put_values},
                            keys = {.word = put_keys, .param = put_key, .word_end = end_case};
    puts("# Completion of `ravine` for bash, made by `ravine help --completion`.\n");
    fputs("_ravine_steps='", stdout);
    cli_walk_steps(&names);
    fputs("'\n_ravine_options='", stdout);
    put_option_names(false);
    fputs("'\n_ravine_pages='", stdout);
    put_option_names(true);
    puts("'");
    put_scene_names();
    fputs("_ravine_scene_words='", stdout);
    cli_walk_scene(&names);
    puts("'\n");
    put_cases("_ravine_keys", &keys);
    put_cases("_ravine_values", &values);
    put_bare_files();
    fputs(script, stdout);
}

/* ---- all words ---- */

typedef struct word_list {
    const char **words;
    size_t count, room;
} word_list;

static void add_word(word_list *list, const char *word) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->words[i], word) == 0)
            return;
    if (list->count == list->room) {
        size_t room = 2 * list->room + 64;
        const char **larger = realloc(list->words, room * sizeof *larger);
        if (!larger)
            return;
        list->words = larger;
        list->room = room;
    }
    list->words[list->count++] = word;
}

static void add_name(const cli_visit *at) {
    add_word(at->user, at->word->name);
}

static void add_key(const cli_visit *at) {
    add_word(at->user, at->param->name);
}

static void add_option(const cli_visit *at, const rv_option_info *option) {
    add_word(at->user, option->name);
}

void cli_words(void) {
    word_list list = {NULL, 0, 0};
    const cli_writer writer = {
        .word = add_name, .param = add_key, .option = add_option, .user = &list};
    cli_walk_steps(&writer);
    add_word(&list, "scene");
    add_word(&list, "studio");
    cli_walk_scene(&writer);
    for (int i = 0; i < cli_option_count; i++)
        add_word(&list, cli_option_table[i].name);
    for (size_t i = 0; i < list.count; i++)
        puts(list.words[i]);
    free(list.words);
}
