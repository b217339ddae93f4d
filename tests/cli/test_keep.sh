# Stop and keep: the first Ctrl-C of --keep ends the running step where it stands, and the steps that save and
# show go on; the second stops the run. A checkpoint stays, and the run can be resumed.
. "$SOURCE/tests/cli/common.sh"

cat >keep.py <<'EOF'
"""keep.py STEPS SIGNALS WORDS...: runs ravine until STEPS lines were printed and the file $AFTER is there, sends the signals,
prints its code."""
import os, signal, subprocess, sys, time
lines, signals = int(sys.argv[1]), int(sys.argv[2])
with open('err', 'wb') as err:
    run = subprocess.Popen(sys.argv[3:], stdout=subprocess.DEVNULL, stderr=err)
after = os.environ.get('AFTER', 'err')
while run.poll() is None and (open('err', 'rb').read().count(b'\n') < lines or not os.path.exists(after)):
    time.sleep(0.01)
time.sleep(0.2)
for i in range(signals):
    run.send_signal(signal.SIGINT)
    time.sleep(0.2)
print(run.wait())
EOF
keep() {
    python3 keep.py "$1" "$2" "$RAVINE" --keep "${@:3}"
}

# ---- a step that would run for hours ----
code=$(keep 2 1 terrain size=64 noise droplets drops=100G thermal save kept.r32 hillshade kept.png)
equal "exit code" "$code" 0
[ -s kept.r32 ] && [ -s kept.png ] || fail "not saved: $(cat err)"
holds "what was kept" "$(cat err)" "Stopped in droplets; the land was kept as it stood."
grep -q '^thermal' err && fail "a step that erodes ran after the stop"
grep -q '^droplets .*eroded' err || fail "no ledger of what was kept: $(cat err)"
"$RAVINE" --quiet open kept.r32 save again.r32 || fail "what was kept cannot be opened"
"$RAVINE" --quiet terrain size=64 noise save before.r32
cmp -s kept.r32 before.r32 && fail "nothing was kept of the step"

# ---- for programs ----
python3 - "$RAVINE" <<'EOF' || fail "the line of a step that was cut short"
import json, signal, subprocess, sys
run = subprocess.Popen([sys.argv[1], '--keep', '--json', 'terrain', 'size=64', 'noise', 'droplets', 'drops=100G', 'measure'],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
lines = [json.loads(run.stdout.readline()) for _ in range(2)]
run.send_signal(signal.SIGINT)
lines += map(json.loads, run.stdout)
assert run.wait() == 0
assert [line['step'] for line in lines if line.get('stopped')] == ['droplets'], lines
EOF

# ---- rivers cut on coarse cells first: what they did there is kept, too ----
code=$(keep 2 1 --threads 1 terrain size=256 cell=20 noise relief=500 rivers steps=100000 save rivers.r32)
equal "exit code of rivers" "$code" 0
"$RAVINE" --quiet terrain size=256 cell=20 noise relief=500 save before.r32
cmp -s rivers.r32 before.r32 && fail "nothing was kept of rivers: $(cat err)"
grep -q '^rivers .*eroded 0 m3' err && fail "nothing was kept of rivers: $(cat err)"

# ---- while there is no land yet, nothing is kept, and what was saved before stays ----
cp kept.r32 earlier.r32
code=$(keep 1 1 --threads 1 terrain size=4000 noise octaves=16 save kept.r32)
equal "exit code without land" "$code" 130
cmp kept.r32 earlier.r32 || fail "land of an earlier run was replaced"

# ---- the second Ctrl-C ----
code=$(keep 2 2 terrain size=64 noise droplets drops=100G render a.png width=6000 height=6000 render b.png width=6000 height=6000)
equal "exit code after two" "$code" 130

# ---- in a repeat: films come to their end, and steps that were not reached are not run ----
code=$(AFTER=turn-00001.png keep 2 1 terrain size=64 noise repeat 1000000 film turn.png every=20 droplets drops=2k end save kept2.r32)
equal "exit code in a repeat" "$code" 0
[ -s turn-00000.png ] && [ -s kept2.r32 ] || fail "in a repeat: $(ls) $(cat err)"
grep -q '^droplets .* times' err || fail "no line for the turns: $(cat err)"

# ---- with a checkpoint: the land is kept, and the rest can still be run ----
turns=300 # a second or two
is_sanitized && turns=60
set -- terrain size=48 noise repeat $turns droplets drops=3k end save end.r32
"$RAVINE" --quiet "$@" && mv end.r32 whole.r32 && rm end.r32.ravine.json
code=$(keep 2 1 --checkpoint point --every 0 "$@")
equal "exit code with a checkpoint" "$code" 0
if grep -q '^Stopped' err; then
    holds "how to go on" "$(cat err)" "ravine resume point"
    cmp -s end.r32 whole.r32 && fail "the kept land is that of a whole run"
    "$RAVINE" --quiet resume point || fail "resume: $?"
    cmp end.r32 whole.r32 || fail "the resumed run ends in other bytes"
fi

# ---- without --keep a stop says how to go on, too ----
python3 keep.py 2 1 "$RAVINE" --checkpoint point --every 0 terrain size=64 noise droplets drops=100G save x.r32 >code
equal "exit code without --keep" "$(cat code)" 130
holds "how to go on" "$(cat err)" "To go on from the last checkpoint: ravine resume point"
[ ! -e x.r32 ] || fail "a stopped run has saved"
finish
