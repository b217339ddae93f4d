#!/bin/sh
# uninstall.sh LIST: removes the files that `make install` listed there, and folders of Ravine's own that
# are empty then.
set -eu
if ! [ -f "$1" ]; then
    echo "Nothing was installed from this folder: there is no $1." >&2
    exit 1
fi
while read -r file || [ -n "$file" ]; do
    if [ -e "$file" ] || [ -h "$file" ]; then
        rm "$file"
    else
        echo "$file: is gone already"
    fi
    folder=$(dirname "$file")
    while case $folder in */ravine | */ravine/*) true ;; *) false ;; esac && rmdir "$folder" 2> /dev/null; do
        folder=$(dirname "$folder")
    done
done < "$1"
rm "$1"
