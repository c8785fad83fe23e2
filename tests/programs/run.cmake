# run(<status> <regex in what it prints> <argument>...) runs ${PROGRAM}, with ${QUIET} and ${ALWAYS} before the arguments.
set(QUIET --quiet)
function(run status regex)
  execute_process(COMMAND ${PROGRAM} ${QUIET} ${ALWAYS} ${ARGN} RESULT_VARIABLE got OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT got EQUAL status OR NOT "${out}${err}" MATCHES "${regex}")
    cmake_path(GET PROGRAM FILENAME name)
    message(FATAL_ERROR "${name} ${ALWAYS} ${ARGN}: wanted status ${status} and /${regex}/, got ${got}:\n${out}${err}")
  endif()
endfunction()
