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
finish
