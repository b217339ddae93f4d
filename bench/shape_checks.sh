#!/bin/sh
# shape_checks.sh [RECIPE [SIZE [SEEDS]]]: ten measures of shape of SEEDS terrains (10) of a recipe (ranges), resampled
# to SIZE cells (520), and how many lie in the range of real land. RAVINE=path/to/ravine.
set -eu
recipe=${1:-ranges} size=${2:-520} seeds=${3:-10}
recipes=$(cd "$(dirname "$0")/../recipes" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# No pictures; each step that has a seed gets the same one.
grep -Ev '^(save|render|hillshade) ' "$recipes/$recipe.rv" > "$recipe.rv"
seed=0
while [ $((seed += 1)) -le "$seeds" ]; do
    words=
    for step in noise faults select rivers droplets strata; do
        if grep -q "^$step " "$recipe.rv"; then words="$words $step.seed=$seed"; fi
    done
    # shellcheck disable=SC2086
    "${RAVINE:-ravine}" --quiet --json "$recipe.rv" "resize.size=$size" $words measure | tail -n 1
done | python3 -c '
import json, sys
# Windows of 512 x 512 cells of 90 m of real land, as in docs/measure.md.
ranges = [("concavity", 0.28, 0.42), ("area_exponent", 0.48, 0.53), ("length_ratio", 2.1, 2.4),
          ("hypsometric_integral", 0.26, 0.44), ("slope_skew", -0.3, 1.0), ("curvature_skew", -0.4, 0.05),
          ("curvature_kurtosis", 4.3, 5.7), ("landform_valley", 12, 20), ("landform_ridge", 9, 13),
          ("spectral_slope", 3.3, 3.9)]
print("seed in range  " + "  ".join(name for name, low, high in ranges) + "   (*: out of range)")
good = 0
for seed, line in enumerate(sys.stdin, 1):
    figures = json.loads(line)["figures"]
    inside = [low <= figures[name] <= high for name, low, high in ranges]
    good += sum(inside) >= 8
    print("%4d %8d  " % (seed, sum(inside)) + "  ".join(
        ("%%%d.3g%%s" % len(name)) % (figures[name], " " if ok else "*")
        for (name, low, high), ok in zip(ranges, inside)), flush=True)
print("%d of %d seeds have at least 8 of 10 in range" % (good, seed))'
