#!/usr/bin/env bash
# compare.sh OLD NEW [TIMES]: processor seconds of two builds of the program `ravine` over the same work
# on one thread. They take turns, and of TIMES runs each (5) the least counts. The last column is
# NEW / OLD: above 1 is slower. Where the results differ, it says so.
old=$1 new=$2 times=${3:-5}
if ! [ -x "$old" ] || ! [ -x "$new" ]; then
    echo "usage: compare.sh OLD NEW [TIMES], two programs" >&2
    exit 2
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
TIMEFORMAT='%U %S'

# seconds PROGRAM WORDS...: processor seconds of one run; what it said goes to the file `said`.
seconds() {
    { time "$@" > said 2> error; } 2>&1 | awk '{ print $1 + $2 }'
}

# hashes: what the run came to, from its --json lines.
hashes() {
    grep -o '"hash":"[0-9a-f]*"' said | tail -n 1
}

compare() {
    name=$1
    shift
    best_old="" best_new=""
    for ((i = 0; i < times; i++)); do
        s=$(seconds "$old" --json --threads 1 "$@")
        hash_old=$(hashes)
        best_old=$(printf '%s\n' $best_old "$s" | sort -g | head -n 1)
        s=$(seconds "$new" --json --threads 1 "$@")
        hash_new=$(hashes)
        best_new=$(printf '%s\n' $best_new "$s" | sort -g | head -n 1)
    done
    if [ -z "$hash_old" ] || [ -z "$hash_new" ]; then
        echo "$name: $(head -n 1 error)"
        return
    fi
    note=
    if [ "$hash_old" != "$hash_new" ]; then
        note="  results differ"
    fi
    awk -v n="$name" -v a="$best_old" -v b="$best_new" -v note="$note" \
        'BEGIN { printf "%-22s %8.2f %8.2f %7.3f%s\n", n, a, b, b / a, note }'
}

printf '%-22s %8s %8s %7s\n' work 'old s' 'new s' new/old
land='terrain size=1024 noise seed=7 octaves=6'
# shellcheck disable=SC2086 # a list of words
{
    compare noise terrain size=2048 noise octaves=10 warp=1
    compare faults terrain size=1024 faults count=300
    compare blur $land blur radius=300 blur radius=300 blur radius=300
    compare droplets $land droplets drops=400k
    compare droplets_layers terrain size=512 noise layer name=sand thickness=5 strata droplets drops=200k
    compare runoff $land runoff rounds=60
    compare particles terrain size=512 noise particles drops=150k
    compare pipes $land pipes rounds=40
    compare pipes_layers terrain size=512 noise layer name=sand thickness=5 pipes rounds=60 give=same
    compare thermal $land thermal rounds=500
    compare thermal_settled terrain size=512 noise thermal until=settled
    compare rivers $land rivers steps=10
    compare rivers_talus $land rivers steps=10 talus=35
    compare drain terrain size=2048 noise drain
    compare flood terrain size=2048 noise flood
    compare measure $land measure
    compare render terrain size=512 noise render view.png width=1280 height=720
    compare texture $land texture sky.png kind=occlusion
    compare mesh $land save land.stl error=5
    compare scene_river scene river frames=300
    compare scene_tube scene tube frames=300
    compare scene_cave scene cave frames=300
    compare scene_dam scene dam_break frames=200
}
