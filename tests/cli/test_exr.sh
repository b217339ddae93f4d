#!/usr/bin/env bash
# EXR as OpenEXR's programs make and see it, in an export for Godot, and what is said without the library.
. "$SOURCE/tests/cli/common.sh"
ravine() {
    "$RAVINE" --quiet "$@"
}

if ! ravine terrain size=97 cell=3 noise droplets drops=2k save a.npy save a.exr save flow.npy field=flow \
    save flow.exr field=flow 2> said; then
    holds "no EXR" "$(cat said)" "a.exr: "
    holds "no EXR" "$(cat said)" EXR
    [ ! -e a.npy ] || fail "it was said after the work, not before"
    echo "OpenEXR is not here: what needs it was left out."
    finish
fi

# ---- there and back ----
for name in a flow; do
    ravine open $name.exr save back.npy || fail "open $name.exr"
    cmp $name.npy back.npy || fail "$name.exr: other heights"
done
"$RAVINE" --dry-run open a.exr save b.exr 2> said || fail "--dry-run"
[ ! -e b.exr ] || fail "--dry-run wrote a file"

# ---- with the programs of OpenEXR ----
if command -v exrheader exrmaketiled > which; then
    header=$(exrheader a.exr)
    holds "channel" "$header" "Y, 32-bit floating-point"
    holds "packing" "$header" "zip, multi-scanline blocks"
    holds "size" "$header" "dataWindow (type box2i): (0 0) - (96 96)"
    for packing in none rle zip piz; do
        exrmaketiled -z $packing -t 32 32 a.exr tiles.exr || fail "exrmaketiled -z $packing"
        ravine open tiles.exr cell=3 save back.npy || fail "open tiles.exr, $packing"
        cmp a.npy back.npy || fail "tiles packed by $packing: other heights"
    done
    exrmaketiled -z pxr24 a.exr loss.exr
    ravine open loss.exr cell=3 2> said && fail "heights with a loss"
    holds "a loss" "$(cat said)" "loss.exr is packed by PXR24, which changes heights"
else
    echo "The programs of OpenEXR are not here: files were compared with themselves only."
fi

# ---- for Godot: three channels that are the same ----
ravine open a.exr export mountain engine=godot || fail export
ravine open mountain/land.exr cell=3 save back.npy || fail "open land.exr"
cmp a.npy back.npy || fail "land.exr: other heights"
holds "what to type" "$(cat mountain/godot.txt)" "land.exr, which is in metres; or land.r16"
ravine open a.exr export world engine=godot tiles=4 || fail "export in tiles"
equal "tiles" "$(find world -name 'land_x?_y?.exr' | wc -l | tr -d ' ')" 16

# ---- none to load ----
if [ -z "${RAVINE_SHORT:-}" ] && echo 'void *dlopen(const char *f, int m); void *dlopen(const char *f, int m) { (void)f; (void)m; return 0; }' |
    cc -shared -fPIC -x c - -o none.so 2> said; then
    LD_PRELOAD=$PWD/none.so "$RAVINE" open a.exr 2> said && fail "a.exr without OpenEXR"
    holds "no OpenEXR" "$(cat said)" "a.exr: EXR needs OpenEXR, and no libOpenEXRCore"
    LD_PRELOAD=$PWD/none.so "$RAVINE" terrain size=32 noise save x.npy save x.exr 2> said && fail "x.exr without OpenEXR"
    holds "no OpenEXR" "$(cat said)" "x.exr: EXR needs OpenEXR"
    [ ! -e x.npy ] || fail "it was said after the work, not before"
    LD_PRELOAD=$PWD/none.so "$RAVINE" --quiet terrain size=32 noise export plain engine=godot || fail "an export without OpenEXR"
    [ ! -e plain/land.exr ] || fail "land.exr without OpenEXR"
    case $(cat plain/godot.txt) in *exr*) fail "godot.txt names what is not there" ;; esac
fi
finish
