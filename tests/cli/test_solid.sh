# `ravine solid`: blocks of land are valid, broken meshes are refused with the place of each fault.
. "$SOURCE/tests/cli/common.sh"

"$RAVINE" --quiet terrain width=40 height=30 noise save land.npy || fail "land"
"$RAVINE" --quiet solid from-terrain land.npy block.obj || fail "from-terrain"
"$RAVINE" --quiet open land.npy save same.obj solid=100 || fail "save"
cmp block.obj same.obj || fail "from-terrain is not what save solid=100 writes"
echo 'terrain size=20 noise' >hills.rv
"$RAVINE" --quiet solid from-terrain hills.rv hills.obj solid=5 error=2 || fail "from a recipe"
for file in block hills; do
    said=$("$RAVINE" solid check $file.obj) || fail "$file.obj is valid"
    holds "$file.obj" "$said" "$file.obj: the surface of a solid"
done
holds "JSON" "$("$RAVINE" --json solid check block.obj)" '"valid":true'

# refused LINES PATTERN FILE: exit code 3, one sentence on stderr, LINES faults on stdout.
refused() {
    "$RAVINE" solid check "$3" >out 2>err
    equal "$3: exit code, lines" "$? $(wc -l <out) $(wc -l <err)" "3 $1 1"
    holds "$3" "$(cat out err)" "$2"
}
grep -v '^f 1 ' block.obj >open.obj
"$RAVINE" solid check open.obj >out 2>err
equal "open.obj" "$?" 3
holds "open.obj" "$(head -n 1 out)" "The edge from vertex"
cat >two.obj <<'END'
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
END
"$RAVINE" --quiet solid check two.obj || fail "a tetrahedron is valid"
sed 's/^f \(.*\) \(.*\) \(.*\)/f \1 \3 \2/' two.obj >turned.obj
refused 1 "is inside out" turned.obj
sed 's/f 2 3 4/f 2 4 3/' two.obj >face.obj
refused 3 "Faces 1 and 4 at (0.5, 0.5, 0) are oriented differently" face.obj
{ cat two.obj; printf 'v 5 0 0\nv 6 0 0\nv 5 1 0\nf -3 -1 -2\n'; } >part.obj
refused 3 "has a face on one side only, face 5" part.obj
equal "JSON of faults" "$("$RAVINE" --json solid check face.obj 2>err | grep -c '"fault":"faces turned over","face":')" 3
"$RAVINE" --quiet solid check face.obj >out 2>err
equal "quiet" "$? $(wc -l <out) $(wc -l <err)" "3 0 1"

# wrong CODE PATTERN WORDS...
wrong() {
    "$RAVINE" "${@:3}" >out 2>err
    equal "ravine ${*:3}" "$? $(wc -l <out) $(wc -l <err)" "$1 0 1"
    holds "ravine ${*:3}" "$(cat err)" "$2"
}
printf 'v 0 0 0\nv 0 x 0\nf 1 2 3\n' >broken.obj
wrong 3 "broken.obj, line 2" solid check broken.obj
wrong 3 missing.obj solid check missing.obj
wrong 3 ".obj" solid check land.npy
wrong 2 "solid takes" solid
wrong 2 "solid takes" solid check
wrong 2 "solid takes" solid chek two.obj
wrong 2 "from-terrain" solid from-terrain land.npy
wrong 5 "memory" --memory 100k solid check block.obj
finish
