# cmake -D PROGRAMS=<folder> -D DRIVER=<run_and_signal> -D FOLDER=<scratch folder> -P full_disk.cmake
#
# If a file cannot be written at the end, the table is still printed and the other files are still written. A limit on the
# size of files and /dev/full simulate a full disk.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# limited(<bytes> <regex of the output> <program> <argument>...) requires status 1 and no unfinished file.
function(limited bytes regex program)
  execute_process(COMMAND ${DRIVER} --file-size ${bytes} -- ${PROGRAMS}/${program} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE
                          printed ERROR_VARIABLE printed)
  if(NOT status EQUAL 0 OR NOT printed MATCHES "exit status 1\n$" OR NOT printed MATCHES "${regex}")
    message(FATAL_ERROR "${program} ${ARGN}, files of ${bytes} bytes: required status 1 and /${regex}/, got:\n${printed}")
  endif()
  file(GLOB_RECURSE files ${FOLDER}/*.partial)
  if(files)
    message(FATAL_ERROR "${program}: these files stayed behind: ${files}")
  endif()
endfunction()

set(training_fpdgd --data synthetic:mq2007:0.05 --clients 5 --rounds 200 --threads 1)
set(training_foltr_es ${training_fpdgd})
set(training_fedips --data synthetic:yahoo:0.01 --clients 5 --rounds 200 --threads 1)
set(training_lambda_mart --data synthetic:mq2007:0.05 --trees 200 --patience 0 --leaves 2)
set(training_forest_merge --data synthetic:istella:0.01 --trees 20)

foreach(program fpdgd foltr_es fedips lambda_mart)
  # rounds.csv is longer than the limit, run.json is not.
  set(out ${FOLDER}/${program})
  limited(5000 "offline nDCG@10.*the results are complete, but (a file is|files are) missing: [^\n]*cannot write [^\n]*rounds.csv"
          ${program} ${training_${program}} --out ${out})
  if(EXISTS ${out}/rounds.csv)
    message(FATAL_ERROR "${program}: a part of rounds.csv stayed behind")
  endif()
  foreach(file run.json queries.csv)
    if(NOT EXISTS ${out}/${file})
      message(FATAL_ERROR "${program}: ${file} could have been written")
    endif()
  endforeach()
  file(READ ${out}/run.json json)
  string(JSON missing GET "${json}" missing_files)
  if(NOT missing MATCHES "rounds.csv")
    message(FATAL_ERROR "${program}: run.json does not say that rounds.csv is missing: ${missing}")
  endif()
endforeach()
limited(300 "merged models nDCG@10.*merged, client 2.*files are missing: [^\n]*run.json" forest_merge ${training_forest_merge} --out
        ${FOLDER}/forest_merge)

# No file can be written: the new folder is removed, and an earlier result is unchanged.
limited(0 "offline nDCG@10.*files are missing: [^\n]*run.json" fpdgd ${training_fpdgd} --out ${FOLDER}/none)
if(EXISTS ${FOLDER}/none)
  message(FATAL_ERROR "an empty folder stayed behind")
endif()

# --force replaces an earlier result as a whole or not at all. contents(<variable> <folder>): its files and their hashes.
function(contents variable folder)
  file(GLOB_RECURSE files LIST_DIRECTORIES true ${folder}/*)
  set(listed)
  foreach(file IN LISTS files)
    if(NOT file MATCHES "[.]new$" AND NOT IS_DIRECTORY ${file})
      file(SHA256 ${file} hash)
      list(APPEND listed "${file} ${hash}")
    endif()
  endforeach()
  set(${variable} "${listed}" PARENT_SCOPE)
endfunction()
foreach(program fpdgd foltr_es fedips lambda_mart forest_merge)
  set(out ${FOLDER}/earlier-${program})
  execute_process(COMMAND ${PROGRAMS}/${program} ${training_${program}} --repeats 2 --quiet --out ${out} OUTPUT_QUIET
                                                                                                 COMMAND_ERROR_IS_FATAL ANY)
  contents(before ${out})
  foreach(bytes 0 5000)
    limited(${bytes} "nDCG@10.*(a file is|files are) missing: [^\n]*: File too large[^\n]*; the earlier result in [^\n]* stays as it was"
            ${program} ${training_${program}} --out ${out} --force)
    contents(after ${out})
    if(NOT before STREQUAL after)
      message(FATAL_ERROR "${program} --force, files of ${bytes} bytes: required ${before}, got ${after}")
    endif()
    file(GLOB_RECURSE new RELATIVE ${out} ${out}/*.new)
    if(bytes EQUAL 0 AND new OR bytes GREATER 0 AND NOT new)
      message(FATAL_ERROR "${program} --force, files of ${bytes} bytes: new files are ${new}")
    endif()
  endforeach()
  # The next complete result replaces the earlier result and the .new files.
  execute_process(COMMAND ${PROGRAMS}/${program} ${training_${program}} --quiet --out ${out} --force OUTPUT_QUIET COMMAND_ERROR_IS_FATAL
                          ANY)
  file(GLOB_RECURSE files RELATIVE ${out} ${out}/*)
  file(READ ${out}/run.json json)
  string(JSON count LENGTH "${json}" files)
  math(EXPR last "${count} - 1")
  set(listed)
  foreach(i RANGE ${last})
    string(JSON file GET "${json}" files ${i})
    list(APPEND listed ${file})
  endforeach()
  list(SORT files)
  list(SORT listed)
  if(NOT files STREQUAL listed OR NOT "model.fltr" IN_LIST files)
    message(FATAL_ERROR "${program} --force: run.json lists ${listed}, got ${files}")
  endif()
endforeach()

# --export and the other output files
file(WRITE ${FOLDER}/export "earlier\n")
limited(200 "offline nDCG@10.*a file is missing: cannot write [^\n]*export" lambda_mart ${training_lambda_mart} --export
        ${FOLDER}/export)
file(READ ${FOLDER}/export content)
if(NOT content STREQUAL "earlier\n")
  message(FATAL_ERROR "the earlier --export was destroyed")
endif()
limited(100000000 "offline nDCG@10.*a file is missing: cannot write /dev/full" lambda_mart ${training_lambda_mart} --export
        /dev/full --run ${FOLDER}/run)
if(NOT EXISTS ${FOLDER}/run)
  message(FATAL_ERROR "lambda_mart: --run could have been written")
endif()
execute_process(COMMAND ${PROGRAMS}/lambda_mart ${training_lambda_mart} --quiet --write-data ${FOLDER}/data --out ${FOLDER}/model
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
limited(100000000 "MRR@10 .*a file is missing: cannot write /dev/full" evaluate ${FOLDER}/model/model.fltr ${FOLDER}/data/test.txt
        --scores /dev/full --run ${FOLDER}/run2 --qrels ${FOLDER}/qrels2)
foreach(file run2 qrels2)
  if(NOT EXISTS ${FOLDER}/${file})
    message(FATAL_ERROR "evaluate: ${file} could have been written")
  endif()
endforeach()
file(REMOVE_RECURSE ${FOLDER}/same_model)
file(COPY ${FOLDER}/model/ DESTINATION ${FOLDER}/same_model)
execute_process(COMMAND ${PROGRAMS}/compare ${FOLDER}/model ${FOLDER}/same_model OUTPUT_FILE /dev/full RESULT_VARIABLE status ERROR_VARIABLE
                        printed)
if(NOT status EQUAL 1 OR NOT printed MATCHES "cannot write to the standard output")
  message(FATAL_ERROR "compare > /dev/full: ${status}\n${printed}")
endif()

# --trials: the search continues, and names the missing file at its end.
limited(120 "tuned leaves.*a file is missing: cannot write [^\n]*trials" lambda_mart --data synthetic:mq2007:0.05 --trees 5
        --patience 3 --tune 3 --trials ${FOLDER}/trials)
