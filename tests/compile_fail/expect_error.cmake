# cmake -D SOURCE=<file> -D FLAGS=<flags.cmake> -P expect_error.cmake
cmake_minimum_required(VERSION 3.25)
include(${FLAGS})

file(STRINGS ${SOURCE} first_line LIMIT_COUNT 1)
if(NOT first_line MATCHES "^// build error: (.+)$")
  message(FATAL_ERROR "${SOURCE}: the first line must be '// build error: <regex>'")
endif()
set(expected ${CMAKE_MATCH_1})

list(REMOVE_ITEM include_dirs ${implicit_include_dirs})
list(REMOVE_DUPLICATES include_dirs)
list(TRANSFORM include_dirs PREPEND -I)
list(TRANSFORM definitions PREPEND -D)
execute_process(
  COMMAND ${compiler} ${standard} ${definitions} ${include_dirs} -fsyntax-only ${SOURCE}
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)

if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, but should fail with: ${expected}")
elseif(NOT output MATCHES "${expected}")
  message(FATAL_ERROR "${SOURCE} fails, but not with: ${expected}\n${output}")
endif()
