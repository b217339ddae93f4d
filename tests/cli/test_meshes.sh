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
finish
