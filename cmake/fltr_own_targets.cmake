# What fltr's own programs are compiled with. Users of fltr::fltr get none of it.
set(fltr_warnings -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wpedantic $<$<BOOL:${FLTR_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overflows in std::string("a") + "b" that are not there (GCC bug 105651).
  list(APPEND fltr_warnings -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
endif()

add_library(fltr_own INTERFACE)
target_compile_options(fltr_own INTERFACE ${fltr_warnings} $<$<BOOL:${FLTR_NATIVE}>:-march=native>)
target_link_libraries(fltr_own INTERFACE fltr::fltr)
# A program that uses no linear algebra need not load a BLAS and its threads.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(fltr_own INTERFACE LINKER:--as-needed)
endif()

# Makes an executable of ours.
function(fltr_add_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE fltr_own)
endfunction()
