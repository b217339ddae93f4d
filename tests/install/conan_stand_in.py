"""conan_stand_in.py RECIPE FOLDER: runs the methods of a Conan recipe in the order in which Conan 2 does, with the
helpers that it uses standing in for Conan's: FOLDER/source, FOLDER/build, FOLDER/package."""
import fnmatch
import importlib.util
import os
import shutil
import subprocess
import sys
import types


class ConanFile:
    def requires(self, reference):
        self.required.append(reference)


class CMake:
    def __init__(self, recipe):
        self.recipe = recipe

    def _run(self, *words):
        subprocess.run(["cmake", *words], check=True)

    def configure(self):
        self._run("-S", self.recipe.source_folder, "-B", self.recipe.build_folder, "-DCMAKE_BUILD_TYPE=Debug",
                  "-DCMAKE_INSTALL_PREFIX=" + self.recipe.package_folder)

    def build(self):
        self._run("--build", self.recipe.build_folder, "-j", "2")

    def install(self):
        self._run("--install", self.recipe.build_folder)


class Generator:
    def __init__(self, recipe):
        pass

    def generate(self):
        pass


def copy(recipe, pattern, src, dst):
    """Of files whose path below src fits, as Conan's: * stands for / too."""
    found = 0
    for folder, _, names in os.walk(src):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), src)
            if fnmatch.fnmatch(path, pattern):
                found += 1
                os.makedirs(os.path.dirname(os.path.join(dst, path)), exist_ok=True)
                shutil.copy2(os.path.join(src, path), os.path.join(dst, path))
    assert found > 0, f"{pattern} fits nothing"


def load(recipe, path):
    with open(path) as file:
        return file.read()


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made


module("conan", ConanFile=ConanFile)
module("conan.tools")
module("conan.tools.cmake", CMake=CMake, CMakeDeps=Generator, CMakeToolchain=Generator, cmake_layout=lambda recipe: None)
module("conan.tools.files", copy=copy, load=load)

path, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
spec = importlib.util.spec_from_file_location("conanfile", path)
recipes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recipes)
classes = [x for x in vars(recipes).values() if isinstance(x, type) and issubclass(x, ConanFile) and x is not ConanFile]
assert len(classes) == 1
recipe = classes[0]()
recipe.recipe_folder = os.path.dirname(path)
recipe.export_sources_folder = recipe.source_folder = os.path.join(folder, "source")
recipe.build_folder = os.path.join(folder, "build")
recipe.package_folder = os.path.join(folder, "package")
recipe.required = []
recipe.settings = types.SimpleNamespace(os="Linux")
recipe.cpp_info = types.SimpleNamespace(set_property=lambda name, value: None)
recipe.set_version()
assert recipe.version.count(".") == 2
recipe.export_sources()
recipe.requirements()
assert sorted(x.split("/")[0] for x in recipe.required) == ["libpng", "zlib"]
recipe.layout()
recipe.generate()
recipe.build()
recipe.package()
recipe.package_info()
assert recipe.cpp_info.libs == ["ravine"]
