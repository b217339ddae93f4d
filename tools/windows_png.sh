#!/bin/sh
# windows_png.sh FOLDER: libpng for Windows, which Debian does not offer, built from Debian's sources of it by
# mingw-w64, with the zlib of libz-mingw-w64-dev: FOLDER/lib/libpng16.a and FOLDER/include. Exit code 1 when the
# sources cannot be had.
set -e
tools=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
if [ -f lib/libpng16.a ]; then
    exit 0
fi
# The same places as for packages, asked for sources.
mkdir -p places lists/partial
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    if [ -f "$file" ]; then
        sed -n 's/^deb /deb-src /p' "$file" > "places/$(basename "$file" .list).list"
    fi
done
for file in /etc/apt/sources.list.d/*.sources; do
    if [ -f "$file" ]; then
        sed 's/^Types:.*/Types: deb-src/' "$file" > "places/$(basename "$file")"
    fi
done
ask() {
    apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$PWD/places" \
        -o Dir::State::Lists="$PWD/lists" "$@" > said 2>&1
}
ask update || true # some places may have none
ask --download-only --tar-only source libpng1.6 || { tail -n 3 said; exit 1; }
rm -rf source built
mkdir source
tar -xf libpng1.6_*.orig.tar.* -C source --strip-components=1
{ cmake -S source -B built -DCMAKE_TOOLCHAIN_FILE="$tools/../cmake/windows_toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$PWD" -DPNG_SHARED=OFF -DPNG_TESTS=OFF > said 2>&1 &&
    cmake --build built -j "$(nproc)" --target install > said 2>&1; } || { tail -n 20 said; exit 1; }
rm -rf source built lists places
