#!/bin/bash
# estimates.sh: the time that --dry-run says, against the processor time of the run on one thread, for the
# recipes and for steps by default. 0.5 to 2 is wanted. RAVINE=path/to/ravine.
set -eu
ravine=$(realpath "${RAVINE:-ravine}")
recipes=$(cd "$(dirname "$0")/../recipes" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

compare() {
    local said took TIMEFORMAT=%U
    said=$("$ravine" --dry-run --json --threads 1 "$@" |
        sed -n 's/.*"estimated_seconds":\([0-9.e+-]*\).*/\1/p' | awk '{ sum += $1 } END { print sum }')
    took=$({ time "$ravine" --quiet --threads 1 "$@" 2> said; } 2>&1)
    awk "BEGIN { printf \"%-40s %8.2f s said, %8.2f s taken, %.2f\\n\", \"$*\", $said, $took, $said / $took }"
}

for step in droplets particles runoff pipes thermal rivers drain; do
    compare terrain size=512 noise $step
done
for recipe in "$recipes"/*.rv; do
    compare "$(basename "$recipe" .rv)"
done
