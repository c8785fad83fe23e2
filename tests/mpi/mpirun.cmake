# Included by the tests on MPI ranks. MPIRUN: the program that starts ranks. Sets skip if there is none.
cmake_minimum_required(VERSION 3.25)

set(skip OFF)
if(NOT MPIRUN OR NOT EXISTS ${MPIRUN})
  message(STATUS "skipped: there is no mpirun")
  set(skip ON)
endif()

# Open MPI refuses root and more ranks than cores without these variables. Other MPIs do not know them. Without a binding, threads
# of a rank use all cores.
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
set(ENV{OMPI_MCA_hwloc_base_binding_policy} none)
# Ranks of one machine talk through memory; the copy that needs rights to trace processes is not allowed in many containers.
set(ENV{OMPI_MCA_btl_vader_single_copy_mechanism} none)

# on_ranks(<n> <command>...) sets status, output and errors.
macro(on_ranks n)
  execute_process(COMMAND ${MPIRUN} -n ${n} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors TIMEOUT 300)
endmacro()

# Stops unless the status is the expected one, and rank 0 alone printed a line that begins with the program's name.
function(expect_status expected what)
  if(NOT status EQUAL expected)
    message(FATAL_ERROR "${what}: required exit status ${expected}, got ${status}\n${output}${errors}")
  endif()
endfunction()
function(expect_one_error program text what)
  string(REGEX MATCHALL "${program}: error: [^\n]*" lines "${errors}")
  list(LENGTH lines count)
  if(NOT count EQUAL 1 OR NOT lines MATCHES "${text}")
    message(FATAL_ERROR "${what}: required one error with \"${text}\", got ${count}\n${output}${errors}")
  endif()
endfunction()
