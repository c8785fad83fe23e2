# cmake -D PROGRAMS=<folder> -D DRIVER=<run_and_signal> -D FOLDER=<scratch folder> [-D KILLS=<number>]
#       [-D CLIENTS=<number>] [-D PROGRAM_LIST=<program;...>] -P checkpoint.cmake
#
# Kills programs at random moments, goes on with --resume, and compares the result with that of a run without interruption:
# rounds.csv except seconds, queries.csv, the models, and result, privacy, interactions and model_sha256 of run.json. Damages
# checkpoints, changes options and data, and limits the size of files.

cmake_minimum_required(VERSION 3.25)

if(NOT KILLS)
  set(KILLS 3)
  set(kills_of_others 1)
else()
  set(kills_of_others ${KILLS})
endif()
if(NOT CLIENTS)
  set(CLIENTS 20)
endif()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# run(<status> <regex of the output> <program> <argument>...): sets `printed`.
function(run status regex program)
  execute_process(COMMAND ${PROGRAMS}/${program} ${ARGN} RESULT_VARIABLE got OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  if(NOT got EQUAL status OR NOT printed MATCHES "${regex}")
    message(FATAL_ERROR "${program} ${ARGN}: required status ${status} and /${regex}/, got ${got}:\n${printed}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

# driven(<ending> <regex of the output> DO <option of the driver>... RUN <program> <argument>...)
function(driven ending regex)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "DO;RUN")
  list(POP_FRONT arg_RUN program)
  execute_process(COMMAND ${DRIVER} ${arg_DO} -- ${PROGRAMS}/${program} ${arg_RUN} RESULT_VARIABLE status OUTPUT_VARIABLE
                          printed ERROR_VARIABLE printed)
  if(NOT status EQUAL 0 OR NOT printed MATCHES "${ending}\n$" OR NOT printed MATCHES "${regex}")
    message(FATAL_ERROR "${program} ${arg_RUN}, ${arg_DO}: required \"${ending}\" and /${regex}/, got:\n${printed}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/same_content.cmake)

set(letor synthetic:mq2007:0.05)
set(all_but_rounds --data ${letor} --clients ${CLIENTS} --eval-every 10 --threads 1 --repeats 2 --epsilon 4.5 --dropout 0.2 --minimum-reports 2)
set(args_fpdgd --rounds 100 ${all_but_rounds})
set(args_foltr_es --data ${letor} --clients 20 --rounds 60 --eval-every 10 --threads 1)
set(args_fedips --data synthetic:yahoo:0.01 --clients 10 --rounds 40 --eval-every 10 --threads 1 --propensity estimated)
set(args_non_iid --data ${letor} --type 2 --rounds 40 --eval-every 10 --threads 1 --repeats 2 --ranker neural --remedy fedper
                 --baselines)
set(args_poisoning --data ${letor} --attack fang --aggregator krum --malicious 2 --rounds 40 --eval-every 10 --threads 1 --repeats 2)
set(args_click_inference --data ${letor} --clients 4 --rounds 40 --eval-every 10 --threads 1)
set(args_unlearning --data ${letor} --rounds 200 --eval-every 10 --threads 1 --repeats 2 --grid --leak-pairs 4 --leak-rounds 10)
set(args_lambda_mart --data ${letor} --trees 100 --leaves 4 --min-data 5 --threads 1 --repeats 2)
set(args_forest_merge --data synthetic:istella:0.01 --trees 10 --leaves 4 --min-data 5 --threads 1 --repeats 2)
if(NOT PROGRAM_LIST)
  set(PROGRAM_LIST fpdgd foltr_es fedips unlearning lambda_mart forest_merge)
endif()

# ---- kill -9 at random moments

string(RANDOM LENGTH 8 ALPHABET 0123456789 RANDOM_SEED 19 first)  # a fixed sequence of moments
foreach(program IN LISTS PROGRAM_LIST)
  set(plain ${FOLDER}/${program}-plain)
  string(TIMESTAMP before "%s%f")
  set(every --checkpoint-every 5)
  if(program MATCHES "lambda_mart|forest_merge") # saved after each forest
    set(every)
  endif()
  run(0 "nDCG@10" ${program} ${args_${program}} --quiet --out ${plain})
  string(TIMESTAMP after "%s%f")
  math(EXPR milliseconds "(${after} - ${before}) / 1000")
  content(expected ${plain})
  set(kills ${KILLS})
  if(NOT program STREQUAL fpdgd)
    set(kills ${kills_of_others})
  endif()
  set(killed 0)
  foreach(kill RANGE 1 ${kills})
    set(out ${FOLDER}/${program}-${kill})
    set(arguments ${args_${program}} --checkpoint ${out}-saved ${every} --quiet --out ${out})
    string(RANDOM LENGTH 3 ALPHABET 0123456789 thousandths)
    math(EXPR moment "${milliseconds} * (1${thousandths} - 1000) / 1000")
    driven("(killed by signal 9|exit status 0)" "." DO --after ${moment} --send KILL RUN ${program} ${arguments})
    set(resume --resume)
    if(printed MATCHES "exit status 0")  # faster than the first run
      list(APPEND resume --force)
    else()
      math(EXPR killed "${killed} + 1")
    endif()
    if(NOT IS_DIRECTORY ${out}-saved)  # killed before the folder was there
      set(resume --force)
    endif()
    if(EXISTS ${out}/run.json AND NOT resume MATCHES "force") # killed after the last file had its name
      list(APPEND resume --force)
    endif()
    run(0 "nDCG@10" ${program} ${arguments} ${resume})
    same_content(${out} "${expected}")
    spends_at_least(${out} ${plain})
  endforeach()
  message(STATUS "${program}: killed ${killed} times of ${kills} within ${milliseconds} ms, the same result")
endforeach()
set(arguments ${args_fpdgd} --quiet)
content(expected ${FOLDER}/fpdgd-plain)

# ---- unlearning removes its checkpoints, which have histories of forgotten clients, when its result is complete

if("unlearning" IN_LIST PROGRAM_LIST)
  set(saved ${FOLDER}/unlearning-removed)
  set(command --data ${letor} --rounds 200 --eval-every 10 --threads 1 --leak-pairs 0 --quiet --checkpoint ${saved} --checkpoint-every 5)
  driven("exit status 143" "interrupted +by SIGTERM" DO --when-exists ${saved}/run1-2. --send TERM RUN unlearning ${command})
  file(GLOB files ${saved}/run*)
  if(NOT files)
    message(FATAL_ERROR "${saved}: required checkpoints of the interrupted run, got none")
  endif()
  run(0 "run 1 goes on after round" unlearning ${command} --resume)
  file(GLOB files ${saved}/run*)
  if(files)
    message(FATAL_ERROR "${saved}: required no checkpoint after the run, got ${files}")
  endif()
endif()

# ---- SIGTERM: the program saves a checkpoint, says how to go on, and this command works

set(out ${FOLDER}/term)
set(saved ${FOLDER}/term-saved)
driven("exit status 143" "interrupted +by SIGTERM.*to go on: [^\n]*fpdgd [^\n]* --resume" DO --when-exists ${saved}/run1-1. --send
       TERM RUN fpdgd ${args_fpdgd} --checkpoint ${saved} --checkpoint-every 5 --out ${out})
run(0 "run 1 goes on after round [1-9][0-9]* of 100" fpdgd ${arguments} --checkpoint ${saved} --checkpoint-every 5 --out ${out} --resume)
same_content(${out} "${expected}")
run(2 "holds the result of an earlier run" fpdgd ${arguments} --checkpoint ${saved} --out ${out} --resume)  # complete
run(0 "offline nDCG" fpdgd ${arguments} --checkpoint ${saved} --out ${out} --resume --force)  # nothing is left to compute
same_content(${out} "${expected}")

# fedips has two trainings in each round. A signal ends either in the middle of the round, and the other is not run twice.
if("fedips" IN_LIST PROGRAM_LIST)
  content(expected_fedips ${FOLDER}/fedips-plain)
  foreach(moment 0 3 7 12)
    set(out ${FOLDER}/fedips-term-${moment})
    driven("(exit status 143|exit status 0)" "." DO --when-exists ${out}-saved/run1-1. --after ${moment} --send TERM RUN fedips ${args_fedips} --quiet
           --checkpoint ${out}-saved --checkpoint-every 5 --out ${out})
    set(again)
    if(printed MATCHES "exit status 0")  # the signal came too late
      set(again --force)
    endif()
    run(0 "nDCG@10" fedips ${args_fedips} --quiet --checkpoint ${out}-saved --checkpoint-every 5 --resume --out ${out} ${again})
    same_content(${out} "${expected_fedips}")
  endforeach()
endif()

# ---- a damaged checkpoint: the previous one is used, and the user is told

set(saved ${FOLDER}/fpdgd-1-saved)
file(GLOB files ${saved}/run1-1.[0-9]*.fltr)
list(SORT files)
list(LENGTH files count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "${saved}: required the last two checkpoints of run 1, got ${files}")
endif()
list(GET files 1 newest)
file(WRITE ${newest} "damaged")
run(0 "warning: [^\n]*run1-1.0000000100.0-of-1.fltr: not a checkpoint of fltr; the checkpoint of round 95 is used" fpdgd ${arguments}
    --checkpoint ${saved} --checkpoint-every 5 --resume --out ${FOLDER}/damaged)
set(content_without privacy)  # the folder notes that the round after the last checkpoint may have begun: it is charged
content(expected_of_damaged ${FOLDER}/fpdgd-plain)
same_content(${FOLDER}/damaged "${expected_of_damaged}")
unset(content_without)
spends_at_least(${FOLDER}/damaged ${FOLDER}/fpdgd-plain)

# ---- no checkpoint can be used: they stay as they are, until --force is given

set(lost ${FOLDER}/lost-saved)
file(MAKE_DIRECTORY ${lost})
file(WRITE ${lost}/run1-1.0000000095.0-of-1.fltr "damaged")
file(WRITE ${lost}/run1-1.0000000100.0-of-1.fltr "damaged")
run(2 "no checkpoint of run 1 can be used: [^\n]*100.0-of-1.fltr: not a checkpoint of fltr; give --force too" fpdgd ${arguments}
    --checkpoint ${lost} --checkpoint-every 5 --resume)
file(READ ${lost}/run1-1.0000000095.0-of-1.fltr content)
if(NOT content STREQUAL "damaged")
  message(FATAL_ERROR "${lost}: a checkpoint was replaced without --force")
endif()
run(0 "warning: [^\n]*not a checkpoint of fltr; this training starts with its first round" fpdgd ${arguments} --checkpoint ${lost}
    --checkpoint-every 5 --resume --force)

# ---- a checkpoint that cannot be read is an error, and the training does not start again

set(unread ${FOLDER}/unread-saved)
file(MAKE_DIRECTORY ${unread})
file(CREATE_LINK run1-1.0000000100.0-of-1.fltr ${unread}/run1-1.0000000100.0-of-1.fltr SYMBOLIC) # of itself: also root cannot read it
run(1 "error: cannot read [^\n]*100.0-of-1.fltr: Too many levels of symbolic links" fpdgd ${arguments} --checkpoint ${unread}
    --checkpoint-every 5 --resume)

# ---- other options, other data, another program

set(resume --checkpoint ${saved} --resume --quiet)
run(2 "--resume: required --rounds of at least 100, the round of the checkpoint of run 1, got 99" fpdgd --rounds 99 ${all_but_rounds}
    ${resume})
run(2 "are of a run with --epsilon 4.5, this run is without --epsilon" fpdgd --data ${letor} --clients ${CLIENTS} --rounds 100 --eval-every 10 --repeats 2
    --dropout 0.2 --minimum-reports 2 ${resume})
run(2 "--resume: [^\n]*required a checkpoint of the same data, got one of other data" fpdgd --data synthetic:mq2007:0.06 --clients ${CLIENTS}
    --rounds 100 --eval-every 10 --repeats 2 --epsilon 4.5 --dropout 0.2 --minimum-reports 2 ${resume})
run(2 "are of fpdgd [^\n]*, this is foltr_es" foltr_es ${args_foltr_es} ${resume})
file(REMOVE ${saved}/options.json) # the checkpoints have hashes of the options, and stay with their run
run(2 "required a checkpoint of the same options, got one of other options" fpdgd --rounds 100 ${all_but_rounds} --learning-rate 0.2 ${resume})
run(0 "offline nDCG" fpdgd ${arguments} --checkpoint-every 5 ${resume})
file(WRITE ${saved}/options.json "")
run(2 "holds checkpoints of an earlier run; give --resume" fpdgd ${arguments} --checkpoint ${saved})
run(2 "--resume: required a folder of checkpoints" fpdgd ${arguments} --checkpoint ${FOLDER}/nowhere --resume)
run(2 "--resume belongs to --checkpoint, which is not given" fpdgd ${arguments} --resume)
run(2 "--checkpoint: required another folder than --out" fpdgd ${arguments} --checkpoint ${FOLDER}/one --out ${FOLDER}/one)
run(2 "lambda_mart has no option --checkpoint-every: a checkpoint is saved after each forest" lambda_mart --checkpoint ${FOLDER}/one
    --checkpoint-every 5)

# ---- more --rounds extend a run: also one with several trainings, of which an interruption left the last ones

set(saved ${FOLDER}/extended-saved)
run(0 "offline nDCG" fpdgd --rounds 60 ${all_but_rounds} --checkpoint ${saved} --quiet)
run(0 "run 1 goes on after round 60 of 100.*run 2 goes on after round 60 of 100" fpdgd ${arguments} --checkpoint ${saved} --resume --out
    ${FOLDER}/extended)
same_content(${FOLDER}/extended "${expected}")
set(several --data ${letor} --type 2 --eval-every 10 --threads 1 --quiet)
run(0 "gap" non_iid ${several} --rounds 50 --out ${FOLDER}/whole)
content(whole ${FOLDER}/whole)
set(saved ${FOLDER}/several-saved)
run(0 "gap" non_iid ${several} --rounds 20 --checkpoint ${saved})
run(0 "run 1 goes on after round 20 of 50" non_iid ${several} --rounds 50 --checkpoint ${saved} --resume --out ${FOLDER}/longer)
same_content(${FOLDER}/longer "${whole}")
# Noise for a total epsilon depends on the number of rounds.
set(total --data ${letor} --clients ${CLIENTS} --threads 1 --quiet --secure ideal --mechanism polya --total-epsilon 5)
set(saved ${FOLDER}/total-saved)
run(0 "offline nDCG" fpdgd ${total} --rounds 4 --checkpoint ${saved})
run(2 "are of a run with --rounds 4, this run is with --rounds 5: the noise of every round depends on" fpdgd ${total} --rounds 5 --checkpoint ${saved} --resume)

# ---- a second run into the same folder of checkpoints is refused, and the first goes on

set(endless --data ${letor} --clients 20 --rounds 1000000 --eval-every 1000 --threads 1)
set(saved ${FOLDER}/shared-saved)
string(JOIN " " command ${PROGRAMS}/fpdgd ${arguments} --checkpoint ${saved})
driven("exit status 143" "another run writes checkpoints into.*meanwhile 1" DO --when-exists ${saved}/run1-1. --meanwhile
       "${command} --resume 2>&1" --send TERM RUN fpdgd ${endless} --checkpoint ${saved} --checkpoint-every 5)

# ---- a full disk, and a folder that can no longer be written: a warning, the run goes on, the last checkpoint is intact

set(saved ${FOLDER}/full-saved)
driven("exit status 0" "offline nDCG.*warning: cannot write [^\n]*File too large; the run goes on, the last checkpoint is of round [1-9]"
       DO --file-size 4000 RUN fpdgd --data ${letor} --clients 20 --rounds 100 --eval-every 10 --threads 1 --checkpoint ${saved}
       --checkpoint-every 5 --quiet)
run(0 "run 1 goes on after round [1-9]" fpdgd --data ${letor} --clients 20 --rounds 100 --eval-every 10 --threads 1 --checkpoint ${saved}
    --checkpoint-every 5 --quiet --resume)
set(saved ${FOLDER}/moved-saved)
driven("exit status 143" "offline nDCG.*warning: cannot write [^\n]*moved-saved[^\n]*; the run goes on, the last checkpoint is of round [1-9]"
       DO --when-exists ${saved}/run1-1. --meanwhile "mv '${saved}' '${saved}-away'" --when-stderr "the run goes on" --send TERM RUN fpdgd
       ${endless} --checkpoint ${saved} --checkpoint-every 5)
file(RENAME ${saved}-away ${saved})
driven("exit status 143" "run 1 goes on after round [1-9]" DO --when-stderr "goes on after" --send TERM RUN fpdgd ${endless} --checkpoint
       ${saved} --resume)
