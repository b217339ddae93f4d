#!/usr/bin/env bash
# A film whose run is killed at any moment is the same film after resume; one that is stopped leaves
# nothing, unless a checkpoint waits for its frames. A script plays ffmpeg: its film is all frames, one
# after the other.
. "$SOURCE/tests/cli/common.sh"
set -euo pipefail

mkdir bin
cat > bin/ffmpeg <<'END'
#!/bin/sh
for last; do :; done
film=${last#file:}
cat "${film%/*}"/0*.png > "$film"
END
chmod +x bin/ffmpeg
PATH=$PWD/bin:$PATH

cat > long.rv <<'END'
terrain size=96
noise seed=3
repeat 15
  droplets 1000
  film wear.mp4 view=flow limit=500 every=2
end
END
echo mine > wear-00001.png
"$RAVINE" --json long.rv > told.json
[ "$(grep -o '"name":"[^"]*"' told.json)" = '"name":"wear.mp4"' ] ||
    { echo "--json tells other files than the film"; grep -o '"files".*' told.json; exit 1; }
mv wear.mp4 whole.mp4
# Who started it may ignore the end of children.
env --ignore-signal=CHLD "$RAVINE" --quiet long.rv
cmp whole.mp4 wear.mp4 || { echo "another film where SIGCHLD is ignored"; exit 1; }
left() { [ -n "$(ls -d ./*.frames-* ./*.tmp* ./*.part 2> said)" ]; }
! left || { echo "frames stay beside the film"; exit 1; }

# A number below the argument, from a fixed start: what fails once fails again.
RANDOM=5
kills=6
[ -z "${RAVINE_SHORT:-}" ] || kills=2
for i in $(seq $kills); do
    survive long.rv wear.mp4
    cmp whole.mp4 wear.mp4 || { echo "turn $i: another film after a kill"; exit 1; }
    rm -f run.ck.tmp*
    "$RAVINE" --quiet terrain size=8 film next.mp4 # removes what a kill at the very end has left
    ! left || { echo "turn $i: frames stay beside the film"; exit 1; }
done
[ "$(cat wear-00001.png)" = mine ] || { echo "a file of the user is gone"; exit 1; }

# Stopped in the middle: no film, and the frames only where a checkpoint waits for them.
rm -f wear.mp4
stop() { # MORE...: runs it until there are some frames, and stops it
    code=0
    "$RAVINE" --quiet "$@" long.rv repeat.times=100000 &
    victim=$!
    until ls wear.mp4.frames-*/00003.png > said 2>&1; do sleep 0.01; done
    kill -INT $victim
    wait $victim || code=$?
    [ $code -eq 130 ] || { echo "exit $code after a stop"; exit 1; }
    [ ! -f wear.mp4 ] || { echo "a film of a run that was stopped"; exit 1; }
}
stop
! left || { echo "frames of a run that cannot go on"; exit 1; }
stop --checkpoint stop.ck --every 0
ls wear.mp4.frames-*/00000.png > said || { echo "the frames are gone before the resume"; exit 1; }
"$RAVINE" --quiet long.rv # another run, which leaves them alone
ls wear.mp4.frames-*/00000.png > said || { echo "the frames went with another run"; exit 1; }
mv stop.ck moved.ck
"$RAVINE" --quiet long.rv
ls wear.mp4.frames-*/00000.png > said || { echo "the frames of a moved checkpoint are gone"; exit 1; }
rm -r moved.ck wear.mp4 wear.mp4.frames-*

# Without ffmpeg the frames are the user's as soon as they are all there, whatever becomes of the run.
drops=400k # a second
! is_sanitized || drops=80k
for every in 0 1000; do
    PATH=$PWD/nowhere "$RAVINE" --quiet --checkpoint kept.ck --every $every terrain size=64 noise \
        repeat 5 blur film kept.mp4 end droplets drops=$drops &
    victim=$!
    until [ -f kept-frames/00004.png ]; do sleep 0.01; done
    kill -9 $victim
    wait $victim 2> said || true
    [ "$(ls kept-frames | grep -c "[.]png$")" -eq 5 ] || { echo "not all frames are kept"; exit 1; }
    PATH=$PWD/nowhere "$RAVINE" --quiet resume kept.ck
    [ "$(ls kept-frames | grep -c "[.]png$")" -eq 5 ] || { echo "a resume lost frames"; exit 1; }
    [ ! -e kept-frames-2 ] && ! left || { echo "something is left"; exit 1; }
    rm -r kept-frames
done

# Frames that would be written over are told before the first step, in a plan as well.
rm -f pic-*
"$RAVINE" terrain size=16 repeat 3 film pic.png end 2> said
! grep -q overwritten said || { echo "nothing was there"; cat said; exit 1; }
"$RAVINE" terrain size=16 repeat 2 film pic.png end 2> said
[ "$(head -n 1 said)" = "pic.png: 2 files from pic-00000.png on are there and will be overwritten" ] ||
    { cat said; exit 1; }
"$RAVINE" --dry-run terrain size=16 repeat 2 film pic.png end 2> said > plan
grep -q "pic.png: 2 files .* overwritten" said || { cat said; exit 1; }
"$RAVINE" scene dam_break frames=2 every=1 film=pic.png save=pic.png width=16 height=16 2> said
grep -q "pic.png: 3 files .* overwritten" said && grep -q "pic.png: pic-00001.png is" said ||
    { cat said; exit 1; }

# Before the first step, and in a plan, it is said that there will be no film, or nothing at all.
no_film="no.mp4: ffmpeg is not installed, so there will be no film; its frames will be kept"
without() { PATH=$PWD/nowhere "$RAVINE" "$@" 2> said > plan; }
without terrain size=16 repeat 2 film no.mp4 end
[ "$(head -n 1 said)" = "$no_film" ] && [ -f no-frames/00001.png ] || { cat said; exit 1; }
without --dry-run terrain size=16 repeat 2 film no.mp4 end
[ "$(cat said)" = "$no_film" ] || { cat said; exit 1; }
without --dry-run scene dam_break frames=2 film=no.mp4
[ "$(cat said)" = "$no_film" ] || { cat said; exit 1; }
without scene dam_break frames=1 film=no.mp4 width=16 height=16
[ "$(head -n 1 said)" = "$no_film" ] && [ -f no-frames-2/00001.png ] || { cat said; exit 1; }
"$RAVINE" --dry-run terrain size=16 repeat 2 film no.mp4 end 2> said > plan
[ ! -s said ] || { echo "there is a program ffmpeg"; cat said; exit 1; }
none="command line, word 3: repeat 0: the steps up to its end do not run and write no files"
for how in --dry-run --every=1; do
    "$RAVINE" $how terrain size=16 repeat 0 film none.mp4 repeat 0 save none.r32 end end 2> said > plan
    [ "$(grep -c repeat said)" -eq 1 ] && grep -qx "$none" said || { echo "$how"; cat said; exit 1; }
done
[ -z "$(ls -d none* 2> said)" ] || { echo "a repeat 0 wrote something"; exit 1; }

# The line about hard links is for films, too.
echo old > backup.mp4
ln backup.mp4 wear.mp4
"$RAVINE" long.rv repeat.times=1 2> said
grep -q "wear.mp4: its other hard links keep the old file" said && [ "$(cat backup.mp4)" = old ] ||
    { cat said; exit 1; }
