import os
import re

from conan import ConanFile
from conan.errors import ConanException, ConanInvalidConfiguration
from conan.tools.build import can_run, check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.scm import Version

required_conan_version = ">=2.0"


class FltrConan(ConanFile):
    name = "fltr"
    description = "Federated learning to rank, as policies that the compiler composes"
    license = "MIT"
    topics = ("federated-learning", "learning-to-rank", "differential-privacy", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"secure": [True, False]}  # secure sums, which need libsodium
    default_options = {"secure": False}
    no_copy_source = True
    exports_sources = (
        "ARCHITECTURE.md",  # its glossary is compiled into the programs
        "CHANGELOG.md",
        "CMakeLists.txt",
        "CONTRIBUTING.md",
        "LICENSE",
        "README.md",
        "benchmarks/*",
        "cmake/*",
        "examples/*",
        "include/*",
        "tests/*",
    )

    _min_compiler_version = {"gcc": "12", "clang": "14"}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "fltr", "core", "version.hpp"))
        found = re.search(r'version = "(\d+\.\d+\.\d+)"', header)
        if not found:
            raise ConanException("no version in include/fltr/core/version.hpp")
        self.version = found.group(1)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # The headers include them, so users need them too. xtensor-blas: see cmake/conan/xtensor-blas.
        self.requires("xtensor/0.24.7", transitive_headers=True)
        self.requires("xtensor-blas/0.20.0", transitive_headers=True, transitive_libs=True)
        self.requires("xsimd/13.0.0", transitive_headers=True)
        self.requires("range-v3/0.12.0", transitive_headers=True)
        self.requires("onetbb/[>=2021.10 <2024]", transitive_headers=True, transitive_libs=True)
        self.requires("boost/1.88.0", options={"header_only": True}, transitive_headers=True)
        self.requires("xxhash/0.8.2", transitive_headers=True)
        if self.options.secure:
            self.requires("libsodium/1.0.20", transitive_headers=True, transitive_libs=True)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25 <4]")
        self.tool_requires("ninja/[>=1.11 <2]")
        self.test_requires("catch2/3.15.3")
        self.test_requires("nanobench/4.3.11")
        self.test_requires("cli11/2.4.2")
        self.test_requires("fmt/10.2.1")
        self.test_requires("nlohmann_json/3.11.3")

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os == "Windows":
            raise ConanInvalidConfiguration("fltr reads files with POSIX calls and is not available on Windows")
        compiler = str(self.settings.compiler)
        least = self._min_compiler_version.get(compiler)
        if least and Version(self.settings.compiler.version) < least:
            raise ConanInvalidConfiguration(
                f"fltr: required {compiler} {least} or later, got {self.settings.compiler.version}"
            )

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.user_presets_path = False  # CMakePresets.json is ours
        toolchain.generate()

    def build(self):
        if self.conf.get("tools.build:skip_test", default=False, check_type=bool) or not can_run(self):
            return
        cmake = CMake(self)
        cmake.configure(variables={f"FLTR_BUILD_{part}": "ON" for part in ("TESTS", "EXAMPLES", "BENCHMARKS")})
        cmake.build()
        cmake.test()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.hpp", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_id(self):
        self.info.clear()  # headers only: one package for all settings

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "fltr")
        self.cpp_info.set_property("cmake_target_name", "fltr::fltr")
        if self.options.secure:
            self.cpp_info.set_property("cmake_target_aliases", ["fltr::secure"])
        if self.settings.get_safe("compiler") in ("gcc", "clang", "apple-clang"):
            self.cpp_info.cxxflags = ["-ffp-contract=off"]  # as FLTR_STRICT_FP: equal seeds give equal bits
        if self.settings.get_safe("os") in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread", "m"]
