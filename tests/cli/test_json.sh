# --json: one object a line for each step, true in every key, the same for any number of threads.
. "$SOURCE/tests/cli/common.sh"

cat >check.py <<'EOF'
import json, os, sys

KEYS = {'step', 'parameters', 'seconds', 'ledger', 'hash', 'width', 'height', 'cell', 'messages',
        'files'}
steps = []
for line in open(sys.argv[1], encoding='utf-8', newline='\n'):
    o = json.loads(line, parse_constant=lambda word: sys.exit('not JSON: ' + word))
    name = o['step']
    keys = KEYS | ({'drop_steps', 'figures'} if 'drops' in o['parameters'] else set())
    keys |= {'water'} if 'water' in o else set()
    keys |= {'layers'} if 'layers' in o else set()
    keys |= {'figures'} if name in ('rivers', 'analyse') else set()
    assert set(o) == keys, (name, set(o) ^ keys)
    if 'water' in o:
        w = o['water']
        assert set(w) == {'before', 'rained', 'evaporated', 'absorbed', 'left_map', 'standing', 'unit'}, w
        rest = w['before'] + w['rained'] - w['evaporated'] - w['absorbed'] - w['left_map'] - w['standing']
        assert abs(rest) <= 1e-6 * (w['before'] + w['rained']), (name, 'water is missing', w)
    assert o['seconds'] >= 0 and len(o['hash']) == 16 and int(o['hash'], 16) >= 0, o
    assert all(isinstance(o[k], int) for k in ('width', 'height')) and o['cell'] > 0, o
    assert all(isinstance(m, str) for m in o['messages']), o
    for f in o['files']:
        assert set(f) == {'name', 'bytes'} and ('\ufffd' in f['name'] or os.path.getsize(f['name']) == f['bytes']), f
    l = o['ledger']
    assert set(l) == {'before', 'eroded', 'deposited', 'left_map', 'suspended', 'raised', 'unit'} and l['unit'] == 'm3', l
    assert min(v for v in l.values() if v != 'm3') >= 0, l
    rest = l['before'] + l['eroded'] - l['deposited'] - l['left_map'] - l['suspended']
    assert abs(rest) <= 1e-6 * max(l['eroded'], l['deposited']), (name, 'the ledger does not close', l)
    steps.append(o)
# Of each layer, and of all together: what a step laid and took is what there is more or less of it.
for a, b in zip(steps, steps[1:]):
    if 'layers' in b and 'layers' in a and len(a['layers']) == len(b['layers']):
        l, layers = b['ledger'], b['layers']
        for x, y in zip(a['layers'], layers):
            assert x['name'] == y['name'] and set(y) == {'name', 'eroded', 'deposited', 'volume'}, y
            change = y['volume'] - x['volume']
            assert abs(change - (y['deposited'] - y['eroded'])) <= 1e-6 * max(l["eroded"], l["deposited"]), (b['step'], x, y)
        for key in ('eroded', 'deposited'):
            assert abs(sum(y[key] for y in layers) - l[key]) <= 1e-6 * max(l["eroded"], l["deposited"]), (b['step'], key)
assert [o['step'] for o in steps] == sys.argv[2].split(), [o['step'] for o in steps]
exec(sys.argv[3])
EOF

# check NAMES PYTHON ARGUMENTS...: runs, and asks Python about the list `steps`
check() {
    local names=$1 code=$2
    shift 2
    "$RAVINE" --json "$@" >out.json 2>err || fail "ravine $*: $(cat err)"
    [ -s err ] && fail "ravine --json $*: wrote to stderr: $(cat err)"
    python3 check.py out.json "$names" "$code" || fail "ravine $*"
}

for border in open wall apron; do
    check "terrain noise droplets" "
d = steps[2]
assert d['drop_steps'] > 0 and d['ledger']['eroded'] > 0, d
assert d['ledger']['left_map'] == 0 or '$border' != 'wall', d
assert d['parameters']['border'] == '$border' and d['parameters']['drops'] == 3000, d
assert steps[0]['ledger']['eroded'] == 0
assert steps[1]['hash'] != d['hash']
assert (d['width'], d['height'], d['cell']) == (90, 70, 2.5), d
" terrain width=90 height=70 cell=2.5 noise droplets drops=3k border="$border"
done

# Land that comes in over the sides, or with drops, is told apart; nothing is ever below zero.
check "terrain cone rivers" "
l = steps[2]['ledger']
assert l['raised'] > 0.9 * l['deposited'] > 0 and l['left_map'] < 0.1 * l['raised'], l
" terrain size=64 cell=10 cone relief=-300 rivers uplift=0 border=open time=2M diffusion=0.03
check "terrain cone droplets" "
assert steps[2]['ledger']['raised'] > 0 and steps[2]['ledger']['left_map'] > 0, steps[2]
" terrain size=64 cell=10 cone relief=-300 droplets border=apron
check "terrain noise pipes pipes" "
a, b = steps[2]['ledger'], steps[3]['ledger']
assert a['before'] == 0 and abs(b['before'] - a['suspended']) <= 1e-6 * a['suspended'], (a, b)
assert b['deposited'] > b['eroded'] and b['suspended'] < 0.01 * b['before'], b
" terrain size=48 noise pipes time=60 pipes time=300 rain=0 evaporation=0.1

check "terrain noise mask noise" "
a, b, m = steps[0]['parameters'], steps[1]['parameters'], steps[2]['parameters']
assert a['size'] == 64 and a['width'] == 'auto' and a['cell'] == 0.1, a
assert b['seed'] == 18446744073709551615 and b['frequency_x'] == 'auto', b
assert b['gain'] == 0.3 and b['octaves'] == 3 and b['shape'] == 'ridged', b
assert m == {'file': '', 'invert': True, 'field': ''}, m
" terrain size=64 cell=0.1 noise seed=18446744073709551615 gain=0.3 octaves=3 shape=ridged \
    mask '' invert=yes noise

# Several layers, and water.
check "terrain noise layer layer thermal pipes runoff droplets particles" "
assert all('layers' not in o for o in steps[:2]) and len(steps[2]['layers']) == 2, steps[2]
assert [y['name'] for y in steps[3]['layers']] == ['bedrock', 'soil', 'sand'], steps[3]
assert all(o['layers'][2]['eroded'] > 0 for o in steps[4:]), steps[4:]
assert [o['step'] for o in steps if 'water' in o] == ['pipes', 'runoff'], steps
assert steps[6]['water']['before'] == steps[5]['water']['standing'] > 0, steps[6]
" terrain size=64 noise layer name=soil thickness=2 layer name=sand thickness=1 noise=0.5 \
    thermal rounds=20 pipes time=60 runoff rounds=20 droplets drops=1k particles drops=1k

# Names that JSON cannot hold as they are.
check "terrain noise save" "assert steps[2]['parameters']['file'] == 'a\"b\\\\c\td\ne.npy', steps[2]" \
    terrain size=16 noise save "$(printf 'a"b\\c\td\ne.npy')"
check "terrain noise save" "assert steps[2]['parameters']['file'] == 'Höhe 山.npy', steps[2]" \
    terrain size=16 noise save 'Höhe 山.npy'
check "terrain noise save" "
assert steps[2]['parameters']['file'] == '\ufffd\ufffd\ufffda.npy', steps[2]
" terrain size=16 noise save "$(printf '\377\300\257a.npy')"

# What steps have to say is in the object, not on stderr.
check "terrain noise save" "assert [f['name'] for f in steps[2]['files']] == ['saved.png.ravine.json', 'saved.png']
assert steps[1]['files'] == []" terrain size=16 noise save saved.png
check "terrain noise save" "assert any('16 x 16' in m or 'saved.png' in m for m in steps[2]['messages'])" \
    terrain size=16 noise save saved.png

# One line at a time, as each step ends, even into a pipe.
mkfifo pipe
"$RAVINE" --json terrain size=256 noise droplets drops=1G >pipe 2>err &
run=$!
exec 3<pipe
read -r first <&3
read -r second <&3
kill -TERM "$run"
wait "$run"
equal "exit code after TERM" "$?" 143
exec 3<&-
holds "the first line" "$first" '{"step":"terrain",'
holds "the second line" "$second" '{"step":"noise",'

# A reader that goes away stops the run.
"$RAVINE" --json terrain size=64 repeat times=1M noise end 2>err | head -n 1 >first.json
equal "the reader went away" "${PIPESTATUS[0]} $(wc -l <err)" "4 1"

# The same hashes for any number of threads, and with numbers of another country.
recipe="terrain size=130 noise seed=3 faults count=20 mode=add droplets drops=20k border=apron blur"
hashes() {
    # shellcheck disable=SC2086
    "$RAVINE" --json "$@" $recipe | grep -o '"hash":"[^"]*"' | tr -d '\n'
}
one=$(hashes --threads 1)
for threads in 2 3 7; do
    equal "hashes with $threads threads" "$(hashes --threads "$threads")" "$one"
done
for locale in $(locale -a 2>/dev/null | grep -E '^(de|fr)_' | head -n 1); do
    equal "hashes in $locale" "$(LC_ALL=$locale hashes)" "$one"
    LC_ALL=$locale check "terrain" "assert steps[0]['cell'] == 2.5" terrain size=16 cell=2.5
done
finish
