# cmake -D PROGRAM=<program> -D DRIVER=<run_and_signal> -D FOLDER=<scratch folder> -P poisoning_usage.cmake
#
# Runs poisoning with every attack and every aggregator, and a small grid: on one and three threads, killed and continued,
# interrupted, and with options that contradict each other.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(DATA --data synthetic:mq2007:0.05)
set(ALWAYS ${DATA} --rounds 15 --eval-every 5)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# number(<variable> <name>...): a value of the last run.json.
function(number variable)
  string(JSON value GET "${json}" result ${ARGN})
  set(${variable} ${value} PARENT_SCOPE)
endfunction()

# trained(<argument>...): runs the program on one and three threads. The results must be equal. Sets `json` to run.json.
function(trained)
  foreach(threads 1 3)
    run(0 "offline nDCG@10" ${ARGN} --threads ${threads} --out ${FOLDER}/out --force)
    file(READ ${FOLDER}/out/run.json text)
    string(JSON result_${threads} GET ${text} result)
  endforeach()
  if(NOT result_1 STREQUAL result_3)
    message(FATAL_ERROR "poisoning ${ARGN}: the results depend on the number of threads")
  endif()
  foreach(file curve.svg rounds.csv queries.csv model.fltr)
    if(NOT EXISTS ${FOLDER}/out/${file})
      message(FATAL_ERROR "poisoning ${ARGN}: there is no ${file}")
    endif()
  endforeach()
  set(json ${text} PARENT_SCOPE)
endfunction()

# equal(<what> <a> <b>): two numbers are equal up to 1e-9.
function(equal what a b)
  execute_process(COMMAND awk "BEGIN { d = ${a} - ${b}; exit !(d < 1e-9 && d > -1e-9) }" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what}: required ${b}, got ${a}")
  endif()
endfunction()

# ---- single settings

foreach(attack none click-poisoning little-is-enough fang inversion sign-flip min-max min-sum dyn-opt inner-product mimic promote)
  trained(--attack ${attack})
endforeach()
foreach(aggregator fedavg krum multi-krum trimmed-mean median geometric-median bulyan centered-clipping mda meamed fl-detector on-alarm)
  trained(--attack fang --aggregator ${aggregator})
endforeach()
foreach(knowledge full partial)
  trained(--attack dyn-opt --aggregator multi-krum --mix nnm --malicious 3 --knowledge ${knowledge})
endforeach()
trained(--attack min-max --mix bucketing --aggregator median --malicious 1)
trained(--attack inversion --mix norm-bound --norm-bound 0.1)
trained(--attack inversion --malicious 1 --ranker neural --aggregator krum --clicks informational)

# Damage, cost and loss are the differences of the results, also over several runs.
trained(--attack inversion --malicious 3 --aggregator krum --repeats 2)
foreach(name offline_ndcg10 honest_offline_ndcg10 fedavg_offline_ndcg10 damage cost loss damage_low damage_high cost_low malicious_selected)
  number(${name} ${name})
endforeach()
equal("damage + offline" "${damage} + ${offline_ndcg10}" ${honest_offline_ndcg10})
equal("cost + honest" "${cost} + ${honest_offline_ndcg10}" ${fedavg_offline_ndcg10})
equal("loss" ${loss} "${cost} + ${damage}")
file(STRINGS ${FOLDER}/out/rounds.csv header LIMIT_COUNT 1)
if(NOT header MATCHES ",honest_offline_ndcg10,fedavg_offline_ndcg10,malicious_selected,flagged$")
  message(FATAL_ERROR "rounds.csv has other columns: ${header}")
endif()
set(damage_of_krum ${damage})

# The damage does not depend on whether honest clients come first in the program: the honest training is that of --attack none.
trained(--attack none --aggregator krum --assumed-malicious 3 --repeats 2)
number(none offline_ndcg10)
equal("--attack none" ${none} ${honest_offline_ndcg10})
number(cost_alone cost)
equal("cost with --attack none" ${cost_alone} ${cost})
# Without malicious clients nothing is damaged.
foreach(attack click-poisoning fang promote)
  trained(--attack ${attack} --malicious 0)
  number(damage damage)
  equal("damage of ${attack} without malicious clients" ${damage} 0)
endforeach()
# The targets of promote, and the clients that a detector flagged.
trained(--attack promote --malicious 4 --target-feature 3)
number(before honest_target_rank)
number(after target_rank)
if(NOT after LESS before)
  message(FATAL_ERROR "promote: required a lower mean rank than ${before}, got ${after}")
endif()
trained(--attack inversion --malicious 2 --aggregator fl-detector --rounds 120 --eval-every 60)
number(recall recall)
number(caught flagged 0 clients)
string(JSON count LENGTH "${caught}")
if(NOT recall GREATER 0 OR NOT count GREATER 0)
  message(FATAL_ERROR "fl-detector: required a flagged client, got recall ${recall} and ${caught}")
endif()
# A run.json repeats its run.
file(READ ${FOLDER}/out/run.json json)
run(0 "recall" --config ${FOLDER}/out/run.json --out ${FOLDER}/again)
file(READ ${FOLDER}/again/run.json again)
foreach(name result model_sha256)
  string(JSON a GET ${json} ${name})
  string(JSON b GET ${again} ${name})
  if(NOT a STREQUAL b)
    message(FATAL_ERROR "--config run.json: ${name} differs: ${a} and ${b}")
  endif()
endforeach()

# ---- the grid

set(ALWAYS --grid ${DATA} --rounds 10)
set(SMALL --attacks fang,inversion --aggregators fedavg,krum,bulyan,nnm+median,fl-detector --malicious-counts 1,3 --behaviours perfect,informational)

# same_grid(<a> <b>): the files of two folders are equal, except for times.
function(same_grid a b)
  foreach(file grid.csv grid.json grid-means.csv loss-perfect.svg loss-informational.svg)
    file(READ ${FOLDER}/${a}/${file} first)
    file(READ ${FOLDER}/${b}/${file} second)
    if(NOT first STREQUAL second)
      message(FATAL_ERROR "${file} of ${a} and of ${b} differ")
    endif()
  endforeach()
  foreach(folder ${a} ${b})
    file(READ ${FOLDER}/${folder}/run.json json)
    string(JSON result_${folder} GET ${json} result)
    string(JSON result_${folder} REMOVE ${result_${folder}} trainings_read)
  endforeach()
  if(NOT result_${a} STREQUAL result_${b})
    message(FATAL_ERROR "the results of ${a} and of ${b} differ")
  endif()
endfunction()

# Per seed and behaviour: FedAvg and the detector once without an attack, Krum and the mixed median for 1 and 3, Bulyan for 1;
# two attacks against five aggregators with 1 and four with 3 malicious clients: 25. Two behaviours, two seeds: 100.
set(answers "krum.*n/a.*With 1 malicious client of 10, .* is the best in the worst case.*With any of these numbers of malicious clients.*bulyan with m = 3")
run(0 "${answers}.*trainings +100\n" ${SMALL} --repeats 2 --threads 1 --out ${FOLDER}/one)
run(0 "${answers}.*trainings +100\n" ${SMALL} --repeats 2 --threads 3 --out ${FOLDER}/three)
same_grid(one three)
file(STRINGS ${FOLDER}/one/grid.csv lines)
list(LENGTH lines count)
if(NOT count EQUAL 101)
  message(FATAL_ERROR "grid.csv: required a header and 100 lines, got ${count}")
endif()
# A cell is the run of the same setting.
foreach(line IN LISTS lines)
  if(line MATCHES "^1,2,informational,krum,fang,3,3,([0-9.]+),")
    set(cell ${CMAKE_MATCH_1})
  endif()
endforeach()
set(ALWAYS ${DATA} --rounds 10)
trained(--clicks informational --aggregator krum --attack fang --malicious 3 --seed 2)
number(offline offline_ndcg10)
equal("a cell of the grid" ${cell} ${offline})
set(ALWAYS --grid ${DATA} --rounds 10)
# The same command trains nothing, a larger grid trains what is missing, and other options are refused.
run(0 "trainings +100, 100 of them from an earlier start" ${SMALL} --repeats 2 --out ${FOLDER}/one)
same_grid(one three)
run(0 "trainings +150, 100 of them from an earlier start" ${SMALL} --repeats 3 --out ${FOLDER}/one)
run(2 "the grid in .* was trained with --learning-rate 0.1, not with --learning-rate 0.2" ${SMALL} --repeats 2 --learning-rate 0.2 --out ${FOLDER}/one)
run(0 "trainings +50\n" ${SMALL} --learning-rate 0.2 --force --out ${FOLDER}/one)
# A single run does not replace a grid unless --force is given, and then the files of the grid are removed.
set(ALWAYS ${DATA} --rounds 10)
run(2 "holds the result of an earlier run" --out ${FOLDER}/one)
run(0 "damage" --force --out ${FOLDER}/one)
if(EXISTS ${FOLDER}/one/grid.csv OR EXISTS ${FOLDER}/one/loss-perfect.svg)
  message(FATAL_ERROR "--force left files of the grid")
endif()
# A folder of folds, and a neural ranker.
foreach(fold 1 2)
  foreach(part train vali test)
    set(text "")
    foreach(query RANGE 1 6)
      foreach(document RANGE 1 5)
        math(EXPR grade "(${document} + ${fold}) % 3")
        math(EXPR value "${grade} + ${query} % 2")
        string(APPEND text "${grade} qid:${query} 1:${value} 2:${document}\n")
      endforeach()
    endforeach()
    file(WRITE ${FOLDER}/folds/Fold${fold}/${part}.txt "${text}")
  endforeach()
endforeach()
set(ALWAYS --grid --data ${FOLDER}/folds --rounds 5)
run(0 "over 2 runs.*trainings +8\n" --attacks mimic --aggregators krum --malicious-counts 1 --behaviours perfect --ranker neural --repeats 1 --aggregators
    fedavg,meamed --out ${FOLDER}/folds-out)

# ---- killed and interrupted grids

set(grid --grid ${DATA} --rounds 200 ${SMALL} --repeats 2 --quiet)
# interrupted(<status> <regex of the output> DO <option of the driver>... RUN <argument>...)
function(interrupted ending regex)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "DO;RUN")
  execute_process(COMMAND ${DRIVER} ${arg_DO} -- ${PROGRAM} ${arg_RUN} RESULT_VARIABLE status OUTPUT_VARIABLE printed
                          ERROR_VARIABLE printed)
  if(NOT status EQUAL 0 OR NOT printed MATCHES "${ending}\n$" OR NOT printed MATCHES "${regex}")
    message(FATAL_ERROR "poisoning ${arg_RUN}, ${arg_DO}: required \"${ending}\" and /${regex}/, got:\n${printed}")
  endif()
endfunction()

execute_process(COMMAND ${PROGRAM} ${grid} --out ${FOLDER}/whole OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
interrupted("killed by signal 9" "." DO --when-file ${FOLDER}/killed/grid.csv 10 --send KILL RUN ${grid} --out ${FOLDER}/killed)
file(READ ${FOLDER}/killed/grid.csv before)
file(APPEND ${FOLDER}/killed/grid.csv "1,2,perf") # a torn line
interrupted("exit status 130" "interrupted +by SIGINT after [0-9]+ of 100 trainings.*the same command goes on from" DO --when-file
            ${FOLDER}/killed/grid.csv 30 --send INT RUN ${grid} --out ${FOLDER}/killed)
file(READ ${FOLDER}/killed/run.json json)
string(JSON flag GET ${json} interrupted)
string(JSON done GET ${json} interruption trainings)
if(NOT flag STREQUAL ON OR done LESS 28 OR done GREATER 99)
  message(FATAL_ERROR "run.json of an interrupted grid: interrupted ${flag} after ${done} trainings")
endif()
interrupted("exit status 0" "trainings +100, ${done} of them from an earlier start" RUN ${grid} --out ${FOLDER}/killed)
same_grid(whole killed)
file(GLOB partial ${FOLDER}/killed/*.partial)
if(partial)
  message(FATAL_ERROR "these files stayed behind: ${partial}")
endif()

# ---- usage errors

set(ALWAYS ${DATA} --rounds 10)
run(2 "--malicious: required fewer than 10, the number of clients, got 10" --malicious 10)
run(2 "--malicious: required fewer than 3, the number of clients, got 4" --clients 3 --malicious 4)
run(2 "--attack: required none, click-poisoning, .* or promote, got \"x\"" --attack x)
run(2 "--aggregator bulyan: required at least 13 clients to assume 3 malicious ones, got 10" --aggregator bulyan --malicious 3)
run(2 "--target-feature: required at most 46, the number of features, got 47" --attack promote --target-feature 47)
run(2 "--malicious-counts: required fewer than 10" --grid --malicious-counts 1..10)
run(2 "--attacks: required click-poisoning, .* got \"none\"" --grid --attacks none)
run(2 "belongs to --grid" --attacks fang)
run(0 "poisoning --grid.*is the best in the worst case" --help)
