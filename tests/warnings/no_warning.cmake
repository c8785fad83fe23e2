# cmake -D SOURCE=<file> -D FLAGS=<flags.cmake> -D OPTIONS=<compiler options> -D OBJECT=<file> -P no_warning.cmake
cmake_minimum_required(VERSION 3.25)
include(${FLAGS})

# The include folders of other libraries are system folders, as for imported targets in CMake. Those of fltr are not.
list(REMOVE_ITEM include_dirs ${implicit_include_dirs})
list(REMOVE_DUPLICATES include_dirs)
set(includes)
foreach(folder IN LISTS include_dirs)
  cmake_path(IS_PREFIX own_dir ${folder} NORMALIZE ours)
  if(ours)
    list(APPEND includes -I${folder})
  else()
    list(APPEND includes -isystem ${folder})
  endif()
endforeach()
list(TRANSFORM definitions PREPEND -D)
separate_arguments(OPTIONS)
execute_process(
  COMMAND ${compiler} ${standard} ${definitions} ${includes} -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wpedantic
          -Werror ${OPTIONS} -ffp-contract=off -c ${SOURCE} -o ${OBJECT} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
