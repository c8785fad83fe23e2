import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, get
from conan.tools.layout import basic_layout

required_conan_version = ">=2.0"


class XtensorBlasConan(ConanFile):
    """ConanCenter has xtensor but not xtensor-blas, so fltr brings this recipe: `conan export cmake/conan/xtensor-blas`."""

    name = "xtensor-blas"
    version = "0.20.0"  # the release for xtensor 0.24
    description = "BLAS and LAPACK for xtensor"
    license = "BSD-3-Clause"
    homepage = "https://github.com/xtensor-stack/xtensor-blas"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def layout(self):
        basic_layout(self, src_folder="src")

    def requirements(self):
        self.requires("xtensor/0.24.7", transitive_headers=True)
        self.requires("openblas/0.3.30", options={"build_lapack": True}, transitive_headers=True, transitive_libs=True)

    def validate(self):
        check_min_cppstd(self, 14)

    def source(self):
        get(
            self,
            f"{self.homepage}/archive/refs/tags/{self.version}.tar.gz",
            sha256="272f5d99bb7511a616bfe41b13a000e63de46420f0b32a25fa4fb935b462c7ff",
            strip_root=True,
        )

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # All of it: the bundled interface to BLAS keeps its templates in .h, .tcc and .cxx files.
        copy(
            self,
            "*",
            os.path.join(self.source_folder, "include"),
            os.path.join(self.package_folder, "include"),
            excludes="*.tgz",
        )

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "xtensor-blas")
        self.cpp_info.set_property("cmake_target_name", "xtensor-blas")
