#!/bin/bash
# check_windows.sh SOURCE BUILD RAVINE: Ravine for Windows, cross-compiled to BUILD/windows, under wine: the bits, the
# unit tests of what differs there, and the program as people use it, beside the one of this machine. Runs in the
# working folder. Without the compiler or without wine it says so.
set -e
source=$1 build=$2 native=$3
if ! command -v x86_64-w64-mingw32-gcc > said || ! command -v wine > said; then
    echo "Windows is not tested: it takes gcc-mingw-w64-x86-64 and wine, and they are not here."
    exit 0
fi

png=-DRAVINE_PNG=OFF
if sh "$source/tools/windows_png.sh" "$build/windows_png"; then
    png="-DRAVINE_PNG=ON -DPNG_LIBRARY=$build/windows_png/lib/libpng16.a
        -DPNG_PNG_INCLUDE_DIR=$build/windows_png/include"
else
    echo "PNG is left out on Windows: the sources of libpng are not to be had here."
fi
# shellcheck disable=SC2086 # a list
(
    unset MAKEFLAGS MFLAGS MAKELEVEL
    cd "$source"
    cmake --preset windows -B "$build/windows" -DRAVINE_TESTS=ON -DRAVINE_ASSERTS=ON \
        -DCMAKE_CROSSCOMPILING_EMULATOR="$(command -v wine)" $png
    cmake --build "$build/windows" --target tests_that_differ
) > build.log 2>&1 || { tail -n 40 build.log; echo "The build for Windows failed."; exit 1; }
echo "built for Windows"

# A Windows of its own, without what it would ask a person for.
export WINEPREFIX=$build/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
wine wineboot -i > wine.log 2>&1 || { cat wine.log; exit 1; }

# The table of hashes, and unit tests.
ctest --test-dir "$build/windows" -L differs --output-on-failure > tests.log 2>&1 || { cat tests.log; exit 1; }
grep ' Test .* sec' tests.log
echo "same bits on Windows"

mkdir program
(cd program && RAVINE=$build/windows/ravine.exe NATIVE=$native SOURCE=$source PNG=$png \
    bash "$source/tests/windows/use_program.sh")
# Tests of the program that need nothing but it.
for name in encodings words; do
    mkdir "cli_$name"
    (cd "cli_$name" && RAVINE=$PWD/../program/ravine SOURCE=$source bash "$source/tests/cli/test_$name.sh" > log 2>&1) ||
        { tail -n 20 "cli_$name/log"; echo "cli/test_$name.sh failed on Windows."; exit 1; }
done
echo "the program passed on Windows"
