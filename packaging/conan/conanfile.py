"""Ravine for Conan 2: `conan create packaging/conan` builds the repository that this lies in."""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Ravine(ConanFile):
    name = "ravine"
    description = "Makes terrain and erodes it as water and gravity do"
    license = "MIT"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    languages = "C"

    @property
    def _repository(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._repository, "include", "ravine", "ravine.h"))
        self.version = re.search(r'#define RV_VERSION "([0-9.]+)"', header)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "CHANGELOG.md", "cmake/*", "include/*", "src/*",
                        "cli/*", "recipes/*"):
            copy(self, pattern, self._repository, self.export_sources_folder)

    def requirements(self):
        self.requires("libpng/[>=1.6 <2]")
        self.requires("zlib/[>=1.2.11 <2]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        CMakeToolchain(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["ravine"]
        self.cpp_info.set_property("cmake_target_name", "ravine::ravine")
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["m", "pthread", "dl"]
