#!/bin/bash
# test_studio.sh: `ravine studio` as a browser meets it, a good one and a bad one.
. "$SOURCE/tests/cli/common.sh"

mkdir page tmp work
echo '<!doctype html><title>Studio</title>' > page/index.html
if "$RAVINE" studio --no-open --port 99999 2> said; then
    fail "a port that is none was taken"
fi
grep -q 'from 1 to 65535' said || fail "$(cat said)"
if RAVINE_STUDIO=/nowhere "$RAVINE" studio --no-open 2> said; then
    fail "there is no page, but it started"
fi
if grep -q 'built without libmicrohttpd' said; then
    exit 0
fi
grep -q 'page of the studio is not installed' said || fail "$(cat said)"
python3 "$SOURCE/tests/cli/studio_client.py" "$RAVINE" "$PWD"
