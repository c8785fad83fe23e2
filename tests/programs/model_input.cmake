# cmake -D FPDGD=<fpdgd> -D LAMBDA_MART=<lambda_mart> -D FOREST_MERGE=<forest_merge> -D EVALUATE=<evaluate> -D GOLDEN=<tests/golden>
# -D FOLDER=<scratch> -P model_input.cmake
#
# A model file holds its normalisation and its clamp: evaluate gives the nDCG@10 of the training for each --normalize, on
# test documents of another scale than the training documents. Options that contradict the file are refused, and clamped
# values are counted.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
foreach(part IN ITEMS train vali test)
  set(lines "")
  string(LENGTH ${part} shift) # 5 and 4: the parts differ
  foreach(query RANGE 1 12)
    foreach(document RANGE 1 6)
      math(EXPR grade "(${query} * ${document} + ${shift}) % 3")
      math(EXPR a "(${query} * 7 + ${document} * 5) % 10 + 40 * ${query} * ${shift}")
      math(EXPR b "2 * ${grade} + (${query} + ${document} * 3) % 5")
      math(EXPR c "(${document} * ${document} * ${query}) % 7 - 3 * ${grade}")
      string(APPEND lines "${grade} qid:${query} 1:${a} 2:${b} 3:${c}\n")
    endforeach()
  endforeach()
  # One value of each part is beyond 1e6, like the missing values of Istella.
  file(WRITE ${FOLDER}/data/${part}.txt "${lines}2 qid:13 1:2e6 2:9\n0 qid:13 1:3 2:1\n")
  file(WRITE ${FOLDER}/big/${part}.txt "${lines}2 qid:13 1:1.79769313486e+308 2:9\n0 qid:13 1:3 2:1\n")
endforeach()
set(test ${FOLDER}/data/test.txt)

# run(<program> <status> <regex> <argument>...); the output is in `output`.
function(run program status regex)
  execute_process(COMMAND ${program} ${ARGN} RESULT_VARIABLE got OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT got EQUAL status OR NOT "${out}${err}" MATCHES "${regex}")
    cmake_path(GET program FILENAME name)
    message(FATAL_ERROR "${name} ${ARGN}: wanted status ${status} and /${regex}/, got ${got}:\n${out}${err}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

# evaluates_as_trained(<folder>): to all six printed digits.
function(evaluates_as_trained out)
  file(READ ${FOLDER}/${out}/run.json json)
  string(JSON trained GET "${json}" result offline_ndcg10)
  if(trained EQUAL 1)
    message(FATAL_ERROR "${out}: nDCG@10 is 1, which no wrong normalisation would change")
  endif()
  string(REGEX MATCH "^0\\.([0-9]+)$" found "${trained}")
  string(SUBSTRING "${CMAKE_MATCH_1}0000000" 0 7 digits)
  math(EXPR rounded "(1${digits} + 5) / 10") # the 1 keeps the zeros that follow it
  run(${EVALUATE} 0 "nDCG@10 +0\\.[0-9]+" ${FOLDER}/${out}/model.fltr ${test} ${ARGN})
  string(REGEX MATCH "nDCG@10 +0\\.([0-9]+)" found "${output}")
  if(NOT rounded EQUAL "1${CMAKE_MATCH_1}")
    message(FATAL_ERROR "${out}: training says nDCG@10 ${trained}, evaluate ${ARGN} says:\n${output}")
  endif()
endfunction()

set(fpdgd ${FPDGD} --data ${FOLDER}/data --clients 5 --rounds 4 --quiet)
set(mart ${LAMBDA_MART} --data ${FOLDER}/data --trees 8 --leaves 4 --min-data 2 --quiet)
set(scores "")
foreach(normalize IN ITEMS none query zscore)
  foreach(ranker IN ITEMS linear neural)
    run("${fpdgd}" 0 "clamped +3 feature values beyond -1e\\+06 or 1e\\+06" --normalize ${normalize} --ranker ${ranker} --out
        ${FOLDER}/${ranker}_${normalize})
    evaluates_as_trained(${ranker}_${normalize} --scores ${FOLDER}/scores)
    evaluates_as_trained(${ranker}_${normalize} --normalize ${normalize} --clamp 1e6)
    file(SHA256 ${FOLDER}/scores hash)
    if(hash IN_LIST scores)
      message(FATAL_ERROR "${ranker}, --normalize ${normalize}: the scores are those of another normalisation")
    endif()
    list(APPEND scores ${hash})
  endforeach()
  run("${mart}" 0 "trees +[0-9]+\n" --normalize ${normalize} --out ${FOLDER}/mart_${normalize})
  evaluates_as_trained(mart_${normalize})
  # lambda_mart takes the normalisation from the model too.
  run("${LAMBDA_MART}" 0 "offline nDCG@10" --data ${FOLDER}/data --model ${FOLDER}/mart_${normalize}/model.fltr --quiet --out
      ${FOLDER}/again_${normalize})
  foreach(name IN ITEMS mart again)
    file(READ ${FOLDER}/${name}_${normalize}/run.json json)
    string(JSON ndcg GET "${json}" result offline_ndcg10)
    string(JSON sha GET "${json}" model_sha256)
    string(JSON how GET "${json}" options normalize)
    set(result_of_${name} "${ndcg} ${sha} ${how}")
  endforeach()
  if(NOT result_of_mart STREQUAL result_of_again OR NOT how STREQUAL normalize)
    message(FATAL_ERROR "--normalize ${normalize}: trained ${result_of_mart}, read again ${result_of_again}")
  endif()
endforeach()

# An option that contradicts the file is wrong usage.
set(zscore ${FOLDER}/linear_zscore/model.fltr)
foreach(other IN ITEMS none query)
  run(${EVALUATE} 2 "--normalize ${other} contradicts .*trained with --normalize zscore; leave --normalize out" ${zscore}
      ${test} --normalize ${other})
  run("${LAMBDA_MART}" 2 "contradicts" --data ${FOLDER}/data --model ${FOLDER}/mart_zscore/model.fltr --normalize ${other})
endforeach()
run(${EVALUATE} 2 "--clamp 5 contradicts" ${zscore} ${test} --clamp 5)
run(${EVALUATE} 2 "--clamp off contradicts" ${zscore} ${test} --clamp off)

# A model file of version 1 does not hold its normalisation: --normalize is required.
set(old ${GOLDEN}/model_version_1.fltr)
run(${EVALUATE} 2 "does not say how its features were normalised, because it is a model file of version 1: give --normalize" ${old} ${test})
run(${EVALUATE} 0 "nDCG@10" ${old} ${test} --normalize query)
run(${EVALUATE} 0 "nDCG@10" ${old} ${test} --normalize none)
run(${EVALUATE} 2 "needs the mean and deviation of the training documents" ${old} ${test} --normalize zscore)

# A text model of LightGBM cannot hold the normalisation: --export prints a note.
foreach(normalize IN ITEMS query zscore)
  run("${mart}" 0 "note: .*export.txt cannot hold the normalisation --normalize ${normalize}" --normalize ${normalize}
      --export ${FOLDER}/export.txt)
endforeach()
run(${EVALUATE} 2 "needs the mean and deviation of the training documents" ${FOLDER}/export.txt ${test} --normalize zscore)
run("${mart}" 0 "offline" --export ${FOLDER}/export.txt)
if(output MATCHES "note:")
  message(FATAL_ERROR "--normalize none needs no note:\n${output}")
endif()
run("${FOREST_MERGE}" 0 "note: .*cannot hold the normalisation --normalize query" --data synthetic:istella:0.004 --trees 2
    --leaves 4 --min-data 5 --no-full --normalize query --quiet --export ${FOLDER}/merged.txt)

# A model of 3 features on data of 2 features is refused with both numbers.
file(WRITE ${FOLDER}/narrow/test.txt "2 qid:1 1:3 2:9\n0 qid:1 1:3 2:1\n")
foreach(part IN ITEMS train vali)
  file(COPY_FILE ${FOLDER}/narrow/test.txt ${FOLDER}/narrow/${part}.txt)
endforeach()
foreach(model IN ITEMS linear_none neural_query mart_none)
  run(${EVALUATE} 1 "test.txt: required 3 features, as many as the model .*model.fltr has, got 2" ${FOLDER}/${model}/model.fltr
      ${FOLDER}/narrow/test.txt)
  run(${EVALUATE} 0 "nDCG@10" ${FOLDER}/${model}/model.fltr ${FOLDER}/narrow/test.txt --pad-features)
endforeach()
run("${LAMBDA_MART}" 1 "--model .*: required data of at least 3 features, got 2 features in --data" --data ${FOLDER}/narrow
    --model ${FOLDER}/mart_none/model.fltr)

# Clamped values are counted; 3 files have one each.
file(READ ${FOLDER}/linear_none/run.json json)
string(JSON clamped GET "${json}" dataset clamped)
if(NOT clamped EQUAL 3)
  message(FATAL_ERROR "dataset.clamped is ${clamped} instead of 3")
endif()
run(${EVALUATE} 0 "1 feature value beyond -1e\\+06 or 1e\\+06 clamped" ${zscore} ${test})
run("${fpdgd}" 0 "clamped +[0-9]+ feature values beyond -300 or 300" --clamp 300 --out ${FOLDER}/clamp300)
evaluates_as_trained(clamp300)
run("${fpdgd}" 0 "offline" --clamp off --out ${FOLDER}/off)
if(output MATCHES "clamped")
  message(FATAL_ERROR "--clamp off clamps:\n${output}")
endif()
evaluates_as_trained(off)
run(${EVALUATE} 1 "test.txt:73:12: expected a value" ${FOLDER}/off/model.fltr ${FOLDER}/big/test.txt)
run("${FPDGD}" 1 "train.txt:73:12: expected a value" --data ${FOLDER}/big --clamp off --quiet)
foreach(wrong IN ITEMS 0 -1 nan 1e39 yes)
  run("${fpdgd}" 2 "--clamp: required a number above 0 and up to" --clamp ${wrong})
endforeach()
run("${FPDGD}" 2 "--clamp is for files" --clamp 7 --data synthetic:mq2007:0.05)

# Each run of several folds and repeats leaves its model; the hash is that of the first.
file(COPY ${FOLDER}/data/ DESTINATION ${FOLDER}/folds/Fold1)
file(COPY ${FOLDER}/data/ DESTINATION ${FOLDER}/folds/Fold3)
run("${FPDGD}" 0 "4 models model-foldF-seedS.fltr" --data ${FOLDER}/folds --clients 5 --rounds 2 --seed 5 --repeats 2 --quiet
    --out ${FOLDER}/several)
file(GLOB models RELATIVE ${FOLDER}/several ${FOLDER}/several/*.fltr)
if(NOT models STREQUAL
   "model-fold1-seed5.fltr;model-fold1-seed6.fltr;model-fold3-seed5.fltr;model-fold3-seed6.fltr")
  message(FATAL_ERROR "4 runs leave the models ${models}")
endif()
file(READ ${FOLDER}/several/run.json json)
string(JSON sha GET "${json}" model_sha256)
run("${FPDGD}" 0 "model.fltr" --data ${FOLDER}/folds/Fold1 --clients 5 --rounds 2 --seed 5 --quiet --out ${FOLDER}/first)
file(READ ${FOLDER}/first/run.json json)
string(JSON first GET "${json}" model_sha256)
if(NOT sha STREQUAL first)
  message(FATAL_ERROR "model_sha256 is ${sha}, that of the first run's model ${first}")
endif()

# Messages with infinite weights are rejected, and the table shows their number.
run("${fpdgd}" 0 "rejected messages +[1-9]" --learning-rate 1e38)
run("${fpdgd}" 0 "offline")
if(output MATCHES "messages")
  message(FATAL_ERROR "a table with messages where none was dropped or rejected:\n${output}")
endif()
