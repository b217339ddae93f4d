#!/usr/bin/env bash
# Every command that README.md and docs/*.md show works as shown, and what is generated is up to date.
set -euo pipefail
mkdir bin
ln -s "$RAVINE" bin/ravine
PATH=$PWD/bin:$PATH
failures=0

# The lines of all ```sh blocks of a page, without those that other tests cover.
commands() {
    awk '/^```/ { inside = ($0 == "```sh"); next } inside' "$1" |
        sed -E '/^(make|git clone|cd ravine|sudo)( |$)/d'
}

# Blocks of a page run in order, in one folder that has the recipes.
for page in "$SOURCE"/README.md "$SOURCE"/docs/*.md; do
    [ -f "$page" ] || continue
    name=$(basename "$page" .md)
    mkdir "$name"
    cp -R "$SOURCE/recipes" "$name/"
    commands "$page" > "$name.sh"
    if ! (cd "$name" && bash -e "../$name.sh" > ../"$name.said" 2>&1); then
        echo "$page: a command it shows fails:"
        cat "$name.said"
        failures=$((failures + 1))
    fi
done

# What README.md shows that its first command says, it says; but for the time, and up to the list of files.
sed -nE '/^    terrain +[0-9.]+ s /,/^$/s/^    //p' "$SOURCE/README.md" | sed -E 's/ [0-9.]+ s( |$)//' > shown
sed -nE '1,/^save /p' README.said | sed -E 's/ [0-9.]+ s( |$)//' > said
if ! diff -u said shown; then
    echo "README.md shows what its first command does not say."
    failures=$((failures + 1))
fi

# A recipe that a page shows, from its first line "# NAME.rv: ..." on, is the one in recipes/.
for page in "$SOURCE"/README.md "$SOURCE"/docs/*.md; do
    for recipe in $(sed -nE 's/^    # ([a-z]+\.rv): .*/\1/p' "$page"); do
        sed -nE "/^    # $recipe: /,/^\$/s/^    //p" "$page" > shown
        if ! diff -u "$SOURCE/recipes/$recipe" shown; then
            echo "$page shows $recipe as it is not."
            failures=$((failures + 1))
        fi
    done
done

# What pages point to in the repository is there.
for page in "$SOURCE"/*.md "$SOURCE"/docs/*.md; do
    { grep -oE '\]\([^)#]+' "$page" || true; } | sed 's/^](//' | while read -r target; do
        case $target in
        http*) ;;
        *) [ -e "$(dirname "$page")/$target" ] || echo "$page: there is no $target" ;;
        esac
    done
done > dangling
if [ -s dangling ]; then
    cat dangling
    failures=$((failures + 1))
fi

ravine help --markdown > steps.md
if ! diff -u "$SOURCE/docs/steps.md" steps.md; then
    echo "docs/steps.md is not what the step table says; make docs writes it."
    failures=$((failures + 1))
fi

ravine help scene --markdown > scenes.md
if ! diff -u "$SOURCE/docs/scenes.md" scenes.md; then
    echo "docs/scenes.md is not what the table of words of scenes says; make docs writes it."
    failures=$((failures + 1))
fi

ravine help --man > ravine.1
if command -v groff > which; then
    groff -man -ww -Tutf8 -z ravine.1 2> warnings || true
    if [ -s warnings ]; then
        echo "The man page has faults:"
        cat warnings
        failures=$((failures + 1))
    fi
fi

ravine help --completion | bash -n
exit $((failures > 0))
