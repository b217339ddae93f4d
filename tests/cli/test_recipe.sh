# The same words mean the same as a file, on standard input and on the command line.
. "$SOURCE/tests/cli/common.sh"

words='terrain size=80 cell=20 noise seed=7 shape=ridged relief=900 droplets drops=4000 radius=3'
# shellcheck disable=SC2086
hash=$(last_hash $words)
[ "$hash" ] || fail "no hash from the command line"
same() {
    local what=$1
    shift
    equal "$what" "$(last_hash "$@")" "$hash"
}
differs() {
    local what=$1 other
    shift
    other=$(last_hash "$@")
    [ "${other:-$hash}" != "$hash" ] || fail "$what: should differ"
}

printf '%s\n' "$words" >plain.rv
cat >comments.rv <<'EOF'
# A recipe with comments.#
terrain	size=80 # 80 by 80
        cell=20# metres
noise seed=7
  shape=ridged
# droplets drops=9
  relief=900

droplets
	drops=4k
radius=3.0
EOF
printf 'terrain size=80\r\ncell=20 noise seed=7 shape=ridged\r\nrelief=900 droplets drops=4k radius=3' >dos.rv
cp plain.rv 'with blanks.rv'
cp plain.rv no_ending
printf '"terrain" size="80" cell=20 noise seed=7 shape="ridged" relief=0.9k "droplets" drops=4e3 radius=3e0' >quotes.rv
same "a file" plain.rv
same "comments" comments.rv
same "line ends of another system" dos.rv
same "a name with blanks" 'with blanks.rv'
same "a file without .rv" no_ending
same "quotes" quotes.rv
same "a path" ./plain.rv
same "standard input" - <plain.rv
same "standard input with comments" - <comments.rv
same "options anywhere" --threads 2 plain.rv --quiet
same "words after --" --threads=1 -- plain.rv
same "memory" --memory 1G plain.rv

# ---- changes to a recipe ----
same "an override with the same value" plain.rv droplets.seed=1
differs "an override" plain.rv droplets.seed=2
differs "a step more" plain.rv blur radius=50
equal "the same changes in another order" \
    "$(last_hash plain.rv noise.seed=3 droplets.drops=2k)" \
    "$(last_hash plain.rv droplets.drops=2000 noise.seed=3)"
equal "an override is the value itself" "$(last_hash plain.rv noise.seed=9)" \
    "$(last_hash terrain size=80 cell=20 noise seed=9 shape=ridged relief=900 droplets drops=4k radius=3)"
equal "an override of standard input" "$(last_hash - noise.seed=9 <plain.rv)" \
    "$(last_hash plain.rv noise.seed=9)"
printf 'terrain size=64 noise seed=1 noise seed=2 mode=add\n' >twice.rv
equal "an override changes every such step" "$(last_hash twice.rv noise.relief=50)" \
    "$(last_hash terrain size=64 noise seed=1 relief=50 noise seed=2 mode=add relief=50)"
equal "steps are added at the end" "$(last_hash twice.rv blur level high=10)" \
    "$(last_hash terrain size=64 noise seed=1 noise seed=2 mode=add blur level high=10)"
equal "a change and a step" "$(last_hash twice.rv noise.gain=0.4 blur radius=30)" \
    "$(last_hash twice.rv blur radius=30 noise.gain=0.4)"

# ---- counts ----
drops() {
    "$RAVINE" --json terrain size=32 noise droplets drops="$1" | sed -n 's/.*"drops":\([^,]*\),.*/\1/p'
}
equal "k" "$(drops 2k)" 2000
equal "fractions of k" "$(drops 1.5k)" 1500
equal "M" "$("$RAVINE" --json --dry-run terrain droplets drops=2M | sed -n 's/.*"drops":\([^,]*\),.*/\1/p')" 2000000
equal "auto" "$(drops auto)" '"auto"'

# ---- files named in a recipe ----
printf 'terrain size=32 noise save "two words.npy" field="height"\nopen "two words.npy"\n' >files.rv
equal "a file with blanks, saved and opened" "$(last_hash files.rv)" "$(last_hash terrain size=32 noise)"
[ -s 'two words.npy' ] || fail "two words.npy was not written"
"$RAVINE" --quiet terrain size=32 noise save bits=8 a.png || fail "a file after its parameters"
"$RAVINE" --quiet terrain size=32 noise save file=b.png bits=8 || fail "a file with its key"
cmp a.png b.png || fail "the two ways to name a file differ"

# ---- what is said while it runs ----
"$RAVINE" plain.rv >out 2>err || fail "plain.rv"
[ -s out ] && fail "without --json nothing belongs on stdout"
for step in terrain noise droplets; do
    grep -q "^$step  *[0-9.]* s" err || fail "no line for $step"
done
grep -q '^droplets .* eroded [0-9.]* \(million \)*m3: deposited [0-9.]*, left the map [0-9.]*, suspended [0-9.]*$' err ||
    fail "no ledger: $(cat err)"
# What is printed adds up as it is printed, and nothing that counts is printed as 0.
cat >ledgers.rv <<'END'
terrain size=64 cell=10 cone relief=-300 rivers uplift=0
terrain size=64 noise layer thickness=3 droplets 3k droplets 3k border=apron repeat 3 droplets 700 end
terrain size=64 cell=0.1 noise relief=1 droplets 1k
terrain size=64 noise pipes rounds=20 runoff rounds=9 drain rivers steps=9 thermal
terrain size=64 noise flood level=300 cone relief=-3000 rivers uplift=0
END
while read -r words; do
    # shellcheck disable=SC2086
    "$RAVINE" $words 2>err || fail "$words"
    # shellcheck disable=SC2086
    "$RAVINE" --json $words 2>err.json >json || fail "$words"
    python3 - err json <<'PYTHON' || fail "$words: $(cat err)"
import json, re, sys
from decimal import Decimal as D
number = r' ([0-9.]+)(?: (?:million m3|km3|m3))?'
ledger = re.compile(f'eroded{number}: deposited{number}, left the map{number}, suspended{number}(?:; suspended before{number})?(?:; raised (.*))?$')
water = re.compile(f'water{number}: evaporated{number}, left the map{number}, standing{number}$')
steps = [json.loads(line) for line in open(sys.argv[2])]
moved = [s['ledger'] for s in steps if sum(s['ledger'][k] for k in ('before', 'eroded', 'raised')) > 0]
found = []
for line in open(sys.argv[1]):
    m = ledger.search(line)
    if m:
        eroded, deposited, left, suspended, before = (D(x or 0) for x in m.groups()[:5])
        assert eroded + before == deposited + left + suspended, line
        found.append((m.groups(), line))
    m = water.search(line)
    if m:
        rained, *to = (D(x) for x in m.groups())
        assert rained == sum(to), line
assert found
if 'turns' not in json.dumps(steps): # else a line stands for several turns
    assert len(found) == len(moved), (len(found), len(moved))
    for (said, line), l in zip(found, moved):
        total = l['before'] + l['eroded']
        for text, key in zip(said, ('eroded', 'deposited', 'left_map', 'suspended')):
            assert D(text) > 0 or l[key] < 1e-4 * total or l[key] == 0, (key, line, l)
        if l['raised'] > 1e-3:
            assert said[5] and D(said[5].split()[0]) > 0, (line, l)
PYTHON
done <ledgers.rv
"$RAVINE" --quiet plain.rv >out 2>err || fail "plain.rv, quiet"
equal "what --quiet says" "$(cat out err)" ""

# ---- a pipe, which can be read once only, is an input like any other ----
"$RAVINE" --quiet terrain size=24 noise save land.npy || fail "land.npy"
mkfifo pipe.npy
cat land.npy >pipe.npy &
"$RAVINE" --quiet open pipe.npy save piped.npy || fail "open of a pipe"
wait
cmp -s land.npy piped.npy || fail "a pipe gives other land"
ln -s /dev/stdin in.npy
"$RAVINE" --quiet open in.npy save piped.npy <land.npy || fail "open of standard input"
"$RAVINE" --quiet terrain size=24 level low=0 high=1 save mask.npy || fail "mask.npy"
cat mask.npy >pipe.npy &
"$RAVINE" --quiet terrain size=24 noise mask pipe.npy droplets drops=100 || fail "mask of a pipe"
wait
finish
