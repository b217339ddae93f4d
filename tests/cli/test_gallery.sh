# The recipes of docs/gallery.md: each gives the hash that its row says, the files it names, and land that
# passes all river checks, with three seeds.
. "$SOURCE/tests/cli/common.sh"

splat="texture splat.png kind=splat split=yes"
small="resize.size=256 render.width=32 render.height=18"
rows=$(sed -n 's/^| `\([a-z]*\)` | \([0-9]*\) | `\([0-9a-f]*\)` |.*/\1 \2 \3/p' "$SOURCE/docs/gallery.md")
names=$(printf '%s\n' "$rows" | cut -d ' ' -f 1 | sort)
equal "the recipes in the gallery" "$names" "$(cd "$SOURCE/recipes" && ls -1 | sed 's/[.]rv$//' | sort)"

# mean FILE STEPS...: the mean grey of a picture, or of a part of it, 0 to 255.
mean() {
    local file=$1
    shift
    "$RAVINE" --json open "$file" low=0 high=255 cell=1 "$@" measure 2> said |
        sed -n 's/.*"mean_height":\([0-9.e+-]*\).*/\1/p' | tail -n 1
}

while read -r name seed hash; do
    recipe=$SOURCE/recipes/$name.rv
    holds "$name: the seed" "$(cat "$recipe")" "noise     seed=$seed "
    # shellcheck disable=SC2086
    equal "$name: the hash" "$(last_hash --quiet "$recipe" $small $splat measure require=river_checks:5)" "$hash"
    for file in "$name.png" "$name-view.png"; do
        [ -s "$file" ] || fail "$name: there is no $file"
    done
    # Sediment shows where it lies, and rock is no rim along the edge of the map.
    sediment=$(mean splat-sediment.png) rock=$(mean splat-rock.png) rim=$(mean splat-rock.png crop height=3)
    awk "BEGIN { exit !($sediment > 0.5 && $rim < 1.3 * $rock + 3) }" ||
        fail "$name: sediment is $sediment of 255, rock $rock, along the north edge $rim"
    for other in 1 8; do
        # shellcheck disable=SC2086
        "$RAVINE" --quiet "$recipe" $small noise.seed=$other rivers.seed=$other \
            measure require=river_checks:5 || fail "$name: seed $other does not pass all river checks"
    done
done <<ROWS
$rows
ROWS
finish
