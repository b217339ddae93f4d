#!/bin/sh
# build.sh RAVINE WASM_TREE THREADS_TREE OUT: builds the page into OUT, from the program RAVINE (its table of steps) and
# the trees of the WebAssembly builds with one thread and with several.
set -eu
mkdir -p "$4"
ravine=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") tree=$(cd "$2" && pwd) threads=$(cd "$3" && pwd) out=$(cd "$4" && pwd)
cd "$(dirname "$0")"
sh packages.sh
"$ravine" help --json > "$out.table"
node wasm/run.mjs "$tree/layout.wasm" > "$out.layout"
node_modules/.bin/tsc
STUDIO_TABLE="$out.table" STUDIO_LAYOUT="$out.layout" STUDIO_MODULE="$tree/ravine.wasm" \
    STUDIO_THREADS="$threads/ravine-threads.wasm" node_modules/.bin/vite build --outDir "$out" --emptyOutDir --logLevel error
rm "$out.table" "$out.layout"
