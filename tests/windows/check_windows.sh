#!/bin/bash
# check_windows.sh SOURCE BUILD: Ravine for Windows, cross-compiled to BUILD/windows, under wine: the bits, the unit
# tests of what differs there, and the program as people use it. Runs in the working folder. Without the compiler
# or without wine it says so.
set -e
source=$1 build=$2
if ! command -v x86_64-w64-mingw32-gcc > said || ! command -v wine > said; then
    echo "Windows is not tested: it takes gcc-mingw-w64-x86-64 and wine, and they are not here."
    exit 0
fi

# What differs there: numbers as text, files, threads, the state of floating-point numbers.
tests='context file_names float_state maps math mesh_files png random raw_npy recipe settings sidecar text'

png=-DRAVINE_PNG=OFF
if sh "$source/tools/windows_png.sh" "$build/windows_png"; then
    png="-DRAVINE_PNG=ON -DPNG_LIBRARY=$build/windows_png/lib/libpng16.a
        -DPNG_PNG_INCLUDE_DIR=$build/windows_png/include"
else
    echo "PNG is left out on Windows: the sources of libpng are not to be had here."
    tests=${tests/ png/}
fi
# shellcheck disable=SC2046,SC2086 # lists
(
    unset MAKEFLAGS MFLAGS MAKELEVEL
    cd "$source"
    cmake --preset windows -B "$build/windows" -DRAVINE_TESTS=ON -DRAVINE_ASSERTS=ON $png
    cmake --build "$build/windows" -j "$(nproc)" --target ravine_cli same_bits \
        $(printf 'test_%s ' $tests)
) > build.log 2>&1 || { tail -n 40 build.log; echo "The build for Windows failed."; exit 1; }
echo "built for Windows"

# A Windows of its own, without what it would ask a person for.
export WINEPREFIX=$build/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' RAVINE_SHORT=1
wine wineboot -i > wine.log 2>&1 || { cat wine.log; exit 1; }

mkdir bits
(cd bits && sh "$source/tests/same_bits/check_hashes.sh" wine "$source/tests/same_bits/hashes.txt" \
    "$build/windows/same_bits.exe" 2)
echo "same bits on Windows"

for name in $tests; do
    mkdir "$name"
    (cd "$name" && timeout 300 wine "$build/windows/test_$name.exe" > log 2>&1) ||
        { tail -n 20 "$name/log"; echo "test_$name failed on Windows."; exit 1; }
done
echo "unit tests passed on Windows: $tests"

mkdir program
(cd program && RAVINE=$build/windows/ravine.exe NATIVE=$build/test/ravine SOURCE=$source PNG=$png \
    bash "$source/tests/windows/use_program.sh")
# Tests of the program that need nothing but it.
for name in encodings words; do
    mkdir "cli_$name"
    (cd "cli_$name" && RAVINE=$PWD/../program/ravine SOURCE=$source bash "$source/tests/cli/test_$name.sh" > log 2>&1) ||
        { tail -n 20 "cli_$name/log"; echo "cli/test_$name.sh failed on Windows."; exit 1; }
done
echo "the program passed on Windows"
