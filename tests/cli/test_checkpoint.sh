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

# What is not a checkpoint is neither written over nor removed.
kept() {
    local code=0
    cp long.rv mine.txt
    "$RAVINE" --quiet --checkpoint mine.txt "$@" 2> said || code=$?
    [ $code -eq 4 ] && cmp long.rv mine.txt || { echo "$*: exit $code"; cat said; exit 1; }
}
kept terrain size=8
kept scene dam_break frames=1

# A checkpoint has a name of its own: nothing is run, nothing written or removed.
own() { # NAME WORDS...
    local code=0 name=$1
    shift
    rm -f "$name"
    "$RAVINE" --quiet --checkpoint "$name" --every 0 "$@" 2> said || code=$?
    [ $code -eq 2 ] && [ "$(wc -l < said)" -eq 1 ] && [ ! -e "$name" ] ||
        { echo "$*: exit $code"; cat said; exit 1; }
}
own out.r32 terrain size=16 noise save out.r32
own ./out.r32 terrain size=16 noise save "$PWD/out.r32"
own same.obj scene river frames=1 save=same.obj

# A plan says of the checkpoint what a run says of it.
both() { # CODE NAME WORDS...
    local code name=$2 want=$1
    shift 2
    for how in --every=0 --dry-run; do
        code=0
        "$RAVINE" --quiet "$how" --checkpoint "$name" "$@" 2> "said$how" > plan || code=$?
        [ $code -eq "$want" ] && [ "$(wc -l < "said$how")" -eq 1 ] ||
            { echo "$how --checkpoint $name $*: exit $code"; cat "said$how"; exit 1; }
    done
    cmp said--every=0 said--dry-run
}
cp long.rv mine.txt
: > empty.txt
mkdir folder.ck
for words in "terrain size=16 noise save out.r32" "scene river frames=1 save=out.obj"; do
    # shellcheck disable=SC2086
    for name in mine.txt empty.txt folder.ck nowhere/run.ck keep.ck; do both 4 $name $words; done
    # shellcheck disable=SC2086
    both 2 "${words##*[ =]}" $words
done
both 2 out.r32.ravine.json terrain size=16 noise save out.r32
both 2 f-00001.png terrain size=16 noise repeat 2 film f.png end
both 2 f-00001.png scene river frames=2 every=1 film=f.png
both 2 land.npy open land.npy
both 4 long.rv long.rv
cmp mine.txt long.rv && [ -f empty.txt ] && [ ! -e out.r32 ] && [ ! -e out.obj ] || { echo "files changed"; exit 1; }
"$RAVINE" --quiet --dry-run --checkpoint new.ck long.rv
"$RAVINE" --quiet --dry-run --checkpoint new.ck scene river frames=1
[ ! -e new.ck ] || { echo "a plan wrote a checkpoint"; exit 1; }

# That of another run stays, at the start and at the end, and can be resumed.
kept_of() { # WORDS...
    local code=0
    "$RAVINE" --quiet --checkpoint keep.ck --every 0 "$@" 2> said || code=$?
    [ $code -eq 4 ] && grep -q "another run" said && cmp keep.ck other.ck ||
        { echo "$*: exit $code"; cat said; exit 1; }
}
cp keep.ck other.ck
kept_of long.rv
kept_of terrain size=8
kept_of scene dam_break frames=1
printf 'RAVINE-CHECK is what I call my diary\n' > diary.txt
cp diary.txt diary.old
code=0
"$RAVINE" --quiet --checkpoint diary.txt --every 0 terrain size=8 noise 2> said || code=$?
[ $code -eq 4 ] && cmp diary.txt diary.old || { echo "a diary was taken for a checkpoint"; exit 1; }
"$RAVINE" --quiet resume keep.ck
cmp whole.npy land.npy || { echo "other bytes after others tried"; exit 1; }

# A name may hold anything, and a disk that is too small for checkpoints ends no run.
odd=$'a "b"\nc.r32'
"$RAVINE" --quiet --checkpoint odd.ck --every 0 terrain size=16 noise save "$odd" blur
[ -s "$odd" ] && [ ! -e odd.ck ] || { echo "$odd"; exit 1; }
( trap '' XFSZ; ulimit -f 12
  "$RAVINE" --checkpoint full.ck --every 0 terrain size=64 noise blur save small.r16 ) 2> said
[ -s small.r16 ] && [ "$(grep -c "The run goes on" said)" -eq 1 ] && [ ! -e full.ck ] ||
    { echo "a full disk"; cat said; exit 1; }

# An empty file is one of the user, too.
for words in "terrain size=8 noise" "scene dam_break frames=1"; do
    : > empty.ck
    code=0
    # shellcheck disable=SC2086
    "$RAVINE" --quiet --checkpoint empty.ck --every 0 $words 2> said || code=$?
    [ $code -eq 4 ] && [ -f empty.ck ] && grep -q "empty.ck exists and is not a checkpoint" said ||
        { echo "$words: an empty file: exit $code"; cat said; exit 1; }
done
rm empty.ck
"$RAVINE" --quiet --checkpoint empty.ck --every 0 terrain size=8 noise
[ ! -e empty.ck ] || { echo "the checkpoint stays after the run"; exit 1; }

# A run that began in another folder reads and writes its files there.
mkdir began began/sub elsewhere
"$RAVINE" --quiet terrain size=9 noise save began/sub/rock.obj solid=50
printf 'model rock.obj\nbox low=-9/-9/-900 high=99/99/900\nrun frames=100000 save=out.obj film=pic.png width=16 height=16\n' \
    > began/sub/rock.scene
printf 'terrain size=96\nnoise\nlevel high=1\nsave mask.npy\nrepeat 100\ndroplets 900\nend\nmask mask.npy\nblur\nsave land.npy\nmeasure plots=land\n' \
    > began/far.rv
( cd began && "$RAVINE" --quiet far.rv && mv land.npy whole.npy && rm ./*.npy.ravine.json ./*.png )
begin() { # WORDS...: in that folder, until there is a checkpoint
    rm -f began/run.ck
    ( cd began && exec "$RAVINE" --quiet --checkpoint run.ck --every 0 "$@" 2> said ) &
    victim=$!
    until [ -f began/run.ck ]; do sleep 0.01; done
    sleep 0.05
    kill -9 $victim 2> said || true
    wait $victim 2> said || true
    rm -f began/said
}
begin far.rv
[ ! -e began/land.npy ] || { echo "the run was too short for this test"; exit 1; }
( cd elsewhere && "$RAVINE" resume ../began/run.ck 2> ../said )
grep -q "began/run.ck: the run began in .*/began, and its files are read and written there" said &&
    cmp began/land.npy began/whole.npy && [ -f began/land-drainage.png ] && [ ! -e began/run.ck ] &&
    [ -z "$(ls -A elsewhere)" ] || { echo "resume in another folder"; cat said; ls began elsewhere; exit 1; }
rm began/land*
ln -s began way
begin far.rv
( cd way && "$RAVINE" resume run.ck 2> ../said )
! grep -q "the run began" said && cmp began/land.npy began/whole.npy || { echo "the same folder"; cat said; exit 1; }
rm began/land*

# A scene, too: what it writes, and what it must not replace.
begin scene sub/rock.scene
( cd elsewhere && exec timeout 20 "$RAVINE" --quiet resume ../began/run.ck 2> ../said ) &
victim=$!
frames=$(find began -name 'pic-*.png' | wc -l)
for _ in $(seq 300); do
    [ "$(find began -name 'pic-*.png' | wc -l)" -le "$frames" ] || break
    sleep 0.02
done
kill -INT $victim
wait $victim || true
[ "$(find began -name 'pic-*.png' | wc -l)" -gt "$frames" ] && [ -z "$(ls -A elsewhere)" ] ||
    { echo "a scene in another folder"; ls began elsewhere; exit 1; }

# The folder was moved: then its files are those of the folder that one is in.
begin far.rv
mv began moved
( cd moved && "$RAVINE" resume run.ck 2> ../said )
grep -q "run.ck: the run began in .*/began, which is gone; its files are those of this folder" said &&
    cmp moved/land.npy moved/whole.npy || { echo "a folder that was moved"; cat said; exit 1; }
