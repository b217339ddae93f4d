#!/bin/sh
# run_in.sh FOLDER COMMAND...: runs a command in a folder that is made anew and empty.
set -e
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
exec "$@"
