/* completion.c: the completion scripts, which ask `ravine --complete`, and the list of all words.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char bash[] =
    "# Completion of `ravine` for bash, printed by `ravine help --completion bash`.\n"
    "_ravine() {\n"
    "    local words=() count=0 i word last=''\n"
    "    # Bash cuts words at '=': put them together again.\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $last && ($word == =* || $last == *=) ]]; then\n"
    "            words[count - 1]=$last$word\n"
    "        else\n"
    "            words[count]=$word\n"
    "            count=$((count + 1))\n"
    "        fi\n"
    "        last=${words[count - 1]}\n"
    "    done\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r word; do\n"
    "        [[ $word == */* || -e ${word#*=} || -L ${word#*=} ]] && compopt -o filenames "
    "2>/dev/null\n"
    "        [[ $last == *=* && $COMP_WORDBREAKS == *=* ]] && word=${word#*=}\n"
    "        COMPREPLY+=(\"$word\")\n"
    "    done < <(\"${COMP_WORDS[0]}\" --complete \"${words[@]}\" 2>/dev/null)\n"
    "    if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=/] ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "complete -F _ravine ravine\n";

static const char zsh[] =
    "#compdef ravine\n"
    "# Completion of `ravine` for zsh, printed by `ravine help --completion zsh`.\n"
    "_ravine() {\n"
    "    local -a found open\n"
    "    found=(${(f)\"$(${words[1]} --complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
    "    open=(${(M)found:#*[=/]})\n"
    "    found=(${found:#*[=/]})\n"
    "    compadd -S '' -a open\n"
    "    compadd -a found\n"
    "}\n"
    "if [[ $funcstack[1] == _ravine ]]; then\n"
    "    _ravine \"$@\"\n"
    "else\n"
    "    compdef _ravine ravine\n"
    "fi\n";

static const char fish[] =
    "# Completion of `ravine` for fish, printed by `ravine help --completion fish`.\n"
    "function __ravine_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    $words[1] --complete $words[2..-1] 2>/dev/null\n"
    "end\n"
    "complete -c ravine -f -a '(__ravine_complete)'\n";

const char *const cli_shells[] = {"bash", "zsh", "fish", NULL};

int cli_completion(const char *shell) {
    static const char *const scripts[] = {bash, zsh, fish};
    for (int i = 0; cli_shells[i]; i++)
        if (strcmp(shell, cli_shells[i]) == 0) {
            fputs(scripts[i], stdout);
            return 0;
        }
    return cli_fail(2, "There is completion for bash, zsh and fish, not for %.60s.", shell);
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
    add_word(&list, "sweep");
    cli_walk_scene(&writer);
    for (int i = 0; i < cli_option_count; i++)
        add_word(&list, cli_option_table[i].name);
    for (size_t i = 0; i < list.count; i++)
        puts(list.words[i]);
    free(list.words);
}
