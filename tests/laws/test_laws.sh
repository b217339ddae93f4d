#!/bin/sh
# test_laws.sh SOURCE: commits every breach once in a small tree of its own, and expects that
# check_laws.sh names it. Runs in an empty folder.
checker=$1/tests/laws/check_laws.sh
failures=0

# A tree that keeps the laws: some sources with one step, their objects and their compiler commands.
make_tree() {
    rm -rf tree
    mkdir -p tree/src/base tree/src/terrain tree/src/formats tree/src/picture tree/src/steps tree/cli
    mkdir -p tree/tests/same_bits
    cp "$1/.clang-format" tree/
    echo 'int rvi_base(void);' > tree/src/base/base.h
    echo 'int rvi_picture(void);' > tree/src/picture/picture.h
    printf '#include <math.h>\n\nfloat rvi_sinf(float x) {\n    return sinf(x);\n}\n' \
        > tree/src/base/math.c
    printf '#include "base/base.h"\n\nint rvi_base(void) {\n    return 1;\n}\n' \
        > tree/src/terrain/land.c
    printf '#include <ravine/ravine.h>\n\nint main(void) {\n    return 0;\n}\n' > tree/cli/main.c
    mkdir -p tree/include/ravine
    : > tree/include/ravine/ravine.h
    echo 'RV_STEP(one, make, 0, "Makes one.", "Ravine", "", "height")' \
        > tree/include/ravine/steps.def
    printf 'int rvi_step_one(void);\n\nint rvi_step_one(void) {\n    return 1;\n}\n' \
        > tree/src/steps/one.c
    # A recipe that is called as the step two, but runs only the step one.
    printf 'static const char *recipes[] = {\n    {"two", "one size=2"},\n};\n' \
        > tree/tests/same_bits/driver.c
    flags='-std=c17 -ffp-contract=off -fno-math-errno -fno-trapping-math'
}

build_tree() {
    rm -rf build
    : > commands
    (cd tree && find src cli -name '*.c') | while read -r file; do
        target=ravine
        case $file in cli/*) target=ravine_cli ;; esac
        object=build/CMakeFiles/$target.dir/$file.o
        mkdir -p "$(dirname "$object")"
        cc $flags -Itree/include -Itree/src -o "$object" -c "tree/$file"
        echo "  \"command\": \"cc $flags -o x.o -c $file\"," >> commands
    done
    cp commands build/compile_commands.json
}

# expect WHAT BREACH: the checker must fail and say so.
expect() {
    build_tree
    if sh "$checker" tree build > said 2>&1; then
        echo "$1: the checker saw no breach"
        failures=$((failures + 1))
    elif ! grep -q -- "$2" said; then
        echo "$1: the checker said something else:"
        cat said
        failures=$((failures + 1))
    fi
    make_tree "$source"
}

source=$1
make_tree "$source"
build_tree
if ! sh "$checker" tree build > said 2>&1; then
    echo "a tree without a breach: the checker said"
    cat said
    failures=1
fi

# include FILE LINE: puts an include in front of a file.
include() {
    { echo "#include $2"; cat "tree/$1"; } > changed
    mv changed "tree/$1"
}

# calls FILE BODY: adds a source whose function does that.
calls() {
    printf '%s\n\nvoid breach(void);\n\nvoid breach(void) {\n    %s\n}\n' "$2" "$3" > "tree/$1"
}

# versions NUMBER CHANGELOG PORT: which of them is not 1.2.3?
versions() {
    printf '#define RV_VERSION "1.2.3"\n#define RV_VERSION_NUMBER %s /* so */\n' "$1" > tree/include/ravine/ravine.h
    printf '# Changelog\n\n## %s, soon\n\n## 0.9.0\n' "$2" > tree/CHANGELOG.md
    mkdir -p tree/packaging/vcpkg/ravine
    printf '{ "version": "%s" }\n' "$3" > tree/packaging/vcpkg/ravine/vcpkg.json
}
versions 10204 1.2.3 1.2.3
expect "the number of another version" 'RV_VERSION_NUMBER of 1.2.3 is 10203'
versions 10203 1.2.4 1.2.3
expect "changes of another version" 'CHANGELOG.md: does not begin with 1.2.3'
versions 10203 1.2.3 1.2.2
expect "a port of another version" 'vcpkg.json: is not of version 1.2.3'
versions 10203 1.2.3 1.2.3
build_tree
sh "$checker" tree build > said 2>&1 || { cat said; failures=$((failures + 1)); }
make_tree "$source"

cp tree/src/base/base.h tree/src/steps/base.h
expect 'two files with one name' 'two files with one name'
include src/base/base.h '"terrain/land.h"' && echo > tree/src/terrain/land.h
expect 'base sees terrain' 'base may not see terrain/land.h'
include src/terrain/land.c '"picture/picture.h"'
expect 'terrain sees picture' 'terrain may not see picture/picture.h'
printf '#include "picture/picture.h"\n' > tree/src/formats/one.h
expect 'a neighbour is seen' 'formats may not see picture/picture.h'
include src/terrain/land.c '"../base/base.h"'
expect 'a way around the folders' 'say which folder'
printf '#define BASE "base/base.h"\n#include BASE\n' > tree/src/terrain/land.h
expect 'a name instead of a file' 'land.h:2: only a .inc file may include'
include src/terrain/land.c '<base/base.h>'
expect 'ours in angle brackets' 'include it with quotes'
mkdir tree/src/other && echo '#include <stdio.h>' > tree/src/other/other.h
expect 'a folder without a place' 'has no place among the layers'
include cli/main.c '"base/base.h"'
expect 'cli sees base' 'cli may see only'
echo '#include <png.h>' > tree/src/steps/one.h
expect 'libpng outside formats' 'only src/formats may know libpng'
echo '#include <CL/cl.h>' > tree/src/steps/one.h
expect 'OpenCL outside device' 'only src/device may know OpenCL'
echo '#include <mpi.h>' > tree/src/steps/one.h
expect 'MPI outside cluster' 'only src/cluster may know MPI'
add_step() {
    echo "RV_STEP($1, make, 0, 4, \"Makes it.\", \"Ravine\", \"\", \"height\")" \
        >> tree/include/ravine/steps.def
}
printf 'int rvi_step_two(void);\n' > tree/src/steps/two.c
expect 'a step that is not in the table' 'src/steps/two.c: there is no such step in the table'
add_step two
expect 'a step without a file' 'steps.def: there is no src/steps/two.c'
add_step two
expect 'a step without a recipe' 'driver.c: no recipe runs the step two'
mkdir tree/src/steps/other && echo 'int rvi_other(void);' > tree/src/steps/other/other.h
expect 'a folder without a step' 'src/steps/other: no step has this name'
mkdir tree/src/steps/one && echo 'int rvi_part(void);' > tree/src/steps/one/part.h
include src/steps/one.c '"steps/one/part.h"'
printf '#include "steps/one/part.h"\n' > tree/src/steps/two.c
expect 'the private part of another step' 'two.c:1: steps/one/part.h is for src/steps/one.c alone'
if grep -q 'steps/one.c:1' said; then
    echo "the private part of a step: the checker refused the step itself"
    failures=$((failures + 1))
fi
echo 'int rvi_inside(void);' > tree/src/terrain/land_state.h
include src/steps/one.c '"terrain/land_state.h"'
expect 'the inside of another folder' 'one.c:1: terrain/land_state.h is for src/terrain alone'
echo '#define RVI_ROUND RV_one_shape_round' > tree/src/picture/one_view.h
expect 'picture names an option of a step' 'one_view.h:1: RV_one_shape_round belongs to a step'
printf 'typedef struct rvi_two {\n    int x;\n} rvi_two;\n' > tree/src/base/two.h
printf 'typedef int (*rvi_two)(void);\n' > tree/src/formats/two_format.h
expect 'two types of one name' 'rvi_two is defined in src/base/two.h, too'
printf 'enum rvi_two { RVI_A };\n' > tree/src/base/two.h
printf 'struct rvi_two {\n    int x;\n};\n' > tree/src/formats/two_format.h
expect 'two tags of one name' 'rvi_two is defined in src/base/two.h, too'
printf 'typedef float rvi_two[2];\n' > tree/src/base/two.h
printf 'typedef struct rvi_three *rvi_two;\n' > tree/src/formats/two_format.h
expect 'an array and a pointer of one name' 'rvi_two is defined in src/base/two.h, too'
echo 'int rvi_size(size_t size);' > tree/src/base/alone.h
expect 'a header that needs another' 'alone.h:1.*size_t'
printf '#define RVI_SIDE 2\n' > tree/src/base/two.h
printf 'enum { RVI_SIDE = 3 };\n' > tree/src/formats/two_format.h
expect 'headers that exclude each other' 'the headers do not stand together in C:'
printf 'static inline int *rvi_cast(void *x) {\n    return x;\n}\n' > tree/src/base/cast.h
expect 'a header that is no C++' 'the headers do not stand together in C++:'
printf '/* %0120d */\n' 1 > tree/src/base/wide.h
expect 'a long line' 'wide.h:1: longer than 100 columns'
if clang-format-14 --version > said 2>&1; then
    printf 'int   rvi_wild( void ) ;\n' > tree/src/base/wild.h
    expect 'a wild look' 'wild.h: looks other than make format leaves it'
fi
echo '#pragma STDC FP_CONTRACT ON' > tree/src/base/loose.h
expect 'contraction switched on' 'loose.h:1: arithmetic that is not exact'

add_function() {
    printf '#define RV_API\n#define RVI_ENTRY(x) (void)(x)\nRV_API float rv_sum(float x);\n' \
        > tree/include/ravine/ravine.h
    printf '#include <ravine/ravine.h>\n\nfloat rv_sum(float x) {\n    %sreturn x + x;\n}\n' "$1" \
        > tree/src/terrain/land.c
    mkdir -p tree/tests/unit
    echo "$2" > tree/tests/unit/test_float_state.c
}
add_function '' 'float y = rv_sum(1);'
expect 'a public function in the state of the caller' 'land.c: rv_sum does not begin with RVI_ENTRY'
add_function '(void)0;
    RVI_ENTRY(x);
    ' 'float y = rv_sum(1);'
expect 'a public function that enters late' 'land.c: rv_sum does not begin with RVI_ENTRY'
add_function 'RVI_ENTRY(x);
    ' 'float y = rv_other(1);'
expect 'a function that no test calls' 'test_float_state.c: rv_sum is not called'

calls src/steps/one.c '#include <math.h>
volatile float x;' 'x = cosf(x);'
expect 'libm in a step' 'one.c.o uses cosf(): libm'
calls src/steps/one.c '#include <math.h>
volatile double x;' 'x = pow(x, x);'
expect 'libm in a step, in double' 'one.c.o uses pow(): libm'
calls src/steps/one.c '#include <stdio.h>' 'fopen("x", "w");'
expect 'a step writes a file' 'one.c.o uses fopen.*only src/base may touch files'
calls src/steps/one.c '#include <fcntl.h>' 'open("x", 0);'
expect 'a step opens a file' 'one.c.o uses open(): only src/base may touch files'
calls cli/one.c '#include <stdio.h>' 'rename("x", "y");'
expect 'cli renames a file' 'one.c.o uses rename(): only src/base may touch files'
calls src/steps/one.c '#include <stdio.h>' 'puts("x");'
expect 'a step prints' 'one.c.o uses puts(): a library neither prints'
calls src/steps/one.c '#include <stdlib.h>' 'srand(1);'
expect 'a stream of random numbers' 'one.c.o uses srand(): random numbers'
calls src/steps/one.c '#include <stdlib.h>
volatile double x;' 'x = strtod("1", NULL);'
expect 'a number in the words of a locale' 'one.c.o uses strtod(): numbers'
calls src/steps/one.c '#include <stdlib.h>
void *x;' 'x = malloc(9);'
expect 'memory of its own' 'one.c.o uses malloc(): memory'
calls src/steps/one.c '#include <stdlib.h>
volatile int x;' 'x = system("x");'
expect 'a step runs a program' 'one.c.o uses system(): only base/program.c may run programs'

flags="$flags -Ofast"
expect 'fast-math' 'compiled with -Ofast'
flags='-std=gnu17'
expect 'no float flags' 'compiled without -std=c17 -ffp-contract=off'
rm tree/src/base/math.c
expect 'nothing to look at' 'holds no objects'

exit $((failures > 0))
