#!/bin/sh
# test_library_page.sh SOURCE LIBRARY: the C and Python that docs/library.md shows compiles and runs.
set -e
source=$1 library=$2
ln -s "$library" libravine.so
LD_LIBRARY_PATH=$PWD
export LD_LIBRARY_PATH

# Blocks of the page: c.1, c.2 ..., python.1 ...
awk '/^```/ { name = substr($0, 4); if (name != "") out = name "." ++count[name]; inside = name != ""; next }
    inside { print > out }' "$source/docs/library.md"

count=0
for block in c.*; do
    count=$((count + 1))
    { printf '#include <ravine/ravine.h>\n#include <stdio.h>\nint main(void) {\n'; cat "$block"; echo 'return 0;}'; } \
        > block.c
    cc -std=c99 -Wall -Wextra -Werror -I "$source/include" block.c -o block "$library" \
        "-Wl,-rpath,$(dirname "$library")"
    ./block > "$block.said"
done
[ "$count" = 2 ]
grep -q ' m$' c.1.said
grep -q 'noise has no parameter "relif"; did you mean "relief"?' c.2.said
python3 python.1 > python.said
grep -q ' to .* m$' python.said
