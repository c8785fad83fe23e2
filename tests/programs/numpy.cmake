# cmake -D PROGRAM=<numpy_in_and_out> -D COPY=<npy_copy> -D FOLDER=<scratch> -P numpy.cmake
# Files that NumPy writes are read by us, and files that we write are read by NumPy. Skipped without NumPy.
cmake_minimum_required(VERSION 3.25)

set(python /usr/bin/python3)
execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
if(NOT missing EQUAL 0)
  message("skipped: ${python} cannot import numpy (Debian package python3-numpy)")
  return()
endif()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/numpy_files.py ${PROGRAM} ${COPY} ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
