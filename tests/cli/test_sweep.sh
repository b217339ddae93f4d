# `ravine sweep`: runs side by side, a folder and a row for each; it goes on where it was stopped; what is
# wrong is said before the first run, and no file of the user is touched.
. "$SOURCE/tests/cli/common.sh"

recipe='terrain size=48 noise rivers steps=3 save sub/land.r32'
mkdir sub
# shellcheck disable=SC2086
sweep() {
    "$RAVINE" sweep $recipe "$@"
}
# column NAME TABLE: its cells; no cell before it holds a comma here
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"
}
refuses() {
    local wanted=$1 said
    shift
    said=$(sweep "$@" 2>&1) && fail "accepted: $*"
    holds "$*" "$said" "$wanted"
    equal "lines of the refusal of $*" "$(printf '%s\n' "$said" | wc -l)" 1
}

# ---- rows, folders, hashes ----
sweep noise.seed=1..3 rivers.erosion=4,8 --csv one.csv 2>said || fail "a sweep: $(cat said)"
equal "rows" "$(wc -l <one.csv)" 7
equal "seeds" "$(column noise.seed one.csv | paste -sd ' ')" "1 1 2 2 3 3"
equal "erosion" "$(column rivers.erosion one.csv | paste -sd ' ')" "4 8 4 8 4 8"
equal "status" "$(column status one.csv | sort -u)" ok
equal "what is in sub" "$(ls sub)" ""
# shellcheck disable=SC2086
alone=$(last_hash $recipe noise.seed=2 rivers.erosion=8)
equal "the hash of a run alone" "$(column hash one.csv | sed -n 4p)" "$alone"
cmp -s sub/land.r32 one/004/land.r32 || fail "a run of a sweep writes other heights"
equal "the ledger" "$(column eroded_m3 one.csv | awk '$1 > 0' | wc -l)" 6
equal "measures" "$(column measure.relief one.csv | awk '$1 > 0' | wc -l)" 6
python3 - <<'END' || fail "the table or the contact sheet"
import csv, struct
rows = list(csv.DictReader(open('one.csv', newline='')))
assert len(rows) == 6 and all(r['folder'] == 'one/%03d' % i for i, r in enumerate(rows, 1))
wide, high = struct.unpack('>2I', open('one.png', 'rb').read(24)[16:])
assert wide == 12 + 2 * 236 and high > 3 * 224, (wide, high)
END
"$RAVINE" --quiet one/004/recipe.rv save again.r32 || fail "the recipe of a run"
cmp -s again.r32 one/004/land.r32 || fail "the recipe of a run gives other heights"

# ---- the same with other threads and jobs ----
sweep noise.seed=1..3 rivers.erosion=4,8 --csv two.csv --threads 5 --jobs 3 --quiet || fail "three jobs"
equal "hashes with three jobs" "$(column hash two.csv)" "$(column hash one.csv)"
sweep noise.seed=1..3 rivers.erosion=4,8 --csv three.csv --threads 1 --memory 4M --quiet || fail "little memory"
equal "hashes with little memory" "$(column hash three.csv)" "$(column hash one.csv)"

# ---- again: nothing is run; killed: it goes on ----
stamp=$(stat -c %Y.%i one/*/land.r32)
said=$(sweep noise.seed=1..3 rivers.erosion=4,8 --csv one.csv 2>&1) || fail "a second time"
holds "a second time" "$said" "6 were made before"
equal "files after a second time" "$(stat -c %Y.%i one/*/land.r32)" "$stamp"
rm one/002/result.txt one/005/result.txt one.csv one.png
said=$(sweep noise.seed=1..3 rivers.erosion=4,8 --csv one.csv 2>&1) || fail "with two runs missing"
holds "with two runs missing" "$said" "4 were made before"
cut -d, -f1-6,8-14 one.csv >one.cut
cut -d, -f1-6,8-14 two.csv | sed 's|two/|one/|' | cmp -s - one.cut || fail "the table after a resume differs"
longer='terrain size=96 noise repeat 20 thermal end droplets drops=10k save x.png'
turns='1 2 3 4 5 6'
[ -z "${RAVINE_SHORT-}" ] || turns='2 5'
# shellcheck disable=SC2086
for turn in $turns; do
    kill_at $((150 + 150 * turn)) sweep $longer noise.seed=1..6 --csv killed.csv
done
# shellcheck disable=SC2086
"$RAVINE" sweep $longer noise.seed=1..6 --csv killed.csv --quiet || fail "after the kills"
# shellcheck disable=SC2086
"$RAVINE" sweep $longer noise.seed=1..6 --csv whole.csv --quiet || fail "without a kill"
equal "hashes after kills" "$(column hash killed.csv)" "$(column hash whole.csv)"
equal "leftovers" "$(find killed -name '*~' -o -name '*.tmp*')" ""
cmp -s killed.png whole.png || fail "the contact sheet after kills differs"

# Ctrl-C: what is made stays, and a sentence says how to go on.
# shellcheck disable=SC2086
"$RAVINE" sweep $longer repeat.times=4000 noise.seed=1..3 --csv stopped.csv 2>said &
victim=$!
while ! [ -f stopped/001/recipe.rv ]; do sleep 0.05; done
kill -INT $victim
wait $victim
equal "the exit code after Ctrl-C" $? 130
holds "after Ctrl-C" "$(cat said)" "Stopped after 0 of 3 runs; the same command goes on from there."

# ---- a run that fails ----
printf 'P5' >bad.png
"$RAVINE" --quiet terrain 8 noise save good.png
"$RAVINE" sweep terrain size=32 noise mask good.png mask.file=good.png,bad.png,missing.png --csv failing.csv 2>said
equal "the exit code with failed runs" $? 3
equal "status of runs" "$(column status failing.csv | paste -sd ' ')" "ok failed failed"
holds "the sentence of a run" "$(sed -n 4p failing.csv)" "missing.png"
holds "what is told" "$(cat said)" "failed: "
"$RAVINE" sweep terrain size=32 noise mask good.png mask.file=missing.png,gone.png --csv none.csv 2>said
equal "the exit code where none can run" $? 3
[ -e none ] && fail "a sweep of which nothing can run has made its folder"

# ---- files that the steps hand on ----
"$RAVINE" sweep terrain size=32 noise save a.r32 terrain size=8 open a.r32 noise.seed=1,2 --csv handed.csv --quiet ||
    fail "a file that a step writes and another reads"
equal "hashes of what was handed on" "$(column hash handed.csv | sort -u | wc -l)" 2
said=$("$RAVINE" sweep terrain size=32 noise save a/x.r32 save b/x.r32 noise.seed=1,2 --csv same.csv 2>&1)
holds "two files of one name" "$said" "would be one file"
"$RAVINE" sweep terrain size=32 noise save ./a.r32 terrain size=8 open a.r32 noise.seed=1,2 --csv dotted.csv --quiet ||
    fail "a file that is written as ./a.r32 and read as a.r32"
equal "hashes with ./" "$(column hash dotted.csv)" "$(column hash handed.csv)"
"$RAVINE" --quiet terrain size=32 noise seed=9 save in.r32
cp in.r32 in.kept
"$RAVINE" sweep terrain size=32 open in.r32 thermal save in.r32 overwrite=yes thermal.talus=10,20 --csv over.csv --quiet ||
    fail "a file that is read and then written"
cmp -s in.r32 in.kept || fail "a sweep has written over what it reads"
alone=$(last_hash terrain size=32 open in.r32 thermal talus=20)
equal "the hash from the file of the user" "$(column hash over.csv | sed -n 2p)" "$alone"
said=$("$RAVINE" sweep terrain size=32 repeat 2 open in.r32 thermal save in.r32 end thermal.talus=10,20 --csv turns.csv 2>&1)
holds "read and written in a repeat" "$said" "in.r32 is read and then written in a repeat"
for name in . .. a/.. /; do
    said=$("$RAVINE" sweep terrain size=32 noise save "$name" noise.seed=1,2 --csv names.csv 2>&1) && fail "accepted: save $name"
    holds "save $name" "$said" "is no name of a file"
done
for name in recipe.rv x/result.txt thumbnail.png thumbnail.png/; do
    said=$("$RAVINE" sweep terrain size=32 noise save "$name" noise.seed=1,2 --csv names.csv 2>&1) && fail "accepted: save $name"
    holds "save $name" "$said" "a sweep writes a file of that name itself"
done
[ -e names ] && fail "a sweep of which nothing can be written has made its folder"

# ---- ranges ----
# values WORD: as the table has them
values() {
    rm -rf range range.*
    "$RAVINE" sweep terrain size=8 noise "$1" --csv range.csv --quiet || fail "the range $1"
    column "${1%%=*}" range.csv | paste -sd ' '
}
equal "a range with many digits" "$(values noise.gain=0.1234567890123..0.33..0.1)" "0.1234567890123 0.2234567890123 0.3234567890123"
equal "a range of whole numbers" "$(values noise.seed=12345678901..12345678905..2)" "12345678901 12345678903 12345678905"
equal "a range of large numbers" "$(values noise.seed=1e6..3e6..1e6)" "1000000 2000000 3000000"
equal "a range of tenths" "$(values noise.relief=0.1..0.3..0.1)" "0.1 0.2 0.3"

# ---- what is refused, before anything is made ----
before=$(ls)
refuses "the range is empty" noise.seed=5..1 --csv x.csv
refuses "at most 10000 runs" noise.seed=1..1e9 --csv x.csv
refuses "below 2^53" noise.seed=9007199254740993..9007199254740997..2 --csv x.csv
refuses "below 2^53" noise.seed=9007199254740991..9007199254740993 --csv x.csv
refuses "below 2^53" noise.seed=9007199254740993..9007199254740993 --csv x.csv
refuses "below 2^53" noise.seed=18446744073709551614..18446744073709551615 --csv x.csv
refuses "at most 10000 runs" noise.seed=1..200 rivers.erosion=1..200 --csv x.csv
refuses "a value is missing" noise.seed=1,,2 --csv x.csv
refuses "needs a step" noise.gain=0.1..0.3 --csv x.csv
refuses "above 0" noise.gain=0.1..0.3..0 --csv x.csv
refuses 'did you mean "gain"' noise.gian=1,2 --csv x.csv
refuses 'there is no step "nois"' nois.seed=1,2 --csv x.csv
refuses "is not a whole number" noise.seed=1,x --csv x.csv
refuses "given twice" noise.seed=1,2 noise.seed=3,4 --csv x.csv
refuses "noise.seed is the same parameter" noise#1.seed=1,2 noise.seed=3,4 --csv x.csv
refuses "the values 1 and 01 are the same" noise.seed=1,2,01 --csv x.csv
refuses "the values 0.5 and 0.50 are the same" noise.gain=0.5,0.50 --csv x.csv
refuses "holds the end of a line" noise.seed=1,2 --csv "x
y.csv"
refuses "a parameter with several values" --csv x.csv
refuses "--csv" noise.seed=1,2
refuses "must end in .csv" noise.seed=1,2 --csv x.txt
refuses "--json is for a single run" noise.seed=1,2 --csv x.csv --json
refuses "memory" noise.seed=1,2 --csv x.csv --memory 50k
sweep noise.seed=1,2 --csv x.csv --memory 50k 2>&1 | grep -q x/00 && fail "a sentence names a recipe that is not there"
refuses "no_folder/x/00" noise.seed=1,2 --csv no_folder/x.csv
equal "files after sweeps that were refused" "$(ls)" "$before"
: >mine.csv
refuses "is of no sweep" noise.seed=1,2 --csv mine.csv
mkdir theirs
: >theirs/notes
refuses "holds no sweep" noise.seed=1,2 --csv theirs.csv
refuses "holds another sweep" noise.seed=1..4 --csv one.csv
equal "the table of the user" "$(wc -c <mine.csv)" 0

# ---- files of the user beside those of a sweep, and two sweeps at once ----
small='terrain size=16 noise save land.r32'
# shellcheck disable=SC2086
tiny() {
    "$RAVINE" sweep $small --quiet "$@"
}
echo backup >t.csv~
echo backup >victim
ln -s victim u.csv~
tiny noise.seed=1,2 --csv t.csv || fail "beside t.csv~"
tiny noise.seed=1,2 --csv u.csv || fail "beside u.csv~"
equal "backups after sweeps" "$(cat t.csv~ victim u.csv~ | paste -sd ' ')" "backup backup backup"
ls t/*~ 2>said && fail "leftovers of a sweep"
cp t.csv t.kept
echo 'my,own,table' >t.csv
said=$(tiny noise.seed=1,2 --csv t.csv 2>&1) && fail "another table in the place of its own"
holds "a table of the user" "$said" "t.csv is there already and is of another sweep"
equal "the table of the user" "$(cat t.csv)" "my,own,table"
mv t.kept t.csv
cp t.png t.kept
echo mine >t.png
said=$(tiny noise.seed=1,2 --csv t.csv 2>&1) && fail "another picture in the place of its sheet"
holds "a picture of the user" "$said" "t.png is there already and is of another sweep"
equal "the picture of the user" "$(cat t.png)" mine
mv t.kept t.png
tiny noise.seed=1,2 --csv t.csv || fail "with its own files again"
mkdir elsewhere
rm -r t/002
ln -s ../elsewhere t/002
said=$(tiny noise.seed=1,2 --csv t.csv 2>&1) && fail "a link in the place of a run"
holds "a link in the place of a run" "$said" "t/002: is no folder of the sweep"
equal "files behind the link" "$(ls elsewhere)" ""

# A run counts as made only with its values, its hash and its files.
before=$(cat u/001/result.txt)
again() { # what to spoil first
    "$@"
    # shellcheck disable=SC2086
    "$RAVINE" sweep $small noise.seed=1,2 --csv u.csv 2>said || fail "again after: $*"
    holds "again after: $*" "$(cat said)" "1 were made before"
    equal "the hash after: $*" "$(grep hash= u/001/result.txt)" "$(printf '%s\n' "$before" | grep hash=)"
}
again rm u/001/thumbnail.png
again rm u/001/land.r32
again sed -i 's/^noise.seed=1/noise.seed=7/' u/001/result.txt
again sed -i /^hash=/d u/001/result.txt

# shellcheck disable=SC2086
"$RAVINE" sweep $longer repeat.times=4000 noise.seed=1..3 --csv busy.csv 2>said &
victim=$!
while ! [ -f busy/001/recipe.rv ]; do sleep 0.05; done
# shellcheck disable=SC2086
other=$("$RAVINE" sweep $longer repeat.times=4000 noise.seed=1..3 --csv busy.csv 2>&1) && fail "two sweeps in one folder"
equal "the second sweep" "${other#*: }" "Another sweep runs in busy."
other=$(tiny noise.seed=1,2 --csv busy.csv 2>&1) && fail "two different sweeps in one folder"
equal "a second sweep that differs" "${other#*: }" "Another sweep runs in busy."
kill -INT $victim
wait $victim
[ -e busy.csv ] && fail "a table without rows"

# Ctrl-C while the runs are planned: at once, and nothing is left.
many=$(printf ' thermal%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
for plan in '' --dry-run; do
    # shellcheck disable=SC2086
    "$RAVINE" sweep $small $many noise.seed=1..10000 --csv early.csv $plan 2>said >plan &
    victim=$!
    sleep 0.5
    kill -INT $victim
    wait $victim
    equal "the exit code after an early Ctrl-C $plan" $? 130
    holds "after an early Ctrl-C $plan" "$(cat said)" "Stopped before the first run"
    equal "the plan after an early Ctrl-C $plan" "$(cat plan)" ""
    [ -e early ] || [ -e early.csv ] && fail "an early Ctrl-C has left something $plan"
done
"$RAVINE" terrain noise --csv x.csv 2>said && fail "--csv without sweep"
holds "a plan" "$(sweep noise.seed=1..9 --csv planned.csv --dry-run)" "9 runs; "
[ -e planned ] && fail "--dry-run has made a folder"
finish
