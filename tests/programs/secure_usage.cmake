# cmake -D PROGRAM=<fpdgd> -D SECURE=<whether it has libsodium> -D FOLDER=<scratch folder> -P secure_usage.cmake
#
# Runs fpdgd with Gaussian noise in ideal and in secure sums, and with options that contradict each other.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(ALWAYS --data synthetic:mq2007:0.05 --clients 40 --rounds 3)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(private --mechanism distributed-gaussian --total-epsilon 2 --fewest-reports 30 --colluding 4)

# outcome(<argument>...): the hash of the model and the accounted epsilon.
function(outcome variable)
  run(0 "." ${ARGN} --out ${FOLDER}/out --force)
  file(READ ${FOLDER}/out/run.json json)
  string(JSON sha256 GET ${json} model_sha256)
  string(JSON epsilon GET ${json} privacy epsilon_accounted)
  string(JSON assumption GET ${json} privacy assumption)
  set(${variable} "${sha256} ${epsilon} ${assumption}" PARENT_SCOPE)
endfunction()

# All 40 clients report, so that less than the total epsilon of 2 is charged.
outcome(ideal ${private} --secure ideal --threads 1)
if(NOT ideal MATCHES " 1\\.[0-9]+ assumes that at most 4 of the reporting clients collude")
  message(FATAL_ERROR "required an epsilon below 2 and the number of colluding clients, got: ${ideal}")
endif()
if(SECURE)
  foreach(threads 1 3)
    outcome(secure ${private} --secure --threads ${threads})
    if(NOT secure STREQUAL ideal)
      message(FATAL_ERROR "the secure sum differs from the ideal one:\n${secure}\n${ideal}")
    endif()
  endforeach()
  run(0 "." --secure)
else()
  run(2 "compiled without libsodium" --secure)
endif()

run(2 "--mechanism distributed-gaussian: required --total-epsilon" --mechanism distributed-gaussian --secure ideal)
run(2 "required --secure, because its noise protects sums only" --mechanism distributed-gaussian --total-epsilon 1)
run(2 "--epsilon cannot be used with --mechanism" ${private} --secure ideal --epsilon 1)
run(2 "--secure cannot be used with --epsilon" --secure ideal --epsilon 1)
run(2 "--secure: required --ranker linear" ${private} --secure ideal --ranker neural)
run(2 "--secure cannot be used with --central" ${private} --secure ideal --central)
run(2 "--fewest-reports: required a number above --colluding and at most --clients, got 50" ${private} --secure ideal
    --fewest-reports 50)
run(2 "--fewest-reports: required a number above --colluding and at most --clients, got 30" ${private} --secure ideal
    --colluding 30)
run(2 "belongs to --mechanism distributed-gaussian" --clip 1)
