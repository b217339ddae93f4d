#!/bin/sh
# also_build.sh CMAKE SOURCE BUILD TARGETS OPTIONS...: configures and builds Ravine once more.
# TARGETS is a list with semicolons; empty: everything.
set -e
cmake=$1 source=$2 build=$3 targets=$(echo "$4" | tr ';' ' ')
shift 4
# What the make that runs the tests was told is not meant for the one that runs here.
unset MAKEFLAGS MFLAGS MAKELEVEL
# Nobody reads along, and a process for each line of progress takes seconds in the end.
"$cmake" -S "$source" -B "$build" -G 'Unix Makefiles' -DCMAKE_RULE_MESSAGES=OFF "$@"
"$cmake" --build "$build" ${targets:+--target $targets}
