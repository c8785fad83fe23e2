# Defines fltr::mpi, if MPI is found: fltr::fltr and what execution/mpi.hpp needs (Debian: libopenmpi-dev). The C++ bindings of
# MPI are not used.
if(NOT TARGET fltr::mpi)
  if(NOT DEFINED MPI_CXX_SKIP_MPICXX)
    set(MPI_CXX_SKIP_MPICXX ON)
  endif()
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    add_library(fltr::mpi INTERFACE IMPORTED GLOBAL)
    target_link_libraries(fltr::mpi INTERFACE fltr::fltr MPI::MPI_CXX)
  endif()
endif()
