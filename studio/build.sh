#!/bin/sh
# build.sh RAVINE WASM_TREE OUT: builds the page into OUT, from the program RAVINE (its table of steps) and the
# tree of the WebAssembly build. Asks for Node and npm; what the page needs of packages goes to studio/node_modules.
set -eu
mkdir -p "$3"
ravine=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") tree=$(cd "$2" && pwd) out=$(cd "$3" && pwd)
cd "$(dirname "$0")"
for program in node npm; do
    if ! command -v "$program" > /dev/null; then
        echo "The page needs $program, which is not here: install nodejs and npm. The program works without the page." >&2
        exit 1
    fi
done
if ! cmp -s package-lock.json node_modules/.installed-from; then
    npm ci --silent
    cp package-lock.json node_modules/.installed-from
fi
"$ravine" help --json > "$out.table"
node wasm/run.mjs "$tree/layout.wasm" > "$out.layout"
STUDIO_TABLE="$out.table" STUDIO_LAYOUT="$out.layout" STUDIO_MODULE="$tree/ravine.wasm" \
    node_modules/.bin/vite build --outDir "$out" --emptyOutDir --logLevel warn
rm "$out.table" "$out.layout"
