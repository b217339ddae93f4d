# Help, man page, Markdown, completion and word list: complete, well-formed, and true.
. "$SOURCE/tests/cli/common.sh"

"$RAVINE" help >overview || fail "ravine help"
"$RAVINE" --help | cmp - overview || fail "ravine --help differs from ravine help"
"$RAVINE" -h | cmp - overview || fail "ravine -h differs from ravine help"
holds "version" "$("$RAVINE" --version)" \
    "$(sed -n 's/#define RV_VERSION "\(.*\)"/\1/p' "$SOURCE/include/ravine/ravine.h")"
awk 'length > 80 { exit 1 }' overview || fail "the overview has lines longer than 80 columns"
grep -q ' $' overview && fail "the overview has blanks at the end of lines"
for code in 0 1 2 3 4 5 130; do
    grep -q "^  $code  " overview || fail "exit code $code is not in the help"
done

# ---- every step and key of the table ----
"$RAVINE" help --words >words || fail "ravine help --words"
sort words | uniq -d | grep . && fail "words stand there twice"
"$RAVINE" help --markdown >steps.md || fail "ravine help --markdown"
"$RAVINE" help --man >ravine.1 || fail "ravine help --man"
"$RAVINE" help --completion >completion.bash || fail "ravine help --completion"
table=$SOURCE/include/ravine/steps.def
steps=$(sed -n 's/^RV_STEP(\([a-z0-9_]*\),.*/\1/p' "$table")
[ "$steps" ] || fail "no steps in $table"
"$RAVINE" --quiet terrain size=64 noise save image.png
for step in $steps; do
    text=$("$RAVINE" help "$step") || fail "ravine help $step"
    equal "ravine $step --help" "$("$RAVINE" "$step" --help)" "$text"
    grep -qx "$step" words || fail "$step is not among the words"
    grep -q "^  $step " overview || fail "$step is not in the overview"
    grep -q "^## $step\$" steps.md || fail "$step is not in the Markdown page"
    grep -q "^.SS .*$step\$" ravine.1 || fail "$step is not in the man page"
    printf '%s\n' "$text" | awk 'length > 100 { exit 1 }' || fail "help $step: long lines"
    for key in $(grep -v '^RV_STEP(' "$table" | sed -n "s/^RV_[A-Z]*($step, *\([a-z0-9_]*\),.*/\1/p"); do
        printf '%s\n' "$text" | grep -q "^  $key=" || fail "help $step: $key is missing"
        grep -qx "$key" words || fail "$key is not among the words"
    done
    example=$(printf '%s\n' "$text" | sed -n 's/^  ravine //p')
    [ "$example" ] || fail "help $step: no example"
    # On less land: the words are what is tested.
    # shellcheck disable=SC2086
    "$RAVINE" --quiet ${example/size=256/size=48} || fail "the example of $step does not run: ravine $example"
done
for option in $(sed -n 's/^RV_OPTION([^,]*, *[^,]*, *\([a-z0-9_]*\),.*/\1/p' "$table" | sort -u); do
    grep -qx "$option" words || fail "$option is not among the words"
done
for option in --threads --memory --quiet --json --dry-run --help --version; do
    grep -qx -e "$option" words || fail "$option is not among the words"
    grep -q -e "^  $option" overview || fail "$option is not in the overview"
done
"$RAVINE" help droplets | grep -q 'Parameters' || fail "help droplets has no parameters"
"$RAVINE" help drplets 2>err
equal "help of an unknown step" "$? $(wc -l <err)" "2 1"

# ---- every word and key of scenes ----
table=$SOURCE/src/scene/scene.def
text=$("$RAVINE" help scene) || fail "ravine help scene"
equal "ravine scene --help" "$("$RAVINE" scene --help)" "$text"
"$RAVINE" help scene --markdown >words.md || fail "ravine help scene --markdown"
printf '%s\n' "$text" | awk 'length > 100 { exit 1 }' || fail "help scene: long lines"
for word in $(sed -n 's/^RV_WORD(\([a-z]*\),.*/\1/p' "$table"); do
    printf '%s\n' "$text" | grep -q "^$word " || fail "help scene: $word is missing"
    grep -q "^## $word\$" words.md || fail "$word is not in the Markdown page of scenes"
    grep -q "^.SS .*$word\$" ravine.1 || fail "$word is not in the man page"
    for key in $(sed -n "/^RV_[WO]/d; s/^RV_[A-Z]*($word, *\([a-z]*\),.*/\1/p" "$table"); do
        printf '%s\n' "$text" | grep -q "^  $key=" || fail "help scene: $key of $word is missing"
        grep -qx "$key" words || fail "$key is not among the words"
    done
done
[ -z "$(printf '%s\n' "$text" | grep ') [,;.]')" ] || fail "help scene: a blank before a comma"
equal "help of a word of scenes" "$("$RAVINE" help wear 2>&1)" \
    "ravine: wear is a word of scenes: see \`ravine help scene\`."

# ---- the man page ----
if command -v groff >/dev/null; then
    equal "warnings of groff" "$(groff -man -ww -z ravine.1 2>&1)" ""
    groff -man -Tascii ravine.1 >ravine.txt 2>&1
    for word in NAME SYNOPSIS OPTIONS STEPS 'EXIT STATUS' EXAMPLES droplets; do
        sed 's/.\x08//g; s/\x1b\[[0-9;]*m//g' ravine.txt | grep -q "$word" ||
            fail "$word is not in the rendered man page"
    done
else
    echo "groff is not here: the man page is not rendered"
fi

# ---- the Markdown page: every row of a table has as many cells as its head ----
awk '!/^\|/ { head = 0; next }
    { row = $0; gsub(/\\\|/, "", row); n = split(row, cells, "|"); if (!head) head = n }
    n != head { print; bad = 1 }
    END { exit bad }' steps.md words.md || fail "the Markdown page has broken tables"

# ---- completion ----
bash -n completion.bash || fail "the completion script is not bash"
! command -v shellcheck >/dev/null || shellcheck -s bash completion.bash ||
    fail "shellcheck finds faults in the completion script"
mkdir -p folder
: >rain.png
mkdir -p kinds
: >kinds/colours.txt
: >kinds/dem.asc
: >kinds/sky.png
: >folder/'my land.rv'
cat >complete.bash <<'EOF'
source ./completion.bash
PATH=$PATH:${RAVINE%/*}
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_ravine
printf '%s\n' "${COMPREPLY[@]}"
EOF
# completes EXPECTED WORDS...: `|` in EXPECTED stands between candidates
completes() {
    local expected=$1
    shift
    equal "completion of '$*'" "$(bash complete.bash "$@" | sort | paste -sd '|')" "$expected"
}
completes "droplets" ravine drop
completes "hardness|help|hills|hillshade" ravine h
completes "save|select|size=|strata|stroke" ravine terrain s
completes "noise" ravine terrain size = 64 no
completes "billow|plain|ridged" ravine noise shape =
completes "ridged" ravine noise shape = r
completes "ridged" ravine noise shape=r
completes "yes" ravine mask invert = y
completes "auto" ravine terrain width = a
completes "droplets.border=" ravine alps.rv droplets.bo
completes "open" ravine alps.rv droplets.border = o
completes "folder/" ravine fol
completes "folder/my land.rv" ravine folder/my
completes "rain.png|rainfall" ravine --quiet terrain noise mask rai
completes "rain.png" ravine droplets rain = rai
completes "render" ravine film a.png view = ren
completes "tint" ravine film a.png view=t
completes "kinds/sky.png" ravine render a.png sky = kinds/
completes "kinds/colours.txt|kinds/dem.asc|kinds/sky.png" ravine render a.png palette = kinds/
completes "kinds/colours.txt|kinds/dem.asc|kinds/sky.png" ravine terrain save kinds/
completes "kinds/dem.asc|kinds/sky.png" ravine measure like = kinds/
completes "bash|fish|zsh" ravine help --completion ''
completes "--json" ravine terrain --js
completes "--man|--markdown" ravine help --ma
completes "droplets" ravine help drop
completes "" ravine --threads ''
completes "scene" ravine scen
completes "river" ravine scene riv
completes "folder/" ravine scene fol
completes "film=|frames=" ravine scene river f
completes "particles.max=" ravine scene river particles.ma
completes "wcsph" ravine scene river particles.solver = w
completes "rain.png" ravine scene river save = rai
completes "scene" ravine help sce
: >folder/readme.txt
completes "folder/my land.rv" ravine folder/
completes "noise#2.relief=" ravine alps noise#2.rel
completes "drain|droplets" ravine alps --without dr
completes "alps" ravine --threads 3 al
completes "mask|metal" ravine terrain select name=metal mask field = m
completes "list" ravine lis
completes "alps" ravine sweep al
completes "noise.seed=" ravine sweep alps noise.see
completes "./rain.png" ravine open ./rai
completes "folder/my land.rv" ravine folder/my

# What the program answers, the other shells offer.
wanted=$("$RAVINE" --complete terrain s | sort)
PATH=${RAVINE%/*}:$PATH
if command -v zsh >/dev/null; then
    equal "zsh" "$(zsh -c '
        compadd() { [[ $1 == -S ]] && shift 2; print -l -- "${(@P)2}" }
        compdef() { : }
        eval "$(ravine help --completion zsh)"
        words=(ravine terrain s) CURRENT=3
        _ravine' | sort)" "$wanted"
else
    echo "zsh is not here: its completion is not tested"
fi
if command -v fish >/dev/null; then
    equal "fish" "$(HOME=$PWD fish -c 'ravine help --completion fish | source
        complete -C "ravine terrain s"' | sort)" "$wanted"
else
    echo "fish is not here: its completion is not tested"
fi
"$RAVINE" help --completion tcsh 2>err
equal "completion for another shell" "$? $(cat err)" \
    "2 ravine: There is completion for bash, zsh and fish, not for tcsh."
finish
