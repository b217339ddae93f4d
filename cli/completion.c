/* completion.c: the completion script for bash and the list of all words, from the table of steps.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static void put_step_names(void) {
    for (int id = 0; id < RV_STEP_COUNT; id++)
        printf("%s%s", id ? " " : "", rv_step_get((rv_step_id)id)->name);
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

static void put_keys_of(const char *prefix, const rv_step_info *step) {
    printf("    %s%s) echo '", prefix, step->name);
    for (int i = 0; i < step->param_count; i++)
        printf("%s%s=", i ? " " : "", step->params[i].name);
    puts("' ;;");
}

static void put_keys(void) {
    puts("_ravine_keys() {\n    case $1 in");
    for (int id = 0; id < RV_STEP_COUNT; id++)
        put_keys_of("", rv_step_get((rv_step_id)id));
    for (int i = 0; i < rv_scene_word_count(); i++)
        put_keys_of("scene:", rv_scene_word(i));
    puts("    esac\n}\n");
}

static void put_scene_names(void) {
    fputs("_ravine_scenes='", stdout);
    for (int i = 0; i < rv_scene_preset_count(); i++)
        printf("%s%s", i ? " " : "", rv_scene_preset_name(i));
    fputs("'\n_ravine_scene_words='", stdout);
    for (int i = 0; i < rv_scene_word_count(); i++)
        printf("%s%s", i ? " " : "", rv_scene_word(i)->name);
    puts("'");
}

/* A file is completed by name, a choice by its options, a switch by its two words. */
static void put_values_of(const char *prefix, const rv_step_info *step,
                          const rv_param_info *param) {
    char range[CLI_TEXT];
    bool choice = param->type == RV_PARAM_CHOICE || param->type == RV_PARAM_SWITCH;
    if (param->type != RV_PARAM_FILE && !choice && !rv_param_automatic(param))
        return;
    printf("    %s%s.%s) echo '", prefix, step->name, param->name);
    cli_range(step, param, range);
    if (param->type == RV_PARAM_FILE)
        fputs("FILE", stdout);
    else if (choice)
        for (char *word = strtok(range, ", "); word; word = strtok(NULL, ", "))
            printf("%s ", word);
    fputs(rv_param_automatic(param) ? "auto" : "", stdout);
    puts("' ;;");
}

static void put_values(void) {
    puts("_ravine_values() {\n    case $1 in");
    for (int id = 0; id < RV_STEP_COUNT; id++) {
        const rv_step_info *step = rv_step_get((rv_step_id)id);
        for (int i = 0; i < step->param_count; i++)
            put_values_of("", step, &step->params[i]);
    }
    for (int w = 0; w < rv_scene_word_count(); w++) {
        const rv_step_info *word = rv_scene_word(w);
        for (int i = 0; i < word->param_count; i++)
            put_values_of("scene:", word, &word->params[i]);
    }
    puts("    esac\n}\n");
}

static void put_bare_files(void) {
    const char *bar = "";
    fputs("_ravine_takes_file() {\n    case $1 in\n    ", stdout);
    for (int id = 0; id < RV_STEP_COUNT; id++) {
        const rv_step_info *step = rv_step_get((rv_step_id)id);
        if (!cli_bare_file(step))
            continue;
        printf("%s%s", bar, step->name);
        bar = " | ";
    }
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
    "        ((count > 1)) || _ravine_add scene \"$current\"\n"
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
    puts("# Completion of `ravine` for bash, made by `ravine help --completion`.\n");
    fputs("_ravine_steps='", stdout);
    put_step_names();
    fputs("'\n_ravine_options='", stdout);
    put_option_names(false);
    fputs("'\n_ravine_pages='", stdout);
    put_option_names(true);
    puts("'");
    put_scene_names();
    puts("");
    put_keys();
    put_values();
    put_bare_files();
    fputs(script, stdout);
}

/* ---- all words
 * ---------------------------------------------------------------------------------------- */

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

static void add_words_of(word_list *list, const rv_step_info *step) {
    add_word(list, step->name);
    for (int i = 0; i < step->param_count; i++) {
        add_word(list, step->params[i].name);
        for (int k = 0; k < step->params[i].option_count; k++)
            add_word(list, step->params[i].options[k].name);
    }
}

void cli_words(void) {
    word_list list = {NULL, 0, 0};
    for (int id = 0; id < RV_STEP_COUNT; id++)
        add_words_of(&list, rv_step_get((rv_step_id)id));
    add_word(&list, "scene");
    for (int i = 0; i < rv_scene_word_count(); i++)
        add_words_of(&list, rv_scene_word(i));
    for (int i = 0; i < cli_option_count; i++)
        add_word(&list, cli_option_table[i].name);
    for (size_t i = 0; i < list.count; i++)
        puts(list.words[i]);
    free(list.words);
}
