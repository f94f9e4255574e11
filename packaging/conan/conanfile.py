"""The C++ and C libraries for Conan 2: conan create packaging/conan

From the tree that it lies in; where packaging/release.sh has written conandata.yml beside it, from the source archive
of that version, by its checksum.

With -o "&:system=True" fmt, Highway and nlohmann_json are the system's, and nothing is downloaded.
"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, load

FOLDERS = ("cmake", "data", "docs", "examples/jobs", "examples/notebooks", "include", "packaging", "src")
FILES = ("CMakeLists.txt", "LICENSE", "README.md", "ARCHITECTURE.md", "CITATION.cff", "HACKING.md")


class Faro(ConanFile):
    name = "faro"
    description = "Moves data between layouts: plans the movement, proves the plan, performs it"
    license = "Apache-2.0"
    topics = ("permutation", "bit-reversal", "layout", "gf2", "hypercube")
    package_type = "static-library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"system": [True, False]}
    default_options = {"system": False}

    def _tree(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def set_version(self):
        if self.conan_data:
            self.version = next(iter(self.conan_data["sources"]))
            return
        text = load(self, os.path.join(self._tree(), "CMakeLists.txt"))
        self.version = re.search(r"project\(faro VERSION ([0-9.]+)", text)[1]

    def source(self):
        if self.conan_data:
            get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def export_sources(self):
        if self.conan_data:
            return
        for folder in FOLDERS:
            copy(self, f"{folder}/*", self._tree(), self.export_sources_folder, excludes="*.pyc")
        for file in FILES:
            copy(self, file, self._tree(), self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def requirements(self):
        if not self.options.system:
            self.requires("fmt/[>=9 <12]")
            self.requires("highway/[>=1.0.3 <2]")
            self.requires("nlohmann_json/[>=3.11 <4]", visible=False)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("PROGRAM", "TESTS", "EXAMPLES", "PRECOMPILE"):
            toolchain.cache_variables[f"FARO_{name}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # faro's own files for CMake say more than made ones: targets faro::faro and faro::faro_c.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/faro"]
        self.cpp_info.libs = ["faro"]
