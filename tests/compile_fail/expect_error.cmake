# cmake -D SOURCE=<file> -D FLAGS=<flags.cmake> [-D PRECOMPILED=<header>] -P expect_error.cmake
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

file(STRINGS ${SOURCE} first_line LIMIT_COUNT 1)
if(NOT first_line MATCHES "^// build error: (.+)$")
  message(FATAL_ERROR "${SOURCE}: the first line must be '// build error: <regex>'")
endif()
set(expected ${CMAKE_MATCH_1})

set(precompiled)
file(STRINGS ${SOURCE} parts REGEX "#include \"parts.hpp\"")
if(parts)
  set(precompiled -include ${PRECOMPILED})
endif()
execute_process(
  COMMAND ${compiler} ${standard} ${definitions} ${include_dirs} ${precompiled} -fsyntax-only ${SOURCE}
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)

if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, but should fail with: ${expected}")
elseif(NOT output MATCHES "${expected}")
  message(FATAL_ERROR "${SOURCE} fails, but not with: ${expected}\n${output}")
endif()
