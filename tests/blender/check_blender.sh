#!/bin/sh
# check_blender.sh SOURCE BUILD RAVINE: a .glb of the program, and the add-on, as make builds it in BUILD, in
# Blender: without a window and, where xvfb-run is installed, with one. Runs in the working folder. Without Blender
# it says so.
set -e
source=$1 zip=$2/ravine_blender.zip ravine=$3
if ! command -v blender > said; then
    echo "The Blender add-on is not tested: there is no blender here."
    exit 0
fi
make -C "$source" BUILD="$2" blender
mkdir -p user folder glb
BLENDER_USER_SCRIPTS=$PWD/user
BLENDER_USER_CONFIG=$PWD/user
export BLENDER_USER_SCRIPTS BLENDER_USER_CONFIG

# all_passed NAME: did the script come to its end?
all_passed() {
    grep -q '^all passed' "$1.log" || { cat "$1.log"; echo "$1 failed"; exit 1; }
    echo "$1 passed"
}

blender -b --factory-startup --python-exit-code 1 --python "$source/tests/blender/test_addon.py" \
    -- "$zip" "$PWD/folder" > addon.log 2>&1 || true
all_passed addon
blender -b --factory-startup --python-exit-code 1 --python "$source/tests/blender/test_glb.py" \
    -- "$ravine" "$PWD/glb" > glb.log 2>&1 || true
all_passed glb
if ! command -v xvfb-run > said; then
    echo "The add-on is not tested in a window: there is no xvfb-run here."
    exit 0
fi
rm -rf user
mkdir user
xvfb-run -a -s '-screen 0 1200x800x24' blender --factory-startup -p 0 0 1200 800 \
    --python "$source/tests/blender/test_window.py" -- "$zip" > window.log 2>&1 || true
all_passed window
