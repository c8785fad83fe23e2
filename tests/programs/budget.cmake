# cmake -D FPDGD=<fpdgd> -D FOLTR_ES=<foltr_es> -D EVALUATE=<evaluate> -D FOLDER=<scratch folder> -P budget.cmake
#
# A run with --budget stops before the budget could be exceeded, says why, and leaves a model that can be evaluated.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# stopped(<folder> <budget> <delta>): checks run.json and rounds.csv of a run that was stopped by its budget.
function(stopped folder budget delta)
  file(READ ${folder}/run.json json)
  string(JSON accounted GET "${json}" privacy epsilon_accounted)
  string(JSON got_delta GET "${json}" privacy delta)
  string(JSON bound GET "${json}" privacy bound)
  string(JSON next GET "${json}" privacy budget_stop before_round)
  string(JSON after GET "${json}" privacy budget_stop epsilon_after_round)
  file(STRINGS ${folder}/rounds.csv lines)
  list(LENGTH lines count)  # the header, round 0, and rounds 1 to next - 1
  math(EXPR expected "${next} + 1")
  if(accounted GREATER budget OR NOT after GREATER budget OR NOT count EQUAL expected OR NOT got_delta EQUAL delta)
    message(FATAL_ERROR "budget ${budget}: accounted ${accounted}, delta ${got_delta}, then ${after} in round ${next}, ${count} lines")
  endif()
  list(GET lines 0 header)
  list(GET lines -1 last)
  if(NOT header MATCHES ",seconds,epsilon_bound$" OR NOT last MATCHES ",${bound}$")
    message(FATAL_ERROR "the name of the bound, ${bound}, is missing: ${header} ${last}")
  endif()
endfunction()

set(lines "")
foreach(query RANGE 1 20)
  foreach(document RANGE 1 6)
    math(EXPR grade "(${query} * ${document}) % 3")
    math(EXPR noise "(${query} * 7 + ${document} * 5) % 10")
    string(APPEND lines "${grade} qid:${query} 1:0.${noise} 2:${grade} 3:${document}\n")
  endforeach()
endforeach()
foreach(part IN ITEMS train vali test)
  file(WRITE ${FOLDER}/data/${part}.txt "${lines}")
endforeach()

set(PROGRAM ${FPDGD})
set(ALWAYS --data ${FOLDER}/data --clients 20 --rounds 60 --eval-every 7)
run(0 "\nbudget +stopped before round [0-9]+, which could raise the accounted epsilon to 3\\.[0-9]+, above the budget of 3\n"
    --epsilon 0.1 --budget 3 --delta 1e-6 --out ${FOLDER}/fpdgd)
stopped(${FOLDER}/fpdgd 3 1e-6)
file(READ ${FOLDER}/fpdgd/run.json json)
string(JSON ndcg GET "${json}" result offline_ndcg10)
execute_process(COMMAND ${EVALUATE} ${FOLDER}/fpdgd/model.fltr ${FOLDER}/data/test.txt OUTPUT_VARIABLE output
                        COMMAND_ERROR_IS_FATAL ANY)
if(NOT ndcg GREATER 0 OR NOT output MATCHES "nDCG@10")
  message(FATAL_ERROR "the last model was not evaluated: nDCG@10 ${ndcg}\n${output}")
endif()
# The model is that of a run with as many rounds and no budget.
string(JSON stop GET "${json}" privacy budget_stop before_round)
math(EXPR rounds "${stop} - 1")
set(ALWAYS --data ${FOLDER}/data --clients 20 --rounds ${rounds} --eval-every 7)
run(0 "." --epsilon 0.1 --delta 1e-6 --out ${FOLDER}/same)
file(READ ${FOLDER}/same/run.json other)
foreach(what model_sha256 "result;offline_ndcg10" "privacy;epsilon_accounted")
  string(JSON a GET "${json}" ${what})
  string(JSON b GET "${other}" ${what})
  if(NOT a STREQUAL b)
    message(FATAL_ERROR "${what}: ${a} with a budget, ${b} without")
  endif()
endforeach()

# A budget that pays for no round: the start model is the result. No budget without privacy.
run(0 "stopped before round 1" --epsilon 4.5 --budget 1)
run(2 "belongs to --epsilon" --budget 1)
run(2 "--budget: required a number above 0" --epsilon 1 --budget 0)
run(2 "--delta: required a number from 0 and below 1" --epsilon 1 --delta 1)

set(PROGRAM ${FOLTR_ES})
set(ALWAYS --data synthetic:mq2007:0.05 --clients 20 --rounds 20)
run(0 "stopped before round [0-9]+, which could raise the accounted epsilon to 2[5-7]\\." --p .25 --budget 25 --out ${FOLDER}/es)
stopped(${FOLDER}/es 25 1e-5)
run(2 "belongs to --p below 1" --p 1 --budget 5)
