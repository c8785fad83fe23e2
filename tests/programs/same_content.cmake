# Included by tests that interrupt programs and compare their results.

# content(<variable> <folder>): what must not depend on interruptions. Not `seconds`, the 15th column of rounds.csv, and not what a round had
# cost so far, columns 12 to 14 and epsilon_bound: after a kill the rounds that had begun are charged from the start (see spends_at_least).
# The cost of all rounds is in run.json. `content_without`: a key of run.json that is left out.
function(content variable folder)
  file(READ ${folder}/rounds.csv rounds)
  string(REPEAT "[^,\n]*," 11 before)  # regular expressions of CMake have no {11}
  string(REGEX REPLACE "(\n${before})[^,\n]*,[^,\n]*,[^,\n]*,[^,\n]*" "\\1" rounds "${rounds}")
  if(rounds MATCHES "^[^\n]*,epsilon_bound\n")
    string(REGEX REPLACE ",[^,\n]*\n" "\n" rounds "${rounds}")
  endif()
  file(READ ${folder}/run.json json)
  set(results)
  set(keys result privacy interactions model_sha256 interrupted)
  list(REMOVE_ITEM keys ${content_without})
  foreach(key IN LISTS keys)
    string(JSON part ERROR_VARIABLE none GET "${json}" ${key})
    string(REGEX REPLACE "\"seconds\" : [0-9.e+-]+" "" part "${part}")  # of unlearning: processor time
    string(APPEND results "${key} ${part}\n")
  endforeach()
  set(hashes)
  file(GLOB_RECURSE files RELATIVE ${folder} ${folder}/queries.csv ${folder}/*.fltr)
  foreach(file IN LISTS files)
    file(SHA256 ${folder}/${file} hash)
    string(APPEND hashes "${file} ${hash}\n")
  endforeach()
  set(${variable} "${rounds}${results}${hashes}" PARENT_SCOPE)
endfunction()

function(same_content folder expected)
  content(got ${folder})
  if(NOT got STREQUAL expected)
    message(FATAL_ERROR "${folder}: another result than without interruption. Required:\n${expected}\ngot:\n${got}")
  endif()
endfunction()

# spends_at_least(<folder> <other>): each row of rounds.csv in the folder has at least the nominal epsilon of the same row in the other.
function(spends_at_least folder other)
  string(REPEAT "[^,]*," 11 before)
  foreach(name folder other)
    file(STRINGS ${${name}}/rounds.csv rows_of_${name})
    list(POP_FRONT rows_of_${name})
  endforeach()
  foreach(row expected IN ZIP_LISTS rows_of_folder rows_of_other)
    string(REGEX REPLACE "^${before}([^,]*),.*" "\\1" row "${row}")
    string(REGEX REPLACE "^${before}([^,]*),.*" "\\1" expected "${expected}")
    if(NOT row STREQUAL expected AND NOT row GREATER expected)
      message(FATAL_ERROR "${folder}/rounds.csv: a round with epsilon ${row}, without interruption ${expected}")
    endif()
  endforeach()
endfunction()
