#!/usr/bin/env bash
# A run that is killed at any moment goes on from its checkpoint and ends in the same bytes.
. "$SOURCE/tests/cli/common.sh"
set -euo pipefail

cat > long.rv <<'END'
terrain size=128
noise seed=3
repeat 25
  droplets 1500
  repeat 2
    blur radius=3 amount=0.1
  end
end
save land.npy
END
"$RAVINE" --quiet long.rv
mv land.npy whole.npy

# A number below the argument, from a fixed start: what fails once fails again.
RANDOM=7
for i in $(seq 20); do
    survive long.rv land.npy
    cmp whole.npy land.npy || { echo "turn $i: other bytes after a kill"; exit 1; }
done

# Damaged checkpoints are refused with one sentence.
"$RAVINE" --quiet --checkpoint keep.ck --every 0 long.rv &
victim=$!
until [ -f keep.ck ]; do sleep 0.01; done
kill -9 $victim 2> said || true
wait $victim 2> said || true
rm -f keep.ck.tmp*
refused() {
    local code=0
    "$RAVINE" --quiet resume "$1" 2> said || code=$?
    [ $code -eq 3 ] && [ "$(wc -l < said)" -eq 1 ] || { echo "$1: exit $code"; cat said; exit 1; }
}
head -c 1000 keep.ck > cut.ck
: > empty.ck
cp keep.ck flipped.ck
printf 'x' | dd of=flipped.ck bs=1 seek=20000 conv=notrunc 2> said
cp long.rv recipe.ck
for file in cut.ck empty.ck flipped.ck recipe.ck missing.ck; do
    refused $file
done

# What is not a checkpoint is neither written over nor removed, and a result of the same name stays.
kept() {
    local code=0
    cp long.rv mine.txt
    "$RAVINE" --quiet --checkpoint mine.txt "$@" 2> said || code=$?
    [ $code -eq 4 ] && cmp long.rv mine.txt || { echo "$*: exit $code"; cat said; exit 1; }
}
kept terrain size=8
kept scene dam_break frames=1
rm -f same.obj
"$RAVINE" --quiet --checkpoint same.obj scene river frames=1 save=same.obj
[ -s same.obj ] || { echo "the result went with the checkpoint"; exit 1; }
: > empty.ck
"$RAVINE" --quiet --checkpoint empty.ck --every 0 terrain size=8 noise
[ ! -e empty.ck ] || { echo "the checkpoint stays after the run"; exit 1; }
