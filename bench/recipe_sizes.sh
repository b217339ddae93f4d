#!/bin/sh
# recipe_sizes.sh [DOUBLINGS [RECIPES...]]: is the land of a recipe the same at any size? Each recipe runs with about 256
# cells and with twice as many, DOUBLINGS times (2); each land is compared with that of half the size, both brought to
# 128 cells: rms and mean of the difference in % of the relief, and the river checks passed. A channel is one of the same
# area at every size: 100 cells of the smallest. RAVINE=path/to/ravine.
set -eu
doublings=${1:-2}
[ $# -eq 0 ] || shift
recipes=$(cd "$(dirname "$0")/../recipes" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

[ $# -gt 0 ] || set -- $(cd "$recipes" && ls -1 | sed 's/[.]rv$//')
echo "recipe      cells  river checks  difference to half the size: rms, mean"
for recipe; do
    grep -Ev '^(save|render|hillshade) ' "$recipes/$recipe.rv" > "$recipe.rv"
    # The recipe's own number of cells, halved until it is about 256: so crops in metres are whole cells.
    size=$(sed -n 's/^resize .*size=\([0-9]*\).*/\1/p' "$recipe.rv")
    while [ "$size" -gt 362 ]; do size=$((size / 2)); done
    before= turn=0 channel=100
    while [ $turn -le "$doublings" ]; do
        "${RAVINE:-ravine}" --quiet --json "$recipe.rv" "resize#1.size=$size" measure channel=$channel resize size=128 save "$size.npy" > said
        python3 - "$recipe" "$size" $before << 'END'
import json, math, struct, sys
def read(size):
    data = open("%s.npy" % size, "rb").read()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    return struct.unpack_from("<%df" % ((len(data) - start) // 4), data, start)
recipe, size, half = (sys.argv + [None])[1:4]
figures = [line["figures"] for line in map(json.loads, open("said")) if "river_checks_passed" in line.get("figures", {})]
text = "%-10s %6s %13g" % (recipe, size, figures[-1]["river_checks_passed"])
if half:
    new, old = read(size), read(half)
    relief = max(new) - min(new)
    apart = [a - b for a, b in zip(new, old)]
    rms = math.sqrt(sum(d * d for d in apart) / len(apart))
    text += "  %.2f %%, %.2f %%" % (100 * rms / relief, 100 * sum(apart) / len(apart) / relief)
print(text, flush=True)
END
        before=$size size=$((2 * size)) turn=$((turn + 1)) channel=$((4 * channel))
    done
done
