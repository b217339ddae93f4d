#!/bin/sh
# test_mutations.sh SOURCE: every fault of tools/mutations.txt still fits the code, and the check of
# that notices a list that does not. Runs in an empty folder.
mutate=$1/tools/mutate.sh
failures=0

sh "$mutate" --check || failures=1

# expect WHAT SAYS: the check of the list in standard input fails and says so
expect() {
    cat > list.txt
    if MUTATIONS=$PWD/list.txt sh "$mutate" --check > said; then
        echo "$1: no fault of the list was noticed"
        failures=$((failures + 1))
    elif ! grep -q -- "$2" said; then
        echo "$1: something else was said:"
        cat said
        failures=$((failures + 1))
    fi
}

expect 'an empty list' 'there is no fault' < /dev/null
expect 'code that is gone' 'gone: its code stands 0 times in src/base/sort.c, not once' << 'END'
[gone] The code has changed.
file src/base/sort.c
test unit.random
- this was never written
+ this
END
expect 'code that is not unique' 'common: its code stands [0-9]* times in src/base/sort.c' << 'END'
[common] Where would it go?
file src/base/sort.c
test unit.random
- for
+ while
END
expect 'a test that is gone' 'untested: there is no test unit.nowhere' << 'END'
[untested] Nobody looks.
file src/base/sort.h
test unit.nowhere
- #ifndef RVI_BASE_SORT_H
+ #ifndef
END
expect 'no change' 'same: it lacks a change' << 'END'
[same] Nothing is wrong then.
file src/base/sort.h
test unit.random
- #ifndef RVI_BASE_SORT_H
+ #ifndef RVI_BASE_SORT_H
END
expect 'a line that is none' 'this line is not understood: tset' << 'END'
[slip] A slip of the pen.
file src/base/sort.h
tset unit.random
- #ifndef RVI_BASE_SORT_H
+ #ifndef
END
exit "$((failures > 0))"
