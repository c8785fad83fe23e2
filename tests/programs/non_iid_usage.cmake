# cmake -D PROGRAM=<program> -D FOLDER=<scratch folder> -P non_iid_usage.cmake
#
# Runs non_iid with every type and every remedy, on one and three threads, and with options that contradict each other.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(ALWAYS --data synthetic:mq2007:0.05 --rounds 20 --eval-every 10)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# trained(<argument>...): runs the program on one and three threads. The results must be equal. Sets `json` to run.json without
# times.
function(trained)
  foreach(threads 1 3)
    run(0 "IID twin|gap" ${ARGN} --threads ${threads} --out ${FOLDER}/out --force)
    file(READ ${FOLDER}/out/run.json text)
    string(JSON result_${threads} GET "${text}" result)
  endforeach()
  if(NOT result_1 STREQUAL result_3)
    message(FATAL_ERROR "non_iid ${ARGN}: the results depend on the number of threads")
  endif()
  foreach(file skew.svg curve.svg rounds.csv queries.csv)
    if(NOT EXISTS ${FOLDER}/out/${file})
      message(FATAL_ERROR "non_iid ${ARGN}: there is no ${file}")
    endif()
  endforeach()
  set(json ${text} PARENT_SCOPE)
endfunction()

foreach(
  option
  "--type;1"
  "--type;1;--intents;3;--intent-shuffle;none;--clients;6;--remedy;clustered;--clusters;3;--baselines"
  "--type;2;--labels-per-client;2"
  "--type;3"
  "--type;3;--click-model;position"
  "--type;4"
  "--type;1+4"
  "--type;2+4"
  "--type;3+4"
  "--type;dirichlet;--alpha;0.3"
  "--type;dirichlet;--over;queries;--minimum;0;--alpha;0.05"
  "--type;2;--remedy;fedprox;--mu;1"
  "--type;2;--ranker;neural;--remedy;fedper"
  "--type;2;--remedy;data-sharing"
  "--type;1;--remedy;data-sharing"
  "--type;2;--remedy;fine-tuned;--baselines"
  "--type;2;--clients;20"
  "--type;2;--remedy;clustered"
  "--type;2;--learner;es"
  "--type;4;--learner;es")
  trained(${option})
endforeach()

# number(<variable> <name>): a result of the last run.
function(number variable name)
  string(JSON value GET "${json}" result ${name})
  set(${variable} ${value} PARENT_SCOPE)
endfunction()

# The gap is the difference of the two results, also in rounds.csv. The baselines do not depend on the remedy.
trained(--type 2 --baselines --repeats 2)
number(iid iid_offline_ndcg10)
number(own offline_ndcg10)
number(gap gap)
number(global global_personal_ndcg10)
execute_process(COMMAND awk "BEGIN { d = ${iid} - ${own} - ${gap}; exit !(d < 1e-9 && d > -1e-9) }" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the gap: required ${iid} - ${own}, got ${gap}")
endif()
foreach(name gap_p gap_low gap_high gap_query_p personal_gap personal_over_global_p alone_personal_ndcg10)
  number(value ${name})
endforeach()
file(STRINGS ${FOLDER}/out/rounds.csv header LIMIT_COUNT 1)
if(NOT header MATCHES ",iid_offline_ndcg10$")
  message(FATAL_ERROR "rounds.csv has no column iid_offline_ndcg10: ${header}")
endif()
trained(--type 2 --baselines --repeats 2 --remedy data-sharing)
number(other global_personal_ndcg10)
if(NOT other STREQUAL global)
  message(FATAL_ERROR "the global ranker without a remedy: required ${global} for every remedy, got ${other}")
endif()
# One intent: clients and twin are the same, and so is every result.
trained(--type 1 --intents 1 --clients 3)
number(gap gap)
if(NOT gap EQUAL 0)
  message(FATAL_ERROR "one intent: required gap 0, got ${gap}")
endif()
# One model for two intents with the same number of clients: half of the clients have the most frequent intent.
trained(--type 1 --intents 2 --intent-shuffle none --clients 4 --remedy clustered --clusters 1)
number(purity cluster_purity)
if(NOT purity EQUAL 0.5)
  message(FATAL_ERROR "one model for two intents: required cluster_purity 0.5, got ${purity}")
endif()

# Type 2 with one grade per client: every list of a grade above 0 is perfect, every list of grade 0 counts 0, whatever the ranker.
# With 3 grades the online measure is 2/3 of the sum of 0.9995^t over 20 rounds: 13.2700...
trained(--type 2 --clicks informational --interactions 2)
string(JSON online GET "${json}" result online_discounted)
if(NOT online MATCHES "^13\\.27[0-9]+$")
  message(FATAL_ERROR "type 2, one grade per client: required online_discounted 13.27, got ${online}")
endif()

# Users of a query log.
file(WRITE ${FOLDER}/letor.txt "")
file(WRITE ${FOLDER}/metadata.csv "qid,user_id,timestamp\n")
foreach(query RANGE 1 30)
  math(EXPR user "${query} % 3")
  file(APPEND ${FOLDER}/metadata.csv "q${query},u${user},${query}\n")
  foreach(document RANGE 1 6)
    math(EXPR grade "${document} % 3")
    math(EXPR value "${grade} + ${query} % 2")
    file(APPEND ${FOLDER}/letor.txt "${grade} qid:q${query} 1:${value} 2:${document}\n")
  endforeach()
endforeach()
set(ALWAYS --rounds 20 --eval-every 10)
foreach(part train vali test)
  file(COPY_FILE ${FOLDER}/letor.txt ${FOLDER}/${part}.txt)
endforeach()
trained(--data ${FOLDER} --type user --metadata ${FOLDER}/metadata.csv)
string(JSON clients GET "${json}" result skew clients)
if(NOT clients EQUAL 3)
  message(FATAL_ERROR "three users: required 3 clients, got ${clients}")
endif()
run(2 "required --metadata" --data ${FOLDER} --type user)
file(WRITE ${FOLDER}/short.csv "qid,user_id,timestamp\nq1,u,1\n")
run(1 "a line in .*short.csv for each qid.*none for 29 of 30" --data ${FOLDER} --type user --metadata ${FOLDER}/short.csv)
file(WRITE ${FOLDER}/unsorted.csv "qid,user_id,timestamp\nq1,u,5\nq2,u,1\n")
run(1 "not before the time" --data ${FOLDER} --type user --metadata ${FOLDER}/unsorted.csv)

set(ALWAYS --data synthetic:mq2007:0.05 --rounds 20)
run(2 "--labels-per-client: required at most 3, the number of grades, got 4" --type 2 --labels-per-client 4)
run(2 "--mu: required --mu times --learning-rate below 2.*got 2" --remedy fedprox --mu 20)
run(2 "--clusters: required at most 4, the number of clients, got 5" --type 1 --clients 4 --remedy clustered --clusters 5)
run(2 "--clusters: required at most 3, the number of clients, got 4" --type 2 --remedy clustered --clusters 4)
run(2 "--clients: required at least 3, one for each choice of 1 of the 3 grades in --data, got 2" --type 2 --clients 2)
run(2 "--learning-rate: required a number above 0 and up to 3.4" --learning-rate 1e300)
run(2 "belongs to --type 1" --type 2 --intents 3)
run(2 "belongs to --remedy fedprox" --mu 1)
run(2 "required --ranker neural" --remedy fedper)
run(2 "--interactions: required at least 2 with --learner es" --learner es --interactions 1)
run(2 "--learner es has no local steps" --learner es --remedy fedprox)
run(2 "error: --minimum: required at least 1 documents for each of 1000 clients" --type dirichlet --clients 1000 --alpha 0.01)
