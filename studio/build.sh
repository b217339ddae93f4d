#!/bin/sh
# build.sh RAVINE WASM_TREE OUT: builds the page into OUT, from the program RAVINE (its table of steps) and the tree of
# the WebAssembly build.
set -eu
mkdir -p "$3"
ravine=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") tree=$(cd "$2" && pwd) out=$(cd "$3" && pwd)
cd "$(dirname "$0")"
sh packages.sh
"$ravine" help --json > "$out.table"
node wasm/run.mjs "$tree/layout.wasm" > "$out.layout"
node_modules/.bin/tsc
STUDIO_TABLE="$out.table" STUDIO_LAYOUT="$out.layout" STUDIO_MODULE="$tree/ravine.wasm" \
    node_modules/.bin/vite build --outDir "$out" --emptyOutDir --logLevel error
rm "$out.table" "$out.layout"
