# Defines fltr::precompiled: a library that is compiled in the project of the user, with the precompiled header <fltr/fltr.hpp> and the
# functions of fltr that depend on no policy (files and data sets). A program uses both with
#   target_link_libraries(mine PRIVATE fltr::precompiled)
#   target_precompile_headers(mine REUSE_FROM fltr_precompiled)
# If a program has other compiler flags than the library, the compiler says so and reads the headers as text.
if(NOT TARGET fltr_precompiled)
  add_library(fltr_precompiled STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/precompiled/fltr_precompiled.cpp)
  add_library(fltr::precompiled ALIAS fltr_precompiled)
  target_link_libraries(fltr_precompiled PUBLIC fltr::fltr)
  target_precompile_headers(fltr_precompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/precompiled/fltr_precompiled.hpp)
endif()
