#!/bin/sh
# check_hashes.sh DRIVER TABLE [WORDS...]: does this build give the bits that the table says? The driver is
# called with the words. RAVINE_LINES="NAME NAME...": asks for these lines of the table only.
driver=$1 table=$2
shift 2
"$driver" "$@" > made.txt
status=$?
if [ $status -ne 0 ]; then
    echo "The driver failed with exit code $status."
fi
# Lines of the table are "NAME HASH"; those with # are comments.
awk -v lines=" ${RAVINE_LINES:-} " '!/^#/ && (lines == "  " || index(lines, " " $1 " "))' "$table" |
    sort > expected.sorted
tr -d '\r' < made.txt | sort > made.sorted # Windows ends lines with two letters
awk '
    NR == FNR { expected[$1] = $2; next }
    !($1 in expected) { print $1 ": not in the table, this build gives " $2; bad = 1; next }
    expected[$1] != $2 { print $1 ": the table says " expected[$1] ", this build gives " $2; bad = 1 }
    { seen[$1] = 1 }
    END {
        for (name in expected)
            if (!(name in seen)) { print name ": in the table, but not made by this build"; bad = 1 }
        if (bad)
            print "When the change is meant: make hashes, and a line in CHANGELOG.md."
        exit bad
    }
' expected.sorted made.sorted || status=1
exit $status
