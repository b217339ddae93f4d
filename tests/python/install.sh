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

# Options of one build are not those of the next. CMake builds nothing here: it takes this library.
rm -r tree/build
echo "cmake_minimum_required(VERSION 3.25)
project(ravine C)
add_custom_target(ravine COMMAND \${CMAKE_COMMAND} -E copy \"$library\" libravine.so)" > tree/CMakeLists.txt
for options in -DCMAKE_C_FLAGS_RELEASE=-O1 ''; do
    CMAKE_ARGS=$options environment/bin/python -m pip wheel -q --no-build-isolation --no-deps --no-index \
        --disable-pip-version-check -w wheels ./tree/python
done
if grep 'CMAKE_C_FLAGS_RELEASE:STRING=-O1' tree/build/python/library/CMakeCache.txt; then
    echo "a wheel is built with the options of the one before"
    exit 1
fi
cd /
"$OLDPWD/environment/bin/python" -c 'import ravine; print(ravine.__file__, ravine.__version__)'
