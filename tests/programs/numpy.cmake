# cmake -D PROGRAM=<numpy_in_and_out> -D COPY=<npy_copy> -D FOLDER=<scratch> -P numpy.cmake
# Checks that fltr reads files of NumPy and that NumPy reads files of fltr. Skipped without NumPy.
cmake_minimum_required(VERSION 3.25)

# The first interpreter that can import NumPy: python3 of the PATH, then /usr/bin/python3.
set(python)
foreach(candidate python3 /usr/bin/python3)
  if(NOT python)
    execute_process(COMMAND ${candidate} -c "import numpy" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
    if(missing EQUAL 0)
      set(python ${candidate})
    endif()
  endif()
endforeach()
if(NOT python)
  message("skipped: no python3 can import numpy (Debian package python3-numpy)")
  return()
endif()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/numpy_files.py ${PROGRAM} ${COPY} ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
