#!/bin/sh
# install.sh SOURCE PYTHON LIBRARY: pip installs the package with this library into a fresh
# environment, which is made in the working folder, with nothing but what this machine has.
set -e
source=$1 python=$2 library=$3

# What the build reads, so that the sources stay as they are.
mkdir -p tree/include/ravine
cp "$source/include/ravine/ravine.h" tree/include/ravine/
cp -R "$source/python" tree/

"$python" -m venv --system-site-packages --without-pip environment
RAVINE_LIBRARY=$library environment/bin/python -m pip install --no-build-isolation --no-index \
    --disable-pip-version-check ./tree/python
cd /
"$OLDPWD/environment/bin/python" -c 'import ravine; print(ravine.__file__, ravine.__version__)'
