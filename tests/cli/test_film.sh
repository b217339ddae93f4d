#!/usr/bin/env bash
# A film whose run is killed at any moment is the same film after resume; one that is stopped leaves
# its frames. A script plays ffmpeg: its film is all frames, one after the other.
. "$SOURCE/tests/cli/common.sh"
set -euo pipefail

mkdir bin
cat > bin/ffmpeg <<'END'
#!/bin/sh
for last; do :; done
cat wear-0*.png > "${last#file:}"
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
"$RAVINE" --quiet long.rv
mv wear.mp4 whole.mp4
! ls wear-*.png 2> said || { echo "frames stay beside the film"; exit 1; }

# A number below the argument, from a fixed start: what fails once fails again.
RANDOM=5
for i in $(seq 6); do
    survive long.rv wear.mp4
    cmp whole.mp4 wear.mp4 || { echo "turn $i: another film after a kill"; exit 1; }
    rm -f wear-*.png.tmp* run.ck.tmp*
    ! ls wear-* 2> said || { echo "turn $i: frames stay beside the film"; exit 1; }
done

# Stopped in the middle: whole frames, no film.
rm -f wear.mp4
code=0
"$RAVINE" --quiet long.rv repeat.times=100000 &
victim=$!
until [ -f wear-00003.png ]; do sleep 0.01; done
kill -INT $victim
wait $victim || code=$?
[ $code -eq 130 ] || { echo "exit $code after a stop"; exit 1; }
[ -f wear-00000.png ] && [ ! -f wear.mp4 ] && [ ! -f wear.mp4.part ]
! ls ./*.tmp* 2> said
