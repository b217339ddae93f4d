# Texts from other systems: a byte order mark before UTF-8 and line ends of Windows change nothing, and
# UTF-16 is refused with a sentence, in recipes, scenes, settings, sidecars and meshes.
. "$SOURCE/tests/cli/common.sh"

# marked FILE OUT, windows FILE OUT, wide FILE OUT: the text in other forms
marked() {
    { printf '\357\273\277'; cat "$1"; } > "$2"
}
windows() {
    { printf '\357\273\277'; sed 's/$/\r/' "$1"; } > "$2"
}
wide() {
    { printf '\377\376'; sed 's/./&\x00/g; s/$/\x00/' "$1"; } > "$2"
}
# refused WHAT COMMAND...: exit code 3 and the sentence
refused() {
    local what=$1 code=0
    shift
    "$@" > said 2>&1 || code=$?
    equal "$what: exit code" "$code" 3
    holds "$what" "$(cat said)" 'UTF-16 text'
    equal "$what: lines" "$(wc -l < said)" 1
}

printf 'terrain size=32 # small\nnoise seed=7\ndroplets drops=99\n' > plain.rv
expected=$(last_hash plain.rv)
for form in marked windows; do
    $form plain.rv other.rv
    equal "recipe, $form" "$(last_hash other.rv)" "$expected"
    equal "standard input, $form" "$(last_hash - < other.rv)" "$expected"
done
wide plain.rv wide.rv
refused "recipe" "$RAVINE" wide.rv
"$RAVINE" - < wide.rv > said 2>&1
equal "standard input: exit code" $? 3
holds "standard input" "$(cat said)" 'Standard input is UTF-16 text; it must be UTF-8.'
# Columns are those that people see.
printf '\357\273\277terain size=32\n' > wrong.rv
holds "column after the mark" "$("$RAVINE" wrong.rv 2>&1)" 'wrong.rv, line 1, column 1: '

cat > block.obj << 'END'
v 0.3 0.3 0.1
v 0.7 0.3 0.1
v 0.3 0.7 0.1
v 0.3 0.3 0.5
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
END
"$RAVINE" solid check block.obj > said 2>&1 || fail "the solid: $(cat said)"
for form in marked windows; do
    $form block.obj other.obj
    "$RAVINE" solid check other.obj > said 2>&1 || fail "mesh, $form: $(cat said)"
done
wide block.obj wide.obj
refused "mesh" "$RAVINE" solid check wide.obj

printf 'box low=0/0/0 high=1/1/1\nmodel block.obj\nparticles max=50 spacing=0.05\nrun frames=2\n' > plain.scene
printf '# settings\nm block.obj 0 40/40/40 0/0/0\np 50\n' > plain.txt
for file in plain.scene plain.txt; do
    "$RAVINE" --dry-run scene $file > expected 2>&1 || fail "$file: $(cat expected)"
    for form in marked windows; do
        $form $file other.scene
        "$RAVINE" --dry-run scene other.scene > said 2>&1
        cmp -s said expected || fail "$file, $form: $(cat said)"
    done
    wide $file wide.scene
    refused "$file" "$RAVINE" --dry-run scene wide.scene
done

"$RAVINE" --quiet terrain size=16 cone save land.r32
expected=$(last_hash open land.r32)
cp land.r32.ravine.json plain.json
for form in marked windows; do
    $form plain.json land.r32.ravine.json
    equal "sidecar, $form" "$(last_hash open land.r32)" "$expected"
done
wide plain.json land.r32.ravine.json
refused "sidecar" "$RAVINE" open land.r32
finish
