# measure: a table for people, one object for programs, an exit code for those who require.
. "$SOURCE/tests/cli/common.sh"

hills="terrain size=96 cell=30 noise seed=3 relief=900"

# shellcheck disable=SC2086
"$RAVINE" $hills measure 2>table || fail "measure: $(cat table)"
holds "the table" "$(cat table)" "of 5 river checks"
holds "the table" "$(cat table)" "mean fill depth over relief"
grep -q ' $' table && fail "the table has blanks at the ends of its lines"

# JSON: every figure a number or null, every river check true or false as its bound says.
cat >check.py <<'EOP'
import json, sys
o = json.loads(open(sys.argv[1]).read().splitlines()[-1], parse_constant=lambda w: sys.exit('not JSON: ' + w))
f, g = o['figures'], o['river_checks']
assert all(v is None or isinstance(v, (int, float)) for v in f.values()), f
bounds = {'fill': (None, 0.1), 'deep_pits': (None, 2), 'channel_pits': (None, 35),
          'channel_uphill': (None, 27), 'concavity_8': (0.2, None)}
assert set(g) == set(bounds), g
for name, (least, most) in bounds.items():
    v = f[name]
    met = v is not None and (least is None or v >= least) and (most is None or v <= most)
    assert g[name] == met, (name, v, g)
assert f['river_checks_passed'] == sum(g.values()), f
page = open(sys.argv[2]).read()
for name in f:
    assert '`%s`' % name in page, name + ' is not in docs/measure.md'
exec(sys.argv[3])
EOP
figures() {
    local code=$1
    shift
    "$RAVINE" --json "$@" >out.json 2>err || fail "ravine $*: $(cat err)"
    python3 check.py out.json "$SOURCE/docs/measure.md" "$code" || fail "ravine $*"
}
# shellcheck disable=SC2086
figures "assert f['relief'] == 900 and f['cells'] == 96 * 96" $hills measure
# shellcheck disable=SC2086
figures "assert f['cells'] == 76 * 76" $hills measure border=10
figures "assert f['relief'] == 0 and f['fill'] is None and f['concavity'] is None" terrain size=32 measure
figures "assert f['landform_flat'] is None" terrain width=1 height=40 noise measure
figures "assert f['river_checks_passed'] == 5" open "$SOURCE/tests/data/andes.png" measure require=river_checks:5

# Beside other land. With itself all measures agree; with finer cells of the same land they nearly do,
# and a line says that they were resampled. Noise is told apart from the Andes.
# shellcheck disable=SC2086
"$RAVINE" --quiet $hills save hills.npy || fail "save"
names="concavity area_exponent length_ratio integral slope_skew curvature_skew curvature_kurtosis valleys ridges spectral_slope"
# shellcheck disable=SC2086
figures "assert all(f['shape_' + n] == f['like_' + n] for n in '$names'.split()), f" $hills measure like=hills.npy
figures "assert all(abs(f['shape_' + n] - f['like_' + n]) < 0.2 * abs(f['like_' + n]) + 0.05 for n in \
    'concavity area_exponent integral slope_skew valleys ridges'.split()), f" \
    terrain size=191 cell=15 noise seed=3 relief=900 measure like=hills.npy
"$RAVINE" terrain size=191 cell=15 noise seed=3 relief=900 measure like=hills.npy 2>table || fail "like"
holds "what was resampled" "$(cat table)" "the land was resampled from cells of 15 m to 30 m"
figures "assert f['shape_in_range'] < 7, f" terrain size=256 cell=90 noise relief=2500 \
    measure like="$SOURCE/tests/data/andes.png"
"$RAVINE" terrain size=256 cell=90 noise relief=2500 measure like="$SOURCE/tests/data/andes.png" 2>table
holds "the table" "$(cat table)" "0.26 to 0.44: the land is out of range"
figures "assert abs(f['like_integral'] - f['shape_integral']) < 1e-6, f" \
    open "$SOURCE/tests/data/andes.png" measure like="$SOURCE/tests/data/andes.png"

# What cannot be compared is said before any work.
"$RAVINE" --dry-run terrain size=128 cell=10 noise measure like=hills.npy >out 2>err
equal "exit code of too little land" $? 2
holds "the sentence" "$(cat err)" "the land has only 43 cells along a side"
cp hills.npy bare.npy
# shellcheck disable=SC2086
"$RAVINE" --dry-run $hills measure like=bare.npy >out 2>err
equal "exit code of unknown cells" $? 3
holds "the sentence" "$(cat err)" "the size of its cells is not known"
# shellcheck disable=SC2086
"$RAVINE" --dry-run $hills measure like=nowhere.npy >out 2>err
equal "exit code of no reference" $? 3

# Not met: its own exit code, one sentence that names the river checks, and the figures all the same.
# shellcheck disable=SC2086
"$RAVINE" --quiet $hills measure require=river_checks:5 save never.npy 2>err
equal "exit code of river checks that fail" $? 6
equal "lines on stderr" "$(wc -l <err)" 1
holds "the sentence" "$(cat err)" "river checks, not the 5 required: "
holds "the sentence" "$(cat err)" "deep_pits is "
[ -e never.npy ] && fail "a run that failed went on"
# shellcheck disable=SC2086
"$RAVINE" --json $hills measure require=river_checks:5 >out.json 2>err
equal "exit code with --json" $? 6
python3 check.py out.json "$SOURCE/docs/measure.md" "" || fail "figures of a run that failed"
for wrong in river_checks river_checks:6 river_checks:0 real; do
    # shellcheck disable=SC2086
    "$RAVINE" --dry-run $hills measure require=$wrong >out 2>err
    equal "exit code of require=$wrong" $? 2
done

# Four pictures, the same from any number of threads.
for threads in 1 3; do
    # shellcheck disable=SC2086
    "$RAVINE" --quiet --threads $threads $hills measure channel=20 plots=p$threads || fail "plots"
done
for plot in slope-area hypsometry landforms drainage; do
    cmp "p1-$plot.png" "p3-$plot.png" || fail "$plot.png depends on the number of threads"
done
equal "files" "$(ls p1-* | wc -l)" 4
"$RAVINE" --quiet terrain size=16 noise measure plots=nowhere/p 2>err
equal "exit code of a folder that is not there" $? 4

# Holes.
python3 - <<'EOP'
import struct
nan = float('nan')
v = [nan if (x - 8) ** 2 + (y - 8) ** 2 < 9 else x + y for y in range(20) for x in range(20)]
open('gap.r32', 'wb').write(struct.pack('<400f', *v))
EOP
"$RAVINE" --quiet open gap.r32 2>err
equal "exit code of holes" $? 3
figures "assert f['holes'] == 25 and f['cells'] == 375, f" open gap.r32 holes=keep measure plots=gap
# Plots that are there are named before they are overwritten.
# shellcheck disable=SC2086
"$RAVINE" $hills measure plots=again >first 2>&1 || fail "plots: $(cat first)"
grep -q overwritten first && fail "new plots overwrite nothing: $(cat first)"
rm again-drainage.png
# shellcheck disable=SC2086
holds "plots again" "$("$RAVINE" $hills measure plots=again 2>&1 | head -1)" \
    'again: 3 plots of that name are there and will be overwritten'
finish
