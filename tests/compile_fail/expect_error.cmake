# cmake -D SOURCE=<file> -D FLAGS=<flags.cmake> [-D PRECOMPILED=<header>] -P expect_error.cmake
#
# "// build error: <regex>": the output of the compiler matches. "// first error: <regex>": the first line with an error matches, with g++ and
# with clang if both are found. The second line may be "// flags: <flags>".
#
# A file that includes parts.hpp is compiled with the precompiled header. With -D PRECOMPILE=ON, SOURCE is that header and is precompiled.
cmake_minimum_required(VERSION 3.25)
include(${FLAGS})

list(REMOVE_ITEM include_dirs ${implicit_include_dirs})
list(REMOVE_DUPLICATES include_dirs)
list(TRANSFORM include_dirs PREPEND -I)
list(TRANSFORM definitions PREPEND -D)

if(PRECOMPILE)
  execute_process(COMMAND ${compiler} ${standard} ${definitions} ${include_dirs} -x c++-header ${SOURCE} -o ${SOURCE}.gch
                          COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

file(STRINGS ${SOURCE} head LIMIT_COUNT 2)
list(GET head 0 first_line)
if(NOT first_line MATCHES "^// (build|first) error: (.+)$")
  message(FATAL_ERROR "${SOURCE}: the first line must be '// build error: <regex>' or '// first error: <regex>'")
endif()
set(kind ${CMAKE_MATCH_1})
set(expected ${CMAKE_MATCH_2})
set(flags)
if(head MATCHES ";// flags: (.+)$")
  separate_arguments(flags UNIX_COMMAND ${CMAKE_MATCH_1})
endif()

file(STRINGS ${SOURCE} parts REGEX "#include \"parts.hpp\"")
set(checked)  # the real paths of the compilers; /usr/bin/c++ and /usr/bin/g++ are one
foreach(one IN LISTS compiler other_compilers)
  file(REAL_PATH ${one} real_path)
  if(real_path IN_LIST checked OR (checked AND kind STREQUAL "build"))
    continue()
  endif()
  set(precompiled)
  if(parts AND NOT checked)
    set(precompiled -include ${PRECOMPILED})
  endif()
  list(APPEND checked ${real_path})
  execute_process(
    COMMAND ${one} ${standard} ${definitions} ${include_dirs} ${precompiled} ${flags} -fsyntax-only ${SOURCE}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  set(found "${output}")
  if(kind STREQUAL "first" AND output MATCHES "(^|\n)([^\n]*error: [^\n]*)")
    set(found "${CMAKE_MATCH_2}")
  endif()
  if(status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} compiles with ${one}, but should fail with: ${expected}")
  elseif(NOT found MATCHES "${expected}")
    message(FATAL_ERROR "${SOURCE} fails with ${one}, but not with the ${kind} error: ${expected}\n${output}")
  endif()
endforeach()
