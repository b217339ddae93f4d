#!/bin/sh
# fuzz_some.sh PROGRAM CORPUS OPTIONS...: runs a fuzzer over its corpus, then on new input. What it
# finds stays in the folder it runs in; the corpus in the repository is not touched.
set -e
program=$1 corpus=$2
shift 2
mkdir new
if [ -d "$corpus" ]; then
    "$program" -runs=0 "$corpus"
    exec "$program" -seed=1 -timeout=10 -rss_limit_mb=1024 -max_len=4096 "$@" new "$corpus"
fi
exec "$program" -seed=1 -timeout=10 -rss_limit_mb=1024 -max_len=4096 "$@" new
