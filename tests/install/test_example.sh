#!/bin/sh
# test_example.sh SOURCE PREFIX CMAKE: with what lies installed under PREFIX, is the example built and
# run in both ways that its first comment shows? Is everything installed, and can it be moved?
set -e
source=$1 prefix=$2 cmake=$3
unset MAKEFLAGS MFLAGS MAKELEVEL

# Installed trees can be moved: nothing in this one may point back to where it was. Names may have blanks.
cp -R "$prefix" 'a place'
prefix="$PWD/a place"
pkgconfig=$(dirname "$(find "$prefix" -name ravine.pc)")
config=$(dirname "$(find "$prefix" -name ravineConfig.cmake)")

check() {
    if ! grep -q "$2" "$1"; then
        echo "$1 does not say \"$2\":"
        cat "$1"
        exit 1
    fi
}

# run_example NAME COMMAND...: it says how the ledger stands and leaves a PNG.
run_example() {
    name=$1
    shift
    rm -f mountain.png
    "$@" > "$name.said"
    check "$name.said" '^eroded [1-9][0-9]* m3'
    check "$name.said" '^mountain.png: terrain hash [0-9a-f]\{16\}$'
    head -c 8 mountain.png | od -An -tx1 > "$name.magic"
    check "$name.magic" '89 50 4e 47 0d 0a 1a 0a'
}

# pkg-config
export PKG_CONFIG_PATH="$pkgconfig"
# build SOURCE PROGRAM: with the flags of pkg-config, which writes them for the shell
build() {
    eval "cc -std=c99 -Wall -Wextra -Wpedantic -Werror \"\$1\" -o \"\$2\" $(pkg-config --cflags --libs ravine)"
}
build "$source/examples/hello_mountain.c" by_pkg_config
run_example by_pkg_config env LD_LIBRARY_PATH="$(dirname "$pkgconfig")" ./by_pkg_config

# The example of scenes.
build "$source/examples/worn_river.c" worn_river
env LD_LIBRARY_PATH="$(dirname "$pkgconfig")" ./worn_river > river.said
check river.said '^[1-9][0-9]* particles eroded [0-9.e-]* m3 from [1-9][0-9]* faces'
check river.obj '^f '

# find_package, also where the name has a quote, which pkg-config does not take.
version=$(pkg-config --modversion ravine)
mv "$prefix" "it's a place"
prefix="$PWD/it's a place"
config=$(dirname "$(find "$prefix" -name ravineConfig.cmake)")
mkdir project
cp "$source/examples/hello_mountain.c" project/
cat > project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(hello LANGUAGES C)
find_package(ravine REQUIRED)
add_executable(hello_mountain hello_mountain.c)
target_link_libraries(hello_mountain ravine::ravine)
END
"$cmake" -S project -B by_cmake -Dravine_DIR="$config" > configured
"$cmake" --build by_cmake > built
run_example by_find_package by_cmake/hello_mountain

# Both made the same land, and it is the one of the library they were built with.
cmp by_pkg_config.said by_find_package.said

# The rest of what was installed.
"$prefix/bin/ravine" --version > version
check version "$version"
"$prefix/bin/ravine" list > list
check list '^  alps  '
check "$prefix/share/man/man1/ravine.1" '^\.SH'
bash -n "$prefix/share/bash-completion/completions/ravine"
if grep -rlI "$2" "$prefix" > pointers; then
    echo "These files know the folder they were installed to:"
    cat pointers
    exit 1
fi
