include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(fltr_package_dir ${CMAKE_INSTALL_DATADIR}/cmake/fltr)
list(TRANSFORM fltr_requirements REPLACE "(.+)" "find_dependency(\\1)" OUTPUT_VARIABLE fltr_find_dependencies)
list(JOIN fltr_find_dependencies "\n" fltr_find_dependencies)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/fltrConfig.cmake.in ${PROJECT_BINARY_DIR}/fltrConfig.cmake
                              INSTALL_DESTINATION ${fltr_package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break; the package has no compiled part.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fltrConfigVersion.cmake COMPATIBILITY SameMinorVersion
                                                                               ARCH_INDEPENDENT)

install(TARGETS fltr EXPORT fltrTargets FILE_SET HEADERS FILE_SET mpi_headers FILE_SET secure_headers)
install(EXPORT fltrTargets NAMESPACE fltr:: DESTINATION ${fltr_package_dir})
install(FILES ${PROJECT_BINARY_DIR}/fltrConfig.cmake ${PROJECT_BINARY_DIR}/fltrConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/fltr_find_blas.cmake ${CMAKE_CURRENT_LIST_DIR}/fltr_find_xxhash.cmake
              ${CMAKE_CURRENT_LIST_DIR}/fltr_find_mpi.cmake ${CMAKE_CURRENT_LIST_DIR}/fltr_find_sodium.cmake
              ${CMAKE_CURRENT_LIST_DIR}/fltr_precompiled.cmake
        DESTINATION ${fltr_package_dir})

# For builds without CMake: g++ -std=c++20 mine.cpp $(pkg-config --cflags --libs fltr)
set(fltr_pc_strict_fp)
if(FLTR_STRICT_FP)
  set(fltr_pc_strict_fp " -ffp-contract=off")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/fltr.pc.in ${PROJECT_BINARY_DIR}/fltr.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fltr.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/precompiled DESTINATION ${fltr_package_dir})
