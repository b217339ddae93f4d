# The door to Ravine: `make help` says what there is. The build itself is CMakeLists.txt.
PREFIX ?= /usr/local
export PREFIX # a name may have any letter, a quote too: the shell gets it as it is
BUILD ?= build
DEMO ?= demo
MAKEFLAGS += --no-print-directory
# One with numpy, pip, setuptools and wheel.
PYTHON ?= $(shell python3 -c 'import numpy, pip' 2>/dev/null && echo python3 || echo /usr/bin/python3)
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

# Where the program is once `release` is built.
RAVINE = $(abspath $(BUILD))/release/ravine

.PHONY: help demo check test test-all bench studio install uninstall package docs python python-package blender pictures hashes format clean release test-tree

help:
	@echo 'make demo      build Ravine and make a first mountain, in $(DEMO)/'
	@echo 'make check     build it once and run the tests in short form (a minute or two)'
	@echo 'make test      build it in several ways and run the tests (about ten minutes)'
	@echo 'make test-all  all tests: more builds, the thread sanitizer, and Blender, Godot, and wine for Windows'
	@echo 'make studio    build the studio, a page in the browser, and open it'
	@echo "make install   install program, library and headers; PREFIX=$$PREFIX"
	@echo 'make uninstall remove what the last `make install` of this folder installed'
	@echo 'make package   make a .deb, a .tar.gz and a Python wheel, in $(BUILD)/packages'
	@echo 'make bench     measure how fast it is on this machine'
	@echo 'make docs      write docs/steps.md and docs/scenes.md from the tables'
	@echo 'make python    build the Python package, in $(BUILD)/python/environment, and write docs/python.md with it'
	@echo 'make blender   build the add-on for Blender: $(BUILD)/ravine_blender.zip'
	@echo 'make pictures  make the pictures of README.md and docs/'
	@echo 'make hashes    accept the bits of this build as the right ones'
	@echo 'make format    give all C the one look'
	@echo 'make clean     remove $(BUILD)/ and $(DEMO)/'
	@echo
	@echo 'Demo, check, test and studio install the packages they need on Debian and Ubuntu, when these are missing.'

demo: release
	@mkdir -p '$(DEMO)'
	@cd '$(DEMO)' && '$(RAVINE)' '$(CURDIR)/recipes/alps.rv'
	@echo
	@echo 'Made:'
	@ls -1 '$(DEMO)' | sed 's|^|  $(DEMO)/|'

# Optimised, without tests.
release:
	@sh tools/setup.sh demo
	@mkdir -p '$(BUILD)'
	@cmake --preset release -B '$(BUILD)/release' -DCMAKE_INSTALL_PREFIX="$$PREFIX" \
	    -DRAVINE_STUDIO='$(abspath $(BUILD))/studio' > '$(BUILD)/said'
	@cmake --build '$(BUILD)/release' -j $(JOBS)

test-tree:
	@sh tools/setup.sh test
	@mkdir -p '$(BUILD)'
	@cmake --preset test -B '$(BUILD)/test' > '$(BUILD)/said'

# One build, and each test of it that does not take long: an answer while one works.
check: test-tree
	@cmake --build '$(BUILD)/test' -j $(JOBS) --target tests
	@RAVINE_SHORT=1 ctest --test-dir '$(BUILD)/test' -L check -j $(JOBS) --output-on-failure

test: test-tree
	@cmake --build '$(BUILD)/test' -j $(JOBS)
	@ctest --test-dir '$(BUILD)/test' -LE '^long$$' -j $(JOBS) --output-on-failure

test-all: test-tree
	@cmake --build '$(BUILD)/test' -j $(JOBS)
	@ctest --test-dir '$(BUILD)/test' -j $(JOBS) --output-on-failure

bench:
	@sh tools/setup.sh demo
	@mkdir -p '$(BUILD)'
	@cmake --preset release -B '$(BUILD)/bench' -DRAVINE_BENCH=ON > '$(BUILD)/said'
	@cmake --build '$(BUILD)/bench' -j $(JOBS)
	@for program in $(basename $(notdir $(wildcard bench/bench_*.c))); do '$(BUILD)/bench/'$$program || exit; done

# The page: the library as WebAssembly, and what draws it. Served by the program where that has a server.
studio: release
	@sh tools/setup.sh studio
	@for preset in wasm wasm-threads; do \
	    cmake --preset $$preset -B '$(BUILD)/'$$preset > '$(BUILD)/said' && \
	    cmake --build '$(BUILD)/'$$preset -j $(JOBS) || exit; done
	@sh studio/build.sh '$(RAVINE)' '$(BUILD)/wasm' '$(BUILD)/wasm-threads' '$(BUILD)/studio'
	@if RAVINE_STUDIO=/nowhere '$(RAVINE)' studio --no-open 2>&1 | grep -q libmicrohttpd; then \
	    node studio/serve.mjs '$(BUILD)/studio' $(STUDIO); \
	else \
	    RAVINE_STUDIO='$(abspath $(BUILD))/studio' '$(RAVINE)' studio $(STUDIO); fi

install: release
	@cmake --install '$(BUILD)/release' --prefix "$$PREFIX"
	@sed "s|^|$$DESTDIR|" '$(BUILD)/release/install_manifest.txt' > '$(BUILD)/installed.txt'

uninstall:
	@sh tools/uninstall.sh '$(BUILD)/installed.txt'

package:
	@$(MAKE) release PREFIX=/usr
	@mkdir -p '$(BUILD)/packages'
	@cpack --config '$(BUILD)/release/CPackConfig.cmake' -B '$(abspath $(BUILD))/packages/work' \
	    > '$(BUILD)/said' || { cat '$(BUILD)/said'; exit 1; }
	@mv '$(BUILD)'/packages/work/*.deb '$(BUILD)'/packages/work/*.tar.gz '$(BUILD)/packages'
	@rm -r '$(BUILD)/packages/work'
	@'$(PYTHON)' -m pip -q wheel --no-build-isolation --no-deps --no-index -w '$(BUILD)/packages' ./python
	@ls -l '$(BUILD)/packages'

docs: release
	@'$(RAVINE)' help --markdown > docs/steps.md.part
	@mv docs/steps.md.part docs/steps.md
	@'$(RAVINE)' help scene --markdown > docs/scenes.md.part
	@mv docs/scenes.md.part docs/scenes.md

# The Python package in an environment of its own.
ENVIRONMENT = $(BUILD)/python/environment
python-package:
	@'$(PYTHON)' -m venv --system-site-packages --without-pip '$(ENVIRONMENT)'
	@'$(ENVIRONMENT)/bin/python' -m pip -q install --no-build-isolation --no-index \
	    --force-reinstall --no-deps ./python

python: python-package
	@'$(ENVIRONMENT)/bin/python' -B tools/write_page.py examples/python_notebook.py docs/python.md

blender: python-package
	@'$(PYTHON)' blender/make_addon.py '$(BUILD)/ravine_blender.zip' \
	    '$(ENVIRONMENT)'/lib/python3*/site-packages/ravine

pictures: release
	@RAVINE='$(RAVINE)' PYTHON='$(PYTHON)' sh tools/pictures.sh

hashes: test-tree
	@cmake --build '$(BUILD)/test' -j $(JOBS) --target same_bits
	@sh tests/run_in.sh '$(BUILD)/test/run/hashes' '$(abspath $(BUILD))/test/tests/same_bits' \
	    > '$(BUILD)/hashes.txt'
	@mv '$(BUILD)/hashes.txt' tests/same_bits/hashes.txt

format:
	@find bench cli cmake examples include src studio/wasm tests \( -name '*.[ch]' -o -name '*.inc' \) ! -name ravine.h | xargs clang-format-14 -i

clean:
	@rm -rf '$(BUILD)' '$(DEMO)'
