# --dry-run: the plan and its memory, and nothing else happens.
. "$SOURCE/tests/cli/common.sh"
mkdir work
cd work || exit 1

recipe='terrain width=300 height=200 noise seed=7 droplets drops=2k save out.png resize size=150 crop x=10'
# shellcheck disable=SC2086
"$RAVINE" --dry-run $recipe >../plan 2>../err || fail "dry run: $(cat ../err)"
equal "files" "$(ls -A)" ""
[ -s ../err ] && fail "dry run wrote to stderr: $(cat ../err)"
# line PATTERN: a line of the plan that holds it
line() {
    grep -qE "$1" ../plan || fail "no line '$1' in: $(cat ../plan)"
}
line '^terrain +300 x 200 .*iB +width=300 height=200$'
line '^noise +300 x 200 .*iB +seed=7$'
line '^droplets +300 x 200 .*iB +drops=2000$'
line '^save +300 x 200 .*iB +file=out.png$'
line '^resize +150 x 100 .*iB +size=150$'
line '^crop +140 x 100 .*iB +x=10$'
line '^At most [0-9.]+ [KMG]iB of the [0-9.]+ [KMGT]iB allowed, about [0-9]+ s\.$'
equal "lines of the plan" "$(wc -l <../plan)" 8

# shellcheck disable=SC2086
"$RAVINE" --dry-run --json --memory 1G $recipe >../plan.json || fail "dry run as JSON"
equal "files" "$(ls -A)" ""
python3 - ../plan.json <<'EOF' || fail "the plan as JSON"
import json, sys
plan = [json.loads(line) for line in open(sys.argv[1])]
assert [p['step'] for p in plan] == 'terrain noise droplets save resize crop'.split(), plan
for p in plan:
    assert set(p) == {'step', 'parameters', 'width', 'height', 'cell', 'memory', 'memory_limit', 'estimated_seconds'}, p
    assert p['memory'] > 0 and p['memory_limit'] == 1 << 30, p
assert [(p['width'], p['height']) for p in plan] == [(300, 200)] * 4 + [(150, 100), (140, 100)]
assert plan[2]['memory'] > plan[1]['memory'] > 300 * 200 * 4, plan
EOF
# shellcheck disable=SC2086
"$RAVINE" --dry-run --quiet $recipe >../out 2>&1 || fail "quiet dry run"
[ -s ../out ] && fail "--quiet is not quiet"

# ---- over the limit ----
# over ARGUMENTS...: exit code 5 and one sentence
over() {
    "$RAVINE" --dry-run "$@" >/dev/null 2>../err
    equal "ravine --dry-run $*" "$? $(grep -c '^ravine: .*\.$' ../err) $(wc -l <../err)" "5 1 1"
}
over --memory 10M terrain size=4096 noise
over --memory 1M terrain size=512 noise
over --memory 100M --json terrain size=65536 noise droplets

# ---- what the plan asks for is enough, and not far too much ----
# peak ARGUMENTS...: the memory of the plan in bytes
peak() {
    "$RAVINE" --dry-run --json "$@" | sed -n 's/.*"memory":\([0-9]*\).*/\1/p' | sort -n | tail -n 1
}
check_peak() {
    local bytes
    bytes=$(peak "$@")
    "$RAVINE" --quiet --memory "$((bytes + 1048576))" "$@" ||
        fail "ravine $* needs more than its plan says ($bytes bytes)"
    "$RAVINE" --quiet --memory "$((bytes / 4))" "$@" 2>../err
    equal "ravine $* with a quarter of its plan" "$?" 5
    rm -f -- *
}
check_peak terrain size=700 noise
check_peak terrain size=700 noise seed=2 faults mode=add count=3
check_peak terrain size=700 noise droplets drops=100
check_peak terrain size=700 noise droplets drops=100 blend=0.5
check_peak terrain size=700 noise droplets drops=100 border=apron
check_peak terrain size=700 noise blur radius=50
check_peak terrain size=700 noise resize size=900 crop width=100
check_peak terrain size=700 noise save out.png save out.npy hillshade shade.png

# ---- what cannot be planned ----
"$RAVINE" --dry-run open missing.png >/dev/null 2>../err
equal "a missing file" "$? $(wc -l <../err)" "3 1"
"$RAVINE" --dry-run terrain save 2>../err
equal "a missing name" "$? $(wc -l <../err)" "2 1"
# ---- how long it takes: within a factor of two of the processor time, in one of three tries ----
estimated() {
    "$RAVINE" --dry-run --json --threads 1 "$@" |
        sed -n 's/.*"estimated_seconds":\([0-9.e+-]*\).*/\1/p' | awk '{ sum += $1 } END { print sum }'
}
# spent ARGUMENTS...: seconds of the processor
spent() {
    local TIMEFORMAT=%U
    { time "$RAVINE" --quiet --threads 1 "$@" 2>../said; } 2>&1
}
within() {
    local turn
    for turn in 1 2 3; do
        echo "$(estimated "$@") $(spent "$@")" >../times
        awk '{ exit !($1 > 0.5 * $2 && $1 < 2 * $2) }' ../times && return
    done
    fail "ravine $*: estimated and spent: $(cat ../times)"
}
if [ -z "${RAVINE_SHORT-}" ]; then
    for step in droplets runoff thermal rivers drain; do
        within terrain size=400 noise $step
    done
    within terrain size=300 noise repeat 6 thermal blur end droplets drops=40k hillshade h.png
    rm -f h.png
fi
finish
