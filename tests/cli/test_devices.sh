# Devices: what is listed, what is refused, and the same land on each; a run goes on on another one.
. "$SOURCE/tests/cli/common.sh"

# What the drivers of OpenCL lose is not ours to find.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}${ASAN_OPTIONS:+:}detect_leaks=0"

"$RAVINE" devices > list 2> err || fail "devices: $(cat err)"
"$RAVINE" devices all > said 2> err
equal "devices with a word" "$?" 2
for wrong in 0 -1 fast 1.5 65; do
    "$RAVINE" --device "$wrong" terrain size=20 noise > said 2> err
    equal "--device $wrong" "$?" 2
    holds "--device $wrong" "$(cat err)" '--device takes cpu, gpu, auto'
done
"$RAVINE" --device 64 terrain size=20 noise save not.png > said 2> err
equal "a device that is not there" "$?" 7
[ -e not.png ] && fail "a step ran without the device that was asked for"

# Kernels are kept in a folder of the user's, and are no files that a run has made.
export RAVINE_CACHE="$PWD/kernels"

recipe='terrain width=131 height=97 noise seed=3 shape=ridged relief=900 thermal talus=30 rounds=40
    noise seed=4 mode=add relief=50 blur radius=20 thermal talus=25 rounds=20 border=open'
# shellcheck disable=SC2086
expected=$(last_hash $recipe)
# shellcheck disable=SC2086
equal "with --device auto" "$(last_hash --device auto $recipe)" "$expected"

# PoCL, or a GPU.
one=${RAVINE_TEST_DEVICE:-1}
if ! grep -q "^ *$one " list; then
    [ -z "${RAVINE_TEST_DEVICE:-}" ] || fail "there is no device $one"
    echo "There is no device here."
    finish
fi
holds "the list" "$(cat list)" "its bits are the processor's"
# shellcheck disable=SC2086
equal "on device $one" "$(last_hash --device "$one" $recipe)" "$expected"

# A plan writes no files, no kernels either.
RAVINE_CACHE="$PWD/planned" "$RAVINE" --device "$one" --dry-run terrain size=20 noise > said 2> err ||
    fail "--dry-run on device $one: $(cat err)"
[ -e planned ] && fail "--dry-run keeps kernels: $(ls planned)"

"$RAVINE" --device "$one" terrain size=20 noise save made.png > said 2> err || fail "noise on device $one"
grep -q '\.kernel' said err && fail "kernels are told as made: $(cat err)"
[ -n "$(ls kernels)" ] || fail "no kernels are kept"

# What does not fit into the memory that may be used is left to the processor.
# shellcheck disable=SC2086
equal "with little memory" "$(last_hash --device "$one" --device-memory 100K $recipe)" "$expected"
"$RAVINE" --device "$one" --device-memory 100K terrain size=100 noise > said 2> err || fail "with little memory"
holds "with little memory" "$(cat said err)" 'noise runs on the processor'
"$RAVINE" --device "$one" --device-memory 1K terrain size=20 noise > said 2> err || fail "with hardly any memory"
holds "with hardly any memory" "$(cat said err)" 'has no room for [1-9]*B.'
"$RAVINE" --device "$one" --device-memory much terrain size=20 noise > said 2> err
equal "--device-memory much" "$?" 2

# Water of a scene, too; where the device cannot, the processor does it and says so.
words='frames=6 every=6 save=rock.obj'
# shellcheck disable=SC2086
water() { "$RAVINE" --json "$@" scene two_sources $words 2> err | sed -n 's/.*"hash":"\([^"]*\)".*/\1/p' | tail -1; }
fallen=$(water)
[ -n "$fallen" ] || fail "a scene: $(cat err)"
equal "water on device $one" "$(water --device "$one")" "$fallen"
equal "water with little memory" "$(water --device "$one" --device-memory 100K)" "$fallen"
"$RAVINE" --device "$one" --device-memory 100K scene dam_break frames=1 > said 2> err || fail "dam_break with little memory"
holds "water with little memory" "$(cat said err)" 'the water runs on the processor'
"$RAVINE" --device "$one" scene dam_break frames=1 particles.solver=wcsph > said 2> err || fail "wcsph on device $one"
holds "the solver wcsph" "$(cat said err)" 'the water runs on the processor'

# The solver that this line and the manual name can be asked for.
for word in $(cat said err "$SOURCE/docs/gpu.md" | grep -o 'solver=[a-z]*' | sort -u); do
    "$RAVINE" scene dam_break frames=1 "particles.$word" > asked 2>&1 || fail "$word: $(cat asked)"
done

# Frames of a film are those of the processor, whatever the clock says: it says it sooner where all is slower.
side=80
[ -n "${RAVINE_SHORT:-}" ] && side=40
for step in 'thermal rounds=60' 'thermal until=settled talus=10 border=open' 'droplets order=batch drops=3k' \
    'particles order=batch drops=3k' 'layer name=soil particles order=batch drops=3k' 'runoff rounds=60' 'strata layer name=soil thermal until=settled' 'strata layer name=soil runoff rounds=60' \
    'pipes rounds=30' 'layer name=soil thickness=1 pipes time=40' 'layer name=soil rivers steps=9'; do
    for on in cpu "$one"; do
        mkdir "film.$on"
        # shellcheck disable=SC2086
        "$RAVINE" --quiet --device "$on" terrain size=$side noise relief=2000 film "film.$on/f.png" frames=6 $step || fail "a film on $on"
    done
    diff -r film.cpu "film.$one" || fail "other frames of $step on the device"
    rm -r film.cpu "film.$one"
done

# Killed on the device, it goes on on the processor.
printf '%s\n' "$recipe repeat 40 thermal talus=24 rounds=9 noise mode=add relief=1 end save out.npy" > long.rv
"$RAVINE" --quiet long.rv && mv out.npy expected.npy
kill_at 900 --device "$one" --checkpoint run.ck --every 0 long.rv
if [ -f run.ck ]; then
    "$RAVINE" --quiet resume run.ck || fail "resume on the processor"
else
    "$RAVINE" --quiet --device "$one" long.rv || fail "the run on the device"
fi
cmp out.npy expected.npy || fail "a run that went on on the processor gave another land"

# So it does in water and rivers on layers, the other way round, and with little memory.
printf '%s\n' 'terrain size=60 cell=20 noise relief=600 strata thickness=40 layer name=soil thickness=1
    repeat 3 pipes time=20 pipes time=9 model=virtual drain lakes=keep deep=1 rivers steps=3 alluvium=9 end
    save out.npz' > wet.rv
"$RAVINE" --quiet wet.rv && mv out.npz expected.npz
"$RAVINE" --quiet --device "$one" --device-memory 100K wet.rv || fail "rivers with little memory"
cmp out.npz expected.npz || fail "rivers with little memory gave another land"
rm out.npz
kill_at 400 --checkpoint wet.ck --every 0 wet.rv
[ -f wet.ck ] && { "$RAVINE" --quiet --device "$one" resume wet.ck || fail "resume on the device"; }
[ -f out.npz ] || "$RAVINE" --quiet --device "$one" wet.rv || fail "rivers on the device"
cmp out.npz expected.npz || fail "a run that went on on the device gave another land"

# Where others may write they could leave code to run: nothing is kept or taken there.
mkdir -m 777 shared
chmod 777 shared
# shellcheck disable=SC2086
equal "with a shared folder" "$(RAVINE_CACHE=$PWD/shared last_hash --device "$one" $recipe)" "$expected"
equal "kernels in a shared folder" "$(ls shared)" ""
finish
