#!/usr/bin/env bash
# `ravine scene`: settings files, words and presets run, tell, save and film; threads and kills
# change nothing; what is wrong gets one sentence.
. "$SOURCE/tests/cli/common.sh"

# box.obj and rock.obj: cubes of 2 m and of 1.2 x 1.2 x 0.6 m; the second is inside out.
mkdir -p data set
cube() { # X Y LOW HIGH CORNERS
    for z in "$3" "$4"; do for y in -"$2" "$2"; do for x in -"$1" "$1"; do echo "v $x $y $z"; done; done; done
    if [ "$5" = out ]; then
        printf 'f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n'
    else
        printf 'f 2 4 3 1\nf 7 8 6 5\nf 5 6 2 1\nf 4 8 7 3\nf 3 7 5 1\nf 6 8 4 2\n'
    fi
}
cube 1 1 -1 1 out >data/cube.obj
cube 0.6 0.6 -0.9 -0.3 in >data/model.obj

# ---- the settings file of the paper, as it stands there ----
cat >settings.txt <<'END'
# Scene settings
-----
# models (filename reverseWinding scaleFactor translation)
m data/cube.obj 0 30/30/30 0/0/0
m data/model.obj 1 30/30/30 0/0/0

# fluid source (rate position size)
f 10 0/0/10 10/10/10
f 5 -20/-20/10 3/3/3

# maximum number of particles
p 1000

# distance limit for tessellation
d 100.5

# material (sediment_change max_sediment_in_particle critical_shear)
s 0.02 1.0 0.25
END
"$RAVINE" --json scene settings.txt frames=100 every=20 save=out.obj >json || fail "settings.txt"
equal "objects every 20 frames" "$(wc -l <json)" 6
for key in frame frames time particles vertices faces smallest_angle volume ledger eroded deposited \
    left_map suspended owed refused pushed_out trapped ms pressure force advance hash messages; do
    grep -q "\"$key\":" json || fail "--json has no $key"
done
"$RAVINE" --quiet solid check out.obj || fail "what settings.txt leaves is a solid"
[ -f out-00020.obj ] && [ ! -e out-00100.obj ] || fail "every=20 saves on the way"
cmp -s out.obj out-00020.obj && fail "nothing was worn"
# New particles come in frames that 10 and 5 divide, the first included, once there is room.
"$RAVINE" --json scene settings.txt frames=60 |
    sed 's/^{"frame":\([0-9]*\),.*"particles":\([0-9]*\),"vert.*/\1 \2/' >frames
awk '$1 == 1 { at_once = $2 > 200 } $1 > 1 && $2 > last { n++; if (($1 - 1) % 5) exit 1 }
    { last = $2 } END { exit !(at_once && n >= 5) }' frames || fail "sources: $(tr '\n' ';' <frames)"
# Models lie beside the settings, or in the working folder.
cp settings.txt set/ && "$RAVINE" --quiet scene set/settings.txt frames=1 || fail "from the working folder"
mkdir set/data && cube 0.2 0.2 -0.9 -0.3 in >set/data/model.obj
holds "beside the file" "$("$RAVINE" --json scene set/settings.txt frames=0)" '"volume":2592'
holds "plan" "$("$RAVINE" --dry-run scene settings.txt)" "at most 1000 particles, 1.525 m apart"
[ "$("$RAVINE" --quiet scene settings.txt frames=3 2>&1 | wc -c)" = 0 ] || fail "--quiet is quiet"
holds "for people" "$("$RAVINE" scene settings.txt frames=3 2>&1)" "eroded     deposited"
# Time goes on in every frame, and the table shows no rounding of what moved.
"$RAVINE" scene river particles.spacing=0.02118 frames=20 every=1 2>table || fail "river: time"
awk 'NR > 2 && $2 <= last { exit 1 } { last = $2 } END { exit NR != 22 }' table || fail "river: $(cat table)"
grep -E 'e-[12][0-9] ' table && fail "the table shows rounding"

# ---- words; any number of threads; kills ----
cat >fall.scene <<'END'
box low=-1/-1/-1 high=1/1/1
model data/model.obj reverse=yes
water low=-0.6/-0.6/0 high=0/0/0.4        # falls on the corner
source at=0.4/0.4/0.5 size=0.2/0.2/0.2 rate=500 speed=-1/0/-1
particles max=800 spacing=0.07
material name=rock critical=0.2 rate=0.01
material name=sand rate=0.05 colour=0.8/0.7/0.4
region material=rock shape=layers to=0/0/1 size=0.1 count=2 wobble=0.05
tessellate limit=0.15
run frames=60 save=fall.obj
END
for n in 1 2 3; do
    "$RAVINE" --quiet --threads $n scene fall.scene save=$n.obj || fail "$n threads"
    cmp 1.obj $n.obj || fail "$n threads give other bytes"
done
"$RAVINE" --quiet scene - save=pipe.obj <fall.scene && cmp 1.obj pipe.obj || fail "standard input"
# The books are right in JSON, too, of all rock and of the water that each material gave to.
"$RAVINE" --json scene fall.scene every=20 save= | sed 's/[^-+.0-9a-z_]/ /g' >books
awk 'function near(a, b) { return a - b <= 1e-9 * sum && b - a <= 1e-9 * sum }
    { delete v; rock = 0
      for (i = 1; i < NF; i++) {
          if ($i == "materials") rock = 1
          else if ($i == "refused") rock = 2
          if (rock < 2 && $i ~ /^(eroded|deposited|left_map|suspended|owed)$/) v[rock $i] += $(i + 1) }
      sum = v["0eroded"] + v["0deposited"]; far = v["0suspended"] + v["0left_map"]
      if (!near(v["0eroded"] - v["0deposited"], far + v["0owed"]) || !near(v["1eroded"] - v["1deposited"], far)) exit 1 }
    END { if (NR != 4 || sum == 0) exit 1 }' books || fail "books in JSON: $(cat books)"
grep -q "name *sand *eroded" books || fail "--json does not know sand"
RANDOM=3
for turn in 1 2; do
    rm -f fall.obj
    kill_at $((30 + RANDOM % 200)) --checkpoint run.ck --every 0.02 scene fall.scene
    [ -f run.ck ] && cp run.ck keep.ck
    longer=0
    while [ -f run.ck ]; do
        kill_at $((60 + longer + RANDOM % 200)) --every 0.02 resume run.ck
        longer=$((longer + 60))
    done
    [ -f fall.obj ] || "$RAVINE" --quiet scene fall.scene
    cmp 1.obj fall.obj || fail "turn $turn: other bytes after a kill"
    rm -f fall.obj.tmp* # a kill may come during the last write
    rm -f run.ck*
done
rm -f keep.ck # a signal that comes before the program listens would be lost
"$RAVINE" --quiet --checkpoint keep.ck --every 0 scene fall.scene frames=1000000 save=never.obj &
victim=$!
while [ ! -f keep.ck ] && kill -0 $victim 2>said; do sleep 0.01; done
kill -INT $victim
wait $victim 2>said
equal "Ctrl-C" "$?" 130
rm -f keep.ck.tmp*
[ -e never.obj ] && fail "a stopped run left a file"
ls -- *.tmp* 2>said && fail "temporary files are left"

# ---- pictures and films ----
"$RAVINE" --quiet scene dam_break frames=2 particles.spacing=0.05 || fail "a word that is not there"
"$RAVINE" --quiet scene fall.scene frames=4 every=2 width=64 height=48 save=end.png film=f-%05d.png ||
    fail "pictures"
for file in end.png end-00002.png f-00000.png f-00001.png f-00002.png; do
    [ -s $file ] || fail "$file is not there"
done
[ -e f-00003.png ] && fail "a frame too many"

# ---- presets ----
for name in $("$RAVINE" help scene | sed -n '/^  name=/,/^$/s/^    \([a-z_]*\) .*/\1/p'); do
    "$RAVINE" --quiet scene "$name" frames=2 || fail "ravine scene $name"
done

# ---- wrong ----
# wrong CODE PATTERN WORDS...: the exit code, and one sentence
wrong() {
    "$RAVINE" "${@:3}" >out 2>err
    equal "ravine ${*:3}" "$? $(wc -l <err)" "$1 1"
    holds "ravine ${*:3}" "$(cat err)" "$2"
}
wrong 2 "preset or a file" scene
wrong 2 "preset or a file" scene frames=3
wrong 3 "nearest is river" scene rivr
wrong 3 "missing.scene" scene missing.scene
wrong 2 "frames=x" scene river frames=x
wrong 2 "did you mean" scene river fames=3
wrong 2 "has no word water." scene dam_break water.low=0/0/0
wrong 2 "must end in" scene river frames=1 save=out.doc
wrong 4 "nowhere" scene river frames=1 save=nowhere/out.obj
wrong 4 "nowhere" --checkpoint nowhere/run.ck scene river frames=1
wrong 2 ".mp4" scene river frames=1 film=out.gif
wrong 2 "no rock" scene dam_break frames=0 save=out.obj
wrong 2 "no rock" --dry-run scene dam_break frames=0 save=out.obj
wrong 2 "no rock" scene dam_break frames=1000000000 save=out.obj # at once
wrong 5 "memory" --memory 1M scene river frames=1
printf 'box\nmodel data/model.obj\n' >in.scene
wrong 3 "data/model.obj: is not the surface of a solid" scene in.scene
printf 'box low=-1/-1/-1 high=1/1/1\nmodel data/model.obj reverse=yes\nsource at=0/0/-0.5\n' >deep.scene
wrong 2 "rock" scene deep.scene
printf 'v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n' >nan.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n' >far.obj
: >empty.obj
for model in nan.obj far.obj empty.obj; do
    echo "box model $model" >bad.scene
    wrong 3 "$model" scene bad.scene
done
printf 'm data/cube.obj 0 1/1/1 0/0/0\nq 3\n' >bad.txt
wrong 3 "bad.txt, line 2: m, f, p, d, s or # was expected." scene bad.txt
printf 'p 100\n' >bad.txt
wrong 2 "needs a box" scene bad.txt
head -c 3000 keep.ck >cut.ck
cp keep.ck flipped.ck
printf 'x' | dd of=flipped.ck bs=1 seek=5000 conv=notrunc 2>said
wrong 3 "cut off or damaged" resume cut.ck
wrong 3 "cut off or damaged" resume flipped.ck
finish
