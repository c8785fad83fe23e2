# cmake -D ROOT=<project> -P check_readme.cmake
#
# Checks three properties of the documents.
#
# 1. Every header, source file, script and folder that README.md, ARCHITECTURE.md, CONTRIBUTING.md and include/fltr/concepts/README.md
#    name in backticks exists: in the project, in include/, in include/fltr/ or in a room. A name without a folder is looked up in the
#    whole project. Names with a placeholder (<name>) and names in build/ are not checked.
# 2. The code in README.md is the text of files that CTest compiles and runs. The line above a block names the file:
#      <!-- examples/first_federation.cpp -->             the block is the whole file
#      <!-- examples/custom_privatizer.cpp: policy -->    the block is the part between // [policy] and // [/policy]
#      <!-- tests/expected/first_federation.txt -->       the output of a program, below a line "$ <command>"
#    Every block of C++ and CMake must have such a line; other blocks may.
# 3. Every example has at most 60 lines, a row in the table of README.md and, except numpy_in_and_out, a file in tests/expected/.

cmake_minimum_required(VERSION 3.25)

set(complaints)
macro(complain)
  string(APPEND complaints "  " ${ARGN} "\n")
endmacro()

# expected_text(<variable> <file> <region>): the required text of a block.
function(expected_text variable file region)
  file(READ ${ROOT}/${file} text)
  if(NOT region STREQUAL "")
    set(open "// [${region}]\n")
    string(FIND "${text}" "${open}" begin)
    string(FIND "${text}" "// [/${region}]\n" end)
    if(begin EQUAL -1 OR end LESS begin)
      set(${variable} "" PARENT_SCOPE)
      return()
    endif()
    string(LENGTH "${open}" length)
    math(EXPR begin "${begin} + ${length}")
    math(EXPR length "${end} - ${begin}")
    string(SUBSTRING "${text}" ${begin} ${length} text)
  endif()
  string(REGEX REPLACE "^# tolerance [^\n]*\n" "" text "${text}") # see tests/support/compare_output.cpp
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

file(READ ${ROOT}/README.md rest)
set(checked 0)
while(TRUE)
  string(FIND "${rest}" "\n```" begin)
  if(begin EQUAL -1)
    break()
  endif()
  string(SUBSTRING "${rest}" 0 ${begin} before)
  string(FIND "${before}" "\n" line REVERSE)
  math(EXPR line "${line} + 1")
  string(SUBSTRING "${before}" ${line} -1 marker)
  math(EXPR begin "${begin} + 4")
  string(SUBSTRING "${rest}" ${begin} -1 rest)
  string(FIND "${rest}" "\n" end)
  string(SUBSTRING "${rest}" 0 ${end} language)
  string(SUBSTRING "${rest}" ${end} -1 rest)
  string(FIND "${rest}" "\n```" end)
  string(SUBSTRING "${rest}" 0 ${end} block)
  string(SUBSTRING "${block}\n" 1 -1 block)
  math(EXPR end "${end} + 4")
  string(SUBSTRING "${rest}" ${end} -1 rest)

  string(REGEX REPLACE "\n.*" "" first "${block}")
  if(NOT marker MATCHES "^<!-- ([^ :]+)(: ([a-z_]+))? -->$")
    if(language MATCHES "^(cpp|cmake)$")
      complain("README.md: the ${language} block that begins with '${first}' names no file in the line above it")
    endif()
    continue()
  endif()
  set(file ${CMAKE_MATCH_1})
  set(region "${CMAKE_MATCH_3}")
  if(NOT file MATCHES "^(examples|tests)/" OR NOT EXISTS ${ROOT}/${file})
    complain("README.md: ${file}: required a file in examples/ or tests/")
    continue()
  endif()
  if(block MATCHES "^\\$ ")
    string(FIND "${block}" "\n" line)
    math(EXPR line "${line} + 1")
    string(SUBSTRING "${block}" ${line} -1 block)
  endif()
  expected_text(expected ${file} "${region}")
  if(NOT block STREQUAL expected)
    complain("README.md: the block that begins with '${first}' is not ${file} ${region}")
  endif()
  math(EXPR checked "${checked} + 1")
endwhile()

if(checked LESS 4)
  complain("README.md: required at least 4 blocks with a file, got ${checked}")
endif()

# ---- names of files and folders

file(GLOB rooms ${ROOT}/include/fltr/*)
set(folders ${ROOT} ${ROOT}/include ${ROOT}/include/fltr ${ROOT}/examples ${ROOT}/examples/programs ${rooms})
foreach(document README.md ARCHITECTURE.md CONTRIBUTING.md include/fltr/concepts/README.md)
  file(READ ${ROOT}/${document} text)
  string(REGEX REPLACE "[][;\\]" " " text "${text}") # special characters of CMake lists
  string(REGEX MATCHALL "`[A-Za-z0-9_./*-]+(\\.(hpp|cpp|cmake|sh|md|py)|/)`" names "${text}")
  string(REGEX MATCHALL "cmake/[a-z_]+\\.(sh|cmake)" scripts "${text}")
  list(APPEND names ${scripts})
  list(REMOVE_DUPLICATES names)
  foreach(name IN LISTS names)
    string(REPLACE "`" "" name "${name}")
    string(REGEX REPLACE "/$" "" name "${name}")
    if(name MATCHES "^(build/|/)")
      continue()
    endif()
    set(found)
    foreach(folder IN LISTS folders)
      file(GLOB hits ${folder}/${name})
      list(APPEND found ${hits})
    endforeach()
    if(NOT found AND NOT name MATCHES "/")
      file(GLOB_RECURSE found ${ROOT}/include/*/${name} ${ROOT}/examples/${name} ${ROOT}/tests/${name} ${ROOT}/benchmarks/${name})
    endif()
    if(NOT found)
      complain("${document} names ${name}, which does not exist")
    endif()
  endforeach()
endforeach()

# ---- examples

file(READ ${ROOT}/README.md readme)
file(GLOB examples ${ROOT}/examples/*.cpp)
foreach(example IN LISTS examples)
  cmake_path(GET example STEM name)
  file(READ ${example} text)
  string(REGEX REPLACE "[^\n]" "" lines "${text}")
  string(LENGTH "${lines}" lines)
  if(lines GREATER 60)
    complain("examples/${name}.cpp: required at most 60 lines, got ${lines}")
  endif()
  string(FIND "${readme}" "| `${name}.cpp` |" row)
  if(row EQUAL -1)
    complain("README.md has no row for the example ${name}.cpp")
  endif()
  if(NOT name STREQUAL "numpy_in_and_out" AND NOT EXISTS ${ROOT}/tests/expected/${name}.txt)
    complain("tests/expected/${name}.txt does not exist")
  endif()
endforeach()

if(complaints)
  message(FATAL_ERROR "The documents and the files differ:\n${complaints}")
endif()
