#!/bin/sh
# packages.sh: what the page is built with, as package-lock.json says it, into studio/node_modules. Does nothing when
# it is there.
set -eu
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
