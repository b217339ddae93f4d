# The recipes of docs/gallery.md: each gives the hash that its row says, the files it names, and land that
# passes all river checks, with three seeds.
. "$SOURCE/tests/cli/common.sh"

small="resize.size=256 render.width=32 render.height=18"
rows=$(sed -n 's/^| `\([a-z]*\)` | \([0-9]*\) | `\([0-9a-f]*\)` |.*/\1 \2 \3/p' "$SOURCE/docs/gallery.md")
names=$(printf '%s\n' "$rows" | cut -d ' ' -f 1 | sort)
equal "the recipes in the gallery" "$names" "$(cd "$SOURCE/recipes" && ls -1 | sed 's/[.]rv$//' | sort)"

while read -r name seed hash; do
    recipe=$SOURCE/recipes/$name.rv
    holds "$name: the seed" "$(cat "$recipe")" "noise     seed=$seed "
    # shellcheck disable=SC2086
    equal "$name: the hash" "$(last_hash --quiet "$recipe" $small measure require=river_checks:5)" "$hash"
    for file in "$name.png" "$name-view.png"; do
        [ -s "$file" ] || fail "$name: there is no $file"
    done
    for other in 1 8; do
        # shellcheck disable=SC2086
        "$RAVINE" --quiet "$recipe" $small noise.seed=$other rivers.seed=$other \
            measure require=river_checks:5 || fail "$name: seed $other does not pass all river checks"
    done
done <<ROWS
$rows
ROWS
finish
