#!/bin/sh
# mutate.sh [--check | --list] [NAME or NUMBER...]: do the tests notice a fault?
#
# Puts the faults of tools/mutations.txt into the code one by one, all or those named, and says which
# test caught each. Only tests of behaviour count, not same_bits, the laws, cli.docs and cli.gallery.
# Ends with 1 when a fault survived. For use by hand and before a release: all take about an hour.
#
#   --check   looks whether every fault still fits the code, and does no more
#   --list    prints the faults
#
# The tree stays as it is: the work is done on a copy in build/mutate. A fault is shown to the tests that
# the list names for it, then to all, until one fails; what crashes or hangs has failed too. The tests
# that are named must first pass without a fault; one that is not named may have failed for another
# reason: look, and name it. JOBS is the number of processors to use.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
list=${MUTATIONS:-tools/mutations.txt}
jobs=${JOBS:-$(nproc 2> /dev/null || echo 2)}
work=$PWD/build/mutate
tree=$work/tree
build=$work/build
not_behaviour='^(same_bits|cli\.docs|cli\.gallery)$'

# of ACTION FAULT: what the list says
of() {
    awk -v action="$1" -v wanted="${2:-}" -f tools/mutations.awk "$list"
}

case ${1:-} in
--check | --list)
    of "${1#--}"
    exit
    ;;
-*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac

of check > /dev/null || of check
[ $# -gt 0 ] || set -- $(awk '/^\[/ { print ++n }' "$list")
for fault; do
    of name "$fault" > /dev/null || of name "$fault"
done

# ---- the copy ----

# Only files that differ are copied: the others need no new build. So ends a fault, too.
copy_tree() {
    git ls-files --cached --others --exclude-standard > "$work/files"
    while read -r file; do
        [ -f "$file" ] || continue
        cmp -s "$file" "$tree/$file" && continue
        mkdir -p "$tree/$(dirname "$file")"
        cp "$file" "$tree/$file"
    done < "$work/files"
    (cd "$tree" && find . -type f | sed 's|^\./||' | sort) > "$work/there"
    sort "$work/files" | comm -13 - "$work/there" | while read -r file; do
        rm "$tree/$file"
    done
}

configure() {
    if command -v ccache > /dev/null; then
        export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$tree" CCACHE_NOHASHDIR=1
    fi
    cmake --preset test -S "$tree" -B "$build" -DRAVINE_CHECKS=OFF -DRAVINE_BENCH=OFF \
        -DRAVINE_WERROR=OFF -DRAVINE_TEST_SECONDS=300 > "$work/said" 2>&1
}

# ---- building and testing ----

# targets_of TEST...: what has to be built for them
targets_of() {
    for test; do
        case $test in
        cli.*) echo ravine_cli ;;
        *) echo "test_${test#*.}" ;;
        esac
    done | sort -u
}

build() {
    cmake --build "$build" -j "$jobs" --target "$@" > "$work/said" 2>&1
}

# run_tests OPTION...: runs them until one fails, and prints which and how
run_tests() {
    ctest --test-dir "$build" -E "$not_behaviour" --no-tests=error --stop-on-failure "$@" \
        > "$work/tested" 2>&1 && return
    failed=$(sed -n 's/.*Test *#[0-9]*: \([^ ]*\) .*\*\*\*\([A-Za-z]*\).*/\1 \2/p' "$work/tested")
    echo "${failed:-ctest Failed}" | head -n 1
}

only() {
    echo "^($(echo "$@" | sed 's/\./\\./g; s/ /|/g'))\$"
}

# catch FAULT: prints "TEST HOW", or nothing
catch() {
    tests=$(of test "$1")
    build $(targets_of $tests) || return
    caught=$(run_tests -R "$(only $tests)")
    if [ -z "$caught" ]; then
        build tests || return
        caught=$(run_tests -j "$jobs")
        caught=${caught:+$caught, not named}
    fi
    echo "$caught"
}

# ---- all of it ----

mkdir -p "$tree"
copy_tree
cd "$tree"
if ! configure || ! build tests; then
    cat "$work/said"
    echo "The tree does not build."
    exit 1
fi
named=$(for fault; do of test "$fault"; done | tr ' ' '\n' | sort -u)
found=$(run_tests -j "$jobs" -R "$(only $named)")
if [ -n "$found" ]; then
    cat "$work/tested"
    echo "Without any fault: $found"
    exit 1
fi

survived=0
for fault; do
    name=$(of name "$fault")
    file=$(of file "$fault")
    cp "$file" "$work/right"
    of apply "$fault" > "$work/faulty"
    cp "$work/faulty" "$file"
    begun=$(date +%s)
    if found=$(catch "$fault"); then
        [ -n "$found" ] || survived=$((survived + 1))
        printf '%-26s %-28s %4d s\n' "$name" "${found:-SURVIVED: $(of text "$fault")}" \
            "$(($(date +%s) - begun))"
    else
        survived=$((survived + 1))
        printf '%-26s DOES NOT BUILD\n' "$name"
        cat "$work/said"
    fi
    cp "$work/right" "$file"
done
echo "$(($# - survived)) of $# faults were caught."
exit $((survived > 0))
