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

# Is it built with a sanitizer? Then everything takes five times as long.
is_sanitized() {
    grep -qE '__(asan|tsan)_init' "$RAVINE"
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

# kill_at MILLISECONDS ARGUMENTS...: runs ravine and kills it then, if it still runs
kill_at() {
    local ms=$1 victim
    shift
    "$RAVINE" --quiet "$@" &
    victim=$!
    sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
    kill -9 $victim 2> said || true
    wait $victim 2> said || true
}

# survive RECIPE RESULT: runs a recipe that is killed, resumed and killed again, up to its result;
# RANDOM says when. Each turn may take a little longer: on a slow machine a run must get somewhere.
survive() {
    local longer=0
    rm -f run.ck "$2"
    kill_at $((RANDOM % 400)) --checkpoint run.ck --every 0 "$1"
    while [ -f run.ck ]; do
        kill_at $((20 + longer + RANDOM % 300)) resume run.ck
        longer=$((longer + 40))
    done
    [ -f "$2" ] || "$RAVINE" --quiet "$1" # killed before the first checkpoint
}
