# cmake -D PROGRAM=<fpdgd> -D FOLDER=<scratch> -P same_on_any_threads.cmake
# One run on 1, 2, 3 and 8 threads: the model, queries.csv, and rounds.csv without its seconds are the same.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})

foreach(threads IN ITEMS 1 2 3 8)
  execute_process(
    COMMAND ${PROGRAM} --data synthetic:mq2007:0.1 --clients 203 --interactions 3 --rounds 8 --clicks informational
            --epsilon 4.5 --repeats 2 --threads ${threads} --quiet --out ${FOLDER}/${threads}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${FOLDER}/${threads}/run.json json)
  string(JSON model GET "${json}" model_sha256)
  file(STRINGS ${FOLDER}/${threads}/rounds.csv lines)
  file(READ ${FOLDER}/${threads}/queries.csv queries)
  set(rows "${model}\n${queries}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ",[^,]*,([^,]*)$" ",\\1" line "${line}") # seconds, the last column but one
    string(APPEND rows "\n${line}")
  endforeach()
  if(threads EQUAL 1)
    set(expected "${rows}")
    list(LENGTH lines count)
    if(NOT count EQUAL 19)
      message(FATAL_ERROR "rounds.csv has ${count} lines instead of 19")
    endif()
  elseif(NOT rows STREQUAL expected)
    message(FATAL_ERROR "other results on ${threads} threads than on one:\n${rows}\n--- expected:\n${expected}")
  endif()
endforeach()

# A run.json repeats its run.
execute_process(COMMAND ${PROGRAM} --config ${FOLDER}/1/run.json --quiet --out ${FOLDER}/again OUTPUT_QUIET
                        COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FOLDER}/again/run.json json)
string(JSON model GET "${json}" model_sha256)
string(FIND "${expected}" "${model}" at)
if(NOT at EQUAL 0)
  message(FATAL_ERROR "--config run.json leads to another model: ${model}")
endif()
