#!/usr/bin/env bash
# Folders for game engines, read back by readers that follow the documents of the engines: heights to
# half a level, tiles that share their edges, no seams in normals and weights, numbers that fit.
. "$SOURCE/tests/cli/common.sh"
ravine() {
    "$RAVINE" --quiet "$@"
}
ravine terrain size=253 cell=20 noise seed=4 relief=900 level low=-50 high=850 droplets drops=8k save land.r32 \
    export unreal engine=unreal export tiles engine=unreal tiles=2 \
    export godot engine=godot tiles=4 export raw || fail "export"
ravine open land.r32 crop width=129 height=129 save small.r32 export unity engine=unity \
    export unity_tiles engine=unity tiles=2 || fail "unity"

# ---- sizes that the engine does not take ----
refused() {
    local what=$1 said
    shift
    said=$("$RAVINE" "$@" 2>&1) && fail "$* was not refused"
    holds "$*" "$said" "$what"
    [ ! -e bad ] || fail "$* has made its folder"
}
refused 'unreal does not take 129 samples along a side (the land has 129 x 129 cells); the nearest that it takes is size=127' \
    open small.r32 export bad engine=unreal
refused 'unity does not take 253 samples*size=257' open land.r32 export bad engine=unity
refused 'unity does not take 1000 samples*size=1025' open land.r32 export bad engine=unity size=1000
refused 'unreal does not take 4096 samples*size=4033' --dry-run open land.r32 export bad engine=unreal size=4096
refused 'unity does not take 64 samples along a side of a tile*size=65' open land.r32 export bad engine=unity tiles=4
refused 'cannot be cut into 5 tiles along a side that share their edges; say size=127' open land.r32 export bad engine=unreal tiles=5
refused 'a square is needed here' open land.r32 crop width=127 export bad engine=unreal
refused 'missing/bad: cannot be written' open land.r32 export missing/bad engine=raw
ravine open small.r32 export sized engine=unreal size=253 trees=0 || fail "size=253"
holds "sized" "$(cat sized/unreal.txt)" 'Overall Resolution       253 x 253'

cat > read.py <<'END'
import json, re, struct, sys, zlib

def floats(path):
    data = open(path, 'rb').read()
    return struct.unpack('<%df' % (len(data) // 4), data)

def png(path):
    """Width, height, channels, samples: unfiltered by the PNG specification."""
    data, at, packed = open(path, 'rb').read(), 8, b''
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        if kind == b'IHDR':
            width, height, bits, colour = struct.unpack('>IIBB', data[at + 8:at + 18])
        elif kind == b'IDAT':
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    channels = {0: 1, 2: 3, 6: 4}[colour]
    step = channels * bits // 8
    row, raw, rows, before = width * step, zlib.decompress(packed), [], bytearray(width * step)
    for y in range(height):
        how, line = raw[y * (row + 1)], bytearray(raw[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for i in range(row):
            a = line[i - step] if i >= step else 0
            b, c = before[i], before[i - step] if i >= step else 0
            if how == 4:
                p = a + b - c
                guess = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            else:
                guess = (0, a, b, (a + b) // 2)[how]
            line[i] = line[i] + guess & 255
        rows.append(line)
        before = line
    assert bits in (8, 16)
    flat = b''.join(rows)
    return width, height, channels, struct.unpack('>%dH' % (len(flat) // 2), flat) if bits == 16 else flat

def number(text, name, index=0):
    line = re.search(re.escape(name) + r'\s+(.*)', text).group(1)
    return float(re.findall(r'-?[0-9.]+', line)[index])

def near(heights, found, half, what):
    worst = max(abs(a - b) for a, b in zip(heights, found))
    assert len(heights) == len(found) and worst <= half * 1.01 + 1e-3, (what, worst, half)

def join(tile, tiles, size):
    """Tiles as one map, which agree where they meet."""
    side = tiles * (size - 1) + 1
    whole = [None] * (side * side)
    for row in range(tiles):
        for column in range(tiles):
            values = tile(column, row)
            for y in range(size):
                for x in range(size):
                    at = (row * (size - 1) + y) * side + column * (size - 1) + x
                    assert whole[at] in (None, values[y * size + x]), ('edge', column, row, x, y)
                    whole[at] = values[y * size + x]
    return whole

land, small = floats('land.r32'), floats('small.r32')

# Unreal: (v - 32768) / 128 * scale centimetres above the actor; the rows of the picture go south.
text = open('unreal/unreal.txt').read()
width, height, channels, levels = png('unreal/land.png')
assert (width, height, channels) == (253, 253, 1)
scale, actor = number(text, '  Scale', 2), number(text, 'Location Z')
near(land, [((v - 32768) / 128 * scale + actor) / 100 for v in levels], scale / 128 / 200, 'unreal')
assert number(text, '  Scale') == 2000
assert [number(text, 'Section Size'), number(text, 'Sections Per'), number(text, 'Number of')] == [63, 2, 2]
tile = lambda c, r: png('tiles/land_x%d_y%d.png' % (c, r))[3]
assert tuple(join(tile, 2, 127)) == tuple(levels)
assert open('tiles/unreal.txt').read().count('253 x 253') == 1

# What is cut has no seam: it is the whole map's, byte for byte.
for name in 'land_normal', 'land_weight_rock', 'land_weight_grass', 'land_mask_flow':
    width, height, channels, whole = png('unreal/%s.png' % name)
    pixels = [bytes(whole[i:i + channels]) for i in range(0, len(whole), channels)]
    def part(column, row):
        data = png('tiles/%s_x%d_y%d.png' % (name, column, row))[3]
        return [bytes(data[i:i + channels]) for i in range(0, len(data), channels)]
    assert join(part, 2, 127) == pixels, name
weights = [png('unreal/land_weight_%s.png' % n)[3] for n in ('rock', 'grass', 'sediment', 'snow')]
assert all(sum(w) == 255 for w in zip(*weights))
# Green is south: a slope that falls to the south has more than half of it.
normal = png('unreal/land_normal.png')[3]
for y, x in ((60, 60), (100, 33), (200, 170)):
    fall = land[(y - 1) * 253 + x] - land[(y + 1) * 253 + x]
    assert (normal[3 * (y * 253 + x) + 1] > 127) == (fall > 0), (x, y)

# Unity: unsigned 16 bit, little-endian, the first row is the south edge.
text = open('unity/unity.txt').read()
data = open('unity/land.raw', 'rb').read()
assert len(data) == 2 * 129 * 129
levels = struct.unpack('<%dH' % (129 * 129), data)
rows = [levels[y * 129:(y + 1) * 129] for y in reversed(range(129))]
high, low = number(text, 'Terrain Size', 1), number(text, 'Transform, Position')
near(small, [low + v / 65535 * high for row in rows for v in row], high / 65535 / 2, 'unity')
assert number(text, 'Terrain Size') == 128 * 20
def unity(column, row):
    data = open('unity_tiles/land_%d_%d.raw' % (column, 1 - row), 'rb').read()
    values = struct.unpack('<%dH' % (65 * 65), data)
    return [v for y in reversed(range(65)) for v in values[y * 65:(y + 1) * 65]]
assert join(unity, 2, 65) == [v for row in rows for v in row]
assert png('unity/land_splat.png')[:3] == (129, 129, 4)

# Godot and others: unsigned 16 bit, little-endian, north row first.
def r16(path):
    data = open(path, 'rb').read()
    return struct.unpack('<%dH' % (len(data) // 2), data)
text = open('godot/godot.txt').read()
low, high = number(text, 'R16 Range'), number(text, 'R16 Range', 1)
whole = join(lambda c, r: r16('godot/land_x%d_y%d.r16' % (c, r)), 4, 64)
near(land, [low + v / 65535 * (high - low) for v in whole], (high - low) / 65535 / 2, 'godot')
assert tuple(whole) == r16('raw/land.r16')

# Trees stand on the land, at most one a square, and both files hold the same.
trees = [list(map(float, line.split(','))) for line in open('unreal/trees.csv').read().splitlines()[1:]]
assert trees == [[t['x'], t['y'], t['z'], t['height']] for t in json.load(open('unreal/trees.json'))]
assert len(trees) > 100
squares = {(int(x // 20), int(y // 20)) for x, y, z, h in trees}
assert len(squares) == len(trees)
for x, y, z, h in trees[::50]:
    corners = [land[(int(y / 20) + j) * 253 + int(x / 20) + i] for i in (0, 1) for j in (0, 1)
               if int(y / 20) + j < 253 and int(x / 20) + i < 253]
    assert min(corners) - 1e-2 <= z <= max(corners) + 1e-2, (x, y, z)
END
python3 read.py || fail "what an engine reads is not the land"
# ---- what the recipe reads is not replaced ----
mkdir -p mine
"$RAVINE" --quiet terrain size=33 noise save mine/land_normal.png || fail "save"
cp mine/land_normal.png before.png
"$RAVINE" --quiet open mine/land_normal.png export mine engine=raw 2>said && fail "an input was replaced"
cmp mine/land_normal.png before.png || fail "an input has changed: $(cat said)"
for name in a/b 'a\b' a:b 'a?b'; do # what one system or the other has no files for
    "$RAVINE" --quiet terrain size=33 noise select name="$name" export other engine=raw 2>said && fail "a field $name"
done
[ ! -e other ] || fail "half a folder is left"
finish
