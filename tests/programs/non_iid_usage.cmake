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
    string(JSON result_${threads} GET ${text} result)
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
  "--type;2;--learner;es")
  trained(${option})
endforeach()

# Type 2 with one grade per client: every list of a grade above 0 is perfect, every list of grade 0 counts 0, whatever the ranker.
# With 3 grades the online measure is 2/3 of the sum of 0.9995^t over 20 rounds: 13.2700...
trained(--type 2 --clicks informational --interactions 2)
string(JSON online GET ${json} result online_discounted)
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
string(JSON clients GET ${json} result skew clients)
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
run(2 "--clusters: required at most 3, the number of clients, got 4" --type 2 --remedy clustered)
run(2 "belongs to --type 1" --type 2 --intents 3)
run(2 "belongs to --remedy fedprox" --mu 1)
run(2 "required --ranker neural" --remedy fedper)
run(2 "--learner es has no local steps" --learner es --remedy fedprox)
run(1 "at least minimum_documents" --type dirichlet --clients 1000 --alpha 0.01)
