# cmake -D ROOT=<project> -P check_layers.cmake
#
# Checks the headers under include/fltr:
#   - Rooms (folders) form layers. A header includes its own room and lower layers only.
#   - Machinery is in <room>/detail/ and in namespace fltr::detail. No other room includes it. The checks of policies that several
#     rooms use are in namespace fltr::composition; so no header in concepts/ has a namespace detail.
#   - No public function has a parameter of a type of namespace detail.
#   - Third-party headers are included only where they belong, and no header includes a BLAS.
#   - Results do not depend on the standard library's exp, log, sin and so on, whose last bits differ between processors,
#     nor on its distributions.
#   - Every header in detail/ is included by another header.
#   - Every header includes core/compiler.hpp, directly or by another header, before its first code.
#   - fltr.hpp includes every public header, except those that need xtensor, a BLAS, MPI or libsodium.

cmake_minimum_required(VERSION 3.25)

set(layers
    "core"
    "data"
    "messages"
    "concepts"
    "metrics rankers accounting"
    "boosting formats"
    "click_models learners privatizers attacks aggregators unlearners partition click_guesses execution"
    "federation"
    "presets")

# A wrapper may include what it wraps, from a folder of its own layer: "<wrapper> <wrapped>".
set(wrappers)

# Users of these headers include them explicitly. They need MPI, libsodium, a BLAS, or xtensor or Boost.Math (2 s of compile time).
set(not_in_umbrella accounting/audit.hpp execution/mpi.hpp aggregators/secure_sum.hpp aggregators/identities.hpp core/tensor.hpp core/tensor_functions.hpp formats/npy.hpp
    metrics/significance.hpp click_guesses/linear_algebra.hpp click_guesses/least_squares.hpp
    click_guesses/least_absolute_deviations.hpp tensor.hpp)

# Headers beside fltr.hpp. They may include every layer, and no other header includes them.
set(top_level tensor.hpp)

# The only headers that name xtensor: its headers moved into folders in 0.26.
set(names_xtensor core/tensor.hpp core/tensor_functions.hpp)

# The headers that define functions of the names of the standard library, in namespace fltr::math.
set(defines_math core/exponential.hpp core/hyperbolic_tangent.hpp core/logarithm.hpp core/power.hpp)

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

# The first folder of a path below include/fltr; empty for a header beside fltr.hpp.
function(room_of header room)
  if(header MATCHES "^([^/]+)/")
    set(${room} ${CMAKE_MATCH_1} PARENT_SCOPE)
  else()
    set(${room} "" PARENT_SCOPE)
  endif()
endfunction()

# A header in detail/ opens no namespace but fltr::detail (or one inside it). In a public header, no function at namespace
# level has a parameter whose type is in namespace detail.
macro(check_namespace header)
  if(header MATCHES "^concepts/")
    file(STRINGS ${base}/${header} wrong REGEX "namespace (fltr::)?detail|detail::")
    if(wrong)
      complain("${header}: names namespace detail; what several rooms use is in namespace composition: ${wrong}")
    endif()
  endif()
  if(header MATCHES "/detail/")
    file(STRINGS ${base}/${header} wrong REGEX "^namespace fltr(::[a-z]+)* {")
    list(FILTER wrong EXCLUDE REGEX "^namespace fltr::detail")
    if(wrong)
      complain("${header}: opens a namespace outside fltr::detail: ${wrong}")
    endif()
  else()
    file(STRINGS ${base}/${header} wrong REGEX "^[a-z[][^{]*\\([^{]*detail::[A-Za-z]+[^{]*\\)")
    list(FILTER wrong EXCLUDE REGEX "^(class|struct|concept|requires|static_assert|using|return|if|namespace)")
    list(FILTER wrong EXCLUDE REGEX "\\([^()]*\\)[^(]*{[^}]*detail::")
    if(wrong)
      complain("${header}: a public function has a parameter of namespace detail: ${wrong}")
    endif()
  endif()
endmacro()

# fltr/core has functions with the same bits on every processor (fltr::math). Functions that are exact (std::sqrt,
# std::ldexp, std::floor and so on) are allowed. The distributions of `std` differ between standard libraries.
macro(check_libm header)
  set(libm "(exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sincos|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|tgamma|lgamma|erf|erfc|cbrt|hypot|beta|riemann_zeta|expint|fma|(cyl|sph)_[a-z_]+)[fl]?\\(")
  set(unqualified "(^|[^:A-Za-z_0-9.>])${libm}")
  file(STRINGS ${base}/${header} lines ENCODING UTF-8 REGEX "${libm}|std::[a-z_]+_distribution")
  set(wrong)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "//.*" "" line "${line}")
    if(line MATCHES "(std::|[^:A-Za-z_0-9.]::|__builtin_|xsimd::)${libm}" OR line MATCHES "std::[a-z_]+_distribution")
      list(APPEND wrong "${line}")
    elseif(line MATCHES "${unqualified}" AND NOT ${header} IN_LIST defines_math AND NOT line MATCHES "ClickLog const& log\\(")
      list(APPEND wrong "${line}")
    endif()
  endforeach()
  if(wrong)
    complain("${header}: calls a function whose last bits depend on the processor or the standard library (use fltr::math "
             "or Stream): ${wrong}")
  endif()
endmacro()

set(base ${ROOT}/include/fltr)
set(used)  # headers that another header includes
file(GLOB_RECURSE headers RELATIVE ${base} ${base}/*)
foreach(header IN LISTS headers)
  if(header STREQUAL "fltr.hpp")
    continue()
  endif()
  room_of(${header} folder)
  if(NOT DEFINED height_of_${folder} OR NOT header MATCHES "\\.hpp$" OR (folder STREQUAL "" AND NOT header IN_LIST top_level))
    if(NOT header STREQUAL "concepts/README.md")
      complain("${header}: not a header in a room of the architecture")
    endif()
    continue()
  endif()
  check_namespace(${header})
  check_libm(${header})

  file(READ ${base}/${header} text)
  string(FIND "${text}" "\n#include <fltr/" first_include)
  string(FIND "${text}" "\nnamespace " first_code)
  if(NOT header STREQUAL "core/compiler.hpp" AND (first_include EQUAL -1 OR (NOT first_code EQUAL -1 AND first_code LESS first_include)))
    complain("${header}: includes no header of fltr before its code: include fltr/core/compiler.hpp")
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
      if(NOT included STREQUAL header)
        list(APPEND used ${included})
      endif()
      room_of(${included} included_folder)
      if(NOT EXISTS ${base}/${included})
        complain("${header}: includes ${included}, which does not exist")
      elseif(NOT DEFINED height_of_${included_folder} OR height_of_${included_folder} GREATER height_of_${folder})
        complain("${header}: includes ${included}, which is in a layer above")
      elseif(height_of_${included_folder} EQUAL height_of_${folder} AND NOT included_folder STREQUAL folder
             AND NOT "${header} ${included}" IN_LIST wrappers)
        complain("${header}: includes ${included}, which is in another room of the same layer")
      elseif(included MATCHES "/detail/" AND NOT included_folder STREQUAL folder)
        complain("${header}: includes ${included}, which only ${included_folder}/ may include")
      endif()
    elseif(included MATCHES "^xtensor/" AND NOT header IN_LIST names_xtensor)
      complain("${header}: includes ${included}, only core/tensor.hpp and core/tensor_functions.hpp name xtensor")
    elseif(included MATCHES "^(cblas|f77blas|lapacke?|openblas[^/]*|mkl[^/]*)\\.h$|^(xtensor-blas|xflens|openblas|mkl)/"
           AND NOT header STREQUAL "click_guesses/linear_algebra.hpp")
      # No training depends on a click guess.
      complain("${header}: includes ${included}, the bits of a BLAS depend on its kernel")
    elseif(included MATCHES "^(fmt|CLI|nlohmann)/")
      complain("${header}: includes ${included}, that is for the example programs")
    elseif(included STREQUAL "range/v3/all.hpp")
      complain("${header}: includes ${included}, it takes 3 s: include single views")
    elseif(included STREQUAL "sys/random.h" AND header STREQUAL "federation/client_key.hpp")
      # A client's secret comes from the operating system.
    elseif(included STREQUAL "sys/mman.h" AND header STREQUAL "core/detail/huge_pages.hpp")
      # madvise for the memory of features.
    elseif(included MATCHES "^(sys/.+|unistd\\.h|fcntl\\.h)$" AND NOT folder MATCHES "^formats$")
      complain("${header}: includes ${included}, POSIX calls belong to formats/")
    elseif(included STREQUAL "xxhash.h" AND NOT header STREQUAL "core/checksum.hpp")
      complain("${header}: includes ${included}, only core/checksum.hpp may")
    elseif(included STREQUAL "mpi.h" AND NOT header STREQUAL "execution/detail/rank_group.hpp")
      complain("${header}: includes ${included}, only execution/detail/rank_group.hpp may")
    elseif(included STREQUAL "sodium.h" AND NOT header STREQUAL "aggregators/detail/sodium.hpp")
      complain("${header}: includes ${included}, only aggregators/detail/sodium.hpp may")
    endif()
  endforeach()
endforeach()

foreach(header IN LISTS headers)
  if(header MATCHES "/detail/" AND NOT header IN_LIST used)
    complain("${header}: no header includes it")
  endif()
endforeach()

if(EXISTS ${base}/fltr.hpp)
  file(STRINGS ${base}/fltr.hpp umbrella REGEX "^#include <fltr/.+>")
  foreach(header IN LISTS headers)
    if(header STREQUAL "fltr.hpp" OR NOT header MATCHES "\\.hpp$")
      continue()
    endif()
    list(FIND umbrella "#include <fltr/${header}>" place)
    if(header MATCHES "/detail/")
      if(NOT place EQUAL -1)
        complain("fltr.hpp: includes ${header}, which is not public")
      endif()
    elseif(header IN_LIST not_in_umbrella AND NOT place EQUAL -1)
      complain("fltr.hpp: includes ${header}, which not everybody can compile")
    elseif(NOT header IN_LIST not_in_umbrella AND place EQUAL -1)
      complain("fltr.hpp: does not include ${header}")
    endif()
  endforeach()
endif()

if(complaints)
  message(FATAL_ERROR "The layers are broken:\n${complaints}")
endif()
