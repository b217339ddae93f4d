# Every mistake that can be known from the words, the table and the files that are there is told
# before the first step runs: with its place, the same by --dry-run, and nothing is written.
. "$SOURCE/tests/cli/common.sh"
mkdir work
cd work || exit 1

# ---- files to be right and wrong with ----
"$RAVINE" --quiet terrain size=32 noise level high=1 save good.png save good.r32 save good.npy || exit 1
"$RAVINE" --quiet terrain width=30 height=20 noise save wide.r32 || exit 1
rm wide.r32.ravine.json
cp good.npy text.png
for ending in png r32 npy; do # changed in another program
    cp good.$ending other.$ending && cp good.$ending.ravine.json other.$ending.ravine.json
done
"$RAVINE" --quiet terrain size=32 noise seed=2 save ../other.png save ../other.r32 save ../other.npy || exit 1
cp ../other.png ../other.r32 ../other.npy .
head -c 1500 good.png >half.png
head -c $(($(wc -c <good.png) - 1)) good.png >nearly.png
head -c 4000 good.npy >half.npy
head -c 20 good.png >cut.png
: >empty.png
head -c 4000 good.r32 >short.r32 && cp good.r32.ravine.json short.r32.ravine.json
python3 - <<'PYTHON' || exit 1
import struct
head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (8, 8)}"
head += b' ' * (63 - (10 + len(head)) % 64) + b'\n'
with open('holes.npy', 'wb') as f:
    f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head + struct.pack('<64f', *[float('nan')] * 9, *range(55)))
def array(path, shape, values):
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': " + repr(shape).encode() + b"}"
    head += b' ' * (63 - (10 + len(head)) % 64) + b'\n'
    with open(path, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head + struct.pack('<%df' % len(values), *values))
array('two.npy', (4, 2), [0, 1, 0, 1, 0, 2, 0, 1])
array('nothing.npy', (4, 2), [float('nan')] * 8)
array('volume.npy', (2, 2, 2), [0, 1, 0, 1, 0.5, 1, 0, 1])
array('volume_two.npy', (2, 2, 2), [0, 1, 0, 1, 0, 2, 0, 1])
array('volume_nan.npy', (2, 2, 2), [0, 1, 0, 1, 0, float('nan'), 0, 1])
array('line.npy', (8,), [0] * 8)
array('four.npy', (2, 1, 2, 2), [0] * 8)
with open('good.png', 'rb') as f: # whole, but a bit has turned in its middle
    turned = bytearray(f.read())
turned[len(turned) // 2] ^= 16
with open('turned.png', 'wb') as f:
    f.write(turned)
PYTHON
"$RAVINE" --quiet terrain width=64 height=32 noise hillshade sky.png terrain size=8 noise save land.npz || exit 1
head -c 900 sky.png >half_sky.png
python3 - <<'PYTHON' || exit 1
for name, found, wrong in ('sky.png', None, 'turned_sky.png'), ('land.npz', b'layer/bedrock.npy', 'turned.npz'):
    with open(name, 'rb') as f:
        data = bytearray(f.read())
    data[data.index(found) + 200 if found else len(data) // 2] ^= 16
    with open(wrong, 'wb') as f:
        f.write(data)
PYTHON
cp good.png lies.png && sed 's/"width": *[0-9]*/"width": 31/' good.png.ravine.json >lies.png.ravine.json
cp good.png bad.png && echo '{' >bad.png.ravine.json
{ cat good.png && echo behind; } >long.png # which PNG allows
mkdir folder folder.png folder.npy.ravine.json
ln -s nowhere link.png
printf 'v 0 0 0\nv 100 0 5\nv 0 100 9\nf 1 2 3\n' >corner.obj
beginning='terrain size=64 noise octaves=2 save first.r32 droplets drops=100'
first=9 # the number of the word after it, on the command line

listing() {
    find . -printf '%p %s %T@\n' | sort
}
before=$(listing)

# skipped: in the short form, four of five rows are
skipped() {
    [ -n "${RAVINE_SHORT:-}" ] && [ $((rows % 5)) -ne 0 ]
}

# wrong CODE PATTERN WORDS...: as the last steps. What is wrong is the step that is word $nth of them.
wrong() {
    local code=$1 pattern=$2 got said column=3 k word
    shift 2
    rows=$((rows + 1))
    skipped && return
    # shellcheck disable=SC2086
    "$RAVINE" --quiet $beginning "$@" >../out 2>../err
    got=$?
    said=$(cat ../err)
    equal "ravine ... $*: exit code ($said)" "$got" "$code"
    equal "ravine ... $*: lines" "$(wc -l <../err)" 1
    holds "ravine ... $*" "$said" "$pattern"
    holds "ravine ... $*" "$said" "ravine: command line, word $((first + ${nth:-1} - 1)): "
    # shellcheck disable=SC2086
    "$RAVINE" --quiet --dry-run $beginning "$@" >../out 2>../err
    equal "ravine --dry-run ... $*" "$? $(cat ../err)" "$code $said"
    [ "$(listing)" = "$before" ] || fail "ravine ... $*: files have changed: $(ls)"
    k=1
    for word; do
        [ "$k" -ge "${nth:-1}" ] && break
        column=$((column + ${#word} + 1))
        k=$((k + 1))
    done
    printf '%s\n  %s\n' "$beginning" "$*" >../last.rv
    "$RAVINE" --quiet ../last.rv >../out 2>../err
    equal "a recipe with ... $*" "$? $(cat ../err)" \
        "$code ravine: ../last.rv, line 2, column $column: ${said#*, word *: }"
    [ "$(listing)" = "$before" ] || fail "a recipe with ... $*: files have changed: $(ls)"
}
rows=0

# cells that cannot be counted
for step in drain flood rivers analyse measure; do
    nth=3 wrong 2 'A map of 65536 x 65536 cells is too large to route water on it' terrain size=65536 $step
done

# names and places of files that are written
wrong 2 'out.xyz: the name must end in' save out.xyz
wrong 2 'out: the name must end in' save out
wrong 4 'No such file or directory' save missing/out.png
wrong 4 'No such file or directory' save missing/out.obj
wrong 4 'is a directory' save folder.png
wrong 4 'is a directory' save folder.npy
wrong 4 'link.png: is a broken link' save link.png
wrong 2 'must end in .png' hillshade out.jpg
wrong 4 'No such file' hillshade missing/out.png
wrong 2 'must end in .png' render out.jpg
nth=4 wrong 2 'at most 32767 cells along a side; this has 3 x 32768' terrain width=3 height=32768 render out.png frame=none
wrong 4 'No such file' render missing/out.png
wrong 2 'must end in .png' paint out.jpg
wrong 4 'No such file' paint missing/out.png
wrong 2 'must end in .png' texture out.bmp
wrong 4 'No such file' texture missing/out.png
wrong 2 'must end in .mp4' film out.avi
wrong 4 'No such file' film missing/out.mp4
wrong 4 'No such file' film missing/out.png
wrong 4 'No such file' measure plots=missing/land
long=$(printf '%0240d' 0) # the sidecar, and the folder for the frames, have longer names than this
wrong 4 'File name too long' save "$long.r32"
wrong 4 'File name too long' save "$long$long.obj"
wrong 4 'File name too long' film "$long.mp4"
wrong 4 'File name too long' film "${long}longer.png"
wrong 4 'Not a directory' save good.png/out.png
# what they hold
wrong 2 'There is no field "flwo" to save; there is height, deposited, eroded, flow.' save out.png field=flwo
wrong 2 'There is no field "water" to save' save out.png field=water
wrong 2 'There is no field "flwo" to paint' paint out.png field=flwo
wrong 2 'There is no field "velocity_x" to paint' paint out.png field=velocity
wrong 2 'There is no field "wtaer" to film' film out.png view=wtaer
wrong 2 'There is no field "water" to film' film out.mp4 view=water
wrong 2 'low=5 is not below high=5' save out.png low=5 high=5
wrong 2 'low=9 is not below high=5' save out.r16 low=9 high=5
wrong 2 'error= is for meshes' save out.png error=1
wrong 2 'solid= is for meshes' save out.r32 solid=1
wrong 2 'texture= is for meshes' save out.png texture=yes
wrong 2 'are for levels; a mesh is in metres' save out.obj high=5
wrong 2 'are for levels; a mesh is in metres' save out.ply bits=8
wrong 2 'a mesh is made of the heights' save out.stl field=flow
nth=3 wrong 2 'is a line and has no surface' crop height=1 save out.obj
# what is required
wrong 2 'river_checks:1 to river_checks:5' measure require=river_checks:9
wrong 2 'require=gates:5 cannot be measured' measure require=gates:5
wrong 2 'require=river_checks: cannot be measured' measure require=river_checks:
# files that are read
wrong 3 'missing.png: cannot be read: No such file' mask missing.png
wrong 3 'No such file' hardness missing.png
wrong 3 'No such file' layer image=missing.png
wrong 3 'No such file' droplets rain=missing.png
wrong 3 'No such file' particles rain=missing.png
wrong 3 'No such file' runoff rain=missing.png
wrong 3 'No such file' pipes rain_image=missing.png
wrong 3 'No such file' rivers rain_image=missing.png
wrong 3 'No such file' rivers uplift_image=missing.png
wrong 3 'No such file' open missing.png
wrong 3 'is a directory' mask folder.png
wrong 3 'the name must end in' mask good.xyz
wrong 3 'the name must end in' open ../last.rv
wrong 3 'text.png is not a PNG' mask text.png
wrong 3 'empty.png is empty' mask empty.png
wrong 3 'cut.png' open cut.png
wrong 3 'half.png is cut off: it ends after 1500 bytes' open half.png
wrong 3 'half.png is cut off: it ends after 1500 bytes' mask half.png
wrong 3 'nearly.png is cut off' rivers rain_image=nearly.png
wrong 3 'half.npy has 4000 bytes' open half.npy
# what they hold, as far as a run would read it
wrong 3 'two.npy: row 2, column 1 holds 2, but an image that limits a step holds values from 0 to 1' mask two.npy
wrong 3 'two.npy: row 2, column 1 holds 2' hardness two.npy
wrong 3 'two.npy: row 2, column 1 holds 2' layer image=two.npy
wrong 3 'two.npy: row 2, column 1 holds 2' droplets rain=two.npy
wrong 3 'two.npy: row 2, column 1 holds 2' rivers uplift_image=two.npy
wrong 3 'two.npy: row 2, column 1 holds 2' pipes rain_image=two.npy
wrong 3 'holes.npy: the value at row 0, column 0 (counted from 0) is not a number' open holes.npy
wrong 3 'nothing.npy holds no height at all, only holes' open nothing.npy holes=keep
wrong 3 'holes.npy: the value at row 0, column 0 (counted from 0) is not a number' mask holes.npy
wrong 3 'volume_nan.npy holds nan at (1, 0, 1), but hardness is from 0 to 1' hardness volume_nan.npy
wrong 3 'volume_two.npy holds 2 at (1, 0, 1), but hardness is from 0 to 1' hardness volume_two.npy
wrong 3 'line.npy has 1 dimension; hardness is a volume of three (z, y, x), or an image of two' hardness line.npy
wrong 3 'four.npy has 4 dimensions; hardness is a volume of three' hardness four.npy
wrong 3 'volume.npy has 3 dimensions; expected two, rows and columns' mask volume.npy
wrong 3 'corner.obj: there is no mesh over 55 of 121 cells' open corner.obj cell=10
nth=4 wrong 4 'A land file cannot hold the field "a/b"' select name=a/b 'where=height>3' save out.npz
wrong 3 'turned.png is damaged' mask turned.png
wrong 3 'turned.png is damaged' open turned.png
nth=3 wrong 3 'turned.png is damaged' repeat 3 mask turned.png end
wrong 3 'turned.npz' open turned.npz
wrong 3 'turned_sky.png is damaged' render out.png sky=turned_sky.png
wrong 3 'turned_sky.png is damaged' render out.png normals=turned_sky.png tile=100
wrong 3 'half_sky.png is cut off: it ends after 900 bytes' render out.png sky=half_sky.png
wrong 3 'half_sky.png is cut off: it ends after 900 bytes' render out.png normals=half_sky.png tile=100
wrong 3 'empty.png is empty' render out.png sky=empty.png
wrong 3 'cut.png is cut off within its header' render out.png sky=cut.png
wrong 3 'text.png is not a PNG' render out.png normals=text.png
wrong 3 'missing.png: cannot be read' render out.png sky=missing.png
wrong 3 'good.png is 32 x 32 pixels; a sky is twice as wide as high' render out.png sky=good.png
wrong 3 'other.png is not the file that other.png.ravine.json was written for; open it with low=' open other.png
wrong 3 'cell=10 if that still holds, else remove other.npy.ravine.json.' open other.npy
wrong 3 'other.r32 is not the file that' open other.r32
wrong 3 'other.r32 is not the file that' mask other.r32
wrong 3 'other.png is not the file that' open other.png cell=10
nth=3 wrong 3 'other.png is not the file that' mask other.png open other.png
wrong 3 'short.r32 has 4000 bytes' open short.r32
wrong 3 'short.r32 has 4000 bytes' mask short.r32
wrong 3 'wide.r32 has 2400 bytes, which is not a square' mask wide.r32
wrong 3 'expected a multiple of' open wide.r32 width=7
wrong 2 'good.png is 32 cells wide, not 7' open good.png width=7
wrong 3 'lies.png.ravine.json says 31' mask lies.png
wrong 3 'bad.png.ravine.json' open bad.png
wrong 2 'low=9 is not below high=5' open good.png low=9 high=5
# size of the land
wrong 2 'a margin of 40 cells along all sides leaves nothing' crop margin=40cells
wrong 2 'crop begins at column 64' crop x=64
wrong 2 'reach beyond the map' crop x=10 width=60
wrong 2 'A terrain needs at least two cells' crop width=1 height=1
wrong 2 'A terrain needs at least two cells' terrain width=1 height=1
nth=3 wrong 2 'keeps its width' crop width=1 resize width=9
nth=4 wrong 2 'Terrain size' terrain width=2 height=60000 resize width=9
# layers, springs
wrong 2 'colour=red is not six hexadecimal digits' layer colour=red
wrong 2 'colour=12345g is not six' layer colour=12345g
wrong 2 'flow is the name of a field' layer name=flow
wrong 2 'noise: there is no layer "sand"; there is bedrock.' noise layer=sand
wrong 2 'There is no field "gone"' mask field=gone
wrong 2 'There is no field "gone" to select by' select where='gone>3'
wrong 2 'letter 8: a number was expected' select where='height<high'
wrong 3 'gone.npz' open gone.npz
wrong 2 '"" is no name for a layer' layer name=
wrong 2 'is no name for a layer' layer name=a-name-that-is-too-long-for-any-layer
wrong 2 'the spring at 9000 m, 315 m lies outside the map' pipes spring_rate=1 spring_x=9000
# words
wrong 2 'there is no step "drolpets"; did you mean "droplets"?' drolpets
nth=2 wrong 2 'droplets has no parameter "drop"' droplets drop=5
nth=3 wrong 2 'blur: radius=-1 is not within' blur amount=1 radius=-1
wrong 2 'this end has no repeat' end
wrong 2 'this repeat has no end' repeat 3 noise
# in repeats: what only a later turn finds, too
nth=3 wrong 2 'leaves nothing of 4 x 4 cells' repeat 99 crop margin=2cells end
nth=5 wrong 3 'No such file' repeat 2 thermal rounds=1 mask missing.png end
nth=3 wrong 2 'There is no field "water" to film' repeat 3 film out.png view=water every=2 end
[ "$rows" -ge 40 ] || fail "only $rows wrong steps"

# ---- what is right is not refused ----
# right WORDS...: planned and run, after each other, in a folder without the files of the run before
right() {
    rows=$((rows + 1))
    skipped && return
    rm -rf ../right
    mkdir ../right ../right/sub
    ln -s sub ../right/linked
    cp good.* other.* long.png wide.r32 holes.npy ../right
    (cd ../right && "$RAVINE" --quiet --dry-run "$@") >../out 2>../err ||
        fail "a plan refuses: ravine $* ($(cat ../err))"
    equal "a plan of $* wrote" "$(find ../right -newer ../right/wide.r32 -name 'a*')" ""
    (cd ../right && "$RAVINE" --quiet "$@") >../out 2>../err ||
        fail "a run refuses: ravine $* ($(cat ../err))"
}
small='terrain width=40 height=30 noise octaves=1 level high=1'
# files that a step before writes
while read -r words; do
    case $words in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086
    right $words
done <<ROWS
$small save a.png open a.png save a.r32 field=height open a.r32 save a.npy open a.npy
$small save a.png mask a.png noise octaves=1 save a.r16 hardness a.r16 droplets drops=9
$small save ./sub/a.png mask sub/../linked//a.png droplets drops=9 rain=linked/a.png
$small hillshade a.png mask a.png paint b.png hardness b.png render c.png width=9 height=8 open c.png
$small texture a.png kind=slope layer image=a.png runoff rounds=1 rain=a.png rivers steps=1 uplift_image=a.png
$small measure plots=a mask a-landforms.png hardness a-slope-area.png pipes rounds=1 rain_image=a-drainage.png
$small measure plots=sub
$small repeat 3 thermal rounds=1 film a.png end mask a-00002.png
$small repeat 5 film a.png every=3 view=render width=8 height=8 end open a-00001.png crop x=7
$small save a.r32 open a.r32 crop x=39 resize size=9
$small save good.r32 open good.r32 crop x=39
$small save a.r16 open a.r16 low=-500 save b.png low=-600 open b.png high=9000
$small save a.r32 open a.r32 width=20 crop y=59
$small save a.npy crop x=20 save a.npy open a.npy crop x=19
# repeats
repeat 3 open good.r32 crop x=2 save good.r32 overwrite=yes end
$small repeat 3 save a.png mask a.png noise mode=add octaves=1 mask end
$small repeat 2 droplets drops=9 save a.r32 field=flow end repeat 2 paint a.png field=eroded end
$small repeat 9 crop margin=1cells resize width=30 end crop width=30
$small repeat 14 crop margin=1cells end crop width=12 height=2
$small repeat 0 save a.xyz mask missing.png crop x=99 repeat 3 crop x=99 end end save a.png
repeat 1000 repeat 0 crop x=1 end end
# fields and layers that are there
$small pipes rounds=1 paint a.png field=velocity save a.r32 field=velocity_x film a.png view=water
$small layer paint a.png field=layers layer name=x colour=AbCdEf drain lakes=keep save a.npy field=water
$small mask good.png save a.r32 field=mask mask paint a.png
$small mask other.png open other.png low=0 high=1 cell=10 open other.npy cell=1 open other.r32 width=32 cell=1
open long.png mask long.png
open holes.npy holes=keep save a.r32 field=hole crop x=2 save a.png field=hole
$small strata pipes rounds=1 spring_rate=1 spring_x=390 spring_y=290 spring_radius=0
terrain width=1 height=9 noise octaves=1 save a.png resize size=20 measure hillshade a.png render b.png width=9 height=9
open wide.r32 width=30 crop y=19
$small save a.png low=-3 save a.r16 high=-3 low=-4
ROWS
"$RAVINE" --quiet --dry-run repeat 1G noise repeat 1G droplets repeat 1G thermal end end end ||
    fail "a plan of many turns"
for recipe in "$SOURCE"/recipes/*.rv; do
    "$RAVINE" --quiet --dry-run "$recipe" 2>../err || fail "$recipe: $(cat ../err)"
done

# ---- memory ----
# short WORDS...: with 100 MB. The plan says which step needs more, and no step runs.
short() {
    local said
    "$RAVINE" --quiet --memory 100M "$@" >../out 2>../err
    equal "too little memory for $*" "$? $(grep -c 'would exceed the memory limit' ../err)" "5 1"
    said=$(cat ../err)
    "$RAVINE" --quiet --memory 100M --dry-run "$@" >../out 2>../err
    equal "a plan with too little memory for $*" "$? $(cat ../err)" "5 $said"
    holds "too little memory for $*" "$said" "command line, word "
    [ "$(listing)" = "$before" ] || fail "ravine $*: files have changed: $(ls)"
}
short terrain size=2048 save first.r32 noise octaves=1 pipes rounds=1
short terrain size=64 save first.r32 repeat 2 noise octaves=1 droplets drops=1 resize size=1900 end
short terrain size=900 save first.r32 repeat 9 noise octaves=1 repeat 3 droplets drops=1 resize size=1900 end end
short terrain size=4096 save first.png terrain size=64 mask first.png

# enough WORDS...: what the plan says is enough, of images that say how large they are.
enough() {
    local bytes
    bytes=$("$RAVINE" --dry-run --json "$@" | sed -n 's/.*"memory":\([0-9]*\).*/\1/p' | sort -n | tail -n 1)
    "$RAVINE" --quiet --memory "$bytes" "$@" 2>../err || fail "the plan of $* is not enough: $(cat ../err)"
}
python3 - <<'PYTHON' || exit 1
import random, struct, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
noise = random.Random(1).randbytes
for name, width, height in ('rgba16.png', 600, 600), ('rows.png', 60000, 2): # 8 bytes a pixel, which nothing makes smaller
    with open(name, 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 16, 6, 0, 0, 0))
                + chunk(b'IDAT', zlib.compress(b''.join(b'\0' + noise(8 * width) for _ in range(height)), 1)) + chunk(b'IEND', b''))
PYTHON
enough terrain size=64 mask rgba16.png
enough open rgba16.png
enough terrain size=64 noise droplets drops=9 rain=rgba16.png
enough terrain size=64 noise render view.png width=64 height=64 normals=rgba16.png
enough terrain size=64 noise render view.png width=64 height=64 sky=rows.png normals=rgba16.png
enough open rows.png
enough terrain size=32 save level.png
enough terrain width=65000 height=2 save level.png overwrite=yes
enough terrain width=65000 height=2 hillshade view.png tint=land
enough terrain size=32 hillshade view.png
enough terrain size=32 texture view.png
enough terrain size=32 paint view.png field=height
enough terrain size=32 film view-%03d.png noise
for size in 'width=65000 height=1' 'width=1 height=65000'; do
    # shellcheck disable=SC2086
    enough terrain $size noise render view.png width=9 height=9
    # shellcheck disable=SC2086
    enough terrain $size noise texture view.png kind=splat
    # shellcheck disable=SC2086
    enough terrain $size texture view.png kind=occlusion
    # shellcheck disable=SC2086
    enough terrain $size save level.asc
done
python3 - > pits.asc <<'PYTHON'
print('ncols 700\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -1')
for row in range(3):
    print(*[-1 if x == 350 else 50 * (x % 7) for x in range(700)])
PYTHON
enough open pits.asc flood level=100 render view.png width=9 height=9 look=clay frame=none
rm pits.asc level.* view.png view-*.png

# ---- what is left of a run that was stopped ----
names=$(ls)
"$RAVINE" --quiet --checkpoint run.ck --every 0 terrain size=64 noise octaves=9 \
    measure require=river_checks:5 save first.r32 mask late.png 2>../err
equal "a run with a missing image and a checkpoint" "$? $(ls run.ck 2>&1)" \
    "3 ls: cannot access 'run.ck': No such file or directory"
cp good.png late.png
"$RAVINE" --quiet --checkpoint run.ck --every 0 terrain size=64 noise octaves=9 \
    measure require=river_checks:5 save first.r32 mask late.png 2>../err
equal "a run that requires too much" "$?" 6
rm late.png
"$RAVINE" --quiet resume run.ck 2>../err
equal "the rest, without its image" "$?" 3
holds "the rest, without its image" "$(cat ../err)" 'run.ck, line 5, column 1: late.png: cannot be read'
rm run.ck
equal "files after resume" "$(ls)" "$names"

# ---- scenes ----
# scene CODE PATTERN WORDS...: a run and its plan say the same, and nothing is written
scene() {
    local code=$1 pattern=$2 said got
    shift 2
    "$RAVINE" --quiet scene "$@" >../out 2>../err
    got=$?
    said=$(cat ../err)
    equal "ravine scene $*" "$got" "$code"
    holds "ravine scene $*" "$said" "$pattern"
    "$RAVINE" --quiet --dry-run scene "$@" >../out 2>../err
    equal "ravine --dry-run scene $*" "$? $(cat ../err)" "$code $said"
    [ "$(listing)" = "$before" ] || fail "ravine scene $*: files have changed: $(ls)"
}
before=$(listing)
echo "run frames=1" >../last.txt
scene 2 'must end in .obj' river frames=1 save=out.xyz
scene 4 'No such file' river frames=1 save=missing/out.obj
scene 2 'must end in .mp4' river frames=1 film=out.avi
scene 4 'No such file' river frames=1 film=missing/out.mp4
scene 4 'File name too long' river frames=1 "film=$long.mp4"
scene 4 'File name too long' river frames=1 "save=$long$long.obj"
scene 2 'no rock to save' dam_break frames=1 save=out.obj
scene 2 'sides of 4 to 100000 spacings' river frames=1 particles.spacing=100
scene 2 'out of the box' river frames=1 source at=99/99/99 size=0.1/0.1/0.1
scene 3 'missing.obj: cannot be read' river frames=1 model file=missing.obj
scene 2 'no material has that name' river frames=1 region material=chalk
scene 2 'a scene needs a box' ../last.txt
finish
