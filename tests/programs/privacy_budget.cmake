# cmake -D PROGRAM=<privacy_budget> -D DRIVER=<run_and_signal> -D FOLDER=<scratch folder> -P privacy_budget.cmake
#
# All mechanisms of privacy_budget: totals, tests, files, any number of threads, and a resumed run.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(ALWAYS --data synthetic:mq2007:0.05 --clients 60 --rounds 8 --repeats 2)
set(all --mechanisms distributed-gaussian,polya,gamma,published,local-gaussian,local-laplace --epsilons 4,1 --clips .1,.3)

run(0 "distributed-gaussian +1 " ${all} --threads 1 --out ${FOLDER}/one)
file(READ ${FOLDER}/one/run.json json)
file(READ ${FOLDER}/one/budget.csv csv)
string(JSON count LENGTH "${json}" result cells)
if(NOT count EQUAL 11 OR NOT EXISTS ${FOLDER}/one/curve.svg)
  message(FATAL_ERROR "${count} cells instead of 11, or no picture")
endif()
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON cell GET "${json}" result cells ${i})
  foreach(key mechanism epsilon accounted ndcg10 no_noise_ndcg10 loss loss_low loss_high runs)
    string(JSON ${key} GET "${cell}" ${key})
  endforeach()
  # Noise is chosen for the total: never more, and at most 1 % less, which is what the grids cost.
  if(mechanism STREQUAL "published")
    set(right TRUE)
    if(accounted STREQUAL "inf" OR NOT accounted GREATER 4.5)
      set(right FALSE)
    endif()
  elseif(epsilon EQUAL 1 AND accounted LESS_EQUAL 1.0000001 AND accounted GREATER 0.99)
    set(right TRUE)
  elseif(epsilon EQUAL 4 AND accounted LESS_EQUAL 4.0000001 AND accounted GREATER 3.96)
    set(right TRUE)
  else()
    set(right FALSE)
  endif()
  if(NOT right OR NOT runs EQUAL 2 OR loss LESS loss_low OR loss GREATER loss_high)
    message(FATAL_ERROR "wrong cell: ${cell}")
  endif()
endforeach()
# One line per training and the header: 2 without noise, 2 for each of the 3 methods with one bound, 3 for each of the 8
# methods with two clips, which the first repeat tries.
string(REGEX MATCHALL "\n" lines "${csv}")
list(LENGTH lines lines)
if(NOT lines EQUAL 33)
  message(FATAL_ERROR "budget.csv has ${lines} lines instead of 33:\n${csv}")
endif()

run(0 "." ${all} --threads 3 --out ${FOLDER}/three)
file(READ ${FOLDER}/three/budget.csv other)
if(NOT csv STREQUAL other)
  message(FATAL_ERROR "the results depend on the number of threads")
endif()

# Killed and resumed.
set(again ${ALWAYS} ${all} --quiet --threads 1 --out ${FOLDER}/resumed --checkpoint ${FOLDER}/saved --checkpoint-every 4)
execute_process(COMMAND ${DRIVER} --when-exists ${FOLDER}/saved/run1-4. --send KILL -- ${PROGRAM} ${again} RESULT_VARIABLE status
                OUTPUT_VARIABLE printed)
execute_process(COMMAND ${PROGRAM} ${again} --resume --force RESULT_VARIABLE resumed OUTPUT_VARIABLE printed_again ERROR_VARIABLE printed_again)
file(READ ${FOLDER}/resumed/budget.csv other)
if(NOT status EQUAL 0 OR NOT resumed EQUAL 0 OR NOT csv STREQUAL other)
  message(FATAL_ERROR "another result after --resume:\n${printed}${printed_again}\n${other}\n--- required:\n${csv}")
endif()

run(2 "--mechanisms: required names among .* got \"noise\"" --mechanisms noise)
run(2 "--sensitivities belongs to the mechanisms gamma and published" --mechanisms distributed-gaussian --sensitivities 3)
run(2 "--epsilons: required numbers above 0" --epsilons 0,1)
run(2 "--colluding: required fewer than the fewest reports, 60, got 60" --colluding 60)
run(2 "--normalize zscore: required --public-statistics" --normalize zscore)
