# cmake -D PROGRAMS=<folder> -D DRIVER=<run_and_signal> -D FOLDER=<scratch folder> -P interruption.cmake
#
# Sends signals to each program and checks its files and its output.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# interrupted(<status> <regex of the output> DO <option of the driver>... RUN <program> <argument>...)
function(interrupted ending regex)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "DO;RUN")
  list(POP_FRONT arg_RUN program)
  execute_process(COMMAND ${DRIVER} ${arg_DO} -- ${PROGRAMS}/${program} ${arg_RUN} RESULT_VARIABLE status OUTPUT_VARIABLE
                          printed ERROR_VARIABLE printed)
  if(NOT status EQUAL 0 OR NOT printed MATCHES "${ending}\n$" OR NOT printed MATCHES "${regex}")
    message(FATAL_ERROR "${program} ${arg_RUN}, ${arg_DO}: required \"${ending}\" and /${regex}/, got:\n${printed}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

# no_partial(<folder>): no unfinished files are left. nothing_in(<folder>): no files are left.
function(no_partial folder)
  file(GLOB_RECURSE files ${folder}/*.partial)
  if(files)
    message(FATAL_ERROR "these files stayed behind: ${files}")
  endif()
endfunction()
function(nothing_in folder)
  file(GLOB_RECURSE files LIST_DIRECTORIES true ${folder}/*)
  if(files)
    message(FATAL_ERROR "these files stayed behind: ${files}")
  endif()
endfunction()

# complete(<folder> <program> <name of the signal>): an interrupted result, with all files that a complete one has.
function(complete folder program signal)
  no_partial(${folder})
  file(READ ${folder}/run.json json)
  string(JSON of GET "${json}" program)
  string(JSON flag GET "${json}" interrupted)
  string(JSON by GET "${json}" interruption signal)
  string(JSON ndcg TYPE "${json}" result offline_ndcg10)
  if(NOT "${of} ${flag} ${by} ${ndcg}" STREQUAL "${program} ON ${signal} NUMBER")
    message(FATAL_ERROR "${folder}/run.json: ${of}, interrupted ${flag} by ${by}, nDCG ${ndcg}")
  endif()
  foreach(file rounds.csv queries.csv curve.svg model.fltr)
    if(NOT EXISTS ${folder}/${file})
      message(FATAL_ERROR "${folder} has no ${file}")
    endif()
  endforeach()
  # Every line of rounds.csv is whole, and the last one is evaluated.
  file(STRINGS ${folder}/rounds.csv rows)
  list(POP_FRONT rows header)
  string(REGEX MATCHALL "," commas "${header}")
  list(LENGTH commas fields)
  list(LENGTH rows count)
  if(count LESS 2)
    message(FATAL_ERROR "${folder}/rounds.csv has ${count} rows")
  endif()
  foreach(row IN LISTS rows)
    string(REGEX MATCHALL "," commas "${row}")
    list(LENGTH commas got)
    if(NOT got EQUAL fields)
      message(FATAL_ERROR "${folder}/rounds.csv: \"${row}\" has another number of fields than the header")
    endif()
  endforeach()
  list(GET rows -1 last)
  if(NOT last MATCHES "^1,1,1,[0-9]+,[0-9]+,[0-9.e-]+,[0-9.e-]+,")
    message(FATAL_ERROR "${folder}/rounds.csv: the last row is not evaluated: ${last}")
  endif()
endfunction()

set(letor synthetic:mq2007:0.05)
set(endless_fpdgd --data ${letor} --clients 10 --rounds 1000000 --eval-every 1000 --threads 1)
set(endless_foltr_es ${endless_fpdgd})
set(endless_fedips --data synthetic:yahoo:0.01 --clients 10 --rounds 1000000 --eval-every 1000 --threads 1)
set(endless_lambda_mart --data ${letor} --trees 1000000 --leaves 4 --learning-rate 0.001 --patience 0 --threads 1)

# ---- SIGINT and SIGTERM within the rounds

foreach(program fpdgd foltr_es fedips lambda_mart)
  foreach(signal INT TERM)
    if(signal STREQUAL INT)
      set(status 130)
    else()
      set(status 143)
    endif()
    set(out ${FOLDER}/${program}-${signal})
    set(rounds "offline nDCG@10.*interrupted +by SIG${signal} after round [0-9]+ of 1000000")
    interrupted("exit status ${status}" "${rounds}" DO --when-partial ${out} rounds.csv 20 --send ${signal} RUN ${program}
                ${endless_${program}} --out ${out})
    complete(${out} ${program} SIG${signal})
  endforeach()
endforeach()

# ---- a signal within the work of one client, which would take minutes

foreach(work "--central;interactions;--clients;1000000;--interactions;1000" "--clients;1;--interactions;1000000000")
  interrupted("exit status 130" "interrupted by SIGINT before the first round" DO --after 4000 --send INT --after 60000 --send KILL RUN fpdgd
              --data ${letor} ${work} --rounds 10 --threads 1)
endforeach()

# forest_merge has no rounds: its forests keep the trees trained so far. The progress line shows their number.
set(endless_forest_merge --data synthetic:istella:0.01 --trees 1000000 --leaves 4 --learning-rate 0.001 --patience 1000000)
set(trees "training the clients' forests, [1-9][0-9]+ trees")
foreach(signal INT TERM)
  set(merge_INT linear)
  set(status_INT 130)
  set(merge_TERM stacking)
  set(status_TERM 143)
  set(out ${FOLDER}/forest_merge-${signal})
  interrupted("exit status ${status_${signal}}" "interrupted +by SIG${signal}.*merged, client 2" DO --terminal --when-matches "${trees}"
              --send ${signal} RUN forest_merge ${endless_forest_merge} --merge ${merge_${signal}} --out ${out})
  complete(${out} forest_merge SIG${signal})
endforeach()

# ---- a signal in the middle of a round that takes hours: the program ends at once, and the round is undone

foreach(signal INT TERM)
  if(signal STREQUAL INT)
    set(status 130)
  else()
    set(status 143)
  endif()
  set(out ${FOLDER}/long-round-${signal})
  string(TIMESTAMP begin "%s")
  interrupted("exit status ${status}" "interrupted by SIG${signal} before the first round; no new files are left" DO --when-matches
              "the rounds so far predict that this run takes about [0-9]+ minutes" --send ${signal} RUN fpdgd --data ${letor} --clients 4000000000
              --rounds 2 --threads 1 --out ${out})
  string(TIMESTAMP end "%s")
  math(EXPR seconds "${end} - ${begin}")
  if(seconds GREATER 60)
    message(FATAL_ERROR "fpdgd with 4,000,000,000 clients ended after ${seconds} s, SIG${signal} came after about 3 s")
  endif()
  nothing_in(${out})
endforeach()

# ---- several runs: finished runs count, and the interrupted run counts up to its last round

set(out ${FOLDER}/repeats)
interrupted("exit status 130" "mean .* of [0-9]+ runs.*after round [0-9]+ of 2000 of run [0-9]+ of 50 .fold 1, seed" DO --when-partial
            ${out} rounds.csv 2100 --send INT RUN fpdgd --data ${letor} --clients 2 --rounds 2000 --eval-every 500 --threads 1
            --repeats 50 --out ${out})
no_partial(${out})
file(READ ${out}/run.json json)
string(JSON runs GET "${json}" interruption runs)
string(JSON planned GET "${json}" interruption runs_planned)
string(JSON round GET "${json}" interruption last_run_ends_at_round)
if(runs LESS 2 OR NOT planned EQUAL 50 OR NOT printed MATCHES "after round ${round} of 2000 of run ${runs} of 50 .fold 1, seed ${runs}.")
  message(FATAL_ERROR "run.json: ${runs} of ${planned} runs")
endif()
file(COPY ${out}/queries.csv DESTINATION ${out}-copy)
interrupted("exit status 0" "." RUN compare ${out} ${out}-copy)  # each query is in all runs

# ---- tuning: finished trials are kept

interrupted("exit status 130" "interrupted by SIGINT after [0-9]+ of 20 trials; best so far: --learning-rate" DO --terminal
            --when-stderr "tuning" --send INT RUN fedips --data synthetic:yahoo:0.01 --clients 10 --tune-clients 200 --rounds 30 --tune --threads
            1 --out ${FOLDER}/tune)
nothing_in(${FOLDER}/tune)
interrupted(
  "exit status 143" "interrupted by SIGTERM after [0-9]+ of 1000 trials; best so far.*; the same command continues from" DO
  --when-file ${FOLDER}/trials.csv 3 --send TERM RUN lambda_mart --data ${letor} --trees 100 --patience 20 --tune 1000 --trials
  ${FOLDER}/trials.csv --out ${FOLDER}/tune)
nothing_in(${FOLDER}/tune)
no_partial(${FOLDER})
file(STRINGS ${FOLDER}/trials.csv trials)
list(LENGTH trials trials)
math(EXPR trials "${trials} - 1")
interrupted("exit status 0" "tuned leaves" RUN lambda_mart --data ${letor} --trees 100 --patience 20 --tune ${trials} --trials
            ${FOLDER}/trials.csv)

# ---- a signal while data is loaded: the program ends at once, and no files are left

set(pipe ${FOLDER}/data)
set(sentence "interrupted by SIGINT before the first result; no new files are left")
foreach(program fpdgd foltr_es fedips lambda_mart forest_merge)
  set(category)
  if(program STREQUAL forest_merge)
    set(category --category-feature 1)
  endif()
  file(REMOVE ${pipe})
  interrupted("exit status 130" "${sentence}" DO --when-reads ${pipe} --send INT RUN ${program} --data ${pipe} ${category}
              --split .6,.2,.2 --out ${FOLDER}/new/folder)
  nothing_in(${FOLDER}/new)
  if(EXISTS ${FOLDER}/new)
    message(FATAL_ERROR "${program} left the folder that it made")
  endif()
endforeach()
set(model ${FOLDER}/fpdgd-INT/model.fltr)
file(REMOVE ${pipe})
file(MAKE_DIRECTORY ${FOLDER}/scores)
interrupted("exit status 130" "${sentence}" DO --when-reads ${pipe} --send INT RUN evaluate ${model} ${pipe} --scores
            ${FOLDER}/scores/scores --run ${FOLDER}/scores/run)
nothing_in(${FOLDER}/scores)
file(MAKE_DIRECTORY ${FOLDER}/compared)
interrupted("exit status 143" "before the first result" DO --when-reads ${FOLDER}/compared/queries.csv --send TERM RUN compare
            ${FOLDER}/fpdgd-INT ${FOLDER}/compared)

# ---- a second signal kills the program at once; no half-drawn line remains on a terminal

# rounds.csv is a full pipe without a reader, so the step never ends.
set(out ${FOLDER}/second)
file(MAKE_DIRECTORY ${out})
interrupted("killed by signal 2" "finishing this step" DO --terminal --when-stuck ${out}/rounds.csv 1000 --send INT --when-stderr
            "finishing this step" --send INT RUN fpdgd ${endless_fpdgd} --out ${out} --force)
file(GLOB_RECURSE files LIST_DIRECTORIES true RELATIVE ${out} ${out}/*)
if(NOT files STREQUAL "rounds.csv")
  message(FATAL_ERROR "a second signal left ${files}")
endif()
string(ASCII 27 escape)
if(NOT printed MATCHES "\r${escape}\\[K\nkilled by signal 2\n$")
  message(FATAL_ERROR "the progress bar is still on the terminal:\n${printed}")
endif()

# ---- kill -9: unfinished files end in .partial, and the error of the next run names them

set(quick_fpdgd --data ${letor} --clients 5 --rounds 3)
set(quick_foltr_es ${quick_fpdgd})
set(quick_fedips --data synthetic:yahoo:0.01 --clients 5 --rounds 3)
set(quick_lambda_mart --data ${letor} --trees 3)
set(quick_forest_merge --data synthetic:istella:0.01 --trees 3 --no-full)
foreach(program fpdgd foltr_es fedips lambda_mart forest_merge)
  set(out ${FOLDER}/killed-${program})
  set(works --when-partial ${out} rounds.csv 20)
  if(program STREQUAL forest_merge)
    set(works --terminal --when-matches "${trees}")
  endif()
  interrupted("killed by signal 9" "." DO ${works} --send KILL RUN ${program} ${endless_${program}} --out ${out})
  file(GLOB_RECURSE files RELATIVE ${out} ${out}/*)
  if(NOT files)
    message(FATAL_ERROR "${program}: kill -9 left nothing")
  endif()
  foreach(file IN LISTS files)
    if(NOT file MATCHES "^(client[12]/)?(rounds|queries)[.]csv[.][0-9]+[.][0-9]+[.]partial$")
      message(FATAL_ERROR "${program}: kill -9 left ${file}")
    endif()
  endforeach()
  interrupted("exit status 2" "holds files of a run that was killed .*partial.*--force" RUN ${program} ${quick_${program}} --out ${out})
  interrupted("exit status 0" "." RUN ${program} ${quick_${program}} --out ${out} --force)
  no_partial(${out})

  # ---- two runs into one folder: the second is refused, and the first continues
  set(out ${FOLDER}/shared-${program})
  set(works --when-partial ${out} rounds.csv 5)
  if(program STREQUAL forest_merge)
    set(works --terminal --when-matches "${trees}")
  endif()
  string(JOIN " " arguments ${quick_${program}})
  set(meanwhile "'${PROGRAMS}/${program}' ${arguments} --out '${out}'")
  interrupted(
    "exit status 130" "another run is writing into.*meanwhile 1.*another run is writing into.*meanwhile 1.*interrupted +by SIGINT" DO ${works}
    --meanwhile "${meanwhile} 2>&1" --meanwhile "${meanwhile} --force 2>&1" --send INT RUN ${program} ${endless_${program}} --out ${out})
  complete(${out} ${program} SIGINT)
endforeach()
