# cmake -D ROOT=<project> -P check_layers.cmake
#
# Checks who includes whom under include/fltr: layers are crossed in one direction only, folders of one layer do not
# know each other, third-party headers stay where they belong, and fltr.hpp names every header.

cmake_minimum_required(VERSION 3.25)

set(layers
    "core"
    "data"
    "messages"
    "concepts"
    "metrics rankers"
    "click_models learners privatizers attacks aggregators unlearners partition click_guesses accounting execution"
    "federation"
    "io")

# A wrapper may include what it wraps, from a folder of its own layer: "<wrapper> <wrapped>".
set(wrappers)

# Their users ask for MPI, libsodium or all of xtensor (seconds of compile time) themselves.
set(not_in_umbrella execution/mpi.hpp aggregators/secure_sum.hpp core/tensor_functions.hpp io/npy.hpp tensor.hpp)

# Headers beside fltr.hpp. They may include every layer, and no other header includes them.
set(top_level tensor.hpp)

# The only headers that name xtensor: its headers moved into folders in 0.26.
set(names_xtensor core/tensor.hpp core/tensor_functions.hpp)

set(height 0)
foreach(layer IN LISTS layers)
  string(REPLACE " " ";" folders "${layer}")
  foreach(folder IN LISTS folders)
    set(height_of_${folder} ${height})
  endforeach()
  math(EXPR height "${height} + 1")
endforeach()
set(height_of_ ${height})  # of the top level

set(complaints)
macro(complain)
  string(APPEND complaints "  " ${ARGN} "\n")
endmacro()

set(base ${ROOT}/include/fltr)
file(GLOB_RECURSE headers RELATIVE ${base} ${base}/*)
foreach(header IN LISTS headers)
  if(header STREQUAL "fltr.hpp")
    continue()
  endif()
  cmake_path(GET header PARENT_PATH folder)
  if(NOT DEFINED height_of_${folder} OR NOT header MATCHES "\\.hpp$" OR (folder STREQUAL "" AND NOT header IN_LIST top_level))
    complain("${header}: not a header in a folder of the architecture")
    continue()
  endif()

  file(STRINGS ${base}/${header} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS includes)
    if(NOT line MATCHES "include[ \t]*<([^>]+)>")
      complain("${header}: includes without <>: ${line}")
      continue()
    endif()
    set(included ${CMAKE_MATCH_1})

    if(included MATCHES "^fltr/(.+)$")
      set(included ${CMAKE_MATCH_1})
      cmake_path(GET included PARENT_PATH included_folder)
      if(NOT EXISTS ${base}/${included})
        complain("${header}: includes ${included}, which does not exist")
      elseif(NOT DEFINED height_of_${included_folder} OR height_of_${included_folder} GREATER height_of_${folder})
        complain("${header}: includes ${included}, which is in a layer above")
      elseif(height_of_${included_folder} EQUAL height_of_${folder} AND NOT included_folder STREQUAL folder
             AND NOT "${header} ${included}" IN_LIST wrappers)
        complain("${header}: includes ${included}, which is in another folder of the same layer")
      endif()
    elseif(included MATCHES "^xtensor/" AND NOT header IN_LIST names_xtensor)
      complain("${header}: includes ${included}, only core/tensor.hpp and core/tensor_functions.hpp name xtensor")
    elseif(included MATCHES "^(fmt|CLI|nlohmann)/")
      complain("${header}: includes ${included}, that is for the example programs")
    elseif(included STREQUAL "range/v3/all.hpp")
      complain("${header}: includes ${included}, it takes 3 s: include single views")
    elseif(included STREQUAL "sys/random.h" AND header STREQUAL "federation/client_key.hpp")
      # A client's secret comes from the operating system.
    elseif(included MATCHES "^(sys/.+|unistd\\.h|fcntl\\.h)$" AND NOT folder MATCHES "^(data|io)$")
      complain("${header}: includes ${included}, POSIX calls belong to data/ and io/")
    elseif(included STREQUAL "mpi.h" AND NOT header STREQUAL "execution/mpi.hpp")
      complain("${header}: includes ${included}, only execution/mpi.hpp may")
    elseif(included STREQUAL "sodium.h" AND NOT header STREQUAL "aggregators/secure_sum.hpp")
      complain("${header}: includes ${included}, only aggregators/secure_sum.hpp may")
    endif()
  endforeach()
endforeach()

if(EXISTS ${base}/fltr.hpp)
  file(STRINGS ${base}/fltr.hpp umbrella REGEX "^#include <fltr/.+>")
  foreach(header IN LISTS headers)
    if(header STREQUAL "fltr.hpp")
      continue()
    endif()
    list(FIND umbrella "#include <fltr/${header}>" place)
    if(header IN_LIST not_in_umbrella AND NOT place EQUAL -1)
      complain("fltr.hpp: includes ${header}, which not everybody can compile")
    elseif(NOT header IN_LIST not_in_umbrella AND place EQUAL -1)
      complain("fltr.hpp: does not include ${header}")
    endif()
  endforeach()
endif()

if(complaints)
  message(FATAL_ERROR "The layers are broken:\n${complaints}")
endif()
