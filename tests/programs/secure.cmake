# cmake -D FPDGD=<fpdgd> -D FOLTR_ES=<foltr_es> -D DRIVER=<run_and_signal> -D SECURE=<0|1> -D FOLDER=<scratch folder> -P secure.cmake
#
# --secure of fpdgd and foltr_es: masked and ideal sums give the same model on any number of threads, with all kinds of
# noise and with dropout. The accounted epsilon is the one asked for. SECURE: whether the programs have libsodium.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# result(<argument>...): runs the program; sets json, sha256 and accounted.
function(result)
  run(0 "." ${ARGN} --out ${FOLDER}/out --force)
  file(READ ${FOLDER}/out/run.json json)
  string(JSON sha256 GET ${json} model_sha256)
  string(JSON accounted ERROR_VARIABLE none GET ${json} privacy epsilon_accounted)
  foreach(variable IN ITEMS json sha256 accounted)
    set(${variable} "${${variable}}" PARENT_SCOPE)
  endforeach()
endfunction()

# same_as_masked(<argument>...): the ideal sum on one and three threads, and the masked sum, give one model and one epsilon.
function(same_as_masked)
  result(${ARGN} --secure ideal --threads 1)
  set(expected "${sha256} ${accounted}")
  result(${ARGN} --secure ideal --threads 3)
  if(NOT "${sha256} ${accounted}" STREQUAL expected)
    message(FATAL_ERROR "${ARGN} --secure ideal: the result depends on the number of threads")
  endif()
  if(SECURE)
    result(${ARGN} --secure --threads 2)
    if(NOT "${sha256} ${accounted}" STREQUAL expected)
      message(FATAL_ERROR "${ARGN}: masked ${sha256} ${accounted}, ideal ${expected}")
    endif()
  endif()
  foreach(variable IN ITEMS json sha256 accounted)
    set(${variable} "${${variable}}" PARENT_SCOPE)
  endforeach()
endfunction()

set(data --data synthetic:mq2007:0.05)
set(PROGRAM ${FPDGD})
set(ALWAYS ${data} --clients 30 --rounds 3)
set(gaussian --mechanism distributed-gaussian --total-epsilon 5)

# A sum without noise is that of an unsealed run up to 2^-32 per client, and has no bound.
result()
string(JSON plain GET ${json} result offline_ndcg10)
same_as_masked()
string(JSON sealed GET ${json} result offline_ndcg10)
if(NOT plain EQUAL sealed OR NOT accounted STREQUAL "inf")
  message(FATAL_ERROR "without noise: nDCG@10 ${plain} unsealed, ${sealed} sealed, epsilon ${accounted}")
endif()
same_as_masked(--ranker neural --dropout .3 --fewest-reports 15)
same_as_masked(--epsilon 4.5)
same_as_masked(--epsilon 4.5 --dropout .2 --fewest-reports 18 --colluding 3)
if(NOT accounted GREATER 0 OR accounted STREQUAL "inf")
  message(FATAL_ERROR "the noise of 15 honest reports is complete, but epsilon is ${accounted}")
endif()

# All clients report: the total is reached. The larger distance to it is that of the grid.
same_as_masked(${gaussian})
if(accounted GREATER 5 OR accounted LESS 4.95)
  message(FATAL_ERROR "--total-epsilon 5: accounted ${accounted}")
endif()
# Without a seal a message counts alone: rho is 30 times larger, and epsilon at least sqrt(30) times.
result(${gaussian})
if(NOT accounted GREATER 27 OR accounted STREQUAL "inf")
  message(FATAL_ERROR "unsealed: accounted ${accounted}, required a finite number above 5 sqrt(30)")
endif()
# More reports than the fewest ones cost less; c is in run.json and in the report.
same_as_masked(${gaussian} --dropout .1 --fewest-reports 20 --colluding 4)
string(JSON colluding GET ${json} result shared_noise colluding)
string(JSON assumption GET ${json} privacy assumption)
if(accounted GREATER 4.9 OR NOT colluding EQUAL 4 OR NOT assumption MATCHES "at most 4 of the reporting clients")
  message(FATAL_ERROR "accounted ${accounted}, colluding ${colluding}, assumption ${assumption}")
endif()
# Too few reports: every round is discarded, costs nothing and leaves the start model.
same_as_masked(${gaussian} --dropout .6 --fewest-reports 29)
file(STRINGS ${FOLDER}/out/rounds.csv lines)
list(GET lines 1 first)
list(GET lines -1 last)
string(REPLACE "," ";" first "${first}")
string(REPLACE "," ";" last "${last}")
list(GET first 5 start)
list(GET last 5 end)
if(NOT accounted EQUAL 0 OR NOT start STREQUAL end)
  message(FATAL_ERROR "discarded rounds: epsilon ${accounted}, nDCG@10 ${start} at the start and ${end} at the end")
endif()
# A budget below the total ends the run.
run(0 "budget +stopped before round [23]" ${gaussian} --secure ideal --budget 4)

if(SECURE)
  run(0 "secure sum +masked, 29 neighbours .all., threshold 16, 32 bits; opened with at least 30 of 30 reports" ${gaussian} --secure)
  set(ALWAYS ${data})
  run(2 "--secure masked: .*at least 2 clients" --clients 1 --secure)
  set(ALWAYS ${data} --clients 30 --rounds 3)
  run(2 "--secure masked: .*--fewest-reports" --secure --dropout .9)

  # A masked run goes on from a checkpoint.
  set(long ${data} --clients 30 --rounds 60 --secure ${gaussian} --quiet --out ${FOLDER}/long)
  execute_process(COMMAND ${FPDGD} ${long} RESULT_VARIABLE status OUTPUT_QUIET)
  file(READ ${FOLDER}/long/run.json json)
  string(JSON expected GET ${json} model_sha256)
  set(saved --checkpoint ${FOLDER}/saved --checkpoint-every 2)
  execute_process(COMMAND ${DRIVER} --when-exists ${FOLDER}/saved/run1-1. --send KILL -- ${FPDGD} ${long} --force ${saved}
                  RESULT_VARIABLE status OUTPUT_VARIABLE printed)
  execute_process(COMMAND ${FPDGD} ${long} --force ${saved} --resume RESULT_VARIABLE again OUTPUT_VARIABLE more ERROR_VARIABLE more)
  file(READ ${FOLDER}/long/run.json json)
  string(JSON sha256 GET ${json} model_sha256)
  if(NOT status EQUAL 0 OR NOT printed MATCHES "killed by signal 9" OR NOT again EQUAL 0 OR NOT more MATCHES "goes on after round"
     OR NOT sha256 STREQUAL expected)
    message(FATAL_ERROR "after --resume ${sha256}, without interruption ${expected}:\n${printed}\n${more}")
  endif()
else()
  run(2 "built without libsodium" --secure)
endif()

# ---- options that contradict each other

run(2 "--mechanism distributed-gaussian: required --total-epsilon" --mechanism distributed-gaussian)
run(2 "--clip belongs to --mechanism distributed-gaussian" --clip .2)
run(2 "--total-epsilon belongs to --mechanism distributed-gaussian" --epsilon 4.5 --total-epsilon 1)
run(2 "--epsilon belongs to --mechanism gamma" ${gaussian} --epsilon 4.5)
run(2 "--sensitivity belongs to --epsilon" ${gaussian} --sensitivity 3)
run(2 "--fewest-reports belongs to --secure and to noise" --fewest-reports 10)
run(2 "--colluding belongs to --secure masked and to noise" --secure ideal --colluding 3)
run(2 "--minimum-reports 5: required the same number as --fewest-reports, 10" --secure ideal --fewest-reports 10 --minimum-reports 5)
run(2 "--fewest-reports: required at most the 30 clients, got 31" --secure ideal --fewest-reports 31)
run(2 "--colluding: required fewer than the fewest reports, 30, got 30" ${gaussian} --colluding 30)
run(2 "--delta: required a number above 0" ${gaussian} --delta 0)
run(2 "--secure cannot be used with --central" --secure ideal --central)
run(2 "--secure: required no, masked or ideal, got \"yes\"" --secure yes)

# ---- foltr_es: the same measurements, added by the server or by the clients

set(PROGRAM ${FOLTR_ES})
set(ALWAYS ${data} --clients 40 --rounds 3)
result(--p 1)
string(JSON plain GET ${json} result offline_ndcg10)
same_as_masked(--p 1)
string(JSON sealed GET ${json} result offline_ndcg10)
if(NOT plain EQUAL sealed)
  message(FATAL_ERROR "foltr_es: nDCG@10 ${plain} unsealed, ${sealed} sealed")
endif()
# The loss of measurements is that of each of them alone: the seal changes nothing.
result(--metric ndcg)
set(unsealed ${accounted})
same_as_masked(--metric ndcg --dropout .2 --fewest-reports 20)
if(NOT accounted STREQUAL unsealed)
  message(FATAL_ERROR "foltr_es: accounted ${accounted} sealed, ${unsealed} unsealed")
endif()
# Noise on the vectors of all clients.
same_as_masked(${gaussian} --metric dcg)
string(JSON p GET ${json} options p)
if(accounted GREATER 5 OR accounted LESS 4.95 OR NOT p STREQUAL "")
  message(FATAL_ERROR "foltr_es --total-epsilon 5: accounted ${accounted}, p ${p}")
endif()
run(2 "--p belongs to --mechanism measurements" ${gaussian} --secure ideal --p .5)
run(2 "--mechanism distributed-gaussian: required --secure" ${gaussian})
