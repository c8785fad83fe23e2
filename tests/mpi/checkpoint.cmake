# cmake -D MPIRUN=<mpirun> -D PROGRAMS=<folder> -D DRIVER=<run_and_signal> -D FOLDER=<scratch> [-D KILLS=<number>]
#       [-D CLIENTS=<number>] -P checkpoint.cmake
#
# Kills one of three ranks at random moments, goes on with --resume on three ranks, and compares the result with that of one
# process without interruption. Then damaged parts, a rank that cannot write, other numbers of ranks, and signals.
include(${CMAKE_CURRENT_LIST_DIR}/mpirun.cmake)
if(skip)
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/../programs/same_content.cmake)
if(NOT KILLS)
  set(KILLS 2)
endif()
if(NOT CLIENTS)
  set(CLIENTS 60)
endif()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

# expect(<status> <regex of the output> <command>...)
function(expect expected regex)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE printed TIMEOUT 300)
  if(NOT status EQUAL expected OR NOT printed MATCHES "${regex}")
    message(FATAL_ERROR "${ARGN}: required status ${expected} and /${regex}/, got ${status}:\n${printed}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()
# Each warning is printed once, by rank 0.
function(expect_one_warning)
  string(REGEX MATCHALL "warning: " warnings "${printed}")
  list(LENGTH warnings count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "required one warning, got ${count}:\n${printed}")
  endif()
endfunction()

# spent(<variable> <folder>): the accounted epsilon of a run, a number.
function(spent variable folder)
  file(READ ${folder}/run.json json)
  string(JSON kind ERROR_VARIABLE none TYPE "${json}" privacy epsilon_accounted)
  string(JSON epsilon ERROR_VARIABLE none GET "${json}" privacy epsilon_accounted)
  if(NOT kind STREQUAL NUMBER OR NOT epsilon GREATER 0)
    message(FATAL_ERROR "${folder}: required an accounted epsilon > 0, got ${kind} ${epsilon}")
  endif()
  set(${variable} ${epsilon} PARENT_SCOPE)
endfunction()

# FPDGD has clients without a state, in 4 blocks of 16. With FedPer each client keeps a part of its ranker, and each rank
# saves those of its own clients.
set(args_fpdgd --data synthetic:mq2007:0.05 --clients ${CLIENTS} --rounds 100 --eval-every 10 --epsilon 4.5 --dropout 0.2)
set(args_non_iid --data synthetic:mq2007:0.05 --type 2 --clients ${CLIENTS} --rounds 150 --eval-every 10 --ranker neural --remedy fedper)
set(often --checkpoint-every 5 --threads 1 --quiet)

# ---- kill -9 of one rank at random moments

string(RANDOM LENGTH 8 ALPHABET 0123456789 RANDOM_SEED 19 first)  # a fixed sequence of moments
foreach(program fpdgd non_iid)
  set(run ${PROGRAMS}/${program} ${args_${program}} ${often})
  set(plain ${FOLDER}/${program}-plain)
  list(FILTER run EXCLUDE REGEX "^(--checkpoint-every|5)$")
  expect(0 "offline nDCG" ${run} --out ${plain})
  content(expected_${program} ${plain})
  if(program STREQUAL fpdgd)
    spent(plain_epsilon ${plain})
  endif()
  set(out ${FOLDER}/${program}-timed)
  expect(0 "offline nDCG" ${MPIRUN} -n 3 ${run} --checkpoint-every 5 --checkpoint ${out}-saved --out ${out})
  same_content(${out} "${expected_${program}}")
  file(READ ${out}/run.json json)
  string(JSON seconds GET "${json}" seconds train)
  string(REGEX MATCH "^([0-9]+)[.]([0-9][0-9][0-9])" milliseconds "${seconds}000")
  math(EXPR milliseconds "${CMAKE_MATCH_1} * 1000 + 1${CMAKE_MATCH_2} - 1000")
  set(killed 0)
  foreach(kill RANGE 1 ${KILLS})
    set(out ${FOLDER}/${program}-${kill})
    set(arguments ${args_${program}} ${often} --checkpoint ${out}-saved --out ${out})
    string(RANDOM LENGTH 3 ALPHABET 0123456789 thousandths)
    string(RANDOM LENGTH 1 ALPHABET 012 rank)
    math(EXPR moment "${milliseconds} * (1${thousandths} - 1000) / 1000")
    expect(0 "." ${DRIVER} --when-exists ${out}-saved/options.json --after ${moment} --send-rank KILL ${program} ${rank} -- ${MPIRUN} -n 3 ${PROGRAMS}/${program} ${arguments})
    set(resume --resume)
    if(printed MATCHES "exit status 0\n$") # faster than the first run
      list(APPEND resume --force)
    else()
      math(EXPR killed "${killed} + 1")
    endif()
    if(EXISTS ${out}/run.json AND NOT resume MATCHES "force") # killed after the last file had its name
      list(APPEND resume --force)
    endif()
    expect(0 "offline nDCG" ${MPIRUN} -n 3 ${PROGRAMS}/${program} ${arguments} ${resume})
    string(REGEX MATCH "goes on after round [0-9]+" from "${printed}")
    message(STATUS "${program}: rank ${rank} killed ${moment} ms into ${milliseconds} ms of training; ${from}")
    same_content(${out} "${expected_${program}}")
    if(program STREQUAL fpdgd)
      spends_at_least(${out} ${plain})
      spent(resumed_epsilon ${out})
      if(resumed_epsilon LESS plain_epsilon)
        message(FATAL_ERROR "killed and resumed: epsilon ${resumed_epsilon}, without interruption ${plain_epsilon}")
      endif()
    endif()
  endforeach()
  message(STATUS "${program}: a rank was killed ${killed} times of ${KILLS}, the same result")
endforeach()

# ---- a damaged part, a missing part: no rank uses the set, all use the one before it

foreach(program fpdgd non_iid)
  set(content_without privacy)  # the folder notes that the round after the last checkpoint may have begun: it is charged
  content(expected_${program} ${FOLDER}/${program}-plain)
  set(out ${FOLDER}/${program}-1)
  set(saved ${out}-saved)
  set(resume ${PROGRAMS}/${program} ${args_${program}} ${often} --checkpoint ${saved} --resume --out ${FOLDER}/damaged --force)
  foreach(rank 0 1 2)
    file(GLOB files ${saved}/run1-1.[0-9]*.${rank}-of-3.fltr)
    list(LENGTH files count)
    if(NOT count EQUAL 2)
      message(FATAL_ERROR "${saved}: required the last two parts of rank ${rank}, got ${files}")
    endif()
  endforeach()
  list(SORT files)
  list(GET files 1 newest)
  file(WRITE ${newest} "damaged")
  expect(0 "warning: [^\n]*2-of-3.fltr: not a checkpoint of fltr .rank 2.; the checkpoint of round [0-9]+ is used" ${MPIRUN} -n 3 ${resume})
  expect_one_warning()
  same_content(${FOLDER}/damaged "${expected_${program}}")
  file(REMOVE ${newest})
  expect(0 "warning: cannot read [^\n]*No such file or directory .rank 2.; the checkpoint of round [0-9]+ is used" ${MPIRUN} -n 3 ${resume})
  expect_one_warning()
  same_content(${FOLDER}/damaged "${expected_${program}}")
endforeach()

# ---- another number of ranks: one sentence

expect(2 "fpdgd: error: --resume: [^\n]*required checkpoints of 2 processes, got checkpoints of 3" ${MPIRUN} -n 2 ${PROGRAMS}/fpdgd
       ${args_fpdgd} ${often} --checkpoint ${FOLDER}/fpdgd-1-saved --resume)
expect(2 "required checkpoints of 1 process, got checkpoints of 3 processes; go on with mpirun -n 3" ${PROGRAMS}/fpdgd ${args_fpdgd} ${often} --checkpoint
       ${FOLDER}/fpdgd-1-saved --resume)
expect(2 "required a folder of checkpoints in --checkpoint, got [^\n]*nowhere, which is missing" ${MPIRUN} -n 3 ${PROGRAMS}/fpdgd
       ${args_fpdgd} ${often} --checkpoint ${FOLDER}/nowhere --resume)

# ---- the disk of one rank is missing: the parts of the others stay

file(GLOB parts ${FOLDER}/fpdgd-1-saved/run1-1.[0-9]*.1-of-3.fltr)
file(REMOVE ${parts})
file(GLOB before ${FOLDER}/fpdgd-1-saved/*)
expect(2 "--resume: no checkpoint of run 1 can be used: cannot read [^\n]*1-of-3.fltr: No such file or directory .rank 1.; give --force too"
       ${MPIRUN} -n 3 ${PROGRAMS}/fpdgd ${args_fpdgd} ${often} --checkpoint ${FOLDER}/fpdgd-1-saved --resume)
file(GLOB after ${FOLDER}/fpdgd-1-saved/*)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "required ${before}, got ${after}")
endif()

# ---- one rank cannot write its part: the run goes on, the user is told once, and the earlier set stays whole

set(saved ${FOLDER}/full-saved)
file(MAKE_DIRECTORY ${saved}/run1-1.0000000100.1-of-3.fltr/in-the-way)
file(WRITE ${saved}/run1-1.0000000100.1-of-3.fltr/in-the-way/file "")
expect(0 "warning: cannot write [^\n]*100.1-of-3.fltr .rank 1.: [^\n]*; the run goes on, the last checkpoint is of round 95" ${MPIRUN} -n 3
       ${PROGRAMS}/fpdgd ${args_fpdgd} ${often} --checkpoint ${saved} --force --out ${FOLDER}/full)
expect_one_warning()
same_content(${FOLDER}/full "${expected_fpdgd}")
foreach(rank 0 1 2)
  if(NOT EXISTS ${saved}/run1-1.0000000095.${rank}-of-3.fltr)
    message(FATAL_ERROR "${saved}: the part of rank ${rank} of round 95 is missing")
  endif()
endforeach()
if(EXISTS ${saved}/run1-1.0000000100.0-of-3.fltr)
  message(FATAL_ERROR "${saved}: a part of a set stayed that is not whole")
endif()

# ---- SIGTERM: all ranks save a checkpoint, rank 0 says how to go on, and this works

set(endless ${PROGRAMS}/fpdgd --data synthetic:mq2007:0.05 --clients ${CLIENTS} --rounds 1000000 --eval-every 1000 --threads 1
            --checkpoint ${FOLDER}/term-saved --checkpoint-every 5)
expect(0 "interrupted +by SIGTERM.*to go on: mpirun -n 3 [^\n]*fpdgd [^\n]* --resume" ${DRIVER} --when-exists ${FOLDER}/term-saved/run1-1.
       --send TERM -- ${MPIRUN} -n 3 ${endless})
expect(0 "run 1 goes on after round [1-9][0-9]* of 1000000" ${DRIVER} --when-stderr "goes on after" --send TERM -- ${MPIRUN} -n 3 ${endless}
       --resume)
