# cmake -D FPDGD=<fpdgd> -D EVALUATE=<evaluate> -D FOLDER=<scratch> -P evaluate_agrees.cmake
# Trains on a small LETOR folder, then evaluates the saved model: the same nDCG@10, and files with a line per document.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/data)
set(lines "")
foreach(query RANGE 1 12)
  foreach(document RANGE 1 6)
    math(EXPR grade "(${query} * ${document}) % 3")
    math(EXPR noise "(${query} * 7 + ${document} * 5) % 10")
    string(APPEND lines "${grade} qid:${query} 1:0.${noise} 2:${grade} 3:${document} #docid = D-${query}-${document}\n")
  endforeach()
endforeach()
foreach(part IN ITEMS train vali test)
  file(WRITE ${FOLDER}/data/${part}.txt "${lines}")
endforeach()

execute_process(COMMAND ${FPDGD} --data ${FOLDER}/data --clients 5 --rounds 5 --quiet --out ${FOLDER}/out OUTPUT_QUIET
                        COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND ${EVALUATE} ${FOLDER}/out/model.fltr ${FOLDER}/data/test.txt --scores ${FOLDER}/scores --run ${FOLDER}/run
          --qrels ${FOLDER}/qrels
  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FOLDER}/out/run.json json)
string(JSON trained GET "${json}" result offline_ndcg10)
string(REGEX MATCH "nDCG@10 +([0-9.]+)" found "${output}")
string(SUBSTRING "${trained}" 0 6 trained)
if(NOT CMAKE_MATCH_1 MATCHES "^${trained}")
  message(FATAL_ERROR "fpdgd says nDCG@10 ${trained}, evaluate says:\n${output}")
endif()
foreach(file IN ITEMS scores run qrels)
  file(STRINGS ${FOLDER}/${file} written)
  list(LENGTH written count)
  if(NOT count EQUAL 72)
    message(FATAL_ERROR "${file} has ${count} lines instead of 72")
  endif()
endforeach()
file(STRINGS ${FOLDER}/run first LIMIT_COUNT 1)
if(NOT first MATCHES "^1 Q0 D-1-[0-9]+ 1 [-0-9.e+]+ fltr$")
  message(FATAL_ERROR "the run begins with: ${first}")
endif()

# A damaged model is refused with one sentence and status 1; a wrong option with status 2.
file(WRITE ${FOLDER}/damaged "no model at all")
execute_process(COMMAND ${EVALUATE} ${FOLDER}/damaged ${FOLDER}/data/test.txt RESULT_VARIABLE status ERROR_VARIABLE error)
if(NOT status EQUAL 1 OR NOT error MATCHES "not a model file of fltr")
  message(FATAL_ERROR "a damaged model: status ${status}, ${error}")
endif()
execute_process(COMMAND ${EVALUATE} --clients 3 RESULT_VARIABLE status ERROR_VARIABLE error)
if(NOT status EQUAL 2)
  message(FATAL_ERROR "an option of another program: status ${status}, ${error}")
endif()
