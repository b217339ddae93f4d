#!/bin/sh
# check_godot.sh SOURCE RAVINE: what `export engine=godot` writes, read back by Godot 3 without a
# window. Runs in the working folder. Without Godot it says so.
set -e
source=$1 ravine=$2
godot=$(command -v godot3-server || command -v godot3 || true)
if [ -z "$godot" ]; then
    echo "The export for Godot is not tested in Godot: there is no godot3-server here."
    exit 0
fi
"$ravine" --quiet terrain size=129 cell=2 noise seed=7 relief=200 frequency=2 droplets drops=5k \
    save heights.r32 export mountain engine=godot
HOME=$PWD
XDG_DATA_HOME=$PWD/data
XDG_CONFIG_HOME=$PWD/config
XDG_CACHE_HOME=$PWD/cache
export HOME XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME
mkdir -p project
: > project/project.godot
cp "$source/tests/godot/read_export.gd" project/
timeout 120 "$godot" --no-window --path project -s "$PWD/project/read_export.gd" "$PWD/mountain" "$PWD/heights.r32" \
    > godot.log 2>&1 || true
grep -q '^all passed' godot.log || { cat godot.log; echo "godot failed"; exit 1; }
if grep -q 'SCRIPT ERROR' godot.log; then
    cat godot.log
    exit 1
fi
echo "godot passed"
