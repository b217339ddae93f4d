#!/bin/sh
# setup.sh demo|studio|test|all: installs what the demo, the studio, the tests, or all tests need and this machine
# lacks. What is
# there stays as it is, wherever it came from. Knows the packages of Debian 12 and 13 and Ubuntu 24.04.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missing=
updated=

# need PACKAGES COMMAND...: the packages are missing when the command fails.
need() {
    packages=$1
    shift
    case "$missing " in *" $packages "*) return ;; esac
    if ! "$@" > "$work/said" 2>&1; then
        missing="$missing $packages"
    fi
}

# has_header COMPILER HEADER: can it be included?
has_header() {
    case $2 in cmocka.h) echo '#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>' ;; esac > "$work/header.c"
    echo "#include <$2>" >> "$work/header.c"
    "$1" -E "$work/header.c" -o "$work/header.i"
}

# The test of land files takes either.
has_numpy() {
    python3 -c 'import numpy' || /usr/bin/python3 -c 'import numpy'
}

# Does clang have its sanitizers and its fuzzer?
can_fuzz() {
    echo '#include <stddef.h>
int LLVMFuzzerTestOneInput(const char *data, size_t size);
int LLVMFuzzerTestOneInput(const char *data, size_t size) { return data == NULL && size > 0; }' \
        > "$work/fuzz.c"
    clang -fsanitize=fuzzer,address,undefined "$work/fuzz.c" -o "$work/fuzz"
}

# Can clang build a program for WebAssembly?
can_wasm() {
    echo '#include <stdio.h>
int main(void) { return puts(""); }' > "$work/wasm.c"
    clang --target=wasm32-wasi -msimd128 "$work/wasm.c" -o "$work/wasm.wasm"
}

cmake_is_new() {
    version=$(cmake --version | sed -n 's/^cmake version //p')
    [ "$(printf '3.25\n%s\n' "$version" | sort -V | head -n 1)" = 3.25 ]
}

stop() {
    echo "$*" >&2
    exit 1
}

apt() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq "$@"
    fi > "$work/apt" 2>&1 || {
        cat "$work/apt" >&2
        stop "Installing failed. Ravine needs these packages:$missing"
    }
}

can_install() {
    command -v apt-get > "$work/said" &&
        { [ "$(id -u)" -eq 0 ] || command -v sudo > "$work/said"; }
}

install_missing() {
    if [ -z "$missing" ]; then
        return
    fi
    if ! can_install; then
        stop "Please install these packages, or what your system calls them, and try again:$missing"
    fi
    echo "Installing$missing"
    if [ -z "$updated" ]; then
        apt update
        updated=yes
    fi
    # shellcheck disable=SC2086 # a list
    apt install -y --no-install-recommends $missing
    missing=
}

# The look of C is that of one version, which newer systems do not offer: tests run without it.
want_format() {
    if clang-format-14 --version > "$work/said" 2>&1 ||
        clang-format --version 2>&1 | grep -q 'version 14\.'; then
        return
    fi
    if can_install && apt-cache policy clang-format-14 2>&1 | grep -q 'Candidate: [0-9]'; then
        missing=" clang-format-14"
        install_missing
    else
        echo "clang-format 14 is not to be had here: the look of the C code will not be checked."
    fi
}

# What not every system offers, and tests run without: install_offered WHAT installs all that is missing
# for it, or nothing.
install_offered() {
    if [ -n "$missing" ] && can_install && [ -z "$updated" ]; then
        apt update
        updated=yes
    fi
    for package in $missing; do
        if ! can_install || ! apt-cache policy "$package" 2>&1 | grep -q 'Candidate: [0-9]'; then
            echo "$1 will not be tested: it needs$missing, and $package is not to be had here."
            missing=
            return
        fi
    done
    install_missing
}

# WebAssembly is built by clang with more packages, and runs in Node.
want_wasm() {
    need llvm llvm-ar --version
    need lld wasm-ld --version
    need nodejs node --version
    need "wasi-libc libclang-rt-$major-dev-wasm32" can_wasm
    install_offered WebAssembly
}

# The page of the studio is built with packages of npm, and tried in chromium.
want_studio() {
    need npm npm --version
    if [ "$1" = test ]; then
        need chromium chromium --version
    fi
    install_offered 'The page of the studio'
    if can_wasm > "$work/said" 2>&1; then
        sh "$(dirname "$0")/../studio/packages.sh" ||
            echo "The page of the studio is left out: npm could not install what it is built with."
    fi
}

# Can a program for ARM be built?
can_arm() {
    echo '#include <stdio.h>
int main(void) { return puts(""); }' > "$work/arm.c"
    aarch64-linux-gnu-gcc -static "$work/arm.c" -o "$work/arm"
}

# Programs for ARM run in an emulator.
want_arm() {
    need 'gcc-aarch64-linux-gnu libc6-dev-arm64-cross' can_arm
    need qemu-user qemu-aarch64 --version
    install_offered ARM
}

# The Python package is built and tested by one Python that has all of this: tests run without it.
can_python() {
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import setuptools, wheel, pip, pytest, numpy, venv' > "$work/said" 2>&1; then
            return
        fi
    done
    return 1
}

want_python() {
    need 'python3-numpy python3-pip python3-pytest python3-setuptools python3-venv python3-wheel' can_python
    install_offered 'The Python package'
}

# Large programs in which all tests run: without them some are left out.
want_blender() {
    need blender blender --version
    need 'xvfb xauth libgl1-mesa-dri' xvfb-run --help
    install_offered 'The add-on for Blender'
}

# Programs for Windows run under wine.
want_windows() {
    need 'gcc-mingw-w64-x86-64-posix libz-mingw-w64-dev' x86_64-w64-mingw32-gcc --version
    need wine wine --version
    install_offered Windows
}

want_godot() {
    need godot3-server godot3-server --version
    install_offered 'The export for Godot, in Godot'
}

# The studio's server needs a library; without it the program is built all the same.
want_server() {
    need libmicrohttpd-dev has_header cc microhttpd.h
    if [ -n "$missing" ] && can_install && [ -z "$updated" ]; then
        apt update
        updated=yes
    fi
    if [ -n "$missing" ] &&
        ! { can_install && apt-cache policy libmicrohttpd-dev 2>&1 | grep -q 'Candidate: [0-9]'; }; then
        echo "\`ravine studio\` will not be built: it needs libmicrohttpd-dev, which is not to be had here."
        missing=
    fi
    install_missing
}

# Completion is tried in the shells that it is for.
want_shells() {
    need zsh zsh --version
    need fish fish --version
    install_offered 'Completion in zsh and fish'
}

# Debian's own checker of packages.
want_lintian() {
    need lintian lintian --version
    install_offered 'The rules of Debian for packages'
}

# Maps are compared with what GDAL makes and sees: tests run without it.
want_gdal() {
    if gdalinfo --version > "$work/said" 2>&1; then
        return
    fi
    if can_install && apt-cache policy gdal-bin 2>&1 | grep -q 'Candidate: [0-9]'; then
        missing=" gdal-bin"
        install_missing
    else
        echo "gdal-bin is not to be had here: maps will not be compared with those of GDAL."
    fi
}

# EXR is built with the headers of OpenEXR, and compared with what its programs see: all is built without it.
want_exr() {
    need libopenexr-dev has_header cc OpenEXR/openexr.h
    need openexr sh -c 'command -v exrheader exrmaketiled'
    install_offered EXR
}

# A device of OpenCL that is the processor: kernels run on it in the tests.
want_device() {
    need 'pocl-opencl-icd ocl-icd-libopencl1' sh -c 'ls /etc/OpenCL/vendors/*.icd'
    install_offered 'Steps on a device'
}

case $1 in
demo | studio | test | all) ;;
*) stop "usage: setup.sh demo|studio|test|all" ;;
esac

if [ "$1" = all ]; then
    want_blender
    want_windows
    want_godot
    exit 0
fi

# Elsewhere the tests are fewer: those of the plain build. They take python3 with numpy on macOS, not on Windows.
kind=$1
case $(uname -s) in
Linux) ;;
Darwin)
    if [ "$1" = test ]; then
        need cmocka has_header cc cmocka.h
        need numpy has_numpy
    fi
    kind=demo
    ;;
*) kind=demo ;;
esac

need 'gcc libc6-dev' has_header cc stdio.h
need make make --version
need cmake cmake --version
need libpng-dev has_header cc png.h
if [ "$kind" = test ]; then
    need 'gcc libc6-dev' has_header gcc stdio.h
    need g++ has_header g++ stdio.h
    need clang has_header clang stdio.h
    need libcmocka-dev has_header cc cmocka.h
    need pkg-config pkg-config --version
    need python3 python3 --version
    need python3-numpy has_numpy
    need groff-base groff --version
fi
install_missing
want_server

if [ "$kind" = studio ]; then
    need clang has_header clang stdio.h
    install_missing
    major=$(clang -dumpversion | cut -d . -f 1)
    want_wasm
    want_studio studio
fi

# This package carries the version of clang in its name, so clang comes first.
if [ "$kind" = test ]; then
    major=$(clang -dumpversion | cut -d . -f 1)
    need "libclang-rt-$major-dev" can_fuzz
    install_missing
    want_format
    want_gdal
    want_exr
    want_device
    want_wasm
    want_studio test
    want_arm
    want_python
    want_shells
    want_lintian
fi

cmake_is_new || stop "Ravine needs CMake 3.25 or newer; this machine has $version."
