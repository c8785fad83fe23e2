# Finds xtensor-blas where there is a BLAS; the headers that need linear algebra include it. Without a BLAS the package
# of xtensor-blas would stop the configuration of people who never use those headers, so it is looked for only
# after a BLAS was found.
find_package(OpenBLAS CONFIG QUIET)
if(NOT OpenBLAS_FOUND)
  find_package(BLAS QUIET)
endif()
if(OpenBLAS_FOUND OR BLAS_FOUND)
  find_package(xtensor-blas QUIET)
endif()
