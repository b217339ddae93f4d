#!/bin/sh
# test_cpp.sh SOURCE LIBRARY: the header compiles as C99, C17 and C++ with all warnings as errors; a C++
# program uses the API; and a program compiled with the header of another version notices it.
set -e
source=$1 library=$2
folder=$(dirname "$library")
strict='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# build COMPILER STANDARD INCLUDE PROGRAM SOURCE
build() {
    # shellcheck disable=SC2086 # a list of flags
    "$1" "-std=$2" $strict -I "$3" "$5" -o "$4" "$library" "-Wl,-rpath,$folder"
}

echo '#include <ravine/ravine.h>' > header.c
cp header.c header.cpp
for compiler in gcc clang; do
    command -v "$compiler" > said || continue
    for standard in c99 c17; do
        # shellcheck disable=SC2086
        "$compiler" "-std=$standard" $strict -fsyntax-only -I "$source/include" header.c ||
            fail "$compiler: the header is not $standard"
    done
done
for compiler in g++ clang++; do
    command -v "$compiler" > said || continue
    for standard in c++11 c++20; do
        # shellcheck disable=SC2086
        "$compiler" "-std=$standard" $strict -fsyntax-only -I "$source/include" header.cpp ||
            fail "$compiler: the header is not $standard"
    done
done

build g++ c++11 "$source/include" test_api "$source/tests/api/test_api.cpp"
./test_api || fail "the C++ program failed"

# Other headers: what changes a struct, an enumeration or the minor version is noticed.
cat > version.c << 'END'
#include <ravine/ravine.h>
int main(void) {
    rv_context *ctx;
    rv_status status = rv_context_create(NULL, &ctx);
    rv_context_destroy(ctx);
    return status == RV_OK ? 0 : status == RV_ERROR_VERSION ? 10 : 20;
}
END

# other NAME FILE SED EXPECTED: is the program refused that was compiled with such a header?
other() {
    rm -rf other
    cp -R "$source/include" other
    sed "$3" "$source/include/ravine/$2" > "other/ravine/$2"
    if [ "$4" = 10 ] && cmp -s "other/ravine/$2" "$source/include/ravine/$2"; then
        fail "$1: the header has not changed"
        return
    fi
    build gcc c99 other version version.c
    code=0
    ./version || code=$?
    [ "$code" = "$4" ] || fail "$1: the program ended with $code, not $4"
}
other 'the same header' ravine.h '' 0
other 'one more parameter' steps.def 's/^RV_LENGTH(blur, radius/RV_REAL(blur, other, 1, 0, 1, "", "other")\n&/' 10
sed -n '/^RV_STEP(end,/,/^RV_STEP_END(end)/p' "$source/include/ravine/steps.def" |
    sed 's/(end/(other/' > block
other 'one more step' steps.def "/^RV_STEP_END(end)/r $PWD/block" 10
other 'two options in another order' steps.def \
    '/^RV_OPTION(noise, shape, plain/{h;d};/^RV_OPTION(noise, shape, billow/{G}' 10
other 'one more member' ravine.h 's/^    int threads; .*/&\n    double other;/' 10
other 'the next minor version' ravine.h 's/\(#define RV_VERSION_NUMBER \)\([0-9]*\)/\1(\2 + 100)/' 10
other 'the next patch' ravine.h 's/\(#define RV_VERSION_NUMBER \)\([0-9]*\)/\1(\2 + 1)/' 0
exit $((failures > 0))
