#!/bin/bash
# use_recipes.sh SOURCE TREE: the recipes of vcpkg and Conan without these tools: stand-ins of their helpers build what the
# recipes export and install it. TREE is a tree that was built from SOURCE. Runs in the working folder.
set -e
source=$1 tree=$2
program='#include <ravine/ravine.h>
#include <stdio.h>
int main(void) { return puts(rv_version()) < 0; }'

# finds PREFIX: does find_package(ravine) find it there, and is it of this version?
finds() {
    rm -rf use
    mkdir use
    echo "$program" > use/use.c
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(use C)' 'find_package(ravine REQUIRED)' \
        'add_executable(use use.c)' 'target_link_libraries(use PRIVATE ravine::ravine)' > use/CMakeLists.txt
    { cmake -S use -B use/built -DCMAKE_PREFIX_PATH="$1" && cmake --build use/built; } > use.log 2>&1 ||
        { cat use.log; exit 1; }
    [ "$(use/built/use)" = "$(sed -n 's/#define RV_VERSION "\(.*\)"/\1/p' "$source/include/ravine/ravine.h")" ]
}

# Conan: what export_sources takes is enough to build, and what package() makes is what people need.
python3 "$source/tests/install/conan_stand_in.py" "$source/packaging/conan/conanfile.py" "$PWD/conan" > conan.log 2>&1 ||
    { cat conan.log; exit 1; }
[ -s conan/package/licenses/LICENSE ]
finds "$PWD/conan/package"
echo "the Conan recipe builds, with stand-ins for Conan's helpers"

# vcpkg: the port leaves the files where that expects them, and none where it wants none.
cmake -DPORT="$source/packaging/vcpkg/ravine" -DTREE="$tree" -DCURRENT_PACKAGES_DIR="$PWD/vcpkg" \
    -P "$source/tests/install/vcpkg_stand_in.cmake" > vcpkg.log 2>&1 || { cat vcpkg.log; exit 1; }
for file in share/ravine/ravineConfig.cmake share/ravine/copyright tools/ravine/ravine lib/libravine.a \
    lib/pkgconfig/ravine.pc include/ravine/ravine.h; do
    [ -s "vcpkg/$file" ] || { echo "the vcpkg port has no $file"; exit 1; }
done
[ ! -e vcpkg/lib/cmake ] && [ ! -e vcpkg/bin ]
echo "the vcpkg port installs, with stand-ins for vcpkg's functions"
