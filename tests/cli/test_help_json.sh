# `ravine help --json`: one document that keeps its schema and says the same as the tables and the
# other pages. And the check can fail: documents that are wrong in one place are refused.
. "$SOURCE/tests/cli/common.sh"

schema=$SOURCE/docs/help.schema.json
check="python3 $SOURCE/tests/cli/check_schema.py"
"$RAVINE" help --json >help.json 2>err || fail "ravine help --json"
[ -s err ] && fail "ravine help --json writes to stderr: $(cat err)"
$check "$schema" help.json || fail "the document does not keep the schema"
"$RAVINE" --json --help | cmp - help.json || fail "ravine --json --help differs"
"$RAVINE" help droplets --json | cmp - help.json || fail "ravine help droplets --json differs"

cat >compare.py <<'END'
import json, re, sys
source, words, version = sys.argv[1:4]
d = json.load(open('help.json', encoding='utf-8'))
assert d['version'] == version.split()[1], d['version']
number = int(re.search(r'RV_VERSION_NUMBER (\d+)', open(source + '/include/ravine/ravine.h').read())[1])
major, minor, patch = map(int, d['version'].split('.'))
assert number == 10000 * major + 100 * minor + patch, 'RV_VERSION and RV_VERSION_NUMBER differ'

def table(path, word):
    """Words of a table with their keys, read from the source."""
    found = {}
    for line in open(source + path, encoding='utf-8'):
        m = re.match(r'RV_(\w+)\((\w+)(?:, *(\w+))?', line)
        if m and m[1] == word:
            found[m[2]] = []
        elif m and m[1] in ('REAL', 'LENGTH', 'INT', 'COUNT', 'SEED', 'SWITCH', 'CHOICE', 'TEXT', 'FILE', 'OUTPUT', 'VECTOR'):
            found[m[2]].append((m[3], m[1] == 'OUTPUT'))
    return found

for name, path, word in (('steps', '/include/ravine/steps.def', 'STEP'),
                         ('scene_words', '/src/scene/scene.def', 'WORD')):
    said = {w['name']: [(p['name'], p.get('writes', False)) for p in w['parameters']] for w in d[name]}
    assert said == table(path, word) and said, name
fields = {f['name'] for f in d['fields']}
for s in d['steps']:
    for f in s['reads'] + s['writes']:
        assert f in fields or f == '*', (s['name'], f)
assert {s['kind'] for s in d['steps']} == {k['name'] for k in d['kinds']}
known = set(open(words).read().split())
for w in d['steps'] + d['scene_words']:
    for p in w['parameters']:
        assert p['name'] in known, p['name']
        assert all(o['name'] in known for o in p.get('options', [])), p
        if p['type'] == 'choice':
            assert p['default'] in [o['name'] for o in p['options']], p
        if p['type'] in ('real', 'int', 'count') and p['default'] != 'auto':
            assert p['min'] <= p['default'] <= p['max'], p
        assert (p['default'] == 'auto') <= p['auto'], p
END
"$RAVINE" help --words >words
python3 compare.py "$SOURCE" words "$("$RAVINE" --version)" || fail "the document and the tables differ"

# Documents that are wrong in one place.
cat >refused.py <<'END'
import copy, json, sys
sys.path.insert(0, sys.argv[1])
from check_schema import faults

schema = json.load(open(sys.argv[2], encoding='utf-8'))
whole = json.load(open('help.json', encoding='utf-8'))

def refused(what, change):
    d = copy.deepcopy(whole)
    change(d, d['steps'][0]['parameters'][0])
    if not faults(schema, schema, d, 'document'):
        sys.exit('the schema allows ' + what)

def vector(d, p):
    next(p for w in d['scene_words'] for p in w['parameters'] if p['type'] == 'vector')['default'] = [1, 2]

refused('a missing list', lambda d, p: d.pop('fields'))
refused('an unknown key', lambda d, p: d.update(more=1))
refused('a kind of its own', lambda d, p: d['steps'][0].update(kind='other'))
refused('a text for a number', lambda d, p: p.update(default='12'))
refused('a fraction for a whole number', lambda d, p: p.update(default=0.5))
refused('a file that may be read or written',
        lambda d, p: next(p for s in d['steps'] for p in s['parameters'] if p['type'] == 'file').pop('writes'))
refused('a number without a range', lambda d, p: p.pop('min'))
refused('a parameter without help', lambda d, p: p.update(help=''))
refused('no steps', lambda d, p: d.update(steps=[]))
refused('a number as a field', lambda d, p: d['steps'][0].update(writes=[3]))
refused('a scene word with a kind', lambda d, p: d['scene_words'][0].update(kind='make'))
refused('a version of two parts', lambda d, p: d.update(version='1.0'))
refused('a vector of two', vector)
END
PYTHONDONTWRITEBYTECODE=1 python3 refused.py "$SOURCE/tests/cli" "$schema" || fail "the check lets errors pass"
finish
