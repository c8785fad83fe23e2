# cmake -D PROGRAM=<evaluate> -D FOLDER=<scratch> -P evaluate_lightgbm.cmake
# Text models of LightGBM are scored on doubles: thresholds between doubles that round to the same float, thresholds beyond
# the range of a Dataset, scores that round to the same float. Models with columns from 0 and from 1 have the same scores or
# are refused.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(QUIET "")  # it has no such option

# write_model(<file> <column of feature 1> <info of column 0> <further header line>): four stumps on three features.
function(write_model file base info header)
  math(EXPR second "${base} + 1")
  math(EXPR third "${base} + 2")
  set(names "Column_0")
  set(infos "${info}")
  foreach(column RANGE 1 ${third})
    string(APPEND names " Column_${column}")
    string(APPEND infos " none")
  endforeach()
  set(text "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=${third}\n${header}")
  string(APPEND text "objective=lambdarank\nfeature_names=${names}\nfeature_infos=${infos}\n\n")
  set(number 0)
  foreach(stump IN ITEMS "${base} 0.10000000000000002 0.1 0.30000000000000004" "${second} 5000000 0 10"
                         "${third} 1e300 0 100" "${base} 0.2 0 5e-17")
    string(REPLACE " " ";" stump "${stump}")
    list(POP_FRONT stump column threshold low high)
    string(APPEND text "Tree=${number}\nnum_leaves=2\nnum_cat=0\nsplit_feature=${column}\nsplit_gain=1\nthreshold=${threshold}\n")
    string(APPEND text "decision_type=2\nleft_child=-1\nright_child=-2\nleaf_value=${low} ${high}\nshrinkage=1\n\n\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(WRITE ${FOLDER}/${file} "${text}end of trees\n")
endfunction()

function(expect_lines file)
  file(STRINGS ${FOLDER}/${file} found)
  if(NOT found STREQUAL ARGN)
    message(FATAL_ERROR "${file}: wanted ${ARGN}, got ${found}")
  endif()
endfunction()

# By hand: 0.1, then 0.3 + an ulp, 0.1 + 10, 0.1 + 100, and one ulp more than the second, which only doubles tell apart.
file(WRITE ${FOLDER}/data.txt
     "0 qid:1 1:0.1 2:4999999 3:1e299\n1 qid:1 1:0.10000000000000003\n3 qid:1 1:0.1 2:5000001\n"
     "4 qid:1 3:1.79769313486e+308\n2 qid:1 1:0.3\n")
set(scores 0.1 0.30000000000000004 10.1 100.1 0.3000000000000001)
set(asked ${FOLDER}/data.txt --scores ${FOLDER}/scores --run ${FOLDER}/run)
set(exact "nDCG@10  1.000000.*\n3 of 5 documents score differently with rows of floats\n")

function(evaluates file)
  file(REMOVE ${FOLDER}/scores)
  run(0 "${exact}" ${FOLDER}/${file} ${asked} ${ARGN})
  expect_lines(scores ${scores})
endfunction()

write_model(from1.txt 1 none "")
write_model(from0.txt 0 none "")
write_model(unused.txt 2 none "")
write_model(known.txt 1 "[0:1]" "")
evaluates(from1.txt)
evaluates(from1.txt --model-base 1)
evaluates(from1.txt --normalize none)
evaluates(from0.txt)
evaluates(from0.txt --model-base 0)
file(STRINGS ${FOLDER}/run lines)
list(TRANSFORM lines REPLACE "^1 Q0 1-([0-9]) .*" "\\1")
if(NOT lines STREQUAL "4;3;5;2;1")
  message(FATAL_ERROR "the run ranks ${lines}")
endif()

# Models that contradict the data are refused.
run(1 "splits on column 0" ${FOLDER}/from0.txt ${asked} --model-base 1)
run(1 "the model uses column 0" ${FOLDER}/known.txt ${asked})
run(1 "5 columns in the model, 3 features in the data: too many" ${FOLDER}/unused.txt ${asked})
file(WRITE ${FOLDER}/wide.txt "0 qid:1 1:0.1 5:1\n")
run(1 "the first feature may be 0 or 1.*--model-base" ${FOLDER}/from1.txt ${FOLDER}/wide.txt)
# A file with fewer features than the model is refused without --pad-features.
file(WRITE ${FOLDER}/narrow.txt "0 qid:1 1:0.3\n")
run(1 "too many columns.*--model-base" ${FOLDER}/from1.txt ${FOLDER}/narrow.txt)
run(1 "required 3 features, as many as the model .*from1.txt has, got 1" ${FOLDER}/from1.txt ${FOLDER}/narrow.txt --model-base 1)
run(0 "0 of 1 documents" ${FOLDER}/from1.txt ${FOLDER}/narrow.txt --model-base 1 --pad-features --scores ${FOLDER}/scores)
expect_lines(scores 0.3000000000000001)

# Rows are floats for a model that was trained on floats, and for normalised rows.
write_model(floats.txt 1 none "fltr_rows=float\n")
foreach(arguments IN ITEMS "floats.txt" "from1.txt;--normalize;query")
  list(POP_FRONT arguments model)
  execute_process(COMMAND ${PROGRAM} ${FOLDER}/${model} ${asked} ${arguments} OUTPUT_VARIABLE out COMMAND_ERROR_IS_FATAL ANY)
  if(out MATCHES "rows of floats")
    message(FATAL_ERROR "${model} ${arguments}: ${out}")
  endif()
endforeach()
run(0 "nDCG" ${FOLDER}/floats.txt ${asked})
# The float next to 0.1 is above the threshold; nothing is above 1e6.
expect_lines(scores 0.30000000000000004 0.30000000000000004 0.30000000000000004 0.1 0.3000000000000001)

file(READ ${FOLDER}/from1.txt text)
file(WRITE ${FOLDER}/blank.txt "\n\r\n${text}")
evaluates(blank.txt)
run(1 "cannot read ${FOLDER}: Is a directory" ${FOLDER} ${asked})
