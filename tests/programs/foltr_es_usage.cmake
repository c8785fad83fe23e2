# cmake -D PROGRAM=<program> -D FOLDER=<scratch folder> -P foltr_es_usage.cmake
#
# Runs foltr_es with each of its own options, and with those that contradict each other.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(ALWAYS --data synthetic:mq2007:0.05 --clients 60 --rounds 3)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# model(<variable> <argument>...): the hash of the model, which must be the same on one and three threads.
function(model variable)
  foreach(threads 1 3)
    run(0 "online metric" ${ARGN} --threads ${threads} --out ${FOLDER}/out --force)
    file(READ ${FOLDER}/out/run.json json)
    string(JSON sha256_${threads} GET "${json}" model_sha256)
  endforeach()
  if(NOT sha256_1 STREQUAL sha256_3)
    message(FATAL_ERROR "foltr_es ${ARGN}: the model depends on the number of threads")
  endif()
  set(${variable} ${sha256_1} PARENT_SCOPE)
endfunction()

# Each option changes the model.
model(as_it_is)
set(seen ${as_it_is})
foreach(
  option
  "--metric;ndcg"
  "--metric;dcg"
  "--metric;ndcg;--levels;5"
  "--antithetic;off"
  "--noise-std;0.1"
  "--p;0.5"
  "--p;1"
  "--ranker;neural")
  model(sha256 ${option})
  if(sha256 IN_LIST seen)
    message(FATAL_ERROR "foltr_es ${option}: the same model as with other options")
  endif()
  list(APPEND seen ${sha256})
endforeach()

run(0 "." --p .9 --out ${FOLDER}/private)
file(READ ${FOLDER}/private/run.json json)
string(JSON interaction GET "${json}" result epsilon_per_interaction)
string(JSON message GET "${json}" result epsilon_per_message)
string(JSON rounds GET "${json}" privacy epsilon_accounted)
if(NOT "${interaction} ${message} ${rounds}" MATCHES "^4\\.499[0-9]+ 17\\.999[0-9]+ 53\\.997")
  message(FATAL_ERROR "epsilon ln 90, of an interaction, 4 and 12 of them: got ${interaction} ${message} ${rounds}")
endif()

run(2 "--p: required a number above 1/11, .*got 0.09" --p 0.09)
run(2 "--p: required a number above 1/5, .*got 0.2" --metric ndcg --levels 5 --p .2)
run(2 "belongs to --metric ndcg and dcg" --levels 5)
run(2 "--interactions: required at least 2 with --antithetic on, .*got 1" --interactions 1)
run(0 "online metric" --interactions 1 --antithetic off)
