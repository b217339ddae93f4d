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
# ---- how long it takes; bench/estimates.sh compares that with the clock ----
estimated() {
    "$RAVINE" --dry-run --json --threads 1 "$@" |
        sed -n 's/.*"estimated_seconds":\([0-9.e+-]*\).*/\1/p' | awk '{ sum += $1 } END { print sum }'
}
# longer LESS MORE: so much more work that no clock mistakes it
longer() {
    # shellcheck disable=SC2086
    awk "BEGIN { exit !($(estimated $1) > 0 && $(estimated $2) > 5 * $(estimated $1)) }" ||
        fail "$2 is not said to take longer than $1"
}
longer 'terrain size=200 noise droplets drops=10k' 'terrain size=200 noise droplets drops=1M'
longer 'terrain size=100 noise thermal rounds=100' 'terrain size=100 noise thermal rounds=10k'
longer 'terrain size=64 noise repeat 2 thermal blur end' 'terrain size=64 noise repeat 200 thermal blur end'
# As many coarse levels and grids as rivers can have.
"$RAVINE" --dry-run terrain size=2048 cell=0.5 noise field=uplift select name=hardness where=slope\>9 select name=mask \
    where=slope\>1 rainfall layer strata rivers rain_field=rain deposition=1 talus_vary=0.3 floods=1 uplift_field=uplift spacing_field=uplift > said 2>&1 ||
    fail "rivers with all its grids: $(cat said)"
finish
