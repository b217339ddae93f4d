#!/bin/sh
# check_page.sh SOURCE PYTHON: docs/python.md is what its notebook writes, and its pictures are
# there.
set -e
source=$1 python=$2
"$python" -B "$source/tools/write_page.py" "$source/examples/python_notebook.py" python.md
diff -u "$source/docs/python.md" python.md || {
    echo "docs/python.md is not what examples/python_notebook.py writes; make python writes it."
    exit 1
}
for picture in pictures/*.png; do
    cmp -n 24 "$picture" "$source/docs/$picture" # the same size
done
