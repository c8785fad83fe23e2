# cmake -D PROGRAMS=<folder> -D FOLDER=<scratch folder> -P output_paths.cmake
#
# Every program checks its output paths before it starts work: folders that are missing or cannot be written, results of
# earlier runs, and inputs that an output would overwrite.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/folder)
file(WRITE ${FOLDER}/file "a file\n")
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(training_fpdgd --data synthetic:mq2007:0.05 --clients 5 --rounds 3)
set(training_foltr_es ${training_fpdgd})
set(training_fedips --data synthetic:yahoo:0.01 --clients 5 --rounds 3)
set(training_lambda_mart --data synthetic:mq2007:0.05 --trees 3)
set(training_forest_merge --data synthetic:istella:0.01 --trees 3 --no-full)

# Work that would take days. An immediate answer shows that the check ran before the work.
set(long_fpdgd --clients 100000 --rounds 1000000)
set(long_foltr_es ${long_fpdgd})
set(long_fedips ${long_fpdgd})
set(long_lambda_mart --data synthetic:mslr --trees 1000000 --patience 0)
set(long_forest_merge --trees 1000000)

# refused(<status> <regex> <argument>...): the program fails, and the files in ${FOLDER} do not change.
function(refused status regex)
  file(GLOB_RECURSE before LIST_DIRECTORIES true ${FOLDER}/*)
  run(${status} "error: .*${regex}" ${ARGN})
  file(GLOB_RECURSE after LIST_DIRECTORIES true ${FOLDER}/*)
  if(NOT before STREQUAL after)
    message(FATAL_ERROR "${ARGN}: before there was ${before}, and now ${after}")
  endif()
endfunction()

foreach(program fpdgd foltr_es fedips lambda_mart forest_merge)
  set(PROGRAM ${PROGRAMS}/${program})

  # ---- --out that cannot be written. /proc and files cannot be written by root either.
  refused(2 "--out: [^\n]*file is not a folder" ${long_${program}} --out ${FOLDER}/file)
  refused(2 "--out: [^\n]*file is not a folder" ${long_${program}} --out ${FOLDER}/file/out)
  refused(1 "--out: cannot write into the folder /proc: [^\n]*; give a folder that can be written" ${long_${program}} --out
          /proc/out)
  refused(2 "--force belongs to --out" ${long_${program}} --force)

  # ---- folders are made, also several at once; an earlier result is replaced with --force alone
  set(out ${FOLDER}/${program}/deep/out)
  run(0 "written to" ${training_${program}} --repeats 2 --out ${out})
  file(SHA256 ${out}/run.json before)
  refused(2 "--out: [^\n]* holds the result of an earlier run .run[.]json[^\n]*--force" ${long_${program}} --out ${out})
  refused(2 "holds the result of an earlier run" --config ${out}/run.json --out ${out})
  file(SHA256 ${out}/run.json after)
  if(NOT before STREQUAL after)
    message(FATAL_ERROR "${program}: a refused run changed run.json")
  endif()
  # --force removes what the earlier run wrote and unfinished files, and nothing else.
  set(mine notes.txt model-mine.fltr model-fold2-seed9.fltr client7/queries.csv client1/notes.txt rounds.csv.mine.partial)
  foreach(file IN LISTS mine ITEMS rounds.csv.1.0.partial)
    file(WRITE ${out}/${file} "a file\n")
  endforeach()
  run(0 "written to" --config ${out}/run.json --out ${out} --force --repeats 1)
  foreach(file model-fold1-seed1.fltr model-fold1-seed2.fltr rounds.csv.1.0.partial)
    if(EXISTS ${out}/${file})
      message(FATAL_ERROR "${program}: ${file} of an earlier run stayed")
    endif()
  endforeach()
  foreach(file IN LISTS mine)
    if(NOT EXISTS ${out}/${file})
      message(FATAL_ERROR "${program} --force: removed ${file}, which no program wrote")
    endif()
  endforeach()
  # run.json does not record --force, so --config does not repeat it.
  refused(2 "holds the result of an earlier run" --config ${out}/run.json --out ${out})
endforeach()

# ---- files
file(COPY_FILE ${FOLDER}/fpdgd/deep/out/model.fltr ${FOLDER}/model.fltr)
file(COPY_FILE ${FOLDER}/lambda_mart/deep/out/model.fltr ${FOLDER}/forest.fltr)
set(PROGRAM ${PROGRAMS}/lambda_mart)
run(0 "." --data synthetic:mq2007:0.05 --trees 3 --write-data ${FOLDER}/data --export ${FOLDER}/a.txt)
run(0 "." --data synthetic:mq2007:0.05 --trees 2 --export ${FOLDER}/b.txt)
file(CREATE_LINK ${FOLDER}/a.txt ${FOLDER}/link.txt SYMBOLIC)
file(CREATE_LINK ${FOLDER}/a.txt ${FOLDER}/hard.txt)
file(CREATE_LINK ${FOLDER}/data ${FOLDER}/data-link SYMBOLIC)
file(WRITE ${FOLDER}/options "trees = 3\n")
foreach(option --export --run --trials)
  set(use --data synthetic:mslr --trees 1000000)
  set(read --data ${FOLDER}/data --trees 1000000)
  if(option STREQUAL --trials)
    list(APPEND use --tune 1000000)
    list(APPEND read --tune 1000000)
  endif()
  refused(1 "${option}: cannot write [^\n]*: there is no folder" ${use} ${option} ${FOLDER}/missing/file)
  refused(1 "${option}: cannot write [^\n]*: [^\n]* is not a folder" ${use} ${option} ${FOLDER}/file/file)
  refused(1 "${option}: cannot write /proc/file" ${use} ${option} /proc/file)
  refused(2 "${option}: [^\n]* is a folder; give the name of a file" ${use} ${option} ${FOLDER}/folder)
  refused(2 "${option} would overwrite [^\n]*train[.]txt, which --data reads" ${read} ${option}
          ${FOLDER}/data/train.txt)
  refused(2 "${option} would overwrite [^\n]*options, which --config reads" ${use} --config ${FOLDER}/options ${option}
          ${FOLDER}/options)
endforeach()
refused(1 "--write-data: cannot write into the folder /proc" ${long_lambda_mart} --write-data /proc/data)
refused(2 "--write-data: [^\n]*file is not a folder" ${long_lambda_mart} --write-data ${FOLDER}/file)
refused(2 "--write-data would overwrite [^\n]*train[.]txt, which --data reads" --data ${FOLDER}/data --write-data ${FOLDER}/data)
refused(2 "--write-data would overwrite" --data ${FOLDER}/data-link --write-data ${FOLDER}/data)
refused(2 "--export would overwrite [^\n]*forest.fltr, which --model reads" --data ${FOLDER}/data --model ${FOLDER}/forest.fltr
        --export ${FOLDER}/forest.fltr)
refused(2 "--export and --run are the same file" ${long_lambda_mart} --export ${FOLDER}/new --run ${FOLDER}/folder/../new)
refused(2 "--export and --run are the same file" ${long_lambda_mart} --export ${FOLDER}/link.txt --run ${FOLDER}/hard.txt)
refused(2 "--export and --out are the same file" ${long_lambda_mart} --export ${FOLDER}/o/run.json --out ${FOLDER}/o)
refused(2 "--out would overwrite [^\n]*model.fltr, which --model reads" --data ${FOLDER}/data --model
        ${FOLDER}/lambda_mart/deep/out/model.fltr --out ${FOLDER}/lambda_mart/deep/out --force)
run(0 "." --data ${FOLDER}/data --trees 2 --export ${FOLDER}/together/model.txt --out ${FOLDER}/together)
run(0 "." --data ${FOLDER}/data --trees 2 --export /dev/null --run /dev/null)

set(PROGRAM ${PROGRAMS}/forest_merge)
foreach(file a.txt link.txt hard.txt)
  refused(2 "--export would overwrite [^\n]*a[.]txt, which --models reads" --models ${FOLDER}/a.txt,${FOLDER}/b.txt --weights
          .5,.5 --export ${FOLDER}/${file})
endforeach()
refused(1 "--export: cannot write [^\n]*: there is no folder" --models ${FOLDER}/a.txt,${FOLDER}/b.txt --weights .5,.5 --export
        ${FOLDER}/missing/file)
refused(1 "--export: cannot write [^\n]*: there is no folder" ${long_forest_merge} --export ${FOLDER}/missing/file)

set(PROGRAM ${PROGRAMS}/evaluate)
set(QUIET)
set(test ${FOLDER}/data/test.txt)
file(SHA256 ${FOLDER}/model.fltr before)
foreach(option --scores --run --qrels)
  refused(1 "${option}: cannot write [^\n]*: there is no folder" ${FOLDER}/model.fltr ${test} ${option} ${FOLDER}/missing/file)
  refused(1 "${option}: cannot write /proc/file" ${FOLDER}/model.fltr ${test} ${option} /proc/file)
  refused(2 "${option}: [^\n]* is a folder" ${FOLDER}/model.fltr ${test} ${option} ${FOLDER}/folder)
  refused(2 "${option} would overwrite [^\n]*model.fltr, which MODEL reads" ${FOLDER}/model.fltr ${test} ${option}
          ${FOLDER}/model.fltr)
  refused(2 "${option} would overwrite [^\n]*test.txt, which FILE reads" ${FOLDER}/model.fltr ${test} ${option} ${test})
endforeach()
refused(2 "--scores and --qrels are the same file" ${FOLDER}/model.fltr ${test} --scores ${FOLDER}/new --qrels ${FOLDER}/new)
file(SHA256 ${FOLDER}/model.fltr after)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "evaluate overwrote its model")
endif()
