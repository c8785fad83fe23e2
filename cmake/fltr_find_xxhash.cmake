# Defines fltr::xxhash: the include folder of xxHash, of which only the header is used. Conan and vcpkg have a CMake
# package for it, Debian (libxxhash-dev) has only the header.
if(NOT TARGET fltr::xxhash)
  find_package(xxHash CONFIG QUIET)
  add_library(fltr::xxhash INTERFACE IMPORTED GLOBAL)
  if(TARGET xxHash::xxhash)
    target_link_libraries(fltr::xxhash INTERFACE xxHash::xxhash)
  else()
    find_path(FLTR_XXHASH_INCLUDE_DIR xxhash.h REQUIRED DOC "The folder of xxhash.h (Debian: libxxhash-dev)")
    mark_as_advanced(FLTR_XXHASH_INCLUDE_DIR)
    target_include_directories(fltr::xxhash INTERFACE ${FLTR_XXHASH_INCLUDE_DIR})
  endif()
endif()
