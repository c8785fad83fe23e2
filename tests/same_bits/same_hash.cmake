# cmake -D SOURCE=<file> -D COMPILERS=<list> -D INCLUDE=<folder> -D FOLDER=<scratch> -P same_hash.cmake
cmake_minimum_required(VERSION 3.25)

file(STRINGS ${SOURCE} first_line LIMIT_COUNT 1)
if(NOT first_line MATCHES "^// same bits: ([0-9a-f]+)$")
  message(FATAL_ERROR "${SOURCE}: the first line must be '// same bits: <hash>'")
endif()
set(expected ${CMAKE_MATCH_1})

# More lines at the top, both optional: "// flags: <flags>" and "// optimisations: <levels>".
set(flags)
set(optimisations -O0 -O3)
file(STRINGS ${SOURCE} head LIMIT_COUNT 3)
foreach(line IN LISTS head)
  if(line MATCHES "^// (flags|optimisations): (.+)$")
    separate_arguments(${CMAKE_MATCH_1} UNIX_COMMAND ${CMAKE_MATCH_2})
  endif()
endforeach()

file(MAKE_DIRECTORY ${FOLDER})

# Skips compilers that occur twice (/usr/bin/c++ and /usr/bin/g++) and compilers that do not know the levels.
set(compilers)
set(real_paths)
foreach(compiler IN LISTS COMPILERS)
  file(REAL_PATH ${compiler} real_path)
  if(real_path IN_LIST real_paths)
    continue()
  endif()
  execute_process(
    COMMAND ${compiler} -std=c++20 -march=x86-64-v4 -fsyntax-only ${CMAKE_CURRENT_LIST_DIR}/levels.cpp
    RESULT_VARIABLE status
    OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0 OR NOT compilers)
    list(APPEND real_paths ${real_path})
    list(APPEND compilers ${compiler})
  endif()
endforeach()

list(GET compilers 0 compiler)
execute_process(COMMAND ${compiler} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/levels.cpp -o ${FOLDER}/levels
                        COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${FOLDER}/levels OUTPUT_VARIABLE levels COMMAND_ERROR_IS_FATAL ANY)

set(wrong)
foreach(compiler IN LISTS compilers)
  foreach(level x86-64 x86-64-v2 x86-64-v3 x86-64-v4)
    foreach(optimisation IN LISTS optimisations)
      set(program ${FOLDER}/probe)
      execute_process(COMMAND ${compiler} -std=c++20 ${optimisation} -march=${level} -I${INCLUDE} ${SOURCE} ${flags}
                              -o ${program} COMMAND_ERROR_IS_FATAL ANY)
      set(what "${compiler} ${optimisation} -march=${level}")
      if(NOT level IN_LIST levels)
        message(STATUS "${what}: compiled, not run, since the processor has no ${level}")
        continue()
      endif()
      execute_process(COMMAND ${program} OUTPUT_VARIABLE hash OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
      message(STATUS "${what}: ${hash}")
      if(NOT hash STREQUAL expected)
        list(APPEND wrong "${what}: required ${expected}, got ${hash}")
      endif()
    endforeach()
  endforeach()
endforeach()
if(wrong)
  list(JOIN wrong "\n" wrong)
  message(FATAL_ERROR "${wrong}")
endif()
