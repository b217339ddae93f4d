# The program for Windows as people use it there: names with any letters, backslashes and drives, lines that end
# with CR LF, pipes, Ctrl-C, checkpoints, frames of a film. RAVINE is ravine.exe, NATIVE the program for this machine.
program=$RAVINE
. "$SOURCE/tests/cli/common.sh"
export LC_ALL=C.UTF-8 # by which wine reads the words

# Calls go through wine.
RAVINE=$PWD/ravine
printf '#!/bin/sh\nexec wine "%s" "$@"\n' "$program" > ravine
chmod +x ravine
here=$(printf 'Z:%s' "$PWD" | tr / '\\')

# ---- names ----
mkdir 'Bäume und Täler'
"$RAVINE" --quiet terrain size=64 noise save 'Bäume und Täler\höhe 1.npy' || fail "a name with umlauts"
[ -f 'Bäume und Täler/höhe 1.npy' ] || fail "a name with umlauts is another one: $(ls 'Bäume und Täler')"
said=$("$RAVINE" open "$here"'\Bäume und Täler\höhe 1.npy' thermal save "$here"'\ü.npy' 2>&1) ||
    fail "a name with a drive: $said"
holds "the name as it was given" "$said" 'ü.npy: 64 x 64 cells'
[ -f ü.npy ] || fail "a name with a drive leads elsewhere"
said=$("$RAVINE" --quiet open ü.npy save Ü.NPY 2>&1)
holds "a name in other letters is the same file" "$said" 'Ü.NPY: is read by open in this recipe'
said=$("$RAVINE" --quiet terrain size=16 save nowhere/x.npy 2>&1)
equal "a folder that is not there: exit code" $? 4
equal "a folder that is not there" "${said%$'\r'}" \
    'ravine: command line, word 3: nowhere/x.npy: cannot be written: No such file or directory.'
"$RAVINE" --quiet terrain size=16 save nul 2> err
equal "a device is no file: exit code" $? 2

# ---- the same bytes as here ----
recipe='terrain size=96 cell=8 noise seed=3 droplets drops=20k thermal rivers steps=3 save out.npy'
# shellcheck disable=SC2086 # words
"$RAVINE" --quiet $recipe && mv out.npy there.npy && "$NATIVE" --quiet $recipe || fail "a recipe"
cmp there.npy out.npy || fail "Windows gives other bytes"
printf '%s\r\n' 'terrain size=96 cell=8' '# CR LF' 'noise seed=3' 'droplets drops=20k' thermal 'rivers steps=3' \
    'save lines.npy' > lines.rv
"$RAVINE" --quiet lines.rv || fail "a recipe with CR LF"
cmp lines.npy out.npy || fail "a recipe with CR LF gives other bytes"
"$RAVINE" --quiet - < lines.rv || fail "a recipe through a pipe"
equal "lines of standard output" "$("$RAVINE" help --words | tr -dc '\r' | wc -c)" 0
"$RAVINE" help --markdown > there.md
"$NATIVE" help --markdown > here.md
cmp there.md here.md || fail "help differs"
"$RAVINE" --json "$(printf '%s' lines.rv)" > there.json
equal "JSON: lines" "$(grep -c '^{.*}$' there.json)" "$("$NATIVE" --json lines.rv | wc -l)"

# ---- many runs ----
printf 'terrain size=32\r\nnoise\r\nsave l.npy\r\n' > small.rv
mkdir Proben
"$RAVINE" --quiet sweep small.rv noise.seed=1..2 --csv 'Proben\tä.csv' || fail "a sweep"
"$NATIVE" --quiet sweep small.rv noise.seed=1..2 --csv here.csv || fail "a sweep here"
for run in 001 002; do
    cmp "Proben/tä/$run/l.npy" "here/$run/l.npy" || fail "a run of a sweep differs"
done

# ---- Ctrl-C, and going on ----
# A signal to wine is a Ctrl-C in its console.
long='terrain size=256 noise droplets drops=20M save long.npy'
# shellcheck disable=SC2086
wine "$program" --checkpoint run.ck --every 0 $long 2> err &
run=$!
for _ in $(seq 200); do
    if [ -f run.ck ]; then break; fi
    sleep 0.1
done
kill -INT $run
wait $run
equal "Ctrl-C: exit code" $? 130
holds "Ctrl-C" "$(cat err)" 'Stopped in '
holds "how to go on" "$(cat err)" 'ravine resume run.ck'
[ -f run.ck ] || fail "no checkpoint"
[ ! -f long.npy ] || fail "a file half made"
equal "nothing is left over" "$(find . -name '*.tmp*' | wc -l)" 0
"$RAVINE" --quiet terrain size=64 noise --checkpoint done.ck thermal save done.npy || fail "a checkpoint"
[ ! -f done.ck ] || fail "a checkpoint stays after its run"

# ---- what a killed run leaves goes with the next ----
# shellcheck disable=SC2086
wine "$program" --quiet --checkpoint killed.ck --every 0 $long &
run=$!
for _ in $(seq 200); do
    if [ -f killed.ck ]; then break; fi
    sleep 0.1
done
kill -9 $run
wait $run 2> said
: > killed.ck.tmp0000000100000001 # the user's, not ours
"$RAVINE" --quiet terrain size=16 save after.npy
equal "leftovers" "$(find . -name '*.tmp*' | sort | tr '\n' ' ')" './killed.ck.tmp0000000100000001 '

# ---- frames of a film, where ffmpeg is not ----
if [ "${PNG#*ON}" != "$PNG" ]; then
    said=$("$RAVINE" terrain size=32 noise film land.mp4 frames=3 droplets drops=2k 2>&1) || fail "a film: $said"
    equal "frames" "$(ls -d land-frames* 2>&1)" land-frames
    [ "$(find land-frames -name '*.png' | wc -l)" -gt 1 ] || fail "no frames: $said"
    equal "folders of the run" "$(find . -name '*.frames-*' | wc -l)" 0
    "$RAVINE" --quiet terrain size=64 noise render 'Ansicht – Süd.png' width=160 height=90 || fail "a picture"
    "$NATIVE" --quiet terrain size=64 noise render here.png width=160 height=90
    python3 -c 'import sys
for name in sys.argv[1:]:
    assert open(name, "rb").read(8) == b"\x89PNG\r\n\x1a\n", name' 'Ansicht – Süd.png' || fail "not a PNG"
fi
finish
