#!/bin/sh
# river_checks.sh [SIZE [SEEDS]]: how many of SEEDS terrains (20) of each recipe pass all five river checks of
# `measure`, drawn with SIZE x SIZE cells (256; "default": as in the recipe). RAVINE=path/to/ravine.
set -eu
size=${1:-256} seeds=${2:-20}
recipes=$(cd "$(dirname "$0")/../recipes" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# figure NAME: its value in the line of JSON that `measure` wrote
figure() { sed -n 's/.*"'"$1"'":\([-+.0-9e]*\).*/\1/p' measured; }

[ "$size" = default ] && resize= || resize=resize.size=$size
echo "recipe    seed  passed fill %     deep_pits %  channel_pits %  channel_uphill %  concavity_8"
for recipe in alps hills canyon island badlands volcano ranges; do
    # No pictures; each step that has a seed gets the same one.
    grep -Ev '^(save|render|hillshade) ' "$recipes/$recipe.rv" > "$recipe.rv"
    passed=0 seed=0
    while [ $((seed += 1)) -le "$seeds" ]; do
        words=
        for step in noise faults select rivers droplets strata; do
            if grep -q "^$step " "$recipe.rv"; then words="$words $step.seed=$seed"; fi
        done
        # shellcheck disable=SC2086
        "${RAVINE:-ravine}" --quiet --json "$recipe.rv" $resize $words measure | tail -n 1 | sed 's/"river_checks":.*//' > measured
        printf '%-9s %4d %5.0f   %-9.3g  %-11.3g  %-14.3g  %-16.3g  %.3g\n' "$recipe" "$seed" \
            "$(figure river_checks_passed)" "$(figure fill)" "$(figure deep_pits)" "$(figure channel_pits)" \
            "$(figure channel_uphill)" "$(figure concavity_8)"
        [ "$(figure river_checks_passed)" != 5 ] || passed=$((passed + 1))
    done
    echo "$recipe: $passed of $seeds pass"
done
