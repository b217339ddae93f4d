#!/usr/bin/env bash
# bench/kills.sh in short: after 30 kills every file is whole, and every resume ends in the same bytes.
# A new seed each time: it is printed.
. "$SOURCE/tests/cli/common.sh"
TMPDIR=$PWD bash "$SOURCE/bench/kills.sh" 30 || fail "bench/kills.sh"
finish
