"""Builds the wheel: the C library of this source tree, or the one that RAVINE_LIBRARY names, goes
into the package, and the stubs of the steps are written from its table. CMAKE_ARGS: more options for
CMake, as other packages take them."""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent
BUILD = SOURCE / "build/python"


def version():
    header = SOURCE / "include/ravine/ravine.h"
    if not header.exists():
        sys.exit("The wheel is built in Ravine's source tree: pip install PATH_TO_RAVINE/python")
    return re.search(r'#define RV_VERSION "([^"]+)"', header.read_text()).group(1)


def build_library(folder):
    """Builds the shared library with CMake and returns its path."""
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON"]
    more = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    if more:  # CMake would keep them for builds without
        folder = folder.with_name(folder.name + "_with_options")
    options += more
    jobs = str(os.cpu_count() or 2)
    subprocess.run(["cmake", "-S", SOURCE, "-B", folder, *options], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "ravine", "-j", jobs], check=True)
    names = ("libravine.so", "libravine.dylib", "libravine.dll")  # Linux, macOS, Windows
    return next(folder / name for name in names if (folder / name).exists())


class BuildWithLibrary(build_py):
    def run(self):
        if getattr(self, "editable_mode", False):
            sys.exit("The package holds a built library: it cannot be installed in place (-e).")
        package = Path(self.build_lib) / "ravine"
        shutil.rmtree(package, ignore_errors=True)  # no file of an earlier build
        super().run()
        given = os.environ.get("RAVINE_LIBRARY")
        library = Path(given) if given else build_library(BUILD / "library")
        shutil.copy(library.resolve(), package / "libravine.so")
        # In a process of its own, so that no library stays loaded here.
        subprocess.run([sys.executable, HERE / "write_stubs.py", package], check=True)


class PlatformWheel(bdist_wheel):
    """For this system, but for every Python: the library is plain C, loaded with ctypes."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


BUILD.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    distclass=BinaryDistribution,
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel},
    options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)}},
)
