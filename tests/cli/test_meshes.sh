# Meshes from the program: what it says is what the file holds, and no step is disturbed by them.
. "$SOURCE/tests/cli/common.sh"

said=$("$RAVINE" terrain width=40 height=30 noise droplets drops=500 save land.npy save land.obj \
    save land.ply save land.stl save land.glb save block.obj solid=50 error=3 2>&1) || fail "meshes"
holds "said" "$said" "land.obj: 1200 vertices, 2262 faces, the surface alone"
holds "said" "$said" "a closed block"
equal "vertices of land.obj" "$(grep -c '^v ' land.obj)" 1200
equal "faces of land.obj" "$(grep -c '^f ' land.obj)" 2262
equal "bytes of land.stl" "$(wc -c <land.stl)" $((84 + 50 * 2262))
holds "properties of land.ply" "$(head -c 500 land.ply | tr '\n\0' ' .')" "property float flow"
for file in land.obj land.ply land.stl land.glb; do
    [ -e "$file.ravine.json" ] && fail "$file has a sidecar, but needs none"
done

# y up is a turn: x stays, y is the height, z is south; normals and places on a picture go with it.
"$RAVINE" --quiet open land.npy save z.obj normals=yes save y.obj up=y normals=yes || fail "up=y"
paste -d ' ' z.obj y.obj | awk '
    function far(a, b) { return a - b > 1e-6 || b - a > 1e-6 }
    ($1 == "v" || $1 == "vn") && (far($2, $6) || far($3, -$8) || far($4, $7)) { exit 1 }
    $1 == "vt" && ($2 < 0 || $2 > 1 || $3 < 0 || $3 > 1 || $2 != $5 || $3 != $6) { exit 1 }
    $1 == "vn" && ($2 * $2 + $3 * $3 + $4 * $4 < 0.999999 || $4 <= 0) { exit 1 }
    $1 == "f" && $2 !~ /^([0-9]+)\/[0-9]+\/[0-9]+$/ { exit 1 }' || fail "up=y is no turn"
equal "normals" "$(grep -c '^vn ' z.obj)" "$(grep -c '^v ' z.obj)"
equal "corners of the picture" "$(grep '^vt ' z.obj | sort -u -k2,2n -k3,3n | sed -n '1p;$p')" "vt 0 0
vt 1 1"
"$RAVINE" --quiet open land.npy save y.glb up=y 2> said && fail "up=y of a .glb"
holds "up=y of a .glb" "$(cat said)" "always has y up"

# Every edge of a block is there twice, once each way.
awk '/^f/ { for (k = 2; k <= 4; k++) { a = $k; b = k == 4 ? $2 : $(k + 1)
            seen[a " " b]++; back[b " " a]++ } }
     END { for (e in seen) if (seen[e] != 1 || back[e] != 1) exit 1 }' block.obj ||
    fail "block.obj is not closed"

equal "the land after saving meshes" "$(last_hash open land.npy save x.obj save x.glb solid=1)" \
    "$(last_hash open land.npy)"
for threads in 1 3; do
    "$RAVINE" --quiet --threads $threads open land.npy save "t$threads.glb" error=1 solid=9
done
cmp t1.glb t3.glb || fail "threads change a mesh"
# Within one recipe: which axis is up is known before the mesh is there.
holds "y up, opened with z up" "$("$RAVINE" terrain size=9 noise save up.obj up=y open up.obj 2>&1)" \
    'up.obj: is saved in this recipe with y up; say up=y here, too.'
holds "z up, opened with y up" "$("$RAVINE" terrain size=9 noise save up.ply open up.ply up=y 2>&1)" \
    'up.ply: is saved in this recipe with z up; say up=z here, too.'
[ ! -e up.obj ] && [ ! -e up.ply ] || fail "an axis that does not fit was found only after a step had run"
"$RAVINE" --quiet terrain width=9 height=5 noise save up.obj up=y open up.obj up=y width=9 save back.npy ||
    fail "a mesh with y up, saved and opened"
# ---- a .glb with texture, and a far mesh ----
# shellcheck disable=SC2086
"$RAVINE" --quiet open land.npy save ground.glb texture=yes solid=20 texture ground.png kind=colour ||
    fail "a .glb with texture"
"$RAVINE" --quiet --threads 3 open land.npy save ground3.glb texture=yes solid=20
cmp ground.glb ground3.glb || fail "threads change a .glb with texture"
for file in x.obj x.png; do
    "$RAVINE" --quiet open land.npy save $file texture=yes 2> said && fail "texture of $file"
    holds "texture of $file" "$(cat said)" "$file"
done
python3 - <<'END' || fail "the .glb with texture"
import json, struct, zlib

def picture(data):
    """Width, height and the pixels of a PNG of three bytes a pixel."""
    at, packed = 8, b''
    while at < len(data):
        size, name = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(name + body) == struct.unpack('>I', data[at + 8 + size:at + 12 + size])[0], name
        if name == b'IHDR':
            width, height, bits, kind = struct.unpack('>2I2B', body[:10])
            assert (bits, kind) == (8, 2)
        packed += body if name == b'IDAT' else b''
        at += 12 + size
    raw, rows, last = zlib.decompress(packed), [], bytes(3 * width)
    for y in range(height):
        how, row = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for x in range(3 * width):
            a, b, c = (row[x - 3], last[x], last[x - 3]) if x > 2 else (0, last[x], 0)
            near = min((a, b, c), key=lambda v: abs(a + b - c - v))
            row[x] = (row[x] + [0, a, b, (a + b) // 2, near][how]) % 256
        rows.append(bytes(row))
        last = row
    return width, height, b''.join(rows)

data = open('ground.glb', 'rb').read()
assert struct.unpack('<4sII', data[:12]) == (b'glTF', 2, len(data))
size = struct.unpack('<I', data[12:16])[0]
text, chunk = json.loads(data[20:20 + size]), data[28 + size:]
assert text['buffers'][0]['byteLength'] == len(chunk) == struct.unpack('<I', data[20 + size:24 + size])[0]
views = text['bufferViews']
ends = [0]
for view in views:
    assert view['byteOffset'] == ends[-1] and view['byteOffset'] % 4 == 0, view
    ends.append(view['byteOffset'] + view['byteLength'])
assert 0 <= len(chunk) - ends[-1] < 4
width = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4}
byte = {5126: 4, 5125: 4, 5123: 2}
for accessor in text['accessors']:
    assert accessor['count'] * width[accessor['type']] * byte[accessor['componentType']] == views[accessor['bufferView']]['byteLength']
seen = {}
for mesh in text['meshes']:
    part = mesh['primitives'][0]
    counts = {text['accessors'][i]['count'] for i in part['attributes'].values()}
    assert len(counts) == 1, counts
    view = views[text['accessors'][part['indices']]['bufferView']]
    corners = struct.unpack('<%dI' % (view['byteLength'] // 4), chunk[view['byteOffset']:view['byteOffset'] + view['byteLength']])
    assert max(corners) == counts.pop() - 1
    seen[mesh['name']] = set(part['attributes']), len(corners)
assert seen['land'][0] == {'POSITION', 'NORMAL', 'TEXCOORD_0'} and seen['land_far'][0] == {'POSITION', 'NORMAL', 'COLOR_0'}
assert seen['land_far'][1] < seen['land'][1] / 2, seen
assert text['nodes'][text['scenes'][0]['nodes'][0]]['extensions']['MSFT_lod']['ids'] == [1]
view = views[text['images'][0]['bufferView']]
assert picture(chunk[view['byteOffset']:view['byteOffset'] + view['byteLength']]) == picture(open('ground.png', 'rb').read())
END
finish
