# cmake -D MPIRUN=<mpirun> -D PROGRAMS=<folder> -D DRIVER=<run_and_signal> -D FOLDER=<scratch> -P programs.cmake
# Programs on ranks: the files of one process, one report, one sentence for an error, and the results so far after a signal.
include(${CMAKE_CURRENT_LIST_DIR}/mpirun.cmake)
if(skip)
  return()
endif()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# Sets content: the hash of the model, queries.csv, and rounds.csv without its seconds.
function(read_result folder)
  file(READ ${folder}/run.json json)
  string(JSON model GET "${json}" model_sha256)
  file(STRINGS ${folder}/rounds.csv lines)
  file(READ ${folder}/queries.csv queries)
  set(rows "${model}\n${queries}")
  foreach(line IN LISTS lines)
    string(REPLACE "," ";" cells "${line}")
    list(REMOVE_AT cells 14) # the seconds
    string(APPEND rows "\n${cells}")
  endforeach()
  set(content "${rows}" PARENT_SCOPE)
endfunction()

# same_on_ranks(<program> <argument>...) compares 2 and 3 ranks with one process.
function(same_on_ranks program)
  execute_process(COMMAND ${PROGRAMS}/${program} ${ARGN} --threads 1 --quiet --out ${FOLDER}/${program}-0 OUTPUT_QUIET
                          COMMAND_ERROR_IS_FATAL ANY)
  read_result(${FOLDER}/${program}-0)
  set(expected "${content}")
  foreach(n 2 3)
    on_ranks(${n} ${PROGRAMS}/${program} ${ARGN} --threads ${n} --quiet --out ${FOLDER}/${program}-${n})
    expect_status(0 "${program} on ${n} ranks")
    string(REGEX MATCHALL "written to" reports "${output}")
    list(LENGTH reports count)
    if(NOT count EQUAL 1 OR NOT errors STREQUAL "")
      message(FATAL_ERROR "${program} on ${n} ranks: required one report and no error\n${output}${errors}")
    endif()
    read_result(${FOLDER}/${program}-${n})
    if(NOT content STREQUAL expected)
      message(FATAL_ERROR "${program}: other results on ${n} ranks than in one process:\n${content}\n--- expected:\n${expected}")
    endif()
    file(READ ${FOLDER}/${program}-${n}/run.json json)
    string(JSON ranks GET "${json}" ranks)
    if(NOT ranks EQUAL n)
      message(FATAL_ERROR "${program}: run.json has ${ranks} ranks instead of ${n}")
    endif()
  endforeach()
endfunction()

set(small --data synthetic:mq2007:0.1 --rounds 3)
same_on_ranks(fpdgd ${small} --clients 83 --interactions 3 --clicks informational --epsilon 4.5)
same_on_ranks(fpdgd ${small} --clients 83 --secure ideal --mechanism distributed-gaussian --total-epsilon 4 --dropout .1 --fewest-reports 50
              --force)
if(SECURE)
  same_on_ranks(fpdgd ${small} --clients 37 --secure --dropout .1 --fewest-reports 20 --force)
endif()
same_on_ranks(poisoning ${small} --clients 40 --attack little-is-enough --malicious 4 --aggregator krum)
same_on_ranks(forest_merge --data synthetic:istella:0.01 --trees 3 --leaves 4)

# Programs without a federation work on rank 0.
on_ranks(2 ${PROGRAMS}/lambda_mart --data synthetic:mq2007:0.1 --trees 3 --quiet --out ${FOLDER}/mart)
expect_status(0 "lambda_mart on 2 ranks")

# One sentence and the status of one process.
on_ranks(3 ${PROGRAMS}/fpdgd --clients 0)
expect_status(2 "a wrong option on 3 ranks")
expect_one_error(fpdgd "--clients: required" "a wrong option on 3 ranks")
on_ranks(2 ${PROGRAMS}/fpdgd --data ${FOLDER}/nothing)
expect_one_error(fpdgd "nothing" "missing data on 2 ranks")
execute_process(COMMAND ${MPIRUN} -n 1 ${PROGRAMS}/fpdgd ${small} : -n 1 ${PROGRAMS}/fpdgd ${small} --seed 2 RESULT_VARIABLE status
                OUTPUT_VARIABLE output ERROR_VARIABLE errors)
expect_status(1 "other options on the second rank")
expect_one_error(fpdgd "required the same program and options on all ranks" "other options on the second rank")

# A signal to mpirun: the ranks end after the same round, and rank 0 writes the results so far.
execute_process(
  COMMAND ${DRIVER} --when-partial ${FOLDER}/stopped rounds.csv 3 --send TERM -- ${MPIRUN} -n 2 ${PROGRAMS}/fpdgd --data
          synthetic:mq2007:0.1 --clients 83 --rounds 1000000 --quiet --out ${FOLDER}/stopped
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
expect_status(0 "a signal on 2 ranks")
file(READ ${FOLDER}/stopped/run.json json)
string(JSON interrupted GET "${json}" interrupted)
string(JSON signal GET "${json}" interruption signal)
if(NOT "${interrupted} ${signal}" STREQUAL "ON SIGTERM" OR NOT EXISTS ${FOLDER}/stopped/model.fltr)
  message(FATAL_ERROR "a signal on 2 ranks: interrupted ${interrupted} by ${signal}\n${output}${errors}")
endif()

# The mpirun of another MPI starts processes that do not know each other: an error, not several equal runs.
execute_process(COMMAND ${CMAKE_COMMAND} -E env PMI_SIZE=3 PMI_RANK=0 ${PROGRAMS}/fpdgd --data synthetic:mq2007:0.05 --rounds 1 --quiet
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
expect_status(1 "a process of another MPI")
expect_one_error(fpdgd "got 3 processes of another MPI, each alone" "a process of another MPI")
