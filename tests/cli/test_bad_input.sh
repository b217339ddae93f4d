# Whatever is wrong with the input: one sentence, the documented exit code, nothing written.
. "$SOURCE/tests/cli/common.sh"
mkdir here
cd here || exit 1

listing() {
    find . -type d -printf '%p\n' -o -printf '%p %s %T@\n' | sort
}

# bad CODES PATTERN ARGUMENTS...: the run must fail with one of the codes (2 or "3 5") and say
# PATTERN in a single sentence.
bad() {
    local codes=$1 pattern=$2 before after code lines text
    shift 2
    before=$(listing)
    timeout 60 "$RAVINE" --quiet "$@" >../out 2>../err <"${input:-/dev/null}"
    code=$?
    after=$(listing)
    text=$(head -c 2000 ../err)
    shown=$(printf '%.150s' "$*")
    case " $codes " in
    *" $code "*) ;;
    *) fail "ravine $shown: exit code $code, expected $codes ($text)" ;;
    esac
    lines=$(wc -l <../err)
    equal "ravine $shown: lines on stderr ($text)" "$lines" 1
    case $text in
    "ravine: "*[.?]) ;;
    *) fail "ravine $shown: not a sentence: $text" ;;
    esac
    # shellcheck disable=SC2254
    case $text in
    *$pattern*) ;;
    *) fail "ravine $shown: '$pattern' is not in: $text" ;;
    esac
    LC_ALL=C.UTF-8 grep -qax '.*' ../err || fail "ravine $shown: stderr is not UTF-8"
    grep -q '[[:cntrl:]]' ../err && fail "ravine $shown: control characters on stderr"
    [ -s ../out ] && fail "ravine $shown: wrote to stdout"
    [ "$after" = "$before" ] ||
        fail "ravine $shown: files: $(diff <(echo "$before") <(echo "$after") | grep '^[<>]')"
}

# ---- files to go wrong with ----
python3 - <<'EOF' || exit 1
import struct, zlib

def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

def png(width, height, rows, bits=16):
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, bits, 0, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))

def npy(shape, data, kind='<f4', order=False):
    head = repr({'descr': kind, 'fortran_order': order, 'shape': shape}).encode()
    head += b' ' * (63 - (10 + len(head)) % 64) + b'\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head + data

def write(name, data):
    with open(name, 'wb') as f:
        f.write(data)

def floats(*values):
    return struct.pack('<%df' % len(values), *values)

good = png(8, 8, (b'\0' + bytes(16)) * 8)
nan, inf = float('nan'), float('inf')
write('good.png', good)
write('image.txt', good)
write('empty.png', b'')
write('cut.png', good[:len(good) // 2])
write('cut2.png', good[:30])
write('late.png', good[:-20])
write('magic.png', b'this is not a picture at all\n' * 10)
write('huge.png', png(60000, 60000, b'\0' * 100))
write('huger.png', png(0x7fffffff, 0x7fffffff, b'\0' * 100))
write('zero.png', png(0, 0, b''))
write('one.png', png(1, 1, b'\0\0\0'))
write('crc.png', good[:40] + b'\xff' + good[41:])

write('empty.npy', b'')
write('magic.npy', b'\x93NUMPX\x01\x00' + bytes(100))
write('cut.npy', npy((8, 8), bytes(100)))
write('head.npy', npy((8, 8), bytes(256))[:20])
write('huge.npy', npy((60000, 60000), bytes(100)))
write('huger.npy', npy((99999999999999999999, 99999999999999999999), bytes(100)))
write('minus.npy', npy((-8, -8), bytes(256)))
write('flat.npy', npy((64,), bytes(256)))
write('text.npy', npy((8, 8), bytes(64 * 4 * 8), '<U8'))
write('one.npy', npy((1, 1), bytes(4)))
write('nan.npy', npy((2, 2), floats(0, 1, nan, 2)))
write('inf.npy', npy((2, 2), floats(0, 1, -inf, 2)))
write('inf64.npy', npy((2, 2), struct.pack('<4d', 0, 1, 1e300, 2), '<f8'))

write('empty.r16', b'')
write('odd.r16', bytes(9))
write('oblong.r16', bytes(2 * 7))
write('one.r16', bytes(2))
write('empty.r32', b'')
write('odd.r32', bytes(13))
write('one.r32', bytes(4))
write('nan.r32', floats(0, 1, nan, 2))
write('inf.r32', floats(0, 1, inf, 2))
write('huge.r32', bytes(16))
write('huge.r32.ravine.json', b'{"width": 60000, "height": 60000}')
write('huge.r16', bytes(16))
write('huge.r16.ravine.json', b'{"width": 99999999999999999999, "height": 2}')
write('sidecar.r16', bytes(32))
write('sidecar.r16.ravine.json', b'{"width": 4, "height": ')
EOF
mkdir folder folder.png folder.npy folder.rv
echo text >plain

# ---- files that cannot be read ----
bad 3 missing.png open missing.png
bad 3 missing.r32 open missing.r32
bad 3 plain/below.png open plain/below.png
bad 3 folder.png open folder.png
bad 3 folder.npy open folder.npy
bad "2 3" .png open image.txt
bad "2 3" .png open folder
for file in empty cut cut2 late magic zero one crc; do
    bad 3 "$file.png" open "$file.png"
done
bad "3 5" huge.png open huge.png
bad "3 5" huge.png --memory 1G open huge.png
bad "3 5" huger.png open huger.png
for file in empty magic cut head minus flat text one nan inf inf64; do
    bad 3 "$file.npy" open "$file.npy"
done
bad "3 5" huge.npy open huge.npy
bad "3 5" huger.npy open huger.npy
for file in empty.r16 odd.r16 oblong.r16 one.r16 empty.r32 odd.r32 one.r32 nan.r32 inf.r32; do
    bad 3 "$file" open "$file"
done
bad "3 5" huge.r32 open huge.r32
bad "3 5" huge.r16 open huge.r16
bad 3 sidecar.r16 open sidecar.r16
bad "2 3" oblong.r16 open oblong.r16 width=3
bad 3 missing.png terrain size=16 mask missing.png
bad 3 magic.png terrain size=16 hardness magic.png
bad 3 missing.png terrain size=16 noise droplets drops=1 rain=missing.png
bad 3 nan.r32 terrain size=16 mask nan.r32

# ---- recipes that cannot be read ----
: >empty.rv
printf '# nothing but a comment\n' >comment.rv
printf 'terrain\000size=4\n' >zero.rv
printf 'terrain size=16\n  nose seed=1\n' >step.rv
printf 'terrain size=16\n\tnoise sed=1 # seed\n' >key.rv
printf 'terrain size=16\nnoise seed=x7\n' >number.rv
printf 'terrain size=16 save "open quote.png\n' >quote.rv
printf '\377\376\200 \300\257\n' >junk.rv
printf '\033[31mred\033[0m\a\n' >escape.rv
printf 'terrain size=16 noise\n' >good.rv
bad 3 missing.rv missing.rv
bad 3 folder.rv folder.rv
bad 3 folder folder
bad 2 empty.rv empty.rv
bad 2 comment.rv comment.rv
bad 3 zero.rv zero.rv
bad 2 "step.rv, line 2, column 3*nose*noise" step.rv
bad 2 "key.rv, line 2, column 8*sed*seed" key.rv
bad 2 "number.rv, line 2, column 7*x7" number.rv
bad 2 "quote.rv, line 1, column 22" quote.rv
bad 2 "line 1, column 1" junk.rv
bad 2 "line 1, column 1" escape.rv
bad "2 3" good.png good.png
input=empty.rv bad 2 "tandard input" -
input=zero.rv bad "2 3" "tandard input" -
input=step.rv bad 2 "tandard input, line 2, column 3*nose*noise" -
input=folder bad 3 "tandard input" -

# ---- words that make no sense ----
bad 2 "nose*noise" nose
bad 2 "nose*noise" terrain size=16 nose seed=7
bad 2 "tarrein*terrain" tarrein
bad 2 "sized*size" terrain sized=16
bad 2 "sed*seed" terrain size=16 noise sed=7
bad 2 "" size=16
bad 2 "" ""
bad 2 "" terrain ""
bad 2 "" terrain =
bad 2 "" terrain =5
bad 2 "" terrain size=
bad 2 "" terrain.size=16
bad 2 "" .=
bad 2 droplets good.rv droplets.seed=2
bad 2 "drplets*droplets" good.rv drplets.seed=2
bad 2 "sede*seed" good.rv noise.sede=2
bad 2 "" good.rv seed=2
bad 2 "" good.rv noise.seed
bad 2 "ridge*ridged" good.rv noise.shape=ridge
for value in 12x x 1.5 -- +-5 1e 0x10 1e999 nan inf ' ' 5kk 1,5 '١٢' auto; do
    bad 2 size terrain "size=$value"
done
for value in -1 1.5 1e30 18446744073709551616 99999999999999999999999 k; do
    bad 2 seed terrain size=16 noise "seed=$value"
done
for value in 0 1 -5 65537 70000 2147483648 9223372036854775808 1e18 1G; do
    bad 2 size terrain "size=$value"
done
for value in -0.001 1.001 1e30 -1e999 nan inf -inf; do
    bad 2 inertia terrain size=16 noise droplets "inertia=$value"
done
bad 2 octaves terrain size=16 noise octaves=17
bad 2 cell terrain cell=0
bad 2 cell terrain cell=-10
bad 2 drops terrain size=16 noise droplets drops=1e13
bad 2 drops terrain size=16 noise droplets drops=-2
bad 2 shape terrain size=16 noise shape=foo
bad 2 shape terrain size=16 noise shape=
bad 2 invert terrain size=16 mask good.png invert=maybe
bad 2 "" terrain size=16 crop x=16
bad 2 "" terrain size=16 crop width=17
bad 2 "" terrain width=1 height=1

# ---- files that cannot be written ----
bad 2 save terrain size=16 save
bad 2 save terrain size=16 save bits=8
bad 2 save terrain size=16 save file=
bad 2 hillshade terrain size=16 hillshade
bad 2 open open
bad 4 nowhere/x.png terrain size=16 noise save nowhere/x.png
bad 4 plain/x.png terrain size=16 noise save plain/x.png
bad 4 folder.png terrain size=16 noise save folder.png
bad 4 folder.npy terrain size=16 noise save folder.npy
bad 4 nowhere/x.png terrain size=16 noise hillshade nowhere/x.png
bad 4 folder.png terrain size=16 noise hillshade folder.png
bad "2 4" out.txt terrain size=16 noise save out.txt
bad "2 4" folder/ terrain size=16 noise save folder/
bad "2 4" out.txt terrain size=16 noise hillshade out.txt
bad 2 flow terrain size=16 noise save x.png field=flow
bad 2 "" terrain size=16 noise save x.png low=5 high=5
bad 4 nowhere/x.obj terrain size=16 noise save nowhere/x.obj
bad 2 "no surface" terrain width=1 height=9 save x.obj
bad 2 "meshes" terrain size=16 noise save x.png solid=5
bad 2 "meshes" terrain size=16 noise save x.npy error=5
bad 2 "in metres" terrain size=16 noise save x.obj bits=8
bad 2 "in metres" terrain size=16 noise save x.glb low=5
bad 2 "field=mask" terrain size=16 noise mask save x.stl field=mask
bad 2 error terrain size=16 noise save x.obj error=-1
bad 2 .glb terrain size=16 noise save x.fbx

# ---- very long words ----
long=$(head -c 100000 /dev/zero | tr '\0' a)
bad 2 aaaa "$long"
bad 2 aaaa terrain "$long=5"
bad 2 aaaa terrain "size=$long"
bad 2 aaaa terrain "$long.size=5"
bad 2 aaaa "--$long"
bad 3 aaaa open "$long.png"
bad 4 aaaa terrain size=16 noise save "$long.png"
bad 3 aaaa "$long.rv"
bad 2 "" "$(printf 'new\nline')"
bad 2 "" "$(printf '\303')"

# ---- options ----
bad 2 "--thread *--threads" --thread 4 terrain
bad 2 "--mem *--memory" --mem 4G terrain
bad 2 "--jsno*--json" --jsno terrain
bad 2 "" -x terrain
bad 2 --threads --threads
for value in 0 -1 1025 four 2.5 '' 99999999999999999999; do
    bad 2 --threads --threads "$value" terrain
done
for value in 0 -1 four 4X '' 1e400 0x10 4GG nan; do
    bad 2 --memory --memory "$value" terrain
done
bad 2 --quiet --quiet=yes terrain
bad 2 "drplets*droplets" help drplets

# ---- memory ----
bad 5 "" --memory 10M terrain size=8192 noise
bad 5 "" --memory 64M terrain size=65536
bad 5 "" --memory 1 terrain size=16

# ---- a stream that is full or gone ----
"$RAVINE" --json terrain size=16 >/dev/full 2>../err
equal "json to a full disk" "$? $(wc -l <../err)" "4 1"
"$RAVINE" help >/dev/full 2>../err
equal "help to a full disk" "$? $(wc -l <../err)" "4 1"
"$RAVINE" --json terrain size=16 noise >&- 2>../err
equal "json to a closed stream" "$? $(wc -l <../err)" "4 1"
mkdir closed
"$RAVINE" terrain size=16 noise save closed/a.r32 >&- 2>&- <&-
"$RAVINE" --quiet terrain size=16 noise save closed/b.r32
cmp closed/a.r32 closed/b.r32 || fail "closed streams change a file"

# ---- nothing to do ----
"$RAVINE" >../out 2>../err
equal "no arguments" "$? $(wc -c <../out)" "2 0"
holds "no arguments" "$(cat ../err)" usage
# Lengths that do not fit the cells of the land.
for step in droplets particles; do
    for length in move=0.002 radius=100000000; do
        "$RAVINE" --quiet terrain size=16 cell=100000 noise frequency=0.0001 $step $length drops=10 2>err
        equal "$step $length on cells of 100 km" "$? $(wc -l <err)" "2 1"
    done
    "$RAVINE" --quiet terrain size=16 cell=0.01 noise frequency=900 relief=0.1 $step drops=10 || fail "$step on cells of 1 cm"
done
for step in thermal runoff; do
    timeout 60 "$RAVINE" --quiet terrain size=16 cell=0.01 noise frequency=900 relief=0.1 $step || fail "$step on cells of 1 cm"
done
finish
