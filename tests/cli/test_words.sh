# Words that people type: one step of several, steps left out, recipes by name, other names of steps.
. "$SOURCE/tests/cli/common.sh"

plan() {
    "$RAVINE" --dry-run "$@" | awk 'NR > 1 && !/^At most/ { print $1, $NF }' | tr '\n' ';'
}
fails() {
    local wanted=$1 said
    shift
    said=$("$RAVINE" --dry-run "$@" 2>&1 >/dev/null) && fail "accepted: $*"
    holds "$*" "$said" "$wanted"
}

# ---- one of several ----
two='terrain size=32 noise relief=1 noise mode=add relief=2'
# shellcheck disable=SC2086
equal "all" "$(plan $two noise.relief=7)" "$(plan terrain size=32 noise relief=7 noise mode=add relief=7)"
equal "the second" "$(plan $two noise#2.relief=7)" "$(plan terrain size=32 noise relief=1 noise mode=add relief=7)"
equal "the first" "$(plan noise#1.relief=7 $two)" "$(plan terrain size=32 noise relief=7 noise mode=add relief=2)"
fails 'has no step noise#3, only 2 of that name.' $two noise#3.relief=7
fails "which step of that name is meant" $two noise#00.relief=7

fails 'which step of that name is meant' $two noise#x.relief=7
fails 'the recipe has no step blur.' $two blur#1.radius=7

# ---- steps left out ----
equal "without" "$(plan terrain size=32 noise blur blur save x.r32 --without blur)" "$(plan terrain size=32 noise save x.r32)"
equal "without the second" "$(plan terrain size=32 noise blur radius=1 blur radius=2 --without blur#2)" \
    "$(plan terrain size=32 noise blur radius=1)"
equal "without repeat" "$(plan terrain size=32 noise repeat 3 repeat 2 blur end thermal end --without repeat#1)" \
    "$(plan terrain size=32 noise repeat 2 blur end thermal)"
equal "until" "$(plan terrain size=32 noise blur thermal save x.r32 --until blur)" "$(plan terrain size=32 noise blur)"
equal "until in a repeat" \
    "$(plan terrain size=32 noise repeat 3 repeat 2 blur crop margin=1cells end thermal end repeat 9 blur end save x.r32 --until blur#1)" \
    "$(plan terrain size=32 noise repeat 3 repeat 2 blur end end)"
equal "until in a file, and more" "$(plan alps --until noise#1 blur radius=5)" \
    "$(plan "$SOURCE/recipes/alps.rv" --until noise#1 blur radius=5)"
holds "steps after --until" "$(plan hills --until noise#1 level low=5)" "level low=5"
fails 'An end cannot be left out alone' terrain size=32 noise repeat 3 blur end --without end
fails 'There is no step "nois"; did you mean' terrain size=32 noise --without nois
fails 'the recipe has no step blur.' terrain size=32 noise --until blur

# ---- recipes by name ----
"$RAVINE" list >list || fail "list: $?"
for recipe in "$SOURCE"/recipes/*.rv; do
    name=$(basename "$recipe" .rv)
    grep -q "^  $name  *[a-z]" list || fail "$name is not in the list, or without a sentence"
done
grep -q '^  cave$' list || fail "no scene in the list"
equal "by name" "$(plan alps --until noise)" "$(plan "$SOURCE/recipes/alps.rv" --until noise)"
fails 'there is no step "alp"' alp

# ---- numbers and other names ----
equal "terrain 32" "$(plan terrain 32 noise)" "$(plan terrain size=32 noise)"
fails 'see "droplets", "runoff", "particles", "thermal", "pipes" or "rivers".' terrain 32 noise erode
fails 'There is no step "GUI"; see `ravine studio`.' GUI
fails 'There is no step "gui"; see `ravine studio`.' help gui
fails 'There is no step "batch"; see `ravine sweep`.' batch alps
fails 'There is no step "recipes"; see `ravine list`.' recipes
fails 'see "rivers".' terrain 32 noise stream-power
fails 'see "open" or "save".' heightmap
fails 'did you mean "droplets"?' terrain 32 noise droplet
fails 'export has no parameter "for"; it is called "engine".' terrain 32 noise export out for=unreal
fails 'there is no land yet' droplets save x.png
fails 'there is no land yet' level repeat 2 thermal end
"$RAVINE" resume x.ck --until noise 2>said && fail "resume with --until"
holds "resume with --until" "$(cat said)" "and no steps"
"$RAVINE" help resume | grep -q -- '--checkpoint' || fail "help resume"
equal "-v" "$("$RAVINE" -v)" "$("$RAVINE" --version)"
# Metres that come to no cell are told.
holds "a margin in metres" "$("$RAVINE" terrain size=8 cell=10 crop margin=4 2>&1)" "removes nothing; margin=4cells counts cells"

finish
