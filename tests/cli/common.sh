# common.sh: what the tests of the program `ravine` share. They run in an empty folder, say what
# failed, and end with `finish`. RAVINE is the program, SOURCE the top of the repository.
set -u
: "${RAVINE:?the program to test}" "${SOURCE:?the top of the repository}"
export LC_ALL=C
unset NO_COLOR COLUMNS
failures=0

fail() {
    echo "failed: $*"
    failures=$((failures + 1))
}

finish() {
    [ "$failures" -eq 0 ] || echo "$failures checks failed"
    exit "$((failures > 0))"
}

# equal WHAT GOT EXPECTED
equal() {
    [ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}

# holds WHAT TEXT PATTERN: the text holds the pattern (a shell pattern)
holds() {
    # shellcheck disable=SC2254
    case $2 in
    *$3*) ;;
    *) fail "$1: '$3' is not in: $2" ;;
    esac
}

# last_hash ARGUMENTS...: the hash after the last step of a run
last_hash() {
    "$RAVINE" --json "$@" | sed -n 's/.*"hash":"\([0-9a-f]*\)".*/\1/p' | tail -n 1
}
