#!/bin/sh
# test_package.sh SOURCE PREFIX BUILD: what `make package` made in BUILD/packages, and what `make uninstall` leaves
# of a copy of PREFIX, where `make install` put everything.
set -e
source=$1 prefix=$2 build=$3
unset MAKEFLAGS MFLAGS MAKELEVEL

fail() {
    echo "$*"
    exit 1
}

# The packages: Debian's rules hold, and the program in each runs.
deb=$(echo "$build"/packages/*.deb) tar=$(echo "$build"/packages/*.tar.gz) wheel=$(echo "$build"/packages/*.whl)
mkdir -p deb tar wheel
dpkg-deb -x "$deb" deb
tar -xzf "$tar" -C tar --strip-components 1
for program in deb/usr/bin/ravine tar/bin/ravine; do
    "$program" --quiet terrain size=32 noise save "$(dirname "$program")/a.r32" || fail "$program does not run"
done
cmp deb/usr/bin/a.r32 tar/bin/a.r32
python3 -m zipfile -l "$wheel" > wheel/list
grep -q 'ravine/libravine.so' wheel/list || fail "the wheel has no library"
for file in share/doc/ravine/copyright share/man/man1/ravine.1.gz share/ravine/recipes/alps.rv \
    share/bash-completion/completions/ravine share/zsh/vendor-completions/_ravine \
    share/fish/vendor_completions.d/ravine.fish include/ravine/ravine.h; do
    [ -s "deb/usr/$file" ] || fail "the .deb has no $file"
done
if command -v lintian > said; then
    lintian --allow-root "$deb" > said 2>&1 || fail "$(cat said)"
    if grep -v '^running with root' said; then
        fail "lintian found something"
    fi
else
    echo "lintian is not here: Debian's rules are not checked"
fi

version=$(sed -n 's/#define RV_VERSION "\(.*\)"/\1/p' "$source/include/ravine/ravine.h")
grep -q "\"version\": \"$version\"" "$source/packaging/vcpkg/ravine/vcpkg.json" ||
    fail "the vcpkg port is of another version"
python3 -c "import ast; ast.parse(open('$source/packaging/conan/conanfile.py').read())"

# What was installed goes, what others put beside it stays.
cp -R "$prefix" there
: > there/share/ravine/own.rv
sed "s|^$prefix|$PWD/there|" "$build/installed.txt" > manifest
sh "$source/tools/uninstall.sh" manifest
find there -type f > left
[ "$(cat left)" = there/share/ravine/own.rv ] || fail "uninstall left: $(cat left)"
[ ! -e there/include/ravine ] || fail "uninstall left the folder of the header"
if sh "$source/tools/uninstall.sh" manifest 2> said; then
    fail "uninstall went twice"
fi
grep -q 'Nothing was installed' said || fail "uninstall does not say why it fails"
