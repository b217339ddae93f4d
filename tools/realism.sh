#!/bin/sh
# realism.sh [FILE...]: a row of docs/measure.md for each elevation file given, and for noise and what
# wears it: figures of three seeds, lowest to highest. RAVINE=path/to/ravine, python3 adds them up.
set -eu
cd "$(dirname "$0")/.."
land="terrain size=512 cell=90 noise relief=2500 frequency=0.2 gain=0.5"

# row NAME WORDS...: one row over all lines of JSON
row() {
    python3 -c '
import json, sys
runs = [json.loads(line)["figures"] for line in sys.stdin if "\"step\":\"measure\"" in line]
def span(key):
    values = sorted(run[key] for run in runs)
    texts = ["%.2g" % values[0], "%.2g" % values[-1]]
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)
keys = ["fill", "deep_pits", "channel_pits", "channel_uphill", "concavity_8", "concavity",
        "area_exponent", "curvature_kurtosis"]
met = ", ".join("%d" % run["river_checks_passed"] for run in runs)
print("| %s | %s | %s |" % (sys.argv[1], " | ".join(span(k) for k in keys[:5]), met), end=" ")
print(" | ".join(span(k) for k in keys[5:]), "|")' "$1"
}

for file in "$@"; do
    "${RAVINE:-ravine}" --json open "$file" measure | row "$(basename "$file")"
done
while read -r name words; do
    for seed in 1 2 3; do
        # shellcheck disable=SC2086
        "${RAVINE:-ravine}" --json $land seed=$seed $words measure
    done | row "$name"
done <<VALUES
noise
noise,&nbsp;gain=0.6 gain=0.6
noise,&nbsp;ridged shape=ridged
noise,&nbsp;warp=1 warp=1
thermal thermal talus=18 rounds=200
droplets droplets
droplets,&nbsp;800k droplets drops=800k
rivers rivers
drain drain
VALUES
