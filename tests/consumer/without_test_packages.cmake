# cmake -D SOURCE=<project> -D COMPILER= -D GENERATOR= -D TOOLCHAIN= -D PROGRAM=<main.cpp> -D FOLDER=<scratch> -P without_test_packages.cmake
#
# `cmake -S . -B build` and `cmake --install build` work without the packages of tests, programs and benchmarks, and a program
# compiles with the flags of the installed fltr.pc.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${FOLDER})
set(without)
foreach(package Catch2 CLI11 fmt nlohmann_json nanobench)
  list(APPEND without -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
                        -DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN} ${without} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${FOLDER}/build --prefix ${FOLDER}/prefix COMMAND_ERROR_IS_FATAL ANY)

find_program(pkg_config pkg-config)
if(NOT pkg_config)
  message("skipped: there is no pkg-config")
  return()
endif()
set(ENV{PKG_CONFIG_PATH} ${FOLDER}/prefix/share/pkgconfig:$ENV{PKG_CONFIG_PATH})
execute_process(COMMAND ${pkg_config} --cflags --libs fltr OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                        COMMAND_ERROR_IS_FATAL ANY)
if(NOT flags MATCHES "-ffp-contract=off")
  message(FATAL_ERROR "required the flag -ffp-contract=off in fltr.pc, got ${flags}")
endif()
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND ${COMPILER} -std=c++20 -O0 ${PROGRAM} ${flags} -o ${FOLDER}/consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${FOLDER}/consumer COMMAND_ERROR_IS_FATAL ANY)
